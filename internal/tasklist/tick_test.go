package tasklist

import (
	"bytes"
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
		{"i.json", `{"number":1,"title":"a"}`, "T001 is no longer"},
	} {
		o := belay.Origin{File: tt.file, ID: "T001", Title: "a", Line: 9}
		if out, _, err := TickDone([]byte(tt.text), o); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %q %v", tt.text, out, err)
		}
	}
}

// Ticking any task of any file changes nothing but what stands in its boxes, and can be
// done twice.
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
	a, b := Words("title\n  - [ ] step  \r\n- x\n"), Words("title\n  - [x] step\n- x")
	if a != b || a == Words("title\n  - [x] other\n- x") {
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
