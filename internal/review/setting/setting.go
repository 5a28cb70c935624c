// Package setting knows what stands above each unit of a review and holds for it: the
// file, the folder, the label and the refusal that headings, list items, forms and
// introductions hand down. By it short names are explained. What a sentence asks for is
// not its business, and it touches no file.
package setting

import (
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/said"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Scope is what a unit hands down to what stands under it.
type Scope struct {
	Finding int
	Topic   *Topic
	Dir     string
	Sev     talk.Severity
	Neg     string // why nothing below is asked for
	Soft    bool   // neg unless it asks in so many words
	Summary bool
}

// Topic is the file that a heading, a list item or a "Location:" is about.
type Topic struct {
	Paths []string
	Spans []spot.Span
	Unit  int
	Used  bool
	Own   bool // its unit begins with its name alone: "a.go. It leaks."
	Drop  bool // it was said that nothing is asked there
}

// Setting is what stands around each unit of one review. The units, what was named so far
// and how names are read belong to it.
type Setting struct {
	*spot.Reader
	ledger.Ledger
	Toks     [][]token.Token // of each unit
	Scopes   []Scope         // of each unit, once it was reached
	Said     *said.Said
	formless map[int]Scope // what stood over a form before it spoke
}

// New makes the setting of a review over the tracked files.
func New(x *names.Index) Setting {
	return Setting{Reader: spot.NewReader(x), Said: said.New(x)}
}

// Over makes units the review's.
func (se *Setting) Over(units []prose.Unit) {
	se.Units = units
	se.Toks = make([][]token.Token, len(units))
	se.Scopes = make([]Scope, len(units))
	for i := range se.Scopes {
		se.Scopes[i].Finding = prose.None
	}
	se.Where = func(unit int) (int, bool) { return se.Scopes[unit].Finding, se.Scopes[unit].Summary }
}

// FindingOf is the unit that opens the finding a unit belongs to: the outermost item, or
// the heading.
func (se *Setting) FindingOf(i int) int {
	u := se.Units[i]
	if u.Parent == prose.None {
		if u.Kind == prose.Item || u.Kind == prose.Row {
			return i
		}
		return prose.None
	}
	p := se.Units[u.Parent]
	if p.Kind == prose.Heading {
		if u.Kind == prose.Item || u.Kind == prose.Row {
			return i
		}
		return u.Parent
	}
	return se.Scopes[u.Parent].Finding
}

// Around is what explains a short name in a unit.
func (se *Setting) Around(i int) said.Around {
	s := se.Scopes[i]
	a := said.Around{Dir: s.Dir, Finding: s.Finding}
	if s.Topic != nil {
		a.Topic = s.Topic.Paths
	}
	for u := i; u != prose.None; u = se.Units[u].Parent {
		a.Findings = append(a.Findings, se.Scopes[u].Finding)
	}
	return a
}

// One chooses among candidates by what is said around unit i, if that leaves one.
func (se *Setting) One(cands []string, i int) string { return se.Said.One(cands, se.Around(i)) }

// Resolve is the tracked file a mention means, or "".
func (se *Setting) Resolve(m *spot.Mention, i int) string { return se.Said.Resolve(m, se.Around(i)) }

// Inherit puts together what stands above a unit: its parent, and the paragraph that
// Introduces its list.
func (se *Setting) Inherit(i int) Scope {
	u := se.Units[i]
	s := Scope{Finding: se.Scopes[i].Finding}
	if u.Parent != prose.None {
		p := se.Scopes[u.Parent]
		if before, ok := se.formless[u.Parent]; ok && u.Form {
			p = before
		}
		p.Finding = s.Finding
		s = p
	}
	if u.Intro != prose.None && u.Kind != prose.Code && se.Units[u.Intro].Kind == prose.Para {
		in := se.intro(u.Intro)
		if in.Sev != "" {
			s.Sev = in.Sev
		}
		if in.Neg != "" && s.Neg == "" {
			s.Neg, s.Soft = in.Neg, in.Soft
		}
		if in.Topic != nil {
			s.Topic = in.Topic
		}
		if in.Dir != "" {
			s.Dir = in.Dir
		}
	}
	return s
}
