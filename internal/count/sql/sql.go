// Package sql finds the lists in SQL: rows, columns, values of enums. It opens no file and
// never fails.
package sql

import (
	"strings"

	"github.com/belay-dev/belay/internal/count/lex"
	"github.com/belay-dev/belay/internal/count/list"
	"github.com/belay-dev/belay/internal/count/literal"
)

type scanner struct {
	*literal.Reader
	lists []*list.List
}

// Scan gives the rows of INSERT … VALUES (…), (…), the columns of CREATE TABLE, and the
// values of CREATE TYPE … AS ENUM, in the order they start in. Several inserts into one
// table are one list.
func Scan(src []byte) []*list.List {
	s := &scanner{Reader: literal.Read(src, literal.SQL)}
	inserts := map[string]*list.List{}
	for lo := 0; lo < len(s.Tokens); {
		hi := s.Find(lo, len(s.Tokens), ";")
		if hi < 0 {
			hi = len(s.Tokens)
		}
		if lo < hi {
			s.statement(lo, hi, inserts)
		}
		lo = hi + 1
	}
	return s.lists
}

// list begins a list at a token.
func (s *scanner) list(kind list.Kind, name string, tok int) *list.List {
	t := s.Tokens[tok]
	l := &list.List{Name: name, Kind: kind, Line: int(t.Line), Col: int(t.Col)}
	s.lists = append(s.lists, l)
	return l
}

func (s *scanner) fold(i int, word string) bool { return strings.EqualFold(s.At(i), word) }

func (s *scanner) statement(lo, hi int, inserts map[string]*list.List) {
	switch {
	case s.fold(lo, "insert") || s.fold(lo, "replace"):
		s.insert(lo, hi, inserts)
	case s.fold(lo, "create"):
		open := -1
		name := ""
		for i := lo + 1; i < hi; i = s.Next(i) {
			if s.Open(i, "(") {
				open = i
				break
			}
			if s.Kind(i) == lex.Ident && !s.fold(i, "as") && !s.fold(i, "enum") || s.Kind(i) == lex.String {
				name = literal.Unquote(s.At(i))
			}
		}
		if open < 0 {
			return
		}
		kind := list.Columns
		if s.fold(open-1, "enum") {
			kind = list.Enum
		}
		l := s.list(kind, name, lo)
		for _, a := range s.Split(open+1, s.After(open), ",") {
			if a[0] < a[1] && !constraint[strings.ToLower(s.At(a[0]))] {
				l.Items = append(l.Items, s.Item(literal.Unquote(s.At(a[0])), a[0]))
			}
		}
	}
}

var constraint = literal.Words("primary foreign unique check constraint key index exclude")

func (s *scanner) insert(lo, hi int, inserts map[string]*list.List) {
	name, values := "", -1
	for i := lo + 1; i < hi; i = s.Next(i) {
		if s.fold(i, "values") {
			values = i
			break
		}
		if name == "" && (s.Kind(i) == lex.Ident || s.Kind(i) == lex.String) && !s.fold(i, "into") && !s.fold(i, "or") && !s.fold(i, "ignore") && !s.fold(i, "replace") {
			name = literal.Unquote(s.At(i))
			for s.Is(i+1, ".") {
				i += 2
				name = literal.Unquote(s.At(i))
			}
		}
	}
	if values < 0 {
		return
	}
	l := inserts[name]
	if l == nil {
		l = s.list(list.Rows, name, lo)
		inserts[name] = l
	}
	for i := values + 1; i < hi; i = s.Next(i) {
		if s.Open(i, "(") {
			l.Items = append(l.Items, s.Label(i+1, s.After(i)))
		} else if s.Kind(i) == lex.Ident {
			break // ON CONFLICT …
		}
	}
}
