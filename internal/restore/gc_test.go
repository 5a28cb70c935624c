package restore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// slowGC is a gc that a test stops between its steps. It does what git repack -a -d and git prune
// --expire=now do, in their order: it reads the names of packs, then finds the named objects, and
// at the end deletes those packs, except ones with .keep files, and the loose objects that are not
// named.
type slowGC struct {
	s     *sandbox
	packs []string
	named map[string]bool
	fresh string // the new pack, not yet moved into the store
}

func (g *slowGC) objects() string { return g.s.Path(".git/objects") }

func (g *slowGC) readPacks() {
	all, err := filepath.Glob(g.objects() + "/pack/pack-*.pack")
	g.s.Ok(err)
	for _, p := range all {
		p = strings.TrimSuffix(p, ".pack")
		if _, err := os.Stat(p + ".keep"); err != nil {
			g.packs = append(g.packs, p)
		}
	}
}

var roots = []string{"--all", "--reflog", "--indexed-objects"}

func (g *slowGC) readRefs() {
	g.named = map[string]bool{}
	for oid := range strings.FieldsSeq(g.s.Git(append([]string{"rev-list", "--objects", "--no-object-names"}, roots...)...)) {
		g.named[oid] = true
	}
	g.fresh = g.s.Up + "/fresh"
	g.s.Git(append([]string{"pack-objects", "-q", "--honor-pack-keep", "--non-empty", g.fresh, "--revs"}, roots...)...)
}

func (g *slowGC) remove() {
	moved := map[string]bool{}
	list, err := filepath.Glob(g.fresh + "-*")
	g.s.Ok(err)
	slices.Reverse(list) // the .idx file last
	for _, p := range list {
		to := g.objects() + "/pack/pack-" + strings.TrimPrefix(p, g.fresh+"-")
		g.s.Ok(os.Rename(p, to))
		moved[strings.TrimSuffix(to, filepath.Ext(to))] = true
	}
	for _, p := range g.packs {
		for _, end := range []string{".idx", ".pack", ".rev", ".bitmap"} {
			if !moved[p] {
				_ = os.Remove(p + end)
			}
		}
	}
	g.s.Git("prune-packed", "-q")
	loose, err := filepath.Glob(g.objects() + "/[0-9a-f][0-9a-f]/*")
	g.s.Ok(err)
	for _, p := range loose {
		if oid := filepath.Base(filepath.Dir(p)) + filepath.Base(p); !g.named[oid] {
			g.s.Ok(os.Remove(p))
		}
	}
}

// unsettled returns a repository with everything that a gc may delete while a snapshot is taken:
// blobs that only the index names, untracked files with unnamed objects, loose and packed, and an
// earlier snapshot.
func unsettled(t testing.TB, warm bool) *sandbox {
	s := newSandbox(t)
	s.Commit("first", "a.txt", "a\n", "dir/c.txt", "c\n", "b.txt", "b\n")
	s.Write("b.txt", "only staged\n")
	s.Git("add", "b.txt")
	s.Write("b.txt", "b, edited\n")
	s.Write("about/loose", "lies about, loose\n")
	s.Write("about/packed", "lies about, packed\n")
	if warm {
		s.take()
		s.Write("a.txt", "changed\n")
		s.Git("branch", "made", "HEAD")
	}
	s.Git("hash-object", "-w", "about/loose")
	oid := s.Git("hash-object", "-w", "about/packed")
	_, err := s.Try(s.Dir, oid+"\n", "pack-objects", "-q", s.Path(".git/objects/pack/pack"))
	s.Ok(err)
	s.Write("about/new", "new\n")
	return s
}

// held checks that the snapshot is complete after git has deleted everything else.
func (s *sandbox) held(when string, i snapshot.Info) {
	s.T.Helper()
	s.Git("reset", "-q") // now only the snapshot names what was staged
	s.Git("reflog", "expire", "--expire=now", "--all")
	s.Git("repack", "-a", "-d", "-q") // deletes what gc deletes, with a third of its processes
	s.Git("prune", "--expire=now")
	s.whole()
	s.fsck()
	st := s.store().Snapshots
	defer st.Repo.ShareReader()()
	for path, want := range map[string]string{"about/loose": "lies about, loose\n", "about/packed": "lies about, packed\n", "about/new": "new\n", "b.txt": "b, edited\n"} {
		if text, _, err := st.ReadFile(context.Background(), i.ID, path); err != nil || string(text) != want {
			s.T.Errorf("%s: %s contains %q, %v", when, path, text, err)
		}
	}
	s.restore(i.ID)
	if text := s.Git("show", ":b.txt"); text != "only staged" {
		s.T.Errorf("%s: the index contains %q", when, text)
	}
}

// stepping takes a snapshot and calls do at every step, counted from 1. It returns the names of the
// steps.
func (s *sandbox) stepping(do func(step int)) (snapshot.Info, []string) {
	s.T.Helper()
	var n []string
	fsroot.Fault = func(op, _ string) error {
		n = append(n, op)
		if do != nil {
			do(len(n))
		}
		return nil
	}
	defer func() { fsroot.Fault = nil }()
	i, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
	s.Ok(err)
	return i, n
}

// TestGCAtEveryStep runs git gc at each step of a snapshot. It is not parallel: the hook is global.
func TestGCAtEveryStep(t *testing.T) {
	ways := map[string][][]string{
		"gc":     {{"gc", "-q", "--prune=now"}},
		"repack": {{"repack", "-a", "-d", "-q"}, {"prune", "--expire=now"}},
		"keep":   {{"repack", "-a", "-d", "-k", "-q"}, {"prune", "--expire=now"}, {"multi-pack-index", "write"}, {"multi-pack-index", "expire"}},
	}
	var all []taken
	for _, warm := range []bool{false, true} {
		first := unsettled(t, warm)
		_, steps := first.copied(t).stepping(nil)
		n := len(steps)
		for name, commands := range ways {
			for _, at := range telling(steps, "store", "syncdir", "ref") {
				s := first.copied(t)
				i, _ := s.stepping(func(step int) {
					for _, args := range commands {
						if step == at {
							s.Git(args...)
						}
					}
				})
				all = append(all, taken{s, fmt.Sprintf("%s at step %d of %d, warm %v", name, at, n, warm), i})
			}
		}
	}
	allHeld(t, all)
}

// taken is a sandbox after a disturbed snapshot. All are checked in parallel once the hook is
// removed.
type taken struct {
	s    *sandbox
	when string
	info snapshot.Info
}

func allHeld(t *testing.T, all []taken) {
	t.Helper()
	for _, one := range all {
		t.Run(one.when, func(t *testing.T) {
			t.Parallel()
			one.s.T = t
			one.s.held(one.when, one.info)
		})
	}
}

// TestSlowGC spreads one gc over a snapshot: it reads the names of packs at one step, the refs at a
// later one, and deletes at a third, which may be after the snapshot, when its packs were released
// already.
func TestSlowGC(t *testing.T) {
	var all []taken
	for k, warm := range []bool{false, true} {
		first := unsettled(t, warm)
		_, steps := first.copied(t).stepping(nil)
		n := len(steps)
		var trials [][3]int
		for _, packs := range telling(steps, "store", "ref") {
			for _, refs := range telling(steps, "store", "ref") {
				for _, end := range append(telling(steps, "ref", "verify"), n+1) {
					if packs <= refs && refs <= end {
						trials = append(trials, [3]int{packs, refs, end})
					}
				}
			}
		}
		for j, at := range trials {
			if !wide() && j%3 != k {
				continue
			}
			s := first.copied(t)
			g := &slowGC{s: s}
			do := func(step int) {
				if step == at[0] {
					g.readPacks()
				}
				if step == at[1] {
					g.readRefs()
				}
				if step == at[2] {
					g.remove()
				}
			}
			i, _ := s.stepping(do)
			if at[2] > n {
				other := s.take()
				s.Ok(s.store().Drop(context.Background(), other.ID)) // releases the packs
				g.remove()
			}
			all = append(all, taken{s, fmt.Sprintf("steps %v of %d, warm %v", at, n, warm), i})
		}
	}
	allHeld(t, all)
}

// telling returns the steps of some kinds, all of them when BELAY_CRASH_ALL is set.
func telling(steps []string, kinds ...string) (list []int) {
	for i, op := range steps {
		if os.Getenv("BELAY_CRASH_ALL") != "" || slices.Contains(kinds, op) {
			list = append(list, i+1)
		}
	}
	return list
}

// TestBranchDeletedDuringTake checks that a snapshot does not rely on objects that only a branch
// named that was deleted meanwhile.
func TestBranchDeletedDuringTake(t *testing.T) {
	s := newSandbox(t)
	s.Commit("first", "a.txt", "a\n")
	s.Git("checkout", "-q", "-b", "side")
	s.Commit("second", "b.txt", "b\n")
	s.Git("checkout", "-q", "main")
	_, steps := s.copied(t).stepping(nil)
	for _, at := range telling(steps, "store", "ref", "verify") {
		c := s.copied(t)
		i, _ := c.stepping(func(step int) {
			if step == at {
				c.Git("branch", "-q", "-D", "side")
				c.Git("reflog", "expire", "--expire=now", "--all")
				c.Git("gc", "-q", "--prune=now")
			}
		})
		c.whole()
		c.fsck()
		c.restore(i.ID)
	}
}

// TestUnstagedDuringTake checks that the snapshot contains content that was only staged, although
// it was unstaged and a gc ran meanwhile.
func TestUnstagedDuringTake(t *testing.T) {
	for _, warm := range []bool{false, true} {
		first := unsettled(t, warm)
		first.Write("b.txt", "only staged, and new\n")
		first.Git("add", "b.txt")
		first.Write("b.txt", "b, edited\n")
		_, steps := first.copied(t).stepping(nil)
		for _, at := range telling(steps, "ref", "verify") {
			s := first.copied(t)
			i, _ := s.stepping(func(step int) {
				if step == at {
					s.Git("reset", "-q")
					s.Git("gc", "-q", "--prune=now")
				}
			})
			s.whole()
			s.fsck()
			s.restore(i.ID)
			if text := s.Git("show", ":b.txt"); text != "only staged, and new" {
				t.Errorf("unstaged at step %d, warm %v: the index contains %q", at, warm, text)
			}
		}
	}
}

// TestTagOfTagComesBack checks that the tag that a deleted tag points to is restored with it.
func TestTagOfTagComesBack(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Git("tag", "-a", "-m", "x", "inner")
	s.Git("tag", "-a", "-m", "y", "middle", "inner")
	s.Git("tag", "-a", "-m", "z", "outer", "middle")
	s.Git("tag", "-d", "inner", "middle")
	id := s.take().ID
	s.Git("tag", "-d", "outer")
	s.Git("reflog", "expire", "--expire=now", "--all")
	s.Git("gc", "-q", "--prune=now")
	s.restore(id)
	if got, want := s.Git("rev-parse", "outer^{commit}"), s.Git("rev-parse", "HEAD"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s.fsck()
}
