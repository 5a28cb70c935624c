package code

import (
	"github.com/belay-dev/belay/internal/count/lex"
	"github.com/belay-dev/belay/internal/count/list"
)

// declared reads enum X {…}, class X extends Y {…}, impl T for X {…} and the like.
func (s *scanner) declared(word string, i int, b *body) (int, bool) {
	open := -1
	for k := i + 1; k < b.hi && k < i+80; k = s.next(k) {
		if s.open(k, "{") {
			open = k
			break
		}
		if s.Is(k, ";") || s.Is(k, "=") || s.Is(k, "=>") {
			break
		}
	}
	if open < 0 || s.kind(i+1) != lex.Ident && !s.Is(i+1, "<") && s.kind(i+1) != lex.Open {
		return 0, false
	}
	name := s.typeName(word, i, open)
	lo, hi := open+1, s.after(open)
	c := b.c.in(name)
	switch word {
	case "enum":
		s.enum(name, i, lo, hi, b)
	case "interface", "struct":
		s.fields(name, i, lo, hi, b)
		fallthrough
	case "class", "trait", "impl", "record":
		s.push(frame{lo, hi, classBody, s.blockOf(c)})
		s.classFields(word, name, i, lo, hi, b)
	default:
		s.push(frame{lo, hi, statements, s.blockOf(c)})
	}
	b.start = s.next(open)
	return s.next(open), true
}

func (s *scanner) typeName(word string, i, open int) string {
	name := ""
	depth := 0
	for k := i + 1; k < open; k = s.next(k) {
		switch {
		case s.Is(k, "<"):
			depth++
		case s.Is(k, ">"):
			depth--
		case s.Is(k, "where") || s.Is(k, "extends") || s.Is(k, "implements") || s.Is(k, ":"):
			return name
		case s.kind(k) == lex.Ident && depth == 0 && !s.Is(k, "class") && !s.Is(k, "struct"):
			if word == "impl" || name == "" {
				if !s.Is(k, "for") {
					name = s.At(k)
				}
			}
		}
	}
	return name
}

func (s *scanner) enum(name string, at, lo, hi int, b *body) {
	l := s.list(list.Enum, name, b.c, at)
	if semi := s.find(lo, hi, ";"); semi > 0 && s.lang == Java {
		s.push(frame{semi + 1, hi, classBody, s.blockOf(b.c.in(name))})
		hi = semi
	}
	for _, a := range s.split(lo, hi, ",") {
		for a[0] < a[1] && (s.attribute(a[0], a[1]) || s.Is(a[0], "@") || s.open(a[0], "[")) {
			if s.Is(a[0], "@") || s.Is(a[0], "#") {
				a[0]++
			}
			a[0] = s.next(a[0])
			if s.open(a[0], "(") {
				a[0] = s.next(a[0])
			}
		}
		if a[0] >= a[1] {
			continue
		}
		l.Items = append(l.Items, s.item(unquote(s.At(a[0])), a[0]))
		s.push(frame{a[0] + 1, a[1], expression, b.c.below(name)})
	}
}

// fields reads the members of an interface or a struct.
func (s *scanner) fields(name string, at, lo, hi int, b *body) {
	if s.lang == Java || s.lang == CSharp {
		return
	}
	l := s.list(list.Fields, name, b.c, at)
	depth := 0
	first := true
	for i := lo; i < hi; i = s.next(i) {
		switch {
		case s.Is(i, "<"):
			depth++
		case s.Is(i, ">"):
			depth = max(0, depth-1)
		case s.Is(i, ";") || s.Is(i, ",") && depth == 0:
			first = true
			continue
		}
		if s.Tokens[i].Fresh && !s.continues(i) && depth == 0 {
			first = true
		}
		if first && s.kind(i) == lex.Ident && s.At(i) != "readonly" && s.At(i) != "pub" && (s.Is(i+1, ":") || s.Is(i+1, "?") || s.open(i+1, "(")) {
			l.Items = append(l.Items, s.item(s.At(i), i))
			first = false
		}
	}
}

// classFields reads the fields of a class: those that are declared, with a value or not.
func (s *scanner) classFields(word, name string, at, lo, hi int, b *body) {
	if word != "class" && word != "record" {
		return
	}
	l := &list.List{}
	start := lo
	for i := lo; i < hi; i = s.next(i) {
		end := s.Is(i, ";") || s.Tokens[i].Fresh && i > start && !s.continues(i) && s.lang != Java && s.lang != CSharp
		if !end {
			if s.open(i, "{") && !s.Is(i-1, "=") {
				start = i + 1
				if start = s.next(i); start >= hi {
					break
				}
			}
			continue
		}
		if stop := s.find(start, i, "="); stop > start && s.find(start, stop, "(") < 0 || s.Is(i, ";") && s.find(start, i, "(") < 0 || s.find(start, i, ":") > 0 && s.find(start, i, "(") < 0 {
			if n, _, _ := s.target(start, max(stop, 0)); n == "" {
				n = s.fieldName(start, i)
				l.Items = append(l.Items, s.item(n, start))
			} else {
				l.Items = append(l.Items, s.item(n, start))
			}
		}
		start = i
		if s.Is(i, ";") {
			start = i + 1
		}
	}
	if len(l.Items) > 0 {
		f := s.list(list.Fields, name, b.c, at)
		f.Items = l.Items
	}
}

func (s *scanner) fieldName(lo, hi int) string {
	if colon := s.find(lo, hi, ":"); colon > lo {
		hi = colon
	}
	for i := hi - 1; i >= lo; i-- {
		if s.kind(i) == lex.Ident {
			return s.At(i)
		}
	}
	return ""
}

// union reads type X = 'a' | 'b' | 'c'.
func (s *scanner) union(i int, b *body) (int, bool) {
	if s.kind(i+1) != lex.Ident || i != b.start && !s.Is(i-1, "export") && !s.Is(i-1, "declare") {
		return 0, false
	}
	eq := s.find(i+1, min(b.hi, i+60), "=")
	if eq < 0 {
		return 0, false
	}
	end := s.end(eq+1, b)
	if s.open(eq+1, "{") && s.next(eq+1) >= end {
		s.fields(s.At(i+1), i, eq+2, s.after(eq+1), b)
		b.start = end
		return end, true
	}
	var l *list.List
	for _, a := range s.split(eq+1, end, "|") {
		if a[0] >= a[1] {
			continue
		}
		if l == nil {
			l = s.list(list.Enum, s.At(i+1), b.c, i)
		}
		it := s.item(unquote(s.Range(a[0], a[1])), a[0])
		if s.kind(a[0]) == lex.Ident && a[1] == a[0]+1 && end > a[1] {
			it.Label = s.At(a[0])
		}
		l.Items = append(l.Items, it)
	}
	b.start = end
	return end, true
}

// switched reads switch (x) {…} and match x {…}.
func (s *scanner) switched(i int, b *body) (int, bool) {
	open := -1
	for k := i + 1; k < b.hi && k < i+40; k = s.next(k) {
		if s.open(k, "{") {
			open = k
			break
		}
		if s.Is(k, ";") || s.Is(k, "=") {
			return 0, false
		}
	}
	if open < 0 {
		return 0, false
	}
	subject := s.Range(i+1, open)
	l := s.list(list.Cases, b.c.last(), b.c, i)
	l.Words = append(l.Words, s.identifiers(i+1, open)...)
	_ = subject
	lo, hi := open+1, s.after(open)
	for k := lo; k < hi; k = s.next(k) {
		switch {
		case s.lang == Rust && s.Is(k, "=>"):
			if label := s.arm(lo, k); label >= lo && !s.Is(label, "_") {
				l.Items = append(l.Items, s.item(s.Range(label, k), label))
			}
		case s.kind(k) == lex.Ident && s.Is(k, "case"):
			end := s.find(k, hi, ":")
			if end < 0 {
				end = s.find(k, hi, "->")
			}
			l.Items = append(l.Items, s.item(unquote(s.Range(k+1, max(end, k+2))), k))
		}
	}
	s.push(frame{lo, hi, statements, s.blockOf(b.c.in(b.c.last()))})
	b.start = s.next(open)
	return s.next(open), true
}

// arm gives where the pattern before => starts.
func (s *scanner) arm(lo, arrow int) int {
	k := arrow
	for p := s.prev(k); p >= lo && !s.Is(p, ",") && !(s.open(p, "{") && s.Is(s.prev(p), "=>")); p = s.prev(p) {
		k = p
	}
	return k
}
