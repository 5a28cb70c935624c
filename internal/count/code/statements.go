package code

import (
	"strings"

	"github.com/belay-dev/belay/internal/count/lex"
	"github.com/belay-dev/belay/internal/count/list"
)

// body is a block of statements or a class while it is read.
type body struct {
	frame
	start   int // where the statement began
	calls   map[string]*list.List
	members map[list.Kind]*list.List
}

func (s *scanner) statements(f frame) {
	b := &body{frame: f, start: f.lo, calls: map[string]*list.List{}, members: map[list.Kind]*list.List{}}
	for i := f.lo; i < f.hi; {
		from := i
		i = s.statement(i, b)
		if i <= from {
			i = from + 1
		}
	}
}

// statement reads on from token i and gives where to go on.
func (s *scanner) statement(i int, b *body) int {
	t := s.Tokens[i]
	switch t.Kind {
	case lex.Newline:
		b.start = i + 1
		return i + 1
	case lex.Open:
		return s.opened(i, b)
	case lex.Ident:
		if s.Is(i-1, ".") || s.Is(i+1, ":") && b.mode == classBody {
			return i + 1
		}
		return s.word(i, b)
	case lex.Punct:
		if s.Is(i, ";") || s.Is(i, ",") {
			b.start = i + 1
		} else if s.Is(i, "=") && i > b.start {
			return s.assignment(i, b)
		}
		return s.next(i)
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
			if s.kind(k) == lex.String {
				s.imports = append(s.imports, unquote(s.At(k)))
				break
			}
		}
	case "return", "default":
		if end := s.end(i+1, b); end > i+1 && !s.open(i+1, "(") {
			name := b.c.last()
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

func (c *scope) last() string {
	for ; c != nil; c = c.up {
		if c.name != "" {
			return c.name
		}
	}
	return ""
}

// continues tells whether the line that starts at i goes on with the one before.
func (s *scanner) continues(i int) bool {
	if i == 0 {
		return false
	}
	if s.kind(i-1) == lex.Punct && !s.Is(i-1, ";") && !s.Is(i-1, "++") && !s.Is(i-1, "--") && !s.Is(i-1, ">") {
		return true
	}
	return s.kind(i) == lex.Punct && !s.Is(i, "@") && !s.Is(i, "#")
}

// end gives where the statement that goes on at i ends.
func (s *scanner) end(i int, b *body) int {
	for j := i; j < b.hi; j = s.next(j) {
		switch s.kind(j) {
		case lex.Newline:
			return j
		case lex.Punct:
			if s.Is(j, ";") || s.Is(j, ",") {
				return j
			}
		}
		if j > i && s.Tokens[j].Fresh && s.kind(j) != lex.Close && !s.continues(j) && s.kind(j) != lex.Open && s.lang != Rust && s.lang != Java && s.lang != CSharp {
			return j
		}
	}
	return b.hi
}

// opened looks at a bracket among statements.
func (s *scanner) opened(i int, b *body) int {
	end := s.after(i)
	switch {
	case s.Is(i, "{") && !s.Tokens[i].Elem:
		s.push(frame{i + 1, end, statements, s.blockOf(s.header(i, b))})
		b.start = end + 1
	case s.Is(i, "(") && s.kind(i-1) == lex.Ident:
		if j, ok := s.method2(i, b); ok {
			return j
		}
		s.arguments(i, b.c.in(s.At(i-1)))
	default:
		s.bracket(i, b.frame)
	}
	return end + 1
}

// header gives the scope of a block that has no name of its own.
func (s *scanner) header(i int, b *body) *scope { return b.c }

// method2 reads a method or function without a keyword: name(…) {…}.
func (s *scanner) method2(open int, b *body) (int, bool) {
	name := s.At(open - 1)
	if control[name] || s.lang == Ruby || s.Is(open-2, ".") || s.Is(open-2, "new") {
		return 0, false
	}
	if b.mode != classBody {
		return 0, false
	}
	i := s.after(open) + 1
	for i < b.hi && !s.open(i, "{") && !s.Is(i, ";") && !s.Is(i, "=") && !s.Is(i, "=>") {
		if s.Tokens[i].Fresh && !s.continues(i) && !s.Is(i, "throws") {
			break
		}
		i = s.next(i)
	}
	s.member(list.Methods, name, open-1, b)
	for _, w := range s.annotations(b.start, open) {
		if w == "Test" || w == "Fact" || w == "Theory" || w == "ParameterizedTest" {
			s.member(list.Tests, name, open-1, b)
		}
	}
	if s.open(i, "{") {
		s.push(frame{i + 1, s.after(i), statements, s.blockOf(b.c.in(name))})
		b.start = s.next(i)
		return s.next(i), true
	}
	b.start = i
	return i, true
}

// annotations gives the names of @Name and [Name] in a range.
func (s *scanner) annotations(lo, hi int) []string {
	var out []string
	for i := max(lo, hi-80); i < hi; i++ {
		if s.kind(i) == lex.Ident && (s.Is(i-1, "@") || s.Is(i-1, "[")) {
			out = append(out, s.At(i))
		}
	}
	return out
}

var control = words("if for while switch catch with return function else do until unless using lock foreach synchronized super match constructor_")

// member adds to the functions, methods or tests of a body.
func (s *scanner) member(kind list.Kind, name string, at int, b *body) {
	l := b.members[kind]
	if l == nil {
		owner := b.c.last()
		if owner == "" {
			owner = string(kind)
		}
		c := b.c
		if c.name == owner && c.up != nil {
			c = c.up
		}
		l = s.list(kind, owner, c, at)
		b.members[kind] = l
	}
	l.Items = append(l.Items, s.item(name, at))
}

// function reads function name(…) {…} and fn name<T>(…) -> T {…}.
func (s *scanner) function(i int, b *body) int {
	j := i + 1
	if s.Is(j, "*") {
		j++
	}
	if s.kind(j) != lex.Ident {
		return i + 1
	}
	name := s.At(j)
	if s.lang == Ruby && s.Is(j+1, ".") {
		name, j = s.At(j+2), j+2
	}
	kind := list.Functions
	if b.mode == classBody {
		kind = list.Methods
	}
	if s.annotated(i) {
		s.member(list.Tests, name, j, b)
	}
	s.member(kind, name, j, b)
	for k := j; k < b.hi; k = s.next(k) {
		if s.Is(k, ";") || s.kind(k) == lex.Newline {
			b.start = k + 1
			return k + 1
		}
		if s.open(k, "{") && !s.Is(k-1, ":") && !s.Is(k-1, "<") {
			s.push(frame{k + 1, s.after(k), statements, s.blockOf(b.c.in(name))})
			b.start = s.next(k)
			return s.next(k)
		}
	}
	return b.hi
}

// annotated tells whether #[test] stands before a function.
func (s *scanner) annotated(i int) bool {
	for k := i - 1; k > i-30 && k > 0; k-- {
		if s.Is(k, "}") || s.Is(k, ";") {
			return false
		}
		if s.Is(k, "test") && s.kind(k) == lex.Ident && (s.Is(k-1, "[") || s.Is(k-1, "::")) {
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
	if owner != "" && owner != "this" && owner != "self" && owner != "module" && owner != "exports" && s.named[place{b.c.block, owner}] != nil {
		c = c.in(owner)
	}
	if s.isFunction(i+1, end) {
		kind := list.Functions
		if b.mode == classBody {
			kind = list.Methods
		}
		s.member(kind, name, i-1, b)
		s.push(frame{i + 1, end, expression, s.blockOf(b.c.in(name))})
		b.start = end
		return end
	}
	if l := s.literal(name, i+1, end, c, words); l != nil {
		s.named[place{b.c.block, name}] = l
	} else {
		s.push(frame{i + 1, end, expression, c.in(name)})
	}
	b.start = end
	return end
}

func (s *scanner) isFunction(lo, hi int) bool {
	if s.Is(lo, "async") {
		lo++
	}
	if s.Is(lo, "<") {
		if p := s.generic(lo, hi); p > 0 {
			lo = p
		}
	}
	if s.Is(lo, "function") {
		return true
	}
	if a := s.find(lo, hi, "=>"); a > 0 && a < lo+12 && (s.open(lo, "(") || a == lo+1) {
		return s.lang != Rust && s.lang != Ruby
	}
	return false
}

// target gives what is assigned to, what that belongs to, and the other words before =.
func (s *scanner) target(lo, eq int) (name, owner string, words []string) {
	if lo >= eq {
		return "", "", nil
	}
	words = s.identifiers(lo, eq)
	stop := eq
	if colon := s.find(lo, eq, ":"); colon > lo {
		stop = colon
	}
	for i := lo; i < stop; i++ { // destructuring: const [drinks, setDrinks] =
		if (s.open(i, "[") || s.open(i, "{")) && (s.Is(i-1, "const") || s.Is(i-1, "let") || s.Is(i-1, "var")) {
			return s.At(i + 1), "", words
		}
	}
	k := stop - 1
	if s.kind(k) == lex.Close { // X["evening"] =, const char *names[] =, type X<T> =
		open := int(s.Tokens[k].Match)
		if k == open+2 && s.kind(open+1) == lex.String {
			return unquote(s.At(open + 1)), s.At(open - 1), words
		}
		k = open - 1
	}
	if k < lo || s.kind(k) != lex.Ident {
		return "", "", nil
	}
	if s.Is(k-1, ".") {
		owner = s.At(k - 2)
	}
	return s.At(k), owner, words
}

// adding are methods that add to what they are called on: how many each argument adds.
var adding = words("push append add unshift add_all extend addAll insert push_back")

// callStatement reads f(…) and a.b(…).c(…) where a statement starts.
func (s *scanner) callStatement(i int, b *body) int {
	if i != b.start && !(i == b.start+1 && s.Is(b.start, "await")) {
		return 0
	}
	j, owner := i, ""
	for s.kind(j) == lex.Ident && s.Is(j+1, ".") && s.kind(j+2) == lex.Ident {
		owner = s.At(j)
		j += 2
	}
	name := s.At(j)
	if s.Is(j+1, "!") && s.lang == Rust {
		j++
	}
	if s.kind(j+1) == lex.String && s.lang == Ruby {
		s.called(name, owner, unquote(s.At(j+1)), i, b)
		return j + 1
	}
	if !s.open(j+1, "(") || control[name] {
		return 0
	}
	if b.mode == classBody {
		return 0
	}
	if adding[name] && owner != "" && s.adds(owner, name, j+1, b) {
		return s.next(j + 1)
	}
	s.chained(i, j, owner, b)
	return s.afterChain(j+1, b)
}

// chained notes each call of a chain, and looks into what they are given.
func (s *scanner) chained(i, j int, owner string, b *body) {
	for n := 0; s.open(j+1, "("); n++ {
		label := ""
		if s.kind(j+2) == lex.String {
			label = unquote(s.At(j + 2))
		} else {
			label = s.Range(j+2, min(s.after(j+1), j+20))
		}
		name := s.At(j)
		s.called(name, owner, label, j, b)
		s.arguments(j+1, b.c.in(label))
		next := s.after(j+1) + 1
		if !s.Is(next, ".") || s.kind(next+1) != lex.Ident || next >= b.hi {
			return
		}
		j = next + 1
	}
}

func (s *scanner) afterChain(open int, b *body) int {
	i := s.next(open)
	for i+2 < b.hi && s.Is(i, ".") && s.open(i+2, "(") {
		i = s.next(i + 2)
	}
	return i
}

var verbs = words("get post put patch delete all use options head")

// called notes a call among the others of its block.
func (s *scanner) called(name, owner, label string, at int, b *body) {
	kind, key := list.Calls, owner+"."+name
	base, _, _ := strings.Cut(owner, ".")
	switch {
	case (name == "it" || name == "test" || name == "specify") || (base == "it" || base == "test") && (name == "only" || name == "skip" || name == "each"):
		kind, key, name = list.Tests, "it", "it"
	case verbs[name] && owner != "":
		label, key, name = name+" "+label, owner+" routes", owner
	}
	l := b.calls[key]
	if l == nil {
		l = s.list(kind, name, b.c, at)
		l.Words = append(l.Words, owner)
		if strings.HasSuffix(key, " routes") {
			l.Words = append(l.Words, "route", "endpoint")
		}
		b.calls[key] = l
	}
	l.Items = append(l.Items, s.item(label, at))
}

// adds reads X.push(a, b), when X is defined in the same block.
func (s *scanner) adds(owner, name string, open int, b *body) bool {
	to := place{b.c.block, owner}
	if s.named[to] == nil {
		return false
	}
	a := addition{to: to}
	args := s.split(open+1, s.after(open), ",")
	for n, r := range args {
		if r[0] >= r[1] {
			continue
		}
		if name == "insert" && n == 0 && len(args) == 2 {
			continue
		}
		if v, ok := s.spread(r[0], r[1], b.c); ok {
			a.items = append(a.items, v.items...)
		} else if name == "extend" || name == "addAll" {
			v, ok := s.value(r[0], r[1], b.c.below(owner), 0)
			if !ok {
				it := s.item(s.Range(r[0], r[1]), r[0])
				it.Open = true
				v.items = []list.Item{it}
			}
			a.items = append(a.items, v.items...)
		} else {
			a.items = append(a.items, s.label(r[0], r[1]))
		}
		s.push(frame{r[0], r[1], expression, b.c.in(owner)})
	}
	s.late = append(s.late, a)
	return true
}
