package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/phase"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/tasklist"
)

func TestBoxesAreOfTaskLists(t *testing.T) {
	t.Parallel()
	text := "# Tasks\n\n- [x] T001 Write the parser\n- [ ] T002 Test it\n"
	if got := taskBoxes("specs/001/plan.md", text); got != nil {
		t.Errorf("boxes found in a plan: %+v", got)
	}
	got := taskBoxes("specs/001/tasks.md", text)
	if len(got) != 2 || !got[0].Done || got[1].Done || got[1].Line != 4 || got[0].File != "specs/001/tasks.md" {
		t.Errorf("the boxes: %+v", got)
	}
	if s := boxRequirements([]string{"FR-1", "FR-2"}); s != " (requirements: FR-1, FR-2)" || boxRequirements(nil) != "" {
		t.Errorf("requirements: %q", s)
	}
}

// TestNamesOfImportedTasks: an imported task keeps the ID in its file, and IDs are unique.
func TestNamesOfImportedTasks(t *testing.T) {
	t.Parallel()
	used := map[string]bool{"t002": true, "1.1": true, "add-x.1.1": true}
	for _, c := range []struct{ id, feature, want string }{
		{"T001", "003-search", "T001"}, {"T002", "003-search", "003-search.T002"}, {"t002", "", ""}, {"1.2", "add-x", "1.2"}, {"1.1", "add-x", ""},
		{"#12", "", ""}, {"", "003-search", ""}, {"null", "x", "x.null"}, {"TASK-7", "größe", "TASK-7"}, {"T002", "größe", ""},
	} {
		l := ImportLine{Task: tasklist.Task{ID: c.id}}
		if got := l.taskID(c.feature, used); string(got) != c.want {
			t.Errorf("%q of %q is called %q, expected %q", c.id, c.feature, got, c.want)
		}
	}
}

// TestExpectations: a reviewer's prompt names the next step of the mode and the layout.
func TestExpectations(t *testing.T) {
	t.Parallel()
	kiro, _ := tasklist.LayoutAt("kiro", ".kiro/specs/a")
	plain, _ := tasklist.LayoutAt("plain", "specs/a")
	for _, c := range []struct {
		layout tasklist.Layout
		mode   string
		of     phase.Phase
		next   phase.Phase
	}{
		{plain, "full", phase.Specify, phase.Design}, {plain, "quick", phase.Specify, phase.CreatePlan}, {plain, "hotfix", phase.Specify, phase.Implement},
		{kiro, "standard", phase.Design, phase.CreateTasks}, {kiro, "standard", phase.Implement, phase.Verify}, {plain, "full", phase.Verify, phase.Finish},
	} {
		s := &Stage{Layout: c.layout, Rec: &session.FeatureRecord{Feature: &phase.Feature{Mode: c.mode}}}
		if e := s.expectationOf(c.of); e.Next != c.next || e.Phase != c.of || e.Needs == "" {
			t.Errorf("%s in %s, mode %s: %+v", c.of, c.layout.Dialect, c.mode, e)
		}
	}
}

// TestListedTasks: the open tasks of a file are in order and have IDs with the feature's name; a dependency is distinguished
// from the order alone.
func TestListedTasks(t *testing.T) {
	t.Parallel()
	text := `# Tasks

- [x] T001 Set up
- [ ] T002 Write the parser in src/parse.go
- [ ] T003 [P] Test the parser
- [ ] T004 [P] Write the printer (depends on T002)
- [ ] T005 Write the manual
- [ ] Ship it
`
	r, err := tasklist.ReadTasks("specs/003-search/tasks.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	im := PlanImport([]ImportFile{{Path: "specs/003-search/tasks.md", Dialect: r.Dialect, Tasks: len(r.Tasks), reading: r}},
		nil, ImportOptions{InOrder: true})
	got, err := im.openTasks("003-search")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, l := range got {
		all = append(all, fmt.Sprint(l.ID, " after ", l.After, " needs ", l.Needs))
		if l.Prose == "" || l.Listed.Title == "" || l.Listed.Origin == nil || l.Listed.Origin.File != "specs/003-search/tasks.md" {
			t.Errorf("%+v", l)
		}
	}
	want := []string{
		"003-search.T002 after [] needs []",
		"003-search.T003 after [003-search.T002] needs []",
		"003-search.T004 after [003-search.T002] needs [003-search.T002]",
		"003-search.T005 after [003-search.T003 003-search.T004] needs []",
		"003-search.n5 after [003-search.T005] needs []",
	}
	if !slices.Equal(all, want) {
		t.Errorf("%s", strings.Join(all, "\n"))
	}
	if _, err := im.openTasks("größe"); belay.CodeOf(err) != belay.CodeUsage {
		t.Errorf("a name that cannot start an ID: %v", err)
	}
}
