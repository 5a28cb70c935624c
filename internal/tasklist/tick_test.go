package tasklist

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

func TestDone(t *testing.T) {
	t.Parallel()
	const md, yaml = "specs/1/tasks.md", "t.task.yaml"
	for _, tt := range []struct{ file, text, want, id, title string }{
		{md, "- [ ] T001 a\r\n- [ ] T002 b", "- [ ] T001 a\r\n- [x] T002 b", "T002", "b"},
		{md, "\xef\xbb\xbf- [ ] T001 a\n\n\tx \t\n", "\xef\xbb\xbf- [x] T001 a\n\n\tx \t\n", "T001", "a"},
		{md, "- [] T001 a\n", "- [x] T001 a\n", "T001", "a"},
		{md, "- [  ] T001 a\n", "- [x] T001 a\n", "T001", "a"},
		{md, "- ( ) T001 a\n", "- (x) T001 a\n", "T001", "a"},
		{md, "- ☐ T001 a\n", "- ☑ T001 a\n", "T001", "a"},
		{md, "  • □ T001 a (WP01)\n", "  • ☑ T001 a (WP01)\n", "T001", "a (WP01)"},
		{md, "- ◻️ T001 a\n", "- ☑ T001 a\n", "T001", "a"},
		{md, "- [~] T001 a\n", "- [x] T001 a\n", "T001", "a"},
		{md, "- [X] T001 a\n", "- [X] T001 a\n", "T001", "a"},
		{md, "- [ ] T001 a \xff\n", "- [x] T001 a \xff\n", "T001", "a \uFFFD"},
		{md, "```\n- [ ] T001 a\n```\n- [ ] T001 a\n", "```\n- [ ] T001 a\n```\n- [x] T001 a\n", "T001", "a"},
		{md, "- [ ] T001 a\n  - [ ] step\n", "- [x] T001 a\n  - [ ] step\n", "T001", "a"},
		{md, "- [ ] 1. a\n  - [ ] 1.1 b\n", "- [ ] 1. a\n  - [x] 1.1 b\n", "1.1", "b"},
		{md, "* [ ] no id\n* [ ] other\n", "* [ ] no id\n* [x] other\n", "", "other"},
		{md, "### T01: a\n- [ ] File: `x`\n- [x] Test\n\n**Acceptance Criteria:**\n- [ ] y\n", "### T01: a\n- [x] File: `x`\n- [x] Test\n\n**Acceptance Criteria:**\n- [ ] y\n", "T01", "a"},
		{md, "### T01: a\n**Files:** x\n\n- [ ] Complete\n", "### T01: a\n**Files:** x\n\n- [x] Complete\n", "T01", "a"},
		{md, "## [ ] T01: a\nwords\n", "## [x] T01: a\nwords\n", "T01", "a"},
		{md, "## T01: a [ ]\nwords\n", "## T01: a [x]\nwords\n", "T01", "a"},
		{yaml, "id: T1\ntitle: a\nstatus: todo # draft | todo\nx: 1", "id: T1\ntitle: a\nstatus: completed # draft | todo\nx: 1", "T1", "a"},
		{yaml, "id: T1\r\nstatus: \"open\"\r\n", "id: T1\r\nstatus: \"done\"\r\n", "T1", "T1"},
		{yaml, "id: T1\nstatus: ''\n", "id: T1\nstatus: 'completed'\n", "T1", "T1"},
		{"w.md", "---\nwork_package_id: WP1\nlane: 'for_review'\n---\nlane: planned\n", "---\nwork_package_id: WP1\nlane: 'done'\n---\nlane: planned\n", "WP1", "WP1"},
	} {
		o := belay.Origin{File: tt.file, ID: tt.id, Title: tt.title, Line: 1}
		got, lines, err := TickDone([]byte(tt.text), o)
		if err != nil || string(got) != tt.want || (len(lines) == 0) != (tt.text == tt.want) {
			t.Errorf("%q: %q %v %v", tt.text, got, lines, err)
			continue
		}
		if again, lines, err := TickDone(got, o); err != nil || len(lines) > 0 || !bytes.Equal(again, got) {
			t.Errorf("%q, again: %q %v %v", tt.text, again, lines, err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, text, says string }{
		{"a.md", "- [ ] T002 a\n", "T001 is no longer in a.md"},
		{"a.md", "- [ ] T001 b\n", "the text of T001 in a.md has changed (line 1)"},
		{"a.md", "x\n- [ ] T001 a\n- [ ] T001 a\n", "T001 appears 2 times"},
		{"a.md", "### T001: a\n**Status:** open\n", "has no box or status of its own"},
		{"a.task.yaml", "id: T001\ntitle: a\n", "has no box or status of its own"},
		{"a.task.yaml", "id: T001\ntitle: a\nstatus: >\n  todo\n", "has no box or status of its own"},
		{"a.task.yaml", "id: T001\nid: a\n", "set twice"},
		{"a.task.yaml", "id: T001\ntitle: a\ndescription: \"foo\nstatus: open\nbar\"\nstatus: todo\n", "cannot be ticked"},
		{"i.json", `{"number":1,"title":"a"}`, "T001 is no longer"},
	} {
		o := belay.Origin{File: tt.file, ID: "T001", Title: "a", Line: 9}
		if out, _, err := TickDone([]byte(tt.text), o); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %q %v", tt.text, out, err)
		}
	}
}

// TestNothingElse: ticking any task of any file changes only boxes, and a second tick changes
// nothing.
func TestNothingElse(t *testing.T) {
	t.Parallel()
	pieces := []string{"- [ ] T001 a", "- [ ] T002 b `c.go`", "  - [ ] step", "\t* [~] odd", "### T03: head", "- [ ] Complete", "```", "", "words", "1. [ ] n", "- ☐ drawn", "<!-- x", "-->", "[] bare", "- [ ] 1.1 k", "- ( ) r \xff"}
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 15).Draw(t, "lines"), end) + rapid.SampledFrom([]string{"", end}).Draw(t, "last")
		r, err := ReadTasks("x.md", []byte(text))
		if err != nil || len(r.Tasks) == 0 {
			return
		}
		task := rapid.SampledFrom(r.Tasks).Draw(t, "task")
		o := belay.Origin{File: "x.md", ID: task.ID, Title: task.Title, Line: task.Line}
		out, lines, err := TickDone([]byte(text), o)
		if err != nil {
			return
		}
		was, is := strings.Split(text, "\n"), strings.Split(string(out), "\n")
		if len(was) != len(is) {
			t.Fatalf("%q %q", text, out)
		}
		for i := range was {
			touched := false
			for _, n := range lines {
				touched = touched || n == i+1
			}
			if !touched && was[i] != is[i] {
				t.Fatalf("line %d: %q %q", i+1, was[i], is[i])
			}
			strip := strings.NewReplacer("[x]", "[]", "[ ]", "[]", "[~]", "[]", "( )", "()", "(x)", "()", "☐", "☑")
			if strip.Replace(was[i]) != strip.Replace(is[i]) {
				t.Fatalf("line %d: %q %q", i+1, was[i], is[i])
			}
		}
	})
}

func TestWords(t *testing.T) {
	t.Parallel()
	a, b := ComparableText("title\n  - [ ] step  \r\n- x\n"), ComparableText("title\n  - [x] step\n- x")
	if a != b || a == ComparableText("title\n  - [x] other\n- x") {
		t.Errorf("%q %q", a, b)
	}
}

func FuzzDone(f *testing.F) {
	f.Add([]byte("- [ ] T001 a\n- ☐ T002\n## [ ] T03: x\n"), "x.md")
	f.Add([]byte("id: T1\nstatus: todo\n"), "x.task.yaml")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		r, err := ReadTasks(name, data)
		if err != nil {
			return
		}
		for _, task := range r.Tasks {
			o := belay.Origin{File: name, ID: task.ID, Title: task.Title, Line: task.Line}
			out, lines, err := TickDone(data, o)
			if err == nil && bytes.Count(out, []byte("\n")) != bytes.Count(data, []byte("\n")) {
				t.Fatalf("%q %q", data, out)
			}
			if err == nil && len(lines) == 0 && !bytes.Equal(out, data) {
				t.Fatalf("%q %q", data, out)
			}
		}
	})
}

const masterFile = `{
  "master": {
    "tasks": [
      {"id": 1, "title": "Pot", "description": "In src/pot.go.", "details": null, "status": "done", "dependencies": [], "subtasks": []},
      {
        "id": 2, "title": "Lid", "description": "Cover it", "details": "See ` + "`src/lid.go`" + `", "testStrategy": "Boil.", "priority": "high",
        "status": "pending", "dependencies": [1],
        "subtasks": [
          {"id": 1, "title": "Rim", "status": "in-progress", "dependencies": []},
          {"id": 2, "title": "Knob", "dependencies": [1, "1"], "acceptanceCriteria": "- turns\n- stays", "status": "pending"},
          {"id": 3, "title": "Hinge", "dependencies": ["2.2", 1], "status": "deferred"}
        ]
      },
      {"id": "spout", "title": "Spout", "dependencies": [2], "status" : "review"}
    ],
    "metadata": {"tasks": 3}
  },
  "tea": {"tasks": [{"id": 1, "title": "Brew", "dependencies": ["1"], "status": "pending"}, {"id": 2, "title": "Pour", "dependencies": [1]}]}
}
`

func TestTaskMaster(t *testing.T) {
	t.Parallel()
	const file = ".taskmaster/tasks/tasks.json"
	r, err := ReadTasks(file, []byte(masterFile))
	if err != nil {
		t.Fatal(err)
	}
	want := `4 1 done: Pot | src/pot.go |  | 
5 2 open: Lid | src/lid.go | 1 | 
9 2.1 doing: Rim |  |  | 2
10 2.2 open: Knob |  | 2.1 | 2
11 2.3 unclear: Hinge |  | 2.2 2.1 | 2
14 spout doing: Spout |  | 2 | 
18 tea.1 open: Brew |  | tea.1 | 
18 tea.2 open: Pour |  | tea.1 | 
note 11: its status is deferred: the task is not treated as open
`
	if got := told(r); got != want {
		t.Errorf("--- got\n%s--- want\n%s", got, want)
	}
	if whole(t, masterFile, r); r.Tasks[1].Parts != 3 || strings.Join(r.Tasks[3].Acceptance, "|") != "- turns|- stays" || r.Tasks[1].Text != "Lid\n\nCover it\n\nSee `src/lid.go`\n\nTest strategy: Boil." {
		t.Errorf("%+v", r.Tasks)
	}
	for id, want := range map[string]string{
		"2.2": strings.Replace(masterFile, `stays", "status": "pending"`, `stays", "status": "done"`, 1), "spout": strings.Replace(masterFile, `"review"`, `"done"`, 1),
	} {
		for _, bom := range []string{"", "\xef\xbb\xbf"} {
			i := slices.IndexFunc(r.Tasks, func(k Task) bool { return k.ID == id })
			out, lines, err := TickDone([]byte(bom+masterFile), belay.Origin{File: file, ID: id, Title: r.Tasks[i].Title, Line: r.Tasks[i].Line})
			if err != nil || string(out) != bom+want || len(lines) != 1 || lines[0] != r.Tasks[i].Line {
				t.Errorf("%s: %v %v\n%s", id, err, lines, out)
			}
		}
	}
	if _, _, err := TickDone([]byte(masterFile), belay.Origin{File: file, ID: "tea.2", Title: "Pour", Line: 18}); err == nil {
		t.Error("a task without a status was ticked")
	}
	for text, why := range map[string]string{
		"{\n  \"tasks\": [\n    {]}": ":3: not JSON", "[]": "contains no tasks", `{"tasks": []}`: "contains no tasks", "{\"tasks\": [\n3]}": ":2: not a task",
		`{"version": "2.0.0", "tasks": [{"id": 1, "dependencies": 3}]}`: ":1: not a task",
	} {
		if _, err := ReadMaster("tasks.json", []byte(text)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if r, err := ReadMaster("tasks.json", []byte(`{"tasks": [{"id": 1.5, "title": ["a"], "status": 3}]}`)); err != nil || told(r) != "1 1.5 open: - a |  |  | \n" {
		t.Error(err, told(r))
	}
}

func FuzzTaskMaster(f *testing.F) {
	f.Add([]byte(masterFile))
	f.Fuzz(func(t *testing.T, data []byte) {
		const file = "x/tasks.json"
		r, err := ReadTasks(file, data)
		if err != nil {
			return
		}
		whole(t, string(data), r)
		for _, k := range r.Tasks {
			if k.Line < 1 || k.Line > r.Lines.Total {
				t.Fatalf("%+v", k)
			}
			_, _, _ = TickDone(data, belay.Origin{File: file, ID: k.ID, Title: k.Title, Line: k.Line}) // verifyTick checks the result
		}
	})
}

const backlogFile = `---
id: task-28.1
title: 'Lid: a rim'
status: To Do  # here
assignee: @kettle
labels:
  - pots
dependencies:
  - TASK-3
  - task-28
parent_task_id: TASK-28
priority: high
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Change src/lid.go.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 It fits
- [x] #2 It turns
<!-- AC:END -->

## Implementation Notes

Look at src/other.go
`

func TestBacklog(t *testing.T) {
	t.Parallel()
	const file = "backlog/tasks/task-28.1 - Lid-a-rim.md"
	r, err := ReadTasks(file, []byte(backlogFile))
	if err != nil {
		t.Fatal(err)
	}
	whole(t, backlogFile, r)
	if got := told(r); got != "1 TASK-28.1 open: Lid: a rim | src/lid.go | TASK-3 TASK-28 | TASK-28\n" {
		t.Error(got)
	}
	k := r.Tasks[0]
	if strings.Join(k.Acceptance, "|") != "It fits|It turns" || k.Request != "Lid: a rim" || strings.Contains(k.Text, "other.go") || k.Priority != "high" {
		t.Errorf("%+v", k)
	}
	out, lines, err := TickDone([]byte(backlogFile), belay.Origin{File: file, ID: k.ID, Title: k.Title, Line: 1})
	if want := strings.Replace(backlogFile, "To Do", "Done", 1); err != nil || string(out) != want || len(lines) != 1 || lines[0] != 4 {
		t.Errorf("%v %v\n%s", err, lines, out)
	}
	if r, err := ReadTasks("backlog/tasks/notes.md", []byte("- [ ] a\n")); err != nil || len(r.Tasks) != 1 {
		t.Error(err, r)
	}
}
