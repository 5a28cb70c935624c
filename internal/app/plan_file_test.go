package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)); err != nil {
		t.Fatal(err)
	}
}

func openTestPlan(t *testing.T, dir, name string) *PlanFile {
	t.Helper()
	f, err := OpenPlanFile(nil, dir, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestWriteSaved: changes saved after the plan was read are never overwritten.
func TestWriteSaved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.md")
	write(t, path, "# A\n")
	f := openTestPlan(t, dir, "plan.md")
	p, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "# A, saved\n")
	if err := f.Write(p.Text(), []byte("# B\n"), ""); belay.CodeOf(err) != belay.CodeBusy || text(t, path) != "# A, saved\n" {
		t.Errorf("error %v, content %q", err, text(t, path))
	}
	p, err = f.Read()
	if err == nil {
		err = f.Write(p.Text(), []byte("# B\n"), "")
	}
	if err != nil || text(t, path) != "# B\n" {
		t.Errorf("error %v, content %q", err, text(t, path))
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := f.Write(nil, []byte("# C\n"), ""); belay.CodeOf(err) != belay.CodeUsage || text(t, path) != "# B\n" {
		t.Errorf("a new plan replaced an existing one: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestWriteLinks: nothing is read or written through a link.
func TestWriteLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "plan.md"), "# theirs\n")
	if err := os.Symlink(filepath.Join(outside, "plan.md"), filepath.Join(dir, "plan.md")); err != nil {
		t.Skip(err)
	}
	f := openTestPlan(t, dir, "plan.md")
	if _, err := f.Read(); belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("read through a link: %v", err)
	}
	if err := f.Write([]byte("# theirs\n"), []byte("# ours\n"), ""); err == nil {
		t.Error("replaced a link")
	}
	if got := text(t, filepath.Join(outside, "plan.md")); got != "# theirs\n" {
		t.Errorf("it says %q", got)
	}
}

// TestWriteFails: whatever step fails, the plan has the complete old or the complete new content.
func TestWriteFails(t *testing.T) {
	for n := 1; ; n++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "plan.md")
		write(t, path, "# old\n")
		f := openTestPlan(t, dir, "plan.md")
		steps := 0
		fsroot.Fault = func(string, string) error {
			if steps++; steps == n {
				return errors.New("no")
			}
			return nil
		}
		err := f.Write([]byte("# old\n"), []byte("# new\n"), "")
		fsroot.Fault = nil
		if steps < n {
			if err != nil || n < 4 {
				t.Fatalf("%d steps, %v", steps, err)
			}
			return
		}
		if got := text(t, path); got != "# old\n" && got != "# new\n" || err == nil {
			t.Errorf("step %d failed: error %v, content %q", n, err, got)
		}
	}
}

// TestReadOdd: files that are not plans give a clear error.
func TestReadOdd(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "latin.md"), "# caf\xe9\n")
	write(t, filepath.Join(dir, "nul.tsx"), "<A>\x00</A>")
	write(t, filepath.Join(dir, "folder.md", "x"), "")
	for name, want := range map[string]string{
		"latin.md": "latin.md:1 is not UTF-8 text", "nul.tsx": "nul.tsx:1 is not UTF-8 text", "folder.md": "folder.md is not a file", "none.md": "no plan none.md",
		"x.txt": "x.txt is not a plan: its name ends in neither .tsx nor .md", "no/where.md": "no folder for no/where.md",
	} {
		if _, err := ReadPlan(dir, name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
