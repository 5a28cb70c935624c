package count

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Scan returns the lists of a source, in the order they start in. With imports it gives
// what the file imports from as well.
func Scan(src []byte, lang syntax.Language) (lists []*List, imports []string) {
	s := &scanner{Reader: Read(src, lang), named: map[place]*List{}}
	top := frame{lo: 0, hi: len(s.Tokens), mode: inStatements, c: &Scope{}}
	switch lang {
	case syntax.Python:
		s.python()
	case syntax.JSON:
		s.literal("", 0, len(s.Tokens), top.c, nil)
	default:
		s.push(top)
	}
	for len(s.todo) > 0 {
		f := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.frame(f)
	}
	s.finish()
	return s.lists, s.imports
}

type mode uint8

const (
	inStatements mode = iota
	expression
	classBody
	element
)

type frame struct {
	lo, hi int
	mode   mode
	c      *Scope
}

type place struct {
	block int
	name  string
}

type scanner struct {
	*Reader
	lists   []*List
	imports []string
	todo    []frame
	named   map[place]*List // definitions, to which later statements of the same block may add
	late    []addition
	blocks  int
}

// addition is a statement that adds to a list: X.push(a, b).
type addition struct {
	to    place
	items []Item
}

const maxDepth = 40

func (s *scanner) push(f frame) {
	if f.lo < f.hi && f.c.Depth <= maxDepth {
		s.todo = append(s.todo, f)
	}
}

func (s *scanner) frame(f frame) {
	switch f.mode {
	case inStatements, classBody:
		s.statements(f)
	case element:
		s.element(f)
	default:
		s.expression(f)
	}
}

func (s *scanner) list(kind ListKind, name string, c *Scope, tok int) *List {
	t := s.Tokens[tok]
	l := &List{
		Name: name, Path: c.Path(), Words: c.Words, Kind: kind, Line: int(t.Line), Col: int(t.Col), Depth: c.Depth, Block: c.Block,
	}
	s.lists = append(s.lists, l)
	return l
}

func (s *scanner) finish() {
	for _, a := range s.late {
		if l := s.named[a.to]; l != nil {
			l.Items = append(l.Items, a.items...)
		}
	}
}

// literal makes a list of an expression, and says whether it is one.
func (s *scanner) literal(name string, lo, hi int, c *Scope, words []string) *List {
	inner := c.Below(name)
	v, ok := s.Value(lo, hi, inner, 0)
	if !ok {
		return nil
	}
	l := s.list(v.Kind, name, c, lo)
	l.Items = v.Items
	l.Words = append(slices.Clone(words), c.Words...)
	for _, f := range v.Children {
		s.push(frame{f.Lo, f.Hi, expression, f.C})
	}
	return l
}

func clean(text string) string { return strings.Trim(text, "<>/ ") }
