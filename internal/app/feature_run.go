package app

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/phase"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/tasklist"
)

// TasksRequest asks for the open tasks of a feature, or of a task file, to be run one after another in this working tree.
type TasksRequest struct {
	RunRequest        // for each of them; its Agent is that of tasks which have none
	Name       string // of an active feature, or of a file in dir
	Dir        string
}

// ListsTasks reports whether a word names an active feature or a file of tasks, so that belay run means these.
func (d *Desk) ListsTasks(dir, word string) bool {
	if strings.Contains(word, "\n") || len(word) > 255 { // prose; a folder that is a feature may have spaces in its name
		return false
	}
	if strings.HasSuffix(word, ".md") || strings.HasSuffix(word, ".yaml") {
		if info, err := fsroot.Lstat(inFolder(dir, word)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	all, _, err := d.Features()
	return err == nil && slices.ContainsFunc(all, func(r *session.FeatureRecord) bool { return r.Active() && r.Name == word })
}

func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// RunTasks records what is open in the task list, in its order and under the names that it gives, and runs it up to the
// first task that is not accepted. For a feature the phase implement begins, if it may.
func (d *Desk) RunTasks(ctx context.Context, q TasksRequest) ([]ParallelRun, error) {
	paths := []string{inFolder(q.Dir, q.Name)}
	all, _, err := d.Features()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(r *session.FeatureRecord) bool { return r.Active() && r.Name == q.Name }) {
		s, err := d.Stage(ctx, q.Name)
		if err != nil {
			return nil, err
		}
		if paths, err = s.implements(ctx, q); err != nil {
			return nil, err
		}
		d = s.Desk
	}
	files, err := Gather(Query{Dir: q.Dir, Root: d.Repo.Root, Paths: paths})
	if err != nil {
		return nil, err
	}
	task := NewTask{Agent: q.Agent, Role: q.Role, Clarify: d.Config.Clarify, AsItIs: q.AsItIs}
	im, err := Record(ctx, d, files, Options{InOrder: true}, task)
	if err != nil {
		return nil, err
	}
	var ran []ParallelRun
	for _, l := range im.Tasks {
		if l.Belay == "" {
			continue
		}
		r, err := d.Load(l.Belay)
		if err != nil {
			return ran, err
		}
		if r.State.Phase == loop.PhaseClosed {
			continue
		}
		one := q.RunRequest
		one.Resume = l.Belay
		if r, err = d.Run(ctx, one); err == nil {
			err = Standing(r)
		}
		if ran = append(ran, ParallelRun{l.Belay, err}); err != nil {
			break
		}
	}
	if len(ran) == 0 {
		return nil, belay.Refuse(belay.CodeUsage, "belay task list", "no open tasks in %s", belay.VisibleLine(q.Name))
	}
	return ran, nil
}

// implements begins the phase implement, unless it has begun, and gives the files that list the feature's tasks.
func (s *Stage) implements(ctx context.Context, q TasksRequest) ([]string, error) {
	list, err := s.Artefact(phase.CreateTasks)
	if err != nil {
		return nil, err
	}
	if len(list.Files) == 0 {
		return nil, belay.Refuse(belay.CodeRefused, s.tryFor(phase.Answer{Lacks: phase.CreateTasks}), "%s is missing",
			belay.VisibleLine(s.Layout.Where(s.Rec.Folder, phase.CreateTasks)))
	}
	if !s.Rec.Of(phase.Implement).Open() {
		r, err := s.Start(ctx, PhaseRequest{Phase: phase.Implement})
		if err != nil {
			return nil, err
		}
		if q.Watch != nil && r.Type == phase.Warn {
			q.Watch.Note("implement started: " + r.Message)
		}
	}
	var paths []string
	for _, f := range list.Files {
		paths = append(paths, filepath.Join(s.Repo.Root, f.Path))
	}
	if packages := filepath.Join(s.Repo.Root, s.Rec.Folder, "tasks"); s.Layout.Dialect == tasklist.SpecKitty && fsroot.IsFolder(packages) {
		paths = append(paths, packages)
	}
	return paths, nil
}
