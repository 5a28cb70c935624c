package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"

	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/worktree"
)

// RollbackOptions returns what a rollback of this task may change.
func (s *Session) RollbackOptions(ctx context.Context, r *Record, hard bool, preserve []string) (restore.Options, error) {
	opts := restore.Options{Task: r.Task.ID, Journal: r.Log.Head.Hash, CommandText: fmt.Sprintf("belay rollback %s", r.Task.ID)}
	if _, apart, err := worktree.MarkOf(s.Repo); err != nil {
		return opts, err
	} else if apart {
		// Branches, tags and the stash are shared by all worktrees, and others work in theirs at
		// the same time: any of them may have moved a ref.
		opts.OnlyRef = func(name string) bool {
			return strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/rewritten/")
		}
	} else {
		opts.Edits = r.untickEdits() // in its own worktree there is no tick: the merge ticks in the user's
	}
	if hard {
		return opts, nil
	}
	opts.Preserve = slices.Concat(reviewArtefacts, r.Task.Preserve, preserve)
	list, err := s.taskSpans(ctx, r)
	if err != nil {
		return opts, err
	}
	return opts, s.limitToSpans(ctx, &opts, list)
}

// limitToSpans limits a restore to what the spans changed.
func (s *Session) limitToSpans(ctx context.Context, opts *restore.Options, list []Span) error {
	touched, err := ReadChangedNames(ctx, s.Snaps, list)
	if err != nil {
		return err
	}
	opts.Only = func(path string) bool { return touched.Paths[path] }
	if opts.OnlyRef == nil {
		opts.OnlyRef = func(name string) bool { return touched.Refs[name] }
	}
	opts.OnlyGit = func(name string) bool { return touched.Git[name] }
	opts.InnerChanges = innerChanges(touched)
	return nil
}

// StepBackOptions returns what a return to an earlier state of an agent's own session may change:
// what its tools changed since. Changes that an undo reverted, and that were not redone, do not
// count. It also returns the session's snapshots. passing are snapshots without a ref or an entry,
// which a dry run uses.
func (sess *Session) StepBackOptions(ctx context.Context, r *Record, to belay.SnapshotID, redone func(rescue belay.SnapshotID) bool,
	passing ...snapshot.Info) (restore.Options, []snapshot.Info, error) {
	opts := restore.Options{Task: r.Task.ID, Journal: r.Log.Head.Hash, CommandText: "the same command with", Preserve: reviewArtefacts}
	turn := *r
	turn.State.Before = to
	taken, err := sess.TaskSnapshots(ctx, &turn)
	if err != nil {
		return opts, nil, err
	}
	taken = append(taken, passing...)
	list := slices.DeleteFunc(SpansOf(to, taken), func(s Span) bool {
		return slices.ContainsFunc(r.Marks, func(m TimedMark) bool {
			return m.Kind == MarkUndo && s.From >= m.Target && s.To <= m.Rescue && !redone(m.Rescue)
		})
	})
	return opts, taken, sess.limitToSpans(ctx, &opts, list)
}

// innerChanges returns what a task changed in nested repositories.
func innerChanges(t ChangedNames) []restore.InnerChange {
	list := []restore.InnerChange{} // nil would mean all
	for path, in := range t.Inner {
		x := restore.InnerChange{Path: restore.RawPath(path), Refs: slices.Sorted(maps.Keys(in.Refs)),
			Git: slices.Sorted(maps.Keys(in.Git)), Inner: innerChanges(in)}
		for p := range in.Paths {
			x.Paths = append(x.Paths, restore.RawPath(p))
		}
		slices.Sort(x.Paths)
		if !t.RemovedInner[path] {
			list = append(list, x)
		}
	}
	for path := range t.RemovedInner {
		list = append(list, restore.InnerChange{Path: restore.RawPath(path), All: true})
	}
	slices.SortFunc(list, func(a, b restore.InnerChange) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return list
}

// taskSpans returns a task's spans, including the current attempt.
func (s *Session) taskSpans(ctx context.Context, r *Record) ([]Span, error) {
	taken, err := s.TaskSnapshots(ctx, r)
	if err != nil {
		return nil, err
	}
	list := SpansOf(r.State.Before, taken)
	if c := r.State.Pending; c != nil && (c.Kind == loop.CmdAttempt || c.Kind == loop.CmdCapture) {
		now, err := s.currentSpan(ctx, r, list, taken)
		if err != nil {
			return nil, err
		}
		list = append(list, now)
	}
	return list, nil
}

// currentSpan returns the span of an attempt without a capture: everything that changed since
// it started counts as its own.
func (sess *Session) currentSpan(ctx context.Context, r *Record, list []Span, taken []snapshot.Info) (Span, error) {
	from := r.State.Before
	if n := len(list); n > 0 {
		from = list[n-1].To
	}
	for _, s := range taken {
		if s.Kind == belay.KindBefore && s.ID > from {
			from = s.ID
		}
	}
	present, err := sess.Snaps.TakeWith(ctx, TemporaryMeta(r, "the running attempt, before a rollback"), sess.SnapshotExtent(r))
	return Span{From: from, To: present.ID, Agent: true}, err
}

// OverwrittenPaths returns the paths that a rollback restored although a person had changed them
// after the task's last attempt. Those changes are in the rescue snapshot.
func (s *Session) OverwrittenPaths(ctx context.Context, r *Record, taken []snapshot.Info, out restore.Restored) ([]string, error) {
	if out.Rescue == "" {
		return nil, nil
	}
	list := SpansOf(r.State.Before, taken)
	if len(list) == 0 {
		return nil, nil
	}
	since, err := s.Snaps.ChangedPaths(ctx, list[len(list)-1].To, out.Rescue)
	if err != nil {
		return nil, err
	}
	unticked := "" // there only the line that belay ticked is restored
	if l := r.Task.List(); len(r.untickEdits()) > 0 && slices.Contains(since, l) {
		own, err := s.Snaps.ChangedPaths(ctx, r.State.Before, list[len(list)-1].To)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(own, l) {
			unticked = l
		}
	}
	return slices.DeleteFunc(since, func(p string) bool {
		return p == unticked || !slices.Contains(out.Written, p) && !slices.Contains(out.Removed, p)
	}), nil
}

// AddNotRestored adds to out the files that a rollback could not restore: the task's attempts
// changed them and the snapshot does not contain them, such as large or binary files that git
// ignores. taken are the task's snapshots, as in OverwrittenPaths.
func (s *Session) AddNotRestored(ctx context.Context, taken []snapshot.Info, out *restore.Restored) error {
	if out.Rescue == "" {
		return nil
	}
	missed, err := MissedChanges(ctx, s.Snaps, taken, out.Target, out.Rescue)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, k := range out.Missing {
		named[k.Path] = true
	}
	for _, m := range missed {
		switch m.Kind {
		case snapshot.MissedAuthored, snapshot.MissedIgnored, snapshot.MissedFile, snapshot.MissedOther, snapshot.MissedOutput:
			if m.Certain && !named[m.Path] {
				out.Missing = append(out.Missing, restore.Kept{Path: m.Path, Reason: "not in the snapshot: " + m.Detail})
			}
		}
	}
	return nil
}

// SnapshotExtent returns what the snapshots of a task contain in addition to git's view: the
// checks must not depend on ignore rules that an agent writes.
func (sess *Session) SnapshotExtent(r *Record) snapshot.Extent {
	s := r.Task.Scope
	if own := r.Task.Session; own != nil { // a person waits, so ignore rules of the past and nested repositories are left out
		return snapshot.Extent{Agents: own.Ignored, Protect: s.Protect, Ignored: own.Ignored, MaxFile: sess.Config.Snapshot.MaxTaskFile}
	}
	return snapshot.Extent{Agents: true, Protect: s.Protect, Files: s.Files, Baseline: r.State.Before, InnerSnapshots: true,
		Ignored: true, MaxFile: sess.Config.Snapshot.MaxTaskFile}
}

// TemporaryMeta describes a snapshot that only this command uses; it is not listed.
func TemporaryMeta(r *Record, message string) snapshot.Meta {
	m := ManualMeta(r, message)
	m.Transient = true
	return m
}

// ManualMeta describes a snapshot taken by hand, for a task or none.
func ManualMeta(r *Record, message string) snapshot.Meta {
	m := snapshot.Meta{Kind: belay.KindManual, Message: message}
	if r != nil {
		m.Task, m.Attempt, m.Feature, m.Journal = r.Task.ID, len(r.State.Attempts), r.Task.Feature, r.Log.Head.Hash
	}
	return m
}

// reviewArtefacts are kept by every rollback that is not hard: the next attempt and people
// need them.
var reviewArtefacts = []string{".belay/reviews/**", belay.OwnGlob}

// KeptLines returns, for each path that a restore kept or could not restore, a line with the
// reason.
func KeptLines(out restore.Restored) []string {
	var lines []string
	for _, k := range slices.Concat(out.Kept, out.Missing) {
		lines = append(lines, k.Path+": "+k.Reason)
	}
	return lines
}
