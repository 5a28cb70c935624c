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

// seen is what people's git shows of a repository's history.
func (s *sandbox) seen() string {
	s.t.Helper()
	var b strings.Builder
	for _, args := range [][]string{
		{"log", "--all", "--oneline"}, {"log", "--graph", "--all", "--decorate=full", "--oneline"}, {"rev-list", "--all", "--count"},
		{"describe", "--all", "HEAD"}, {"name-rev", "HEAD"}, {"branch", "-a"}, {"tag"}, {"stash", "list"}, {"shortlog", "-s", "--all"},
	} {
		fmt.Fprintf(&b, "%s\n%s\n", args[0], s.git(args...))
	}
	return b.String()
}

// used lists the commits that have refs of belay's.
func (s *sandbox) used() []string {
	s.t.Helper()
	return strings.Fields(s.git("for-each-ref", "--format=%(objectname)", "refs/used-by-belay"))
}

// forget makes git forget everything that nothing names.
func (s *sandbox) forget() {
	s.t.Helper()
	s.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	s.git("gc", "-q", "--prune=now")
	s.fsck()
}

// No list of commits shows anything of belay's, whatever it does.
func TestNothingShows(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	s.git("branch", "beside", "HEAD")
	s.git("tag", "-a", "-m", "one", "shown")
	s.git("tag", "tree-of-it", "HEAD^{tree}")
	before := s.seen()
	i := s.take()
	s.write("a.txt", "changed\n")
	s.take()
	s.restore(i.ID)
	_, err := s.store().Undo(context.Background(), restore.Options{})
	s.ok(err)
	s.forget()
	if now := s.seen(); now != before {
		t.Errorf("before:\n%s\nnow:\n%s", before, now)
	}
	for line := range strings.Lines(s.git("for-each-ref", "--format=%(objecttype) %(authoremail)%(taggeremail) %(refname)")) {
		if strings.HasPrefix(line, "commit <belay@") {
			t.Error(line)
		}
	}
	s.whole()
}

// What HEAD, branches, tags and stashes named comes back, although the user threw it away, git
// forgot it, and some of the snapshots that needed it are gone.
func TestDiscardedCommits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	s.commit("first", "a.txt", "a\n")
	s.git("checkout", "-q", "-b", "side")
	s.commit("second", "b.txt", "b\n")
	s.git("tag", "-a", "-m", "of side", "v1")
	s.git("checkout", "-q", "main")
	for _, text := range []string{"one\n", "two\n"} {
		s.write("a.txt", text)
		s.git("stash", "push", "-q", "-m", text)
	}
	s.commit("third", "c.txt", "c\n")
	first := s.take()
	want := s.fingerprint()
	s.write("d.txt", "d\n")
	second := s.take()
	s.git("reset", "-q", "--hard", "HEAD~")
	s.git("branch", "-q", "-D", "side")
	s.git("tag", "-d", "v1")
	s.git("stash", "clear")
	s.forget()
	third := s.take()
	s.ok(s.store().Snapshots.Drop(ctx, second.ID))
	s.forget()
	s.whole()
	s.restore(first.ID)
	now := s.fingerprint()
	delete(want, "git ORIG_HEAD") // a reset made it
	delete(now, "git ORIG_HEAD")
	s.same("restored", want, now)
	s.forget()
	s.whole()
	all, err := s.store().Snapshots.List(ctx)
	s.ok(err)
	ids := []belay.SnapshotID{third.ID}
	for _, i := range all {
		if i.ID != third.ID {
			ids = append(ids, i.ID)
		}
	}
	s.ok(s.store().Snapshots.Drop(ctx, ids...))
	if used := s.used(); len(used) > 0 {
		t.Errorf("refs are left: %q", used)
	}
}

// Of many tips only those beyond HEAD's history get a ref, and all of them come back.
func TestManyTips(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for i := range 40 {
		s.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
		s.git("tag", fmt.Sprint("v", i))
	}
	for i := range 3 {
		s.git("branch", fmt.Sprint("side", i), s.git("commit-tree", "-p", "v5", "-m", fmt.Sprint("side", i), "v5^{tree}"))
	}
	s.write("a.txt", "a\n")
	i := s.take()
	if n := len(s.used()); n != 4 {
		t.Errorf("%d commits have refs", n)
	}
	want := s.fingerprint()
	s.git("checkout", "-q", "--orphan", "other")
	s.git("commit", "-q", "--allow-empty", "-m", "other")
	for ref := range strings.FieldsSeq(s.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags")) {
		if ref != "refs/heads/other" {
			s.git("update-ref", "-d", ref)
		}
	}
	s.forget()
	s.restore(i.ID)
	now := s.fingerprint()
	for k := range now { // the log of the branch that was added is kept
		if _, had := want[k]; !had && strings.Contains(k, "other") {
			delete(now, k)
		}
	}
	s.same("restored", want, now)
}

// What a kill left is taken away when snapshots are pruned: refs of commits that no snapshot
// needs, and of commits that are gone.
func TestSweepUsed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	head := s.commit("first", "a.txt", "a\n")
	s.take()
	spare := s.git("commit-tree", "-m", "spare", "HEAD^{tree}")
	s.git("update-ref", "refs/used-by-belay/"+spare, spare)
	gone := strings.Repeat("12", 20)
	s.write(".git/refs/used-by-belay/"+gone, gone+"\n")
	_, err := s.store().Snapshots.Prune(ctx, snapshot.PruneOptions{OlderThan: time.Hour})
	s.ok(err)
	if got := strings.Join(s.used(), " "); got != head {
		t.Errorf("left: %q, want %q", got, head)
	}
	s.fsck()

	// A ref that somebody moved, emptied or deleted is made again by the next take that needs it.
	for what, do := range map[string]func(){
		"moved":   func() { s.git("update-ref", "refs/used-by-belay/"+head, spare) },
		"emptied": func() { s.write(".git/refs/used-by-belay/"+head, "") },
		"deleted": func() { s.git("update-ref", "-d", "refs/used-by-belay/"+head) },
		"packed":  func() { s.git("pack-refs", "--all", "--prune") },
	} {
		do()
		s.take()
		if got := strings.Join(s.used(), " "); got != head {
			t.Errorf("%s: %q, want %q", what, got, head)
		}
	}
	s.fsck()
}

// The second refs of a task keep what its snapshots need when all others are deleted.
func TestSecondRefs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	s.commit("first", "a.txt", "a\n")
	head := s.commit("second", "a.txt", "b\n")
	i := s.take()
	want := s.fingerprint()
	secret := strings.Repeat("0f", 16)
	s.ok(s.store().Snapshots.KeepTwice(ctx, secret, i.Bound()))
	s.git("reset", "-q", "--hard", "HEAD~")
	s.git("update-ref", "-d", "ORIG_HEAD")
	s.remove(".git/refs/belay")
	s.remove(".git/refs/used-by-belay")
	s.ok(os.RemoveAll(s.path(".git/belay")))
	s.forget()
	gone, err := s.store().Snapshots.Rebind(ctx, []snapshot.Bound{i.Bound()})
	if err != nil || len(gone) > 0 {
		t.Fatalf("%v, %v", gone, err)
	}
	if got := strings.Join(s.used(), " "); got != head {
		t.Errorf("commits with refs: %q, want %q", got, head)
	}
	s.remove(".git/refs/used-by-belay")
	s.ok(s.store().Snapshots.Release(ctx, func(belay.SnapshotID) bool { return true }))
	if kept := s.git("for-each-ref", "refs/kept"); kept != "" {
		t.Errorf("left: %q", kept)
	}
	s.forget()
	s.restore(i.ID)
	s.same("restored", want, s.fingerprint())
}

// asCommit makes of a snapshot what earlier versions wrote: a commit whose parent has as
// parents what is kept.
func (s *sandbox) asCommit(i snapshot.Info) string {
	s.t.Helper()
	ref := "refs/belay/" + string(i.ID)
	var trees []string
	for line := range strings.Lines(s.git("ls-tree", ref)) {
		if !strings.HasSuffix(line, "\tkeep\n") && !strings.HasSuffix(line, "\tkeep") {
			trees = append(trees, strings.TrimSuffix(line, "\n"))
		}
	}
	tree, err := s.try(s.dir, strings.Join(trees, "\n")+"\n", "mktree")
	s.ok(err)
	keeper := []string{"commit-tree", "-m", "belay: keeps what refs named"}
	for oid := range strings.FieldsSeq(s.git("cat-file", "blob", ref+":keep/commits")) {
		keeper = append(keeper, "-p", oid)
	}
	_, message, _ := strings.Cut(s.git("cat-file", "tag", ref), "\n\n")
	commit, err := s.try(s.dir, strings.Replace(message, "Belay-Format: 2", "Belay-Format: 1", 1), "commit-tree", "-p",
		s.git(append(keeper, tree)...), tree)
	s.ok(err)
	s.git("update-ref", ref, commit)
	return commit
}

// Snapshots of earlier versions are listed, read, restored, verified and dropped beside others.
func TestFormatOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	s.commit("first", "a.txt", "a\n")
	s.commit("second", "a.txt", "b\n")
	s.write("c.txt", "c\n")
	i := s.take()
	want := s.fingerprint()
	commit := s.asCommit(i)
	s.remove(".git/refs/used-by-belay") // a commit keeps its parents itself
	s.git("reset", "-q", "--hard", "HEAD~")
	s.git("update-ref", "-d", "ORIG_HEAD")
	s.remove("c.txt")
	s.forget()
	later := s.take() // what is remembered of the first one still holds
	s.forget()
	s.whole()
	list, err := s.store().Snapshots.List(ctx)
	s.ok(err)
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
	s.same("restored", want, s.fingerprint())
	s.ok(s.store().Snapshots.Drop(ctx, i.ID))
	if s.git("for-each-ref", "--format=%(objecttype)", "refs/belay") == "" {
		t.Error("the rescue is gone as well")
	}
	s.whole()
}
