package restore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

func dirty(t testing.TB) *sandbox {
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	testutil.Dirt(s.Sandbox)
	return s
}

// refused restores a snapshot, expects the error, and checks that nothing was changed.
func (s *sandbox) refused(id belay.SnapshotID, code belay.Code, about string) {
	s.T.Helper()
	before, stamps := s.Fingerprint(), s.Stamps()
	list, err := s.store().Snapshots.List(context.Background())
	s.Ok(err)
	_, err = s.store().Restore(context.Background(), id, restore.Options{})
	if belay.CodeOf(err) != code || !strings.Contains(err.Error(), about) {
		s.T.Errorf("got %v, want a refusal (%s) about %q", err, code, about)
	}
	s.Same("a refused restore changed something", before, s.Fingerprint())
	s.Same("a refused restore wrote something", stamps, s.Stamps())
	if after, _ := s.store().Snapshots.List(context.Background()); len(after) != len(list) {
		s.T.Errorf("a refused restore left %d snapshots", len(after)-len(list))
	}
	if s.store().Interrupted() {
		s.T.Error("a refused restore counts as interrupted")
	}
}

func TestIndexLockOfSomebodyElse(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	s.Write(".git/index.lock", "")
	id := s.take().ID // a snapshot needs no lock
	s.Write("a.txt", "agent")
	s.refused(id, belay.CodeBusy, "index.lock")
	if _, err := os.Stat(s.Path(".git/index.lock")); err != nil {
		t.Error("a lock that belay did not make was removed")
	}
	s.Remove(".git/index.lock")
	s.restore(id)
}

// TestRefusedInTheWay checks that nothing is destroyed that the rescue cannot contain.
func TestRefusedInTheWay(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]func(*sandbox){
		"fifo":              func(s *sandbox) { s.Remove("a.txt"); s.Ok(syscall.Mkfifo(s.Path("a.txt"), 0o600)) },
		"nested repository": func(s *sandbox) { s.Remove("a.txt"); testutil.Nested(s.Sandbox, "a.txt"); s.Left = nil },
		"nested deeper":     func(s *sandbox) { s.Remove("a.txt"); testutil.Nested(s.Sandbox, "a.txt/deep/er"); s.Left = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := dirty(t)
			id := s.take().ID
			block(s)
			s.Write("b.txt", "agent")
			s.refused(id, belay.CodeCannot, "a.txt")
		})
	}
}

// TestIgnoredInTheWay checks that the rescue captures ignored files before they are overwritten,
// and that undo restores them.
func TestIgnoredInTheWay(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]func(*sandbox){
		"at the path":       func(s *sandbox) { s.Write("t.log", "agent's") },
		"a folder instead":  func(s *sandbox) { s.Remove("t.log"); s.Write("t.log/deep/x", "agent's") },
		"instead of folder": func(s *sandbox) { s.Remove("build"); s.Write("build", "agent's") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			testutil.Base(s.Sandbox)
			s.Write("t.log", "1")
			s.Write("build/kept.o", "1")
			s.Git("add", "-f", "t.log", "build/kept.o")
			s.Git("commit", "-q", "-m", "forced")
			before := s.Fingerprint()
			id := s.take().ID
			s.Git("rm", "-q", "-r", "--cached", "t.log", "build")
			block(s)
			after := s.Fingerprint()
			s.restore(id)
			s.Same("restored", before, s.Fingerprint())
			_, err := s.store().Undo(context.Background(), restore.Options{})
			s.Ok(err)
			s.Same("undone", after, s.Fingerprint())
		})
	}
}

// TestAgentHidesByIgnoring checks that a line added to .gitignore hides neither an agent's files
// from the restore nor the user's from the rescue.
func TestAgentHidesByIgnoring(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	before := s.Fingerprint()
	id := s.take().ID
	s.Write(".gitignore", "*\n")
	s.Write("agent/file", "hidden")
	s.Write("notes/todo", "changed, and now ignored")
	s.Git("rm", "-q", "-r", "-f", "--cached", ".")
	after := s.Fingerprint()
	out := s.restore(id)
	s.Same("restored", before, s.Fingerprint())
	if !slices.Contains(out.Removed, "agent/file") {
		t.Errorf("removed: %q", out.Removed)
	}
	if again := s.restore(id); again.Rescue != "" {
		t.Errorf("restoring twice did something: %+v", again)
	}
	_, err := s.store().Undo(context.Background(), restore.Options{})
	s.Ok(err)
	s.Same("undone", after, s.Fingerprint())
}

// TestOldRulesProtect checks that a restore deletes nothing that was ignored, or could not be
// captured, when the snapshot was taken, whatever the current rules are.
func TestOldRulesProtect(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Write(".gitignore", "*.log\nsecrets/\n*.big\n")
	s.Write("secrets/key", "precious")
	s.Ok(syscall.Mkfifo(s.Path("pipe"), 0o600))
	i := s.take()
	if !i.Partial || len(i.Gaps) != 1 || i.Gaps[0].Path != "pipe" {
		t.Errorf("gaps: %+v", i)
	}
	s.Remove(".gitignore")
	s.Write("new.big", "made later, ignored by the rules of then")
	s.Write("new.txt", "made later")
	s.Remove("pipe")
	s.Write("pipe", "a file now")
	out := s.restore(i.ID)
	for path, want := range map[string]string{"secrets/key": "precious", "new.big": "made later, ignored by the rules of then", "pipe": "a file now"} {
		if text, err := os.ReadFile(s.Path(path)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		if !slices.ContainsFunc(out.Kept, func(k restore.Kept) bool { return k.Path == path && k.Reason != "" }) {
			t.Errorf("%s was kept and not named: %v", path, out.Kept)
		}
	}
	if _, err := os.Stat(s.Path("new.txt")); err == nil {
		t.Error("new.txt is still there")
	}
}

// TestUnreadable checks that a file that its owner may not read is a reported gap and is not lost.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, to act as somebody who is not")
	}
	s := dirty(t)
	s.Write("closed", "unreadable")
	s.Write("shut/inside", "in an unreadable folder")
	s.Chmod("closed", 0)
	s.Chmod("shut", 0)
	s.At(s.Up, "config", "--global", "--replace-all", "safe.directory", "*")
	for _, dir := range []string{s.Up, filepath.Dir(s.Up), os.Getenv("HOME")} {
		s.Ok(os.Chmod(dir, 0o755))
	}
	if out, err := exec.Command("chown", "-R", "12345:12345", s.Dir).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	self, err := os.Executable()
	s.Ok(err)
	copied := filepath.Join(s.Up, "test")
	if out, err := exec.Command("cp", self, copied).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	as := func(step string) string {
		cmd := exec.Command(copied)
		cmd.Env = append(os.Environ(), "BELAY_TEST_STEP="+step, "BELAY_TEST_DIR="+s.Dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", step, err, out)
		}
		return string(out)
	}
	as("take - 0 none")
	list, err := s.store().Snapshots.List(context.Background())
	s.Ok(err)
	i, err := s.store().Snapshots.Get(context.Background(), list[0].ID)
	s.Ok(err)
	var gaps []string
	for _, g := range i.Gaps {
		gaps = append(gaps, g.Path)
	}
	if !i.Partial || !slices.Equal(gaps, []string{"closed", "shut"}) {
		t.Errorf("gaps: %+v", i.Gaps)
	}
	s.Write("a.txt", "agent")
	s.Ok(os.Chown(s.Path("a.txt"), 12345, 12345))
	as("restore " + string(i.ID) + " 0 none")
	if text, _ := os.ReadFile(s.Path("a.txt")); string(text) != "a\nedited\n" {
		t.Errorf("a.txt: %q", text)
	}
	for path, want := range map[string]string{"closed": "unreadable", "shut/inside": "in an unreadable folder"} {
		if text, err := os.ReadFile(s.Path(path)); err != nil || string(text) != want {
			t.Errorf("%s: %q %v", path, text, err)
		}
	}
}

func TestRestoreSome(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	change := func(s *sandbox) {
		s.Write("a.txt", "agent")
		s.Write("dir/c.txt", "agent")
		s.Write("dir/new", "agent")
		s.Remove("e.sh")
		s.Git("add", "-A")
		s.Git("commit", "-q", "-m", "agent")
	}
	type want struct{ written, removed, kept []string }
	for name, c := range map[string]struct {
		o    restore.Options
		want want
		git  bool // git's own state is restored too
	}{
		"paths":         {restore.Options{Paths: []string{"dir", "e.sh"}}, want{[]string{"dir/c.txt", "e.sh"}, []string{"dir/new"}, nil}, false},
		"path of a new": {restore.Options{Paths: []string{"dir/new"}}, want{nil, []string{"dir/new"}, nil}, false},
		"as it was":     {restore.Options{Paths: []string{"b.txt", "dir/deep"}}, want{}, false},
		"preserve":      {restore.Options{Preserve: []string{"dir/**"}}, want{[]string{"a.txt", "e.sh"}, nil, []string{"dir/c.txt", "dir/new"}}, true},
		"only":          {restore.Options{Only: func(p string) bool { return p == "a.txt" }}, want{[]string{"a.txt"}, nil, []string{"dir/c.txt", "dir/new", "e.sh"}}, true},
		"files only":    {restore.Options{FilesOnly: true}, want{[]string{"a.txt", "dir/c.txt", "e.sh"}, []string{"dir/new"}, nil}, false},
		"everything":    {restore.Options{}, want{[]string{"a.txt", "dir/c.txt", "e.sh"}, []string{"dir/new"}, nil}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			testutil.Base(s.Sandbox)
			head := s.Git("rev-parse", "HEAD")
			id := s.take().ID
			change(s)
			after, stamps := s.Fingerprint(), s.Stamps()
			dry := c.o
			dry.DryRun = true
			planned, err := s.store().Restore(ctx, id, dry)
			s.Ok(err)
			s.Same("a dry run changed something", after, s.Fingerprint())
			s.Same("a dry run wrote something", stamps, s.Stamps())
			out, err := s.store().Restore(ctx, id, c.o)
			s.Ok(err)
			var kept []string
			for _, k := range out.Kept {
				kept = append(kept, k.Path)
			}
			if !slices.Equal(out.Written, c.want.written) || !slices.Equal(out.Removed, c.want.removed) || !slices.Equal(kept, c.want.kept) {
				t.Errorf("did %q %q %q, want %+v", out.Written, out.Removed, kept, c.want)
			}
			if !slices.Equal(planned.Written, out.Written) || !slices.Equal(planned.Removed, out.Removed) || planned.Index != out.Index {
				t.Errorf("planned %+v, did %+v", planned, out)
			}
			if back := s.Git("rev-parse", "HEAD") == head; back != c.git || out.Index != c.git {
				t.Errorf("HEAD back: %v, index: %v", back, out.Index)
			}
			if out.Rescue == "" {
				return
			}
			_, err = s.store().Undo(ctx, restore.Options{})
			s.Ok(err)
			s.Same("undone", after, s.Fingerprint())
		})
	}
}

// TestUndoIsAStack checks that undo and redo are stacks, as in an editor, and that a new restore
// empties the redo stack.
func TestUndoIsAStack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	read := func() string {
		text, err := os.ReadFile(s.Path("a.txt"))
		s.Ok(err)
		return string(text)
	}
	var ids []belay.SnapshotID
	for i := range 4 {
		s.Write("a.txt", fmt.Sprint("state ", i))
		ids = append(ids, s.take().ID)
	}
	undo := func(want string) {
		t.Helper()
		if _, err := s.store().Undo(ctx, restore.Options{}); err != nil || read() != want {
			t.Errorf("undo: %q, %v, want %q", read(), err, want)
		}
	}
	redo := func(want string) {
		t.Helper()
		if _, err := s.store().Redo(ctx, restore.Options{}); err != nil || read() != want {
			t.Errorf("redo: %q, %v, want %q", read(), err, want)
		}
	}
	s.restore(ids[0])
	s.restore(ids[1])
	s.restore(ids[2])
	undo("state 1")
	undo("state 0")
	redo("state 1")
	undo("state 0")
	undo("state 3")
	if _, err := s.store().Undo(ctx, restore.Options{}); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("nothing to undo: %v", err)
	}
	redo("state 0")
	redo("state 1")
	s.Write("a.txt", "by hand")
	undo("state 0")
	redo("by hand")
	s.restore(ids[3])
	if _, err := s.store().Redo(ctx, restore.Options{}); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("redo after a new restore: %v", err)
	}
	undo("by hand")
}

// TestGarbageCollection checks that snapshots keep what they need after the user has deleted
// branches, tags, stashes, staged content and reflogs and run gc.
func TestGarbageCollection(t *testing.T) {
	t.Parallel()
	s, id, before, _ := wounded(t)
	s.May("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "reflog", "expire", "--all", "--expire=now", "--expire-unreachable=now")
	s.May("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "gc", "-q", "--prune=now")
	os.Remove(s.Watched)
	out := s.restore(id)
	got := dropNew(without(s.Fingerprint(), out, before), before)
	for _, k := range []string{"git logs/HEAD", "git logs/refs/heads/main", "git logs/refs/heads/theirs", "git info/refs"} {
		delete(before, k) // expired since: a rewritten reflog is not restored
		delete(got, k)
	}
	s.Same("restored after gc", before, got)
	s.fsck()
	if text := s.Git("stash", "show", "-p"); !strings.Contains(text, "stashed") {
		t.Errorf("the stash contains %q", text)
	}
}

func TestListAndFriends(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	clock := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	st := s.storeWith(snapshot.Options{Now: func() time.Time { return clock }})
	m := snapshot.Meta{Kind: belay.KindBefore, Task: "T1", Attempt: 2, Command: "c-7", Message: "line\nBelay-Task: T9\n\x1b[31mé\xff",
		Feature: "f", Agent: "claude", Expected: []string{"a b", "ü"}, Journal: strings.Repeat("a", 64)}
	one, err := st.Snapshots.Take(ctx, m)
	s.Ok(err)
	if one.Meta.Message != m.Message || one.Task != "T1" || one.Files != 7 || one.Partial || one.Branch != "refs/heads/main" || !one.Time.Equal(clock) {
		t.Errorf("%+v", one)
	}
	clock = clock.Add(-time.Hour) // the clock is set back; ids still increase
	s.Write("a.txt", "two")
	two, err := st.Snapshots.Take(ctx, snapshot.Meta{Kind: belay.KindAfter, Task: "T1"})
	s.Ok(err)
	if two.ID <= one.ID {
		t.Errorf("%s does not follow %s", two.ID, one.ID)
	}
	list, err := st.Snapshots.List(ctx)
	if err != nil || len(list) != 2 || list[0].ID != one.ID || fmt.Sprintf("%+v", list[0].Meta) != fmt.Sprintf("%+v", m) || list[0].Tree != one.Tree {
		t.Errorf("list: %+v, %v", list, err)
	}
	if got, err := st.Snapshots.Get(ctx, one.ID[:14]); belay.CodeOf(err) != "" && belay.CodeOf(err) != belay.CodeUsage || err == nil && got.ID != one.ID {
		t.Errorf("get by its start: %+v, %v", got, err)
	}
	if _, err := st.Snapshots.Get(ctx, "7zzz"); belay.CodeOf(err) != belay.CodeNotFound {
		t.Errorf("get nothing: %v", err)
	}
	anybody := func(snapshot.Info) bool { return true }
	if _, ok, err := st.Snapshots.Find(ctx, "T1", "c-7", func(i snapshot.Info) bool { return i.ID != one.ID }); err != nil || ok {
		t.Errorf("found for no task: %v %v", ok, err)
	}
	if got, ok, err := st.Snapshots.Find(ctx, "T1", "c-7", anybody); err != nil || !ok || got.ID != one.ID {
		t.Errorf("find: %+v %v %v", got, ok, err)
	}
	if _, ok, err := st.Snapshots.Find(ctx, "T1", "c-8", anybody); err != nil || ok {
		t.Errorf("find nothing: %v %v", ok, err)
	}
	changes, err := st.Snapshots.Changes(ctx, one.ID, two.ID)
	if err != nil || len(changes) != 1 || changes[0] != (belay.Change{Path: "a.txt", Status: "M", OldMode: 0o100644, NewMode: 0o100644, Added: 1, Deleted: 2}) {
		t.Errorf("changes: %+v %v", changes, err)
	}
	if tree, err := st.Snapshots.StoreFilesTree(ctx, snapshot.Extent{}); err != nil || tree != two.Tree {
		t.Errorf("peek: %s %v, want %s", tree, err, two.Tree)
	}
	text, mode, err := st.Snapshots.ReadFile(ctx, one.ID, "staged.txt")
	if err != nil || string(text) != "staged\nand edited\n" || mode != 0o100644 {
		t.Errorf("read: %q %o %v", text, mode, err)
	}
	if _, _, err := st.Snapshots.ReadFile(ctx, one.ID, "b.txt"); belay.CodeOf(err) != belay.CodeNotFound {
		t.Errorf("read a file that was deleted: %v", err)
	}
	if problems, err := st.Snapshots.Verify(ctx); err != nil || len(problems) > 0 {
		t.Errorf("verify: %q %v", problems, err)
	}
	s.Ok(st.Drop(ctx, one.ID))
	if _, err := st.Snapshots.Get(ctx, one.ID); belay.CodeOf(err) != belay.CodeNotFound {
		t.Errorf("dropped and still there: %v", err)
	}
}

// TestDiffsObeyNoAttributes checks that attributes written by an agent do not affect the diff of
// its change.
func TestDiffsObeyNoAttributes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	one := s.take().ID
	s.Write("a.txt", "a\nevil\n")
	s.Write("odd/.GIT/x", "hidden in an odd name\n")
	testutil.Plant(s.Sandbox)
	s.Write(".gitattributes", "* -diff binary diff=evil\n")
	s.Git("config", "diff.noprefix", "true")
	two := s.take().ID
	changes, err := s.store().Snapshots.Changes(ctx, one, two)
	s.Ok(err)
	i := slices.IndexFunc(changes, func(c belay.Change) bool { return c.Path == "a.txt" })
	if i < 0 || changes[i].Binary || changes[i].Added != 1 || changes[i].Deleted != 1 {
		t.Errorf("changes: %+v", changes)
	}
	if !slices.ContainsFunc(changes, func(c belay.Change) bool { return c.Path == "odd/.GIT/x" && c.Status == "A" }) {
		t.Errorf("a file of an odd name is not among the changes: %+v", changes)
	}
	var b bytes.Buffer
	s.Ok(s.store().Snapshots.Patch(ctx, one, two, nil, &b))
	if !strings.Contains(b.String(), "--- a/a.txt\n+++ b/a.txt\n") || !strings.Contains(b.String(), "\n+evil\n") {
		t.Errorf("patch:\n%s", b.String())
	}
	if !strings.Contains(b.String(), "+hidden in an odd name") {
		t.Errorf("the patch hides a file of an odd name:\n%s", b.String())
	}
	s.settled()
}

func TestExport(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Chmod("a.txt", 0o600)
	s.Write("b\n\xff", "odd")
	s.Link("a.txt", "l")
	s.Write("sub/.GIT/x", "odder")
	for i := range 2000 { // enough for several workers
		s.Write(fmt.Sprintf("many/%d/%d", i%7, i), fmt.Sprint(i))
	}
	id := s.take().ID
	to := filepath.Join(s.Up, "export")
	s.Ok(restore.Export(ctx, s.store().Snapshots, id, to))
	copied := &sandbox{&testutil.Sandbox{T: t, Up: s.Up, Dir: to}}
	want, got := testutil.State{}, testutil.State{}
	s.ReadTree(want)
	copied.ReadTree(got)
	s.Same("exported", want, got)
	if err := restore.Export(ctx, s.store().Snapshots, id, to); belay.CodeOf(err) != belay.CodeUsage {
		t.Errorf("into a folder that is not empty: %v", err)
	}
}

// TestPrune checks that the newest snapshot of a task stays whatever its age, and that ids give the
// order, not clocks.
func TestPrune(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	st := s.storeWith(snapshot.Options{Now: func() time.Time { return now }})
	take := func(task belay.TaskID) belay.SnapshotID {
		i, err := st.Snapshots.Take(ctx, snapshot.Meta{Kind: belay.KindBefore, Task: task})
		s.Ok(err)
		return i.ID
	}
	old, oldest, kept := take("T1"), take("t1"), take("T2")
	held := take("T3")
	last := take("T3")
	now = now.Add(48 * time.Hour)
	young := take("T1")
	o := snapshot.PruneOptions{OlderThan: 24 * time.Hour, Keep: func(i snapshot.Info) bool { return i.ID == held }, DryRun: true}
	want := []belay.SnapshotID{old, oldest}
	for range 2 {
		out, err := st.Prune(ctx, o)
		if err != nil || !slices.Equal(out.Dropped, want) || out.Kept != 4 {
			t.Errorf("dry %v: %+v %v, want %v", o.DryRun, out, err, want)
		}
		o.DryRun = false
	}
	list, err := st.Snapshots.List(ctx)
	s.Ok(err)
	var left []belay.SnapshotID
	for _, i := range list {
		left = append(left, i.ID)
	}
	if !slices.Equal(left, []belay.SnapshotID{kept, held, last, young}) {
		t.Errorf("left %v", left)
	}
	s.Write("a.txt", "and takes go on")
	i := s.take()
	s.Write("a.txt", "agent")
	s.restore(i.ID)
	s.fsck()
}

// TestDiskGrowth checks that an unchanged snapshot adds one tag, and a change only its own objects.
func TestDiskGrowth(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	for i := range 400 {
		s.Write(fmt.Sprintf("src/%d/file%d.go", i%20, i), strings.Repeat(fmt.Sprint(i, "\n"), 50))
	}
	s.Git("add", "src")
	s.take()
	count := func() int { return len(strings.Split(s.Git("cat-file", "--batch-all-objects", "--batch-check"), "\n")) }
	before := count()
	for range 10 {
		s.take()
	}
	if n := count() - before; n != 10 {
		t.Errorf("ten snapshots of the same state made %d objects", n)
	}
	before = count()
	s.Write("src/3/file3.go", "edited")
	s.take()
	if n := count() - before; n > 8 { // blob, three trees, the manifest's folder, the snapshot's tree, tag
		t.Errorf("one edited file made %d objects", n)
	}
	u, err := s.store().Snapshots.Usage(context.Background())
	if err != nil || u.Snapshots != 12 || u.Bytes < 1000 || u.Bytes > 1<<20 {
		t.Errorf("usage: %+v %v", u, err)
	}
}

// TestClockGoesBack changes belay's clock: ids still increase, snapshots contain the right content,
// and none counts as old. The stat cache uses the file system's clock.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	real := time.Now()
	var last snapshot.Info
	for i, now := range []time.Time{real, real.AddDate(10, 0, 0), real.Add(-time.Hour), time.Unix(0, 0), real.AddDate(0, 0, -1)} {
		st := s.storeWith(snapshot.Options{Now: func() time.Time { return now }})
		want := fmt.Sprint("clock ", i) // always the same size
		was, err := os.Stat(s.Path("a.txt"))
		s.Ok(err)
		s.Write("a.txt", want)
		s.Ok(os.Chtimes(s.Path("a.txt"), was.ModTime(), was.ModTime()))
		next, err := st.Snapshots.Take(ctx, snapshot.Meta{Kind: belay.KindManual})
		s.Ok(err)
		if next.ID <= last.ID {
			t.Errorf("%s does not follow %s", next.ID, last.ID)
		}
		if text, _, err := st.Snapshots.ReadFile(ctx, next.ID, "a.txt"); err != nil || string(text) != want {
			t.Errorf("at %s it contains %q, %v", now, text, err)
		}
		if out, err := st.Prune(ctx, snapshot.PruneOptions{OlderThan: 200 * 365 * 24 * time.Hour}); err != nil || len(out.Dropped) > 0 {
			t.Errorf("at %s something counts as old: %+v %v", now, out, err)
		}
		last = next
	}
	s.whole()
}

// TestForgetBesideUnreadableIntent checks that no snapshot is deleted while an unreadable intent in
// another working tree may need it.
func TestForgetBesideUnreadableIntent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Git("worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "other"))
	one, two := s.take().ID, s.take().ID
	intent := ".git/worktrees/other/belay/intent.json"
	s.Mkdir(filepath.Dir(intent))
	text := fmt.Sprintf(`{"version":1,"target":%q,"rescue":%q}`, one, one)
	s.Write(intent, text[:len(text)/2])
	if err := s.store().Drop(ctx, two); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("drop: %v", err)
	}
	if p, err := s.store().Prune(ctx, snapshot.PruneOptions{OlderThan: time.Nanosecond}); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("prune: %+v, %v", p, err)
	}
	s.Write(intent, text)
	if err := s.store().Drop(ctx, one); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("drop of a needed one: %v", err)
	}
	s.Ok(s.store().Drop(ctx, two))
}
