package app

import (
	"cmp"
	"context"
	"fmt"
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

// TasksRequest asks to run the open tasks of a feature, or of a task file, one after another in this working tree.
type TasksRequest struct {
	RunRequest        // for each of them; Agent is for tasks that name none
	Name       string // of an active feature, or of a file in dir
	Dir        string
}

// NamesTasks reports whether word names an active feature or a task file, so that belay run runs its tasks.
func (s *Service) NamesTasks(dir, word string) bool {
	if strings.Contains(word, "\n") || len(word) > 255 { // prose; but a feature's folder may contain spaces
		return false
	}
	if strings.HasSuffix(word, ".md") || strings.HasSuffix(word, ".yaml") || strings.HasSuffix(word, ".json") {
		if info, err := fsroot.Lstat(fsroot.From(dir, word)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	named, err := s.activeFeatures(word)
	return err == nil && len(named) > 0
}

// activeFeatures returns the active features that word names: by folder, by number, or by the name
// without the number.
func (s *Service) activeFeatures(word string) ([]*session.FeatureRecord, error) {
	all, _, err := s.Features()
	if err != nil || word == "" {
		return nil, err
	}
	return featuresNamed(slices.DeleteFunc(all, func(r *session.FeatureRecord) bool { return !r.Feature.Active() }), word), nil
}

// RunTasks records the open tasks of the list, in its order and with its IDs, and runs them up to
// the first that is not accepted. For a feature it first starts the implement phase, if that is
// allowed.
func (svc *Service) RunTasks(ctx context.Context, q TasksRequest) ([]ParallelResult, error) {
	paths := []string{fsroot.From(q.Dir, q.Name)}
	named, err := svc.activeFeatures(q.Name)
	if err != nil {
		return nil, err
	}
	if len(named) > 0 {
		s, err := svc.Stage(ctx, q.Name)
		if err != nil {
			return nil, err
		}
		if paths, err = s.startImplementing(ctx, q); err != nil {
			return nil, err
		}
		svc, q.Name = s.Service, s.Rec.Feature.Name
	}
	files, err := ReadTaskFiles(ImportQuery{Dir: q.Dir, Root: svc.Session.Repo.Root, Paths: paths})
	if err != nil {
		return nil, err
	}
	task := NewTask{Agent: q.Agent, Role: q.Role, Clarify: svc.Session.Config.Clarify, AsItIs: q.AsItIs}
	im, err := RecordImport(ctx, svc, files, ImportOptions{InOrder: true}, task)
	if err != nil {
		return nil, err
	}
	var ran []ParallelResult
	for _, l := range im.Tasks {
		if l.Belay == "" {
			continue
		}
		r, err := svc.Session.Load(l.Belay)
		if err != nil {
			return ran, err
		}
		if r.State.Phase == loop.PhaseClosed {
			continue
		}
		one := q.RunRequest
		one.Resume = l.Belay
		if r, err = svc.Run(ctx, one); err == nil {
			err = RunError(r)
		}
		if ran = append(ran, ParallelResult{l.Belay, err}); err != nil {
			break
		}
	}
	if len(ran) == 0 {
		return nil, belay.Refuse(belay.CodeUsage, "belay task list", "no open tasks in %s", belay.VisibleLine(q.Name))
	}
	return ran, nil
}

// startImplementing starts the implement phase, unless it is open, and returns the feature's task
// files.
func (s *Stage) startImplementing(ctx context.Context, q TasksRequest) ([]string, error) {
	paths, err := s.taskLists()
	if err != nil {
		return nil, err
	}
	if !s.Rec.Feature.Of(phase.Implement).Open() {
		r, err := s.Start(ctx, PhaseRequest{Phase: phase.Implement})
		if err != nil {
			return nil, err
		}
		if q.Watch != nil && r.Type == phase.Warn {
			q.Watch.Note("implement started: " + r.Message)
		}
	}
	return paths, nil
}

// taskLists returns the files that list the feature's tasks.
func (s *Stage) taskLists() ([]string, error) {
	list, err := s.Artefact(phase.CreateTasks)
	if err != nil {
		return nil, err
	}
	if len(list.Files) == 0 {
		return nil, belay.Refuse(belay.CodeRefused, s.tryFor(phase.Answer{Lacks: phase.CreateTasks}), "%s is missing",
			belay.VisibleLine(s.Layout.ArtefactPath(s.Rec.Feature.Folder, phase.CreateTasks)))
	}
	var paths []string
	for _, f := range list.Files {
		paths = append(paths, filepath.Join(s.Service.Session.Repo.Root, f.Path))
	}
	packages := filepath.Join(s.Service.Session.Repo.Root, s.Rec.Feature.Folder, "tasks")
	if s.Layout.Dialect == tasklist.SpecKitty && fsroot.IsFolder(packages) {
		paths = append(paths, packages)
	}
	return paths, nil
}

// FeatureTasks reads the open tasks of an active feature, or of a task file, in order; it records
// nothing. name is the feature's name, or the file's path relative to dir; as is the prefix of the
// tasks' IDs, "" for the name of the feature or of the file. The notes list what was skipped.
// CodeUsage: there is no such list, or no ID can be made.
func (svc *Service) FeatureTasks(ctx context.Context, dir, name, as string) ([]belay.ListedTask, string, []tasklist.Note, error) {
	paths := []string{fsroot.From(dir, name)}
	named, err := svc.activeFeatures(name)
	if err != nil {
		return nil, "", nil, err
	}
	at := svc
	if len(named) > 0 {
		s, err := svc.Stage(ctx, name)
		if err != nil {
			return nil, "", nil, err
		}
		if paths, err = s.taskLists(); err != nil {
			return nil, "", nil, err
		}
		at, name, as = s.Service, s.Rec.Feature.Name, cmp.Or(as, s.Rec.Feature.Name)
	}
	files, err := ReadTaskFiles(ImportQuery{Dir: dir, Root: at.Session.Repo.Root, Paths: paths})
	if err != nil {
		return nil, "", nil, err
	}
	base := filepath.Base(paths[0])
	as = cmp.Or(as, tasklist.FeatureOf(files[0].Path), strings.TrimSuffix(base, filepath.Ext(base)))
	if _, err := belay.ParseNewTaskID(as); err != nil {
		return nil, "", nil, belay.Refuse(belay.CodeUsage, "name it with --feature", "%q cannot begin the ids of tasks",
			belay.VisibleLine(as))
	}
	im := PlanImport(files, nil, ImportOptions{InOrder: true})
	tasks, err := im.openTasks(as)
	if err == nil && len(tasks) == 0 {
		err = belay.Refuse(belay.CodeUsage, "belay task list", "no open tasks in %s", belay.VisibleLine(name))
	}
	return tasks, as, im.Notes, err
}

// openTasks returns the open tasks, dependencies first, with IDs that begin with the feature's
// name.
func (im *Import) openTasks(feature string) (list []belay.ListedTask, _ error) {
	ids, used := map[int]belay.TaskID{}, map[string]bool{}
	for n, i := range im.sortByDependency() {
		l := im.Tasks[i]
		for _, name := range []string{l.ID, fmt.Sprint("n", n+1)} {
			id, perr := belay.ParseNewTaskID(feature + "." + name)
			if perr == nil && name != "" && !used[id.Key()] {
				ids[i], used[id.Key()] = id, true
				break
			}
		}
		if ids[i] == "" {
			return nil, belay.Refuse(belay.CodeUsage, "use a shorter --feature NAME", "%s.%s cannot be the id of a task",
				feature, belay.VisibleLine(l.ID))
		}
		named := func(lines []int) (out []belay.TaskID) {
			for _, j := range lines {
				if ids[j] != "" {
					out = append(out, ids[j])
				}
			}
			return out
		}
		list = append(list, belay.ListedTask{ID: ids[i], Prose: l.Text, Ask: l.Request, Listed: im.listedTask(l, ids[i], ImportOptions{}),
			After: named(l.predecessors), Needs: named(l.dependencies)})
	}
	return list, nil
}
