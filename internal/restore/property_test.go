package restore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestRestoreIsTheInverse makes random changes to a repository and takes snapshots, restores,
// undoes and redoes in between. At any time a restore results in the state of the snapshot, an undo
// in the state before the restore, a redo in the state before the undo. BELAY_PROPERTY is the
// number of such sequences.
func TestRestoreIsTheInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newSandbox(t, rapid.SampledFrom([][]string{nil, nil, nil, {"--object-format=sha256"}}).Draw(rt, "init")...)
		defer os.RemoveAll(s.Up)
		m := &model{rt: rt, s: s, taken: map[belay.SnapshotID]testutil.State{}}
		if rapid.Bool().Draw(rt, "with history") {
			testutil.Base(s.Sandbox)
		}
		m.take()
		for range rapid.IntRange(3, 14).Draw(rt, "length") {
			m.step()
		}
		m.whole()
	})
}

// model contains the expected states: of the snapshots, and of undo and redo.
type model struct {
	rt         *rapid.T
	s          *sandbox
	taken      map[belay.SnapshotID]testutil.State
	ids        []belay.SnapshotID
	undo, redo []testutil.State
}

func (m *model) step() {
	for range rapid.IntRange(0, 4).Draw(m.rt, "changes") {
		m.change()
	}
	switch rapid.SampledFrom([]string{"take", "restore", "restore", "undo", "undo", "redo"}).Draw(m.rt, "step") {
	case "take":
		m.take()
	case "restore":
		m.restore()
	case "undo":
		m.back("undo", &m.undo, &m.redo, (*restore.Store).Undo)
	case "redo":
		m.back("redo", &m.redo, &m.undo, (*restore.Store).Redo)
	}
}

func (m *model) take() {
	before, stamps := m.s.Fingerprint(), m.s.Stamps()
	id := m.s.take().ID
	m.same("a take changed something", before, m.s.Fingerprint())
	m.same("a take wrote something", stamps, m.s.Stamps())
	m.taken[id] = before
	m.ids = append(m.ids, id)
}

func (m *model) restore() {
	id := m.ids[rapid.IntRange(0, len(m.ids)-1).Draw(m.rt, "snapshot")]
	met := m.s.Fingerprint()
	out, err := m.s.store().Restore(context.Background(), id, restore.Options{})
	if err != nil {
		m.rt.Fatalf("restore: %v", err)
	}
	m.reached("restore", m.taken[id], out)
	if out.Rescue == "" {
		m.same("a restore that did nothing changed something", met, m.s.Fingerprint())
		return
	}
	m.undo, m.redo = append(m.undo, met), nil
	stamps := m.s.Stamps()
	if again := m.s.restore(id); again.Rescue != "" {
		m.rt.Fatalf("restoring twice did something: %+v", again)
	}
	m.same("restoring twice wrote something", stamps, m.s.Stamps())
}

func (m *model) back(name string, from, to *[]testutil.State, do func(*restore.Store, context.Context, restore.Options) (restore.Restored, error)) {
	met := m.s.Fingerprint()
	out, err := do(m.s.store(), context.Background(), restore.Options{})
	if len(*from) == 0 {
		if belay.CodeOf(err) != belay.CodeCannot {
			m.rt.Fatalf("%s with nothing to %s: %v", name, name, err)
		}
		m.same("what was refused changed something", met, m.s.Fingerprint())
		return
	}
	if err != nil {
		m.rt.Fatalf("%s: %v", name, err)
	}
	n := len(*from) - 1
	m.reached(name, (*from)[n], out)
	*from, *to = (*from)[:n], append(*to, met)
}

// reached compares the state with the expected one, except for what the restore reported as kept,
// and the reflogs of branches that were deleted and recreated.
func (m *model) reached(what string, want testutil.State, out restore.Restored) {
	m.rt.Helper()
	for _, k := range out.Kept {
		m.rt.Fatalf("%s kept %q: %s", what, k.Path, k.Reason)
	}
	const alias = "ref refs/heads/alias"
	unlogged := func(f testutil.State) testutil.State {
		g := testutil.State{}
		for k, v := range f {
			// git does not list a symbolic ref of a missing branch.
			if unlisted := k == alias && want[alias] == ""; !unlisted && !strings.HasPrefix(k, "git logs/refs/heads/") {
				g[k] = v
			}
		}
		return g
	}
	m.same(what, unlogged(want), unlogged(without(m.s.Fingerprint(), out, want)))
}

func (m *model) same(what string, want, got testutil.State) {
	m.rt.Helper()
	if d := want.Differ(got); len(d) > 0 {
		m.rt.Fatalf("%s:\n\t%s", what, strings.Join(d, "\n\t"))
	}
}

func (m *model) whole() {
	problems, err := m.s.store().Snapshots.Verify(context.Background())
	if err != nil || len(problems) > 0 {
		m.rt.Fatalf("incomplete: %q %v", problems, err)
	}
}

var (
	anyPath = rapid.SampledFrom([]string{"a.txt", "b.txt", "dir", "dir/c.txt", "dir/deep", "dir/deep/d.txt", "dir/deep/d.txt/e", "e.sh",
		"new", "new/x", "new/x/y", "A.txt", "\xff", "-f", "a\nb", "dir/.gitignore", ".gitattributes", "git~1"})
	anyText = rapid.SampledFrom([]string{"", "1", "2\n", "a\r\nb\n", "*.txt -text\n", "* text eol=crlf\n", strings.Repeat("long\n", 500), "\x00\xff"})
	anyName = rapid.SampledFrom([]string{"main", "x", "y/z", "other"})
)

// change makes one random change to the repository. Many fail, as they do for people.
func (m *model) change() {
	s, rt := m.s, m.rt
	p := anyPath.Draw(rt, "path")
	text := func() string { return anyText.Draw(rt, "text") }
	full := s.Path(p)
	parents := func() { // remove what is in the way, as editors and agents do
		for dir := filepath.Dir(p); dir != "."; dir = filepath.Dir(dir) {
			if info, err := os.Lstat(s.Path(dir)); err == nil && !info.IsDir() {
				_ = os.Remove(s.Path(dir))
			}
		}
		_ = os.MkdirAll(filepath.Dir(full), 0o755)
	}
	name := func() string { return anyName.Draw(rt, "name") }
	switch rapid.SampledFrom([]string{"write", "write", "write", "remove", "mkdir", "link", "chmod", "rename", "add", "add all", "unstage", "flag", "intent",
		"commit", "branch", "switch", "delete branch", "tag", "stash", "pop", "reset", "detach", "merge", "abort", "symref", "ref", "orphan", "pack"}).Draw(rt, "change") {
	case "write":
		parents()
		_ = os.RemoveAll(full)
		_ = os.WriteFile(full, []byte(text()), 0o644)
	case "remove":
		_ = os.RemoveAll(full)
	case "mkdir":
		parents()
		_ = os.Mkdir(full, 0o755)
	case "link":
		parents()
		_ = os.RemoveAll(full)
		_ = os.Symlink(rapid.SampledFrom([]string{"a.txt", "../outside", "nowhere", "."}).Draw(rt, "target"), full)
	case "chmod":
		if info, err := os.Lstat(full); err == nil && info.Mode()&os.ModeSymlink == 0 {
			_ = os.Chmod(full, rapid.SampledFrom([]os.FileMode{0o600, 0o644, 0o755, 0o700, 0o444}).Draw(rt, "mode")|0o400)
		}
	case "rename":
		_ = os.Rename(full, s.Path("renamed"))
	case "add":
		s.agent("add", "-f", "--", p)
	case "add all":
		s.agent("add", "-A")
	case "unstage":
		s.agent("rm", "-r", "-q", "--cached", "--", p)
	case "flag":
		s.agent("update-index", rapid.SampledFrom([]string{"--assume-unchanged", "--skip-worktree", "--chmod=+x", "--no-skip-worktree"}).Draw(rt, "flag"), "--", p)
	case "intent":
		s.agent("add", "-N", "--", p)
	case "commit":
		s.agent("commit", "-q", "-a", "--allow-empty", "-m", "c")
	case "branch":
		s.agent("branch", "-f", name(), "HEAD~")
	case "switch":
		s.agent("checkout", "-q", "-f", name())
	case "delete branch":
		s.agent("branch", "-q", "-D", name())
	case "tag":
		s.agent("tag", "-f", "-a", "-m", "t", "t/"+name())
	case "stash":
		s.agent("stash", "push", "-q", "-u")
	case "pop":
		s.agent("stash", "pop", "-q")
	case "reset":
		s.agent("reset", "-q", rapid.SampledFrom([]string{"--hard", "--soft", "--mixed"}).Draw(rt, "how"), rapid.SampledFrom([]string{"HEAD", "HEAD~"}).Draw(rt, "to"))
	case "detach":
		s.agent("checkout", "-q", "--detach")
	case "merge":
		s.agent(rapid.SampledFrom([]string{"merge", "cherry-pick", "rebase", "revert"}).Draw(rt, "operation"), name())
	case "abort":
		s.agent(rapid.SampledFrom([]string{"merge", "cherry-pick", "rebase", "revert"}).Draw(rt, "operation"), "--abort")
	case "symref":
		s.agent("symbolic-ref", "refs/heads/alias", "refs/heads/"+name())
	case "ref":
		s.agent("update-ref", fmt.Sprintf("refs/custom/%s", name()), "HEAD")
	case "orphan":
		s.agent("checkout", "-q", "--orphan", name())
	case "pack":
		s.agent("pack-refs", "--all", "--prune")
		s.agent("-c", "gc.reflogExpire=never", "-c", "gc.reflogExpireUnreachable=never", "gc", "-q", "--prune=now")
	}
}
