package plan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Element is an element or, without a name, a fragment.
type Element struct {
	Name        string
	Attrs       []Attr
	Start, End  int  // the bytes of all of it
	Open        int  // where the opening tag ends
	Close       int  // where the closing tag starts; Open for an element that closes itself
	SelfClosing bool // <A />
	InCode      bool // it is in code and not directly between tags
	Parent      int  // the element around it; -1 for none
}

// Attr is an attribute. Value is what it is when the source tells; else Const is false and
// Value the source of the expression.
type Attr struct {
	Name, Value string
	IsConstant  bool
}

// Place is what a comment is in.
type Place int

// The places of comments.
const (
	Code  Place = iota // between tokens of code
	Child              // between tags, in braces of its own
	InTag              // between the attributes of an opening tag
)

// Comment is a comment with its bytes; one that has braces of its own between tags is
// counted with them.
type Comment struct {
	Start, End int
	Text       string // what it says, without the signs that make it a comment
	Place      Place
}

// Doc is what was read.
type Doc struct {
	Elements []Element // in the order they start in
	Comments []Comment // in their order
}

// Error is source that is wrong, and where.
type Error struct {
	Line, Col int
	Message   string
}

// Error returns the place and what is wrong with it.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// maxDepth is how deep brackets and elements may be in each other.
const maxDepth = 400

// Read reads source. The error is an *Error.
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
	closed map[string]bool // the names of all closing tags, once they are asked for
}

var closingTag = lazyregexp.New(`</([\w$.:-]+)`)

// isClosed reports whether an element of this name is closed anywhere.
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

// find returns where s stands from here on, or -1.
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

// enterLevel holds the depth while one level is read.
func (r *reader) enterLevel(at int) (func(), error) {
	if r.depth++; r.depth > maxDepth {
		return nil, r.errorAt(at, "brackets and tags are nested more than %d deep", maxDepth)
	}
	return func() { r.depth-- }, nil
}
