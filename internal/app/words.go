package app

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
	"github.com/belay-dev/belay/internal/runner"
)

// Understand reads a person's words by grammar, as reading.Understand does.
func (d *Desk) Understand(ctx context.Context, text string) (belay.Request, []intent.Evidence) {
	return runner.Understand(ctx, d.Session, text)
}

// Assisted reads them as reading.Assisted does, when the config's commands are trusted.
func (d *Desk) Assisted(ctx context.Context, text string) (belay.Request, *belay.Reading) {
	return runner.Assisted(ctx, d.Session, text)
}

// read fills in what a new task asks for, and what the caller knows of it.
func (d *Desk) read(ctx context.Context, t *belay.Task, q NewTask) {
	text := t.Prose
	if q.Ask != "" && q.Ask != t.Prose {
		t.Ask, text = q.Ask, q.Ask
	}
	if q.Grammar {
		t.Request, _ = d.Understand(ctx, text)
	} else {
		t.Request, t.Reading = d.Assisted(ctx, text)
	}
	t.Clarify = q.Clarify && !q.AsItIs
	if q.Answer != "" {
		runner.Answer(ctx, d.Session, t, q.Answer)
	}
	if q.Fill != nil {
		q.Fill(t)
	}
}

// drive drives a task, and begins it when a person has answered at the gate before it.
func (d *Desk) drive(ctx context.Context, dr *runner.Driver) error {
	for {
		if err := dr.Drive(ctx); err != nil || dr.Rec.State.Phase != "" {
			return err
		}
		if err := runner.Begin(ctx, d.Session, dr.Rec); err != nil {
			return err
		}
	}
}
