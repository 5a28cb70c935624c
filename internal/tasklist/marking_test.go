package tasklist

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// A fixed umask: modes are compared.
func init() { syscall.Umask(0o022) }

const text = "# Tasks\r\n\r\n- [ ] T001 first\r\n- [ ] T002 second"

var second = belay.Origin{File: "specs/1/tasks.md", ID: "T002", Title: "second", Line: 4}

func tree(t *testing.T) (root, file string) {
	root = t.TempDir()
	file = filepath.Join(root, "specs", "1", "tasks.md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o640), os.Mkdir(filepath.Join(root, "tmp"), 0o755)); err != nil {
		t.Fatal(err)
	}
	return root, file
}

func is(t *testing.T, file, want string) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%q, not %q (%v)", got, want, err)
	}
}

var ticked = strings.Replace(text, "- [ ] T002", "- [x] T002", 1)

func TestMark(t *testing.T) {
	root, file := tree(t)
	lines, err := MarkDone(root, filepath.Join(root, "tmp"), second)
	if err != nil || len(lines) != 1 || lines[0] != 4 {
		t.Errorf("%v %v", lines, err)
	}
	is(t, file, ticked)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if lines, err := MarkDone(root, "", second); err != nil || len(lines) != 0 {
		t.Errorf("%v %v", lines, err)
	}
	// The task moved; that does not matter.
	moved := "new line\r\n" + text
	if err := os.WriteFile(file, []byte(moved), 0o640); err != nil {
		t.Fatal(err)
	}
	if lines, err := MarkDone(root, "", second); err != nil || fmt.Sprint(lines) != "[5]" {
		t.Errorf("%v %v", lines, err)
	}
}

// TestLeftAlone: if the file is not as expected, it is unchanged, and the error says why.
func TestLeftAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(root, file string) error
		says string
	}{
		"other words": {func(_, f string) error { return os.WriteFile(f, []byte("- [ ] T002 third\n"), 0o640) }, "the text of T002 in specs/1/tasks.md has changed"},
		"gone":        {func(_, f string) error { return os.WriteFile(f, []byte("# Tasks\n"), 0o640) }, "is no longer in"},
		"no file":     {func(_, f string) error { return os.Remove(f) }, "no longer exists"},
		"a link": {func(root, f string) error {
			return errors.Join(os.Rename(f, root+"/real.md"), os.Symlink(root+"/real.md", f))
		}, "through a link"},
		"a linked folder": {func(root, f string) error {
			return errors.Join(os.Rename(root+"/specs", root+"/real"), os.Symlink("real", root+"/specs"))
		}, "through a link"},
		"a folder": {func(_, f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o755)) }, "is not a file"},
		"no text":  {func(_, f string) error { return os.WriteFile(f, []byte("\xff\xfe-\x00"), 0o640) }, "is not UTF-8"},
	} {
		root, file := tree(t)
		if err := tt.do(root, file); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(file)
		_, err := MarkDone(root, "", second)
		if after, _ := os.ReadFile(file); err == nil || !strings.Contains(err.Error(), tt.says) || string(after) != string(before) {
			t.Errorf("%s: %v, %q", name, err, after)
		}
	}
	if _, err := MarkDone(t.TempDir(), "", belay.Origin{File: "/x/tasks.md", Outside: true}); err == nil || !strings.Contains(err.Error(), "not in this repository") {
		t.Error(err)
	}
}

// TestSavedMeanwhile: what somebody saves while the box is ticked stays, and the box is ticked
// there.
func TestSavedMeanwhile(t *testing.T) {
	root, file := tree(t)
	other := "# Mine\n- [ ] T002 second\n"
	saved := false
	fsroot.Fault = func(op, path string) error {
		if op == "rename" && !saved {
			saved = true
			return os.WriteFile(file, []byte(other), 0o640)
		}
		return nil
	}
	defer func() { fsroot.Fault = nil }()
	if lines, err := MarkDone(root, "", second); err != nil || fmt.Sprint(lines) != "[2]" {
		t.Errorf("%v %v", lines, err)
	}
	is(t, file, "# Mine\n- [x] T002 second\n")
}

// TestKilled: killed before any step, the file is the old or the new one, and marking again leads
// to the new one.
func TestKilled(t *testing.T) {
	if at := os.Getenv("MARK_KILL_AT"); at != "" {
		n := 0
		fsroot.Fault = func(op, path string) error {
			if n++; fmt.Sprint(n) == at {
				os.Exit(9)
			}
			return nil
		}
		if _, err := MarkDone(os.Getenv("MARK_ROOT"), os.Getenv("MARK_ROOT")+"/tmp", second); err != nil {
			t.Fatal(err)
		}
		return
	}
	for n := 1; ; n++ {
		root, file := tree(t)
		c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		c.Env = append(os.Environ(), fmt.Sprint("MARK_KILL_AT=", n), "MARK_ROOT="+root)
		out, err := c.CombinedOutput()
		var ended *exec.ExitError
		killed := errors.As(err, &ended) && ended.ExitCode() == 9
		if !killed && err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text && string(got) != ticked {
			t.Fatalf("killed before step %d: %q %v", n, got, err)
		}
		if _, err := MarkDone(root, root+"/tmp", second); err != nil {
			t.Fatalf("after a kill before step %d: %v", n, err)
		}
		is(t, file, ticked)
		beside, _ := os.ReadDir(filepath.Dir(file))
		if len(beside) != 1 {
			t.Errorf("killed before step %d, beside the file: %v", n, beside)
		}
		if !killed {
			if n < 5 {
				t.Errorf("only %d steps", n)
			}
			return
		}
	}
}
