package count

import (
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// body is a block of statements or a class while it is read.
type body struct {
	frame
	start   int // where the statement began
	calls   map[string]*List
	members map[ListKind]*List
}

func (s *scanner) statements(f frame) {
	b := &body{frame: f, start: f.lo, calls: map[string]*List{}, members: map[ListKind]*List{}}
	for i := f.lo; i < f.hi; {
		from := i
		i = s.statement(i, b)
		if i <= from {
			i = from + 1
		}
	}
}

// statement reads on from token i and gives where to continue.
func (s *scanner) statement(i int, b *body) int {
	t := s.Tokens[i]
	switch t.Kind {
	case Newline:
		b.start = i + 1
		return i + 1
	case OpenBracket:
		return s.opened(i, b)
	case Ident:
		if s.Is(i-1, ".") || s.Is(i+1, ":") && b.mode == classBody {
			return i + 1
		}
		return s.word(i, b)
	case Punct:
		if s.Is(i, ";") || s.Is(i, ",") {
			b.start = i + 1
		} else if s.Is(i, "=") && i > b.start {
			return s.assignment(i, b)
		}
		return s.Next(i)
	}
	return i + 1
}

// word reads what starts with a keyword or a name.
func (s *scanner) word(i int, b *body) int {
	word := s.At(i)
	if t := s.Tokens[i]; t.Fresh && !s.continues(i) {
		b.start = i
	}
	switch word {
	case "enum", "class", "interface", "struct", "trait", "impl", "namespace", "module", "record", "mod":
		if j, ok := s.declared(word, i, b); ok {
			return j
		}
	case "type":
		if j, ok := s.union(i, b); ok {
			return j
		}
	case "switch", "match":
		if j, ok := s.switched(i, b); ok {
			return j
		}
	case "function", "fn", "def":
		return s.function(i, b)
	case "import", "from", "require":
		for k := i; k < min(i+40, b.hi); k++ {
			if s.Kind(k) == String {
				s.imports = append(s.imports, Unquote(s.At(k)))
				break
			}
		}
	case "return", "default":
		if end := s.end(i+1, b); end > i+1 && !s.Open(i+1, "(") {
			name := b.c.Last()
			if word == "default" {
				name = "default"
			}
			if word != "default" || s.Is(i-1, "export") {
				if s.literal(name, i+1, end, b.c, nil) != nil {
					return end
				}
			}
		}
	}
	if j := s.callStatement(i, b); j > i {
		return j
	}
	return i + 1
}

// continues reports whether the line that starts at i continues with the one before.
func (s *scanner) continues(i int) bool {
	if i == 0 {
		return false
	}
	if s.Kind(i-1) == Punct && !s.Is(i-1, ";") && !s.Is(i-1, "++") && !s.Is(i-1, "--") && !s.Is(i-1, ">") {
		return true
	}
	return s.Kind(i) == Punct && !s.Is(i, "@") && !s.Is(i, "#")
}

// lineEnds reports whether the end of a line may end a statement of the language.
func (s *scanner) lineEnds() bool {
	return s.Lang != syntax.Rust && s.Lang != syntax.Java && s.Lang != syntax.CSharp
}

// end returns where the statement that goes on at i ends.
func (s *scanner) end(i int, b *body) int {
	for j := i; j < b.hi; j = s.Next(j) {
		switch s.Kind(j) {
		case Newline:
			return j
		case Punct:
			if s.Is(j, ";") || s.Is(j, ",") {
				return j
			}
		}
		if j > i && s.lineEnds() && s.Tokens[j].Fresh && s.Kind(j) != Close && s.Kind(j) != OpenBracket && !s.continues(j) {
			return j
		}
	}
	return b.hi
}

// opened looks at a bracket among statements.
func (s *scanner) opened(i int, b *body) int {
	end := s.After(i)
	switch {
	case s.Is(i, "{") && !s.Tokens[i].Elem:
		s.push(frame{i + 1, end, inStatements, s.blockOf(b.c)})
		b.start = end + 1
	case s.Is(i, "(") && s.nameBefore(i) >= 0:
		if j, ok := s.method(i, s.nameBefore(i), b); ok {
			return j
		}
		s.arguments(i, b.c.In(s.At(i-1)))
	default:
		s.bracket(i, b.frame)
	}
	return end + 1
}

// nameBefore returns the name before a parenthesis, type parameters between them passed
// over, or -1.
func (s *scanner) nameBefore(open int) int {
	i := open - 1
	if s.Is(i, ">") {
		for depth := 0; i > open-40 && i > 0; i-- {
			if s.Is(i, ">") {
				depth++
			} else if s.Is(i, "<") {
				if depth--; depth == 0 {
					i--
					break
				}
			}
		}
	}
	if s.Kind(i) != Ident {
		return -1
	}
	return i
}

// method reads a method without a keyword: name(…) {…}.
func (s *scanner) method(open, at int, b *body) (int, bool) {
	name := s.At(at)
	if control.Has(name) || s.Lang == syntax.Ruby || s.Among(at-1, ".", "@", "new") {
		return 0, false
	}
	if b.mode != classBody {
		return 0, false
	}
	i := s.After(open) + 1
	for i < b.hi && !s.Open(i, "{") && !s.Among(i, ";", "=", "=>") {
		if s.Tokens[i].Fresh && !s.continues(i) && !s.Is(i, "throws") {
			break
		}
		i = s.Next(i)
	}
	s.member(Methods, name, at, b)
	from := at // annotations are on lines of their own, too
	for from > b.lo && from > at-80 && !s.Among(from-1, ";", "}", "{") {
		from--
	}
	for _, w := range s.annotations(from, open) {
		if w == "Test" || w == "Fact" || w == "Theory" || w == "ParameterizedTest" {
			s.member(Tests, name, at, b)
		}
	}
	if s.Open(i, "{") {
		s.push(frame{i + 1, s.After(i), inStatements, s.blockOf(b.c.In(name))})
		b.start = s.Next(i)
		return s.Next(i), true
	}
	b.start = i
	return i, true
}

// annotations returns the names of @Name and [Name] in a range.
func (s *scanner) annotations(lo, hi int) []string {
	var out []string
	for i := max(lo, hi-80); i < hi; i++ {
		if s.Kind(i) == Ident && (s.Is(i-1, "@") || s.Is(i-1, "[")) {
			out = append(out, s.At(i))
		}
	}
	return out
}

var control = lazyregexp.Of("if for while switch catch with return function else do until unless using lock foreach synchronized " +
	"super match constructor_")

// member adds to the functions, methods or tests of a body.
func (s *scanner) member(kind ListKind, name string, at int, b *body) {
	l := b.members[kind]
	if l == nil {
		owner := b.c.Last()
		if owner == "" {
			owner = string(kind)
		}
		c := b.c
		if c.Name == owner && c.Up != nil {
			c = c.Up
		}
		l = s.list(kind, owner, c, at)
		b.members[kind] = l
	}
	l.Items = append(l.Items, s.Item(name, at))
}

// function reads function name(…) {…} and fn name<T>(…) -> T {…}.
func (s *scanner) function(i int, b *body) int {
	j := i + 1
	if s.Is(j, "*") {
		j++
	}
	if s.Kind(j) != Ident {
		return i + 1
	}
	name := s.At(j)
	if s.Lang == syntax.Ruby && s.Is(j+1, ".") {
		name, j = s.At(j+2), j+2
	}
	kind := Functions
	if b.mode == classBody {
		kind = Methods
	}
	if s.annotated(i) {
		s.member(Tests, name, j, b)
	}
	s.member(kind, name, j, b)
	for k := j; k < b.hi; k = s.Next(k) {
		if s.Is(k, ";") || s.Kind(k) == Newline {
			b.start = k + 1
			return k + 1
		}
		if s.Open(k, "{") && !s.Is(k-1, ":") && !s.Is(k-1, "<") {
			s.push(frame{k + 1, s.After(k), inStatements, s.blockOf(b.c.In(name))})
			b.start = s.Next(k)
			return s.Next(k)
		}
	}
	return b.hi
}

// annotated reports whether #[test] is before a function.
func (s *scanner) annotated(i int) bool {
	for k := i - 1; k > i-30 && k > 0; k-- {
		if s.Is(k, "}") || s.Is(k, ";") {
			return false
		}
		if s.Is(k, "test") && s.Kind(k) == Ident && (s.Is(k-1, "[") || s.Is(k-1, "::")) {
			return true
		}
	}
	return false
}

// assignment reads NAME = value.
func (s *scanner) assignment(i int, b *body) int {
	end := s.end(i+1, b)
	name, owner, words := s.target(b.start, i)
	if name == "" {
		return i + 1
	}
	c := b.c
	switch owner {
	case "", "this", "self", "module", "exports":
	default:
		if s.named[place{b.c.Block, owner}] != nil {
			c = c.In(owner)
		}
	}
	if s.isFunction(i+1, end) {
		kind := Functions
		if b.mode == classBody {
			kind = Methods
		}
		s.member(kind, name, i-1, b)
		s.push(frame{i + 1, end, expression, s.blockOf(b.c.In(name))})
		b.start = end
		return end
	}
	if l := s.literal(name, i+1, end, c, words); l != nil {
		s.named[place{b.c.Block, name}] = l
	} else {
		s.assigned(i+1, end, b)
		s.push(frame{i + 1, end, expression, c.In(name)})
	}
	b.start = end
	return end
}

func (s *scanner) isFunction(lo, hi int) bool {
	if s.Is(lo, "async") {
		lo++
	}
	if s.Is(lo, "<") {
		if p := s.Generic(lo, hi); p > 0 {
			lo = p
		}
	}
	if s.Is(lo, "function") {
		return true
	}
	if a := s.Find(lo, hi, "=>"); a > 0 && a < lo+12 && (s.Open(lo, "(") || a == lo+1) {
		return s.Lang != syntax.Rust && s.Lang != syntax.Ruby
	}
	return false
}

// target returns what is assigned to, what that belongs to, and the other words before =.
func (s *scanner) target(lo, eq int) (name, owner string, words []string) {
	if lo >= eq {
		return "", "", nil
	}
	words = s.Identifiers(lo, eq)
	stop := eq
	if colon := s.Find(lo, eq, ":"); colon > lo {
		stop = colon
	}
	for i := lo; i < stop; i++ { // destructuring: const [drinks, setDrinks] =
		if (s.Open(i, "[") || s.Open(i, "{")) && (s.Is(i-1, "const") || s.Is(i-1, "let") || s.Is(i-1, "var")) {
			return s.At(i + 1), "", words
		}
	}
	k := stop - 1
	if s.Kind(k) == Close { // X["evening"] =, const char *names[] =, type X<T> =
		open := int(s.Tokens[k].Match)
		if k == open+2 && s.Kind(open+1) == String {
			return Unquote(s.At(open + 1)), s.At(open - 1), words
		}
		k = open - 1
	}
	if k < lo || s.Kind(k) != Ident {
		return "", "", nil
	}
	if s.Is(k-1, ".") {
		owner = s.At(k - 2)
	}
	return s.At(k), owner, words
}
