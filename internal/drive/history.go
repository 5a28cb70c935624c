package drive

import (
	"strings"

	"github.com/belay-dev/belay/internal/brief"
)

// history is what a prompt says of earlier tasks: the last ten.
func (d *Driver) history() []string {
	lines := d.History(d.Rec.Task.ID)
	return lines[max(0, len(lines)-10):]
}

// freshFiles gives the files for agents a clean start: what was said about the task before
// this one is not there any more, its line is.
func (d *Driver) freshFiles() {
	history := strings.Join(append(d.History(d.Rec.Task.ID), ""), "\n")
	if err := d.StartNow(brief.TaskFile(d.Rec.Task), history); err != nil {
		d.Watch.Note(err.Error()) // they are a courtesy: the prompt has it all
	}
}

// lastFiles leaves them as a task leaves them that has ended.
func (d *Driver) lastFiles() {
	ended := d.Rec.State
	ended.Outcome = ended.Ending
	history := strings.Join(append(d.History(d.Rec.Task.ID), brief.HistoryLine(d.Rec.Task, ended), ""), "\n")
	for name, text := range map[string]string{"history.md": history, "feedback.md": "", "last.diff": "", "findings.md": ""} {
		if err := d.WriteNow(name, text); err != nil {
			d.Watch.Note(err.Error())
		}
	}
}
