package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression in the syntax of package regexp. It may be used by
// many goroutines at once.
type Regexp struct {
	text string
	once sync.Once
	made *regexp.Regexp
}

// New returns the expression. One that is not well formed panics when it is first used.
func New(text string) *Regexp { return &Regexp{text: text} }

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.made = regexp.MustCompile(r.text) })
	return r.made
}

// String returns the expression's text.
func (r *Regexp) String() string { return r.text }
