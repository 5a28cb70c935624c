package layout

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intake"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       intake.Dialect
		feature    string
	}{
		{"specs/001-login/tasks.md", "", intake.SpecKit, "001-login"},
		{".specify/specs/001/tasks.md", "", intake.SpecKit, "001"},
		{"kitty-specs/7-x/tasks.md", "", intake.SpecKitty, "7-x"},
		{"kitty-specs/7-x/tasks/WP01-a.md", "", intake.SpecKitty, "7-x"},
		{"kitty-specs/7-x/tasks/done/WP01-a.md", "", intake.SpecKitty, "7-x"},
		{"openspec/changes/add-x/tasks.md", "", intake.OpenSpec, "add-x"},
		{"a/.kiro/specs/x/tasks.md", "", intake.Kiro, "x"},
		{".workitems/P1-F1/tasks.md", "", intake.Workitems, "P1-F1"},
		{"tasks/a/TASK-1-x.task.yaml", "", intake.TaskYAML, ""},
		{"issues.json", "", intake.Issue, ""},
		{"issue", "\ufeff {\"number\": 1}", intake.Issue, ""},
		{"t.md", "# x\n- [ ] T001 [P] y", intake.SpecKit, ""},
		{"t.md", "## Work Package WP01: z\n- [ ] T001 y", intake.SpecKitty, ""},
		{"t.md", "---\nwork_package_id: WP1\n---\n", intake.SpecKitty, ""},
		{"t.md", "## 1. a\n- [ ] 1.1 b\n", intake.OpenSpec, ""},
		{"t.md", "- [ ] 1. a\n", intake.Kiro, ""},
		{"t.md", "- [ ] a\n  - _Requirements: 1_\n", intake.Kiro, ""},
		{"t.md", "### T01: a\n- [ ] b\n", intake.Workitems, ""},
		{"TODO.md", "- [ ] b\n", intake.Checklist, ""},
		{"t.txt", "[ ] b\n", intake.Checklist, ""},
	} {
		if got := Of(tt.name, []byte(tt.text)); got != tt.want || Feature(tt.name) != tt.feature {
			t.Errorf("%s %q: %s %q", tt.name, tt.text, got, Feature(tt.name))
		}
	}
	for name, want := range map[string]bool{"docs/templates/TASK-0.task.yaml": true, "openspec/changes/archive/2025-x/tasks.md": true, "kitty-specs/1/tasks/README.md": true, "specs/1/tasks.md": false} {
		if Ignored(name) != want {
			t.Error(name)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	r, err := Read("specs/1/tasks.md", []byte("words\n- [ ] T001 a\n"))
	if err != nil || r.Tasks[0].Source != "specs/1/tasks.md" || r.Notes[0].Source != "specs/1/tasks.md" {
		t.Errorf("%+v %v", r, err)
	}
	for name, text := range map[string]string{"a.task.yaml": "id: a\nid: b\n", "x.md": "\xff\xfe-\x00", "i.json": "{", "w.md": "---\nwork_package_id: *x\n---\n"} {
		if _, err := Read(name, []byte(text)); belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
