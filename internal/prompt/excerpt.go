package prompt

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// Bounds on what is shown.
const (
	Around   = 5  // lines on either side of a place
	Longest  = 40 // lines of a declaration that is shown whole
	mostLine = 400
	Largest  = 2 << 20 // bytes of a file that is looked into
)

// Range is lines First to Last, from 1, both included.
type Range struct{ First, Last int }

// Excerpt is a stretch of a file.
type Excerpt struct {
	Range
	Lines []string // made visible, cut where they are very long
}

// Of gives the excerpts that show all places of a file, in order, without overlap. A
// place beyond the end shows the end; no places show the head of the file. ok is false
// for a file that is binary or too large to look into.
func Of(name string, text []byte, places []Range) (list []Excerpt, ok bool) {
	around := indented
	if strings.HasSuffix(name, ".go") && len(text) <= Largest {
		around = inGo(text)
	}
	return of(text, places, around)
}

// Narrow is Of without whole declarations: a few lines on either side of each place.
func Narrow(text []byte, places []Range) ([]Excerpt, bool) {
	return of(text, places, func([]string, Range) (Range, bool) { return Range{}, false })
}

func of(text []byte, places []Range, around func([]string, Range) (Range, bool)) (list []Excerpt, ok bool) {
	if len(text) > Largest || bytes.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(places) == 0 {
		places = []Range{{1, 1}}
	}
	var ranges []Range
	for _, p := range places {
		ranges = append(ranges, shownLines(lines, p, around))
	}
	for _, r := range merged(ranges) {
		e := Excerpt{Range: r}
		for _, l := range lines[r.First-1 : r.Last] {
			e.Lines = append(e.Lines, plain(l))
		}
		list = append(list, e)
	}
	return list, true
}

// shown widens a place to what is shown of it.
func shownLines(lines []string, p Range, around func([]string, Range) (Range, bool)) Range {
	n := len(lines)
	p.First = min(max(p.First, 1), n)
	p.Last = min(max(p.Last, p.First), n)
	if p.Last-p.First >= Longest {
		p.Last = p.First + Longest - 1
	}
	if r, ok := around(lines, p); ok && r.First <= p.First && r.Last >= p.Last && r.Last-r.First < Longest {
		return r
	}
	return Range{max(1, p.First-Around), min(n, p.Last+Around)}
}

// merged sorts ranges and joins those that overlap, touch, or leave out so little that
// saying so would take as much room.
func merged(list []Range) []Range {
	slices.SortFunc(list, func(a, b Range) int { return a.First - b.First })
	var out []Range
	for _, r := range list {
		if n := len(out); n > 0 && r.First <= out[n-1].Last+2 {
			out[n-1].Last = max(out[n-1].Last, r.Last)
			continue
		}
		out = append(out, r)
	}
	return out
}

func plain(l string) string {
	l = belay.VisibleLine(strings.TrimSuffix(strings.ReplaceAll(l, "\t", "    "), "\r"))
	if len(l) <= mostLine {
		return l
	}
	cut := mostLine
	for cut > 0 && !utf8.RuneStart(l[cut]) {
		cut--
	}
	return l[:cut] + "…"
}

// String writes the lines with their numbers.
func (e Excerpt) String() string {
	var b strings.Builder
	width := len(fmt.Sprint(e.Last))
	for i, l := range e.Lines {
		fmt.Fprintf(&b, "%*d  %s\n", width, e.First+i, l)
	}
	return b.String()
}

// inGo finds the smallest declaration, or function literal's function, by the syntax.
// Files that do not parse are read as far as they do.
func inGo(text []byte) func([]string, Range) (Range, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	return func(lines []string, p Range) (Range, bool) {
		if file == nil {
			return indented(lines, p)
		}
		for _, d := range file.Decls {
			from := d.Pos()
			if doc := docOf(d); doc != nil {
				from = doc.Pos()
			}
			r := Range{fset.Position(from).Line, min(fset.Position(d.End()).Line, len(lines))}
			if r.First <= p.First && r.Last >= p.Last {
				return r, true
			}
		}
		if err != nil { // it does not parse as far as here
			return indented(lines, p)
		}
		return Range{}, false
	}
}

func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// indented finds the block around a place by indentation: up to the nearest line that
// is indented less and opens a block, down to the line that ends it.
func indented(lines []string, p Range) (Range, bool) {
	own := depth(lines[p.First-1])
	if own < 0 {
		return Range{}, false
	}
	first := p.First
	if !opens(lines[first-1]) || !deeper(lines[first:], own) {
		for first > 1 && !heads(lines[first-1], own) {
			first--
			if p.First-first > Longest {
				return Range{}, false
			}
		}
		if !heads(lines[first-1], own) {
			return Range{}, false
		}
	}
	head := depth(lines[first-1])
	for first > 1 && attached(lines[first-2], head) {
		first--
	}
	last := p.Last
	for last < len(lines) && (depth(lines[last]) < 0 || depth(lines[last]) > head) {
		last++
	}
	if last < len(lines) && depth(lines[last]) == head && closes(lines[last]) {
		last++
	}
	for last > p.Last && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	return Range{first, last}, true
}

// deeper tells whether the next line with something in it is indented more.
func deeper(lines []string, than int) bool {
	for _, l := range lines {
		if d := depth(l); d >= 0 {
			return d > than
		}
	}
	return false
}

// heads tells whether a line opens a block that holds lines indented by own.
func heads(l string, own int) bool {
	d := depth(l)
	return d >= 0 && d < own && opens(l)
}

// depth is the indentation of a line, a tab counting as four, -1 for a blank one.
func depth(l string) int {
	n := 0
	for _, r := range l {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4
		case '\r':
		default:
			return n
		}
	}
	return -1
}

// opens tells whether a line begins a block in one of the ways common languages do.
func opens(l string) bool {
	l = strings.TrimSpace(l)
	if l == "" || strings.ContainsAny(l[:1], "})];") {
		return false
	}
	if strings.IndexByte("{:([", l[len(l)-1]) >= 0 || strings.HasSuffix(l, "=>") || strings.HasSuffix(l, "->") {
		return true
	}
	word, _, _ := strings.Cut(l, " ")
	return slices.Contains([]string{"def", "class", "module", "function", "do", "describe", "it", "test", "fn", "sub"},
		strings.TrimRight(word, "("))
}

func closes(l string) bool {
	l = strings.TrimSpace(l)
	return l == "end" || l != "" && strings.ContainsAny(l[:1], "})]")
}

// attached tells whether the line above a head belongs to it: a comment, a decorator,
// an attribute.
func attached(l string, head int) bool {
	t := strings.TrimSpace(l)
	if depth(l) < 0 || depth(l) < head || depth(l) > head+1 {
		return false
	}
	for _, mark := range []string{"//", "#", "/*", "*", "@", "--", "///", "\"\"\""} {
		if strings.HasPrefix(t, mark) {
			return true
		}
	}
	return false
}
