package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// minElidedLines is the number of lines of code that must be missing at the comment.
const minElidedLines = 3

var (
	// elisions matches comments that models write in place of code that they leave out.
	elisions = lazyregexp.New(`(?i)(?:\.\.\.|…)\s*(?:\(?the )?\(?(?:rest|remaining|remainder|existing|other|previous|` +
		`same|unchanged|keep)\b` +
		`|\b(?:rest|remainder) of (?:the |this |your )?(?:\w+ )?(?:code|file|function|method|class|implementation|` +
		`module|component|imports?|tests?|content|body|logic)\b[^.]{0,40}(?:unchanged|the same|as before|remains?|` +
		`stays?|here|omitted|\.\.\.|…)` +
		`|\b(?:existing|previous|original|remaining|other) (?:code|implementation|methods?|functions?|imports?|logic|` +
		`tests?|content|fields|cases|handlers|routes|styles)\b\s*(?:goes |go |stays? |remains? |is |are )?(?:here|` +
		`unchanged|the same|omitted|as before|\.\.\.|…)` +
		`|\b(?:omitted|truncated|snipped|elided) for (?:brevity|clarity|space)\b`)
	// stubs matches function bodies that do nothing yet.
	stubs = lazyregexp.New(`(?i)\bTODO:?\s*\(?(?:implement|fill in|write|complete|` +
		`add (?:the )?(?:implementation|logic|code))\b|\byour code here\b|\bimplementation goes here\b` +
		`|\braise NotImplementedError\b|\bNotImplementedException\b|\btodo!\(|\bunimplemented!\(|` +
		`\bpanic\("(?:TODO|not (?:yet )?implemented|unimplemented)|` +
		`throw new Error\(["'\x60](?:TODO|not (?:yet )?implemented|unimplemented)|` +
		`\bUnsupportedOperationException\("(?:TODO|not (?:yet )?implemented)`)
	comment  = lazyregexp.New(`^\s*(?://|#|/\*|\*|<!--|--|;|%|\{/\*|"""|''')`)
	trailing = lazyregexp.New(`(?://|#|/\*|<!--|\{/\*)[^"']*$`)
)

// Placeholders returns the placeholders that the changes add. A comment that replaced code is an
// error; such a comment elsewhere, and a function body still to be written, is a warning. Prose is
// ignored.
func Placeholders(files []*syntax.File) []belay.Finding {
	parts := make([][]belay.Finding, len(files))
	syntax.ForEach(files, func(i int, f *syntax.File) {
		if f.IsDeleted() || syntax.IsBinary(f.After) || isProse(f.Path) || syntax.IsGenerated(f.Path) {
			return
		}
		parts[i] = findPlaceholders(f)
	})
	return slices.Concat(parts...)
}

func isProse(path string) bool {
	for _, end := range []string{".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".tex", ".patch", ".diff"} {
		if strings.HasSuffix(strings.ToLower(path), end) {
			return true
		}
	}
	return false
}

func findPlaceholders(f *syntax.File) (found []belay.Finding) {
	lines := bytes.Split(f.After, []byte("\n"))
	added := f.AddedLines()
	var gone *regions
	for i, line := range lines {
		if !added.Has(i + 1) {
			continue
		}
		text := string(line[:min(len(line), 2000)])
		if isInComment(text) && elisions.MatchString(text) {
			if gone == nil {
				gone = newRegions(f, len(lines))
			}
			found = append(found, elisionFinding(f.Path, i+1, strings.TrimSpace(text), gone.lostLines(i+1)))
			continue
		}
		if stubs.MatchString(text) && !syntax.IsTest(f.Path) && !isAbstract(lines, i) {
			found = append(found, belay.Finding{
				Severity: belay.SeverityWarning, Category: belay.CategoryPlaceholder, File: f.Path, Line: i + 1,
				Title:          "not implemented yet: " + clip(strings.TrimSpace(text)),
				Recommendation: "write the body, or say why it is left open",
			})
		}
	}
	return found
}

func elisionFinding(path string, line int, text string, lost int) belay.Finding {
	f := belay.Finding{
		Severity: belay.SeverityWarning, Category: belay.CategoryPlaceholder, File: path, Line: line,
		Title: "a comment stands for omitted code: " + clip(text), Recommendation: "write the code in full",
	}
	if lost >= minElidedLines {
		f.Severity = belay.SeverityError
		f.Title = fmt.Sprintf("a comment replaces %d lines of code: %s", lost, clip(text))
		f.Recommendation = "restore the code (git show HEAD:" + path + ") and change only what the task asks for"
	}
	return f
}

func clip(s string) string {
	return belay.Clip(s, 160)
}

func isInComment(line string) bool { return comment.MatchString(line) || trailing.MatchString(line) }

// isAbstract reports whether a body is empty on purpose: a Python method that subclasses must
// override.
func isAbstract(lines [][]byte, at int) bool {
	for i := at; i >= max(0, at-12); i-- {
		line := string(bytes.TrimSpace(lines[i]))
		if strings.Contains(line, "abstractmethod") ||
			strings.HasPrefix(line, "class ") &&
				(strings.Contains(line, "ABC") || strings.Contains(line, "Protocol") || strings.Contains(line, "Base")) {
			return true
		}
	}
	return false
}

// regions maps a change between two unchanged lines to the previous text there.
type regions struct {
	before, after         [][]byte
	keptBefore, keptAfter []int // numbers of lines that are in both texts, in order
}

func newRegions(f *syntax.File, n int) *regions {
	r := &regions{before: bytes.Split(f.Before, []byte("\n")), after: bytes.Split(f.After, []byte("\n"))}
	if f.IsCreated() {
		return r
	}
	added, removed := f.AddedLines(), syntax.AddedLines(f.After, f.Before)
	for i := 1; i <= n; i++ {
		if !added.Has(i) {
			r.keptAfter = append(r.keptAfter, i)
		}
	}
	for i := 1; i <= len(r.before); i++ {
		if !removed.Has(i) {
			r.keptBefore = append(r.keptBefore, i)
		}
	}
	return r
}

// lostLines returns how many more lines of code there were at this place before: 0 if unknown.
func (r *regions) lostLines(line int) int {
	if len(r.keptAfter) != len(r.keptBefore) || len(r.keptBefore) == 0 {
		return 0
	}
	k, _ := slices.BinarySearch(r.keptAfter, line) // number of unchanged lines before it
	from := func(kept []int) int {
		if k == 0 {
			return 0
		}
		return kept[k-1]
	}
	to := func(kept []int, all [][]byte) int {
		if k == len(kept) {
			return len(all) + 1
		}
		return kept[k]
	}
	count := func(all [][]byte, first, last int) (n int) {
		for i := first + 1; i < last && i <= len(all); i++ {
			if text := bytes.TrimSpace(all[i-1]); len(text) > 0 && !comment.Match(text) {
				n++
			}
		}
		return n
	}
	return count(r.before, from(r.keptBefore), to(r.keptBefore, r.before)) - count(r.after, from(r.keptAfter), to(r.keptAfter, r.after))
}
