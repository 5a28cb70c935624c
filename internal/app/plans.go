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

// A plan is the user's file: it is written whole or not at all, never through a link, and
// never over what somebody saved meanwhile.

// File is a plan's place: a path below a folder that is held open.
type PlanFile struct {
	Shown string // as the person named it
	root  *fsroot.Root
	top   string // that folder
	rel   string
	perm  uint16
}

// At finds the place of a plan that is named from the folder dir. d may be nil: then the
// plan's own folder is held. In a repository it is the top folder, so that no link below
// it is followed.
func PlanAt(s *Service, dir, name string) (*PlanFile, error) {
	if _, err := plan.FormatOf(name); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(fsroot.From(dir, name))
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", belay.VisibleLine(name), err)
	}
	f := &PlanFile{Shown: name, top: filepath.Dir(path), rel: filepath.Base(path)}
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

// home returns the service of the repository that contains the plan; nil for one outside.
func (f *PlanFile) home(s *Service) *Service {
	if s == nil || f.top != s.Session.Repo.Root {
		return nil
	}
	return s
}

// Close lets the folder go.
func (f *PlanFile) Close() error { return f.root.Close() }

// Read reads the plan.
func (f *PlanFile) Read() (*plan.Plan, error) {
	shown := belay.VisibleLine(f.Shown)
	info, err := f.root.Lstat(f.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, belay.Refuse(belay.CodeNotFound, "belay plan new --task TASK "+shown, "no plan %s", shown)
	case err != nil:
		return nil, f.cannot("read", err)
	case info.Kind == fsroot.SymbolicLink:
		return nil, belay.Refuse(belay.CodeCannot, "name the file it points to", "%s is a link", shown)
	case info.Kind != fsroot.File && info.Kind != fsroot.Exec:
		return nil, belay.Refuse(belay.CodeCannot, "name a file", "%s is not a file", shown)
	}
	f.perm = info.Perm
	in, err := f.root.Open(f.rel)
	if err != nil {
		return nil, f.cannot("read", err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, plan.MaxSize+1))
	if err != nil {
		return nil, f.cannot("read", err)
	}
	return plan.Read(f.Shown, text)
}

func (f *PlanFile) cannot(what string, err error) error {
	return &belay.Error{Code: belay.CodeCannot, What: "cannot " + what + " " + belay.VisibleLine(f.Shown),
		Try: "check its path and permissions", Err: err}
}

// Write gives the plan new bytes. was are those it was read with, nil for a plan that is
// not there yet; a file that holds others by now is left alone (CodeBusy).
func (f *PlanFile) Write(was, text []byte, tmp string) error {
	held := fsroot.Expected{New: nameOf(text), NewHash: func() hash.Hash { return sha256.New() }}
	perm := uint16(0o644)
	if was != nil {
		held.OID, perm = nameOf(was), f.perm
		now, err := f.root.Bytes(f.rel, held.NewHash)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return f.cannot("read", err)
		}
		if now != held.OID {
			return f.moved()
		}
	} else if _, err := f.root.Lstat(f.rel); err == nil {
		return f.taken()
	}
	err := f.root.ReplaceFile(f.rel, perm, tmp, held, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	var saved *fsroot.SavedError
	switch {
	case errors.As(err, &saved) && was == nil:
		return f.taken()
	case errors.As(err, &saved):
		return &belay.Error{Code: belay.CodeBusy,
			What: belay.VisibleLine(f.Shown) + " changed meanwhile, and nothing was written", Try: "check it and try again", Err: err}
	case err != nil:
		return f.cannot("write", err)
	}
	return f.root.Sync()
}

// nameOf names bytes as worktree does.
func nameOf(text []byte) fsroot.OID {
	h := sha256.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return fsroot.OID(h.Sum(nil))
}

func (f *PlanFile) moved() error {
	return belay.Refuse(belay.CodeBusy, "check it and try again", "%s changed in the meantime; nothing was written",
		belay.VisibleLine(f.Shown))
}

func (f *PlanFile) taken() error {
	shown := belay.VisibleLine(f.Shown)
	return belay.Refuse(belay.CodeUsage, "belay plan update "+shown+" --task TASK, or name another file",
		"the plan %s already exists", shown)
}

// opened reads a plan and keeps its place open, for what is to be written there.
func opened(s *Service, dir, name string) (*PlanFile, *plan.Plan, error) {
	f, err := PlanAt(s, dir, name)
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

// Read reads a plan that is named from the folder dir; no repository is needed.
func ReadPlan(dir, name string) (*plan.Plan, error) {
	f, p, err := opened(nil, dir, name)
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	return p, nil
}

// recorded gives a task and what is read from its words.
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

// known fills in which tasks were recorded.
func known(s *Service, k *plan.Context) error {
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

// put gives a plan new bytes by way of belay's folder of temporary files, which nobody
// sweeps meanwhile; beside the plan, where there can be no such folder.
func (f *PlanFile) put(ctx context.Context, s *Service, was, text []byte) error {
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

// forget removes what a write of this plan left that was killed as the old file and the new
// one changed places: one that is the plan as it stands, but for markers of the task.
func forget(s *Service, p *plan.Plan, task belay.TaskID) {
	others := func(m plan.Marker) bool { return m.Problem != "" || !m.NamesTask(task) }
	bare := p.StripMarkers(others)
	tasklist.RemoveLeftovers(s.Session.Scratch("tmp"), plan.MaxSize, func(text []byte) bool {
		left, err := plan.Read(p.Name, text)
		return err == nil && bytes.Equal(left.StripMarkers(others), bare)
	})
}
