package session

import (
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
)

// SummaryNote is the kind of note with what an agent said of its work, in one line.
const SummaryNote = "summary"

// Said gives what the task's agents said of their work last, in one line; "" for nothing.
func (r *Record) Said() string {
	for i := len(r.Notes) - 1; i >= 0; i-- {
		if r.Notes[i].Kind == SummaryNote {
			return r.Notes[i].Text
		}
	}
	return ""
}

// History gives one line for each task that ended, in the order of creation, without the
// one that asks. Nothing else of an earlier task reaches a later one.
func (s *Session) History(but belay.TaskID) []string {
	ids, err := s.Journal.Tasks()
	if err != nil {
		return nil // courtesy to readers: nothing rests on it
	}
	var lines []string
	for _, id := range ids {
		if id == but {
			continue
		}
		line := s.Memory.line(id, s.Journal.Stamp(id), func() string {
			r, err := s.Load(id)
			if err != nil || r.Open() {
				return ""
			}
			return prompt.HistoryLine(r.Task, r.State, r.Said())
		})
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
