package restore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestPathsThatCannotBeAnswered requests paths that do not exist or that no snapshot contains:
// "nothing to do" would suggest that they were restored.
func TestPathsThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	s.Ok(syscall.Mkfifo(s.Path("pipe"), 0o600))
	id := s.take().ID
	s.Write("a.txt", "agent")
	s.Write("x.log", "agent, ignored")
	after, stamps := s.Fingerprint(), s.Stamps()
	for path, about := range map[string]string{
		"di": "neither", "dir/none": "neither", "a.txt/below": "neither",
		"x.log": "ignored", "pipe": "could not be captured", ".git/config": "does not contain",
	} {
		for _, dry := range []bool{true, false} {
			_, err := s.store().Restore(ctx, id, restore.Options{Paths: []string{"a.txt", path}, DryRun: dry})
			if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), about) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s (dry: %v): %v", path, dry, err)
			}
		}
	}
	s.Same("what was refused changed something", after, s.Fingerprint())
	s.Same("what was refused wrote something", stamps, s.Stamps())
	list, err := s.store().Snapshots.List(ctx)
	s.Ok(err)
	if len(list) != 1 {
		t.Errorf("what was refused left snapshots: %v", list)
	}
}

// TestWhatCannotComeBackIsNamed checks that every restore reports what was deleted and is in no
// snapshot.
func TestWhatCannotComeBackIsNamed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	testutil.Nested(s.Sandbox, "inner")
	s.Ok(syscall.Mkfifo(s.Path("pipe"), 0o600))
	s.Ok(syscall.Mkfifo(s.Path("dir/stays"), 0o600))
	id := s.take().ID
	s.Write("a.txt", "agent")
	s.Remove("inner")
	s.Remove("pipe")
	want := map[string][]string{"": {"inner", "pipe"}, "dir": nil, "pipe": {"pipe"}}
	for path, paths := range want {
		o := restore.Options{DryRun: true}
		if path != "" {
			o.Paths = []string{path}
		}
		out, err := s.store().Restore(ctx, id, o)
		s.Ok(err)
		if got := named(out.Missing); !slices.Equal(got, paths) {
			t.Errorf("of %q missing: %q, want %q", path, got, paths)
		}
	}
	out := s.restore(id)
	if got := named(out.Missing); !slices.Equal(got, want[""]) {
		t.Errorf("missing: %q", got)
	}
	again := s.restore(id)
	if text, err := json.Marshal(again); err != nil || strings.Contains(string(text), "null") {
		t.Errorf("a list that is empty is no list in JSON: %s %v", text, err)
	}
	if again.Rescue != "" || !slices.Equal(named(again.Missing), want[""]) {
		t.Errorf("the second time: %+v", again)
	}
}

// TestBusySaysWho checks that the error names the process that has the lock, if it is known.
func TestBusySaysWho(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	s.take()
	for note, want := range map[string]string{
		"": "another belay is restoring this working tree",
		`{"pid":12,"host":"box\u001b","since":"2026-01-02T03:04:05Z"}`: `another belay is restoring this working tree: process 12 on box\x1b, since 2026-01-02T03:04:05Z`,
		`{"pid":`: "another belay is restoring this working tree",
	} {
		s.Ok(os.WriteFile(s.store().Snapshots.LockPath(), []byte(note), 0o600))
		if err := s.store().Snapshots.BusyError(); belay.CodeOf(err) != belay.CodeBusy || err.Error() != want {
			t.Errorf("%q: %v", note, err)
		}
	}
}

// TestBytesThatAreGone deletes an object: a dry run reports it too, usage still counts, and Verify
// finds it.
func TestBytesThatAreGone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	s.Write("only", "in the snapshot alone")
	i := s.take()
	oid := strings.TrimSpace(s.Git("hash-object", "only"))
	s.Remove("only")
	packs, err := filepath.Glob(s.Path(".git/objects/pack/*.pack"))
	s.Ok(err)
	for n, pack := range packs { // unpack the objects, so that one can be deleted
		away := filepath.Join(s.Up, fmt.Sprint("pack", n))
		s.Ok(os.Rename(pack, away))
		text, err := os.ReadFile(away)
		s.Ok(err)
		_, err = s.Try(s.Dir, string(text), "unpack-objects", "-q")
		s.Ok(err)
		rest, err := filepath.Glob(strings.TrimSuffix(pack, ".pack") + ".*")
		s.Ok(err)
		for _, one := range rest {
			s.Ok(os.Remove(one))
		}
	}
	s.Ok(os.Remove(s.Path(".git/objects/" + oid[:2] + "/" + oid[2:])))
	for _, dry := range []bool{true, false} {
		_, err := s.store().Restore(ctx, i.ID, restore.Options{DryRun: dry})
		if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "only: its content is missing") {
			t.Errorf("dry: %v: %v", dry, err)
		}
	}
	if u, err := s.store().Snapshots.Usage(ctx); err != nil || u.Snapshots != 1 || u.Bytes == 0 {
		t.Errorf("usage: %+v, %v", u, err)
	}
	if problems, err := s.store().Snapshots.Verify(ctx); err != nil || len(problems) != 1 || !strings.Contains(problems[0], i.ID.Short()) {
		t.Errorf("problems: %q, %v", problems, err)
	}

	// A snapshot without its commit does not affect the others.
	broken := belay.SnapshotID("01jd6y3k8mzq4v5w9x2c7r0tna")
	s.Write(".git/refs/belay/"+string(broken), strings.Repeat("12", 20)+"\n")
	s.Write(".git/refs/belay/odd", strings.Repeat("12", 20)+"\n")
	list, err := s.store().Snapshots.List(ctx)
	if err != nil || len(list) != 1 || list[0].ID != i.ID || list[0].Files != i.Files {
		t.Errorf("listed: %+v, %v", list, err)
	}
	if u, err := s.store().Snapshots.Usage(ctx); err != nil || u.Snapshots != 1 || u.Bytes == 0 {
		t.Errorf("usage: %+v, %v", u, err)
	}
	if problems, err := s.store().Snapshots.Verify(ctx); err != nil || len(problems) != 3 {
		t.Errorf("problems: %q, %v", problems, err)
	}
	if _, err := s.store().Snapshots.Get(ctx, broken); belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "is missing from the repository") {
		t.Errorf("the broken one: %v", err)
	}
}

func named(list []restore.Kept) (paths []string) {
	for _, k := range list {
		paths = append(paths, k.Path)
	}
	return paths
}

// TestUndoOfWhatWasForgotten checks that an undo without its rescue snapshot fails and changes
// nothing.
func TestUndoOfWhatWasForgotten(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	id := s.take().ID
	s.Write("a.txt", "agent")
	out := s.restore(id)
	s.Ok(s.store().Drop(ctx, out.Rescue))
	before := s.Fingerprint()
	_, err := s.store().Undo(ctx, restore.Options{})
	if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "forgotten") || !strings.Contains(err.Error(), out.Rescue.Short()) {
		t.Errorf("undo: %v", err)
	}
	s.Same("the refused undo changed something", before, s.Fingerprint())
}
