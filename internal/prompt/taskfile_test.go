package prompt

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

func task() belay.Task {
	two := 2
	return belay.Task{ID: "T7", Title: "Add two drinks", Prose: "Add two drinks.\n\n- and fix the header",
		Request: belay.Request{Type: belay.Mutation, Requirements: []belay.Requirement{{Marker: belay.MarkAdd, Text: "drinks", Count: &two}}, Preserve: []string{"b.txt"}},
		Scope:   belay.Scope{Files: []string{"src/**"}, Protect: []string{"go.mod"}}}
}

// TestComesBack: an unedited file is read back unchanged, for any text.
func TestComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := task()
		in.Prose = rapid.OneOf(rapid.StringN(1, 80, -1), rapid.SampledFrom([]string{"# T7: x\n\n## What is asked for\n\n- [ADD] x\n\n## What it may change\n\n- FILES: y", "a\r\nb\r\n", "x\n\n\n", "\n\ny", "```\nopen"})).Draw(t, "prose")
		if strings.TrimSpace(in.Prose) == "" || strings.ContainsRune(in.Prose, 0) {
			return
		}
		got, err := ReadEditedTask(in.ID, EditableTask(in))
		if err != nil || got.Prose != in.Prose || !reflect.DeepEqual(got.Request, in.Request) || !reflect.DeepEqual(got.Scope, in.Scope) {
			t.Fatalf("%v\n%q\n%q\n%s", err, in.Prose, got.Prose, EditableTask(in))
		}
	})
}

func TestProblems(t *testing.T) {
	t.Parallel()
	text := EditableTask(task())
	for change, want := range map[string]string{
		"# T7: -> # T8: ":                               `line 1: the first line must be "# T7:" and a title`,
		"[ADD] -> [MAYBE] ":                             "line 11: MAYBE is not a marker",
		"(2) -> (two) ":                                 "line 11: its number cannot be read",
		"Type: mutation -> Type: big":                   `the type is "big"; use fresh`,
		"- FILES: -> - FILE: ":                          "line 16: it is no FILES, PROTECT or EXPECT",
		"src/** -> src/[":                               "line 16: ",
		"## What is asked for -> ##":                    `the heading "## What is asked for" is missing`,
		"## What it may change -> ##":                   `the heading "## What it may change" is missing below`,
		"Add two drinks.\n\n- and fix the header -> \t": "line 3: the task text is empty",
		"fix the -> fix \xff the":                       "line 5: the text is not UTF-8",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		if from == "# T7:" || from == "[ADD]" || from == "(2)" || from == "- FILES:" {
			to = strings.TrimSuffix(to, " ")
		}
		_, err := ReadEditedTask("T7", strings.Replace(text, from, to, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\n%s", change, err, text)
		}
	}
	_, err := ReadEditedTask("T7", strings.NewReplacer("[ADD]", "[X]", "PRESERVE", "KEEP", "FILES", "F").Replace(text))
	want := Problems{{11, "X is not a marker"}, {12, "expected a requirement, PRESERVE, AFFECTED, CHANGE ONLY, DO NOT TOUCH or IN DOUBT"}, {16, "it is no FILES, PROTECT or EXPECT"}}
	if d := cmp.Diff(error(want), err); d != "" {
		t.Error(d)
	}
	if _, err := ReadEditedTask("T7", ""); err == nil {
		t.Error("nothing is a task")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(EditableTask(task()))
	f.Add("# T7: a\nb\n## What is asked for\nType: fresh\n## What it may change\n- FILES: x\n")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ReadEditedTask("T7", text)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("no reason")
			}
			return
		}
		again, err := ReadEditedTask("T7", EditableTask(belay.Task{ID: "T7", Title: belay.TitleOf(e.Prose), Prose: e.Prose, Request: e.Request, Scope: e.Scope}))
		if err != nil || again.Prose != e.Prose || !reflect.DeepEqual(again.Request, e.Request) {
			t.Fatalf("%v\n%#v\n%#v", err, e, again)
		}
	})
}
