package session

import (
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
)

// SummaryNote is the kind of note with an agent's summary of its work, in one line.
const SummaryNote = "summary"

// AgentSummary returns the last summary by the task's agents, in one line; "" for none.
func (r *Record) AgentSummary() string {
	for i := len(r.Notes) - 1; i >= 0; i-- {
		if r.Notes[i].Kind == SummaryNote {
			return r.Notes[i].Text
		}
	}
	return ""
}

// History returns one line for each task that ended, in order of creation, except the given task. A
// later task gets nothing else of an earlier one.
func (s *Session) History(but belay.TaskID) []string {
	ids, err := s.Journal.Tasks()
	if err != nil {
		return nil // not fatal: nothing depends on it
	}
	var lines []string
	for _, id := range ids {
		if id == but {
			continue
		}
		line := s.Memory.historyLine(id, s.Journal.Stamp(id), func() string {
			r, err := s.Load(id)
			if err != nil || r.Open() {
				return ""
			}
			return prompt.HistoryLine(r.Task, r.State, r.AgentSummary())
		})
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
