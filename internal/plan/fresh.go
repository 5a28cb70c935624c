package plan

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// FirstPlan returns the first plan of a task: a section with a marker for each requirement and a
// section for what must stay. The Markdown form also quotes the task's text and lists the affected
// files.
func FirstPlan(f Format, t belay.Task) []byte {
	w := planWriter{t: t, usedNames: map[string]bool{}}
	if f == TSX {
		w.writeTSX()
	} else {
		w.writeMarkdown()
	}
	return []byte(w.b.String())
}

type planWriter struct {
	t         belay.Task
	b         strings.Builder
	usedNames map[string]bool
}

func (w *planWriter) writeLine(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// newName makes a section name from a phrase: at most 60 characters, and unique.
func (w *planWriter) newName(phrase string) string {
	name := CommentText(phrase)
	if r := []rune(name); len(r) > 60 {
		name = strings.TrimSpace(string(r[:59])) + "…"
	}
	if name == "" {
		name = "The work"
	}
	unique := name
	for n := 2; w.usedNames[Slug(unique)]; n++ {
		unique = fmt.Sprintf("%s %d", name, n)
	}
	w.usedNames[Slug(unique)] = true
	return unique
}

func (w *planWriter) requirements() []belay.Requirement {
	if len(w.t.Request.Requirements) > 0 {
		return w.t.Request.Requirements
	}
	return []belay.Requirement{{Marker: belay.MarkAdd, Text: belay.TitleOf(w.t.Prose)}}
}

const preservedTitle = "What stays"

// markdownEscapes escapes the Markdown syntax in a phrase for a heading or a list item.
var markdownEscapes = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "<", "\\<", "#", "\\#", "{", "\\{")

func (w *planWriter) writeMarkdown() {
	w.writeLine("# Plan: %s\n", markdownEscapes.Replace(w.newName(w.t.Title)))
	w.writeLine("Task %s.\n", w.t.ID)
	for l := range strings.Lines(w.t.Prose) {
		w.writeLine("%s", strings.TrimRight("> "+belay.VisibleLine(strings.TrimRight(l, "\r\n")), " "))
	}
	if len(w.t.Request.Affected) > 0 {
		w.writeLine("\nFiles: %s", markdownEscapes.Replace(CommentText(strings.Join(w.t.Request.Affected, ", "))))
	}
	for _, r := range w.requirements() {
		w.writeLine("\n## %s", markdownEscapes.Replace(w.newName(r.Text)))
		w.writeLine("<!-- %s -->\n", MarkerOf(w.t.ID, r))
		w.writeLine("- [ ] %s", markdownEscapes.Replace(CommentText(r.Text)))
	}
	if len(w.t.Request.Preserve) == 0 {
		return
	}
	w.writeLine("\n## %s", w.newName(preservedTitle))
	for _, s := range w.t.Request.Preserve {
		w.writeLine("<!-- %s -->", Marker{Kind: belay.MarkPreserved, Task: TaskLabel(w.t.ID), Text: CommentText(s)})
	}
	w.writeLine("")
	for _, s := range w.t.Request.Preserve {
		w.writeLine("- %s", markdownEscapes.Replace(CommentText(s)))
	}
}

// attributeEscapes replaces what an attribute value in double quotes cannot contain; JSX has no
// escapes there.
var attributeEscapes = strings.NewReplacer(`"`, "'", "&", "and", "<", "‹", ">", "›", "{", "(", "}", ")")

func (w *planWriter) writeTSX() {
	mark := func(m Marker) { w.writeLine("      {/* %s */}", m) }
	w.writeLine("// Plan of task %s.", w.t.ID)
	w.writeLine(`<App name="%s">`, w.newName(attributeEscapes.Replace(w.t.Title)))
	w.writeLine(`  <Screen name="main">`)
	for _, r := range w.requirements() {
		w.writeLine(`    <Section name="%s">`, w.newName(attributeEscapes.Replace(r.Text)))
		mark(MarkerOf(w.t.ID, r))
		w.writeLine("    </Section>")
	}
	if len(w.t.Request.Preserve) > 0 {
		w.writeLine(`    <Section name="%s">`, w.newName(preservedTitle))
		for _, s := range w.t.Request.Preserve {
			mark(Marker{Kind: belay.MarkPreserved, Task: TaskLabel(w.t.ID), Text: CommentText(s)})
		}
		w.writeLine("    </Section>")
	}
	w.writeLine("  </Screen>")
	w.writeLine("</App>")
}
