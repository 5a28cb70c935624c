package restore_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/testutil"
)

// of returns the options of a rollback of git's own files that changed between two snapshots.
func (s *sandbox) of(t *testing.T, names []string) restore.Options {
	t.Helper()
	return restore.Options{OnlyRef: func(string) bool { return false }, OnlyGit: func(name string) bool { return slices.Contains(names, name) }}
}

func (s *sandbox) text(p string) string {
	data, err := os.ReadFile(s.Path(p))
	if err != nil {
		return "none"
	}
	return string(data)
}

// TestGitsOwnFilesComeBack changes git's own files in ways that are easily missed, and rolls back:
// only a mode, the repositories of submodules, the stash's reflog, alternates.
func TestGitsOwnFilesComeBack(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Write(".git/hooks/pre-push", "#!/bin/sh\n")
	for _, f := range []string{"HEAD", "config", "hooks/update"} {
		s.Write(".git/modules/lib/inner/"+f, "then\n")
	}
	s.Write("stashed", "x")
	s.Git("add", "stashed")
	s.Git("stash", "push", "-q")
	log := s.text(".git/logs/refs/stash")
	before := s.take()

	s.Chmod(".git/hooks/pre-push", 0o755)
	s.Write(".git/modules/lib/inner/config", "now\n")
	s.Write(".git/modules/lib/inner/hooks/pre-push", "now\n")
	s.Remove(".git/modules/lib/inner/hooks/update")
	s.Write(".git/modules/made/HEAD", "now\n")
	s.Write(".git/modules/made/config", "now\n")
	s.Write(".git/logs/refs/stash", "rubbish\n")
	s.Write(".git/objects/info/alternates", t.TempDir()+"\n")
	s.Write(".git/remotes/origin", "URL: x\n")
	s.Git("worktree", "add", "-q", filepath.Join(t.TempDir(), "tree"), "-b", "tree")
	after := s.take()
	names, err := s.store().Snapshots.ChangedGitFiles(context.Background(), before.ID, after.ID)
	s.Ok(err)
	want := []string{"hooks/pre-push", "logs/refs/stash", "modules/lib/inner/config", "modules/lib/inner/hooks/pre-push",
		"modules/lib/inner/hooks/update", "modules/made/config", "objects/info/alternates", "remotes/origin", "worktrees"}
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "logs/") && n != "logs/refs/stash" || n == "index" })
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}

	out, err := s.store().Restore(context.Background(), before.ID, s.of(t, names))
	s.Ok(err)
	for p, want := range map[string]string{
		".git/modules/lib/inner/config": "then\n", ".git/modules/lib/inner/hooks/pre-push": "none", ".git/modules/lib/inner/hooks/update": "then\n",
		".git/modules/made/config": "now\n", ".git/objects/info/alternates": "none", ".git/remotes/origin": "none", ".git/logs/refs/stash": log,
	} {
		if got := s.text(p); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	if info, err := os.Stat(s.Path(".git/hooks/pre-push")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the hook: %v %v", info.Mode(), err)
	}
	if !slices.ContainsFunc(out.Kept, func(k restore.Kept) bool { return strings.HasSuffix(k.Path, "/tree") }) {
		t.Errorf("the working tree that was added is not named: %v", out.Kept)
	}
}

// TestAlternatesThatAreNeeded moves a repository's objects away and adds an alternate that points
// to them. Reverting that would leave a repository without objects.
func TestAlternatesThatAreNeeded(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	before := s.take()
	away := filepath.Join(t.TempDir(), "objects")
	s.Ok(os.Rename(s.Path(".git/objects"), away))
	s.Mkdir(".git/objects/info")
	s.Mkdir(".git/objects/pack")
	s.Write(".git/objects/info/alternates", away+"\n")
	s.Write("a.txt", "changed")
	out, err := s.store().Restore(context.Background(), before.ID, s.of(t, []string{"objects/info/alternates"}))
	s.Ok(err)
	if got := s.text(".git/objects/info/alternates"); got != away+"\n" {
		t.Errorf("the alternates are %q", got)
	}
	if !slices.ContainsFunc(out.Kept, func(k restore.Kept) bool { return k.Path == "objects/info/alternates" }) {
		t.Errorf("not reported: %v", out.Kept)
	}
	s.Git("fsck", "--connectivity-only")

	// A restore by a person, not for a task, always leaves them.
	s.Write("a.txt", "changed once more")
	s.restore(before.ID)
	if got := s.text(".git/objects/info/alternates"); got != away+"\n" {
		t.Errorf("the alternates are %q", got)
	}
}

// TestCommondir adds the file that points git to another repository's refs.
func TestCommondir(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	store := s.store()
	before := s.take()
	s.Write(".git/commondir", t.TempDir())
	_, err := store.Restore(context.Background(), before.ID, restore.Options{})
	if err == nil || !strings.Contains(err.Error(), "commondir was added") {
		t.Errorf("%v", err)
	}
	s.Remove(".git/commondir")
	s.restore(before.ID)
}
