// Package code finds the lists in source of languages with brackets: TypeScript,
// JavaScript, JSX, JSON, Python, Rust, Java, C#, Ruby, SQL. It reads tokens, not lines:
// literals, siblings, members, cases, functions, calls. It opens no file, never fails,
// and says unknown where the source does not tell how many items there are.
package code

import (
	"strings"

	"github.com/belay-dev/belay/internal/count/lex"
	"github.com/belay-dev/belay/internal/count/list"
)

// Language is one that this room reads.
type Language string

// The languages.
const (
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
	JavaScript Language = "javascript"
	JSX        Language = "jsx"
	JSON       Language = "json"
	Python     Language = "python"
	Rust       Language = "rust"
	Java       Language = "java"
	CSharp     Language = "csharp"
	Ruby       Language = "ruby"
	SQL        Language = "sql"
)

var slashes, hash = []string{"//"}, []string{"#"}

var options = map[Language]lex.Options{
	TypeScript: {Line: slashes, Block: true, Template: true, Regex: true},
	TSX:        {Line: slashes, Block: true, Template: true, Regex: true, JSX: true},
	JavaScript: {Line: slashes, Block: true, Template: true, Regex: true, JSX: true},
	JSX:        {Line: slashes, Block: true, Template: true, Regex: true, JSX: true},
	JSON:       {Line: slashes, Block: true},
	Python:     {Line: hash, Triple: true, Prefix: true, Newlines: true},
	Rust:       {Line: slashes, Block: true, Nested: true, Char: true, Hash: true},
	Java:       {Line: slashes, Block: true, Triple: true, Char: true},
	CSharp:     {Line: slashes, Block: true, Triple: true, Char: true, Verbatim: true},
	Ruby:       {Line: hash, Regex: true, Newlines: true, Words: "@"},
	SQL:        {Line: []string{"--"}, Block: true, Double: true},
}

// Scan gives the lists of a source, in the order they start in. With imports it gives
// what the file imports from as well.
func Scan(src []byte, lang Language) (lists []*list.List, imports []string) {
	s := &scanner{Source: lex.Tokens(src, options[lang]), lang: lang, named: map[place]*list.List{}}
	top := &frame{lo: 0, hi: len(s.Tokens), mode: statements, c: &scope{}}
	switch lang {
	case Python:
		s.python()
	case SQL:
		s.sql()
	case JSON:
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

// scope is where something is defined: the functions, types and lists around it.
type scope struct {
	up    *scope
	name  string
	depth int // lists around it
	block int // which block of statements
	words []string
}

func (c *scope) in(name string) *scope {
	return &scope{up: c, name: name, depth: c.depth, block: c.block, words: c.words}
}

func (c *scope) below(name string) *scope {
	d := c.in(name)
	d.depth++
	return d
}

func (c *scope) path() []string {
	var p []string
	for ; c != nil && len(p) < 8; c = c.up {
		if c.name != "" {
			p = append([]string{c.name}, p...)
		}
	}
	return p
}

type frame struct {
	lo, hi int
	mode   mode
	c      *scope
}

type place struct {
	block int
	name  string
}

type scanner struct {
	*lex.Source
	lang    Language
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
	if f.lo < f.hi && f.c.depth <= maxDepth {
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

// next gives the token after i on the same level.
func (s *scanner) next(i int) int {
	if t := s.Tokens[i]; t.Kind == lex.Open && int(t.Match) > i {
		return int(t.Match) + 1
	}
	if s.Is(i, "<") {
		return s.typeArguments(i)
	}
	return i + 1
}

var generics = map[Language]bool{TypeScript: true, TSX: true, Rust: true, Java: true, CSharp: true}

// typeArguments gives the token after <A, B>, or after < when that compares.
func (s *scanner) typeArguments(i int) int {
	if !generics[s.lang] || i == 0 || i+1 >= len(s.Tokens) {
		return i + 1
	}
	if s.kind(i-1) == lex.Ident && s.Tokens[i-1].End != s.Tokens[i].Off {
		return i + 1
	}
	depth := 0
	for k := i; k < len(s.Tokens) && k < i+80; k++ {
		switch t := s.Tokens[k]; {
		case t.Kind == lex.Open:
			k = int(t.Match)
		case t.Kind == lex.Close || s.Is(k, ";") || s.Is(k, "&&") || s.Is(k, "||"):
			return i + 1
		case s.Is(k, "<"):
			depth++
		case s.Is(k, ">"):
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return i + 1
}

// prev gives the token before i on the same level: the opening one of a bracket.
func (s *scanner) prev(i int) int {
	i--
	if i >= 0 && s.Tokens[i].Kind == lex.Close {
		return int(s.Tokens[i].Match)
	}
	return i
}

func (s *scanner) kind(i int) lex.Kind {
	if i < 0 || i >= len(s.Tokens) {
		return lex.Punct
	}
	return s.Tokens[i].Kind
}

func (s *scanner) open(i int, bracket string) bool {
	return s.kind(i) == lex.Open && !s.Tokens[i].Elem && s.Is(i, bracket)
}

// after gives the index of a bracket's end.
func (s *scanner) after(i int) int { return int(s.Tokens[i].Match) }

// split gives the ranges between separators on the level of lo.
func (s *scanner) split(lo, hi int, seps ...string) [][2]int {
	var out [][2]int
	from := lo
	for i := lo; i < hi; i = s.next(i) {
		if k := s.kind(i); k != lex.Punct && k != lex.Ident {
			continue
		}
		for _, sep := range seps {
			if s.Is(i, sep) {
				out = append(out, [2]int{from, i})
				from = i + 1
				break
			}
		}
	}
	return append(out, [2]int{from, hi})
}

// find gives the first token with this text on the level of lo, or -1.
func (s *scanner) find(lo, hi int, text string) int {
	for i := lo; i < hi; i = s.next(i) {
		if s.Is(i, text) && s.kind(i) != lex.String {
			return i
		}
	}
	return -1
}

func (s *scanner) list(kind list.Kind, name string, c *scope, tok int) *list.List {
	t := s.Tokens[tok]
	l := &list.List{
		Name: name, Path: c.path(), Words: c.words, Kind: kind, Line: int(t.Line), Col: int(t.Col), Depth: c.depth, Block: c.block,
	}
	s.lists = append(s.lists, l)
	return l
}

func (s *scanner) item(label string, tok int) list.Item {
	if tok >= len(s.Tokens) {
		tok = len(s.Tokens) - 1
	}
	return list.Item{Label: list.Shorten(label), Line: int(s.Tokens[tok].Line), Col: int(s.Tokens[tok].Col)}
}

func unquote(text string) string {
	if q := strings.IndexAny(text, "\"'`"); q > 0 && q < 4 && strings.Trim(text[:q], "rRbBfFuUtT@$#") == "" {
		text = text[q:]
	}
	if len(text) >= 6 && (strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''")) {
		return text[3 : len(text)-3]
	}
	if len(text) >= 2 && strings.IndexByte("\"'`", text[0]) >= 0 {
		text = text[1:]
		if end := text[len(text)-1]; strings.IndexByte("\"'`#", end) >= 0 {
			text = strings.TrimRight(text, "#")
			text = text[:len(text)-1]
		}
	}
	return text
}

func (s *scanner) finish() {
	for _, a := range s.late {
		if l := s.named[a.to]; l != nil {
			l.Items = append(l.Items, a.items...)
		}
	}
	sortLists(s.lists)
}
