package count

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Scope is the context of a definition: the functions, types and lists around it.
type Scope struct {
	Up    *Scope
	Name  string
	Depth int // lists around it
	Block int // number of its block of statements
	Words []string
}

func (c *Scope) In(name string) *Scope {
	return &Scope{Up: c, Name: name, Depth: c.Depth, Block: c.Block, Words: c.Words}
}

func (c *Scope) Below(name string) *Scope {
	d := c.In(name)
	d.Depth++
	return d
}

func (c *Scope) Path() []string {
	var p []string
	for ; c != nil && len(p) < 8; c = c.Up {
		if c.Name != "" {
			p = append([]string{c.Name}, p...)
		}
	}
	return p
}

// Reader navigates the tokens of one source.
type Reader struct {
	Src    string
	Tokens []Token
	Lang   syntax.Language
}

// At returns the text of token i, "" if i is out of range.
func (s *Reader) At(i int) string {
	if i < 0 || i >= len(s.Tokens) {
		return ""
	}
	t := s.Tokens[i]
	return s.Src[t.Off:t.End]
}

// Is reports whether token i has this text.
func (s *Reader) Is(i int, text string) bool {
	if i < 0 || i >= len(s.Tokens) {
		return false
	}
	t := s.Tokens[i]
	return s.Src[t.Off:t.End] == text
}

// IsOneOf reports whether token i has one of these texts.
func (s *Reader) IsOneOf(i int, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return s.Is(i, text) })
}

// Range returns the source of the tokens from lo to hi, without hi.
func (s *Reader) Range(lo, hi int) string {
	if lo < 0 || lo >= hi || hi > len(s.Tokens) {
		return ""
	}
	return s.Src[s.Tokens[lo].Off:s.Tokens[hi-1].End]
}

// Next returns the token after i on the same level.
func (s *Reader) Next(i int) int {
	if t := s.Tokens[i]; t.Kind == OpenBracket && int(t.Match) > i {
		return int(t.Match) + 1
	}
	if s.Is(i, "<") {
		return s.afterTypeArguments(i)
	}
	return i + 1
}

var generics = []syntax.Language{syntax.TypeScript, syntax.TSX, syntax.Rust, syntax.Java, syntax.Kotlin, syntax.CSharp}

// afterTypeArguments returns the token behind <A, B>, or behind < if that is a comparison.
func (s *Reader) afterTypeArguments(i int) int {
	if !slices.Contains(generics, s.Lang) || i == 0 || i+1 >= len(s.Tokens) {
		return i + 1
	}
	if s.Kind(i-1) == Ident && s.Tokens[i-1].End != s.Tokens[i].Off {
		return i + 1
	}
	depth := 0
	for k := i; k < len(s.Tokens) && k < i+80; k++ {
		switch t := s.Tokens[k]; {
		case t.Kind == OpenBracket:
			k = int(t.Match)
		case t.Kind == Close || s.Is(k, ";") || s.Is(k, "&&") || s.Is(k, "||"):
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

// Prev returns the token before i on the same level; for a closing bracket, its opening one.
func (s *Reader) Prev(i int) int {
	i--
	if i >= 0 && s.Tokens[i].Kind == Close {
		return int(s.Tokens[i].Match)
	}
	return i
}

func (s *Reader) Kind(i int) Kind {
	if i < 0 || i >= len(s.Tokens) {
		return Punct
	}
	return s.Tokens[i].Kind
}

func (s *Reader) IsOpen(i int, bracket string) bool {
	return s.Kind(i) == OpenBracket && !s.Tokens[i].Elem && s.Is(i, bracket)
}

// CloseOf returns the index of the bracket that closes the one at i.
func (s *Reader) CloseOf(i int) int { return int(s.Tokens[i].Match) }

// Split returns the ranges between separators on the level of lo.
func (s *Reader) Split(lo, hi int, seps ...string) [][2]int {
	var out [][2]int
	from := lo
	for i := lo; i < hi; i = s.Next(i) {
		if k := s.Kind(i); k != Punct && k != Ident {
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

// Find returns the first token with this text on the level of lo, or -1.
func (s *Reader) Find(lo, hi int, text string) int {
	for i := lo; i < hi; i = s.Next(i) {
		if s.Is(i, text) && s.Kind(i) != String {
			return i
		}
	}
	return -1
}

func (s *Reader) NewItem(label string, tok int) Item {
	if tok >= len(s.Tokens) {
		tok = len(s.Tokens) - 1
	}
	return Item{Label: Shorten(label), Line: int(s.Tokens[tok].Line), Col: int(s.Tokens[tok].Col)}
}

// unknownItem returns an item for a range with an unknown number of items.
func (s *Reader) unknownItem(lo, hi int) Item {
	it := s.NewItem(s.Range(lo, hi), lo)
	it.Unknown = true
	return it
}

func Unquote(text string) string {
	if q := strings.IndexAny(text, "\"'`"); q > 0 && q < 4 && strings.Trim(text[:q], "rRbBfFuUtT@$#") == "" {
		text = text[q:]
	}
	if len(text) >= 6 && (strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''")) {
		return text[3 : len(text)-3]
	}
	if len(text) >= 2 && strings.IndexByte("\"'`", text[0]) >= 0 {
		text = text[1:]
		if bare := strings.TrimRight(text, "#"); bare != "" && strings.IndexByte("\"'`", bare[len(bare)-1]) >= 0 {
			text = bare[:len(bare)-1]
		}
	}
	return text
}

// Child is a range of tokens in a list, to be searched for more lists.
type Child struct {
	Lo, Hi int
	Scope  *Scope
}

// InnermostName returns the name of the innermost named scope.
func (c *Scope) InnermostName() string {
	for ; c != nil; c = c.Up {
		if c.Name != "" {
			return c.Name
		}
	}
	return ""
}
