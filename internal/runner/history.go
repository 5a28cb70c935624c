package runner

import (
	"context"
	"strings"

	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"

	"github.com/belay-dev/belay/internal/secret"
)

// historyLines returns the lines about earlier tasks for a prompt: the last ten.
func (d *Driver) historyLines() []string {
	lines := d.Session.History(d.Record.Task.ID)
	return lines[max(0, len(lines)-10):]
}

// recordSummary records in one line what the agent wrote to .belay/now/summary.md, because that
// file is emptied when the next task starts.
func (d *Driver) recordSummary(ctx context.Context, attempt int) error {
	line := prompt.SummaryLine(secret.Mask(session.ReadSummary(d.Session.Repo.Root)))
	if line == "" || line == d.Record.AgentSummary() {
		return nil
	}
	return d.Session.AddNote(ctx, d.Record, session.Note{Kind: session.SummaryNote, Text: line, Attempt: attempt})
}

// startNowFiles prepares the files for agents: it removes the feedback of the task before this
// one and adds that task's history line.
func (d *Driver) startNowFiles() {
	history := strings.Join(append(d.Session.History(d.Record.Task.ID), ""), "\n")
	if err := d.Session.StartNow(prompt.TaskFile(d.Record.Task), history); err != nil {
		d.Observer.Note(err.Error()) // not fatal: the prompt contains everything
	}
}

// finishNowFiles writes the files for agents after the task has ended.
func (d *Driver) finishNowFiles() {
	ended := d.Record.State
	ended.Outcome = ended.Ending
	history := strings.Join(append(d.Session.History(d.Record.Task.ID), prompt.HistoryLine(d.Record.Task, ended,
		d.Record.AgentSummary()), ""), "\n")
	for name, text := range map[string]string{"history.md": history, "feedback.md": "", "last.diff": "", "findings.md": ""} {
		if err := d.Session.WriteNow(name, text); err != nil {
			d.Observer.Note(err.Error())
		}
	}
}
