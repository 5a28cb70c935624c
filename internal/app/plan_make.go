package app

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/plan"
)

// PlanResult is the result of MakePlan: the new plan, or the reason why none was written.
type PlanResult struct {
	Plan       string            `json:"plan"`
	Task       belay.TaskID      `json:"task"`
	Type       belay.RequestType `json:"type"`
	Written    bool              `json:"written"`
	SkipReason string            `json:"left,omitempty"`
}

// MakePlan writes the first plan of a task: to the named file, else into its feature's folder, else
// to .belay/now/plan.md. It never overwrites a file. A bugfix gets no plan; the result has the
// reason.
func MakePlan(ctx context.Context, s *Service, q PlanRequest) (PlanResult, error) {
	t, err := recordedTask(s, q.Task)
	if err != nil {
		return PlanResult{}, err
	}
	t.Request = requestOf(ctx, s, t)
	out := PlanResult{Task: t.ID, Type: t.Request.Type, Plan: q.Plan}
	switch {
	case q.Force:
	case out.Type == belay.Bugfix:
		out.SkipReason = fmt.Sprintf("%s is a bugfix: bugfixes have no plan", t.ID)
		return out, nil
	case out.Type == belay.Unclear:
		return out, belay.Refuse(belay.CodeWaiting,
			"clarify it in a new task, or plan it as read with --anyway",
			"%s is ambiguous, so no plan was made", t.ID)
	}
	dir := q.Dir
	if q.Plan == "" {
		dir = s.Session.Repo.Root
		if out.Plan, err = defaultPlanPath(s, t); err != nil {
			return out, err
		}
	}
	f, err := OpenPlanFile(s, dir, out.Plan)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	format, err := plan.FormatOf(out.Plan)
	if err != nil {
		return out, err
	}
	text := plan.FirstPlan(format, t)
	if _, err := plan.Read(out.Plan, text); err != nil {
		return out, fmt.Errorf("make the plan of %s: %w", t.ID, err)
	}
	if err := f.writeByTemp(ctx, s, nil, text); err != nil {
		return out, err
	}
	out.Written = true
	return out, nil
}

// featureFolders are the folders in which tools keep a folder for each feature, with its plan.
var featureFolders = []string{"specs", ".specify/specs", "kitty-specs", ".kiro/specs", "openspec/changes", ".workitems"}

// defaultPlanPath returns the default path of a task's plan: in the folder of its feature, else
// among belay's files for agents, which git ignores.
func defaultPlanPath(s *Service, t belay.Task) (string, error) {
	root, err := fsroot.OpenRoot(s.Session.Repo.Root)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	isFolder := func(p string) bool {
		info, err := root.Lstat(p)
		return err == nil && info.Kind == fsroot.Folder
	}
	for _, dir := range featureFolders {
		if at := path.Join(dir, t.Feature); t.Feature != "" && filepath.IsLocal(t.Feature) && isFolder(at) {
			return path.Join(at, "plan.md"), nil
		}
	}
	if _, err := root.Lstat(".belay/.gitignore"); err != nil {
		return "", belay.Refuse(belay.CodeUsage, "belay init, or name the PLAN",
			"no .belay folder that git ignores")
	}
	if !isFolder(".belay/now") {
		if err := root.Mkdir(".belay/now", uint16(fs.FileMode(0o755))); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	return ".belay/now/plan.md", nil
}
