package restore_test

import (
	"context"
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestSomebodyElsesHead rolls back a task's file after a person switched branches, committed on a
// detached HEAD, began a merge, or gave an unborn branch its first commit: the task did none of
// that, so it stays, with its reflog.
func TestSomebodyElsesHead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin, then func(s *sandbox)
		kept        []string
	}{
		"switched": {nil, func(s *sandbox) { s.Git("switch", "-q", "-c", "theirs") }, []string{"refs/heads/theirs", "HEAD"}},
		"detached": {func(s *sandbox) { s.Git("switch", "-q", "--detach") }, func(s *sandbox) {
			s.Git("commit", "-q", "--allow-empty", "-m", "theirs")
		}, []string{"HEAD"}},
		"merging": {func(s *sandbox) {
			s.Git("switch", "-q", "-c", "side")
			s.Git("commit", "-q", "--allow-empty", "-m", "side")
			s.Git("switch", "-q", "-")
		}, func(s *sandbox) { s.Git("merge", "-q", "--no-ff", "--no-commit", "side") }, []string{"the operation in progress"}},
		"first commit": {func(s *sandbox) { s.Git("switch", "-q", "--orphan", "new") }, func(s *sandbox) {
			s.Git("commit", "-q", "--allow-empty", "-m", "first")
		}, []string{"refs/heads/new"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			testutil.Base(s.Sandbox)
			if c.begin != nil {
				c.begin(s)
			}
			s.Write("task.txt", "before\n")
			before := s.take()
			s.Write("task.txt", "after\n")
			after := s.take()
			names, err := s.store().Snapshots.ChangedHead(context.Background(), before.ID, after.ID)
			s.Ok(err)
			if len(names) > 0 {
				t.Errorf("the task changed %v", names)
			}
			c.then(s)
			head, log, merge := s.text(".git/HEAD"), s.text(".git/logs/HEAD"), s.text(".git/MERGE_HEAD")

			o := s.of(t, names)
			o.Only = func(path string) bool { return path == "task.txt" }
			out, err := s.store().Restore(context.Background(), before.ID, o)
			s.Ok(err)
			if s.text("task.txt") != "before\n" {
				t.Error("the task's file is not restored")
			}
			if s.text(".git/HEAD") != head || s.text(".git/logs/HEAD") != log || s.text(".git/MERGE_HEAD") != merge {
				t.Errorf("HEAD %q, was %q; MERGE_HEAD %q, was %q; the reflog: %s", s.text(".git/HEAD"), head,
					s.text(".git/MERGE_HEAD"), merge, s.text(".git/logs/HEAD"))
			}
			for _, want := range c.kept {
				if !slices.ContainsFunc(out.KeptRefs, func(k restore.Kept) bool { return k.Path == want }) {
					t.Errorf("kept %v, not %s", out.KeptRefs, want)
				}
			}
		})
	}
}

// TestTouchedHead checks that a task's changes of HEAD and its unfinished operations are rolled
// back.
func TestTouchedHead(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Git("branch", "side", "HEAD~1")
	before := s.take()
	s.Git("switch", "-q", "-c", "its")
	s.Git("commit", "-q", "--allow-empty", "-m", "its")
	s.Git("merge", "-q", "--no-commit", "--no-ff", "-s", "ours", "--allow-unrelated-histories", s.Git("commit-tree", "-m", "root", "HEAD^{tree}"))
	after := s.take()
	names, err := s.store().Snapshots.ChangedHead(context.Background(), before.ID, after.ID)
	s.Ok(err)
	if !slices.Contains(names, "HEAD") || !slices.Contains(names, "MERGE_HEAD") {
		t.Errorf("touched %q", names)
	}
}
