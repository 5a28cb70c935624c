package plan

import "strings"

// element reads an element from its < to its end.
func (r *reader) element(inCode bool) error {
	up, err := r.deeper(r.i)
	if err != nil {
		return err
	}
	defer up()
	at, around := len(r.doc.Elements), r.parent
	r.doc.Elements = append(r.doc.Elements, Element{Start: r.i, InCode: inCode, Parent: around})
	r.parent = at
	defer func() { r.parent = around }()
	r.i++
	name := r.word("-.:")
	r.doc.Elements[at].Name = name
	r.typeArguments()
	for {
		done, err := r.attribute(at)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	e := &r.doc.Elements[at]
	if e.Open = r.i; e.Self {
		e.Close, e.End = r.i, r.i
		return nil
	}
	return r.children(at)
}

// typeArguments passes over those of <Table<Row> rows=…>.
func (r *reader) typeArguments() {
	if !r.has("<") {
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

func (r *reader) spaces() {
	for r.i < len(r.src) && space(r.src[r.i]) {
		r.i++
	}
}

// attribute reads one piece of an opening tag; done says that it was the tag's end.
func (r *reader) attribute(at int) (done bool, err error) {
	e := &r.doc.Elements[at]
	r.spaces()
	if r.i >= len(r.src) {
		return false, r.fail(e.Start, "the tag <%s is never closed", e.Name)
	}
	switch c := r.src[r.i]; {
	case r.has("/>"):
		r.i += 2
		e.Self = true
		return true, nil
	case c == '>':
		r.i++
		return true, nil
	case r.has("//") || r.has("/*"):
		return false, r.comment(InTag)
	case c == '{':
		r.i++
		return false, r.code('}', r.i-1)
	case wordStart(c):
		return false, r.named(at)
	case c == '<':
		return false, r.fail(e.Start, "the tag <%s is not closed before the next one", e.Name)
	default:
		return false, r.fail(r.i, "unexpected %q in the tag <%s", c, e.Name)
	}
}

// between passes over spaces and comments in a tag.
func (r *reader) between() error {
	for r.spaces(); r.has("//") || r.has("/*"); r.spaces() {
		if err := r.comment(InTag); err != nil {
			return err
		}
	}
	return nil
}

// named reads an attribute with a name.
func (r *reader) named(at int) error {
	a := Attr{Name: r.word("-:."), Const: true}
	after, comments := r.i, len(r.doc.Comments)
	if err := r.between(); err != nil {
		return err
	}
	if !r.has("=") { // an attribute without a value; the comments are read again
		r.i, r.doc.Comments = after, r.doc.Comments[:comments]
		r.doc.Elements[at].Attrs = append(r.doc.Elements[at].Attrs, a)
		return nil
	}
	r.i++
	if err := r.between(); err != nil {
		return err
	}
	if err := r.value(&a); err != nil {
		return err
	}
	r.doc.Elements[at].Attrs = append(r.doc.Elements[at].Attrs, a)
	return nil
}

func (r *reader) value(a *Attr) error {
	from := r.i
	switch {
	case r.has(`"`) || r.has(`'`): // no escapes, and it may go over lines
		quote := string(r.src[r.i])
		r.i++
		end := r.find(quote)
		if end < 0 {
			return r.fail(from, "the value of %s is never closed", a.Name)
		}
		a.Value, r.i = string(r.src[r.i:end]), end+1
		return nil
	case r.has("{"):
		r.i++
		if err := r.code('}', from); err != nil {
			return err
		}
		a.Value, a.Const = constant(strings.TrimSpace(string(r.src[from+1 : r.i-1])))
		return nil
	case r.has("<"):
		a.Const = false
		err := r.element(true)
		a.Value = string(r.src[from:r.i])
		return err
	}
	return r.fail(from, "%s has no value after its =", a.Name)
}

// constant returns what an expression is when it is a plain string or a number.
func constant(expr string) (string, bool) {
	if n := len(expr); n >= 2 && (expr[0] == '"' || expr[0] == '\'' || expr[0] == '`') && expr[n-1] == expr[0] {
		if in := expr[1 : n-1]; !strings.ContainsAny(in, "\\\n"+expr[:1]) && (expr[0] != '`' || !strings.Contains(in, "${")) {
			return in, true
		}
	}
	return expr, expr != "" && strings.Trim(expr, "0123456789") == ""
}

// children reads what is between an element's tags, and its closing tag.
func (r *reader) children(at int) error {
	for r.i < len(r.src) {
		var err error
		switch {
		case r.has("</"):
			return r.closing(at)
		case r.has("{"):
			err = r.container()
		case r.has("}"):
			err = r.fail(r.i, "a } between tags closes nothing: write {'}'}")
		case r.has("<") && r.i+1 < len(r.src) && (r.src[r.i+1] == '>' || wordStart(r.src[r.i+1])):
			err = r.element(false)
		case r.has("<"):
			err = r.fail(r.i, "a < between tags starts no tag: write {'<'}")
		default:
			r.i++
		}
		if err != nil {
			return err
		}
	}
	return r.fail(r.doc.Elements[at].Start, "<%s> is never closed", r.doc.Elements[at].Name)
}

// container reads an expression in braces between tags. A comment that is all there is in
// it has the braces for its own.
func (r *reader) container() error {
	from, comments := r.i, len(r.doc.Comments)
	r.i++
	if err := r.code('}', from); err != nil {
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

func (r *reader) closing(at int) error {
	from := r.i
	r.i += 2
	r.spaces()
	name := r.word("-.:")
	r.spaces()
	e := &r.doc.Elements[at]
	if !r.has(">") {
		return r.fail(from, "the closing tag </%s is not closed", name)
	}
	r.i++
	if name != e.Name {
		return r.fail(from, "found </%s> where <%s> of line %d should be closed", name, e.Name, r.x.Line(e.Start))
	}
	e.Close, e.End = from, r.i
	return nil
}
