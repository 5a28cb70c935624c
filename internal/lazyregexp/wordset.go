package lazyregexp

import (
	"strings"
	"sync"
)

// Set is a set of words. It may be used by many goroutines at once.
type Set struct {
	list string
	once sync.Once
	made map[string]bool
}

// Of returns the set of the words of a list, with white space between them. It is so
// small that the compiler lays a set out ahead, and a program that has many starts
// no later.
func Of(list string) *Set { return &Set{list: list} }

// Has reports whether a word is in the set, exactly as it is written.
func (s *Set) Has(word string) bool {
	s.once.Do(s.make)
	return s.made[word]
}

func (s *Set) make() {
	s.made = make(map[string]bool, strings.Count(s.list, " "))
	for w := range strings.FieldsSeq(s.list) {
		s.made[w] = true
	}
}
