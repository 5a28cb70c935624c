package app

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// Readiness lists the differences between the tree and the result of a task's last attempt.
type Readiness struct {
	Task  belay.TaskID           `json:"task"`
	Ready bool                   `json:"ready"`
	Dirty []review.ChangeVerdict `json:"dirty"`
	Waits string                 `json:"waits,omitempty"` // after Submit: what the task waits for
}

// CheckReady compares the tree with the result of a task's last attempt. Uncaptured changes to the
// task's own sources prevent a review.
func CheckReady(ctx context.Context, s *Service, r *session.Record) (Readiness, error) {
	out := Readiness{Task: r.Task.ID, Dirty: []review.ChangeVerdict{}, Ready: true}
	at, err := runner.TaskSession(ctx, s.Session, r)
	if err != nil {
		return out, err
	}
	changes, err := changesSince(ctx, at, r)
	if err != nil {
		return out, err
	}
	own, others, err := owners(ctx, s, at, r)
	if err != nil {
		return out, err
	}
	if list := review.Classify(changes, own, others); list != nil {
		out.Dirty = list
	}
	out.Ready = len(review.BlockingOnly(out.Dirty)) == 0
	return out, nil
}

// changesSince returns the changes since the last snapshot of the task's work, or since its before
// snapshot if there is none. Files that its checks left are in that snapshot.
func changesSince(ctx context.Context, at *session.Session, r *session.Record) ([]review.PathChange, error) {
	taken, err := at.TaskSnapshots(ctx, r)
	if err != nil {
		return nil, err
	}
	last := r.State.Before
	for _, s := range session.SpansOf(r.State.Before, taken) {
		last = max(last, s.To)
	}
	held, err := at.Snaps.Get(ctx, last)
	if err != nil {
		return nil, err
	}
	extent, err := at.Snaps.ExtentOf(ctx, last)
	if err != nil {
		return nil, err
	}
	tree, err := at.Snaps.StoreFilesTree(ctx, extent)
	if err != nil || tree == held.Tree {
		return nil, err
	}
	now, err := at.Snaps.TakeWith(ctx, session.TemporaryMeta(r, "captured before a review"), extent)
	if err != nil {
		return nil, err
	}
	list, err := at.Repo.DiffTrees(ctx, held.Tree, now.Tree)
	return pairRenames(list), err
}

// pairRenames joins a deleted file and a new one with the same content into a rename.
func pairRenames(list []git.Difference) []review.PathChange {
	gone := map[string][]string{}
	for _, c := range list {
		if c.Status == 'D' {
			gone[c.OldOID] = append(gone[c.OldOID], c.Path)
		}
	}
	from, moved := map[string]string{}, map[string]bool{}
	for _, c := range list {
		if was := gone[c.NewOID]; c.Status == 'A' && len(was) > 0 {
			from[c.Path], moved[was[0]], gone[c.NewOID] = was[0], true, was[1:]
		}
	}
	var out []review.PathChange
	for _, c := range list {
		one := review.PathChange{Path: c.Path, From: from[c.Path], Status: string(c.Status)}
		if one.From != "" {
			one.Status = "R"
		}
		if !moved[c.Path] {
			out = append(out, one)
		}
	}
	return out
}

// owners returns the task and the other tasks in the same tree, with the paths that their attempts
// touched as far as known.
func owners(ctx context.Context, s *Service, at *session.Session, r *session.Record) (review.Owner, []review.Owner, error) {
	owner := func(r *session.Record) review.Owner {
		o := review.Owner{Task: r.Task.ID, Scope: r.Task.Scope}
		if r.State.Before != "" {
			o.Touched, _ = changedBy(ctx, at, r) // without snapshots only the scope is known
		}
		return o
	}
	all, err := s.Session.Records(nil)
	if err != nil {
		return review.Owner{}, nil, err
	}
	var others []review.Owner
	for _, o := range all {
		over := !o.Open() && runner.ResultSnapshot(o) < r.State.Before // ended before this task started
		if o.Task.ID != r.Task.ID && o.Task.Worktree == r.Task.Worktree && !o.RolledBack() && !over {
			others = append(others, owner(o))
		}
	}
	return owner(r), others, nil
}

// CheckCaptured fails (CodeDrift) while the task's own sources have unchecked changes, because they
// would be accepted with the work. A missing tree cannot have changed.
func CheckCaptured(ctx context.Context, s *Service, r *session.Record) error {
	state, err := CheckReady(ctx, s, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return nil
	}
	if err != nil || state.Ready {
		return err
	}
	return belay.Refuse(belay.CodeDrift, howToCapture(r), "%s cannot be accepted now: %s", r.Task.ID,
		listedChanges(review.BlockingOnly(state.Dirty)))
}

// Submit asks a person to review a task's checked work. CodeRefused: changes are not captured, or
// the work was not checked.
func Submit(ctx context.Context, svc *Service, task belay.TaskID) (Readiness, error) {
	r, err := svc.Session.Load(task)
	if err != nil {
		return Readiness{}, err
	}
	s := r.State
	if s.Before == "" {
		return Readiness{Task: task}, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay task start %s", task),
			"%s has not started", task)
	}
	state, err := CheckReady(ctx, svc, r)
	if err != nil {
		return state, err
	}
	if !state.Ready {
		return state, belay.Refuse(belay.CodeRefused, howToCapture(r), "%s cannot be reviewed yet: %s", task,
			listedChanges(review.BlockingOnly(state.Dirty)))
	}
	switch c := s.Pending; {
	case s.Gate != nil && !s.Gate.Overrides():
		state.Waits = s.Gate.Why
		return state, nil
	case s.Gate != nil:
		return state, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay gate show %s", task),
			"%s waits at another gate: %s", task, s.Gate.Why)
	case c != nil && c.Kind != loop.CmdClose:
		return state, belay.Refuse(belay.CodeRefused, howToCapture(r), "%s was not checked yet: it is in phase %s", task, s.Phase)
	}
	if s.Outcome != loop.OutcomeNone {
		if err := CheckReopen(ctx, svc, r); err != nil {
			return state, err
		}
	}
	if err := svc.Session.Apply(ctx, r, loop.Event{Kind: loop.EvSubmitted, By: os.Getenv("USER")}); err != nil {
		return state, err
	}
	state.Waits = r.State.Gate.Why
	return state, nil
}

// howToCapture returns the command that adds the current changes to the checked work.
func howToCapture(r *session.Record) string {
	id := r.Task.ID
	switch c := r.State.Pending; {
	case r.State.Gate != nil:
		return fmt.Sprintf("belay decide %s recheck", id)
	case c == nil || c.Kind == loop.CmdClose:
		return fmt.Sprintf("restore them (belay snapshot restore %s -- PATH), or move them to their own task",
			runner.ResultSnapshot(r).Short())
	case c.Kind == loop.CmdAttempt || c.Kind == loop.CmdCapture:
		return fmt.Sprintf("belay task capture %s, then belay check %s", id, id)
	case c.Kind == loop.CmdCheck:
		return fmt.Sprintf("belay check %s", id)
	}
	return fmt.Sprintf("belay run --resume %s", id)
}

// listedChanges lists at most ten changes on one line.
func listedChanges(list []review.ChangeVerdict) string {
	var names []string
	for _, v := range list[:min(len(list), 10)] {
		names = append(names, ChangeText(v.PathChange))
	}
	text := strings.Join(names, ", ")
	if more := len(list) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " changed since it was captured"
}

// ChangeText describes a change for people: its path, with the old path of a rename.
func ChangeText(c review.PathChange) string {
	if c.From != "" {
		return belay.VisibleLine(c.From) + " → " + belay.VisibleLine(c.Path)
	}
	return belay.VisibleLine(c.Path)
}
