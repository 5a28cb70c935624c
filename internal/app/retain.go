package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// This file decides which snapshots are kept, and why: for a prune by hand, and for the automatic
// deletion after a task ends.

// Needed is the reason why a snapshot must not be pruned.
type Needed int

// The reasons. NeededByTask: its task needs its snapshots (runner.NeedsSnapshots). NeededByUndo:
// belay undo or redo can restore it. NeededWithoutRecord: a run took it for a task whose record is
// missing or unreadable, so a person has to drop it.
const (
	NotNeeded Needed = iota
	NeededByTask
	NeededByUndo
	NeededWithoutRecord
)

// Protected returns a function that reports why a snapshot is needed. Error: belay.CodeCannot if
// the restore history of a working tree cannot be read.
func (s *Service) Protected(ctx context.Context) (func(snapshot.Info) Needed, error) {
	undoable, err := s.readUndoHistories()
	if err != nil {
		return nil, err
	}
	return s.neededBy(ctx, undoable)
}

// neededBy is Protected with the restore histories already read.
func (svc *Service) neededBy(ctx context.Context, undoable *undoHistories) (func(snapshot.Info) Needed, error) {
	needed := map[string]Needed{}
	records, err := svc.Session.Records(nil)
	if err != nil {
		return nil, err
	}
	needs := runner.NeedsSnapshots(ctx, svc.Session)
	for _, r := range records {
		needed[r.Task.ID.Key()] = NotNeeded
		if needs(r) {
			needed[r.Task.ID.Key()] = NeededByTask
		}
	}
	return func(s snapshot.Info) Needed {
		why, recorded := needed[s.Task.Key()]
		switch {
		case why != NotNeeded:
			return why
		case undoable.mayNeed(s):
			return NeededByUndo
		case !recorded && session.TakenByRun(s):
			return NeededWithoutRecord
		}
		return NotNeeded
	}, nil
}

// undoHistories are the restore histories of all working trees. A damaged one may have named any
// rescue, so all rescues are kept. For a missing one, the rescues of its working tree are kept.
type undoHistories struct {
	read         []restore.History
	damaged      []string
	missingFiles map[string]string // path of the missing file, by git's name of the working tree
}

func (s *Service) readUndoHistories() (*undoHistories, error) {
	files := map[string]string{"": filepath.Join(s.Session.Repo.Common, "belay", "undo.json")}
	trees := filepath.Join(s.Session.Repo.Common, "worktrees")
	list, err := fsroot.ReadDir(trees)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list %s: %w", trees, err)
	}
	for _, e := range list {
		files[e.Name()] = filepath.Join(trees, e.Name(), "belay", "undo.json")
	}
	u := &undoHistories{missingFiles: map[string]string{}}
	for _, tree := range slices.Sorted(maps.Keys(files)) {
		f := files[tree]
		h, err := restore.ReadHistory(f)
		switch {
		case errors.Is(err, os.ErrNotExist):
			u.missingFiles[tree] = f
		case errors.Is(err, restore.ErrHistoryDamaged):
			u.damaged = append(u.damaged, f)
		case err != nil:
			return nil, &belay.Error{Code: belay.CodeCannot, Err: err, What: "nothing was deleted: the restore history cannot be read",
				Try: "belay doctor, or move " + belay.VisibleLine(f) + " away: its rescue snapshots stay in belay snapshot list"}
		}
		u.read = append(u.read, h)
	}
	return u, nil
}

// missingHistory returns the path of the missing history that would name a rescue, "" for none.
func (u *undoHistories) missingHistory(s snapshot.Info) string {
	if !restore.IsBeforeRestore(s) {
		return ""
	}
	return u.missingFiles[s.Worktree]
}

// mayNeed reports whether undo or redo may need a snapshot.
func (u *undoHistories) mayNeed(s snapshot.Info) bool {
	return u.missingHistory(s) != "" || len(u.damaged) > 0 && s.Kind == belay.KindRescue ||
		slices.ContainsFunc(u.read, func(h restore.History) bool { return h.HasSnapshot(s.ID) })
}

// Retained describes what is kept of the snapshots of an ended task.
type Retained struct {
	Task belay.TaskID `json:"task"`
	Text string       `json:"text"` // for a person
}

const (
	retainTime  = 2 * time.Second // a command must not wait longer for this
	retainEvery = time.Hour       // how often the archives of all tasks are checked
	retainMost  = 20              // ended tasks without a decision, each time
)

// Retain applies snapshot.on_completion to the tasks that ended in this process: it records which
// of their snapshots are archived, and reports what is kept. Once an hour it does the same for
// tasks that earlier processes left undecided, and deletes archived snapshots that are old enough.
//
// It runs last and may be killed at any point: a decision that was not recorded, or a deletion that
// was not done, is made up for later. An error is only worth a note.
func (s *Service) Retain(ctx context.Context) (said []Retained, err error) {
	ended := s.Session.Memory.ChangedTasks()
	if len(ended) == 0 {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, retainTime+Slack)
	defer cancel()
	said, err = s.retain(limited, ended)
	if limited.Err() != nil {
		err = nil // the next call continues
	}
	return said, err
}

func (s *Service) retain(ctx context.Context, ended []belay.TaskID) (said []Retained, err error) {
	defer s.Session.Repo.ShareReader()()
	var a *archiver
	for _, id := range ended {
		r, err := s.Session.Load(id)
		if err != nil {
			return said, err
		}
		if r.Open() {
			continue
		}
		if a == nil {
			if a, err = s.newArchiver(ctx); err != nil {
				return said, err
			}
		}
		text, err := a.decide(ctx, r)
		if err != nil {
			return said, err
		}
		said = append(said, Retained{Task: id, Text: text})
	}
	if a == nil {
		return nil, nil
	}
	return said, a.forgetArchived(ctx, ended)
}

// RetainSessions does Retain's hourly work, for people who only work in agents' own sessions and
// end no task.
func (s *Service) RetainSessions(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, retainTime+Slack)
	defer cancel()
	last, err := fsroot.ReadFile(filepath.Join(s.Session.Repo.Common, "belay", "retained"), 1<<10)
	at, perr := time.Parse(time.RFC3339, strings.TrimSpace(string(last)))
	if err == nil && perr == nil && time.Since(at).Abs() < retainEvery {
		return nil
	}
	a, err := s.newArchiver(limited)
	if err != nil {
		return err
	}
	return a.forgetArchived(limited, nil)
}

// archiver decides about the snapshots of ended tasks, from the snapshots and records read when it was created.
type archiver struct {
	svc      *Service
	all      []snapshot.Info
	undoable *undoHistories
	needs    func(*session.Record) bool
}

func (s *Service) newArchiver(ctx context.Context) (a *archiver, err error) {
	a = &archiver{svc: s, needs: runner.NeedsSnapshots(ctx, s.Session)}
	if a.undoable, err = s.readUndoHistories(); err != nil {
		return nil, err
	}
	a.all, err = s.Session.Snaps.List(ctx)
	return a, err
}

// decide decides which snapshots of an ended task are archived, and records it unless that was
// done.
func (a *archiver) decide(ctx context.Context, r *session.Record) (text string, err error) {
	if runner.IsUnmerged(r) {
		return untilMerged(r), nil
	}
	if a.needs(r) {
		return "its snapshots stay: belay undo reversed the merge", nil
	}
	if r.Archive != nil {
		return r.Archive.Text, nil
	}
	own := slices.DeleteFunc(slices.Clone(a.all), func(s snapshot.Info) bool {
		return s.Task.Key() != r.Task.ID.Key() ||
			!r.OwnsSnapshot(s)
	})
	if a.svc.Session.Config.Snapshot.OnCompletion == config.CompletionKeep {
		return fmt.Sprintf("all of its snapshots (%d) stay until belay snapshot prune", len(own)), nil
	}
	keep, err := a.svc.keptSnapshots(ctx, r)
	if err != nil {
		return "", err
	}
	n := session.Note{Kind: session.ArchivedNote}
	stay := 0
	for _, s := range own {
		switch {
		case keep[s.ID] || !madeByLoop(s):
			stay++
		case a.undoable.mayNeed(s): // until its restore is not in the history any more
			stay++
			n.Archived = append(n.Archived, s.ID)
		default:
			n.Archived = append(n.Archived, s.ID)
		}
	}
	n.Text = a.svc.retentionText(r, stay, len(own)-stay)
	if r.Task.Session != nil && len(own) == 0 {
		return n.Text, nil
	}
	return n.Text, a.svc.Session.AddNote(ctx, r, n)
}

// keptSnapshots returns the snapshots of a task that are never deleted automatically.
func (s *Service) keptSnapshots(ctx context.Context, r *session.Record) (map[belay.SnapshotID]bool, error) {
	if r.State.Before == "" || r.Task.Session != nil { // a session is not rolled back after it was archived
		return nil, nil
	}
	taken, err := s.Session.TaskSnapshots(ctx, r)
	if err != nil {
		return nil, err
	}
	keep, err := session.NeededSnapshots(ctx, s.Session.Snaps, r.State.Before, taken)
	if err == nil {
		keep[runner.ResultSnapshot(r)] = true
	}
	return keep, err
}

// madeByLoop reports whether a snapshot was taken by belay itself and is not a rescue. Rescues also
// contain a person's work.
func madeByLoop(s snapshot.Info) bool {
	return slices.Contains([]belay.Kind{belay.KindBefore, belay.KindAfter, belay.KindStall, belay.KindHandoff, belay.KindMerge}, s.Kind)
}

// retentionText describes what is kept and what is archived.
func (s *Service) retentionText(r *session.Record, stay, rest int) string {
	var named []string
	if r.State.Before != "" {
		named = append(named, r.State.Before.Short()+" (before)")
	}
	if last := runner.ResultSnapshot(r); last != "" {
		name := "last attempt"
		if r.State.Outcome == loop.OutcomePassed {
			name = "accepted"
		}
		named = append(named, fmt.Sprintf("%s (%s)", last.Short(), name))
	}
	text := "no snapshots are kept"
	if stay > 0 {
		text = fmt.Sprintf("%s kept for rollback and undo", belay.CountOf(stay, "snapshot"))
		if len(named) > 0 {
			text += ": " + strings.Join(named, ", ")
		}
		if more := stay - len(named); more > 0 && len(named) > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	switch keep := s.Session.Config.Snapshot.ArchiveFor; {
	case rest == 0:
		return text
	case s.Session.Config.Snapshot.OnCompletion == config.CompletionPrune || keep == 0:
		return text + fmt.Sprintf("; %d deleted", rest)
	default:
		return text + fmt.Sprintf("; %d archived until %s", rest, time.Now().Add(keep).Format("2006-01-02 15:04"))
	}
}

// forgetArchived deletes snapshots that were archived for long enough: of the named tasks, and once
// an hour of all.
func (a *archiver) forgetArchived(ctx context.Context, named []belay.TaskID) error {
	if a.svc.Session.Config.Snapshot.OnCompletion == config.CompletionKeep || a.svc.Session.Restores.Interrupted() {
		return nil
	}
	stamp := filepath.Join(a.svc.Session.Repo.Common, "belay", "retained")
	lock := fsroot.NewLock(stamp)
	if ok, err := lock.TryLock(); !ok {
		return err // another process is doing it
	}
	defer func() { _ = lock.Unlock() }()
	records, err := a.dueRecords(ctx, stamp, named)
	if err != nil {
		return err
	}
	_, err = a.forget(ctx, records)
	return err
}

// dueRecords returns the records whose archives are to be checked now.
func (a *archiver) dueRecords(ctx context.Context, stamp string, named []belay.TaskID) (records []*session.Record, err error) {
	last, err := fsroot.ReadFile(stamp, 1<<10)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", stamp, err)
	}
	if at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(last))); err == nil && time.Since(at).Abs() < retainEvery {
		for _, id := range named {
			r, err := a.svc.Session.Load(id)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
		return records, nil
	}
	if records, err = a.svc.Session.Records(nil); err != nil {
		return nil, err
	}
	if err := a.decideRemaining(ctx, records); err != nil {
		return nil, err
	}
	if err := snapshot.Fault("write", stamp); err != nil {
		return nil, err
	}
	return records, fsroot.WriteFile(stamp, []byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600)
}

// decideRemaining decides about ended tasks without a decision, because belay was killed or an
// older version ended them.
func (a *archiver) decideRemaining(ctx context.Context, records []*session.Record) error {
	n := 0
	for _, r := range records {
		if r.Open() || r.Archive != nil || a.needs(r) || n == retainMost {
			continue
		}
		n++
		if _, err := a.decide(ctx, r); err != nil && ctx.Err() != nil {
			return err
		} // other errors: the snapshots cannot be compared, so they are kept, and doctor reports them
	}
	return nil
}

// forget deletes the snapshots that these records archived long enough ago, if no open task, merge,
// undo or interrupted restore needs them.
func (a *archiver) forget(ctx context.Context, records []*session.Record) (snapshot.Pruned, error) {
	after := a.svc.Session.Config.Snapshot.ArchiveFor
	if a.svc.Session.Config.Snapshot.OnCompletion == config.CompletionPrune {
		after = 0
	}
	old := map[belay.SnapshotID]bool{}
	for _, r := range records {
		if r.Archive == nil || a.needs(r) || time.Since(r.Archive.Time) < after {
			continue
		}
		for _, id := range r.Archive.IDs {
			old[id] = true
		}
	}
	if !slices.ContainsFunc(a.all, func(s snapshot.Info) bool { return old[s.ID] && !a.undoable.mayNeed(s) }) {
		return snapshot.Pruned{}, nil
	}
	needed, err := a.svc.Protected(ctx) // read again, because of restores in the meantime
	if err != nil {
		return snapshot.Pruned{}, err
	}
	keep := func(s snapshot.Info) bool { return !old[s.ID] || needed(s) != NotNeeded }
	return a.svc.Session.Restores.Prune(ctx, snapshot.PruneOptions{Keep: keep})
}

// Pruned is the result of a prune by a person: what was deleted, and why the rest is kept.
type Pruned struct {
	snapshot.Pruned
	ForTasks   int                  `json:"kept_for_tasks"`
	ForUndo    int                  `json:"kept_for_undo"`
	Contexts   []string             `json:"contexts,omitempty"` // tasks of which left-over files for agents were removed
	Unrecorded map[belay.TaskID]int `json:"-"`                  // number of kept snapshots of tasks without a record
	Damaged    []string             `json:"damaged,omitempty"`  // damaged or missing restore histories, for which all rescues are kept
}

// PruneRequest asks to delete snapshots by age.
type PruneRequest struct {
	OlderThan     time.Duration
	WithoutRecord bool // also delete snapshots that a run took for a task without a record
	DryRun        bool
}

// Prune deletes the snapshots that are older and not needed (Protected), including those that an
// ended task keeps. CodeCannot if a restore history cannot be read.
func (svc *Service) Prune(ctx context.Context, q PruneRequest) (out Pruned, err error) {
	undoable, err := svc.readUndoHistories()
	if err != nil {
		return out, err
	}
	needed, err := svc.neededBy(ctx, undoable)
	if err != nil {
		return out, err
	}
	out.Damaged = slices.Clone(undoable.damaged)
	out.Unrecorded = map[belay.TaskID]int{}
	o := snapshot.PruneOptions{OlderThan: q.OlderThan, DryRun: q.DryRun, Keep: func(s snapshot.Info) bool {
		why := needed(s)
		switch {
		case why == NeededByTask:
			out.ForTasks++
		case why == NeededByUndo:
			out.ForUndo++
			if f := undoable.missingHistory(s); f != "" && !slices.Contains(out.Damaged, f) {
				out.Damaged = append(out.Damaged, f)
			}
		case why == NeededWithoutRecord && !q.WithoutRecord:
			out.Unrecorded[s.Task]++
		default:
			return false
		}
		return true
	}}
	if all, err := svc.Session.Records(nil); err == nil && !q.DryRun {
		if err := svc.Session.RemoveUnneededRefs(ctx, all); err != nil {
			return out, err
		}
		if out.Contexts, err = svc.Session.SweepContexts(); err != nil {
			return out, err
		}
	}
	out.Pruned, err = svc.Session.Restores.Prune(ctx, o)
	return out, err
}

// retentionOf describes which snapshots of a task are kept; "" for an open task, or one without a
// decision.
func retentionOf(r *session.Record) string {
	switch {
	case r.Open():
		return ""
	case runner.IsUnmerged(r):
		return untilMerged(r)
	case r.Archive != nil:
		return r.Archive.Text
	}
	return ""
}

func untilMerged(r *session.Record) string {
	return fmt.Sprintf("its snapshots stay until it is merged: belay merge %s", r.Task.ID)
}

// Archived returns the snapshots that are archived: not needed, and deleted when they are old
// enough.
func (s *Service) Archived(ctx context.Context) (map[belay.SnapshotID]bool, error) {
	records, err := s.Session.Records(nil)
	if err != nil {
		return nil, err
	}
	return s.archivedIn(ctx, records)
}

func (svc *Service) archivedIn(ctx context.Context, records []*session.Record) (map[belay.SnapshotID]bool, error) {
	ids := map[belay.SnapshotID]bool{}
	needs := runner.NeedsSnapshots(ctx, svc.Session)
	for _, r := range records {
		if r.Archive == nil || len(r.Archive.IDs) == 0 || needs(r) {
			continue
		}
		for _, id := range r.Archive.IDs {
			ids[id] = true
		}
	}
	if len(ids) == 0 {
		return ids, nil
	}
	undoable, err := svc.readUndoHistories()
	if err != nil {
		return nil, nil // then nothing is deleted, and a prune reports the error
	}
	all, err := svc.Session.Snaps.List(ctx)
	if err != nil {
		return nil, err
	}
	there := map[belay.SnapshotID]bool{}
	for _, s := range all {
		if ids[s.ID] && !undoable.mayNeed(s) {
			there[s.ID] = true
		}
	}
	return there, nil
}
