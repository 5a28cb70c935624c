package lazyregexp

import (
	"strings"
	"sync"
)

// Set is a set of words. It is safe for concurrent use.
type Set struct {
	list string
	once sync.Once
	made map[string]bool
}

// Of returns the set of the words in a list separated by white space. It is small enough that the
// compiler initialises sets statically, so many of them do not slow down the start.
func Of(list string) *Set { return &Set{list: list} }

// Has reports whether a word is in the set; case matters.
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
