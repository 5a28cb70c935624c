package fsroot

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var errStep = errors.New("the step failed")

// After a failure at any step, and after success, the file is the old one or the complete new one,
// and an error leaves no other file.
func TestAtomicWrite(t *testing.T) {
	t.Parallel()
	const before, after = "old bytes", "new bytes"
	for _, kind := range []AtomicOptions{{}, {Synced: true}, {Synced: true, FixedName: true}} {
		var steps []string
		for fail := 0; fail <= len(steps); fail++ {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			n := 0
			how := kind
			how.Perm, how.Step = 0o640, func(name, at string) error {
				if text, err := os.ReadFile(path); err != nil || string(text) != before && name != "syncdir" {
					t.Errorf("at %s the file is %q, %v", name, text, err)
				}
				if fail == 0 {
					steps = append(steps, name)
				}
				if n++; n == fail {
					return errStep
				}
				return nil
			}
			err := AtomicWrite(path, how, []byte(after[:4]), []byte(after[4:]))
			text, rerr := os.ReadFile(path)
			switch {
			case rerr != nil:
				t.Fatal(rerr)
			case fail == 0 && (err != nil || string(text) != after):
				t.Fatalf("replaced by %q, %v", text, err)
			case fail > 0 && !errors.Is(err, errStep):
				t.Errorf("step %d of %v failed, and the error is %v", fail, steps, err)
			case fail > 0 && string(text) != before && steps[fail-1] != "syncdir":
				t.Errorf("after a failed %s the file is %q", steps[fail-1], text)
			}
			if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 || len(hidden(t, dir)) > 0 {
				t.Errorf("left beside it: %v %v", names, hidden(t, dir))
			}
			if info, err := os.Stat(path); fail == 0 && (err != nil || info.Mode().Perm() != 0o640) {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		}
		if slices.Contains(steps, "syncdir") != kind.Synced || !slices.Contains(steps, "rename") {
			t.Errorf("synced %v: %v", kind.Synced, steps)
		}
	}
}

func hidden(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// A link is replaced, and its target is unchanged.
func TestAtomicWriteLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, []byte("kept"), 0o600), os.Symlink(target, path)); err != nil {
		t.Fatal(err)
	}
	if err := AtomicWrite(path, AtomicOptions{}, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// The owner of a file's lock overwrites a temporary file that a killed process left, but not
// through a link in its place.
func TestAtomicWriteHeld(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(temp, other string) error{
		"a file": func(temp, _ string) error { return os.WriteFile(temp, []byte("left by a crash, and longer"), 0o644) },
		"a link": func(temp, other string) error { return os.Symlink(other, temp) },
	} {
		dir := t.TempDir()
		path, other := filepath.Join(dir, "f"), filepath.Join(dir, "other")
		if err := errors.Join(os.WriteFile(other, []byte("kept"), 0o644), leave(path+".new", other), AtomicWrite(path, AtomicOptions{FixedName: true}, []byte("new"))); err != nil {
			t.Fatal(name, err)
		}
		for at, want := range map[string]string{path: "new", other: "kept"} {
			if text, err := os.ReadFile(at); err != nil || string(text) != want {
				t.Errorf("%s: %s holds %q, %v", name, filepath.Base(at), text, err)
			}
		}
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if _, err := os.Lstat(path + ".new"); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}
