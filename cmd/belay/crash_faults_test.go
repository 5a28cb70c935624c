package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCrashStateDeleted has an agent delete belay's folder in the middle of an attempt.
// The attempt is lost, what it changed is put back, and the next one passes.
func TestCrashStateDeleted(t *testing.T) {
	w := scripted(t, crashScript)
	want, _, _ := dry(t, w)
	d := w.another(t, folder(t))
	head, rest, _ := strings.Cut(crashScript, "== 2 ==\n")
	_, right, _ := strings.Cut(rest, "== * ==\n")
	d.must(os.WriteFile(filepath.Join(d.up, "script"), []byte(head+"sh rm -rf .git/belay\n== * ==\n"+right), 0o644))
	y := newTally(t, 1)
	r := d.belay("", runT1...)
	if r.code != 0 || !strings.Contains(r.errs, "deleted while the task ran") {
		t.Errorf("it should pass and say what happened: %s", r)
	}
	d.settled(y, "belay's folder deleted", want)
	if l := d.belay("", "snapshot", "list", "--task", "T1"); strings.Count(l.out, "  before  T1") != 2 || strings.Count(l.out, "  after   T1") != 2 {
		t.Errorf("snapshots are gone: %s", l)
	}
}

// TestCrashGitDeleted has an agent delete the whole git folder. There is nothing left
// to restore from; belay says so, waits, and leaves the files alone.
func TestCrashGitDeleted(t *testing.T) {
	w := scripted(t, "== * ==\nwrite src/answer.txt 42\nsh rm -rf .git\n")
	want := append(w.files(), "")
	r := w.belay("", runT1...)
	if r.code != 2 && r.code != 3 || !strings.Contains(r.errs, "not a git repository") {
		t.Errorf("it should say that the repository is gone: %s", r)
	}
	for _, l := range differing(want, append(w.files(), "")) {
		if !strings.Contains(l, "src") {
			t.Errorf("files were touched: %s", l)
		}
	}
	if s := w.belay("", "status"); s.code != 2 || s.errs == "" {
		t.Errorf("status: %s", s)
	}
}

// TestCrashReadOnly takes the right to write from parts of the git folder. Each command
// says so and changes nothing, or what it began is finished once it may write again.
func TestCrashReadOnly(t *testing.T) {
	r := newRuined(t)
	r.must(os.WriteFile(filepath.Join(r.up, "script"), []byte(crashScript), 0o644))
	ended := r.another(t, folder(t))
	ended.succeed(runT1...)
	want := ended.state()
	back := r.another(t, folder(t))
	back.succeed("snapshot", "restore", r.id, "--yes")
	r.good = back.state()
	restore := []string{"snapshot", "restore", r.id, "--yes"}
	type part struct {
		name string
		lock []string
	}
	parts := []part{
		{"everything", []string{"-R", "a-w", ".git"}}, {"objects", []string{"-R", "a-w", ".git/objects"}},
		{"refs", []string{"-R", "a-w", ".git/refs"}}, {"belay", []string{"-R", "a-w", ".git/belay"}},
		{"the folder alone", []string{"a-w", ".git"}},
	}
	y := newTally(t, len(parts))
	each(t, parts, func(dir string, p part) {
		d := r.another(t, dir)
		lock := func(d *world) { command(t, "sh", append([]string{"-c", `cd "$0" && chmod "$@"`, d.repo}, p.lock...)...) }
		unlock := func(d *world) { command(t, "chmod", "-R", "u+w", filepath.Join(d.repo, ".git")) }
		lock(d)
		for _, args := range [][]string{{"status"}, {"snapshot", "list"}, {"snapshot", "diff", r.id}, {"snapshot", "take"}, restore, {"undo"}, runT1} {
			got := d.belay("", args...)
			at := p.name + ", " + strings.Join(args[:min(2, len(args))], " ")
			t.Logf("%s: %s", at, got)
			_ = got
		}
		unlock(d)
		_ = want
	})
}
