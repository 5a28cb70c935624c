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

// RollbackOptions says what a rollback of this task may touch.
func (s *Session) RollbackOptions(ctx context.Context, r *Record, hard bool, preserve []string) (restore.Options, error) {
	opts := restore.Options{Task: r.Task.ID, Journal: r.Log.Head.Hash, CommandText: fmt.Sprintf("belay rollback %s", r.Task.ID)}
	if _, apart, err := worktree.MarkOf(s.Repo); err != nil {
		return opts, err
	} else if apart {
		// Branches, tags and the stash are one for all working trees, and others work in
		// theirs at the same time: what moved meanwhile may be anybody's.
		opts.OnlyRef = func(name string) bool {
			return strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/rewritten/")
		}
	} else {
		opts.Edits = r.untick() // in a tree of its own there is no tick: the merge makes it in the user's
	}
	if hard {
		return opts, nil
	}
	opts.Preserve = slices.Concat(reviewArtefacts, r.Task.Preserve, preserve)
	list, err := s.spans(ctx, r)
	if err != nil {
		return opts, err
	}
	return opts, s.limit(ctx, &opts, list)
}

// limit has a restore touch only what some spans changed.
func (s *Session) limit(ctx context.Context, opts *restore.Options, list []Span) error {
	touched, err := Touched(ctx, s.Snaps, list)
	if err != nil {
		return err
	}
	opts.Only = func(path string) bool { return touched.Paths[path] }
	if opts.OnlyRef == nil {
		opts.OnlyRef = func(name string) bool { return touched.Refs[name] }
	}
	opts.OnlyGit = func(name string) bool { return touched.Git[name] }
	opts.InnerChanges = innerOf(touched)
	return nil
}

// BackOptions says what going back to an earlier state of an agent's own session may touch: what its tools changed since.
// What an undo has taken back already, and nobody redid, is not counted. It gives the session's snapshots as well. passing
// are those that no ref and no record names: a dry run counts them without leaving any.
func (sess *Session) BackOptions(ctx context.Context, r *Record, to belay.SnapshotID, redone func(rescue belay.SnapshotID) bool,
	passing ...snapshot.Info) (restore.Options, []snapshot.Info, error) {
	opts := restore.Options{Task: r.Task.ID, Journal: r.Log.Head.Hash, CommandText: "the same command with", Preserve: reviewArtefacts}
	turn := *r
	turn.State.Before = to
	taken, err := sess.Taken(ctx, &turn)
	if err != nil {
		return opts, nil, err
	}
	taken = append(taken, passing...)
	list := slices.DeleteFunc(Of(to, taken), func(s Span) bool {
		return slices.ContainsFunc(r.Marks, func(m Marked) bool {
			return m.Kind == MarkUndo && s.From >= m.Target && s.To <= m.Rescue && !redone(m.Rescue)
		})
	})
	return opts, taken, sess.limit(ctx, &opts, list)
}

// innerOf says what of repositories inside of the tree a task touched.
func innerOf(t Touch) []restore.InnerChange {
	list := []restore.InnerChange{} // not nil, which is all
	for path, in := range t.Inner {
		x := restore.InnerChange{Path: restore.RawPath(path), Refs: slices.Sorted(maps.Keys(in.Refs)),
			Git: slices.Sorted(maps.Keys(in.Git)), Inner: innerOf(in)}
		for p := range in.Paths {
			x.Paths = append(x.Paths, restore.RawPath(p))
		}
		slices.Sort(x.Paths)
		if !t.Lost[path] {
			list = append(list, x)
		}
	}
	for path := range t.Lost {
		list = append(list, restore.InnerChange{Path: restore.RawPath(path), All: true})
	}
	slices.SortFunc(list, func(a, b restore.InnerChange) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return list
}

// spans gives a task's spans, with that of an attempt under way.
func (s *Session) spans(ctx context.Context, r *Record) ([]Span, error) {
	taken, err := s.Taken(ctx, r)
	if err != nil {
		return nil, err
	}
	list := Of(r.State.Before, taken)
	if c := r.State.Pending; c != nil && (c.Kind == loop.CmdAttempt || c.Kind == loop.CmdCapture) {
		now, err := s.underWay(ctx, r, list, taken)
		if err != nil {
			return nil, err
		}
		list = append(list, now)
	}
	return list, nil
}

// underWay is the span of the attempt that nobody has captured yet: what changed since
// it began is taken for its own.
func (sess *Session) underWay(ctx context.Context, r *Record, list []Span, taken []snapshot.Info) (Span, error) {
	from := r.State.Before
	if n := len(list); n > 0 {
		from = list[n-1].To
	}
	for _, s := range taken {
		if s.Kind == belay.KindBefore && s.ID > from {
			from = s.ID
		}
	}
	present, err := sess.Snaps.TakeWith(ctx, Passing(r, "the running attempt, before a rollback"), sess.Extent(r))
	return Span{From: from, To: present.ID, Agent: true}, err
}

// Overruled gives the paths that a rollback put back although somebody else had changed
// them after the task's last attempt. What he made of them is in the rescue.
func (s *Session) Overruled(ctx context.Context, r *Record, taken []snapshot.Info, out restore.Restored) ([]string, error) {
	if out.Rescue == "" {
		return nil, nil
	}
	list := Of(r.State.Before, taken)
	if len(list) == 0 {
		return nil, nil
	}
	since, err := s.Snaps.ChangedPaths(ctx, list[len(list)-1].To, out.Rescue)
	if err != nil {
		return nil, err
	}
	unticked := "" // only the line that belay ticked is put back there
	if l := r.Task.List(); len(r.untick()) > 0 && slices.Contains(since, l) {
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

// NotRestored adds to what a rollback could not bring back: files that the task's attempts
// changed and that the snapshot does not have, such as large or binary files that git ignores.
// taken are the task's snapshots, as in Overruled.
func (s *Session) NotRestored(ctx context.Context, taken []snapshot.Info, out *restore.Restored) error {
	if out.Rescue == "" {
		return nil
	}
	missed, err := Missed(ctx, s.Snaps, taken, out.Target, out.Rescue)
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

// Extent says what the snapshots of a task hold beside what git would show: what it is
// judged by must not depend on rules of ignoring that an agent writes.
func (sess *Session) Extent(r *Record) snapshot.Extent {
	s := r.Task.Scope
	if own := r.Task.Session; own != nil { // a person waits: no rules of the past, no repositories inside
		return snapshot.Extent{Agents: own.Ignored, Protect: s.Protect, Ignored: own.Ignored, MaxFile: sess.Config.Snapshot.MaxTaskFile}
	}
	return snapshot.Extent{Agents: true, Protect: s.Protect, Files: s.Files, Baseline: r.State.Before, InnerSnapshots: true,
		Ignored: true, MaxFile: sess.Config.Snapshot.MaxTaskFile}
}

// Passing describes a snapshot that only this command looks at: it is in no list.
func Passing(r *Record, message string) snapshot.Meta {
	m := ByHand(r, message)
	m.Transient = true
	return m
}

// ByHand describes a snapshot taken by hand, for a task or none.
func ByHand(r *Record, message string) snapshot.Meta {
	m := snapshot.Meta{Kind: belay.KindManual, Message: message}
	if r != nil {
		m.Task, m.Attempt, m.Feature, m.Journal = r.Task.ID, len(r.State.Attempts), r.Task.Feature, r.Log.Head.Hash
	}
	return m
}

// reviewArtefacts are kept by every rollback that is not hard: the next attempt and
// people need them.
var reviewArtefacts = []string{".belay/reviews/**", belay.OwnGlob}

// KeptLines says of each path that a restore kept, or could not bring back, why.
func KeptLines(out restore.Restored) []string {
	var lines []string
	for _, k := range slices.Concat(out.Kept, out.Missing) {
		lines = append(lines, k.Path+": "+k.Reason)
	}
	return lines
}
