package count

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// expression finds the lists in an expression, an argument, or an entry of an object.
func (s *scanner) expression(f frame) {
	lo, hi := f.lo, f.hi
	if name, at := s.key(lo, hi); at > 0 {
		if s.literal(name, at, hi, f.c, nil) != nil {
			return
		}
		s.inside(frame{at, hi, expression, f.c.In(name)})
		return
	}
	if s.Kind(lo) == OpenBracket && !s.Tokens[lo].Elem && !s.Is(lo, "(") && !s.arrow(lo, hi) {
		up := parent(f.c)
		if up.Up == nil {
			up.Up = f.c
		}
		if s.literal(f.c.Name, lo, hi, up, nil) != nil {
			return
		}
	}
	s.inside(f)
}

func (s *scanner) arrow(lo, hi int) bool { return s.Next(lo) < hi && s.Is(s.Next(lo), "=>") }

// key returns the name and the start of the value of `key: value` and `key=value`.
func (s *scanner) key(lo, hi int) (string, int) {
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
	if k := s.Kind(lo); k != Ident && k != String && k != Number && !s.Open(lo, "[") {
		return "", -1
	}
	return Shorten(strings.Trim(Unquote(s.Range(lo, n)), "[]")), n + 1
}

// inside looks at the brackets in a range.
func (s *scanner) inside(f frame) {
	for i := f.lo; i < f.hi; i = s.Next(i) {
		if s.Kind(i) != OpenBracket {
			continue
		}
		s.bracket(i, f)
	}
}

// bracket looks at one bracket of an expression.
func (s *scanner) bracket(i int, f frame) {
	end := s.After(i)
	switch {
	case s.Tokens[i].Elem:
		s.push(frame{i, end + 1, element, f.c})
	case s.Is(i, "(") && s.Kind(i-1) == Ident && i > f.lo:
		s.arguments(i, f.c.In(s.At(i-1)))
	case s.Is(i, "(") && s.parameters(i, f.hi):
	case s.Is(i, "("):
		s.push(frame{i + 1, end, expression, f.c})
	case s.Is(i, "{") && (s.Is(i-1, "=>") || s.Is(i-1, ")")):
		s.push(frame{i + 1, end, inStatements, s.blockOf(f.c)})
	case s.operand(i):
		s.push(frame{i + 1, end, expression, f.c})
	default:
		if s.literal(f.c.Name, i, end+1, parent(f.c), nil) == nil {
			s.push(frame{i + 1, end, expression, f.c})
		}
	}
}

// parameters reports whether a parenthesis holds what a function takes: (a, b): T => …
func (s *scanner) parameters(i, hi int) bool {
	k := s.After(i) + 1
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

func parent(c *Scope) *Scope {
	return &Scope{Up: c.Up, Depth: c.Depth + 1, Block: c.Block, Words: c.Words}
}

// operand reports whether an operand ends before i, so that a bracket there is an index or
// a block and no literal.
func (s *scanner) operand(i int) bool {
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

// arguments looks at what a call is given, under the name of the call.
func (s *scanner) arguments(open int, c *Scope) {
	d := *c
	d.Depth++
	for _, a := range s.Split(open+1, s.After(open), ",") {
		s.push(frame{a[0], a[1], expression, &d})
	}
}

// element finds the siblings in an element: for each tag the children that have it.
func (s *scanner) element(f frame) {
	open, end := f.lo, s.After(f.lo)
	tag := clean(s.At(open))
	body := s.Find(open+1, end, ">")
	for i := open + 1; i < end; i = s.Next(i) {
		if s.Kind(i) == TagEnd {
			body = i
			break
		}
		body = end
	}
	names := s.attributes(open+1, min(body, end), f.c)
	c := f.c.In(tag)
	if len(names) > 0 {
		c.Name = names[0]
	}
	if body < 0 || body >= end {
		return
	}
	c.Depth++
	c.Words = append([]string{tag}, names...)
	groups := map[string]*List{}
	s.children(body+1, end, c, groups, 0)
}

// attributes returns what tells one element from another: id, class, name, label.
func (s *scanner) attributes(lo, hi int, c *Scope) []string {
	var out []string
	for i := lo; i < hi; i = s.Next(i) {
		if s.Open(i, "{") {
			name := ""
			if s.Is(i-1, "=") {
				name = s.At(i - 2)
			}
			s.push(frame{i + 1, s.After(i), expression, c.In(name)})
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

func (s *scanner) children(lo, hi int, c *Scope, groups map[string]*List, depth int) {
	for i := lo; i < hi; i = s.Next(i) {
		if s.Kind(i) != OpenBracket {
			continue
		}
		switch {
		case s.Tokens[i].Elem && clean(s.At(i)) == "" && depth < 20: // a fragment's children are its parent's
			if b := s.tagEnd(i); b < s.After(i) {
				s.children(b+1, s.After(i), c, groups, depth+1)
			}
		case s.Tokens[i].Elem:
			s.sibling(i, c, groups)
			s.push(frame{i, s.After(i) + 1, element, c})
		default:
			s.embedded(i+1, s.After(i), c, groups, depth)
		}
	}
}

func (s *scanner) tagEnd(i int) int {
	for k := i + 1; k < s.After(i); k = s.Next(k) {
		if s.Kind(k) == TagEnd {
			return k
		}
	}
	return s.After(i)
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
		l = s.list(kind, tag, c, tok)
		groups[tag] = l
	}
	return l
}

func (s *scanner) sibling(i int, c *Scope, groups map[string]*List) {
	tag := clean(s.At(i))
	label := ""
	for k := i + 1; k < s.After(i); k++ {
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
		label = s.Range(i, min(s.After(i)+1, i+60))
	}
	l := s.sameTag(tag, c, groups, i)
	l.Items = append(l.Items, s.Item(label, i))
	if strings.HasPrefix(tag, "h") && len(tag) == 2 {
		c.Words = append(c.Words, label)
	}
}

// embedded reads {…} between elements: a list that is mapped, a choice, a condition.
func (s *scanner) embedded(lo, hi int, c *Scope, groups map[string]*List, depth int) {
	if lo >= hi {
		return
	}
	tag, at := s.firstTag(lo, hi)
	if tag == "" || depth > 20 {
		s.push(frame{lo, hi, expression, c})
		return
	}
	if s.Kind(lo) == OpenBracket && s.Tokens[lo].Elem && s.After(lo) == hi-1 {
		s.children(lo, hi, c, groups, depth+1)
		return
	}
	if q := s.Find(lo, hi, "?"); q > 0 {
		if colon := s.Find(q, hi, ":"); colon > 0 && s.branch(lo, q, colon, hi, c, groups) {
			s.push(frame{lo, hi, expression, c})
			return
		}
	}
	l := s.sameTag(tag, c, groups, at)
	if v, ok := s.Value(lo, hi, c.Below(tag), 0); ok {
		l.Items = append(l.Items, v.Items...)
		s.push(frame{lo, hi, expression, c})
		return
	}
	l.Items = append(l.Items, s.open(lo, min(hi, at)))
	s.push(frame{lo, hi, expression, c})
}

// branch counts {a ? <X/> : <X/>} as one item.
func (s *scanner) branch(lo, q, colon, hi int, c *Scope, groups map[string]*List) bool {
	a, atA := s.lone(q+1, colon)
	b, _ := s.lone(colon+1, hi)
	if a == "" || a != b {
		return false
	}
	l := s.sameTag(a, c, groups, atA)
	l.Items = append(l.Items, s.Item(s.Range(lo, q), lo))
	return true
}

// lone returns the tag when a range is one element.
func (s *scanner) lone(lo, hi int) (string, int) {
	for s.Open(lo, "(") && s.After(lo) == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if lo < hi && s.Kind(lo) == OpenBracket && s.Tokens[lo].Elem && s.After(lo) == hi-1 {
		return clean(s.At(lo)), lo
	}
	return "", lo
}

func (s *scanner) firstTag(lo, hi int) (string, int) {
	for i := lo; i < hi && i < lo+2000; i++ {
		if s.Kind(i) == OpenBracket && s.Tokens[i].Elem {
			if tag := clean(s.At(i)); tag != "" {
				return tag, i
			}
		}
	}
	return "", lo
}
