package review

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// PathChange is a path that changed since it was captured; From is the previous path of a rename.
type PathChange struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"`
	Status string `json:"status"` // A added, M modified, D deleted, T type changed, R renamed
}

// ChangeVerdict is a change, whether it blocks a review, and why.
type ChangeVerdict struct {
	PathChange
	Blocking bool   `json:"blocking"`
	Reason   string `json:"why"`
}

// Owner is a task with the paths that its attempts changed.
type Owner struct {
	Task    belay.TaskID
	Scope   belay.Scope
	Touched map[string]bool
}

// Classify returns a verdict on each change, blocking ones first. own is the task to be reviewed,
// others are tasks that work or worked in the same tree.
func Classify(changes []PathChange, own Owner, others []Owner) []ChangeVerdict {
	var out []ChangeVerdict
	for _, c := range changes {
		v := ChangeVerdict{PathChange: c}
		v.Blocking, v.Reason = classifyPath(c.Path, own, others)
		if c.From != "" && !v.Blocking {
			if blocks, why := classifyPath(c.From, own, others); blocks {
				v.Blocking, v.Reason = true, why
			}
		}
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b ChangeVerdict) int {
		if a.Blocking != b.Blocking {
			if a.Blocking {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out
}

// BlockingOnly returns the changes that block.
func BlockingOnly(list []ChangeVerdict) []ChangeVerdict {
	return slices.DeleteFunc(slices.Clone(list), func(v ChangeVerdict) bool { return !v.Blocking })
}

// classifyPath reports whether a path blocks, and why. A path that the task changed blocks, whoever
// else may change it. One that only another task changed does not, however wide this task's scope
// is. A file that a person named for the task blocks even if it looks like a journal.
func classifyPath(p string, own Owner, others []Owner) (bool, string) {
	if strings.HasPrefix(p, ".belay/") && !namesExactly(own.Scope.Files, p) {
		return false, "belay's own"
	}
	if own.Touched[p] {
		return true, "changed by the task"
	}
	if slices.Contains(own.Scope.Expect, p) || namesExactly(own.Scope.Files, p) {
		return true, "named for the task"
	}
	for _, o := range others {
		if o.Touched[p] || namesExactly(o.Scope.Files, p) {
			return false, "of " + string(o.Task)
		}
	}
	if why := recordKind(p); why != "" {
		return false, why
	}
	switch {
	case len(own.Scope.Files) == 0:
		return true, "the task may change anything"
	case belay.Match(own.Scope.Files, p):
		return true, "among the task's files"
	}
	return false, "not among the task's files"
}

// namesExactly reports whether a list contains the path itself, not a pattern for it.
func namesExactly(globs []string, p string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return strings.TrimPrefix(g, "./") == p })
}

// specFolders contain files that spec tools maintain: task lists, status, journals.
var specFolders = []string{".workitems/", ".kittify/", "kitty-specs/", ".spec-kitty/", ".specify/", "openspec/",
	".kiro/specs/", ".snapshots/"}

// appendedFiles are names of files that tools append to while others work.
var appendedFiles = map[string]bool{
	"status.events.jsonl": true, "status.json": true, "meta.json": true, ".meta.json": true, ".review-history.md": true,
	"review-lock.json": true, "baseline-tests.json": true, "progress.md": true,
}

// recordKind returns the kind of record that a path is, "" for a source.
func recordKind(p string) string {
	for _, dir := range specFolders {
		if strings.HasPrefix(p, dir) {
			return "kept by a spec tool"
		}
	}
	base := path.Base(p)
	if appendedFiles[base] || strings.HasSuffix(base, ".jsonl") || strings.HasSuffix(base, ".log") {
		return "a journal"
	}
	if strings.HasPrefix(p, "specs/") && (base == "tasks.md" || base == "plan.md" || base == "spec.md") {
		return "kept by a spec tool"
	}
	return ""
}
