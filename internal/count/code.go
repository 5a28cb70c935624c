package count

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// ScanCode returns the lists of a source text in order of position, and the names or paths of its
// imports.
func ScanCode(src []byte, lang syntax.Language) (lists []*List, imports []string) {
	s := &scanner{Reader: NewReader(src, lang), definitions: map[place]*List{}}
	top := frame{lo: 0, hi: len(s.Tokens), mode: inStatements, scope: &Scope{}}
	switch lang {
	case syntax.Python:
		s.scanPython()
	case syntax.JSON:
		s.addLiteral("", 0, len(s.Tokens), top.scope, nil)
	default:
		s.push(top)
	}
	for len(s.todo) > 0 {
		f := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.scanFrame(f)
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
	scope  *Scope
}

type place struct {
	block int
	name  string
}

type scanner struct {
	*Reader
	lists       []*List
	imports     []string
	todo        []frame
	definitions map[place]*List // by block, because later statements of the same block can add to them
	additions   []addition
	blocks      int
}

// addition is a statement that adds to a list: X.push(a, b).
type addition struct {
	to    place
	items []Item
}

const maxDepth = 40

func (s *scanner) push(f frame) {
	if f.lo < f.hi && f.scope.Depth <= maxDepth {
		s.todo = append(s.todo, f)
	}
}

func (s *scanner) scanFrame(f frame) {
	switch f.mode {
	case inStatements, classBody:
		s.scanStatements(f)
	case element:
		s.scanElement(f)
	default:
		s.scanExpression(f)
	}
}

func (s *scanner) addList(kind ListKind, name string, c *Scope, tok int) *List {
	t := s.Tokens[tok]
	l := &List{
		Name: name, Path: c.Path(), Words: c.Words, Kind: kind, Line: int(t.Line), Col: int(t.Col), Depth: c.Depth, Block: c.Block,
	}
	s.lists = append(s.lists, l)
	return l
}

func (s *scanner) finish() {
	for _, a := range s.additions {
		if l := s.definitions[a.to]; l != nil {
			l.Items = append(l.Items, a.items...)
		}
	}
}

// addLiteral adds the list that an expression is, and returns nil if it is none.
func (s *scanner) addLiteral(name string, lo, hi int, c *Scope, words []string) *List {
	inner := c.Below(name)
	v, ok := s.ReadValue(lo, hi, inner, 0)
	if !ok {
		return nil
	}
	l := s.addList(v.Kind, name, c, lo)
	l.Items = v.Items
	l.Words = append(slices.Clone(words), c.Words...)
	for _, f := range v.Children {
		s.push(frame{f.Lo, f.Hi, expression, f.Scope})
	}
	return l
}

func cleanName(text string) string { return strings.Trim(text, "<>/ ") }
