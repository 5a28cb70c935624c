package plan

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// New writes the first plan of a task: a section for each requirement with its marker, one
// for what stays, the person's words and the files that are meant.
func FirstPlan(f Format, t belay.Task) []byte {
	w := writing{t: t, taken: map[string]bool{}}
	if f == TSX {
		w.tsx()
	} else {
		w.markdown()
	}
	return []byte(w.b.String())
}

type writing struct {
	t     belay.Task
	b     strings.Builder
	taken map[string]bool
}

func (w *writing) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// called makes a name of a phrase: short, and not the name of another section.
func (w *writing) called(phrase string) string {
	name := Words(phrase)
	if r := []rune(name); len(r) > 60 {
		name = strings.TrimSpace(string(r[:59])) + "…"
	}
	if name == "" {
		name = "The work"
	}
	unique := name
	for n := 2; w.taken[Slug(unique)]; n++ {
		unique = fmt.Sprintf("%s %d", name, n)
	}
	w.taken[Slug(unique)] = true
	return unique
}

func (w *writing) requirements() []belay.Requirement {
	if len(w.t.Request.Requirements) > 0 {
		return w.t.Request.Requirements
	}
	return []belay.Requirement{{Marker: belay.MarkAdd, Text: belay.TitleOf(w.t.Prose)}}
}

const staying = "What stays"

// escaped keeps a phrase from being taken for Markdown where a heading or an item is
// written.
var escaped = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "<", "\\<", "#", "\\#", "{", "\\{")

func (w *writing) markdown() {
	w.line("# Plan: %s\n", escaped.Replace(w.called(w.t.Title)))
	w.line("Task %s.\n", w.t.ID)
	for l := range strings.Lines(w.t.Prose) {
		w.line("%s", strings.TrimRight("> "+belay.VisibleLine(strings.TrimRight(l, "\r\n")), " "))
	}
	if len(w.t.Request.Affected) > 0 {
		w.line("\nFiles: %s", escaped.Replace(Words(strings.Join(w.t.Request.Affected, ", "))))
	}
	for _, r := range w.requirements() {
		w.line("\n## %s", escaped.Replace(w.called(r.Text)))
		w.line("<!-- %s -->\n", MarkerOf(w.t.ID, r))
		w.line("- [ ] %s", escaped.Replace(Words(r.Text)))
	}
	if len(w.t.Request.Preserve) == 0 {
		return
	}
	w.line("\n## %s", w.called(staying))
	for _, s := range w.t.Request.Preserve {
		w.line("<!-- %s -->", Marker{Kind: belay.MarkPreserved, Task: Label(w.t.ID), Text: Words(s)})
	}
	w.line("")
	for _, s := range w.t.Request.Preserve {
		w.line("- %s", escaped.Replace(Words(s)))
	}
}

// attribute makes a phrase fit for the value of an attribute in double quotes.
var attribute = strings.NewReplacer(`"`, "'", "&", "and", "<", "‹", ">", "›", "{", "(", "}", ")")

func (w *writing) tsx() {
	mark := func(m Marker) { w.line("      {/* %s */}", m) }
	w.line("// Plan of task %s.", w.t.ID)
	w.line(`<App name="%s">`, attribute.Replace(w.called(w.t.Title)))
	w.line(`  <Screen name="main">`)
	for _, r := range w.requirements() {
		w.line(`    <Section name="%s">`, attribute.Replace(w.called(r.Text)))
		mark(MarkerOf(w.t.ID, r))
		w.line("    </Section>")
	}
	if len(w.t.Request.Preserve) > 0 {
		w.line(`    <Section name="%s">`, w.called(staying))
		for _, s := range w.t.Request.Preserve {
			mark(Marker{Kind: belay.MarkPreserved, Task: Label(w.t.ID), Text: Words(s)})
		}
		w.line("    </Section>")
	}
	w.line("  </Screen>")
	w.line("</App>")
}
