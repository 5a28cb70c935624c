package intent

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestDoubtsHaveReadings: every doubt has at least two different readings that describe work.
func TestDoubtsHaveReadings(t *testing.T) {
	t.Parallel()
	texts := []string{"fix it", "fix the login", "the logo", "undo that", "do the same as last time", "change the colors", "replace the icons", "one more please", "delete the index",
		"use tabs or spaces in the editor", "half of the alerts should be slack", "customer should be client", "make it better", "so, hello", "Добавь кнопку выхода", "which one?", "the other sensor too",
		"sort the list by name", "some of the pages should be dark", "Add a modal. Or should it be a drawer with a button?", strings.Repeat("add a page with a list. ", 4000)}
	for _, f := range []string{"testdata/ask/shared.jsonl", "testdata/ask/own.jsonl"} {
		for _, m := range load(t, f) {
			texts = append(texts, m.Text)
		}
	}
	data, err := os.ReadFile("testdata/ask/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	for s := range strings.Lines(string(data)) {
		if l, ok := parseLine(strings.TrimRight(s, "\n")); ok {
			texts = append(texts, l.in.Text)
		}
	}
	n := 0
	for i, text := range texts {
		if i%2 == 1 && i > 20 && !testutil.Wide() {
			continue
		}
		req, _ := Parse(Input{Text: text, PlanExists: true, Files: []string{"src/index.js", "lib/index.js", "docs/index.md", "src/login.go"}})
		if req.Type == belay.Unclear && len(req.Doubts) == 0 {
			t.Errorf("%.80q is unclear without a doubt", text)
		}
		for _, d := range req.Doubts {
			n++
			said := slices.Compact(slices.Sorted(slices.Values(d.Readings)))
			if len(said) < 2 || slices.ContainsFunc(said, func(s string) bool { return strings.TrimSpace(s) == "" || strings.Contains(s, "is not said") }) {
				t.Errorf("%.80q: %q", text, d.Readings)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d doubts", n)
	}
}

func TestReadingsNameFiles(t *testing.T) {
	t.Parallel()
	req, _ := Parse(Input{Text: "delete the index", PlanExists: true, Files: []string{"src/index.js", "lib/index.js", "docs/index.md"}})
	if len(req.Doubts) != 1 || !slices.Equal(req.Doubts[0].Readings, []string{"src/index.js is meant", "lib/index.js is meant", "docs/index.md is meant"}) {
		t.Errorf("%+v", req.Doubts)
	}
}

// TestAnswered: after the answer the requirements are complete and no doubt remains.
func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, answer, want string }{
		{"half of the alerts should be slack", "convert four of the eight alerts to slack", "mutation [MODIFY 4] convert four of the eight alerts to slack"},
		{"half of the alerts should be slack", "2", "mutation [ADD] half of the alerts should be slack: others are added beside those that are there"},
		{"customer should be client", "only the name changes", "mutation [MODIFY] customer should be client: only the name changes"},
		{"can you get rid of the old users", "the code for them", "mutation [REMOVE] can you get rid of the old users: delete the code for them"},
		{"fix the login", "it crashes when the name has a space", "bugfix [FIX] fix the login: it crashes when the name has a space"},
		{"make the charts better", "add two flavors to src/a.txt", "mutation [ADD 2] add two flavors to src/a.txt"},
		{"undo that", "1", "mutation [REMOVE] undo that: the changes that are not committed are taken back"},
	} {
		req := ApplyAnswer(Input{Text: c.said + "\n\n" + c.answer, PlanExists: true}, c.said, c.answer)
		got := string(req.Type)
		for _, r := range req.Requirements {
			n := ""
			if r.Count != nil {
				n = fmt.Sprintf(" %d", *r.Count)
			}
			got += fmt.Sprintf(" [%s%s] %s", r.Marker, n, r.Text)
		}
		if got != c.want || len(req.Doubts) > 0 {
			t.Errorf("%q, %q:\n got %s\nwant %s\n%+v", c.said, c.answer, got, c.want, req.Doubts)
		}
	}
}

// TestVagueWordsHoldNothingUp: a task and its object are enough; details may be missing.
func TestVagueWordsHoldNothingUp(t *testing.T) {
	for said, waits := range map[string]bool{
		"Make the tests pass":               false,
		"Upgrade dependencies":              false,
		"Clean up the code in utils.py":     false,
		"Improve performance of the parser": false,
		"Sort members":                      false,
		"clean up":                          true,
		"improve it":                        true,
		"fix it":                            true,
		"the offline thing again":           true,
		"customer should be client":         true,
		"can you get rid of the old users":  true,
	} {
		req, _ := Parse(Input{Text: said, PlanExists: true})
		if got := req.Waits(); got != waits {
			t.Errorf("%q waits: %v, want %v; %v", said, got, waits, req.Doubts)
		}
	}
}
