package count

import (
	"bytes"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// ScanHTML returns the siblings in an HTML text, by tag.
func ScanHTML(src []byte) []*List {
	h := &html{src: src}
	h.stack = []node{{groups: map[string]*List{}}}
	h.run()
	return h.lists
}

type node struct {
	tag    string
	names  []string // id, classes, label
	groups map[string]*List
	in     *List
	index  int
}

type html struct {
	src     []byte
	i       int
	at      lineCounter
	stack   []node
	lists   []*List
	heading string
}

var voidTags = lazyregexp.Of("area base br col embed hr img input link meta source track wbr param")

// impliedEnds maps start tags to the open elements that they end, and to the elements that limit
// this.
var impliedEnds = map[string]struct{ ends, within *lazyregexp.Set }{
	"li":       {lazyregexp.Of("li"), lazyregexp.Of("ul ol menu")},
	"tr":       {lazyregexp.Of("tr td th"), lazyregexp.Of("table")},
	"td":       {lazyregexp.Of("td th"), lazyregexp.Of("tr table")},
	"th":       {lazyregexp.Of("td th"), lazyregexp.Of("tr table")},
	"tbody":    {lazyregexp.Of("thead tbody tfoot tr td th"), lazyregexp.Of("table")},
	"thead":    {lazyregexp.Of("thead tbody tfoot tr td th"), lazyregexp.Of("table")},
	"tfoot":    {lazyregexp.Of("thead tbody tfoot tr td th"), lazyregexp.Of("table")},
	"dt":       {lazyregexp.Of("dt dd"), lazyregexp.Of("dl")},
	"dd":       {lazyregexp.Of("dt dd"), lazyregexp.Of("dl")},
	"option":   {lazyregexp.Of("option"), lazyregexp.Of("select datalist")},
	"optgroup": {lazyregexp.Of("option optgroup"), lazyregexp.Of("select")},
}

var endsParagraph = lazyregexp.Of("p div ul ol dl table section article aside header footer nav h1 h2 h3 h4 h5 h6 form pre blockquote")

func (h *html) run() {
	for h.i < len(h.src) {
		lt := bytes.IndexByte(h.src[h.i:], '<')
		if lt < 0 {
			h.addText(h.src[h.i:])
			return
		}
		h.addText(h.src[h.i : h.i+lt])
		h.i += lt
		rest := h.src[h.i:]
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			h.skip("-->", 4)
		case bytes.HasPrefix(rest, []byte("<!")), bytes.HasPrefix(rest, []byte("<?")):
			h.skip(">", 1)
		case bytes.HasPrefix(rest, []byte("</")):
			h.readEndTag()
		case len(rest) > 1 && isLetter(rest[1]):
			h.readStartTag()
		default:
			h.i++
		}
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (h *html) skip(end string, from int) {
	n := bytes.Index(h.src[min(len(h.src), h.i+from):], []byte(end))
	if n < 0 {
		h.i = len(h.src)
		return
	}
	h.i += from + n + len(end)
}

// addText gives an item its label, and remembers headings.
func (h *html) addText(raw []byte) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return
	}
	text := Shorten(string(raw[:min(len(raw), 300)]))
	for k := len(h.stack) - 1; k > 0 && k > len(h.stack)-6; k-- {
		n := &h.stack[k]
		if n.in != nil && n.in.Items[n.index].Label == "" {
			n.in.Items[n.index].Label = text
		}
		if len(n.tag) == 2 && n.tag[0] == 'h' || n.tag == "caption" || n.tag == "legend" || n.tag == "summary" {
			h.heading = text
			if k > 1 {
				h.stack[k-1].names = append(h.stack[k-1].names, text)
			}
		}
	}
}

// lineCounter counts the lines of a text up to ascending offsets.
type lineCounter struct{ before, counted, start int }

// position returns the line and the column of an offset, both from 1.
func (l *lineCounter) position(src []byte, at int) (line, col int) {
	l.before += bytes.Count(src[l.counted:at], []byte("\n"))
	if n := bytes.LastIndexByte(src[l.counted:at], '\n'); n >= 0 {
		l.start = l.counted + n + 1
	}
	l.counted = at
	return l.before + 1, at - l.start + 1
}

func (h *html) readEndTag() {
	end := bytes.IndexByte(h.src[h.i:], '>')
	if end < 0 {
		h.i = len(h.src)
		return
	}
	tag := strings.ToLower(string(bytes.TrimSpace(h.src[h.i+2 : h.i+end])))
	h.i += end + 1
	for k := len(h.stack) - 1; k > 0 && k > len(h.stack)-64; k-- {
		if h.stack[k].tag == tag {
			h.stack = h.stack[:k]
			return
		}
		if h.stack[k].tag == "table" && tag != "body" {
			return
		}
	}
}

func (h *html) readStartTag() {
	at := h.i
	tag, names, label, closed := h.readTag()
	h.closeImplied(tag)
	parent := &h.stack[len(h.stack)-1]
	line, col := h.at.position(h.src, at)
	var in *List
	if len(h.stack) < 200 {
		in = h.siblingGroup(tag, parent, line, col)
		if len(in.Items) == 0 { // names of the first item distinguish one list of <div> from another
			in.Words = append(slices.Clip(in.Words), names...)
		}
		in.Items = append(in.Items, Item{Label: label, Line: line, Col: col})
	}
	if voidTags.Has(tag) || closed {
		return
	}
	if tag == "script" || tag == "style" || tag == "textarea" || tag == "title" {
		h.skipRaw(tag)
		return
	}
	n := node{tag: tag, names: names, in: in, groups: map[string]*List{}}
	if in != nil {
		n.index = len(in.Items) - 1
	}
	if len(h.stack) < 20_000 {
		h.stack = append(h.stack, n)
	}
}

func (h *html) skipRaw(tag string) {
	rest := h.src[h.i:]
	for off := 0; ; {
		n := bytes.Index(rest[off:], []byte("</"))
		if n < 0 {
			h.i = len(h.src)
			return
		}
		off += n
		if name := rest[off+2 : min(len(rest), off+2+len(tag))]; strings.EqualFold(string(name), tag) {
			h.i += off
			h.skip(">", 1)
			return
		}
		off += 2
	}
}

// closeImplied ends the elements that a start tag ends implicitly.
func (h *html) closeImplied(tag string) {
	if endsParagraph.Has(tag) && h.stack[len(h.stack)-1].tag == "p" {
		h.stack = h.stack[:len(h.stack)-1]
	}
	rule, ok := impliedEnds[tag]
	if !ok {
		return
	}
	cut := len(h.stack)
	for k := len(h.stack) - 1; k > 0 && k > len(h.stack)-64; k-- {
		if rule.within.Has(h.stack[k].tag) {
			break
		}
		if rule.ends.Has(h.stack[k].tag) {
			cut = k
		}
	}
	h.stack = h.stack[:cut]
}

func (h *html) siblingGroup(tag string, parent *node, line, col int) *List {
	if l := parent.groups[tag]; l != nil {
		return l
	}
	l := &List{Name: tag, Kind: Elements, Line: line, Col: col}
	switch {
	case tag == "tr" && parent.tag != "thead" && parent.tag != "tfoot":
		l.Kind = Rows
	case tag == "th":
		l.Kind = Columns
	}
	for k := max(1, len(h.stack)-8); k < len(h.stack); k++ {
		n := h.stack[k]
		name := n.tag
		if len(n.names) > 0 {
			name = n.names[0]
		}
		if n.tag == tag {
			l.Depth += 4 // nested in an element with the same tag
		}
		l.Path = append(l.Path, name)
	}
	l.Words = append(append([]string{parent.tag}, parent.names...), h.heading)
	parent.groups[tag] = l
	h.lists = append(h.lists, l)
	return l
}

// readTag reads a start tag, and returns the names and the label of its element.
func (h *html) readTag() (tag string, names []string, label string, closed bool) {
	i := h.i + 1
	for i < len(h.src) && !bytes.ContainsRune([]byte(" \t\r\n/>"), rune(h.src[i])) {
		i++
	}
	tag = strings.ToLower(string(h.src[h.i+1 : i]))
	for i < len(h.src) && h.src[i] != '>' {
		c := h.src[i]
		if c == '/' || c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			closed = c == '/'
			i++
			continue
		}
		closed = false
		var key, value string
		key, value, i = h.readAttribute(i)
		switch key {
		case "id":
			names = append([]string{value}, names...)
		case "class", "aria-label", "name", "title":
			names = append(names, value)
		case "href", "src", "value", "alt", "data-id":
			if label == "" {
				label = Shorten(value)
			}
		}
	}
	h.i = min(len(h.src), i+1)
	switch tag {
	case "img", "a", "option", "input", "script", "link":
	default:
		label = ""
	}
	return tag, names, label, closed
}

func (h *html) readAttribute(i int) (key, value string, next int) {
	from := i
	for i < len(h.src) && !bytes.ContainsRune([]byte(" \t\r\n/>="), rune(h.src[i])) {
		i++
	}
	key = strings.ToLower(string(h.src[from:i]))
	if i == from {
		i++
	}
	if i >= len(h.src) || h.src[i] != '=' {
		return key, "", i
	}
	i++
	if i < len(h.src) && (h.src[i] == '"' || h.src[i] == '\'') {
		end := bytes.IndexByte(h.src[i+1:], h.src[i])
		if end < 0 {
			return key, "", len(h.src)
		}
		return key, string(h.src[i+1 : i+1+end]), i + end + 2
	}
	from = i
	for i < len(h.src) && !bytes.ContainsRune([]byte(" \t\r\n>"), rune(h.src[i])) {
		i++
	}
	return key, string(h.src[from:i]), i
}
