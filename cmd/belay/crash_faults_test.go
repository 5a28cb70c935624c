package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCrashStateDeleted has an agent delete belay's folder during an attempt. The attempt is lost,
// its changes are rolled back, and the next one passes.
func TestCrashStateDeleted(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	want, _, _ := dry(t, w)
	d := w.another(t, folder(t))
	head, rest, _ := strings.Cut(crashScript, "== 2 ==\n")
	_, right, _ := strings.Cut(rest, "== * ==\n")
	d.must(os.WriteFile(filepath.Join(d.up, "script"), []byte(head+"sh rm -rf .git/belay\n== * ==\n"+right), 0o644))
	y := newTally(t, 1)
	r := d.belay("", runT1...)
	// The agent is ended as soon as its folder is missing, and rm with it: then a part of the record is left.
	said := strings.Contains(r.errs, "its record was deleted, and so were the records of all other tasks") ||
		strings.Contains(r.errs, "the task's record was changed: during attempt 1")
	if r.code != 0 || !said {
		t.Errorf("it should pass and say what happened: %s", r)
	}
	d.settled(y, "belay's folder deleted", want)
	if l := d.belay("", "snapshot", "list", "--task", "T1"); strings.Count(l.out, "  before  T1") != 2 || strings.Count(l.out, "  after   T1") != 2 {
		t.Errorf("snapshots are missing: %s", l)
	}
}

// TestCrashGitDeleted has an agent delete the complete git folder. There is nothing to restore
// from; belay reports it, waits, and does not touch the files.
func TestCrashGitDeleted(t *testing.T) {
	t.Parallel()
	w := scripted(t, "== * ==\nwrite src/answer.txt 42\nsh rm -rf .git\n")
	want := append(w.files(), "")
	r := w.belay("", runT1...)
	if r.code != 2 && r.code != 3 || !strings.Contains(r.errs, "git repository") {
		t.Errorf("it should report that the repository was deleted: %s", r)
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

// TestCrashReadOnly makes parts of the git folder read-only. Each command reports it and changes
// nothing, or completes once it may write again.
func TestCrashReadOnly(t *testing.T) {
	t.Parallel()
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
		changes := [][]string{restore, runT1, {"snapshot", "take"}}
		if !crashAll() {
			changes = changes[:1]
		}
		for _, change := range changes {
			at := "may not write to " + p.name + ", " + strings.Join(change[:2], " ")
			d := r.another(t, filepath.Join(dir, change[1]))
			chmod(d, p.lock...)
			for _, look := range [][]string{{"status"}, {"snapshot", "list"}, {"snapshot", "show", r.id}} {
				if got := d.belay("", look...); got.code != 0 {
					y.fault(at, otherwise, "%s", got)
				}
			}
			got := d.belay("", change...)
			if got.code == 0 && p.name != "the folder alone" || got.code != 0 && got.code != 2 && got.code != 3 || got.code != 0 && !saysDenied(got) {
				y.fault(at, otherwise, "it should say that it may not: %s", got)
			}
			if left := differing(r.bad, d.state()); p.name != "the folder alone" && len(left) > 0 {
				y.fault(at, wrongTree, "\n%s", strings.Join(left, "\n"))
			}
			chmod(d, "-R", "u+w", ".git")
			switch end := r.bad; change[1] {
			case runT1[1]:
				if d.goOn(y, at, got) {
					d.settled(y, at, want)
				}
			case restore[1]:
				end = r.good
				fallthrough
			default:
				if again := d.belay("", change...); again.code != 0 {
					y.fault(at, otherwise, "%s", again)
				}
				d.settled(y, at, end)
			}
		}
	})
	y.sum("read-only")
}

func chmod(d *world, args ...string) {
	d.t.Helper()
	command(d.t, "sh", append([]string{"-c", `cd "$0" && chmod "$@"`, d.repo}, args...)...)
}

func saysDenied(r ran) bool {
	text := strings.ToLower(r.out + r.errs)
	return strings.Contains(text, "permission denied") || strings.Contains(text, "may not be written to")
}
