// Package code finds the lists in source of languages with brackets: TypeScript,
// JavaScript, JSX, JSON, Python, Rust, Java, C#, Ruby. It reads tokens, not lines:
// literals, siblings, members, cases, functions, calls. It opens no file, never fails,
// and says unknown where the source does not tell how many items there are.
package code

import (
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/count/list"
	"github.com/belay-dev/belay/internal/count/literal"
)

// Scan gives the lists of a source, in the order they start in. With imports it gives
// what the file imports from as well.
func Scan(src []byte, lang literal.Language) (lists []*list.List, imports []string) {
	s := &scanner{Reader: literal.Read(src, lang), named: map[place]*list.List{}}
	top := &frame{lo: 0, hi: len(s.Tokens), mode: statements, c: &literal.Scope{}}
	switch lang {
	case literal.Python:
		s.python()
	case literal.JSON:
		s.literal("", 0, len(s.Tokens), top.c, nil)
	default:
		s.push(*top)
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
	statements mode = iota
	expression
	classBody
	element
)

type frame struct {
	lo, hi int
	mode   mode
	c      *literal.Scope
}

type place struct {
	block int
	name  string
}

type scanner struct {
	*literal.Reader
	lists   []*list.List
	imports []string
	todo    []frame
	named   map[place]*list.List // definitions, to which later statements of the same block may add
	late    []addition
	blocks  int
}

// addition is a statement that adds to a list: X.push(a, b).
type addition struct {
	to    place
	items []list.Item
	keep  bool // replaces nothing: only appends
}

const maxDepth = 40

func (s *scanner) push(f frame) {
	if f.lo < f.hi && f.c.Depth <= maxDepth {
		s.todo = append(s.todo, f)
	}
}

func (s *scanner) frame(f frame) {
	switch f.mode {
	case statements, classBody:
		s.statements(f)
	case element:
		s.element(f)
	default:
		s.expression(f)
	}
}

func (s *scanner) list(kind list.Kind, name string, c *literal.Scope, tok int) *list.List {
	t := s.Tokens[tok]
	l := &list.List{
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
	sortLists(s.lists)
}

// literal makes a list of an expression, and says whether it is one.
func (s *scanner) literal(name string, lo, hi int, c *literal.Scope, words []string) *list.List {
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

func sortLists(lists []*list.List) {
	sort.SliceStable(lists, func(i, j int) bool {
		if lists[i].Line != lists[j].Line {
			return lists[i].Line < lists[j].Line
		}
		return lists[i].Col < lists[j].Col
	})
}

func clean(text string) string { return strings.Trim(text, "<>/ ") }
