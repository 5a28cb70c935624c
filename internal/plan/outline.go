package plan

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Heading is a heading and the section under it.
type OutlineHeading struct {
	Level      int // 1 to 6
	Title      string
	ID         string // of a title that ends in {#id}
	Start, End int    // from the heading's first byte to the next heading of its level or above
	After      int    // where the line after the heading starts
	Parent     int    // the heading it is under; -1 for none
}

// Comment is an HTML comment with its bytes.
type HTMLComment struct {
	Start, End int
	Text       string // what it says, without its signs
}

// Doc is what was read.
type Outline struct {
	Headings []OutlineHeading
	Comments []HTMLComment
}

// Error is a text that is wrong, and where.
type OutlineError struct {
	Line int
	What string
}

// Error returns the place and what is wrong with it.
func (e *OutlineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// Read reads a text. A fence or a comment that is never closed would hide all that follows
// it: that is an *Error.
func ReadOutline(src []byte, x *Index) (*Outline, error) {
	r := &outlineReader{src: src, x: x, doc: &Outline{}, para: -1}
	for n := r.front() + 1; n <= x.Count(); n++ {
		if err := r.line(n); err != nil {
			return nil, err
		}
	}
	switch {
	case r.fence != "":
		return nil, &OutlineError{r.opened, fmt.Sprintf("the fence %s is never closed", r.fence)}
	case r.comment >= 0 && r.inComment:
		return nil, &OutlineError{x.Line(r.comment), "a comment is never closed"}
	}
	r.nest()
	return r.doc, nil
}

type outlineReader struct {
	src []byte
	x   *Index
	doc *Outline

	fence     string // what a block of code is closed with
	opened    int    // the line it was opened on
	quiet     string // what a block of HTML is closed with; " " is an empty line
	inComment bool
	comment   int // where the open comment starts
	para      int // where the open paragraph starts; -1 for none
	item      int // where the text of the open item of a list starts; 0 for none
	blank     bool
}

var (
	atx    = lazyregexp.New(`^ {0,3}(#{1,6})(?:[ \t]+(.*))?$`)
	under  = lazyregexp.New(`^ {0,3}(=+|-+)[ \t]*$`)
	fenced = lazyregexp.New("^[ \t]*(`{3,}|~{3,})(.*)$")
	bullet = lazyregexp.New(`^([ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$))(.*)$`)
	rule   = lazyregexp.New(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	block  = lazyregexp.New(`(?i)^ {0,3}</?(?:address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt|` +
		`fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|main|menu|nav|ol|optgroup|` +
		`option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:[ \t/>]|$)`)
	literal = lazyregexp.New(`(?i)^ {0,3}<(pre|script|style|textarea)(?:[ \t>]|$)`)
	anchor  = lazyregexp.New(`[ \t]*\{#([^\s}]+)\}[ \t]*$`)
	link    = lazyregexp.New(`!?\[([^\]]*)\]\([^)]*\)`)
)

// front returns the number of the last line of front matter, 0 for none.
func (r *outlineReader) front() int {
	if strings.TrimRight(r.text(1), " \t") != "---" {
		return 0
	}
	for n := 2; n <= r.x.Count(); n++ {
		if t := strings.TrimRight(r.text(n), " \t"); t == "---" || t == "..." {
			return n
		}
	}
	return 0
}

func (r *outlineReader) text(n int) string {
	at := r.x.At(n)
	return string(r.src[at:r.x.End(at)])
}

// line reads line n.
func (r *outlineReader) line(n int) error {
	t, at := r.text(n), r.x.At(n)
	blank := strings.TrimSpace(t) == ""
	defer func() { r.blank = blank }()
	if r.skipped(t, blank) {
		return nil
	}
	if r.inComment {
		return r.comments(at, t)
	}
	switch {
	case blank:
		r.para = -1
		return nil
	case indent(t) >= 4 && r.para < 0 && r.item == 0:
		return nil // code
	case r.opens(t, n):
		return nil
	case r.heading(t, n):
		return nil
	}
	return r.prose(t, at)
}

// skipped passes over lines of code and of HTML.
func (r *outlineReader) skipped(t string, blank bool) bool {
	if r.fence != "" {
		if f := fenced.FindStringSubmatch(t); f != nil && strings.HasPrefix(f[1], r.fence) && strings.TrimSpace(f[2]) == "" {
			r.fence = ""
		}
		return true
	}
	switch {
	case r.quiet == "":
		return false
	case r.quiet == " ":
		if !blank {
			return !strings.Contains(t, "<!--") // a comment is one there, too
		}
		r.quiet = ""
		return false
	case strings.Contains(strings.ToLower(t), r.quiet):
		r.quiet = ""
	}
	return true
}

// opens reports whether a line starts a block of code or of HTML.
func (r *outlineReader) opens(t string, n int) bool {
	if !strings.ContainsAny(t, "`~<") {
		return false
	}
	inner := t
	if b := bullet.FindStringSubmatch(t); b != nil {
		inner = b[2]
	}
	if f := fenced.FindStringSubmatch(inner); f != nil && (f[1][0] == '~' || !strings.Contains(f[2], "`")) {
		r.fence, r.opened, r.para = f[1], n, -1
		return true
	}
	if m := literal.FindStringSubmatch(t); m != nil {
		if end := "</" + strings.ToLower(m[1]) + ">"; !strings.Contains(strings.ToLower(t), end) {
			r.quiet = end
		}
		r.para = -1
		return true
	}
	if block.MatchString(t) && r.quiet == "" {
		r.quiet, r.para = " ", -1
		return !strings.Contains(t, "<!--")
	}
	return false
}

// heading reads a heading, of one line or underlined.
func (r *outlineReader) heading(t string, n int) bool {
	at := r.x.At(n)
	if r.quiet != "" || r.item > 0 && indent(t) >= r.item {
		return false
	}
	if !strings.ContainsAny(t[:min(len(t), 4)], "#=-") {
		return false
	}
	if h := atx.FindStringSubmatch(t); h != nil {
		r.add(len(h[1]), h[2], at, at)
		return true
	}
	if u := under.FindStringSubmatch(t); u != nil && r.para >= 0 && r.item == 0 {
		level := 2
		if u[1][0] == '=' {
			level = 1
		}
		r.add(level, string(r.src[r.para:r.x.End(r.x.At(n-1))]), r.para, at)
		return true
	}
	return false
}

func (r *outlineReader) add(level int, title string, start, last int) {
	h := OutlineHeading{Level: level, Start: start, After: r.x.Next(last), Parent: -1}
	title = strings.Join(strings.Fields(title), " ")
	if bare := strings.TrimRight(title, "#"); bare != title && (bare == "" || strings.HasSuffix(bare, " ")) {
		title = strings.TrimSpace(bare)
	}
	if m := anchor.FindStringSubmatch(title); m != nil {
		h.ID, title = m[1], strings.TrimSpace(strings.TrimSuffix(title, m[0]))
	}
	title = link.ReplaceAllString(title, "$1")
	h.Title = strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "", "\\", "").Replace(title))
	r.doc.Headings = append(r.doc.Headings, h)
	r.para, r.item = -1, 0
}

// prose reads what is none of the others.
func (r *outlineReader) prose(t string, at int) error {
	switch b := bullet.FindStringSubmatch(t); {
	case rule.MatchString(t):
		r.para, r.item = -1, 0
	case b != nil && indent(t) < 4+r.item:
		r.item, r.para = max(1, width(b[1])), -1
	case strings.HasPrefix(strings.TrimLeft(t, " "), ">"):
		r.para, r.item = -1, 0
		return nil // what is quoted is not said
	case indent(t) == 0 && r.blank:
		r.item, r.para = 0, at
	case r.para < 0 && r.item == 0:
		r.para = at
	}
	if r.item > 0 {
		r.para = -1
	}
	if strings.HasPrefix(strings.TrimLeft(t, " "), "<!--") {
		r.para = -1
	}
	return r.comments(at, t)
}

// comments finds the comments of a line of text that is no code. One that is open continues.
func (r *outlineReader) comments(at int, t string) error {
	for i := 0; i < len(t); {
		if r.inComment {
			end := strings.Index(t[i:], "-->")
			if end < 0 {
				return nil
			}
			end += i + 3
			r.inComment = false
			from := r.comment + 4
			r.doc.Comments = append(r.doc.Comments, HTMLComment{r.comment, at + end, string(r.src[from:max(from, at+end-3)])})
			i = end
			continue
		}
		next := strings.IndexAny(t[i:], "<`\\")
		if next < 0 {
			return nil
		}
		i += next
		switch {
		case t[i] == '\\':
			i += 2 // what is behind it is itself
		case t[i] == '`':
			i = codeEnd(t, i)
		case strings.HasPrefix(t[i:], "<!--"):
			r.inComment, r.comment = true, at+i
			i += 4
			if strings.HasPrefix(t[i:], ">") || strings.HasPrefix(t[i:], "->") { // <!--> is a whole one
				r.inComment = false
			}
		default:
			i++
		}
	}
	return nil
}

// codeEnd passes over code in a line: as many marks close it as opened it.
func codeEnd(t string, i int) int {
	n := len(t[i:]) - len(strings.TrimLeft(t[i:], "`"))
	for k := i + n; k < len(t); {
		if t[k] != '`' {
			k++
			continue
		}
		m := len(t[k:]) - len(strings.TrimLeft(t[k:], "`"))
		if k += m; m == n {
			return k
		}
	}
	return i + n
}

// nest gives every heading its parent and its end.
func (r *outlineReader) nest() {
	var open []int
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		for len(open) > 0 && r.doc.Headings[open[len(open)-1]].Level >= h.Level {
			r.doc.Headings[open[len(open)-1]].End = h.Start
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			h.Parent = open[len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		r.doc.Headings[i].End = len(r.src)
	}
}

func indent(t string) int { return width(t[:len(t)-len(strings.TrimLeft(t, " \t"))]) }

// width is how many columns a text takes, tabs to the next fourth.
func width(t string) int {
	n := 0
	for i := range len(t) {
		if t[i] == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n
}
