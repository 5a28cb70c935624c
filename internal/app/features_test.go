package app

import (
	"testing"
)

func TestBoxesAreOfTaskLists(t *testing.T) {
	t.Parallel()
	text := "# Tasks\n\n- [x] T001 Write the parser\n- [ ] T002 Test it\n"
	if got := boxes("specs/001/plan.md", text); got != nil {
		t.Errorf("a plan has boxes: %+v", got)
	}
	got := boxes("specs/001/tasks.md", text)
	if len(got) != 2 || !got[0].Done || got[1].Done || got[1].Line != 4 || got[0].File != "specs/001/tasks.md" {
		t.Errorf("the boxes: %+v", got)
	}
	if s := boxRequirements([]string{"FR-1", "FR-2"}); s != " (requirements: FR-1, FR-2)" || boxRequirements(nil) != "" {
		t.Errorf("requirements are said as %q", s)
	}
}
