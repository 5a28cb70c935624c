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

// UndoTurnRequest asks to undo a turn of an agent's own session, or a tool call, with everything
// after it.
type UndoTurnRequest struct {
	Session  string // "": the latest one in this working tree
	ToolCall bool   // undo a tool call, not a turn
	Number   int    // its number; 0: the last one that changed something and was not undone
	Options  restore.Options
}

// UndoTurn reverts the changes of a session's tools since a turn or a tool call started: files, and
// git's own state. Changes of others in other files stay. Like every restore it takes a snapshot
// first, so that belay redo and belay undo continue from it. The agent gets a message with the next
// prompt. CodeCannot if there is nothing to undo.
func (s *Service) UndoTurn(ctx context.Context, q UndoTurnRequest) (restore.Restored, string, error) {
	r, err := s.sessionOf(q.Session)
	if err != nil {
		return restore.Restored{}, "", err
	}
	var passing []snapshot.Info
	if q.Options.DryRun {
		r, passing, err = s.withInterrupted(ctx, r)
	} else {
		r, err = s.recordInterrupted(ctx, r)
	}
	if err != nil {
		return restore.Restored{}, "", err
	}
	t, err := s.timelineOf(ctx, r) // r is not loaded again: a dry run's mark is not in the record
	if err != nil {
		return restore.Restored{}, "", err
	}
	to, err := t.findPoint(q)
	if err != nil {
		return restore.Restored{}, "", err
	}
	redone, err := s.Session.Restores.UndoneRestores()
	if err != nil {
		return restore.Restored{}, to.name, err
	}
	opts, taken, err := s.Session.StepBackOptions(ctx, r, to.target, redone, passing...)
	if err != nil {
		return restore.Restored{}, to.name, err
	}
	opts.DryRun, opts.SkipBroken, opts.Reason = q.Options.DryRun, q.Options.SkipBroken, "undo "+to.name
	out, err := s.withoutRun(ctx, q.Options.DryRun, "belay undo", func() (restore.Restored, error) {
		out, err := s.Session.Restores.Restore(ctx, to.target, opts)
		if err != nil || q.Options.DryRun {
			return out, err
		}
		turn := *r
		turn.State.Before = to.target
		if out.Overruled, err = s.Session.OverwrittenPaths(ctx, &turn, taken, out); err != nil {
			return out, err
		}
		return out, s.recordUndo(ctx, r.Task.ID, to, out)
	})
	return out, to.name, err
}

// recordInterrupted takes a snapshot of the changes of a tool call that never returned, because a
// person interrupted the agent and wants to undo its changes. Changes since the call started are
// attributed to it, except after an undo, which ended the turn: those are a person's.
func (svc *Service) recordInterrupted(ctx context.Context, r *session.Record) (*session.Record, error) {
	s, err := svc.Session.LoadHookSession(r.Task.ID)
	if err != nil || !hasOpenCall(s.Last) {
		return r, err
	}
	m, info, err := svc.snapshotOpenCall(ctx, r, s.Last, false)
	if errors.Is(err, snapshot.ErrSame) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := svc.Session.AddMark(ctx, s, m, info.Pin()); err != nil {
		return r, err
	}
	return svc.Session.LoadUnchecked(r.Task.ID)
}

// hasOpenCall reports whether a tool call started and neither its end nor an undo was recorded.
func hasOpenCall(last session.Mark) bool { return len(last.Open) > 0 && last.Kind != session.MarkUndo }

// withInterrupted is recordInterrupted for a dry run. Without the open call's changes the plan
// would list less than the undo reverts, and recording them would end a call that may still be
// running. So the mark is only in the returned record, and its snapshot is temporary: it has no ref
// and is in no list of snapshots, so it is returned.
func (s *Service) withInterrupted(ctx context.Context, r *session.Record) (*session.Record, []snapshot.Info, error) {
	n := len(r.Marks)
	if n == 0 || !hasOpenCall(r.Marks[n-1].Mark) {
		return r, nil, nil
	}
	m, info, err := s.snapshotOpenCall(ctx, r, r.Marks[n-1].Mark, true)
	if errors.Is(err, snapshot.ErrSame) {
		return r, nil, nil
	}
	if err != nil {
		return r, nil, err
	}
	seen := *r
	seen.Marks = append(r.Marks[:n:n], session.TimedMark{Mark: m, Time: time.Now()}) // copied, because r may be shared
	return &seen, []snapshot.Info{info}, nil
}

// snapshotOpenCall takes the snapshot of the newest open call, and derives its mark from the last
// one. snapshot.ErrSame if nothing changed since the last mark.
func (s *Service) snapshotOpenCall(ctx context.Context, r *session.Record, last session.Mark,
	passing bool) (session.Mark, snapshot.Info, error) {
	m := last.Next(session.MarkAfter)
	m.Tool = m.Open[len(m.Open)-1].Tool
	info, err := s.Session.Snaps.TakeWith(ctx, snapshot.Meta{Kind: belay.KindAfter, Task: r.Task.ID, Attempt: m.Turn,
		SkipIfTree: m.SnapshotDigest,
		Command:    fmt.Sprintf("turn-%d-%s-%d", m.Turn, m.Kind, m.Tools), Message: fmt.Sprintf("tool call %d, interrupted", m.Tool),
		Transient: passing}, s.Session.SnapshotExtent(r))
	if err == nil {
		m.Snapshot, m.SnapshotDigest = info.ID, info.SnapshotTree
	}
	return m, info, err
}

// undoPoint is the turn or the call to undo.
type undoPoint struct {
	target         belay.SnapshotID
	name           string // for people: turn 3, tool call 7
	turn, fromTool int
}

// findPoint finds the turn or the call to undo.
func (t Timeline) findPoint(q UndoTurnRequest) (undoPoint, error) {
	nothing := belay.Refuse(belay.CodeCannot, "belay timeline", "nothing is left to undo: no tool of %s changed anything", t.Session)
	for _, turn := range slices.Backward(t.Turns) {
		latest := q.Number == 0 && !turn.Undone && turn.hasChanges()
		if !q.ToolCall && turn.Before != "" && (latest || q.Number > 0 && q.Number == turn.Turn) {
			return undoPoint{target: turn.Before, name: fmt.Sprintf("turn %d", turn.Turn), turn: turn.Turn}, nil
		}
		for _, s := range slices.Backward(turn.Steps) {
			latest := q.Number == 0 && !s.Undone && s.hasChanges()
			if q.ToolCall && s.Kind == "tool" && (latest || q.Number == s.Tool) {
				return undoPoint{target: s.Before, name: fmt.Sprintf("tool call %d", s.Tool), fromTool: s.Tool}, nil
			}
		}
	}
	if q.Number == 0 {
		return undoPoint{}, nothing
	}
	kind := "turn"
	if q.ToolCall {
		kind = "tool call"
	}
	return undoPoint{}, belay.Refuse(belay.CodeNotFound, "belay timeline shows the numbers", "%s has no %s %d", t.Session, kind, q.Number)
}

// hasChanges reports whether a tool changed something in the turn, or its changes are unknown.
func (t TimelineTurn) hasChanges() bool {
	return slices.ContainsFunc(t.Steps, func(s TimelineStep) bool {
		return s.Kind == "tool" && !s.Undone && s.hasChanges()
	})
}

func (s TimelineStep) hasChanges() bool {
	return len(s.Changes) > 0 || len(s.Git) > 0 || s.Problem != ""
}

// recordUndo records an undo in the session, with the message to the agent.
func (svc *Service) recordUndo(ctx context.Context, id belay.TaskID, to undoPoint, out restore.Restored) error {
	ctx = context.WithoutCancel(ctx)
	out = svc.completeInterrupted(to, out)
	var taken []snapshot.Pin
	if out.Rescue != "" {
		rescue, err := svc.Session.Snaps.Get(ctx, out.Rescue)
		if err != nil {
			return err
		}
		taken = append(taken, rescue.Pin())
	}
	s, err := svc.Session.LoadHookSession(id)
	if err != nil {
		return err
	}
	info, err := svc.Session.Snaps.TakeWith(ctx, snapshot.Meta{Kind: belay.KindBefore, Task: id,
		Command: "undo" + session.StartMark, Message: "after undo of " + to.name},
		svc.Session.SnapshotExtent(&session.Record{Task: s.Task}))
	if err != nil {
		return err
	}
	for {
		if s, err = svc.Session.LoadHookSession(id); err != nil {
			return err
		}
		m := s.Last.Next(session.MarkUndo)
		m.Text, m.Snapshot, m.SnapshotDigest = to.name, info.ID, info.SnapshotTree
		m.From, m.FromTool, m.Target, m.Rescue = to.turn, to.fromTool, out.Target, out.Rescue
		if out.Rescue != "" {
			m.Undone = strings.TrimSpace(m.Undone + "\n" + agentMessage(to, out))
		}
		err = svc.Session.AddMark(ctx, s, m, append(taken[:len(taken):len(taken)], info.Pin())...)
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
}

// completeInterrupted adds the changes of an interrupted undo: that restore was completed later but
// not recorded, so that nothing differs now.
func (s *Service) completeInterrupted(to undoPoint, out restore.Restored) restore.Restored {
	last, ok := s.Session.Restores.LastRestore()
	if out.Rescue != "" || !ok || last.Target != to.target || s.isRescueOfTurn(last.Rescue) {
		return out
	}
	out.Rescue = last.Rescue
	for _, p := range last.Paths {
		out.Written = append(out.Written, string(p))
	}
	return out
}

// agentMessage returns the message to the agent, which must know that its work was changed.
func agentMessage(to undoPoint, out restore.Restored) string {
	files := slices.Concat(out.Written, out.Removed)
	slices.Sort(files)
	const most = 20
	var b strings.Builder
	fmt.Fprintf(&b, "The person reversed %s with belay undo: the changes since it began are reversed in %s",
		to.name, belay.CountOf(len(files), "file"))
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
