package count

import (
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// body is a block of statements or a class that is being read.
type body struct {
	frame
	start   int // start of the current statement
	calls   map[string]*List
	members map[ListKind]*List
}

func (s *scanner) scanStatements(f frame) {
	b := &body{frame: f, start: f.lo, calls: map[string]*List{}, members: map[ListKind]*List{}}
	for i := f.lo; i < f.hi; {
		from := i
		i = s.readStatement(i, b)
		if i <= from {
			i = from + 1
		}
	}
}

// readStatement reads from token i, and returns where to continue.
func (s *scanner) readStatement(i int, b *body) int {
	t := s.Tokens[i]
	switch t.Kind {
	case Newline:
		b.start = i + 1
		return i + 1
	case OpenBracket:
		return s.readBracket(i, b)
	case Ident:
		if s.Is(i-1, ".") || s.Is(i+1, ":") && b.mode == classBody {
			return i + 1
		}
		return s.readWord(i, b)
	case Punct:
		if s.Is(i, ";") || s.Is(i, ",") {
			b.start = i + 1
		} else if s.Is(i, "=") && i > b.start {
			return s.readAssignment(i, b)
		}
		return s.Next(i)
	}
	return i + 1
}

// readWord reads what begins with a keyword or a name.
func (s *scanner) readWord(i int, b *body) int {
	word := s.At(i)
	if t := s.Tokens[i]; t.Fresh && !s.continuesLine(i) {
		b.start = i
	}
	switch word {
	case "enum", "class", "interface", "struct", "trait", "impl", "namespace", "module", "record", "mod":
		if j, ok := s.readDeclaration(word, i, b); ok {
			return j
		}
	case "type":
		if j, ok := s.readUnion(i, b); ok {
			return j
		}
	case "switch", "match":
		if j, ok := s.readSwitch(i, b); ok {
			return j
		}
	case "function", "fn", "def":
		return s.readFunction(i, b)
	case "import", "from", "require":
		for k := i; k < min(i+40, b.hi); k++ {
			if s.Kind(k) == String {
				s.imports = append(s.imports, Unquote(s.At(k)))
				break
			}
		}
	case "return", "default":
		if end := s.statementEnd(i+1, b); end > i+1 && !s.IsOpen(i+1, "(") {
			name := b.scope.InnermostName()
			if word == "default" {
				name = "default"
			}
			if word != "default" || s.Is(i-1, "export") {
				if s.addLiteral(name, i+1, end, b.scope, nil) != nil {
					return end
				}
			}
		}
	}
	if j := s.readCallStatement(i, b); j > i {
		return j
	}
	return i + 1
}

// continuesLine reports whether the line that starts at i continues the one before.
func (s *scanner) continuesLine(i int) bool {
	if i == 0 {
		return false
	}
	if s.Kind(i-1) == Punct && !s.Is(i-1, ";") && !s.Is(i-1, "++") && !s.Is(i-1, "--") && !s.Is(i-1, ">") {
		return true
	}
	return s.Kind(i) == Punct && !s.Is(i, "@") && !s.Is(i, "#")
}

// linesEndStatements reports whether a line end can end a statement of the language.
func (s *scanner) linesEndStatements() bool {
	return s.Lang != syntax.Rust && s.Lang != syntax.Java && s.Lang != syntax.CSharp
}

// statementEnd returns the end of the statement that continues at i.
func (s *scanner) statementEnd(i int, b *body) int {
	for j := i; j < b.hi; j = s.Next(j) {
		switch s.Kind(j) {
		case Newline:
			return j
		case Punct:
			if s.Is(j, ";") || s.Is(j, ",") {
				return j
			}
		}
		if j > i && s.linesEndStatements() && s.Tokens[j].Fresh && s.Kind(j) != Close && s.Kind(j) != OpenBracket && !s.continuesLine(j) {
			return j
		}
	}
	return b.hi
}

// readBracket reads a bracket among statements.
func (s *scanner) readBracket(i int, b *body) int {
	end := s.CloseOf(i)
	switch {
	case s.Is(i, "{") && !s.Tokens[i].Elem:
		s.push(frame{i + 1, end, inStatements, s.blockOf(b.scope)})
		b.start = end + 1
	case s.Is(i, "(") && s.nameBefore(i) >= 0:
		if j, ok := s.readMethod(i, s.nameBefore(i), b); ok {
			return j
		}
		s.scanArguments(i, b.scope.In(s.At(i-1)))
	default:
		s.scanBracket(i, b.frame)
	}
	return end + 1
}

// nameBefore returns the name before a parenthesis, skipping type parameters between them, or -1.
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

// readMethod reads a method without a keyword: name(…) {…}.
func (s *scanner) readMethod(open, at int, b *body) (int, bool) {
	name := s.At(at)
	if controlWords.Has(name) || s.Lang == syntax.Ruby || s.IsOneOf(at-1, ".", "@", "new") {
		return 0, false
	}
	if b.mode != classBody {
		return 0, false
	}
	i := s.CloseOf(open) + 1
	for i < b.hi && !s.IsOpen(i, "{") && !s.IsOneOf(i, ";", "=", "=>") {
		if s.Tokens[i].Fresh && !s.continuesLine(i) && !s.Is(i, "throws") {
			break
		}
		i = s.Next(i)
	}
	s.addMember(Methods, name, at, b)
	from := at // annotations can be on lines before
	for from > b.lo && from > at-80 && !s.IsOneOf(from-1, ";", "}", "{") {
		from--
	}
	for _, w := range s.annotationNames(from, open) {
		if w == "Test" || w == "Fact" || w == "Theory" || w == "ParameterizedTest" {
			s.addMember(Tests, name, at, b)
		}
	}
	if s.IsOpen(i, "{") {
		s.push(frame{i + 1, s.CloseOf(i), inStatements, s.blockOf(b.scope.In(name))})
		b.start = s.Next(i)
		return s.Next(i), true
	}
	b.start = i
	return i, true
}

// annotationNames returns the names of @Name and [Name] in a range.
func (s *scanner) annotationNames(lo, hi int) []string {
	var out []string
	for i := max(lo, hi-80); i < hi; i++ {
		if s.Kind(i) == Ident && (s.Is(i-1, "@") || s.Is(i-1, "[")) {
			out = append(out, s.At(i))
		}
	}
	return out
}

var controlWords = lazyregexp.Of("if for while switch catch with return function else do until unless using lock foreach synchronized " +
	"super match constructor_")

// addMember adds a function, method or test to those of a body.
func (s *scanner) addMember(kind ListKind, name string, at int, b *body) {
	l := b.members[kind]
	if l == nil {
		owner := b.scope.InnermostName()
		if owner == "" {
			owner = string(kind)
		}
		c := b.scope
		if c.Name == owner && c.Up != nil {
			c = c.Up
		}
		l = s.addList(kind, owner, c, at)
		b.members[kind] = l
	}
	l.Items = append(l.Items, s.NewItem(name, at))
}

// readFunction reads function name(…) {…} and fn name<T>(…) -> T {…}.
func (s *scanner) readFunction(i int, b *body) int {
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
	if s.hasTestAttribute(i) {
		s.addMember(Tests, name, j, b)
	}
	s.addMember(kind, name, j, b)
	for k := j; k < b.hi; k = s.Next(k) {
		if s.Is(k, ";") || s.Kind(k) == Newline {
			b.start = k + 1
			return k + 1
		}
		if s.IsOpen(k, "{") && !s.Is(k-1, ":") && !s.Is(k-1, "<") {
			s.push(frame{k + 1, s.CloseOf(k), inStatements, s.blockOf(b.scope.In(name))})
			b.start = s.Next(k)
			return s.Next(k)
		}
	}
	return b.hi
}

// hasTestAttribute reports whether #[test] is before a function.
func (s *scanner) hasTestAttribute(i int) bool {
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

// readAssignment reads NAME = value.
func (s *scanner) readAssignment(i int, b *body) int {
	end := s.statementEnd(i+1, b)
	name, owner, words := s.assignmentTarget(b.start, i)
	if name == "" {
		return i + 1
	}
	c := b.scope
	switch owner {
	case "", "this", "self", "module", "exports":
	default:
		if s.definitions[place{b.scope.Block, owner}] != nil {
			c = c.In(owner)
		}
	}
	if s.isFunction(i+1, end) {
		kind := Functions
		if b.mode == classBody {
			kind = Methods
		}
		s.addMember(kind, name, i-1, b)
		s.push(frame{i + 1, end, expression, s.blockOf(b.scope.In(name))})
		b.start = end
		return end
	}
	if l := s.addLiteral(name, i+1, end, c, words); l != nil {
		s.definitions[place{b.scope.Block, name}] = l
	} else {
		s.addAssignedCall(i+1, end, b)
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
		if p := s.AfterGenerics(lo, hi); p > 0 {
			lo = p
		}
	}
	if s.Is(lo, "function") {
		return true
	}
	if a := s.Find(lo, hi, "=>"); a > 0 && a < lo+12 && (s.IsOpen(lo, "(") || a == lo+1) {
		return s.Lang != syntax.Rust && s.Lang != syntax.Ruby
	}
	return false
}

// assignmentTarget returns the name that is assigned to, its owner, and the other words before =.
func (s *scanner) assignmentTarget(lo, eq int) (name, owner string, words []string) {
	if lo >= eq {
		return "", "", nil
	}
	words = s.Identifiers(lo, eq)
	stop := eq
	if colon := s.Find(lo, eq, ":"); colon > lo {
		stop = colon
	}
	for i := lo; i < stop; i++ { // destructuring: const [drinks, setDrinks] =
		if (s.IsOpen(i, "[") || s.IsOpen(i, "{")) && (s.Is(i-1, "const") || s.Is(i-1, "let") || s.Is(i-1, "var")) {
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
