package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/plan"
	"github.com/belay-dev/belay/internal/snapshot"
)

// state is a state of the project that a plan or its implementation is held against: a
// folder, or objects in the repository.
type state struct {
	name  string            // for people
	dir   string            // of a folder
	files map[string]string // objects by path
}

// find makes a state of what a person names: a folder, a task (its state before), a
// snapshot or a revision. Without a repository it is a folder.
func find(ctx context.Context, s *Service, dir, name string) (*state, error) {
	path := fsroot.From(dir, name)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &state{name: name, dir: path}, nil
	}
	if s == nil {
		return nil, belay.Refuse(belay.CodeNotFound, "name a folder, or run it in a repository", "no folder %s",
			belay.VisibleLine(name))
	}
	if id, err := belay.ParseTaskID(name); err == nil {
		if r, err := s.Session.Load(id); err == nil && r.State.Before != "" {
			return held(ctx, s, r.State.Before, "the state before "+string(r.Task.ID))
		}
	}
	if id, err := belay.ParseSnapshotID(name); err == nil {
		if id, err = s.Session.Named(ctx, id); err == nil {
			return held(ctx, s, id, "snapshot "+id.Short())
		}
	}
	return revision(ctx, s, name)
}

// held is the state that a snapshot holds.
func held(ctx context.Context, s *Service, id belay.SnapshotID, name string) (*state, error) {
	info, err := s.Session.Snaps.LookUp(ctx, id)
	if err != nil {
		return nil, err
	}
	return stored(ctx, s, info.Tree, name)
}

// revision is the state of a commit.
func revision(ctx context.Context, s *Service, name string) (*state, error) {
	out, err := git.Output(s.Session.Repo.Command(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{tree}"))
	if err != nil {
		return nil, belay.Refuse(belay.CodeNotFound, "belay snapshot list, or git log",
			"%s is not a folder, task, snapshot or revision", belay.VisibleLine(name))
	}
	return stored(ctx, s, strings.TrimSpace(string(out)), name)
}

// present is what the working tree holds now, as far as git tracks it or would.
func present(ctx context.Context, s *Service) (*state, error) {
	tree, err := s.Session.Snaps.StoreFilesTree(ctx, snapshot.Extent{})
	if err != nil {
		return nil, err
	}
	return stored(ctx, s, tree, "the working tree")
}

func stored(ctx context.Context, svc *Service, tree, name string) (*state, error) {
	s := &state{name: name, files: map[string]string{}}
	if tree == "" {
		return s, nil
	}
	list, err := svc.Session.Repo.ListTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Mode&0o170000 == 0o100000 {
			s.files[e.Path] = e.OID
		}
	}
	return s, nil
}

// plan reads the plan that a state holds at a path; nil when it holds none.
func (s *state) plan(ctx context.Context, svc *Service, rel string) (*plan.Plan, error) {
	if s.dir != "" {
		p, err := ReadPlan(s.dir, filepath.FromSlash(rel))
		if belay.CodeOf(err) == belay.CodeNotFound {
			return nil, nil
		}
		return p, err
	}
	oid := s.files[rel]
	if oid == "" {
		return nil, nil
	}
	rd, err := svc.Session.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rd.Close() }()
	o, err := rd.Read(oid)
	if err != nil {
		return nil, fmt.Errorf("read %s in %s: %w", belay.VisibleLine(rel), s.name, err)
	}
	return plan.Read(rel, slices.Clone(o.Data))
}

// few is how many files are looked into besides those that differ.
const few = 400

// sides makes the two sides of an implementation. Of two states in the repository only
// what differs is read, with the sections' own files, and everything when there is little.
func sides(ctx context.Context, s *Service, before, after *state, p *plan.Plan, task belay.TaskID,
	rel string) (*plan.Implementation, error) {
	hide := func(path string) bool { return path == rel || strings.HasPrefix(path, ".belay/") }
	if before.dir != "" || after.dir != "" {
		a, b := before.tree(), after.tree()
		if a == nil || b == nil {
			return nil, belay.Refuse(belay.CodeUsage, "name another folder, or a revision",
				"%s and %s cannot be compared", before.name, after.name)
		}
		return plan.ReadImplementation(a, b, hide)
	}
	rd, err := s.Session.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rd.Close() }()
	wanted := wantedSections(before, after, p, task)
	return plan.ReadImplementation(objects{before.files, wanted, rd}, objects{after.files, wanted, rd}, hide)
}

func (s *state) tree() count.Tree {
	if s.dir == "" {
		return nil
	}
	return count.FS(os.DirFS(s.dir))
}

func wantedSections(before, after *state, p *plan.Plan, task belay.TaskID) map[string]bool {
	var all []string
	want := map[string]bool{}
	for _, s := range []*state{before, after} {
		for f := range s.files {
			all = append(all, f)
			if before.files[f] != after.files[f] {
				want[f] = true
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > few {
		all = plan.OwnedFiles(p, task, all)
	}
	for _, f := range all {
		want[f] = true
	}
	return want
}

// objects is a tree of some of the objects in the repository.
type objects struct {
	files map[string]string
	want  map[string]bool
	rd    *git.Reader
}

// Paths gives the paths that are wanted.
func (o objects) Paths() ([]string, error) {
	var out []string
	for f := range o.files {
		if o.want[f] {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Read gives a file. Of one that nothing is counted in, its object's name will do.
func (o objects) Read(path string) ([]byte, error) {
	oid, there := o.files[path]
	if !there {
		return nil, belay.Refuse(belay.CodeNotFound, "name a file of that state", "there is no %s", belay.VisibleLine(path))
	}
	if count.LanguageOf(path) == "" {
		return []byte(oid), nil
	}
	got, err := o.rd.Read(oid)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", belay.VisibleLine(path), err)
	}
	return slices.Clone(got.Data), nil
}
