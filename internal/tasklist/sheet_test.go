package tasklist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTask(t *testing.T) {
	t.Parallel()
	text := `# one task
schema_version: "1.1"
id: TASK-0824
title: "Cap the queue"
status: todo     # draft | todo | completed
priority: P1
area: backend
blocked_by: [TASK-0823]
depends_on: []
description: >-
  The queue grows
  without end.
outcome: It does not.
scope:
  in:
    - backend/queue
    - the worker in src/worker.ts
  out:
    - mobile: all of it
acceptance_criteria:
  must:
    - It holds 100 items
  quality_gates:
    - No lint errors
plan:
  - id: 1
    title: Look
    details: at what is there
validation:
  pipeline:
    - command: pnpm test
      description: all of it
standards: [standards/global.md]
`
	r, err := ReadTaskYAML("TASK-0824.task.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := Task{ID: "TASK-0824", Title: "Cap the queue", Line: 1, State: Open, Priority: "P1", Area: "backend",
		Files: []string{"backend/queue", "src/worker.ts"}, FilesDeclared: true, Depends: []string{"TASK-0823"}, Exclude: []string{"mobile: all of it"},
		Acceptance: []string{"It holds 100 items", "No lint errors"}, QA: []string{"pnpm test"}, Standards: []string{"standards/global.md"},
		Request: "Cap the queue\n\nThe queue grows without end.",
		Text:    "Cap the queue\n\nThe queue grows without end.\n\nIt does not.\n\nIn scope:\n- backend/queue\n- the worker in src/worker.ts\n\nNot in scope:\n- mobile: all of it\n\nPlan:\n- Look: at what is there\n\nAcceptance criteria:\n- It holds 100 items\n- No lint errors"}
	if d := cmp.Diff(want, r.Tasks[0]); d != "" {
		t.Error(d)
	}
	if n := r.Lines; n.Total != strings.Count(text, "\n") || n.Tasks != n.Total || len(r.Notes) != 0 {
		t.Errorf("%+v", n)
	}
}

func TestPackage(t *testing.T) {
	t.Parallel()
	text := "---\r\nwork_package_id: WP03\r\ntitle: Status\r\ndependencies: [\"WP01\"]\r\nlane: \"for_review\"  # planned | done\r\nowned_files:\r\n- src/a.py\r\nshell_pid: $$\r\n---\r\n\r\n# Work\r\n\r\nDo it.\r\n\r\n- [ ] it shows\r\n"
	r, err := ReadWorkPackage("WP03.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := Task{ID: "WP03", Title: "Status", Line: 1, State: Doing, Files: []string{"src/a.py"}, FilesDeclared: true, Depends: []string{"WP01"},
		Steps: []Step{{Text: "it shows", Line: 15}}, Acceptance: []string{"it shows"}, Request: "Status", Text: "Status\n\n# Work\n\nDo it.\n\n- [ ] it shows"}
	if d := cmp.Diff(want, r.Tasks[0]); d != "" {
		t.Error(d)
	}
	r, err = ReadWorkPackage("WP04.md", []byte("---\nwp_code: WP04\nhistory:\n- lane: planned\n- lane: done\n---\n**Files**: `b.py`\n"))
	if err != nil || !r.Tasks[0].Done || r.Tasks[0].Title != "WP04" || len(r.Tasks[0].Files) != 1 || r.Tasks[0].FilesDeclared {
		t.Errorf("%+v %v", r, err)
	}
}

// TestPackageWords: what people write where a list of names is expected, and files and parts in the
// text.
func TestPackageWords(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{`"[]"`: "", "none": "", "[]": "", "WP01": "WP01", "\"[WP01, WP02]\"": "WP01 WP02", "WP01, WP03": "WP01 WP03", "\n- WP02\n- WP04": "WP02 WP04", "": ""} {
		r, err := ReadWorkPackage("WP05.md", []byte("---\nwork_package_id: WP05\nlane: planned\ndependencies: "+list+"\n---\n"))
		if err != nil || strings.Join(r.Tasks[0].Depends, " ") != want || len(r.Notes) != 0 {
			t.Errorf("%q: %+v %v", list, r, err)
		}
	}
	r, err := ReadWorkPackage("WP05.md", []byte("---\nwork_package_id: WP05\ntitle: Roof\n---\n### T009: Beams\n- **Files**: `a/b.go`\n### Subtask T010 – Tiles\n### Tools\n## Files to Create\n- `c/d.go`\n## Notes\n- `e/f.go`\n"))
	if err != nil || strings.Join(r.Tasks[0].Files, " ") != "a/b.go c/d.go" || r.Tasks[0].Request != "Roof\n- Beams\n- Tiles" {
		t.Errorf("%+v %v", r, err)
	}
	if o, err := ReadWorkPackage("WP06.md", []byte("---\nwork_package_id: WP06\n---\n**Files**: `a/b.go`\n## Owned Files\n- `e/f.go`\n- `g.go`\n")); err != nil || !o.Tasks[0].FilesDeclared || strings.Join(o.Tasks[0].Files, " ") != "e/f.go g.go" {
		t.Errorf("%+v %v", o, err)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Why, "treated as open") {
		t.Errorf("%+v", r.Notes)
	}
}

// TestWrong: problems of a file are reported with their line.
func TestWrong(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x]\nb: &b [*a, *a]\nid: X\n"
	for text, want := range map[string]string{
		"id: T1\nid: T2\n":                 "x.yaml:2:1: id: it is set twice",
		"id: T1\n\ttitle: a\n":             "x.yaml:2:1: YAML is indented with spaces",
		bomb:                               "anchors are not supported",
		"title\n":                          "x.yaml:1:1: a task is a mapping of keys to values",
		"":                                 "not a task: no id and no title",
		"status: todo\n":                   "no id and no title",
		"id: T1\n---\nid: T2\n":            "a second YAML document",
		"id: \xff\n":                       "not UTF-8",
		"id: T1\ndescription: [a\n":        "x.yaml:",
		"id: T1\nblocked_by: [*x]\n":       "x.yaml:2",
		strings.Repeat("a", MaxTaskYAML+1): "larger than",
		"id: T1\nscope: {in: [!!x a]}":     "tags are not supported",
	} {
		if _, err := ReadTaskYAML("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if _, err := ReadWorkPackage("w.md", []byte("---\nwork_package_id: WP1\nlane: a\nlane: b\n---\n")); err == nil || !strings.Contains(err.Error(), "w.md:4:1") {
		t.Error(err)
	}
}

func FuzzSheet(f *testing.F) {
	f.Add([]byte("id: T1\ntitle: a\nscope: {in: [a/b.go], out: [c]}\nplan: [{title: x}, y]\nstatus: done\n"))
	f.Add([]byte("---\nwork_package_id: WP1\nhistory: [{lane: done}]\n---\n- [ ] x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, reader := range []func(string, []byte) (Reading, error){ReadTaskYAML, ReadWorkPackage} {
			r, err := reader("x", data)
			if err != nil {
				continue
			}
			if n := r.Lines; len(r.Tasks) != 1 || r.Tasks[0].Title == "" || n.Total != n.Tasks+n.Structure || r.Tasks[0].Files == nil {
				t.Fatalf("%+v", r)
			}
		}
	})
}
