package plan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// OutlineHeading is a heading and the section under it.
type OutlineHeading struct {
	Level      int // 1 to 6
	Title      string
	ID         string // from a title that ends in {#id}
	Start, End int    // from the heading to the next heading of the same or a higher level
	After      int    // start of the line after the heading
	Parent     int    // index of the heading above it; -1 for none
}

// HTMLComment is an HTML comment and its byte range.
type HTMLComment struct {
	Start, End int
	Text       string // without delimiters
}

// Outline lists the headings and comments of a Markdown text.
type Outline struct {
	Headings []OutlineHeading
	Comments []HTMLComment
}

// ReadOutline parses Markdown. A fence or a comment that is never closed would hide everything
// after it, so it is an *Error.
func ReadOutline(src []byte, x *LineIndex) (*Outline, error) {
	r := &outlineReader{src: src, x: x, doc: &Outline{}}
	blocks, _ := count.Blocks(src)
	err := ast.Walk(blocks, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		return r.visit(n)
	})
	if err != nil {
		return nil, err
	}
	r.setParents()
	return r.doc, nil
}

type outlineReader struct {
	src []byte
	x   *LineIndex
	doc *Outline
}

var (
	anchor = lazyregexp.New(`[ \t]*\{#([^\s}]+)\}[ \t]*$`)
	link   = lazyregexp.New(`!?\[([^\]]*)\]\([^)]*\)`)
)

func (r *outlineReader) visit(n ast.Node) (ast.WalkStatus, error) {
	switch n := n.(type) {
	case *ast.Blockquote:
		return ast.WalkSkipChildren, nil // a quoted heading or marker is not the plan's
	case *ast.Heading:
		if n.Parent().Kind() == ast.KindDocument {
			r.addHeading(n)
		}
	case *ast.FencedCodeBlock:
		return ast.WalkSkipChildren, r.checkFence(n)
	case *ast.HTMLBlock:
		return ast.WalkSkipChildren, r.readHTML(n)
	case *ast.RawHTML:
		last := n.Segments.At(n.Segments.Len() - 1)
		r.readComments(n.Segments.At(0).Start, last.Stop)
	}
	return ast.WalkContinue, nil
}

// checkFence fails if a fence is not closed before the end of the text.
func (r *outlineReader) checkFence(n *ast.FencedCodeBlock) error {
	at := n.Pos()
	last := r.x.Line(at)
	if lines := n.Lines(); lines.Len() > 0 {
		last = r.x.Line(lines.At(lines.Len() - 1).Start)
	}
	if last < r.x.Count() {
		return nil
	}
	sign := strings.TrimLeft(string(r.src[at:r.x.End(at)]), " \t")
	sign = sign[:len(sign)-len(strings.TrimLeft(sign, sign[:1]))]
	return &Error{Line: r.x.Line(at), Message: fmt.Sprintf("the fence %s is never closed", sign)}
}

// readHTML reads the comments in an HTML block, except in script, style, pre and textarea.
func (r *outlineReader) readHTML(n *ast.HTMLBlock) error {
	switch from, to := htmlRange(n); {
	case n.HTMLBlockType == ast.HTMLBlockType2 && !n.HasClosure() && !bytes.Contains(r.src[from:to], []byte("-->")):
		return &Error{Line: r.x.Line(from), Message: "a comment is never closed"}
	case n.HTMLBlockType != ast.HTMLBlockType1:
		r.readComments(from, to)
	}
	return nil
}

func htmlRange(n *ast.HTMLBlock) (from, to int) {
	if from, to = n.Pos(), n.Pos(); n.Lines().Len() > 0 {
		to = n.Lines().At(n.Lines().Len() - 1).Stop
	}
	return from, max(to, n.ClosureLine.Stop)
}

// readComments adds the comments between two offsets.
func (r *outlineReader) readComments(from, to int) {
	for {
		at := bytes.Index(r.src[from:to], []byte("<!--"))
		if at < 0 {
			return
		}
		start := from + at
		from = start + len("<!--")
		if rest := r.src[from:to]; bytes.HasPrefix(rest, []byte(">")) || bytes.HasPrefix(rest, []byte("->")) {
			continue // <!--> is a complete comment
		}
		end := bytes.Index(r.src[from:to], []byte("-->"))
		if end < 0 {
			return
		}
		r.doc.Comments = append(r.doc.Comments, HTMLComment{start, from + end + 3, string(r.src[from : from+end])})
		from += end + 3
	}
}

// addHeading adds a heading in # or underlined form.
func (r *outlineReader) addHeading(n *ast.Heading) {
	start, last, title := n.Pos(), n.Pos(), ""
	if lines := n.Lines(); lines.Len() > 0 {
		start, last = lines.At(0).Start, lines.At(lines.Len()-1).Start
		title = string(r.src[start:lines.At(lines.Len()-1).Stop])
	}
	h := OutlineHeading{Level: n.Level, Start: r.x.Start(start), Parent: -1}
	if h.After = r.x.Next(last); !strings.HasPrefix(strings.TrimLeft(string(r.src[h.Start:]), " "), "#") {
		for h.After < len(r.src) && !isUnderline(r.src[h.After:r.x.End(h.After)]) {
			h.After = r.x.Next(h.After) // goldmark parsed these lines of the heading as a table
		}
		h.After = r.x.Next(h.After)
	}
	title = strings.Join(strings.Fields(title), " ")
	if m := anchor.FindStringSubmatch(title); m != nil {
		h.ID, title = m[1], strings.TrimSpace(strings.TrimSuffix(title, m[0]))
	}
	title = link.ReplaceAllString(title, "$1")
	h.Title = strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "", "\\", "").Replace(title))
	r.doc.Headings = append(r.doc.Headings, h)
}

// isUnderline reports whether a line underlines a heading.
func isUnderline(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(bytes.Trim(line, "=")) == 0 || len(bytes.Trim(line, "-")) == 0
}

// setParents sets the parent and the end of every heading.
func (r *outlineReader) setParents() {
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
