package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression in the syntax of package regexp. It is safe for concurrent use.
type Regexp struct {
	text string
	once sync.Once
	made *regexp.Regexp
}

// New returns the expression. An invalid one panics on first use.
func New(text string) *Regexp { return &Regexp{text: text} }

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.made = regexp.MustCompile(r.text) })
	return r.made
}

// String returns the expression's text.
func (r *Regexp) String() string { return r.text }
