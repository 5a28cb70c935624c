package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/worktree"
)

// TestMake checks that a task's worktree equals the user's tree in content, modes and git status,
// except for what snapshots do not contain, and that the user's tree does not change.
func TestMake(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(*yard){
		"dirty":  (*yard).base,
		"clean":  func(y *yard) { y.base(); y.git("add", "."); y.git("commit", "-qm", "all") },
		"unborn": func(y *yard) { y.write("a", "1"); y.git("add", "a"); y.write("b", "2") },
		"empty":  func(*yard) {},
		"removed": func(y *yard) {
			y.base()
			y.ok(os.RemoveAll(filepath.Join(y.dir, "d")))
			y.git("rm", "-q", "--cached", "a.txt")
		},
		"sparse": func(y *yard) { y.base(); y.git("sparse-checkout", "set", "d") },
		"in a merge": func(y *yard) {
			y.base()
			y.git("stash", "-u")
			y.git("checkout", "-q", "-b", "other")
			y.write("a.txt", "other\n")
			y.git("commit", "-qam", "other")
			y.git("checkout", "-q", "main")
			y.write("a.txt", "mine\n")
			y.git("commit", "-qam", "mine")
			y.run(y.dir, "-c", "alias.m=!git merge other || true", "m")
		},
		"detached, a stash": func(y *yard) {
			y.base()
			y.git("stash", "-u")
			y.git("checkout", "-q", "--detach")
		},
	} {
		formats := []string{"sha1"}
		if name == "dirty" || name == "unborn" {
			formats = append(formats, "sha256")
		}
		for _, format := range formats {
			t.Run(name+" "+format, func(t *testing.T) {
				t.Parallel()
				y := newYard(t, "--object-format="+format)
				build(y)
				before, gitBefore := looks(t, y.dir), y.gitLooks()
				m, path := y.apart("T1")
				same(t, "the user's tree", before, looks(t, y.dir))
				if now := y.gitLooks(); now != gitBefore {
					t.Errorf("git's state of the user's tree: %s → %s", gitBefore, now)
				}
				delete(before, "debug.log") // ignored
				same(t, "the task's tree", before, looks(t, path))
				own, his := y.git("status", "--porcelain=v1", "--untracked-files=all"), y.run(path, "status", "--porcelain=v1", "--untracked-files=all")
				if own != his {
					t.Errorf("git status: %q here, %q there", own, his)
				}
				if !m.New || !m.Mark.Made || m.Repo.Root != path {
					t.Errorf("%+v", m)
				}
				home := open(t, y.dir)
				again, err := worktree.MakeTree(context.Background(), home, path, worktree.Mark{Task: "t1", Home: y.dir, From: m.Mark.From}, snapshot.Options{})
				if err != nil || again.New {
					t.Errorf("a second call, want the same worktree: %+v %v", again, err)
				}
				if _, err := m.Snaps.Undo(context.Background(), restoreAll); belay.CodeOf(err) != belay.CodeCannot {
					t.Errorf("undo of a new worktree: %v", err)
				}
				y.ok(worktree.Remove(context.Background(), home.Snapshots.Repo, path, "T1"))
				if _, err := os.Lstat(path); !os.IsNotExist(err) || strings.Contains(y.git("worktree", "list"), "trees") {
					t.Errorf("it is still there: %v", err)
				}
				if now := y.gitLooks(); now != gitBefore {
					t.Error("removing it changed the user's state")
				}
			})
		}
	}
}

// A worktree that was removed by hand is made again; anything else at its path is kept.
func TestByHand(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.base()
	ctx := context.Background()
	m, path := y.apart("T1")
	home := open(t, y.dir)
	want := looks(t, path)
	y.ok(os.RemoveAll(path))
	if _, _, ok, err := worktree.Find(ctx, home.Snapshots.Repo, path); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	again, err := worktree.MakeTree(ctx, home, path, worktree.Mark{Task: "T1", Home: y.dir, From: m.Mark.From}, snapshot.Options{})
	y.ok(err)
	same(t, "made again", want, looks(t, path))
	if !again.New {
		t.Error("want a new worktree")
	}
	y.ok(os.RemoveAll(path)) // and its git folder pruned
	y.git("worktree", "prune")
	y.ok(worktree.Remove(ctx, home.Snapshots.Repo, path, "T1")) // already removed
	write(t, path, "somebody's.txt", "x")
	if _, err := worktree.MakeTree(ctx, home, path, worktree.Mark{Task: "T1", Home: y.dir, From: m.Mark.From}, snapshot.Options{}); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("with another file at the path: %v", err)
	}
	y.ok(os.RemoveAll(path))
	y.git("worktree", "add", "-q", "--detach", path)
	for _, err := range []error{
		second(worktree.MakeTree(ctx, home, path, worktree.Mark{Task: "T1", Home: y.dir, From: m.Mark.From}, snapshot.Options{})),
		worktree.Remove(ctx, home.Snapshots.Repo, path, "T1"),
	} {
		if belay.CodeOf(err) != belay.CodeCannot {
			t.Errorf("it is somebody's own: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(path, "a.txt")); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

// The user may work in a linked worktree; a task's worktree is made from it all the same.
func TestMakeFromLinked(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.base()
	dir := filepath.Join(filepath.Dir(y.dir), "linked")
	y.git("worktree", "add", "-q", "-b", "side", dir)
	write(t, dir, "a.txt", "linked\n")
	home := open(t, dir)
	from := take(t, home)
	path := filepath.Join(y.dir, ".git", "belay", "trees", "t1")
	m, err := worktree.MakeTree(context.Background(), home, path, worktree.Mark{Task: "T1", Home: dir, From: from.ID}, snapshot.Options{})
	y.ok(err)
	same(t, "the task's tree", looks(t, dir), looks(t, path))
	before := take(t, m.Snaps)
	write(t, path, "b.txt", "task\n")
	_, err = worktree.Bring(context.Background(), home, worktree.Request{Task: "T1", Before: before.ID, After: take(t, m.Snaps).ID})
	y.ok(err)
	same(t, "merged", looks(t, path), looks(t, dir))
	y.ok(worktree.Remove(context.Background(), home.Snapshots.Repo, path, "T1"))
	if mark, ok, err := worktree.MarkOf(home.Snapshots.Repo); ok || err != nil {
		t.Errorf("the user's own linked tree has a mark: %v %v", mark, err)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	r := open(t, y.dir).Snapshots.Repo
	for setting, want := range map[string]string{
		"": y.dir + ".belay", "../beside": filepath.Dir(y.dir) + "/beside", "/elsewhere/x": "/elsewhere/x", ".git/x": y.dir + "/.git/x",
		".": "", "sub": "", y.dir + "/deep/er": "", "../repo/x": "",
	} {
		got, err := worktree.Folder(r, y.dir, setting)
		if got != want || (err != nil) != (want == "") || err != nil && belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%q: %q, %v", setting, got, err)
		}
	}
}

// TestCopyIgnored: a checkout gets the ignored files that tests may need, without caches, with
// their times, and nothing in place of what it has.
func TestCopyIgnored(t *testing.T) {
	t.Parallel()
	y, to := newYard(t), t.TempDir()
	y.write(".gitignore", "*.db\n/gen/\n*.log\n__pycache__/\n/dist/\n/wt/\n")
	for _, name := range []string{"a.db", "sub/b.db", "gen/x.go", "gen/deep/y.go", "a.log", "__pycache__/a.pyc", "dist/new.js", "plain.txt"} {
		y.write(name, "ignored: "+name)
	}
	y.write("wt/.git", "gitdir: elsewhere\n")
	y.write("sub/kept.txt", "kept")
	y.git("add", "sub/kept.txt")
	write(t, to, "dist/built.js", "of the snapshot")
	write(t, to, "gen/x.go", "of the snapshot")
	y.write("linked.db", "ignored")
	old := time.Unix(1e9, 0)
	if err := errors.Join(os.Symlink("nowhere", filepath.Join(to, "linked.db")), os.Chtimes(filepath.Join(y.dir, "a.db"), old, old)); err != nil {
		t.Fatal(err)
	}
	copied, left := worktree.CopyIgnored(t.Context(), open(t, y.dir).Snapshots.Repo, to)
	if want := []string{"a.db", "dist", "gen", "sub/b.db", "wt"}; !slices.Equal(copied, want) || len(left) > 0 {
		t.Errorf("copied %q, left %q", copied, left)
	}
	for name, want := range map[string]bool{"sub/b.db": true, "gen/deep/y.go": true, "dist/new.js": true, "plain.txt": false, "wt/.git": false} {
		if _, err := os.Lstat(filepath.Join(to, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(to, "a.db"))
	info, statErr := os.Stat(filepath.Join(to, "a.db"))
	if string(text) != "ignored: a.db" || errors.Join(err, statErr) != nil || !info.ModTime().Equal(old) {
		t.Errorf("a.db: %q of %v, %v %v", text, info.ModTime(), err, statErr)
	}
	if text, err := os.ReadFile(filepath.Join(to, "gen/x.go")); string(text) != "of the snapshot" {
		t.Errorf("gen/x.go: %q, %v", text, err)
	}
	if target, err := os.Readlink(filepath.Join(to, "linked.db")); target != "nowhere" {
		t.Errorf("the link: %q, %v", target, err)
	}
}
