package runner

import (
	"context"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"
)

// AskIfUnclear opens a gate for a task that has not started, if its text is ambiguous and its
// policy wants a person to decide. It changes no other task.
func AskIfUnclear(ctx context.Context, s *session.Session, r *session.Record) error {
	st := r.State
	begun := st.Phase != "" && st.Phase != loop.PhaseNew
	if !r.Task.Clarify || !r.Task.Request.Waits() || begun || len(st.Decisions) > 0 {
		return nil
	}
	why := "the task is ambiguous"
	if said := strings.Join(strings.Fields(prompt.DoubtsText(r.Task.Request.Doubts)), " "); said != "" {
		why += ": " + said
	}
	return s.Apply(ctx, r, loop.Event{Kind: loop.EvUnclear, Note: why})
}

// ApplyAnswer appends a person's answer at that gate to the task's text, which stays
// unchanged, and reads both again. It does so once, however often it is called.
func ApplyAnswer(ctx context.Context, s *session.Session, r *session.Record) error {
	answer := r.State.Answer
	if answer == "" || r.Task.Answer == answer {
		return nil
	}
	t := r.Task
	AppendAnswer(ctx, s, &t, answer)
	return s.Append(ctx, r, session.EntryTask, t)
}

// AppendAnswer appends a person's answer to a task's text, which stays unchanged, and reads
// both: the answer resolves the doubts.
func AppendAnswer(ctx context.Context, s *session.Session, t *belay.Task, answer string) {
	said := t.Prose
	if t.Ask != "" {
		said = t.Ask
	}
	t.Answer = answer
	t.Prose = t.Prose + "\n\n" + answer
	t.Request = intent.ApplyAnswer(grammarInput(ctx, s, said+"\n\n"+answer), said, answer)
	t.Reading = nil
}

// BeginTask starts a task that has not started, with a person's answer appended to its text,
// or asks for the answer first.
func BeginTask(ctx context.Context, s *session.Session, r *session.Record) error {
	if err := ApplyAnswer(ctx, s, r); err != nil {
		return err
	}
	if err := AskIfUnclear(ctx, s, r); err != nil || r.State.Gate != nil {
		return err
	}
	return s.Apply(ctx, r, loop.Event{Kind: loop.EvStarted})
}
