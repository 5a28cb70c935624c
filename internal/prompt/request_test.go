package prompt

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

func requests(t *rapid.T) belay.Request {
	words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "(3) things", "\"quoted\"", " edge ", "a\nb", "## What is asked for", "`code`", "- [ADD] x", "é ñ", "\x1b[2J", "\u202eright", "[FIX] y"}))
	r := belay.Request{Type: rapid.SampledFrom([]belay.RequestType{belay.Fresh, belay.Mutation, belay.Bugfix, belay.Unclear}).Draw(t, "type")}
	for range rapid.IntRange(0, 4).Draw(t, "requirements") {
		q := belay.Requirement{Marker: rapid.SampledFrom([]belay.Marker{belay.MarkAdd, belay.MarkModify, belay.MarkFix, belay.MarkRemove}).Draw(t, "marker"), Text: words.Draw(t, "text")}
		if rapid.Bool().Draw(t, "counted") {
			n := rapid.IntRange(-1, 1e6).Draw(t, "count")
			q.Count = &n
		}
		r.Requirements = append(r.Requirements, q)
	}
	for range rapid.IntRange(0, 3).Draw(t, "rest") {
		r.Preserve = append(r.Preserve, words.Draw(t, "keep"))
		r.Affected = append(r.Affected, words.Draw(t, "file"))
		r.Bounds = append(r.Bounds, belay.Bound{Only: rapid.Bool().Draw(t, "only"), What: words.Draw(t, "bound"), Words: words.Draw(t, "because")})
		r.Doubts = append(r.Doubts, belay.Doubt{Words: words.Draw(t, "doubt"), Readings: []string{words.Draw(t, "one"), words.Draw(t, "other")}})
	}
	return r
}

// TestRequestComesBack: ReadRequest reads back unchanged what RequestText wrote, for any text.
func TestRequestComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := requests(t)
		got, err := ReadRequest(RequestText(want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\nwant %#v\ngot  %#v\n%s", err, want, got, RequestText(want))
		}
	})
}

func TestReadRequestNamesWhatItCannotRead(t *testing.T) {
	for _, text := range []string{"Type: fresh\n- [MAYBE] x", "- [ADD] (x) y", "hello", "- [ADD] \"open", "- PRESERVE: \"open"} {
		if _, err := ReadRequest(text); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestOrigin: the prompt says where an imported task is from, and that the agent must not tick it.
func TestOrigin(t *testing.T) {
	task := login
	task.Origin = &belay.Origin{File: "specs/1/tasks.md", ID: "T002", Part: "1. Model"}
	const want = "- The task is `T002` of `specs/1/tasks.md`, a part of `1. Model`: look there"
	if got := Prompt(PromptInput{Task: task}); !strings.Contains(got, want) {
		t.Error(got)
	}
	task.Origin = &belay.Origin{File: "/tmp/x.md", Outside: true}
	if got := Prompt(PromptInput{Task: task}); strings.Contains(got, "x.md") {
		t.Error(got)
	}
}

func TestRead(t *testing.T) {
	task := login
	if ReadingText(task) != "" {
		t.Error(ReadingText(task))
	}
	task.Reading = &belay.Reading{By: "local", Differs: []string{"type: a\x1b[2J"}, Note: "n"}
	if got := ReadingText(task); got != "read by: local\n  type: a\\x1b[2J\n  n\n" {
		t.Errorf("%q", got)
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add("Type: fresh\n\n- [ADD] (2) pages\n- PRESERVE: the header\n- IN DOUBT: \"x\"\n  - or: y")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadRequest(text)
		if err != nil {
			return
		}
		again, err := ReadRequest(RequestText(r))
		if err != nil && r.Type == "" || err == nil && reflect.DeepEqual(again, r) || strings.ContainsAny(string(r.Type), "\r\n") {
			return
		}
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%v\n%#v\n%#v", err, r, again)
		}
	})
}

// TestRequirements: a requirement is listed with its evidence or with what is missing, also for a
// reviewer.
func TestRequirements(t *testing.T) {
	met := []belay.Met{
		{Marker: belay.MarkAdd, Text: "add functions Half and Other", Verdict: belay.MetUnknown, Evidence: []string{"Half, calc.go:7"}, Missing: []string{"Other"}},
		{Marker: belay.MarkRemove, Text: "delete \x1b[2Jold.md", Verdict: belay.MetYes, Evidence: []string{"old.md"}},
		{Marker: belay.MarkModify, Text: "make it faster", Verdict: belay.MetUnknown},
	}
	got := RequirementsText(met)
	want := "- not shown: [ADD] add functions Half and Other (Other)\n- shown: [REMOVE] delete " + belay.VisibleLine("\x1b[2J") + "old.md (old.md)\n- not shown: [MODIFY] make it faster\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if text := Review(ReviewInput{Task: login, Nonce: "5e4d", Checks: []belay.CheckResult{{Check: "contract", Verdict: belay.VerdictPass, Met: met}}}); !strings.Contains(text, want) {
		t.Errorf("the reviewer's prompt lacks the requirements:\n%s", text)
	}
}
