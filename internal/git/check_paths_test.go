package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// sh runs a script in the folder above the sandbox.
func (s *sandbox) sh(script string) {
	s.t.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir = filepath.Dir(s.dir)
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// TestOpenRefusesLinks replaces each path that Open checks, in turn, by a link to a copy of it,
// with which git still works.
func TestOpenRefusesLinks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	s.git("branch", "other")
	s.git("pack-refs", "--all")
	s.git("tag", "v1")
	s.sh("cd " + s.dir + "/.git; mkdir -p belay/tmp belay/plain belay/new refs/belay refs/used-by-belay refs/remotes objects/pack logs/refs/belay logs/refs/used-by-belay info hooks worktrees modules; touch belay/stat-cache shallow config.worktree info/exclude objects/info/alternates")
	places := []string{"belay", "belay/tmp", "belay/plain", "belay/new", "belay/stat-cache"}
	for _, p := range append(slices.Clone(worktreePaths), commonPaths...) {
		if p.allowed&allowLink == 0 {
			places = append(places, p.name)
		}
	}
	for _, name := range places {
		path := filepath.Join(s.dir, ".git", name)
		if _, err := os.Lstat(path); err != nil {
			if slices.Contains([]string{"commondir", "gitdir", "reftable", "refs/stash"}, name) {
				continue
			}
			t.Fatal(err)
		}
		out := filepath.Join(filepath.Dir(s.dir), "out")
		s.must(os.Rename(path, out))
		s.must(os.Symlink(out, path))
		_, err := Open(t.Context(), s.dir, false)
		var link *fsroot.LinkError
		var refused *belay.Error
		if !errors.As(err, &link) || link.Path != path || !errors.As(err, &refused) || refused.Code != belay.CodeCannot || !strings.Contains(refused.Try, path) || !IsUnusable(err) {
			t.Errorf("%s is a link: %v", name, err)
		}
		odds, err := FindUnusable(s.dir)
		if err != nil || len(odds) != 1 || odds[0].Path != path {
			t.Errorf("%s is a link: %v, %v", name, odds, err)
		}
		s.must(os.Remove(path))
		s.must(os.Rename(out, path))
	}
	if _, err := Open(t.Context(), s.dir, false); err != nil {
		t.Errorf("after restoring all: %v", err)
	}
}

// TestOpenRefusesTypes puts FIFOs where files belong, files where folders belong, and
// folders where files belong.
func TestOpenRefusesTypes(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	for _, p := range append(append([]checkedPath{{"belay", allowFolder, 0}, {"belay/stored", allowFile, 0}, {"belay/tasks", allowFolder, 0}}, worktreePaths...), commonPaths...) {
		if p.name == "commondir" {
			continue
		}
		for _, fifo := range []bool{true, false} {
			path, aside := filepath.Join(s.dir, ".git", p.name), filepath.Join(s.dir, "aside")
			s.must(os.MkdirAll(filepath.Dir(path), 0o755))
			there := os.Rename(path, aside) == nil
			switch {
			case fifo:
				s.must(unix.Mkfifo(path, 0o666))
			case p.allowed&allowFile != 0:
				s.must(os.Mkdir(path, 0o755))
			default:
				s.must(os.WriteFile(path, nil, 0o644))
			}
			_, err := Open(t.Context(), s.dir, false)
			var kind *fsroot.TypeError
			if !errors.As(err, &kind) || kind.Path != path || belay.CodeOf(err) != belay.CodeCannot {
				t.Errorf("%s, a FIFO %v: %v", p.name, fifo, err)
			}
			s.must(os.RemoveAll(path))
			if there {
				s.must(os.Rename(aside, path))
			}
		}
	}
	s.open()
}

func (s *sandbox) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestOpenTakesPeoplesLinks opens repositories with links as people and git create them.
func TestOpenTakesPeoplesLinks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	s.sh("cd " + s.dir + "; rm -r .git/hooks; mkdir hooks; ln -s ../hooks .git/hooks; touch ignored; rm -f .git/info/exclude; ln -s ../../ignored .git/info/exclude; rm .git/HEAD; ln -s refs/heads/main .git/HEAD; mv .git ../store; ln -s ../store .git")
	r, err := Open(t.Context(), s.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	refs, err := r.Refs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if h, err := r.Head(t.Context(), refs); err != nil || h.Branch != "refs/heads/main" || h.OID == "" {
		t.Errorf("HEAD is a symlink to its branch: %+v, %v", h, err)
	}
	if odds, err := FindUnusable(s.dir); err != nil || len(odds) > 0 {
		t.Errorf("%v, %v", odds, err)
	}
	s.sh("cd " + s.dir + "; rm .git/HEAD; ln -s ../outside .git/HEAD; touch outside")
	if _, err := Open(t.Context(), s.dir, false); !IsUnusable(err) {
		t.Errorf("HEAD is a symlink to a file: %v", err)
	}
}

// TestOpenSubmodule opens a submodule, which has its git folder in its parent's, and finds a link
// in the path.
func TestOpenSubmodule(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	s.sh("git clone -q " + s.dir + " origin")
	s.git("submodule", "add", "-q", filepath.Join(filepath.Dir(s.dir), "origin"), "sub")
	r, err := Open(t.Context(), filepath.Join(s.dir, "sub"), false)
	if err != nil || r.Dir != filepath.Join(s.dir, ".git/modules/sub") || r.Linked() {
		t.Fatalf("%+v, %v", r, err)
	}
	s.sh("mv " + r.Dir + "/refs out; ln -s $PWD/out " + r.Dir + "/refs")
	if _, err := Open(t.Context(), filepath.Join(s.dir, "sub"), false); !IsUnusable(err) {
		t.Errorf("a link in the submodule's git folder: %v", err)
	}
}

// TestOpenOwner checks that another owner's files in belay's folder are refused.
func TestOpenOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	s := newSandbox(t)
	s.commit("a", "1")
	s.sh("mkdir -p " + s.dir + "/.git/belay/tmp; chown -R 12345 " + filepath.Dir(s.dir) + "; chown 54321 " + s.dir + "/.git/belay/tmp")
	dir := s.dir
	r := &Repo{Root: dir, Dir: filepath.Join(dir, ".git"), Common: filepath.Join(dir, ".git")}
	if err := r.checkPaths(); err != nil {
		t.Errorf("root may use it: %v", err)
	}
	info, err := os.Lstat(filepath.Join(dir, ".git/belay/tmp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		me, owner int
		ok        bool
	}{{12345, 12345, false}, {54321, 12345, true}, {7, 54321, true}, {0, 7, true}} {
		err := checkKindFor(info.Name(), info, allowFolder, c.owner, c.me)
		var stranger *fsroot.OwnerError
		if ok := err == nil; ok != c.ok || !ok && (!errors.As(err, &stranger) || stranger.Owner != 54321) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
