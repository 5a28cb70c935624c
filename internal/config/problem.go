package config

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Problem is one problem in a file. Line and Column count from 1, and are 0 for the file as a
// whole. Key is dotted, "" if the problem is not about a key.
type Problem struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Key     string `json:"key,omitempty"`
	Text    string `json:"text"`
	Nearest string `json:"nearest,omitempty"` // the most similar key
}

// Problems is all problems of a file, in the order of the file.
type Problems struct {
	Name string // the file's path in messages
	List []Problem
}

// Error returns each problem on its own line: path:line:column, key, message and the most similar
// key.
func (p *Problems) Error() string {
	var all strings.Builder
	for _, one := range p.List {
		if len(p.List) > 1 {
			all.WriteString("\n  ")
		}
		all.WriteString(one.sentence(p.Name))
	}
	return all.String()
}

func (p Problem) sentence(name string) string {
	s := name
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
	}
	if p.Key != "" {
		s += ": " + Cut(p.Key)
	}
	s += ": " + belay.VisibleLine(p.Text)
	if p.Nearest != "" {
		s += " (did you mean " + p.Nearest + "?)"
	}
	return s
}

// Cut shortens untrusted text so that it fits into a sentence, and makes it safe to print.
func Cut(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:59]) + "…"
	}
	return belay.VisibleLine(s)
}
