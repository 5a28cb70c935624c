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

// judgeTurn has what the tools of a turn changed checked, and lets the loop decide what follows. It gives no record where
// they changed nothing, or where nothing was decided.
func (h *hooks) judgeTurn(ctx context.Context, m session.Mark) (*session.Record, error) {
	unlock, err := h.d.Session.Hold(ctx, h.id, "belay hook")
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := h.d.Session.LoadAnyway(h.id)
	if err != nil {
		return nil, err
	}
	w, err := h.d.Session.Work(ctx, withBefore(r, m.Begun), m.Snapshot)
	if err != nil || len(w.All) == 0 && !h.steersGit(ctx, w.Spans) {
		return nil, err
	}
	st := r.State
	if m.Rejects >= r.Task.Policy.Retries && m.Rejects > 0 && st.Before == m.Begun && st.Pending == nil {
		return nil, nil // it was told often enough: a person decides
	}
	if st.Before != m.Begun || !st.Open() || st.Pending == nil || st.Pending.Kind != loop.CmdAttempt {
		r.State = loop.State{Seq: st.Seq} // another turn
		if err := h.apply(ctx, r, loop.Event{Kind: loop.EvStarted}, loop.CmdSnapshot); err != nil {
			return nil, err
		}
		if err := h.apply(ctx, r, loop.Event{Kind: loop.EvSnapshot, Snapshot: m.Begun}, loop.CmdAttempt); err != nil {
			return nil, err
		}
	}
	if err := h.apply(ctx, r, loop.Event{Kind: loop.EvAttempted, Ended: loop.EndedExit}, loop.CmdCapture); err != nil {
		return nil, err
	}
	if err := h.apply(ctx, r, loop.Event{Kind: loop.EvCaptured, Snapshot: m.Snapshot}, loop.CmdCheck); err != nil {
		return nil, err
	}
	h.asked(ctx, r)
	dr := &runner.Driver{Session: h.d.Session, Rec: r, Watch: silent{}, Soft: ctx}
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

// steersGit reports whether tools changed git's settings or hooks.
func (h *hooks) steersGit(ctx context.Context, spans []check.Span) bool {
	return slices.ContainsFunc(spans, func(s check.Span) bool {
		return slices.ContainsFunc(h.d.gitChanges(ctx, s.From, s.To), func(name string) bool {
			return name != "HEAD" && !strings.HasPrefix(name, "refs/")
		})
	})
}

// withBefore is the record as a turn that began with a snapshot sees it.
func withBefore(r *session.Record, begun belay.SnapshotID) *session.Record {
	turn := *r
	turn.State.Before = begun
	return &turn
}

// apply records an event that answers the pending command, and expects a command of a kind after it.
func (h *hooks) apply(ctx context.Context, r *session.Record, ev loop.Event, next loop.CommandKind) error {
	if p := r.State.Pending; p != nil {
		ev.Command = p.ID
	}
	if err := h.d.Session.Apply(ctx, r, ev); err != nil {
		return err
	}
	if p := r.State.Pending; next != "" && (p == nil || p.Kind != next) {
		return fmt.Errorf("%s: after %s comes %s", h.id, ev.Kind, r.Phase())
	}
	return nil
}

// asked tells the checks what a person said in this turn: a change that was asked for is no finding.
func (h *hooks) asked(ctx context.Context, r *session.Record) {
	var said []string
	for _, m := range r.Marks {
		if m.Kind == session.MarkPrompt && m.Prompt != "" {
			said = append(said, m.Prompt)
		}
	}
	if len(said) == 0 {
		return
	}
	r.Task.Prose = strings.Join(said[max(0, len(said)-3):], "\n\n") // "yes, do it" is about what was said before
	h.d.read(ctx, &r.Task, NewTask{Prose: r.Task.Prose, Grammar: true})
}

// rejectedFirst begins what the agent is told of rejected work, and tells such a prompt from a person's.
const rejectedFirst = "belay checked the work of this turn and rejected it"

// rejection tells the agent once, precisely, what is wrong.
func rejection(a loop.Attempt, used, of int) string {
	n := len(a.Reasons())
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s):\n\n", rejectedFirst, belay.CountOf(n, "finding"))
	b.WriteString(strings.TrimSpace(prompt.Findings(a.Reasons())))
	b.WriteString("\n\nFix this in the working tree and change nothing else for it: your other changes stay. ")
	b.WriteString("If a finding is wrong or cannot be fixed, say so and why, and stop. ")
	fmt.Fprintf(&b, "This is check %d of %d for this prompt.", used, of)
	return b.String()
}

// judgedLast is the attempt that was judged last, nil for none.
func judgedLast(st loop.State) *loop.Attempt {
	for i := len(st.Attempts) - 1; i >= 0; i-- {
		if st.Attempts[i].Verdict != "" {
			return &st.Attempts[i]
		}
	}
	return nil
}

// titles are what rejected an attempt, a line each.
func titles(a loop.Attempt) (all []string) {
	for _, f := range a.Reasons() {
		all = append(all, f.Title)
	}
	return slices.Compact(all)
}

// silent is a watcher for work that nobody watches.
type silent struct{}

func (silent) Begins(*session.Record, loop.Command) {}
func (silent) Happened(*session.Record, loop.Event) {}
func (silent) Checking(check.Progress)              {}
func (silent) Output() io.Writer                    { return nil }
func (silent) Used(belay.TaskID, belay.Use)         {}
func (silent) Note(string)                          {}
func (silent) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}
