package restore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

// seen returns what the user's git shows of a repository's history.
func (s *sandbox) seen() string {
	s.T.Helper()
	var b strings.Builder
	for _, args := range [][]string{
		{"log", "--all", "--oneline"}, {"log", "--graph", "--all", "--decorate=full", "--oneline"}, {"rev-list", "--all", "--count"},
		{"describe", "--all", "HEAD"}, {"name-rev", "HEAD"}, {"branch", "-a"}, {"tag"}, {"stash", "list"}, {"shortlog", "-s", "--all"},
	} {
		fmt.Fprintf(&b, "%s\n%s\n", args[0], s.Git(args...))
	}
	return b.String()
}

// used lists the commits that have belay's refs.
func (s *sandbox) used() []string {
	s.T.Helper()
	return strings.Fields(s.Git("for-each-ref", "--format=%(objectname)", "refs/used-by-belay"))
}

// forget makes git delete all unnamed objects.
func (s *sandbox) forget() {
	s.T.Helper()
	s.Git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	s.Git("gc", "-q", "--prune=now")
	s.fsck()
}

// TestNothingShows checks that no list of commits shows belay's objects.
func TestNothingShows(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	s.Git("branch", "beside", "HEAD")
	s.Git("tag", "-a", "-m", "one", "shown")
	s.Git("tag", "tree-of-it", "HEAD^{tree}")
	before := s.seen()
	i := s.take()
	s.Write("a.txt", "changed\n")
	s.take()
	s.restore(i.ID)
	_, err := s.store().Undo(context.Background(), restore.Options{})
	s.Ok(err)
	s.forget()
	if now := s.seen(); now != before {
		t.Errorf("before:\n%s\nnow:\n%s", before, now)
	}
	for line := range strings.Lines(s.Git("for-each-ref", "--format=%(objecttype) %(authoremail)%(taggeremail) %(refname)")) {
		if strings.HasPrefix(line, "commit <belay@") {
			t.Error(line)
		}
	}
	s.whole()
}

// TestDiscardedCommits checks that a restore restores what HEAD, branches, tags and stashes named,
// although the user discarded it, git pruned it, and some of the snapshots that needed it were
// deleted.
func TestDiscardedCommits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	s.Commit("first", "a.txt", "a\n")
	s.Git("checkout", "-q", "-b", "side")
	s.Commit("second", "b.txt", "b\n")
	s.Git("tag", "-a", "-m", "of side", "v1")
	s.Git("checkout", "-q", "main")
	for _, text := range []string{"one\n", "two\n"} {
		s.Write("a.txt", text)
		s.Git("stash", "push", "-q", "-m", text)
	}
	s.Commit("third", "c.txt", "c\n")
	first := s.take()
	want := s.Fingerprint()
	s.Write("d.txt", "d\n")
	second := s.take()
	s.Git("reset", "-q", "--hard", "HEAD~")
	s.Git("branch", "-q", "-D", "side")
	s.Git("tag", "-d", "v1")
	s.Git("stash", "clear")
	s.forget()
	third := s.take()
	s.Ok(s.store().Snapshots.Drop(ctx, second.ID))
	s.forget()
	s.whole()
	s.restore(first.ID)
	now := s.Fingerprint()
	delete(want, "git ORIG_HEAD") // made by a reset
	delete(now, "git ORIG_HEAD")
	s.Same("restored", want, now)
	s.forget()
	s.whole()
	all, err := s.store().Snapshots.List(ctx)
	s.Ok(err)
	ids := []belay.SnapshotID{third.ID}
	for _, i := range all {
		if i.ID != third.ID {
			ids = append(ids, i.ID)
		}
	}
	s.Ok(s.store().Snapshots.Drop(ctx, ids...))
	if used := s.used(); len(used) > 0 {
		t.Errorf("refs are left: %q", used)
	}
}

// TestManyTips checks that of many tips only those outside HEAD's history get a ref, and that all
// are restored.
func TestManyTips(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for i := range 40 {
		s.Git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
		s.Git("tag", fmt.Sprint("v", i))
	}
	for i := range 3 {
		s.Git("branch", fmt.Sprint("side", i), s.Git("commit-tree", "-p", "v5", "-m", fmt.Sprint("side", i), "v5^{tree}"))
	}
	s.Write("a.txt", "a\n")
	i := s.take()
	if n := len(s.used()); n != 4 {
		t.Errorf("%d commits have refs", n)
	}
	want := s.Fingerprint()
	s.Git("checkout", "-q", "--orphan", "other")
	s.Git("commit", "-q", "--allow-empty", "-m", "other")
	for ref := range strings.FieldsSeq(s.Git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags")) {
		if ref != "refs/heads/other" {
			s.Git("update-ref", "-d", ref)
		}
	}
	s.forget()
	s.restore(i.ID)
	now := s.Fingerprint()
	for k := range now { // the log of the branch that was added is kept
		if _, had := want[k]; !had && strings.Contains(k, "other") {
			delete(now, k)
		}
	}
	s.Same("restored", want, now)
}

// TestSweepUsed checks that pruning removes what a kill left: refs of commits that no snapshot
// needs, and of missing commits.
func TestSweepUsed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	head := s.Commit("first", "a.txt", "a\n")
	s.take()
	spare := s.Git("commit-tree", "-m", "spare", "HEAD^{tree}")
	s.Git("update-ref", "refs/used-by-belay/"+spare, spare)
	gone := strings.Repeat("12", 20)
	s.Write(".git/refs/used-by-belay/"+gone, gone+"\n")
	_, err := s.store().Snapshots.Prune(ctx, snapshot.PruneOptions{OlderThan: time.Hour})
	s.Ok(err)
	if got := strings.Join(s.used(), " "); got != head {
		t.Errorf("left: %q, want %q", got, head)
	}
	s.fsck()

	// The next snapshot that needs a ref recreates it after it was moved, emptied or deleted.
	for what, do := range map[string]func(){
		"moved":   func() { s.Git("update-ref", "refs/used-by-belay/"+head, spare) },
		"emptied": func() { s.Write(".git/refs/used-by-belay/"+head, "") },
		"deleted": func() { s.Git("update-ref", "-d", "refs/used-by-belay/"+head) },
		"packed":  func() { s.Git("pack-refs", "--all", "--prune") },
	} {
		do()
		s.take()
		if got := strings.Join(s.used(), " "); got != head {
			t.Errorf("%s: %q, want %q", what, got, head)
		}
	}
	s.fsck()
}

// TestSecondRefs checks that the second refs of a task keep what its snapshots need when all others
// are deleted.
func TestSecondRefs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	s.Commit("first", "a.txt", "a\n")
	head := s.Commit("second", "a.txt", "b\n")
	i := s.take()
	want := s.Fingerprint()
	secret := strings.Repeat("0f", 16)
	s.Ok(s.store().Snapshots.AddSecondRefs(ctx, secret, i.Pin()))
	s.Git("reset", "-q", "--hard", "HEAD~")
	s.Git("update-ref", "-d", "ORIG_HEAD")
	s.Remove(".git/refs/belay")
	s.Remove(".git/refs/used-by-belay")
	s.Ok(os.RemoveAll(s.Path(".git/belay")))
	s.forget()
	gone, err := s.store().Snapshots.RestoreRefs(ctx, []snapshot.Pin{i.Pin()})
	if err != nil || len(gone) > 0 {
		t.Fatalf("%v, %v", gone, err)
	}
	if got := strings.Join(s.used(), " "); got != head {
		t.Errorf("commits with refs: %q, want %q", got, head)
	}
	s.Remove(".git/refs/used-by-belay")
	s.Ok(s.store().Snapshots.DropSecondRefs(ctx, func(belay.SnapshotID) bool { return true }))
	if kept := s.Git("for-each-ref", "refs/kept"); kept != "" {
		t.Errorf("left: %q", kept)
	}
	s.forget()
	s.restore(i.ID)
	s.Same("restored", want, s.Fingerprint())
}

// asCommit rewrites a snapshot as earlier versions of belay wrote it: a commit whose parent has the
// kept commits as parents.
func (s *sandbox) asCommit(i snapshot.Info) string {
	s.T.Helper()
	ref := "refs/belay/" + string(i.ID)
	var trees []string
	for line := range strings.Lines(s.Git("ls-tree", ref)) {
		if !strings.HasSuffix(line, "\tkeep\n") && !strings.HasSuffix(line, "\tkeep") {
			trees = append(trees, strings.TrimSuffix(line, "\n"))
		}
	}
	tree, err := s.Try(s.Dir, strings.Join(trees, "\n")+"\n", "mktree")
	s.Ok(err)
	keeper := []string{"commit-tree", "-m", "belay: keeps what refs named"}
	for oid := range strings.FieldsSeq(s.Git("cat-file", "blob", ref+":keep/commits")) {
		keeper = append(keeper, "-p", oid)
	}
	_, message, _ := strings.Cut(s.Git("cat-file", "tag", ref), "\n\n")
	commit, err := s.Try(s.Dir, strings.Replace(message, "Belay-Format: 2", "Belay-Format: 1", 1), "commit-tree", "-p",
		s.Git(append(keeper, tree)...), tree)
	s.Ok(err)
	s.Git("update-ref", ref, commit)
	return commit
}

// TestFormatOne checks that snapshots of earlier versions are listed, read, restored, verified and
// dropped with others.
func TestFormatOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	s.Commit("first", "a.txt", "a\n")
	s.Commit("second", "a.txt", "b\n")
	s.Write("c.txt", "c\n")
	i := s.take()
	want := s.Fingerprint()
	commit := s.asCommit(i)
	s.Remove(".git/refs/used-by-belay") // a commit keeps its own parents
	s.Git("reset", "-q", "--hard", "HEAD~")
	s.Git("update-ref", "-d", "ORIG_HEAD")
	s.Remove("c.txt")
	s.forget()
	later := s.take() // the cache of the first one is still valid
	s.forget()
	s.whole()
	list, err := s.store().Snapshots.List(ctx)
	s.Ok(err)
	if len(list) != 2 || list[0].ID != i.ID || list[0].Commit != commit || list[0].Tree != i.Tree || list[1].ID != later.ID {
		t.Fatalf("%+v", list)
	}
	changes, err := s.store().Snapshots.Changes(ctx, i.ID, later.ID)
	if err != nil || len(changes) != 2 {
		t.Errorf("%+v, %v", changes, err)
	}
	broken, err := s.store().Snapshots.Unreadable(ctx, list[0])
	if err != nil || len(broken) > 0 {
		t.Errorf("%v, %v", broken, err)
	}
	s.restore(i.ID)
	s.Same("restored", want, s.Fingerprint())
	s.Ok(s.store().Snapshots.Drop(ctx, i.ID))
	if s.Git("for-each-ref", "--format=%(objecttype)", "refs/belay") == "" {
		t.Error("the rescue was deleted too")
	}
	s.whole()
}
