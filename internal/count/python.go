package count

import (
	"strings"
)

// suite is an indented block of Python.
type suite struct {
	indent int32
	class  bool
	enum   bool
	b      *body
	match  *List
}

// python reads the lines of a module. Blocks are told by indentation, so all of it is
// one pass with a stack.
func (s *scanner) python() {
	s.blocks++
	stack := []suite{{indent: -1, b: s.bodyOf(&Scope{Block: s.blocks})}}
	var decorators [][2]int
	for lo := 0; lo < len(s.Tokens); {
		hi := lo
		for hi < len(s.Tokens) && s.Kind(hi) != Newline {
			hi = s.Next(hi)
		}
		if lo == hi {
			lo = hi + 1
			continue
		}
		indent := s.Tokens[lo].Col - 1
		for len(stack) > 1 && indent <= stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		if s.Is(lo, "@") {
			decorators = append(decorators, [2]int{lo + 1, hi})
		} else {
			if next, ok := s.pythonLine(lo, hi, indent, stack[len(stack)-1], decorators); ok && len(stack) < 200 {
				stack = append(stack, next)
			}
			decorators = nil
		}
		lo = hi + 1
	}
}

func (s *scanner) bodyOf(c *Scope) *body {
	return &body{frame: frame{0, len(s.Tokens), inStatements, c}, calls: map[string]*List{}, members: map[ListKind]*List{}}
}

func (s *scanner) pythonLine(lo, hi int, indent int32, at suite, decorators [][2]int) (suite, bool) {
	i := lo
	if s.Is(i, "async") {
		i++
	}
	switch s.At(i) {
	case "class":
		return s.pythonClass(i, hi, indent, at), true
	case "def":
		return s.pythonFunction(i, indent, at, decorators), true
	case "match":
		if s.Is(hi-1, ":") {
			l := s.list(Cases, at.b.c.Last(), at.b.c, i)
			l.Words = append(l.Words, s.Identifiers(i+1, hi)...)
			return suite{indent: indent, b: at.b, match: l}, true
		}
	case "case":
		if at.match != nil && s.Find(i, hi, ":") > 0 {
			end := s.Find(i, hi, ":")
			if !s.Is(i+1, "_") || end > i+2 {
				at.match.Items = append(at.match.Items, s.Item(Unquote(s.Range(i+1, end)), i))
			}
			return suite{indent: indent, b: at.b}, true
		}
	case "if", "for", "while", "with", "try", "else", "elif", "except", "finally":
		s.push(frame{i + 1, hi, expression, at.b.c})
		if s.Is(hi-1, ":") {
			s.blocks++
			c := at.b.c.In("")
			c.Block = s.blocks
			return suite{indent: indent, b: s.bodyOf(c)}, true
		}
		return suite{}, false
	case "import", "from":
		s.imports = append(s.imports, strings.ReplaceAll(s.At(i+1), ".", "/"))
		s.imports = append(s.imports, s.Identifiers(i+1, hi)...)
		return suite{}, false
	}
	s.pythonSimple(i, hi, at)
	return suite{}, false
}

func (s *scanner) pythonClass(i, hi int, indent int32, at suite) suite {
	name := s.At(i + 1)
	s.member(Types, name, i+1, at.b)
	c := at.b.c.In(name)
	s.blocks++
	c.Block = s.blocks
	next := suite{indent: indent, class: true, b: s.bodyOf(c)}
	for _, base := range s.Identifiers(i+2, hi) {
		if strings.HasSuffix(base, "Enum") || strings.HasSuffix(base, "Flag") || base == "TextChoices" || base == "IntegerChoices" {
			next.enum = true
		}
	}
	return next
}

func (s *scanner) pythonFunction(i int, indent int32, at suite, decorators [][2]int) suite {
	name := s.At(i + 1)
	kind := Functions
	if at.class {
		kind = Methods
	}
	// A function in a function is a detail of it; overloads and setters are the same one twice.
	if at.b.c.Name == "" && len(at.b.c.Path()) == 0 || at.class {
		if l := at.b.members[kind]; l == nil || len(l.Items) == 0 || l.Items[len(l.Items)-1].Label != name {
			s.member(kind, name, i+1, at.b)
			if strings.HasPrefix(name, "test") {
				s.member(Tests, name, i+1, at.b)
			}
		}
	}
	c := at.b.c.In(name)
	s.blocks++
	c.Block = s.blocks
	for _, d := range decorators {
		if open := s.Find(d[0], d[1], "("); open > 0 && s.Kind(open) == OpenBracket {
			s.arguments(open, c)
		}
		if s.Is(d[0], "app") || s.Is(d[0]+2, "route") || s.Is(d[0]+2, "get") || s.Is(d[0]+2, "post") {
			s.called(s.At(d[0])+" routes", s.At(d[0]), s.Range(d[0]+3, d[1]), d[0], at.b)
		}
	}
	return suite{indent: indent, b: s.bodyOf(c)}
}

// pythonSimple reads a statement of one logical line.
func (s *scanner) pythonSimple(lo, hi int, at suite) {
	b := at.b
	c := b.c
	if s.Is(lo, "return") || s.Is(lo, "yield") {
		if s.literal(c.Last(), lo+1, hi, c, nil) == nil {
			s.push(frame{lo + 1, hi, expression, c})
		}
		return
	}
	eq := s.Find(lo, hi, "=")
	if plus := s.Find(lo, hi, "+="); plus > 0 && eq < 0 {
		s.pythonAdd(lo, plus, hi, b)
		return
	}
	if eq > lo {
		s.pythonAssign(lo, eq, hi, at)
		return
	}
	if at.class && s.Is(lo+1, ":") && s.Kind(lo) == Ident {
		s.member(Fields, s.At(lo), lo, b)
		return
	}
	b.start = lo
	if s.callStatement(lo, b) == 0 {
		s.push(frame{lo, hi, expression, c})
	}
}

func (s *scanner) pythonAssign(lo, eq, hi int, at suite) {
	b := at.b
	name, owner, words := s.target(lo, eq)
	if name == "" {
		s.push(frame{eq + 1, hi, expression, b.c})
		return
	}
	if at.enum && !strings.HasPrefix(name, "_") {
		s.member(Enum, name, lo, b)
	} else if at.class {
		s.member(Fields, name, lo, b)
	}
	c := b.c
	if owner != "" && owner != "self" {
		c = c.In(owner)
		if to := (place{b.c.Block, owner}); s.named[to] != nil && s.Kind(eq-1) == Close {
			it := s.Item(name, lo)
			it.Key = true
			s.late = append(s.late, addition{to: to, items: []Item{it}})
		}
	}
	if l := s.literal(name, eq+1, hi, c, words); l != nil {
		if s.named[place{b.c.Block, name}] == nil || owner == "" {
			s.named[place{b.c.Block, name}] = l
		}
		return
	}
	s.assigned(eq+1, hi, b)
	s.push(frame{eq + 1, hi, expression, c.In(name)})
}

// pythonAdd reads NAME += [...].
func (s *scanner) pythonAdd(lo, plus, hi int, b *body) {
	name, _, _ := s.target(lo, plus)
	v, ok := s.Value(plus+1, hi, b.c.Below(name), 0)
	to := place{b.c.Block, name}
	if !ok || s.named[to] == nil {
		s.push(frame{plus + 1, hi, expression, b.c.In(name)})
		return
	}
	s.late = append(s.late, addition{to: to, items: v.Items})
	for _, f := range v.Children {
		s.push(frame{f.Lo, f.Hi, expression, f.C})
	}
}
