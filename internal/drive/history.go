package drive

import (
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/brief"
	files "github.com/belay-dev/belay/internal/now"
)

// History gives one line for each task that ended, in the order of creation, without the
// one that asks. Nothing else of an earlier task reaches a later one.
func (d *Desk) History(but belay.TaskID) []string {
	all, err := d.Records(nil)
	if err != nil {
		return nil // courtesy to readers: nothing rests on it
	}
	var lines []string
	for _, r := range all {
		if !r.Open() && r.Task.ID != but {
			lines = append(lines, brief.HistoryLine(r.Task, r.State))
		}
	}
	return lines
}

// history is what a prompt says of earlier tasks: the last ten.
func (d *Driver) history() []string {
	lines := d.History(d.Rec.Task.ID)
	return lines[max(0, len(lines)-10):]
}

// freshFiles gives the files for agents a clean start: what was said about the task before
// this one is not there any more, its line is.
func (d *Driver) freshFiles() {
	history := strings.Join(append(d.History(d.Rec.Task.ID), ""), "\n")
	if err := files.Start(d.Repo.Root, brief.TaskFile(d.Rec.Task), history); err != nil {
		d.Watch.Note(err.Error()) // they are a courtesy: the prompt has it all
	}
}

// lastFiles leaves them as a task leaves them that has ended.
func (d *Driver) lastFiles() {
	ended := d.Rec.State
	ended.Outcome = ended.Ending
	history := strings.Join(append(d.History(d.Rec.Task.ID), brief.HistoryLine(d.Rec.Task, ended), ""), "\n")
	for name, text := range map[string]string{"history.md": history, "feedback.md": ""} {
		if err := d.WriteNow(name, text); err != nil {
			d.Watch.Note(err.Error())
		}
	}
}
