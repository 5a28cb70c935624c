package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/plan"
	"github.com/belay-dev/belay/internal/tasklist"
)

// A plan is the user's file: a write is atomic, follows no link, and never overwrites changes that
// were saved meanwhile.

// PlanFile is the file of a plan, below an open folder.
type PlanFile struct {
	Name string // as given by the person
	root *fsroot.Root
	top  string // the path of root
	rel  string
	perm uint16
}

// OpenPlanFile opens the folder of a plan, named relative to dir. In a repository that is the top
// folder, so that no link below it is followed. s may be nil: then it is the plan's own folder.
func OpenPlanFile(s *Service, dir, name string) (*PlanFile, error) {
	if _, err := plan.FormatOf(name); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(fsroot.From(dir, name))
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", belay.VisibleLine(name), err)
	}
	f := &PlanFile{Name: name, top: filepath.Dir(path), rel: filepath.Base(path)}
	if s != nil {
		if rel, err := s.RepoPaths(dir, []string{name}); err == nil {
			f.top, f.rel = s.Session.Repo.Root, rel[0]
		}
	}
	if f.root, err = fsroot.OpenRoot(f.top); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, belay.Refuse(belay.CodeNotFound, "name an existing plan", "no folder for %s", belay.VisibleLine(name))
		}
		return nil, err
	}
	return f, nil
}

// serviceFor returns s if the plan is in its repository, else nil.
func (f *PlanFile) serviceFor(s *Service) *Service {
	if s == nil || f.top != s.Session.Repo.Root {
		return nil
	}
	return s
}

// Close closes the folder.
func (f *PlanFile) Close() error { return f.root.Close() }

// Read reads the plan.
func (f *PlanFile) Read() (*plan.Plan, error) {
	shown := belay.VisibleLine(f.Name)
	info, err := f.root.Lstat(f.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, belay.Refuse(belay.CodeNotFound, "belay plan new --task TASK "+shown, "no plan %s", shown)
	case err != nil:
		return nil, f.wrapError("read", err)
	case info.Kind == fsroot.SymbolicLink:
		return nil, belay.Refuse(belay.CodeCannot, "name the file it points to", "%s is a link", shown)
	case info.Kind != fsroot.File && info.Kind != fsroot.Exec:
		return nil, belay.Refuse(belay.CodeCannot, "name a file", "%s is not a file", shown)
	}
	f.perm = info.Perm
	in, err := f.root.Open(f.rel)
	if err != nil {
		return nil, f.wrapError("read", err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, plan.MaxSize+1))
	if err != nil {
		return nil, f.wrapError("read", err)
	}
	return plan.Read(f.Name, text)
}

func (f *PlanFile) wrapError(what string, err error) error {
	return &belay.Error{Code: belay.CodeCannot, What: "cannot " + what + " " + belay.VisibleLine(f.Name),
		Try: "check its path and permissions", Err: err}
}

// Write replaces the content of the plan. was is the content that was read, nil for a new plan. A
// file with other content is not changed (CodeBusy).
func (f *PlanFile) Write(was, text []byte, tmp string) error {
	held := fsroot.Expected{New: blobID(text), NewHash: func() hash.Hash { return sha256.New() }}
	perm := uint16(0o644)
	if was != nil {
		held.OID, perm = blobID(was), f.perm
		now, err := f.root.Bytes(f.rel, held.NewHash)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return f.wrapError("read", err)
		}
		if now != held.OID {
			return f.changedError()
		}
	} else if _, err := f.root.Lstat(f.rel); err == nil {
		return f.existsError()
	}
	err := f.root.ReplaceFile(f.rel, perm, tmp, held, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	var saved *fsroot.SavedError
	switch {
	case errors.As(err, &saved) && was == nil:
		return f.existsError()
	case errors.As(err, &saved):
		return &belay.Error{Code: belay.CodeBusy,
			What: belay.VisibleLine(f.Name) + " changed meanwhile, and nothing was written", Try: "check it and try again", Err: err}
	case err != nil:
		return f.wrapError("write", err)
	}
	return f.root.Sync()
}

// blobID returns the object name of a text.
func blobID(text []byte) fsroot.OID {
	h := sha256.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return fsroot.OID(h.Sum(nil))
}

func (f *PlanFile) changedError() error {
	return belay.Refuse(belay.CodeBusy, "check it and try again", "%s changed in the meantime; nothing was written",
		belay.VisibleLine(f.Name))
}

func (f *PlanFile) existsError() error {
	shown := belay.VisibleLine(f.Name)
	return belay.Refuse(belay.CodeUsage, "belay plan update "+shown+" --task TASK, or name another file",
		"the plan %s already exists", shown)
}

// openPlan reads a plan and keeps its folder open for writing.
func openPlan(s *Service, dir, name string) (*PlanFile, *plan.Plan, error) {
	f, err := OpenPlanFile(s, dir, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.Read()
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, p, nil
}

// ReadPlan reads a plan, named relative to dir. It needs no repository.
func ReadPlan(dir, name string) (*plan.Plan, error) {
	f, p, err := openPlan(nil, dir, name)
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	return p, nil
}

// recordedTask returns a recorded task, and fails if another task has the same label in plans.
func recordedTask(s *Service, id belay.TaskID) (belay.Task, error) {
	r, err := s.Session.Load(id)
	if err != nil {
		return belay.Task{}, err
	}
	if rival := plan.OtherIDWithLabel(id); rival != "" {
		if _, err := s.Session.Load(rival); err == nil {
			return belay.Task{}, belay.Refuse(belay.CodeUsage, "give one of the two another id",
				"%s and %s are both task-%s in a plan", id, rival, plan.TaskLabel(id))
		}
	}
	return r.Task, nil
}

// addKnownTasks adds the recorded tasks to k.
func addKnownTasks(s *Service, k *plan.Context) error {
	ids, err := s.Session.Journal.Tasks()
	if err != nil {
		return err
	}
	labels := map[string]bool{}
	for _, id := range ids {
		labels[strings.ToLower(plan.TaskLabel(id))] = true
	}
	k.NoTasksRecorded = len(ids) == 0
	k.Task = func(label string) bool { return labels[strings.ToLower(label)] }
	return nil
}

// writeByTemp writes a plan through belay's folder of temporary files, with a lock that prevents
// its cleaning; if that folder cannot be made, through a file beside the plan.
func (f *PlanFile) writeByTemp(ctx context.Context, s *Service, was, text []byte) error {
	tmp := s.Session.Scratch("tmp")
	if err := fsroot.MkdirAll(tmp, 0o700); err != nil {
		return f.Write(was, text, "")
	}
	done, err := s.Session.Snaps.LockShared(ctx)
	if err != nil {
		return err
	}
	defer done()
	return f.Write(was, text, tmp)
}

// removeLeftover removes the temporary file of a killed write, which has the plan's previous
// content: it equals the plan except for markers of the task.
func removeLeftover(s *Service, p *plan.Plan, task belay.TaskID) {
	others := func(m plan.Marker) bool { return m.Problem != "" || !m.NamesTask(task) }
	bare := p.StripMarkers(others)
	tasklist.RemoveLeftovers(s.Session.Scratch("tmp"), plan.MaxSize, func(text []byte) bool {
		left, err := plan.Read(p.Name, text)
		return err == nil && bytes.Equal(left.StripMarkers(others), bare)
	})
}
