package plan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Element is an element, or a fragment if it has no name.
type Element struct {
	Name        string
	Attrs       []Attr
	Start, End  int  // byte offsets of the element
	Open        int  // offset after the opening tag
	Close       int  // offset of the closing tag; Open if self-closing
	SelfClosing bool // <A />
	InCode      bool // inside an expression, not directly between tags
	Parent      int  // index of the enclosing element; -1 for none
}

// Attr is an attribute. If IsConstant, Value is its value; otherwise Value is the source of the
// expression.
type Attr struct {
	Name, Value string
	IsConstant  bool
}

// Place is the syntax around a comment.
type Place int

// The places of comments.
const (
	Code  Place = iota // between tokens of code
	Child              // between tags, alone in its braces
	InTag              // between the attributes of an opening tag
)

// Comment is a comment and its byte range, which includes the braces of a Child.
type Comment struct {
	Start, End int
	Text       string // without delimiters
	Place      Place
}

// Doc lists the elements and comments of a JSX source.
type Doc struct {
	Elements []Element // sorted by start
	Comments []Comment // sorted by start
}

// Error is a syntax error with its position.
type Error struct {
	Line, Col int
	Message   string
}

// Error returns the line and the message.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// maxDepth limits the nesting of brackets and elements.
const maxDepth = 400

// ReadJSX parses JSX source. Its errors are of type *Error.
func ReadJSX(src []byte, x *LineIndex) (*Doc, error) {
	r := &reader{src: src, x: x, doc: &Doc{}, parent: -1}
	if r.hasPrefix(ByteOrderMark) {
		r.i = len(ByteOrderMark)
	}
	if r.hasPrefix("#!") {
		r.i = x.End(r.i)
	}
	if err := r.readCode(0, 0); err != nil {
		return nil, err
	}
	return r.doc, nil
}

type reader struct {
	src    []byte
	x      *LineIndex
	i      int
	doc    *Doc
	parent int
	depth  int
	closed map[string]bool // names of all closing tags; see isClosed
}

var closingTag = lazyregexp.New(`</([\w$.:-]+)`)

// isClosed reports whether the source has a closing tag of this name.
func (r *reader) isClosed(name string) bool {
	if r.closed == nil {
		r.closed = map[string]bool{}
		for _, m := range closingTag.FindAllStringSubmatch(string(r.src), -1) {
			r.closed[m[1]] = true
		}
	}
	return r.closed[name]
}

func (r *reader) errorAt(at int, format string, args ...any) error {
	at = min(at, len(r.src))
	return &Error{r.x.Line(at), r.x.Col(at), fmt.Sprintf(format, args...)}
}

func (r *reader) hasPrefix(s string) bool {
	return len(r.src)-r.i >= len(s) && string(r.src[r.i:r.i+len(s)]) == s
}

// find returns the offset of the next s from here, or -1.
func (r *reader) find(s string) int {
	if at := bytes.Index(r.src[r.i:], []byte(s)); at >= 0 {
		return r.i + at
	}
	return -1
}

func isSpace(c byte) bool {
	return strings.IndexByte(" \t\n\r\f\v", c) >= 0
}

func isWordStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// enterLevel increments the depth until the returned function is called.
func (r *reader) enterLevel(at int) (func(), error) {
	if r.depth++; r.depth > maxDepth {
		return nil, r.errorAt(at, "brackets and tags are nested more than %d deep", maxDepth)
	}
	return func() { r.depth-- }, nil
}
