package tasklist

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       Dialect
		feature    string
	}{
		{"specs/001-login/tasks.md", "", SpecKit, "001-login"},
		{".specify/specs/001/tasks.md", "", SpecKit, "001"},
		{"kitty-specs/7-x/tasks.md", "", SpecKitty, "7-x"},
		{"kitty-specs/7-x/tasks/WP01-a.md", "", SpecKitty, "7-x"},
		{"kitty-specs/7-x/tasks/done/WP01-a.md", "", SpecKitty, "7-x"},
		{"openspec/changes/add-x/tasks.md", "", OpenSpec, "add-x"},
		{"a/.kiro/specs/x/tasks.md", "", Kiro, "x"},
		{".workitems/P1-F1/tasks.md", "", Workitems, "P1-F1"},
		{"docs/features/003-login/tasks.md", "", Checklist, "003-login"},
		{"src/features/login/tasks.md", "", Checklist, ""},
		{"tasks/a/TASK-1-x.task.yaml", "", TaskYAML, ""},
		{"issues.json", "", Issue, ""},
		{"issue", "\ufeff {\"number\": 1}", Issue, ""},
		{"t.md", "# x\n- [ ] T001 [P] y", SpecKit, ""},
		{"t.md", "## Work Package WP01: z\n- [ ] T001 y", SpecKitty, ""},
		{"t.md", "---\nwork_package_id: WP1\n---\n", SpecKitty, ""},
		{"t.md", "## 1. a\n- [ ] 1.1 b\n", OpenSpec, ""},
		{"t.md", "- [ ] 1. a\n", Kiro, ""},
		{"t.md", "- [ ] a\n  - _Requirements: 1_\n", Kiro, ""},
		{"t.md", "### T01: a\n- [ ] b\n", Workitems, ""},
		{"TODO.md", "- [ ] b\n", Checklist, ""},
		{"t.txt", "[ ] b\n", Checklist, ""},
	} {
		if got := DialectOf(tt.name, []byte(tt.text)); got != tt.want || FeatureOf(tt.name) != tt.feature {
			t.Errorf("%s %q: %s %q", tt.name, tt.text, got, FeatureOf(tt.name))
		}
	}
	for name, want := range map[string]bool{"docs/templates/TASK-0.task.yaml": true, "openspec/changes/archive/2025-x/tasks.md": true, "kitty-specs/1/tasks/README.md": true, "specs/1/tasks.md": false,
		"openspec/changes/email-templates/tasks.md": false, "openspec/changes/email-templates/specs/mail/spec.md": false,
		"specs/000-template/tasks.md": true, ".specify/templates/tasks-template.md": true, "specs/template.md": true} {
		if IsIgnored(name) != want {
			t.Error(name)
		}
	}
}

func TestReadTasks(t *testing.T) {
	t.Parallel()
	r, err := ReadTasks("specs/1/tasks.md", []byte("words\n- [ ] T001 a\n"))
	if err != nil || r.Tasks[0].Source != "specs/1/tasks.md" || r.Notes[0].Source != "specs/1/tasks.md" {
		t.Errorf("%+v %v", r, err)
	}
	for name, text := range map[string]string{"a.task.yaml": "id: a\nid: b\n", "x.md": "\xff\xfe-\x00", "i.json": "{", "w.md": "---\nwork_package_id: *x\n---\n"} {
		if _, err := ReadTasks(name, []byte(text)); belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
