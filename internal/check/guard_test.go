package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

// openGuarded creates a repository with one commit and opens it.
func openGuarded(t *testing.T) (string, *restore.Store) {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	write(t, dir, "a.txt", "one\n")
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "n"}, {"config", "user.email", "n@example.com"}, {"add", "."}, {"commit", "-qm", "first"}} {
		c := exec.Command("git", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	repo, err := git.Open(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	snaps, err := restore.Open(t.Context(), repo, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return dir, snaps
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "none"
	}
	return string(data)
}

func take(t *testing.T, snaps *restore.Store) belay.SnapshotID {
	t.Helper()
	info, err := snaps.Snapshots.Take(t.Context(), snapshot.Meta{Kind: belay.KindManual, Message: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return info.ID
}

// TestTree: edits are reverted only if the run has locked the tree and nobody else changed it since
// the capture; otherwise they are reported and stay.
func TestTree(t *testing.T) {
	dir, snaps := openGuarded(t)
	for _, tt := range []struct {
		name         string
		held, others bool
		undone       bool
	}{
		{"held", true, false, true},
		{"by hand", false, false, false},
		{"somebody else is at work", true, true, false},
	} {
		write(t, dir, "a.txt", "one\n")
		os.Remove(filepath.Join(dir, "new.txt"))
		os.Remove(filepath.Join(dir, "other.txt"))
		after := take(t, snaps)
		if tt.others {
			write(t, dir, "other.txt", "a person's\n")
		}
		settle, err := GuardTree(snaps, "T1", after, tt.held)(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if edits, err := settle(t.Context()); err != nil || len(edits.Paths) != 0 {
			t.Errorf("%s: nothing was edited, and it says %+v, %v", tt.name, edits, err)
		}
		write(t, dir, "a.txt", "formatted\n")
		write(t, dir, "new.txt", "made\n")
		edits, err := settle(t.Context())
		slices.Sort(edits.Paths)
		if err != nil || !slices.Equal(edits.Paths, []string{"a.txt", "new.txt"}) || edits.Reverted != tt.undone {
			t.Errorf("%s: %+v, %v", tt.name, edits, err)
		}
		want := map[bool][2]string{true: {"one\n", "none"}, false: {"formatted\n", "made\n"}}[tt.undone]
		if got := [2]string{read(t, dir, "a.txt"), read(t, dir, "new.txt")}; got != want {
			t.Errorf("%s: the tree has %q, want %q", tt.name, got, want)
		}
		if tt.others && read(t, dir, "other.txt") != "a person's\n" {
			t.Errorf("%s: somebody's file is gone", tt.name)
		}
	}
	if _, err := GuardTree(snaps, "T1", "01jd6y3k8mzq4v5w9x2c7r0tna", true)(t.Context()); err == nil {
		t.Error("a snapshot that is not there was noted")
	}
}

// TestAdded: linters may report on the lines of a change.
func TestAdded(t *testing.T) {
	dir, snaps := openGuarded(t)
	before := take(t, snaps)
	write(t, dir, "a.txt", "one\ntwo\n")
	write(t, dir, "with ä space.txt", "x\n")
	write(t, dir, "binary.txt", "\x00\n")
	write(t, dir, "large.txt", strings.Repeat("x\n", maxText/2+1))
	after := take(t, snaps)
	in := Input{Texts: NewSnapshotTexts(snaps.Snapshots, before, after), read: &fileReading{}}
	for _, path := range []string{"a.txt", "with ä space.txt", "binary.txt", "large.txt"} {
		in.Changes = append(in.Changes, belay.Change{Path: path, Status: "M", OldMode: 0o100644, NewMode: 0o100644})
	}
	added, err := in.addedLines(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path        string
		first, last int
		want        bool
	}{
		{"a.txt", 1, 1, false},
		{"a.txt", 2, 2, true},
		{"a.txt", 1, 2, true},
		{"with ä space.txt", 1, 1, true},
		{"binary.txt", 1, 1, false},
		{"large.txt", 5, 5, true}, // it was not read
		{"b.txt", 1, 1, false},
	} {
		if got := added(tt.path, tt.first, tt.last); got != tt.want {
			t.Errorf("%s, lines %d to %d: %v", tt.path, tt.first, tt.last, got)
		}
	}
	in = Input{Changes: in.Changes, Texts: NewSnapshotTexts(snaps.Snapshots, before, "01jd6y3k8mzq4v5w9x2c7r0tna"), read: &fileReading{}}
	if _, err := in.addedLines(t.Context()); err == nil {
		t.Error("lines of a snapshot that is not there")
	}
}
