package count

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

type sqlScanner struct {
	*Reader
	lists []*List
}

// ScanSQL returns the rows of INSERT … VALUES (…), (…), the columns of CREATE TABLE, and the
// values of CREATE TYPE … AS ENUM, in order of position. Several inserts into one table are one
// list.
func ScanSQL(src []byte) []*List {
	s := &sqlScanner{Reader: NewReader(src, syntax.SQL)}
	inserts := map[string]*List{}
	for lo := 0; lo < len(s.Tokens); {
		hi := s.Find(lo, len(s.Tokens), ";")
		if hi < 0 {
			hi = len(s.Tokens)
		}
		if lo < hi {
			s.readStatement(lo, hi, inserts)
		}
		lo = hi + 1
	}
	return s.lists
}

// addList adds a list that begins at a token.
func (s *sqlScanner) addList(kind ListKind, name string, tok int) *List {
	t := s.Tokens[tok]
	l := &List{Name: name, Kind: kind, Line: int(t.Line), Col: int(t.Col)}
	s.lists = append(s.lists, l)
	return l
}

func (s *sqlScanner) isWord(i int, word string) bool { return strings.EqualFold(s.At(i), word) }

func (s *sqlScanner) readStatement(lo, hi int, inserts map[string]*List) {
	switch {
	case s.isWord(lo, "insert") || s.isWord(lo, "replace"):
		s.readInsert(lo, hi, inserts)
	case s.isWord(lo, "create"):
		open := -1
		name := ""
		for i := lo + 1; i < hi; i = s.Next(i) {
			if s.IsOpen(i, "(") {
				open = i
				break
			}
			if s.Kind(i) == Ident && !s.isWord(i, "as") && !s.isWord(i, "enum") || s.Kind(i) == String {
				name = Unquote(s.At(i))
			}
		}
		if open < 0 {
			return
		}
		kind := Columns
		if s.isWord(open-1, "enum") {
			kind = Enum
		}
		l := s.addList(kind, name, lo)
		for _, a := range s.Split(open+1, s.CloseOf(open), ",") {
			if a[0] < a[1] && !constraintWords.Has(strings.ToLower(s.At(a[0]))) {
				l.Items = append(l.Items, s.NewItem(Unquote(s.At(a[0])), a[0]))
			}
		}
	}
}

var constraintWords = lazyregexp.Of("primary foreign unique check constraint key index exclude")

// insertWords are words between INSERT and the table's name.
var insertWords = lazyregexp.Of("into or ignore replace")

func (s *sqlScanner) readInsert(lo, hi int, inserts map[string]*List) {
	name, values := "", -1
	for i := lo + 1; i < hi; i = s.Next(i) {
		if s.isWord(i, "values") {
			values = i
			break
		}
		isName := s.Kind(i) == String || s.Kind(i) == Ident && !insertWords.Has(strings.ToLower(s.At(i)))
		if name == "" && isName {
			name = Unquote(s.At(i))
			for s.Is(i+1, ".") {
				i += 2
				name = Unquote(s.At(i))
			}
		}
	}
	if values < 0 {
		return
	}
	l := inserts[name]
	if l == nil {
		l = s.addList(Rows, name, lo)
		inserts[name] = l
	}
	for i := values + 1; i < hi; i = s.Next(i) {
		if s.IsOpen(i, "(") {
			l.Items = append(l.Items, s.LabelItem(i+1, s.CloseOf(i)))
		} else if s.Kind(i) == Ident {
			break // ON CONFLICT …
		}
	}
}
