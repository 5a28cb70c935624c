package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/review"
)

// TestCommentsText: the text of a review is parsed into the same places and comments.
func TestCommentsText(t *testing.T) {
	t.Parallel()
	now := belay.SnapshotID("01m8cp2h1x0000000000000000")
	text, err := app.CommentsText("Nearly.", []app.Comment{{Path: "a.go", Line: 6, End: 6, Text: "Use min.\nSay why.", State: now},
		{Path: "a.go", Line: 7, End: 9, Text: "```suggestion\nx\n```", State: now},
		{Path: "a.go", Line: 3, End: 3, Text: "Why did this go?", Old: true, State: now},
		{Path: "b.go", Line: 2, End: 2, Text: "It was better.", State: "01m8cp2h1w0000000000000000"}}, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"path: a.go\n      lines: \"6\"\n", "lines: 7-9\n", "- path: a.go\n    - path: b.go", "\n\nNearly.\n\n### `a.go:6`\n\nUse min.\nSay why.\n",
		"### `a.go`, line 3 before the change\n\nWhy did this go?", "### `b.go`, line 2 of an earlier attempt"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if t.Failed() {
		return
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[a-z]{1,6}(/[a-zA-Z0-9_ :#"'-]{1,9}){0,2}\.go`).Draw(t, "path")
		line := rapid.IntRange(1, 1<<20).Draw(t, "line")
		words := rapid.String().Draw(t, "words")
		text, err := app.CommentsText(words, []app.Comment{{Path: path, Line: line, End: line + rapid.IntRange(0, 9).Draw(t, "more"), Text: "It leaks.", State: now}}, now)
		if err != nil {
			t.Fatal(err)
		}
		d, err := review.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
		c, err := d.Cycle()
		if err != nil || len(c.Affected) != 1 || c.Affected[0].Path != path || !strings.Contains(d.Body(), "It leaks.") {
			t.Fatalf("%v %+v\n%q", err, c, text)
		}
	})
}

// TestComments: a comment survives the process, also beside a killed writer's file, and a removed one is deleted.
func TestComments(t *testing.T) {
	t.Parallel()
	dir, _ := project(t, "")
	s := open(t, dir)
	one, err := s.AddComment("T1", app.Comment{Path: "b.go", Line: 3, Text: " It leaks.\r\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddComment("T1", app.Comment{Path: "a.go", Line: 9, End: 12, Text: "Why?"}); err != nil {
		t.Fatal(err)
	}
	at := s.Session.Scratch("comments", "t1")
	for name, text := range map[string]string{".tmp-1": "{", "0011223344556677.json": "{"} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Comments("T1")
	if err == nil || !strings.Contains(err.Error(), "0011223344556677") || len(all) != 2 || all[0].Text != "Why?" || all[0].End != 12 || all[1].Text != "It leaks." ||
		all[1].End != 3 {
		t.Errorf("%+v %v", all, err)
	}
	if err := s.RemoveComments("T1", one.ID, one.ID); err != nil {
		t.Error(err)
	}
	if all, _ := s.Comments("T1"); len(all) != 1 {
		t.Errorf("%+v", all)
	}
	for _, bad := range []app.Comment{{Path: "a", Line: 1}, {Path: "a", Text: "x"}, {Line: 1, Text: "x"}, {Path: "a", Line: 1, Text: strings.Repeat("x", 32<<10+1)}} {
		if _, err := s.AddComment("T1", bad); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%.40v: %v", bad, err)
		}
	}
	if err := s.RemoveComments("T1", "../../config"); belay.CodeOf(err) != belay.CodeUsage {
		t.Error(err)
	}
	if _, err := s.AddComment("T9", app.Comment{Path: "a", Line: 1, Text: "x"}); belay.CodeOf(err) != belay.CodeNotFound {
		t.Error(err)
	}
}
