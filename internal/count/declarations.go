package count

import "github.com/belay-dev/belay/internal/syntax"

// readDeclaration reads enum X {…}, class X extends Y {…}, impl T for X {…} and the like.
func (s *scanner) readDeclaration(word string, i int, b *body) (int, bool) {
	open := -1
	for k := i + 1; k < b.hi && k < i+80; k = s.Next(k) {
		if s.IsOpen(k, "{") {
			open = k
			break
		}
		if s.Is(k, ";") || s.Is(k, "=") || s.Is(k, "=>") {
			break
		}
	}
	if open < 0 || s.Kind(i+1) != Ident && !s.Is(i+1, "<") && s.Kind(i+1) != OpenBracket {
		return 0, false
	}
	name := s.typeName(word, i, open)
	lo, hi := open+1, s.CloseOf(open)
	c := b.scope.In(name)
	switch word {
	case "enum":
		s.readEnum(name, i, lo, hi, b)
	case "interface", "struct":
		s.readFields(name, i, lo, hi, b)
		fallthrough
	case "class", "trait", "impl", "record":
		s.push(frame{lo, hi, classBody, s.blockOf(c)})
		s.readClassFields(word, name, i, lo, hi, b)
	default:
		s.push(frame{lo, hi, inStatements, s.blockOf(c)})
	}
	b.start = s.Next(open)
	return s.Next(open), true
}

func (s *scanner) typeName(word string, i, open int) string {
	name := ""
	depth := 0
	for k := i + 1; k < open; k = s.Next(k) {
		switch {
		case s.Is(k, "<"):
			depth++
		case s.Is(k, ">"):
			depth--
		case s.Is(k, "where") || s.Is(k, "extends") || s.Is(k, "implements") || s.Is(k, ":"):
			return name
		case s.Kind(k) == Ident && depth == 0 && !s.Is(k, "class") && !s.Is(k, "struct"):
			if word == "impl" || name == "" {
				if !s.Is(k, "for") {
					name = s.At(k)
				}
			}
		}
	}
	return name
}

func (s *scanner) readEnum(name string, at, lo, hi int, b *body) {
	l := s.addList(Enum, name, b.scope, at)
	if semi := s.Find(lo, hi, ";"); semi > 0 && (s.Lang == syntax.Java || s.Lang == syntax.Kotlin) {
		s.push(frame{semi + 1, hi, classBody, s.blockOf(b.scope.In(name))})
		hi = semi
	}
	for _, a := range s.Split(lo, hi, ",") {
		for a[0] < a[1] && (s.IsAttribute(a[0], a[1]) || s.Is(a[0], "@") || s.IsOpen(a[0], "[")) {
			if s.Is(a[0], "@") || s.Is(a[0], "#") {
				a[0]++
			}
			a[0] = s.Next(a[0])
			if s.IsOpen(a[0], "(") {
				a[0] = s.Next(a[0])
			}
		}
		if a[0] >= a[1] {
			continue
		}
		l.Items = append(l.Items, s.NewItem(Unquote(s.At(a[0])), a[0]))
		s.push(frame{a[0] + 1, a[1], expression, b.scope.Below(name)})
	}
}

// readFields reads the members of an interface or a struct.
func (s *scanner) readFields(name string, at, lo, hi int, b *body) {
	if s.Lang == syntax.Java || s.Lang == syntax.Kotlin || s.Lang == syntax.CSharp {
		return
	}
	l := s.addList(Fields, name, b.scope, at)
	depth := 0
	first := true
	for i := lo; i < hi; i = s.Next(i) {
		switch {
		case s.Is(i, "<"):
			depth++
		case s.Is(i, ">"):
			depth = max(0, depth-1)
		case s.Is(i, ";") || s.Is(i, ",") && depth == 0:
			first = true
			continue
		}
		if s.Tokens[i].Fresh && !s.continuesLine(i) && depth == 0 {
			first = true
		}
		member := s.IsOneOf(i+1, ":", "?") || s.IsOpen(i+1, "(")
		if first && member && s.Kind(i) == Ident && !s.IsOneOf(i, "readonly", "pub") {
			l.Items = append(l.Items, s.NewItem(s.At(i), i))
			first = false
		}
	}
}

// readClassFields reads the declared fields of a class, with or without a value.
func (s *scanner) readClassFields(word, name string, at, lo, hi int, b *body) {
	if word != "class" && word != "record" {
		return
	}
	var items []Item
	start := lo
	for i := lo; i < hi; i = s.Next(i) {
		end := s.Is(i, ";")
		if s.Lang != syntax.Java && s.Lang != syntax.CSharp {
			end = end || s.Tokens[i].Fresh && i > start && !s.continuesLine(i)
		}
		if !end {
			if s.isAccessorBlock(i) { // an initial value may follow
				items = append(items, s.NewItem(s.At(i-1), start))
				if semi := s.Find(s.Next(i), hi, ";"); semi > 0 && s.Is(s.Next(i), "=") {
					i = semi
				}
				start = s.Next(i)
				continue
			}
			if s.IsOpen(i, "{") && !s.Is(i-1, "=") {
				if start = s.Next(i); start >= hi {
					break
				}
			}
			continue
		}
		stop := s.Find(start, i, "=")
		assigned := stop > start && s.Find(start, stop, "(") < 0
		declared := (s.Is(i, ";") || s.Find(start, i, ":") > 0) && s.Find(start, i, "(") < 0
		if assigned || declared {
			n, _, _ := s.assignmentTarget(start, max(stop, 0))
			if n == "" {
				n = s.fieldName(start, i)
			}
			items = append(items, s.NewItem(n, start))
		}
		start = i
		if s.Is(i, ";") {
			start = i + 1
		}
	}
	if len(items) > 0 {
		s.addList(Fields, name, b.scope, at).Items = items
	}
}

// isAccessorBlock reports whether a brace opens the accessors of a property: Name { get; set; }
func (s *scanner) isAccessorBlock(open int) bool {
	if s.Lang != syntax.CSharp || !s.IsOpen(open, "{") || s.Kind(open-1) != Ident {
		return false
	}
	first := s.At(open + 1)
	if first == "private" || first == "protected" || first == "internal" {
		first = s.At(open + 2)
	}
	return first == "get" || first == "set" || first == "init"
}

func (s *scanner) fieldName(lo, hi int) string {
	if colon := s.Find(lo, hi, ":"); colon > lo {
		hi = colon
	}
	for i := hi - 1; i >= lo; i-- {
		if s.Kind(i) == Ident {
			return s.At(i)
		}
	}
	return ""
}

// readUnion reads type X = 'a' | 'b' | 'c'.
func (s *scanner) readUnion(i int, b *body) (int, bool) {
	if s.Kind(i+1) != Ident || i != b.start && !s.Is(i-1, "export") && !s.Is(i-1, "declare") {
		return 0, false
	}
	eq := s.Find(i+1, min(b.hi, i+60), "=")
	if eq < 0 {
		return 0, false
	}
	end := s.statementEnd(eq+1, b)
	if s.IsOpen(eq+1, "{") && s.Next(eq+1) >= end {
		s.readFields(s.At(i+1), i, eq+2, s.CloseOf(eq+1), b)
		b.start = end
		return end, true
	}
	var l *List
	for _, a := range s.Split(eq+1, end, "|") {
		if a[0] >= a[1] {
			continue
		}
		if l == nil {
			l = s.addList(Enum, s.At(i+1), b.scope, i)
		}
		it := s.NewItem(Unquote(s.Range(a[0], a[1])), a[0])
		if s.Kind(a[0]) == Ident && a[1] == a[0]+1 && end > a[1] {
			it.Label = s.At(a[0])
		}
		l.Items = append(l.Items, it)
	}
	b.start = end
	return end, true
}

// readSwitch reads switch (x) {…} and match x {…}.
func (s *scanner) readSwitch(i int, b *body) (int, bool) {
	open := -1
	for k := i + 1; k < b.hi && k < i+40; k = s.Next(k) {
		if s.IsOpen(k, "{") {
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
	l := s.addList(Cases, b.scope.InnermostName(), b.scope, i)
	l.Words = append(l.Words, s.Identifiers(i+1, open)...)
	lo, hi := open+1, s.CloseOf(open)
	for k := lo; k < hi; k = s.Next(k) {
		switch {
		case s.Lang == syntax.Rust && s.Is(k, "=>"):
			if label := s.armStart(lo, k); label >= lo && !s.Is(label, "_") {
				l.Items = append(l.Items, s.NewItem(s.Range(label, k), label))
			}
		case s.Kind(k) == Ident && s.Is(k, "case"):
			end := s.Find(k, hi, ":")
			if end < 0 {
				end = s.Find(k, hi, "->")
			}
			l.Items = append(l.Items, s.NewItem(Unquote(s.Range(k+1, max(end, k+2))), k))
		}
	}
	s.push(frame{lo, hi, inStatements, s.blockOf(b.scope.In(b.scope.InnermostName()))})
	b.start = s.Next(open)
	return s.Next(open), true
}

// armStart returns the start of the pattern before =>.
func (s *scanner) armStart(lo, arrow int) int {
	k := arrow
	for p := s.Prev(k); p >= lo && !s.Is(p, ",") && !(s.IsOpen(p, "{") && s.Is(s.Prev(p), "=>")); p = s.Prev(p) {
		k = p
	}
	return k
}
