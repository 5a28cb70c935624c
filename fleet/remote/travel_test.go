package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

func TestMain(m *testing.M) {
	if os.Getenv("BELAY_FORGET") != "" { // uses the home of the process that started it
		os.Exit(m.Run())
	}
	home, err := testutil.GitHome()
	if err != nil {
		panic(err)
	}
	os.Setenv("BELAY_STATE_HOME", filepath.Join(home, "state"))
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// stayers are states that no worker's clone is in.
var stayers = map[string]string{
	"a broken ref":                  "a restore elsewhere cannot make a ref of an object that is nowhere",
	"grafts":                        "git itself cannot push",
	"orphan branch":                 "a task begins from a commit",
	"partial clone, origin gone":    "a worker's clones are complete",
	"shallow clone":                 "a worker's clones are complete",
	"shared with a group":           "the modes of git's own folder",
	"inside of a submodule":         "not a clone",
	"a bisect in a linked worktree": "not a clone",
	"a merge in a linked worktree":  "not a clone",
	"a bare repository's worktree":  "not a clone",
	"linked worktree":               "not a clone",
	"a .git that is a link":         "not a clone",
	"unborn empty":                  "a task begins from a commit",
	"unborn staged":                 "a task begins from a commit",
	"unborn with files":             "a task begins from a commit",

	"shallow clone, deepened by the agent": "a worker's clones are complete",
}

// TestTravel: a snapshot that is taken in one clone, pushed, fetched and restored in another has
// the same files, modes, links, index, HEAD, refs, logs and config. One with git-ignored files is
// rejected, unless they are shared. It tries every third state; with BELAY_FIDELITY_ALL, all of
// them.
func TestTravel(t *testing.T) {
	t.Parallel()
	var exact atomic.Int64
	t.Cleanup(func() { t.Logf("%d states travelled and are exact", exact.Load()) })
	for i, c := range testutil.Repositories {
		if why, stays := stayers[c.Name]; stays || os.Getenv("BELAY_FIDELITY_ALL") == "" && !testutil.Wide() && i%3 != 0 {
			if stays && testing.Verbose() {
				t.Logf("%s: %s", c.Name, why)
			}
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s, skipped := c.Make(t)
			if skipped != "" {
				t.Skip("SKIPPED, NOT TESTED: " + skipped)
			}
			travel(s, filepath.Join(s.Up, "remote.git"))
			if !t.Failed() {
				exact.Add(1)
			}
		})
	}
}

// site is a working tree with a task, the remote, and its worker's mirror.
type site struct {
	*testutil.Sandbox
	url    string
	mirror *remote.Mirror
	svc    *app.Service
	rec    *session.Record
	terms  remote.PushTerms
}

// newSite prepares a repository with the task T1, and a remote that has only its first commit. The
// worker uses url.
func newSite(s *testutil.Sandbox, url string) *site {
	s.T.Helper()
	roots := strings.Fields(s.Git("rev-list", "--max-parents=0", "HEAD"))
	p := &site{Sandbox: s, url: url, terms: remote.PushTerms{Base: roots[len(roots)-1]}}
	bare := filepath.Join(s.Up, "remote.git")
	s.At(s.Up, "init", "-q", "--bare", "--object-format="+s.Git("rev-parse", "--show-object-format"), bare)
	s.Git("-c", "core.hooksPath=/dev/null", "push", "-q", bare, p.terms.Base+":refs/heads/main")
	os.Remove(s.Watched) // run by that push
	p.open("a", s.Dir)
	p.create()
	return p
}

func (p *site) open(name, dir string) {
	p.T.Helper()
	var flags []app.Flag
	for _, g := range p.Opts.Include {
		flags = append(flags, app.Flag{Key: "snapshot.include", Value: g})
	}
	if p.Opts.MaxFile > 0 {
		flags = append(flags, app.Flag{Key: "snapshot.max_file", Value: fmt.Sprint(p.Opts.MaxFile, "B")})
	}
	var err error
	p.svc, err = app.Open(context.Background(), app.OpenOptions{Dir: dir, Flags: flags})
	p.Ok(err)
	p.mirror, err = remote.OpenMirror(context.Background(), filepath.Join(p.Up, name+".git"), p.url)
	p.Ok(err)
}

// create starts the record of the task T1.
func (p *site) create() {
	p.T.Helper()
	p.Ok(p.svc.Session.Create(context.Background(), belay.Task{ID: "T1", Prose: "Add a line"}))
	p.load()
}

func (p *site) load() {
	p.T.Helper()
	var err error
	p.rec, err = p.svc.Session.Load("T1")
	p.Ok(err)
}

// take takes a snapshot like a task, and names it in the record.
func (p *site) take() snapshot.Info {
	p.T.Helper()
	ctx := context.Background()
	info, err := p.svc.Session.Snaps.TakeWith(ctx, snapshot.Meta{Kind: belay.KindManual, Task: "T1"}, p.svc.Session.SnapshotExtent(p.rec))
	p.Ok(err)
	p.Ok(p.svc.Session.AddNote(ctx, p.rec, session.Note{Kind: "snapshots", Snapshots: []snapshot.Pin{info.Pin()}}))
	p.load()
	return info
}

func (p *site) push() error {
	last, err := p.mirror.Push(context.Background(), p.svc, p.rec, p.terms)
	p.terms.Last = last
	return err
}

// elsewhere continues the task in another clone, of the worker with this mirror.
func (p *site) elsewhere(mirror string) *site {
	p.T.Helper()
	ctx := context.Background()
	s := *p.Sandbox
	s.Dir = filepath.Join(p.Up, "b", "tree")
	b := &site{Sandbox: &s, url: p.url, terms: p.terms}
	m, err := remote.OpenMirror(ctx, filepath.Join(p.Up, mirror+".git"), p.url)
	p.Ok(err)
	st, err := m.Fetch(ctx, "T1")
	p.Ok(err)
	p.Ok(m.FetchCommit(ctx, p.terms.Base))
	p.Ok(m.Clone(ctx, s.Dir, "main", p.terms.Base, ""))
	b.open(mirror, s.Dir)
	p.Ok(m.Adopt(ctx, b.svc, st))
	b.load()
	return b
}

// travel sends the current state to another clone and compares.
func travel(s *testutil.Sandbox, url string) *site {
	s.T.Helper()
	p := newSite(s, url)
	info := p.take()
	stays := &remote.IgnoredFilesError{}
	if err := p.push(); errors.As(err, &stays) {
		for _, path := range stays.Paths { // git fails if it does not ignore the path
			s.Git("check-ignore", "--quiet", "--no-index", "--", path)
		}
		if out := s.At(filepath.Join(s.Up, "remote.git"), "cat-file", "--batch-all-objects", "--batch-check"); strings.Contains(out, "tag") {
			s.T.Errorf("on the remote: %s", out)
		}
		p.terms.Shared = stays.Paths
		s.Ok(p.push())
	} else {
		s.Ok(err)
	}
	b := p.arrives(info)
	for _, path := range stays.Paths {
		text, err := os.ReadFile(s.Path(path))
		s.Ok(err)
		if got, err := os.ReadFile(b.Path(path)); err != nil || string(got) != string(text) {
			s.T.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := os.Stat(s.Watched); err == nil {
		s.T.Error("a program that the repository names was run")
	}
	return b
}

// arrives restores a snapshot elsewhere and compares it with the current state.
func (p *site) arrives(info snapshot.Info) *site {
	p.T.Helper()
	b := p.elsewhere("b")
	out, err := b.svc.Session.Restores.Restore(context.Background(), info.ID, restore.Options{})
	p.Ok(err)
	if len(out.Skipped) > 0 {
		p.T.Errorf("skipped: %+v", out.Skipped)
	}
	p.Same("in the other clone", travels(p.Fingerprint()), travels(b.Fingerprint()))
	return b
}

// travels removes from a state what no snapshot has: ignored files, other repositories and working
// trees, sockets and FIFOs, what the remote has, and git's files that are caches or belong to
// git-lfs.
func travels(f testutil.State) testutil.State {
	g := testutil.State{}
	for k, v := range f {
		without := []string{"left ", "ref refs/remotes/", "git logs/refs/remotes/", "git lfs/", "git rr-cache/", "git worktrees/", "git modules/"}
		special := strings.HasPrefix(k, "file ") && (strings.HasPrefix(v, "14") || len(v) == 5 && v[0] == '1')
		if !slices.ContainsFunc(without, func(p string) bool { return strings.HasPrefix(k, p) }) && !special && !strings.Contains(k+"/", "/.git/") {
			g[k] = v
		}
	}
	return g
}
