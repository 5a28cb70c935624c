package app

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
	"github.com/belay-dev/belay/internal/runner"
)

// ParseRequest parses a text by grammar, as runner.ReadRequest does.
func (s *Service) ParseRequest(ctx context.Context, text string) (belay.Request, []intent.Evidence) {
	return runner.ReadRequest(ctx, s.Session, text)
}

// ParseRequestAssisted parses a text as runner.ReadRequestWithModel does.
func (s *Service) ParseRequestAssisted(ctx context.Context, text string) (belay.Request, *belay.Reading) {
	return runner.ReadRequestWithModel(ctx, s.Session, text)
}

// readRequest sets what a new task asks for, and what the caller knows about it.
func (s *Service) readRequest(ctx context.Context, t *belay.Task, q NewTask) {
	text := t.Prose
	if q.Instructions != "" && q.Instructions != t.Prose {
		t.Ask, text = q.Instructions, q.Instructions
	}
	if q.Grammar {
		t.Request, _ = s.ParseRequest(ctx, text)
	} else {
		t.Request, t.Reading = s.ParseRequestAssisted(ctx, text)
	}
	t.Clarify = q.Clarify && !q.AsItIs
	if q.Answer != "" {
		runner.AppendAnswer(ctx, s.Session, t, q.Answer)
	}
	if q.Fill != nil {
		q.Fill(t)
	}
}

// drive drives a task. After a person has answered the gate before its start, it starts the task.
func (s *Service) drive(ctx context.Context, dr *runner.Driver) error {
	for {
		if err := dr.Drive(ctx); err != nil || dr.Record.State.Phase != "" {
			return err
		}
		if err := runner.BeginTask(ctx, s.Session, dr.Record); err != nil {
			return err
		}
	}
}
