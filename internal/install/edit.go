package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// span is a range of bytes, without the byte at To.
type span struct{ From, To int }

// document is a JSON file that is edited in place, with its comments, trailing commas, byte order
// mark and line ends; nothing is re-encoded. addedSpans are the inserted bytes in order, so that
// they can be removed again.
type document struct {
	text       []byte
	addedSpans []span
}

const byteOrderMark = "\ufeff" // a byte order mark

// item is a member of an object or an element of an array.
type item struct {
	name     string // of a member
	from, to int
	before   []byte // spaces and comments before it
	comma    int    // position of the comma after it, or -1
	value    hujson.Value
}

// container is an object or array.
type container struct {
	open, close int // positions of the brackets
	items       []item
	trailing    []byte // spaces and comments before the closing bracket
	object      bool
}

// parse parses a document. root is nil if there is only white space. Errors name the line and
// column.
func (d *document) parse() (root *hujson.Value, skip int, err error) {
	body, marked := bytes.CutPrefix(d.text, []byte(byteOrderMark))
	if marked {
		skip = len(byteOrderMark)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, skip, nil
	}
	v, err := hujson.Parse(body)
	if err != nil { // agents accept a comment on the last line without a line end
		if again, aerr := hujson.Parse(append(bytes.Clone(body), '\n')); aerr == nil {
			v, err = again, nil
		}
	}
	if err != nil {
		return nil, skip, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return &v, skip, nil
}

// containerOf returns an object or array with its items. ok is false for any other value.
func containerOf(v hujson.Value, skip int) (c container, ok bool) {
	c.open, c.close = v.StartOffset+skip, v.EndOffset+skip-1
	switch value := v.Value.(type) {
	case *hujson.Object:
		c.object, c.trailing = true, value.AfterExtra
		for _, m := range value.Members {
			name, _ := m.Name.Value.(hujson.Literal)
			c.items = append(c.items, item{name: name.String(), from: m.Name.StartOffset + skip, to: m.Value.EndOffset + skip,
				before: m.Name.BeforeExtra, comma: m.Value.EndOffset + skip + len(m.Value.AfterExtra), value: m.Value})
		}
		if n := len(value.Members); n > 0 && value.Members[n-1].Value.AfterExtra == nil {
			c.items[n-1].comma = -1
		}
	case *hujson.Array:
		c.trailing = value.AfterExtra
		for _, e := range value.Elements {
			c.items = append(c.items, item{from: e.StartOffset + skip, to: e.EndOffset + skip, before: e.BeforeExtra,
				comma: e.EndOffset + skip + len(e.AfterExtra), value: e})
		}
		if n := len(value.Elements); n > 0 && value.Elements[n-1].AfterExtra == nil {
			c.items[n-1].comma = -1
		}
	default:
		return c, false
	}
	return c, true
}

// member finds a member by name. If the name is repeated it returns the last one, which is the one
// that counts.
func (c container) member(name string) (item, bool) {
	for _, i := range slices.Backward(c.items) {
		if i.name == name {
			return i, true
		}
	}
	return item{}, false
}

// insert inserts text and records its span.
func (d *document) insert(at int, text string) {
	d.text = slices.Insert(d.text, at, []byte(text)...)
	n, within := len(text), false
	for i := range d.addedSpans {
		switch s := &d.addedSpans[i]; {
		case within || at < s.From:
			s.From, s.To = s.From+n, s.To+n
		case at <= s.To:
			s.To, within = s.To+n, true
		}
	}
	if !within {
		d.addedSpans = append(d.addedSpans, span{at, at + n})
		slices.SortFunc(d.addedSpans, func(a, b span) int { return a.From - b.From })
	}
}

// cutSpans removes spans, which must not overlap.
func cutSpans(text []byte, spans []span) []byte {
	out := bytes.Clone(text)
	for _, s := range slices.Backward(spans) {
		out = slices.Delete(out, s.From, s.To)
	}
	return out
}

// lineEnd returns the document's line end.
func (d *document) lineEnd() string {
	if at := bytes.IndexByte(d.text, '\n'); at > 0 && d.text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indentUnit returns one level of indentation.
func (d *document) indentUnit() string {
	if root, skip, err := d.parse(); err == nil && root != nil {
		if c, ok := containerOf(*root, skip); ok && len(c.items) > 0 {
			if indent, own := indentOf(c.items[0].before); own && indent != "" {
				return indent
			}
		}
	}
	return "  "
}

// indentOf returns the indentation of what follows extra. own is false if that is not on a line of
// its own.
func indentOf(extra []byte) (indent string, own bool) {
	at := bytes.LastIndexByte(extra, '\n')
	if at < 0 {
		return "", false
	}
	return string(extra[at+1:]), len(bytes.TrimLeft(extra[at+1:], " \t")) == 0
}

// commentLength returns the length of extra up to the end of its last comment, or 0. line reports
// whether that comment ends with its line.
func commentLength(extra []byte) (n int, line bool) {
	for at := 0; at < len(extra); {
		rest := extra[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n') + 1
			if end == 0 {
				end = len(rest)
			}
			at += end
			n, line = at, true
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return len(extra), false
			}
			at += end + 4
			n, line = at, false
		default:
			at++
		}
	}
	return n, line
}

// lineIndent returns the indentation of the line that contains a position.
func (d *document) lineIndent(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// add appends an item to a container. render returns it with an indentation, or on one line.
func (d *document) add(c container, render func(indent string, oneLine bool) string) {
	nl, n := d.lineEnd(), len(c.items)
	after, line := commentLength(c.trailing)
	if n == 0 {
		d.addFirst(c, render, after, line)
		return
	}
	last := c.items[n-1]
	indent, own := indentOf(last.before)
	comma, start := "", last.to
	if last.comma >= 0 { // a trailing comma: write one too
		comma, start = ",", last.comma+1
	}
	lead, tail := " ", ""
	if own {
		lead = nl + indent
	} else if !bytes.HasSuffix(last.before, []byte(" ")) {
		lead = ""
	}
	if line { // on its own line, before what follows the comment
		lead, tail = indent, nl
	}
	d.insert(start+after, lead+render(indent, !own)+comma+tail)
	if last.comma < 0 {
		d.insert(last.to, ",")
	}
}

// addFirst does what add does, for an empty container.
func (d *document) addFirst(c container, render func(indent string, oneLine bool) string, after int, line bool) {
	nl := d.lineEnd()
	if !bytes.ContainsRune(d.text, '\n') && bytes.ContainsRune(d.text, ':') && !line {
		d.insert(c.open+1+after, render("", true)) // the document is one line
		return
	}
	outer := d.lineIndent(c.open)
	indent := outer + d.indentUnit()
	switch rest := c.trailing[after:]; {
	case line:
		d.insert(c.open+1+after, indent+render(indent, false)+nl)
	case bytes.ContainsRune(rest, '\n'):
		d.insert(c.open+1+after, nl+indent+render(indent, false))
	default:
		d.insert(c.open+1+after, nl+indent+render(indent, false)+nl+outer)
	}
}

// render returns a function that renders a value as JSON with the document's line ends.
func (d *document) render(name string, v any) func(indent string, oneLine bool) string {
	unit, nl := d.indentUnit(), d.lineEnd()
	return func(indent string, oneLine bool) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if !oneLine {
			e.SetIndent(indent, unit)
		}
		if err := e.Encode(v); err != nil {
			panic(err) // only values from this package are encoded
		}
		text := strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", nl)
		switch {
		case name == "":
			return text
		case oneLine:
			return `"` + name + `":` + text
		}
		return `"` + name + `": ` + text
	}
}

// descend follows the keys from the root and returns the container there. It creates missing
// objects, and an array for the last key if array is true.
func (d *document) descend(array bool, keys ...string) (container, error) {
	root, skip, err := d.parse()
	if err != nil {
		return container{}, err
	}
	if root == nil {
		d.insert(len(d.text), "{}"+d.lineEnd())
		return d.descend(array, keys...)
	}
	c, ok := containerOf(*root, skip)
	if !ok || !c.object {
		return container{}, fmt.Errorf("the document is %s instead of an object", kindOf(*root))
	}
	for n, key := range keys {
		want, empty := "an object", any(map[string]any{})
		if array && n == len(keys)-1 {
			want, empty = "an array", []any{}
		}
		m, found := c.member(key)
		if !found {
			d.add(c, d.render(key, empty))
			return d.descend(array, keys...)
		}
		if c, ok = containerOf(m.value, skip); !ok || c.object != (want == "an object") {
			return c, fmt.Errorf("%q is %s instead of %s", strings.Join(keys[:n+1], "."), kindOf(m.value), want)
		}
	}
	return c, nil
}

func kindOf(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case '0':
		return "a number"
	}
	return "true or false"
}

// appendTo appends a value to the array at the keys.
func (d *document) appendTo(v any, keys ...string) error {
	c, err := d.descend(true, keys...)
	if err == nil {
		d.add(c, d.render("", v))
	}
	return err
}

// spansOf returns the bytes to remove with an item: the item, the spaces before it, and a comma.
func (d *document) spansOf(c container, n int) []span {
	i := c.items[n]
	after, line := commentLength(i.before)
	own := span{i.from - (len(i.before) - after), i.to}
	if i.comma >= 0 { // also comments between the item and its comma
		own.To = i.comma + 1
	} else if n == 0 && after == 0 && len(bytes.TrimSpace(c.trailing)) == 0 {
		own.To = c.close
	}
	if next := bytes.TrimPrefix(d.text[own.To:], []byte("\r")); line && bytes.HasPrefix(next, []byte("\n")) {
		own.To = len(d.text) - len(next) + 1 // also its own line end; the line end before it ends the comment
	}
	if i.comma < 0 && n > 0 {
		return []span{{c.items[n-1].comma, c.items[n-1].comma + 1}, own}
	}
	return []span{own}
}

// SetMember sets the member at the keys to a value and changes no other byte of the JSON text.
// Missing members, and the objects above them, are appended in the text's indentation and line
// ends. If the member already has the value, the text is unchanged. Errors name the line and
// column, or the key that leads to a value of another type.
func SetMember(text []byte, v any, keys ...string) ([]byte, error) {
	d := &document{text: bytes.Clone(text)}
	last := len(keys) - 1
	c, err := d.descend(false, keys[:last]...)
	if err != nil {
		return nil, err
	}
	m, found := c.member(keys[last])
	if !found {
		d.add(c, d.render(keys[last], v))
		return d.text, nil
	}
	_, skip, err := d.parse()
	if err != nil {
		return nil, err
	}
	from, to := m.value.StartOffset+skip, m.value.EndOffset+skip
	is := d.render("", v)(d.lineIndent(from), false)
	was, want := m.value.Clone(), hujson.Value{}
	if want, err = hujson.Parse([]byte(is)); err != nil {
		return nil, err
	}
	was.Minimize()
	want.Minimize()
	if bytes.Equal(bytes.TrimSpace(was.Pack()), want.Pack()) {
		return text, nil
	}
	return slices.Replace(d.text, from, to, []byte(is)...), nil
}
