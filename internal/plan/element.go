package plan

import "strings"

// readElement reads an element from its < to its closing tag.
func (r *reader) readElement(inCode bool) error {
	up, err := r.enterLevel(r.i)
	if err != nil {
		return err
	}
	defer up()
	at, around := len(r.doc.Elements), r.parent
	r.doc.Elements = append(r.doc.Elements, Element{Start: r.i, InCode: inCode, Parent: around})
	r.parent = at
	defer func() { r.parent = around }()
	r.i++
	name := r.readWord("-.:")
	r.doc.Elements[at].Name = name
	r.skipTypeArguments()
	for {
		done, err := r.readAttribute(at)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	e := &r.doc.Elements[at]
	if e.Open = r.i; e.SelfClosing {
		e.Close, e.End = r.i, r.i
		return nil
	}
	return r.readChildren(at)
}

// skipTypeArguments skips type arguments, as in <Table<Row> rows=…>.
func (r *reader) skipTypeArguments() {
	if !r.hasPrefix("<") {
		return
	}
	depth := 0
	for i := r.i; i < len(r.src) && i < r.i+500; i++ {
		switch r.src[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				r.i = i + 1
				return
			}
		}
	}
}

func (r *reader) skipSpaces() {
	for r.i < len(r.src) && isSpace(r.src[r.i]) {
		r.i++
	}
}

// readAttribute reads one attribute or comment of an opening tag; done reports that the tag ended.
func (r *reader) readAttribute(at int) (done bool, err error) {
	e := &r.doc.Elements[at]
	r.skipSpaces()
	if r.i >= len(r.src) {
		return false, r.errorAt(e.Start, "the tag <%s is never closed", e.Name)
	}
	switch c := r.src[r.i]; {
	case r.hasPrefix("/>"):
		r.i += 2
		e.SelfClosing = true
		return true, nil
	case c == '>':
		r.i++
		return true, nil
	case r.hasPrefix("//") || r.hasPrefix("/*"):
		return false, r.readComment(InTag)
	case c == '{':
		r.i++
		return false, r.readCode('}', r.i-1)
	case isWordStart(c):
		return false, r.readNamedAttribute(at)
	case c == '<':
		return false, r.errorAt(e.Start, "the tag <%s is not closed before the next one", e.Name)
	default:
		return false, r.errorAt(r.i, "unexpected %q in the tag <%s", c, e.Name)
	}
}

// skipSpacesAndComments skips spaces in a tag and records the comments between them.
func (r *reader) skipSpacesAndComments() error {
	for r.skipSpaces(); r.hasPrefix("//") || r.hasPrefix("/*"); r.skipSpaces() {
		if err := r.readComment(InTag); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readNamedAttribute(at int) error {
	a := Attr{Name: r.readWord("-:."), IsConstant: true}
	after, comments := r.i, len(r.doc.Comments)
	if err := r.skipSpacesAndComments(); err != nil {
		return err
	}
	if !r.hasPrefix("=") { // no value: readAttribute reads the comments again
		r.i, r.doc.Comments = after, r.doc.Comments[:comments]
		r.doc.Elements[at].Attrs = append(r.doc.Elements[at].Attrs, a)
		return nil
	}
	r.i++
	if err := r.skipSpacesAndComments(); err != nil {
		return err
	}
	if err := r.readValue(&a); err != nil {
		return err
	}
	r.doc.Elements[at].Attrs = append(r.doc.Elements[at].Attrs, a)
	return nil
}

func (r *reader) readValue(a *Attr) error {
	from := r.i
	switch {
	case r.hasPrefix(`"`) || r.hasPrefix(`'`): // no escapes; may span lines
		quote := string(r.src[r.i])
		r.i++
		end := r.find(quote)
		if end < 0 {
			return r.errorAt(from, "the value of %s is never closed", a.Name)
		}
		a.Value, r.i = string(r.src[r.i:end]), end+1
		return nil
	case r.hasPrefix("{"):
		r.i++
		if err := r.readCode('}', from); err != nil {
			return err
		}
		a.Value, a.IsConstant = constantValue(strings.TrimSpace(string(r.src[from+1 : r.i-1])))
		return nil
	case r.hasPrefix("<"):
		a.IsConstant = false
		err := r.readElement(true)
		a.Value = string(r.src[from:r.i])
		return err
	}
	return r.errorAt(from, "%s has no value after its =", a.Name)
}

// constantValue returns the value of an expression that is a plain string or a number. For others
// it returns the expression and false.
func constantValue(expr string) (string, bool) {
	if n := len(expr); n >= 2 && (expr[0] == '"' || expr[0] == '\'' || expr[0] == '`') && expr[n-1] == expr[0] {
		if in := expr[1 : n-1]; !strings.ContainsAny(in, "\\\n"+expr[:1]) && (expr[0] != '`' || !strings.Contains(in, "${")) {
			return in, true
		}
	}
	return expr, expr != "" && strings.Trim(expr, "0123456789") == ""
}

// readChildren reads the content of an element and its closing tag.
func (r *reader) readChildren(at int) error {
	for r.i < len(r.src) {
		var err error
		switch {
		case r.hasPrefix("</"):
			return r.readClosingTag(at)
		case r.hasPrefix("{"):
			err = r.readContainer()
		case r.hasPrefix("}"):
			err = r.errorAt(r.i, "a } between tags closes nothing: write {'}'}")
		case r.hasPrefix("<") && r.i+1 < len(r.src) && (r.src[r.i+1] == '>' || isWordStart(r.src[r.i+1])):
			err = r.readElement(false)
		case r.hasPrefix("<"):
			err = r.errorAt(r.i, "a < between tags starts no tag: write {'<'}")
		default:
			r.i++
		}
		if err != nil {
			return err
		}
	}
	return r.errorAt(r.doc.Elements[at].Start, "<%s> is never closed", r.doc.Elements[at].Name)
}

// readContainer reads an expression in braces between tags. Braces that contain nothing but one
// comment become part of that comment.
func (r *reader) readContainer() error {
	from, comments := r.i, len(r.doc.Comments)
	r.i++
	if err := r.readCode('}', from); err != nil {
		return err
	}
	if len(r.doc.Comments) != comments+1 {
		return nil
	}
	c := &r.doc.Comments[comments]
	alone := strings.TrimSpace(string(r.src[from+1:c.Start])) == "" && strings.TrimSpace(string(r.src[c.End:r.i-1])) == ""
	if alone {
		c.Start, c.End, c.Place = from, r.i, Child
	}
	return nil
}

func (r *reader) readClosingTag(at int) error {
	from := r.i
	r.i += 2
	r.skipSpaces()
	name := r.readWord("-.:")
	r.skipSpaces()
	e := &r.doc.Elements[at]
	if !r.hasPrefix(">") {
		return r.errorAt(from, "the closing tag </%s is not closed", name)
	}
	r.i++
	if name != e.Name {
		return r.errorAt(from, "found </%s> where <%s> of line %d should be closed", name, e.Name, r.x.Line(e.Start))
	}
	e.Close, e.End = from, r.i
	return nil
}
