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

// projectState is a state of the project that a plan or its implementation is compared with: a folder, or objects in
// the repository.
type projectState struct {
	name  string            // for people
	dir   string            // the path of a folder; "" for objects
	files map[string]string // object IDs by path
}

// findState returns the state that name refers to: a folder, a task (its before snapshot), a
// snapshot or a revision. Without a repository it must be a folder.
func findState(ctx context.Context, s *Service, dir, name string) (*projectState, error) {
	path := fsroot.From(dir, name)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &projectState{name: name, dir: path}, nil
	}
	if s == nil {
		return nil, belay.Refuse(belay.CodeNotFound, "name a folder, or run it in a repository", "no folder %s",
			belay.VisibleLine(name))
	}
	if id, err := belay.ParseTaskID(name); err == nil {
		if r, err := s.Session.Load(id); err == nil && r.State.Before != "" {
			return snapshotState(ctx, s, r.State.Before, "the state before "+string(r.Task.ID))
		}
	}
	if id, err := belay.ParseSnapshotID(name); err == nil {
		if id, err = s.Session.ResolveSnapshot(ctx, id); err == nil {
			return snapshotState(ctx, s, id, "snapshot "+id.Short())
		}
	}
	return commitState(ctx, s, name)
}

// snapshotState returns the state in a snapshot.
func snapshotState(ctx context.Context, s *Service, id belay.SnapshotID, name string) (*projectState, error) {
	info, err := s.Session.Snaps.LookUp(ctx, id)
	if err != nil {
		return nil, err
	}
	return treeState(ctx, s, info.Tree, name)
}

// commitState returns the state of a commit.
func commitState(ctx context.Context, s *Service, name string) (*projectState, error) {
	out, err := git.Output(s.Session.Repo.Command(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{tree}"))
	if err != nil {
		return nil, belay.Refuse(belay.CodeNotFound, "belay snapshot list, or git log",
			"%s is not a folder, task, snapshot or revision", belay.VisibleLine(name))
	}
	return treeState(ctx, s, strings.TrimSpace(string(out)), name)
}

// workingTreeState returns the current content of the working tree, without ignored files.
func workingTreeState(ctx context.Context, s *Service) (*projectState, error) {
	tree, err := s.Session.Snaps.StoreFilesTree(ctx, snapshot.Extent{})
	if err != nil {
		return nil, err
	}
	return treeState(ctx, s, tree, "the working tree")
}

func treeState(ctx context.Context, svc *Service, tree, name string) (*projectState, error) {
	s := &projectState{name: name, files: map[string]string{}}
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

// readPlan reads the plan at a path of the state, nil if there is none.
func (s *projectState) readPlan(ctx context.Context, svc *Service, rel string) (*plan.Plan, error) {
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

// maxUnchanged limits how many unchanged files are read.
const maxUnchanged = 400

// planSides returns the two sides of an implementation. In a repository it reads only the files
// that differ and the sections' own files, or all files if there are few.
func planSides(ctx context.Context, s *Service, before, after *projectState, p *plan.Plan, task belay.TaskID,
	rel string) (*plan.Implementation, error) {
	hide := func(path string) bool { return path == rel || strings.HasPrefix(path, ".belay/") }
	if before.dir != "" || after.dir != "" {
		a, b := before.countTree(), after.countTree()
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
	return plan.ReadImplementation(objectTree{before.files, wanted, rd}, objectTree{after.files, wanted, rd}, hide)
}

func (s *projectState) countTree() count.Tree {
	if s.dir == "" {
		return nil
	}
	return count.FS(os.DirFS(s.dir))
}

func wantedSections(before, after *projectState, p *plan.Plan, task belay.TaskID) map[string]bool {
	var all []string
	want := map[string]bool{}
	for _, s := range []*projectState{before, after} {
		for f := range s.files {
			all = append(all, f)
			if before.files[f] != after.files[f] {
				want[f] = true
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > maxUnchanged {
		all = plan.OwnedFiles(p, task, all)
	}
	for _, f := range all {
		want[f] = true
	}
	return want
}

// objectTree is a tree of some objects in the repository.
type objectTree struct {
	files map[string]string
	want  map[string]bool
	rd    *git.Reader
}

// Paths returns the selected paths.
func (o objectTree) Paths() ([]string, error) {
	var out []string
	for f := range o.files {
		if o.want[f] {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Read reads a file. For a file in which nothing is counted, it returns the object ID instead of
// the content.
func (o objectTree) Read(path string) ([]byte, error) {
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
