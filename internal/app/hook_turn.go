package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// judgeTurn checks the changes of a turn's tools and lets the loop decide. The record is nil when
// they changed nothing or nothing was decided.
func (h *hookCall) judgeTurn(ctx context.Context, m session.Mark) (*session.Record, error) {
	unlock, err := h.svc.Session.LockTree(ctx, h.id, "belay hook")
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := h.svc.Session.LoadUnchecked(h.id)
	if err != nil {
		return nil, err
	}
	w, err := h.svc.Session.Work(ctx, withBefore(r, m.TurnStart), m.Snapshot)
	if err != nil || len(w.All) == 0 && !h.changedGitConfig(ctx, w.Spans) {
		return nil, err
	}
	st := r.State
	if m.Rejects >= r.Task.Policy.Retries && m.Rejects > 0 && st.Before == m.TurnStart && st.Pending == nil {
		return nil, nil // no corrections left: a person has to decide
	}
	if st.Before != m.TurnStart || !st.Open() || st.Pending == nil || st.Pending.Kind != loop.CmdAttempt {
		r.State = loop.State{Seq: st.Seq} // a new turn
		if err := h.apply(ctx, r, loop.Event{Kind: loop.EvStarted}, loop.CmdSnapshot); err != nil {
			return nil, err
		}
		if err := h.apply(ctx, r, loop.Event{Kind: loop.EvSnapshot, Snapshot: m.TurnStart}, loop.CmdAttempt); err != nil {
			return nil, err
		}
	}
	if err := h.apply(ctx, r, loop.Event{Kind: loop.EvAttempted, Ended: loop.EndedExit}, loop.CmdCapture); err != nil {
		return nil, err
	}
	if err := h.apply(ctx, r, loop.Event{Kind: loop.EvCaptured, Snapshot: m.Snapshot}, loop.CmdCheck); err != nil {
		return nil, err
	}
	h.readPrompts(ctx, r)
	dr := &runner.Driver{Session: h.svc.Session, Record: r, Observer: silentWatcher{}, Soft: ctx}
	ev, err := dr.Check(ctx, *r.State.Pending)
	if err != nil {
		return nil, err
	}
	if err := h.apply(ctx, r, ev, ""); err != nil {
		return nil, err
	}
	if p := r.State.Pending; p != nil && p.Kind == loop.CmdClose {
		return r, h.apply(ctx, r, loop.Event{Kind: loop.EvClosed}, "")
	}
	return r, nil
}

// changedGitConfig reports whether tools changed git's settings or hooks.
func (h *hookCall) changedGitConfig(ctx context.Context, spans []check.Span) bool {
	return slices.ContainsFunc(spans, func(s check.Span) bool {
		return slices.ContainsFunc(h.svc.gitChanges(ctx, s.From, s.To), func(name string) bool {
			return name != "HEAD" && !strings.HasPrefix(name, "refs/")
		})
	})
}

// withBefore returns a copy of the record with begun as its before snapshot.
func withBefore(r *session.Record, begun belay.SnapshotID) *session.Record {
	turn := *r
	turn.State.Before = begun
	return &turn
}

// apply records an event for the pending command. It fails unless the next command is of the kind
// next ("": any).
func (h *hookCall) apply(ctx context.Context, r *session.Record, ev loop.Event, next loop.CommandKind) error {
	if p := r.State.Pending; p != nil {
		ev.Command = p.ID
	}
	if err := h.svc.Session.Apply(ctx, r, ev); err != nil {
		return err
	}
	if p := r.State.Pending; next != "" && (p == nil || p.Kind != next) {
		return fmt.Errorf("%s: after %s comes %s", h.id, ev.Kind, r.Phase())
	}
	return nil
}

// readPrompts adds the person's last prompts to the task, so that a requested change is not a
// finding.
func (h *hookCall) readPrompts(ctx context.Context, r *session.Record) {
	var said []string
	for _, m := range r.Marks {
		if m.Kind == session.MarkPrompt && m.Prompt != "" {
			said = append(said, m.Prompt)
		}
	}
	if len(said) == 0 {
		return
	}
	r.Task.Prose = strings.Join(said[max(0, len(said)-3):], "\n\n") // "yes, do it" refers to earlier prompts
	h.svc.readRequest(ctx, &r.Task, NewTask{Text: r.Task.Prose, Grammar: true})
}

// rejectionPrefix begins the message to the agent about rejected work, and distinguishes such a
// prompt from a person's.
const rejectionPrefix = "belay checked the work of this turn and rejected it"

// rejection returns the message to the agent about rejected work.
func rejection(a loop.Attempt, used, of int) string {
	n := len(a.Reasons())
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s):\n\n", rejectionPrefix, belay.CountOf(n, "finding"))
	b.WriteString(strings.TrimSpace(prompt.Findings(a.Reasons())))
	b.WriteString("\n\nFix this in the working tree and change nothing else for it: your other changes stay. ")
	b.WriteString("If a finding is wrong or cannot be fixed, say so and why, and stop. ")
	fmt.Fprintf(&b, "This is check %d of %d for this prompt.", used, of)
	return b.String()
}

// lastJudged returns the last attempt with a verdict, nil for none.
func lastJudged(st loop.State) *loop.Attempt {
	for i := len(st.Attempts) - 1; i >= 0; i-- {
		if st.Attempts[i].Verdict != "" {
			return &st.Attempts[i]
		}
	}
	return nil
}

// reasonTitles returns the titles of the findings that rejected an attempt.
func reasonTitles(a loop.Attempt) (all []string) {
	for _, f := range a.Reasons() {
		all = append(all, f.Title)
	}
	return slices.Compact(all)
}

// silentWatcher is a runner.Observer that ignores everything.
type silentWatcher struct{}

func (silentWatcher) Begins(*session.Record, loop.Command) {}
func (silentWatcher) Happened(*session.Record, loop.Event) {}
func (silentWatcher) Checking(check.Progress)              {}
func (silentWatcher) Output() io.Writer                    { return nil }
func (silentWatcher) Used(belay.TaskID, belay.Use)         {}
func (silentWatcher) Note(string)                          {}
func (silentWatcher) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}
