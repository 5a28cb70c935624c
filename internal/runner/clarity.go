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

// AskFirst opens a gate for a task that has not begun, whose words can be read in more than
// one way, and of which a person is to say which; any other it leaves as it is.
func AskFirst(ctx context.Context, s *session.Session, r *session.Record) error {
	st := r.State
	begun := st.Phase != "" && st.Phase != loop.PhaseNew
	if !r.Task.Clarify || !r.Task.Request.Waits() || begun || len(st.Decisions) > 0 {
		return nil
	}
	why := "the task is ambiguous"
	if said := strings.Join(strings.Fields(prompt.Doubts(r.Task.Request.Doubts)), " "); said != "" {
		why += ": " + said
	}
	return s.Apply(ctx, r, loop.Event{Kind: loop.EvUnclear, Note: why})
}

// Settle puts what a person answered there behind the task's words, which stay as they are,
// and reads both again. It does so once, whoever calls it and however often.
func Settle(ctx context.Context, s *session.Session, r *session.Record) error {
	answer := r.State.Answer
	if answer == "" || r.Task.Answer == answer {
		return nil
	}
	t := r.Task
	Answer(ctx, s, &t, answer)
	return s.Append(ctx, r, session.EntryTask, t)
}

// Answer puts a person's answer behind a task's words, which stay as they are, and reads both:
// what was in doubt is settled by it.
func Answer(ctx context.Context, s *session.Session, t *belay.Task, answer string) {
	said := t.Prose
	if t.Ask != "" {
		said = t.Ask
	}
	t.Answer = answer
	t.Prose = t.Prose + "\n\n" + answer
	t.Request = intent.ApplyAnswer(input(ctx, s, said+"\n\n"+answer), said, answer)
	t.Reading = nil
}

// Begin starts a task that has not begun, with the answer that a person gave behind its
// words; or asks for it first.
func Begin(ctx context.Context, s *session.Session, r *session.Record) error {
	if err := Settle(ctx, s, r); err != nil {
		return err
	}
	if err := AskFirst(ctx, s, r); err != nil || r.State.Gate != nil {
		return err
	}
	return s.Apply(ctx, r, loop.Event{Kind: loop.EvStarted})
}
