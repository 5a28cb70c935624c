package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/phase"
)

// TestReplaceTextMeanwhile: what another program saves between reading and writing a layout's file
// is not lost, and endless saving is an error.
func TestReplaceTextMeanwhile(t *testing.T) {
	dir := repository(t)
	s := open(t, dir)
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	write(t, dir, "m.json", "one")
	saves := 1
	set := func(text []byte) ([]byte, error) {
		if saves > 0 {
			saves--
			write(t, dir, "m.json", string(text)+" theirs")
		}
		return append(bytes.Clone(text), " ours"...), nil
	}
	was, is, err := s.Session.ReplaceText(root, "m.json", set)
	if err != nil || string(was) != "one theirs" || string(is) != "one theirs ours" || read(t, dir, "m.json") != "one theirs ours" {
		t.Errorf("%q became %q, the file contains %q: %v", was, is, read(t, dir, "m.json"), err)
	}
	saves = 99
	if _, _, err := s.Session.ReplaceText(root, "m.json", set); belay.CodeOf(err) != belay.CodeCannot || strings.Contains(read(t, dir, "m.json"), "ours ours") {
		t.Errorf("%v: the file contains %q", err, read(t, dir, "m.json"))
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStagesAtOnce: if two processes do the next step of a feature at the same time, one fails with
// CodeBusy, and nothing is lost.
func TestStagesAtOnce(t *testing.T) {
	dir := repository(t)
	write(t, dir, "specs/001-a/spec.md", "# S\n")
	if _, err := open(t, dir).Begin(t.Context(), app.StartFeature{Name: "001-a"}); err != nil {
		t.Fatal(err)
	}
	one, err := open(t, dir).Stage(t.Context(), "001-a")
	if err != nil {
		t.Fatal(err)
	}
	two, err := open(t, dir).Stage(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := one.Start(t.Context(), app.PhaseRequest{Phase: phase.Specify}); err != nil || r.State != "started" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := two.Start(t.Context(), app.PhaseRequest{Phase: phase.Specify}); belay.CodeOf(err) != belay.CodeBusy {
		t.Errorf("the second start: %v", err)
	}
	if two, err = open(t, dir).Stage(t.Context(), ""); err != nil || !two.View().Begun || len(two.View().History) != 2 {
		t.Errorf("%+v, %v", two.View(), err)
	}
	for _, bad := range []string{"no such", "002"} {
		if _, err := open(t, dir).Stage(t.Context(), bad); belay.CodeOf(err) != belay.CodeNotFound {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestWrongWorktree: a session in another working tree than the features' gets a warning once, and
// the feature's documents are read in their tree.
func TestWrongWorktree(t *testing.T) {
	dir := repository(t)
	other := filepath.Join(filepath.Dir(dir), filepath.Base(dir)+"-other")
	sh(t, dir, "git worktree add -q "+other+" -b login")
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	if _, err := open(t, other).Begin(t.Context(), app.StartFeature{Name: "login"}); err != nil {
		t.Fatal(err)
	}
	write(t, other, "specs/001-login/spec.md", "# S\n")
	s, err := open(t, dir).Stage(t.Context(), "")
	if err != nil || s.Rec.Feature.Tree == "" || filepath.IsAbs(s.Rec.Feature.Tree) || s.Service.Session.Repo.Root == dir || s.OtherTree == "" {
		t.Fatalf("read in %s, recorded in %q: %v", s.Service.Session.Repo.Root, s.Rec.Feature.Tree, err)
	}
	if a, err := s.Artefact(phase.Specify); err != nil || a.State != phase.Present {
		t.Errorf("%+v, %v", a, err)
	}
	const warning = "this may be the wrong folder"
	if a := sendEvent(t, dir, "a", "SessionStart", `,"source":"startup"`); !strings.Contains(a.Context, warning) {
		t.Errorf("no warning: %s", a.Context)
	}
	if a := sendEvent(t, dir, "a", "SessionStart", `,"source":"compact"`); strings.Contains(a.Context, warning) ||
		!strings.Contains(a.Context, "001-login") {
		t.Errorf("a second warning: %s", a.Context)
	}
	if a := sendEvent(t, other, "b", "SessionStart", `,"source":"startup"`); strings.Contains(a.Context, warning) {
		t.Errorf("a warning in the right folder: %s", a.Context)
	}
	b := open(t, other).Brief(t.Context())
	text, err := json.Marshal(b)
	if err != nil || !strings.Contains(string(text), `"phase":"not begun","mode":"standard","folder":"specs/001-login","next":"belay phase start specify"`) {
		t.Errorf("%s, %v", text, err)
	}
}
