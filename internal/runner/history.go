package runner

import (
	"context"
	"strings"

	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"

	"github.com/belay-dev/belay/internal/secret"
)

// history is what a prompt says of earlier tasks: the last ten.
func (d *Driver) history() []string {
	lines := d.Session.History(d.Rec.Task.ID)
	return lines[max(0, len(lines)-10):]
}

// said records what the agent left in .belay/now/summary.md, in one line: the file is
// emptied when the next task starts.
func (d *Driver) said(ctx context.Context, attempt int) error {
	line := prompt.Said(secret.Mask(session.Summary(d.Session.Repo.Root)))
	if line == "" || line == d.Rec.Said() {
		return nil
	}
	return d.Session.AddNote(ctx, d.Rec, session.Note{Kind: session.SummaryNote, Text: line, Attempt: attempt})
}

// freshFiles gives the files for agents a clean start: what was said about the task before
// this one is not there any more, its line is.
func (d *Driver) freshFiles() {
	history := strings.Join(append(d.Session.History(d.Rec.Task.ID), ""), "\n")
	if err := d.Session.StartNow(prompt.TaskFile(d.Rec.Task), history); err != nil {
		d.Watch.Note(err.Error()) // they are a courtesy: the prompt has it all
	}
}

// lastFiles leaves them as a task leaves them that has ended.
func (d *Driver) lastFiles() {
	ended := d.Rec.State
	ended.Outcome = ended.Ending
	history := strings.Join(append(d.Session.History(d.Rec.Task.ID), prompt.HistoryLine(d.Rec.Task, ended, d.Rec.Said()), ""), "\n")
	for name, text := range map[string]string{"history.md": history, "feedback.md": "", "last.diff": "", "findings.md": ""} {
		if err := d.Session.WriteNow(name, text); err != nil {
			d.Watch.Note(err.Error())
		}
	}
}
