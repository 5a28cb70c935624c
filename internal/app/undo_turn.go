package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// BackRequest asks to go back to before a turn of an agent's own session, or before one call of a tool.
type BackRequest struct {
	Session string // "": the latest in this working tree
	Tool    bool   // a call of a tool, not a turn
	N       int    // its number; 0: the last one that changed something and is not taken back yet
	Options restore.Options
}

// Back reverses what the tools of a session changed since a turn or a call of a tool began: files, and git's own state.
// What somebody else changed in other files stays. Like every restore it takes a snapshot first, and belay redo and belay
// undo go on from it. The agent is told with the next prompt. CodeCannot when there is nothing to take back.
func (s *Service) Back(ctx context.Context, q BackRequest) (restore.Restored, string, error) {
	r, err := s.sessionOf(q.Session)
	if err != nil {
		return restore.Restored{}, "", err
	}
	var passing []snapshot.Info
	if q.Options.DryRun {
		r, passing, err = s.soFar(ctx, r)
	} else {
		r, err = s.interrupted(ctx, r)
	}
	if err != nil {
		return restore.Restored{}, "", err
	}
	t, err := s.timelineOf(ctx, r) // not read again: the record has no word of what a dry run saw
	if err != nil {
		return restore.Restored{}, "", err
	}
	to, err := t.find(q)
	if err != nil {
		return restore.Restored{}, "", err
	}
	redone, err := s.Session.Restores.UndoneRestores()
	if err != nil {
		return restore.Restored{}, to.what, err
	}
	opts, taken, err := s.Session.BackOptions(ctx, r, to.target, redone, passing...)
	if err != nil {
		return restore.Restored{}, to.what, err
	}
	opts.DryRun, opts.SkipBroken, opts.Reason = q.Options.DryRun, q.Options.SkipBroken, "undo "+to.what
	out, err := s.alone(ctx, q.Options.DryRun, "belay undo", func() (restore.Restored, error) {
		out, err := s.Session.Restores.Restore(ctx, to.target, opts)
		if err != nil || q.Options.DryRun {
			return out, err
		}
		turn := *r
		turn.State.Before = to.target
		if out.Overruled, err = s.Session.Overruled(ctx, &turn, taken, out); err != nil {
			return out, err
		}
		return out, s.recordBack(ctx, r.Task.ID, to, out)
	})
	return out, to.what, err
}

// interrupted takes a snapshot of what a call of a tool changed that never returned: a person interrupted the agent, and
// wants back what it had done by then. What was changed since the call began counts as its, but not what was changed after
// an undo had ended the turn: that was a person.
func (svc *Service) interrupted(ctx context.Context, r *session.Record) (*session.Record, error) {
	s, err := svc.Session.Sit(r.Task.ID)
	if err != nil || !underWay(s.Last) {
		return r, err
	}
	m, info, err := svc.cutShort(ctx, r, s.Last, false)
	if errors.Is(err, snapshot.ErrSame) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := svc.Session.AddMark(ctx, s, m, info.Pin()); err != nil {
		return r, err
	}
	return svc.Session.LoadAnyway(r.Task.ID)
}

// underWay reports whether a call of a tool began and neither its end nor an undo was recorded since.
func underWay(last session.Mark) bool { return len(last.Open) > 0 && last.Kind != session.MarkUndo }

// soFar is interrupted for who only looks. A plan that left out what the call changed would promise less than the undo
// does; one that recorded it would end a call that may still be under way. So the mark is in the returned record alone,
// and its snapshot passes: it has no ref, and is returned because no list of snapshots has it.
func (s *Service) soFar(ctx context.Context, r *session.Record) (*session.Record, []snapshot.Info, error) {
	n := len(r.Marks)
	if n == 0 || !underWay(r.Marks[n-1].Mark) {
		return r, nil, nil
	}
	m, info, err := s.cutShort(ctx, r, r.Marks[n-1].Mark, true)
	if errors.Is(err, snapshot.ErrSame) {
		return r, nil, nil
	}
	if err != nil {
		return r, nil, err
	}
	seen := *r
	seen.Marks = append(r.Marks[:n:n], session.Marked{Mark: m, Time: time.Now()}) // others may hold r: its marks stay
	return &seen, []snapshot.Info{info}, nil
}

// cutShort takes the snapshot of the newest call under way, and derives its mark from the last one. snapshot.ErrSame when
// nothing changed since that.
func (s *Service) cutShort(ctx context.Context, r *session.Record, last session.Mark, passing bool) (session.Mark, snapshot.Info, error) {
	m := last.Next(session.MarkAfter)
	m.Tool = m.Open[len(m.Open)-1].Tool
	info, err := s.Session.Snaps.TakeWith(ctx, snapshot.Meta{Kind: belay.KindAfter, Task: r.Task.ID, Attempt: m.Turn, SkipIfTree: m.Whole,
		Command: fmt.Sprintf("turn-%d-%s-%d", m.Turn, m.Kind, m.Tools), Message: fmt.Sprintf("tool call %d, interrupted", m.Tool),
		Transient: passing}, s.Session.Extent(r))
	if err == nil {
		m.Snapshot, m.Whole = info.ID, info.SnapshotTree
	}
	return m, info, err
}

// backPoint is where to go back to.
type backPoint struct {
	target         belay.SnapshotID
	what           string // turn 3, tool call 7
	turn, fromTool int
}

// find finds the turn or the call.
func (t Timeline) find(q BackRequest) (backPoint, error) {
	nothing := belay.Refuse(belay.CodeCannot, "belay timeline", "nothing is left to undo: no tool of %s changed anything", t.Session)
	for _, turn := range slices.Backward(t.Turns) {
		latest := q.N == 0 && !turn.Undone && turn.changed()
		if !q.Tool && turn.Begun != "" && (latest || q.N > 0 && q.N == turn.Turn) {
			return backPoint{target: turn.Begun, what: fmt.Sprintf("turn %d", turn.Turn), turn: turn.Turn}, nil
		}
		for _, s := range slices.Backward(turn.Steps) {
			latest := q.N == 0 && !s.Undone && s.changed()
			if q.Tool && s.Kind == "tool" && (latest || q.N == s.Tool) {
				return backPoint{target: s.Before, what: fmt.Sprintf("tool call %d", s.Tool), fromTool: s.Tool}, nil
			}
		}
	}
	if q.N == 0 {
		return backPoint{}, nothing
	}
	kind := "turn"
	if q.Tool {
		kind = "tool call"
	}
	return backPoint{}, belay.Refuse(belay.CodeNotFound, "belay timeline shows the numbers", "%s has no %s %d", t.Session, kind, q.N)
}

// changed reports whether a tool changed something in the turn, or what it changed is not known.
func (t TimelineTurn) changed() bool {
	return slices.ContainsFunc(t.Steps, func(s TimelineStep) bool {
		return s.Kind == "tool" && !s.Undone && s.changed()
	})
}

func (s TimelineStep) changed() bool { return len(s.Changes) > 0 || len(s.Git) > 0 || s.Problem != "" }

// recordBack says in the session's record what was taken back, and what the agent is to be told of it.
func (svc *Service) recordBack(ctx context.Context, id belay.TaskID, to backPoint, out restore.Restored) error {
	ctx = context.WithoutCancel(ctx)
	out = svc.begunBefore(to, out)
	var taken []snapshot.Pin
	if out.Rescue != "" {
		rescue, err := svc.Session.Snaps.Get(ctx, out.Rescue)
		if err != nil {
			return err
		}
		taken = append(taken, rescue.Pin())
	}
	s, err := svc.Session.Sit(id)
	if err != nil {
		return err
	}
	info, err := svc.Session.Snaps.TakeWith(ctx, snapshot.Meta{Kind: belay.KindBefore, Task: id,
		Command: "undo" + session.StartMark, Message: "after undo of " + to.what}, svc.Session.Extent(&session.Record{Task: s.Task}))
	if err != nil {
		return err
	}
	for {
		if s, err = svc.Session.Sit(id); err != nil {
			return err
		}
		m := s.Last.Next(session.MarkUndo)
		m.Text, m.Snapshot, m.Whole = to.what, info.ID, info.SnapshotTree
		m.From, m.FromTool, m.Target, m.Rescue = to.turn, to.fromTool, out.Target, out.Rescue
		if out.Rescue != "" {
			m.Undone = strings.TrimSpace(m.Undone + "\n" + toldOf(to, out))
		}
		err = svc.Session.AddMark(ctx, s, m, append(taken[:len(taken):len(taken)], info.Pin())...)
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
}

// begunBefore is what was done, where nothing differed because an undo was interrupted before it could be recorded, and
// the restore was ended since.
func (s *Service) begunBefore(to backPoint, out restore.Restored) restore.Restored {
	last, ok := s.Session.Restores.LastRestore()
	if out.Rescue != "" || !ok || last.Target != to.target || s.backed(last.Rescue) {
		return out
	}
	out.Rescue = last.Rescue
	for _, p := range last.Paths {
		out.Written = append(out.Written, string(p))
	}
	return out
}

// toldOf is what the agent is told: its work is not changed without a word.
func toldOf(to backPoint, out restore.Restored) string {
	files := slices.Concat(out.Written, out.Removed)
	slices.Sort(files)
	const most = 20
	var b strings.Builder
	fmt.Fprintf(&b, "The person reversed %s with belay undo: the changes since it began are reversed in %s",
		to.what, belay.CountOf(len(files), "file"))
	for i, f := range files {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(files)-most)
			break
		}
		b.WriteString(map[bool]string{true: ": ", false: ", "}[i == 0] + belay.VisibleLine(f))
	}
	fmt.Fprintf(&b, ". The earlier version is snapshot %s; do not restore it yourself. "+
		"Read these files again before you edit them.", out.Rescue)
	return b.String()
}
