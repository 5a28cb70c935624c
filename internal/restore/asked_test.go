package restore_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
)

// "Nothing to do" for a path that is nowhere, or that no snapshot holds, would read as if
// it had been put back.
func TestPathsThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	s.ok(syscall.Mkfifo(s.path("pipe"), 0o600))
	id := s.take().ID
	s.write("a.txt", "agent")
	s.write("x.log", "agent, ignored")
	after, stamps := s.fingerprint(), s.stamps()
	for path, about := range map[string]string{
		"di": "neither", "dir/none": "neither", "a.txt/below": "neither",
		"x.log": "ignored", "pipe": "could not be captured", ".git/config": "does not hold",
	} {
		for _, dry := range []bool{true, false} {
			_, err := s.store().Restore(ctx, id, restore.Options{Paths: []string{"a.txt", path}, DryRun: dry})
			if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), about) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s (dry: %v): %v", path, dry, err)
			}
		}
	}
	s.same("what was refused changed something", after, s.fingerprint())
	s.same("what was refused wrote something", stamps, s.stamps())
	list, err := s.store().List(ctx)
	s.ok(err)
	if len(list) != 1 {
		t.Errorf("what was refused left snapshots: %v", list)
	}
}

// What was there, is gone, and is in no snapshot is named by every restore.
func TestWhatCannotComeBackIsNamed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	nested(s, "inner")
	s.ok(syscall.Mkfifo(s.path("pipe"), 0o600))
	s.ok(syscall.Mkfifo(s.path("dir/stays"), 0o600))
	id := s.take().ID
	s.write("a.txt", "agent")
	s.remove("inner")
	s.remove("pipe")
	want := map[string][]string{"": {"inner", "pipe"}, "dir": nil, "pipe": {"pipe"}}
	for path, paths := range want {
		o := restore.Options{DryRun: true}
		if path != "" {
			o.Paths = []string{path}
		}
		out, err := s.store().Restore(ctx, id, o)
		s.ok(err)
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

func named(list []restore.Kept) (paths []string) {
	for _, k := range list {
		paths = append(paths, k.Path)
	}
	return paths
}

// An undo whose rescue was forgotten says so, and changes nothing.
func TestUndoOfWhatWasForgotten(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	id := s.take().ID
	s.write("a.txt", "agent")
	out := s.restore(id)
	s.ok(s.store().Drop(ctx, out.Rescue))
	before := s.fingerprint()
	_, err := s.store().Undo(ctx, restore.Options{})
	if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "forgotten") || !strings.Contains(err.Error(), out.Rescue.Short()) {
		t.Errorf("undo: %v", err)
	}
	s.same("the refused undo changed something", before, s.fingerprint())
}
