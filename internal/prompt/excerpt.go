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

// Limits of excerpts.
const (
	ContextLines   = 5  // lines before and after a place
	MaxDeclaration = 40 // lines of a declaration that is shown completely
	maxLineBytes   = 400
	MaxFileBytes   = 2 << 20 // size of a file that is read for excerpts
)

// Range is lines First to Last, from 1, both included.
type Range struct{ First, Last int }

// Excerpt is a range of lines of a file.
type Excerpt struct {
	Range
	Lines []string // with invisible characters escaped; truncated if very long
}

// Excerpts returns the excerpts that show all places of a file, in order, without overlap. A place
// beyond the end shows the end; without places it shows the start of the file. ok is false for a
// binary or too large file.
func Excerpts(name string, text []byte, places []Range) (list []Excerpt, ok bool) {
	around := indentedBlock
	if strings.HasSuffix(name, ".go") && len(text) <= MaxFileBytes {
		around = goDeclaration(text)
	}
	return newExcerpts(text, places, around)
}

// NarrowExcerpts is Excerpts without complete declarations: it shows a few lines on either
// side of each place.
func NarrowExcerpts(text []byte, places []Range) ([]Excerpt, bool) {
	return newExcerpts(text, places, func([]string, Range) (Range, bool) { return Range{}, false })
}

func newExcerpts(text []byte, places []Range, around func([]string, Range) (Range, bool)) (list []Excerpt, ok bool) {
	if len(text) > MaxFileBytes || bytes.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(places) == 0 {
		places = []Range{{1, 1}}
	}
	var ranges []Range
	for _, p := range places {
		ranges = append(ranges, linesAround(lines, p, around))
	}
	for _, r := range mergeRanges(ranges) {
		e := Excerpt{Range: r}
		for _, l := range lines[r.First-1 : r.Last] {
			e.Lines = append(e.Lines, visibleLine(l))
		}
		list = append(list, e)
	}
	return list, true
}

// linesAround returns the lines to show for a place.
func linesAround(lines []string, p Range, around func([]string, Range) (Range, bool)) Range {
	n := len(lines)
	p.First = min(max(p.First, 1), n)
	p.Last = min(max(p.Last, p.First), n)
	if p.Last-p.First >= MaxDeclaration {
		p.Last = p.First + MaxDeclaration - 1
	}
	if r, ok := around(lines, p); ok && r.First <= p.First && r.Last >= p.Last && r.Last-r.First < MaxDeclaration {
		return r
	}
	return Range{max(1, p.First-ContextLines), min(n, p.Last+ContextLines)}
}

// mergeRanges sorts ranges and merges those that overlap, touch, or have at most one line between
// them.
func mergeRanges(list []Range) []Range {
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

func visibleLine(l string) string {
	l = belay.VisibleLine(strings.TrimSuffix(strings.ReplaceAll(l, "\t", "    "), "\r"))
	if len(l) <= maxLineBytes {
		return l
	}
	cut := maxLineBytes
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

// goDeclaration returns a function that finds the top-level declaration around a place by syntax.
// If the file has syntax errors, it falls back to indentation.
func goDeclaration(text []byte) func([]string, Range) (Range, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	return func(lines []string, p Range) (Range, bool) {
		if file == nil {
			return indentedBlock(lines, p)
		}
		for _, d := range file.Decls {
			from := d.Pos()
			if doc := docOf(d); doc != nil {
				from = doc.Pos()
			}
			line := func(p token.Pos) int { return fset.PositionFor(p, false).Line } // without //line directives
			r := Range{line(from), min(line(d.End()), len(lines))}
			if r.First <= p.First && r.Last >= p.Last {
				return r, true
			}
		}
		if err != nil { // it may be in the part that does not parse
			return indentedBlock(lines, p)
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

// indentedBlock finds the block around a place by indentation: from the nearest line above that is
// indented less and opens a block to the line that ends it.
func indentedBlock(lines []string, p Range) (Range, bool) {
	own := indentation(lines[p.First-1])
	if own < 0 {
		return Range{}, false
	}
	first := p.First
	if !looksLikeHead(lines[first-1]) || !nextIsDeeper(lines[first:], own) {
		for first > 1 && !opensBlock(lines[first-1], own) {
			first--
			if p.First-first > MaxDeclaration {
				return Range{}, false
			}
		}
		if !opensBlock(lines[first-1], own) {
			return Range{}, false
		}
	}
	head := indentation(lines[first-1])
	for first > 1 && belongsToHead(lines[first-2], head) {
		first--
	}
	last := p.Last
	for last < len(lines) && (indentation(lines[last]) < 0 || indentation(lines[last]) > head) {
		last++
	}
	if last < len(lines) && indentation(lines[last]) == head && closesBlock(lines[last]) {
		last++
	}
	for last > p.Last && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	return Range{first, last}, true
}

// nextIsDeeper reports whether the next line that is not blank is indented more.
func nextIsDeeper(lines []string, than int) bool {
	for _, l := range lines {
		if d := indentation(l); d >= 0 {
			return d > than
		}
	}
	return false
}

// opensBlock reports whether a line opens a block with lines indented by own.
func opensBlock(l string, own int) bool {
	d := indentation(l)
	return d >= 0 && d < own && looksLikeHead(l)
}

// indentation returns the indentation of a line, with four for a tab; -1 for a blank line.
func indentation(l string) int {
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

// looksLikeHead reports whether a line looks like the start of a block in common languages.
func looksLikeHead(l string) bool {
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

func closesBlock(l string) bool {
	l = strings.TrimSpace(l)
	return l == "end" || l != "" && strings.ContainsAny(l[:1], "})]")
}

// belongsToHead reports whether the line above a head belongs to it, like a comment, a
// decorator or an attribute.
func belongsToHead(l string, head int) bool {
	t := strings.TrimSpace(l)
	if indentation(l) < 0 || indentation(l) < head || indentation(l) > head+1 {
		return false
	}
	for _, mark := range []string{"//", "#", "/*", "*", "@", "--", "///", "\"\"\""} {
		if strings.HasPrefix(t, mark) {
			return true
		}
	}
	return false
}
