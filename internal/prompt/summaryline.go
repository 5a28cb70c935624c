package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// maxSummaryLine limits an agent's summary in a line of the history, in characters.
const maxSummaryLine = 160

// genericHeadings are headings that do not describe the work.
var genericHeadings = []string{"summary", "task summary", "summary of changes", "changes", "overview", "report", "result",
	"results", "done", "what was done", "what i did"}

var listMark = lazyregexp.New(`^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?`)

// SummaryLine returns one line of an agent's summary.md, safe for a terminal and a prompt: the
// first line without Markdown syntax, skipping headings like "Summary". It is "" if there is none.
func SummaryLine(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "�")
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if heading := strings.TrimLeft(line, "#"); heading != line {
			line = strings.TrimSpace(strings.TrimRight(heading, "# "))
			if slices.Contains(genericHeadings, strings.ToLower(strings.TrimRight(line, ":"))) {
				continue
			}
		}
		line = strings.Trim(strings.ReplaceAll(listMark.ReplaceAllString(line, ""), "**", ""), "*_ ")
		if fenced || strings.Trim(line, "-=<!> ") == "" {
			continue
		}
		line = belay.VisibleLine(line)
		if r := []rune(line); len(r) > maxSummaryLine {
			line = strings.TrimRight(string(r[:maxSummaryLine-1]), " ") + "…"
		}
		return line
	}
	return ""
}
