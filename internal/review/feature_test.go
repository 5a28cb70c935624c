package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func task(id, prose string, change func(*Task)) Task {
	t := Task{Task: belay.Task{ID: belay.TaskID(id), Title: prose, Prose: prose}, Accepted: true}
	if change != nil {
		change(&t)
	}
	return t
}

// factLines formats each fact on a line: severity, place, title and tasks.
func factLines(list []Fact) string {
	var out []string
	for _, f := range list {
		at := f.File
		if f.Line > 0 {
			at += fmt.Sprint(":", f.Line)
		}
		out = append(out, fmt.Sprintf("%s %s|%s|%v", f.Severity, at, f.Title, f.Tasks))
	}
	return strings.Join(out, "\n")
}

func TestFacts(t *testing.T) {
	t.Parallel()
	two := 2
	items := []Item{{ID: "FR-001", Text: "log in", File: "spec.md", Line: 3}, {ID: "FR-0010", Text: "log out", File: "spec.md", Line: 4}}
	for name, tt := range map[string]struct {
		tasks   []Task
		spec    Spec
		changed []string
		others  []string
		want    string
	}{
		"all well": {[]Task{task("T1", "FR-001 and FR-0010", func(t *Task) { t.Changes = []string{"a.go"} })}, Spec{Items: items}, []string{"a.go", ".belay/x", "b.go"}, []string{"b.go"}, ""},
		"not accepted": {[]Task{task("T1", "add two", func(t *Task) {
			t.Accepted, t.StatusText = false, "gate"
			t.Request.Requirements = []belay.Requirement{{Marker: belay.MarkAdd, Text: "two", Count: &two}}
		})}, Spec{}, nil, nil, "error |T1 is not accepted (gate): add two|[T1]"},
		"no task for it": {[]Task{task("T1", "do FR-001", nil)}, Spec{Items: items}, nil, nil, "error spec.md:4|no accepted task is for FR-0010: log out|[]"},
		"cannot be told": {[]Task{task("T1", "do it", nil)}, Spec{Items: items}, nil, nil, "note spec.md|no task names a requirement of the specification by its id (2 requirements unchecked)|[]"},
		"a box that is done names it, one is open": {[]Task{task("T1", "do it", nil)},
			Spec{Items: items, Boxes: []Box{{ID: "T001", Text: "x (requirements: FR-001)", Done: true}, {ID: "T002", Text: "y FR-0010", File: "tasks.md", Line: 9}}}, nil, nil,
			"error tasks.md:9|open in the task list: T002 y FR-0010|[]\nerror spec.md:4|no accepted task is for FR-0010: log out|[]"},
		"numbers of Kiro": {[]Task{task("T1", "write it\n_Requirements: 1.1, 2.3_", nil)}, Spec{Items: []Item{{ID: "Requirement 2"}, {ID: "Requirement 12", Text: "x", File: "r.md", Line: 1}}}, nil, nil,
			"error r.md:1|no accepted task is for Requirement 12: x|[]"},
		"beyond its files": {[]Task{task("T1", "x", func(t *Task) {
			t.Scope = belay.Scope{Files: []string{"src/**"}, Protect: []string{"src/lock"}}
			t.Changes = []string{"src/a.go", "src/lock", "web/b.ts", ".belay/reviews/x"}
		})}, Spec{}, nil, nil, "error src/lock|T1 changed a protected file|[T1]\nerror web/b.ts|T1 changed a file outside its scope|[T1]"},
		"its words name others": {[]Task{task("T1", "x", func(t *Task) {
			t.Request = belay.Request{Affected: []string{"src/a.go", "lib", "src/never.go"}, Requirements: []belay.Requirement{{Marker: belay.MarkFix}}}
			t.Changes = []string{"src/a.go", "src/a_test.go", "lib/x.go", "web/b.ts", "tests/all.py"}
		})}, Spec{}, nil, nil, "warning lib|T1 names lib but did not change it|[T1]\nwarning src/never.go|T1 names src/never.go but did not change it|[T1]\nwarning web/b.ts|T1 changed a file that its text does not name|[T1]"},
		"expected, overruled, elsewhere": {[]Task{task("T1", "x", func(t *Task) {
			t.Scope.Expect, t.AcceptedDespite, t.NotMerged = []string{"docs/*.md"}, "custom: so", true
		})}, Spec{}, nil, nil, "warning |T1 was accepted although it was rejected|[T1]\nwarning |T1 is not merged: its work is not in this tree|[T1]\nerror |T1 was expected to change docs/*.md but did not|[T1]"},
		"by nobody": {[]Task{task("T1", "x", nil)}, Spec{}, []string{"odd.go"}, nil, "warning odd.go|changed since the feature began, but not by a task|[]"},
	} {
		got := FeatureFacts(tt.tasks, tt.spec, tt.changed, tt.others)
		if factLines(got) != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, factLines(got), tt.want)
		}
		for _, f := range got {
			if f.Signature == "" || f.Check != FeatureCheck {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	const text = "# Spec\r\n\r\n- **FR-001**: System MUST log in\n- FR-002 — log out\n## FR-001 again\n```\n- FR-009: no\n```\n" +
		"### Requirement: Two factors\n### Requirement 3: Reset\n1. NFR-4.2: fast\n- [ ] REQ-7. done\nFR without a number\n### Requirement:\n| FR-010 | table |\n"
	var got []string
	for _, i := range ReadItems("s.md", text) {
		got = append(got, fmt.Sprintf("%d %s|%s", i.Line, i.ID, i.Text))
	}
	want := []string{"3 FR-001|System MUST log in", "4 FR-002|log out", "9 Two factors|Two factors", "10 Requirement 3|Reset", "11 NFR-4.2|fast", "12 REQ-7|done"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestBlamed(t *testing.T) {
	t.Parallel()
	tasks := []Task{task("T1", "x", func(t *Task) { t.Changes = []string{"a.go"} }), task("T10", "x", func(t *Task) { t.Changes = []string{"a.go", "b.go"} }), task("T3", "x", nil)}
	for name, tt := range map[string]struct {
		f    belay.Finding
		want string
	}{
		"by its id":           {belay.Finding{Severity: "error", Title: "T1 forgets the rest", File: "a.go"}, "[T1]"},
		"not a longer one":    {belay.Finding{Severity: "error", Title: "T100 forgets", File: "b.go"}, "[T10]"},
		"by its file, newest": {belay.Finding{Severity: "error", Title: "leaks", File: "a.go"}, "[T10]"},
		"nobody's":            {belay.Finding{Severity: "error", Title: "leaks", File: "c.go"}, "[]"},
		"only a warning":      {belay.Finding{Severity: "warning", Title: "T1", File: "a.go"}, "[]"},
	} {
		if got := fmt.Sprint(TasksOfFindings(tasks, []belay.Finding{tt.f})); got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// FuzzItems: lines and IDs are from the text.
func FuzzItems(f *testing.F) {
	for _, s := range []string{"- **FR-001**: x", "### Requirement: a", "```\nFR-1: x", "\xff FR-1", "FR-1.2.3a: x\r\nFR-1.2.3a: y", "## Requirement:*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		seen := map[string]bool{}
		for _, i := range ReadItems("f", text) {
			if i.ID == "" || i.Line < 1 || i.Line > len(lines) || seen[i.ID] || len(i.Text) > maxItemText+len("…") {
				t.Fatalf("%+v", i)
			}
			seen[i.ID] = true
		}
	})
}
