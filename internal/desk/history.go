package desk

import (
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/brief"
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
