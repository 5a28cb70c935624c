package plan

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

// TestNew: for any task text, the first plan can be read and is valid, and every requirement and
// everything that must stay has a marker. An update adds no further change markers.
func TestNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"# no", "> q", "- [ ] box", "```", "<!-- x", "*/ }", "{#id}", "`a", "<b>", "1. a", "---", "===", "\x1b[0m", "two drinks"}))
		task := belay.Task{ID: "T3", Prose: text.Draw(t, "prose") + "\n" + text.Draw(t, "more"), Request: belay.Request{Type: belay.Fresh}}
		task.Title = belay.TitleOf(task.Prose)
		for range rapid.IntRange(0, 4).Draw(t, "requirements") {
			task.Request.Requirements = append(task.Request.Requirements, belay.Requirement{Marker: belay.MarkAdd, Text: text.Draw(t, "requirement")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "kept") {
			task.Request.Preserve = append(task.Request.Preserve, text.Draw(t, "kept"))
		}
		for name, format := range map[string]Format{"plan.md": Markdown, "plan.tsx": TSX} {
			made := FirstPlan(format, task)
			p, err := Read(name, made)
			if err != nil {
				t.Fatalf("%v in\n%s", err, made)
			}
			found := Validate(p, Context{})
			if !Valid(found) {
				t.Fatalf("%+v in\n%s", found, made)
			}
			want := max(1, len(task.Request.Requirements)) + len(task.Request.Preserve)
			if got := len(p.MarkersFor("T3")); got != want {
				t.Fatalf("%d markers, want %d in\n%s", got, want, made)
			}
			u, err := UpdatePlan(p, Work{Task: "T3", Request: task.Request, Prose: task.Prose})
			if err != nil {
				t.Fatalf("%v for\n%s", err, made)
			}
			for _, l := range u.Added {
				if l.Marker == belay.MarkAdd {
					t.Fatalf("%s is marked again in\n%s", l.Text, u.Text)
				}
			}
		}
	})
}

// TestNamesAreUnique: names that differ in escaped characters only get a number, too.
func TestNamesAreUnique(t *testing.T) {
	task := belay.Task{ID: "T3", Title: "a task", Request: belay.Request{Requirements: []belay.Requirement{
		{Marker: belay.MarkAdd, Text: "search & sort"}, {Marker: belay.MarkAdd, Text: "search and sort"}}}}
	for name, format := range map[string]Format{"plan.md": Markdown, "plan.tsx": TSX} {
		made := FirstPlan(format, task)
		p, err := Read(name, made)
		if err != nil {
			t.Fatal(err)
		}
		if found := Validate(p, Context{}); !Valid(found) {
			t.Errorf("%+v in\n%s", found, made)
		}
	}
}
