package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// maxSaid bounds what an agent's summary adds to a line of the history, in characters.
const maxSaid = 160

// generic are headings that say nothing of what was done.
var generic = []string{"summary", "task summary", "summary of changes", "changes", "overview", "report", "result",
	"results", "done", "what was done", "what i did"}

var listMark = lazyregexp.New(`^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?`)

// Said gives what an agent's summary.md says, in one line that is fit for a terminal and a
// prompt: its first line, without the signs of Markdown; a heading like "Summary" is none. ""
// when it says nothing.
func Said(text string) string {
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
			if slices.Contains(generic, strings.ToLower(strings.TrimRight(line, ":"))) {
				continue
			}
		}
		line = strings.Trim(strings.ReplaceAll(listMark.ReplaceAllString(line, ""), "**", ""), "*_ ")
		if fenced || strings.Trim(line, "-=<!> ") == "" {
			continue
		}
		line = belay.VisibleLine(line)
		if r := []rune(line); len(r) > maxSaid {
			line = strings.TrimRight(string(r[:maxSaid-1]), " ") + "…"
		}
		return line
	}
	return ""
}
