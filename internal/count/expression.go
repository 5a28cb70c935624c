package count

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// scanExpression finds the lists in an expression, an argument, or an entry of an object.
func (s *scanner) scanExpression(f frame) {
	lo, hi := f.lo, f.hi
	if name, at := s.readKey(lo, hi); at > 0 {
		if s.addLiteral(name, at, hi, f.scope, nil) != nil {
			return
		}
		s.scanInside(frame{at, hi, expression, f.scope.In(name)})
		return
	}
	if s.Kind(lo) == OpenBracket && !s.Tokens[lo].Elem && !s.Is(lo, "(") && !s.isArrow(lo, hi) {
		up := parentScope(f.scope)
		if up.Up == nil {
			up.Up = f.scope
		}
		if s.addLiteral(f.scope.Name, lo, hi, up, nil) != nil {
			return
		}
	}
	s.scanInside(f)
}

func (s *scanner) isArrow(lo, hi int) bool { return s.Next(lo) < hi && s.Is(s.Next(lo), "=>") }

// readKey returns the name and the start of the value of `key: value` and `key=value`.
func (s *scanner) readKey(lo, hi int) (string, int) {
	if lo >= hi {
		return "", -1
	}
	n := s.Next(lo)
	if n >= hi {
		return "", -1
	}
	if !s.Is(n, ":") && !(s.Is(n, "=") && s.Lang == syntax.Python) && !(s.Is(n, "=>") && s.Lang == syntax.Ruby) {
		return "", -1
	}
	if k := s.Kind(lo); k != Ident && k != String && k != Number && !s.IsOpen(lo, "[") {
		return "", -1
	}
	return Shorten(strings.Trim(Unquote(s.Range(lo, n)), "[]")), n + 1
}

// scanInside reads the brackets in a range.
func (s *scanner) scanInside(f frame) {
	for i := f.lo; i < f.hi; i = s.Next(i) {
		if s.Kind(i) != OpenBracket {
			continue
		}
		s.scanBracket(i, f)
	}
}

// scanBracket reads one bracket of an expression.
func (s *scanner) scanBracket(i int, f frame) {
	end := s.CloseOf(i)
	switch {
	case s.Tokens[i].Elem:
		s.push(frame{i, end + 1, element, f.scope})
	case s.Is(i, "(") && s.Kind(i-1) == Ident && i > f.lo:
		s.scanArguments(i, f.scope.In(s.At(i-1)))
	case s.Is(i, "(") && s.isParameterList(i, f.hi):
	case s.Is(i, "("):
		s.push(frame{i + 1, end, expression, f.scope})
	case s.Is(i, "{") && (s.Is(i-1, "=>") || s.Is(i-1, ")")):
		s.push(frame{i + 1, end, inStatements, s.blockOf(f.scope)})
	case s.endsOperand(i):
		s.push(frame{i + 1, end, expression, f.scope})
	default:
		if s.addLiteral(f.scope.Name, i, end+1, parentScope(f.scope), nil) == nil {
			s.push(frame{i + 1, end, expression, f.scope})
		}
	}
}

// isParameterList reports whether a parenthesis contains the parameters of a function: (a, b): T =>
// …
func (s *scanner) isParameterList(i, hi int) bool {
	k := s.CloseOf(i) + 1
	if s.Is(k, "=>") {
		return true
	}
	if !s.Is(k, ":") {
		return false
	}
	for n := 0; k < hi && n < 12 && !s.Is(k, ","); n++ {
		if s.Is(k, "=>") {
			return true
		}
		k = s.Next(k)
	}
	return false
}

func parentScope(c *Scope) *Scope {
	return &Scope{Up: c.Up, Depth: c.Depth + 1, Block: c.Block, Words: c.Words}
}

// endsOperand reports whether an operand ends before i, so that a bracket there is an index or a
// block, and not a literal.
func (s *scanner) endsOperand(i int) bool {
	switch s.Kind(i - 1) {
	case Close, String, Number:
		return i > 0
	case Ident:
		return !startsValue.Has(s.At(i - 1))
	}
	return s.Is(i-1, "<") || s.Is(i-1, ">") && s.Tokens[i-1].End == s.Tokens[i].Off
}

var startsValue = lazyregexp.Of("return in of and or not if else yield default case await lambda is assert print puts")

func (s *scanner) blockOf(c *Scope) *Scope {
	s.blocks++
	d := c.In("")
	d.Block = s.blocks
	return d
}

// scanArguments reads the arguments of a call; its name is in their path.
func (s *scanner) scanArguments(open int, c *Scope) {
	d := *c
	d.Depth++
	for _, a := range s.Split(open+1, s.CloseOf(open), ",") {
		s.push(frame{a[0], a[1], expression, &d})
	}
}

// scanElement finds the siblings in an element: a list of children for each tag.
func (s *scanner) scanElement(f frame) {
	open, end := f.lo, s.CloseOf(f.lo)
	tag := cleanName(s.At(open))
	body := s.Find(open+1, end, ">")
	for i := open + 1; i < end; i = s.Next(i) {
		if s.Kind(i) == TagEnd {
			body = i
			break
		}
		body = end
	}
	names := s.elementNames(open+1, min(body, end), f.scope)
	c := f.scope.In(tag)
	if len(names) > 0 {
		c.Name = names[0]
	}
	if body < 0 || body >= end {
		return
	}
	c.Depth++
	c.Words = append([]string{tag}, names...)
	groups := map[string]*List{}
	s.scanChildren(body+1, end, c, groups, 0)
}

// elementNames returns what identifies an element: id, class, name, label.
func (s *scanner) elementNames(lo, hi int, c *Scope) []string {
	var out []string
	for i := lo; i < hi; i = s.Next(i) {
		if s.IsOpen(i, "{") {
			name := ""
			if s.Is(i-1, "=") {
				name = s.At(i - 2)
			}
			s.push(frame{i + 1, s.CloseOf(i), expression, c.In(name)})
		}
		if s.Kind(i) == String && s.Is(i-1, "=") {
			switch s.At(i - 2) {
			case "id", "className", "class", "aria-label", "name", "title", "data-testid", "label", "heading":
				out = append(out, Shorten(Unquote(s.At(i))))
			}
		}
	}
	return out
}

func (s *scanner) scanChildren(lo, hi int, c *Scope, groups map[string]*List, depth int) {
	for i := lo; i < hi; i = s.Next(i) {
		if s.Kind(i) != OpenBracket {
			continue
		}
		switch {
		case s.Tokens[i].Elem && cleanName(s.At(i)) == "" && depth < 20: // a fragment's children are its parent's
			if b := s.tagEnd(i); b < s.CloseOf(i) {
				s.scanChildren(b+1, s.CloseOf(i), c, groups, depth+1)
			}
		case s.Tokens[i].Elem:
			s.addSibling(i, c, groups)
			s.push(frame{i, s.CloseOf(i) + 1, element, c})
		default:
			s.scanEmbedded(i+1, s.CloseOf(i), c, groups, depth)
		}
	}
}

func (s *scanner) tagEnd(i int) int {
	for k := i + 1; k < s.CloseOf(i); k = s.Next(k) {
		if s.Kind(k) == TagEnd {
			return k
		}
	}
	return s.CloseOf(i)
}

func (s *scanner) sameTag(tag string, c *Scope, groups map[string]*List, tok int) *List {
	l := groups[tag]
	if l == nil {
		kind := Elements
		switch tag {
		case "tr":
			kind = Rows
		case "th":
			kind = Columns
		}
		l = s.addList(kind, tag, c, tok)
		groups[tag] = l
	}
	return l
}

func (s *scanner) addSibling(i int, c *Scope, groups map[string]*List) {
	tag := cleanName(s.At(i))
	label := ""
	for k := i + 1; k < s.CloseOf(i); k++ {
		if s.Kind(k) == String && s.Is(k-1, "=") && !s.Is(k-2, "className") && !s.Is(k-2, "class") {
			label = Unquote(s.At(k))
			break
		}
		if s.Kind(k) == Text {
			label = s.At(k)
			break
		}
		if k > i+200 {
			break
		}
	}
	if label == "" {
		label = s.Range(i, min(s.CloseOf(i)+1, i+60))
	}
	l := s.sameTag(tag, c, groups, i)
	l.Items = append(l.Items, s.NewItem(label, i))
	if strings.HasPrefix(tag, "h") && len(tag) == 2 {
		c.Words = append(c.Words, label)
	}
}

// scanEmbedded reads {…} between elements: a mapped list, a choice, a condition.
func (s *scanner) scanEmbedded(lo, hi int, c *Scope, groups map[string]*List, depth int) {
	if lo >= hi {
		return
	}
	tag, at := s.firstTag(lo, hi)
	if tag == "" || depth > 20 {
		s.push(frame{lo, hi, expression, c})
		return
	}
	if s.Kind(lo) == OpenBracket && s.Tokens[lo].Elem && s.CloseOf(lo) == hi-1 {
		s.scanChildren(lo, hi, c, groups, depth+1)
		return
	}
	if q := s.Find(lo, hi, "?"); q > 0 {
		if colon := s.Find(q, hi, ":"); colon > 0 && s.addBranch(lo, q, colon, hi, c, groups) {
			s.push(frame{lo, hi, expression, c})
			return
		}
	}
	l := s.sameTag(tag, c, groups, at)
	if v, ok := s.ReadValue(lo, hi, c.Below(tag), 0); ok {
		l.Items = append(l.Items, v.Items...)
		s.push(frame{lo, hi, expression, c})
		return
	}
	l.Items = append(l.Items, s.unknownItem(lo, min(hi, at)))
	s.push(frame{lo, hi, expression, c})
}

// addBranch counts {a ? <X/> : <X/>} as one item.
func (s *scanner) addBranch(lo, q, colon, hi int, c *Scope, groups map[string]*List) bool {
	a, atA := s.loneTag(q+1, colon)
	b, _ := s.loneTag(colon+1, hi)
	if a == "" || a != b {
		return false
	}
	l := s.sameTag(a, c, groups, atA)
	l.Items = append(l.Items, s.NewItem(s.Range(lo, q), lo))
	return true
}

// loneTag returns the tag if a range is a single element.
func (s *scanner) loneTag(lo, hi int) (string, int) {
	for s.IsOpen(lo, "(") && s.CloseOf(lo) == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if lo < hi && s.Kind(lo) == OpenBracket && s.Tokens[lo].Elem && s.CloseOf(lo) == hi-1 {
		return cleanName(s.At(lo)), lo
	}
	return "", lo
}

func (s *scanner) firstTag(lo, hi int) (string, int) {
	for i := lo; i < hi && i < lo+2000; i++ {
		if s.Kind(i) == OpenBracket && s.Tokens[i].Elem {
			if tag := cleanName(s.At(i)); tag != "" {
				return tag, i
			}
		}
	}
	return "", lo
}
