package count

import (
	"strings"
)

// suite is an indented block of Python.
type suite struct {
	indent int32
	class  bool
	enum   bool
	body   *body
	match  *List
}

// scanPython reads the lines of a module, in one pass with a stack of indented blocks.
func (s *scanner) scanPython() {
	s.blocks++
	stack := []suite{{indent: -1, body: s.bodyOf(&Scope{Block: s.blocks})}}
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
			if next, ok := s.readPythonLine(lo, hi, indent, stack[len(stack)-1], decorators); ok && len(stack) < 200 {
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

func (s *scanner) readPythonLine(lo, hi int, indent int32, at suite, decorators [][2]int) (suite, bool) {
	i := lo
	if s.Is(i, "async") {
		i++
	}
	switch s.At(i) {
	case "class":
		return s.readPythonClass(i, hi, indent, at), true
	case "def":
		return s.readPythonFunction(i, indent, at, decorators), true
	case "match":
		if s.Is(hi-1, ":") {
			l := s.addList(Cases, at.body.scope.InnermostName(), at.body.scope, i)
			l.Words = append(l.Words, s.Identifiers(i+1, hi)...)
			return suite{indent: indent, body: at.body, match: l}, true
		}
	case "case":
		if at.match != nil && s.Find(i, hi, ":") > 0 {
			end := s.Find(i, hi, ":")
			if !s.Is(i+1, "_") || end > i+2 {
				at.match.Items = append(at.match.Items, s.NewItem(Unquote(s.Range(i+1, end)), i))
			}
			return suite{indent: indent, body: at.body}, true
		}
	case "if", "for", "while", "with", "try", "else", "elif", "except", "finally":
		s.push(frame{i + 1, hi, expression, at.body.scope})
		if s.Is(hi-1, ":") {
			s.blocks++
			c := at.body.scope.In("")
			c.Block = s.blocks
			return suite{indent: indent, body: s.bodyOf(c)}, true
		}
		return suite{}, false
	case "import", "from":
		s.imports = append(s.imports, strings.ReplaceAll(s.At(i+1), ".", "/"))
		s.imports = append(s.imports, s.Identifiers(i+1, hi)...)
		return suite{}, false
	}
	s.readPythonSimple(i, hi, at)
	return suite{}, false
}

func (s *scanner) readPythonClass(i, hi int, indent int32, at suite) suite {
	name := s.At(i + 1)
	s.addMember(Types, name, i+1, at.body)
	c := at.body.scope.In(name)
	s.blocks++
	c.Block = s.blocks
	next := suite{indent: indent, class: true, body: s.bodyOf(c)}
	for _, base := range s.Identifiers(i+2, hi) {
		if strings.HasSuffix(base, "Enum") || strings.HasSuffix(base, "Flag") || base == "TextChoices" || base == "IntegerChoices" {
			next.enum = true
		}
	}
	return next
}

func (s *scanner) readPythonFunction(i int, indent int32, at suite, decorators [][2]int) suite {
	name := s.At(i + 1)
	kind := Functions
	if at.class {
		kind = Methods
	}
	// A nested function is a detail of the outer one; overloads and setters repeat the same name.
	if at.body.scope.Name == "" && len(at.body.scope.Path()) == 0 || at.class {
		if l := at.body.members[kind]; l == nil || len(l.Items) == 0 || l.Items[len(l.Items)-1].Label != name {
			s.addMember(kind, name, i+1, at.body)
			if strings.HasPrefix(name, "test") {
				s.addMember(Tests, name, i+1, at.body)
			}
		}
	}
	c := at.body.scope.In(name)
	s.blocks++
	c.Block = s.blocks
	for _, d := range decorators {
		if open := s.Find(d[0], d[1], "("); open > 0 && s.Kind(open) == OpenBracket {
			s.scanArguments(open, c)
		}
		if s.Is(d[0], "app") || s.Is(d[0]+2, "route") || s.Is(d[0]+2, "get") || s.Is(d[0]+2, "post") {
			s.addCall(s.At(d[0])+" routes", s.At(d[0]), s.Range(d[0]+3, d[1]), d[0], at.body)
		}
	}
	return suite{indent: indent, body: s.bodyOf(c)}
}

// readPythonSimple reads a statement on one logical line.
func (s *scanner) readPythonSimple(lo, hi int, at suite) {
	b := at.body
	c := b.scope
	if s.Is(lo, "return") || s.Is(lo, "yield") {
		if s.addLiteral(c.InnermostName(), lo+1, hi, c, nil) == nil {
			s.push(frame{lo + 1, hi, expression, c})
		}
		return
	}
	eq := s.Find(lo, hi, "=")
	if plus := s.Find(lo, hi, "+="); plus > 0 && eq < 0 {
		s.readPythonAdd(lo, plus, hi, b)
		return
	}
	if eq > lo {
		s.readPythonAssign(lo, eq, hi, at)
		return
	}
	if at.class && s.Is(lo+1, ":") && s.Kind(lo) == Ident {
		s.addMember(Fields, s.At(lo), lo, b)
		return
	}
	b.start = lo
	if s.readCallStatement(lo, b) == 0 {
		s.push(frame{lo, hi, expression, c})
	}
}

func (s *scanner) readPythonAssign(lo, eq, hi int, at suite) {
	b := at.body
	name, owner, words := s.assignmentTarget(lo, eq)
	if name == "" {
		s.push(frame{eq + 1, hi, expression, b.scope})
		return
	}
	if at.enum && !strings.HasPrefix(name, "_") {
		s.addMember(Enum, name, lo, b)
	} else if at.class {
		s.addMember(Fields, name, lo, b)
	}
	c := b.scope
	if owner != "" && owner != "self" {
		c = c.In(owner)
		if to := (place{b.scope.Block, owner}); s.definitions[to] != nil && s.Kind(eq-1) == Close {
			it := s.NewItem(name, lo)
			it.IsKey = true
			s.additions = append(s.additions, addition{to: to, items: []Item{it}})
		}
	}
	if l := s.addLiteral(name, eq+1, hi, c, words); l != nil {
		if s.definitions[place{b.scope.Block, name}] == nil || owner == "" {
			s.definitions[place{b.scope.Block, name}] = l
		}
		return
	}
	s.addAssignedCall(eq+1, hi, b)
	s.push(frame{eq + 1, hi, expression, c.In(name)})
}

// readPythonAdd reads NAME += [...].
func (s *scanner) readPythonAdd(lo, plus, hi int, b *body) {
	name, _, _ := s.assignmentTarget(lo, plus)
	v, ok := s.ReadValue(plus+1, hi, b.scope.Below(name), 0)
	to := place{b.scope.Block, name}
	if !ok || s.definitions[to] == nil {
		s.push(frame{plus + 1, hi, expression, b.scope.In(name)})
		return
	}
	s.additions = append(s.additions, addition{to: to, items: v.Items})
	for _, f := range v.Children {
		s.push(frame{f.Lo, f.Hi, expression, f.Scope})
	}
}
