package task

import (
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// Stage is the progress of a feature's task.
type Stage string

// The stages. A task that waits for a person is at a gate of the feature; the others continue.
const (
	StageWaiting  Stage = "waiting"
	StageRunning  Stage = "running"
	StageAccepted Stage = "accepted" // it waits to be merged
	StageMerging  Stage = "merging"
	StageGate     Stage = "gate"
	StageMerged   Stage = "merged"
	StageDropped  Stage = "dropped"
)

// Part is the state of a feature's task.
type Part struct {
	Stage  Stage        `json:"stage"`
	Task   belay.TaskID `json:"task,omitempty"` // of the last try
	Tries  int          `json:"tries"`          // how often the task was started, each time under a new ID
	Base   string       `json:"base,omitempty"` // the commit that the last try started from
	Commit string       `json:"commit,omitempty"`
	Why    string       `json:"why,omitempty"` // why it is at a gate, or dropped
	Cost   float64      `json:"cost,omitempty"`
}

// NextMove is what a feature does next.
type NextMove struct {
	Drop  []int // cannot start: they depend on a dropped task
	Begin []int // start from what is merged now
	Merge int   // merged next; -1 for none
	Ended bool  // nothing runs, and nothing can start
}

// DecideNext decides what a feature does next: it starts tasks in the order of their list, at most
// limit at once, and merges accepted work one at a time. parts has a part for each task, in the
// same order. A paused feature starts and merges nothing.
//
// A task starts when all tasks before it are merged. A dropped task no longer blocks those that
// only come after it; those that need its work are dropped too.
func DecideNext(tasks []belay.ListedTask, parts []Part, limit int, paused bool) NextMove {
	m := NextMove{Merge: -1}
	at := map[string]int{}
	for i, t := range tasks {
		at[t.ID.Key()] = i
	}
	dropped := func(i int) bool { return parts[i].Stage == StageDropped || slices.Contains(m.Drop, i) }
	standing := func(needs bool) func(belay.TaskID) belay.Standing {
		return func(id belay.TaskID) belay.Standing {
			i, here := at[id.Key()]
			switch {
			case !here:
				return belay.Absent
			case parts[i].Stage == StageMerged:
				return belay.Accepted
			case dropped(i) && needs:
				return belay.Rejected
			case dropped(i):
				return belay.Absent
			}
			return belay.Unfinished
		}
	}
	for again := true; again; {
		again = false
		for i, t := range tasks {
			if parts[i].Stage != StageWaiting || dropped(i) {
				continue
			}
			if bad, _ := belay.Ready(t.Needs, standing(true)); bad != "" {
				m.Drop, again = append(m.Drop, i), true
			}
		}
	}
	running, open := 0, 0
	for i := range tasks {
		switch parts[i].Stage {
		case StageRunning:
			running, open = running+1, open+1
		case StageAccepted, StageMerging, StageGate:
			open++
		}
	}
	merging := slices.ContainsFunc(parts, func(p Part) bool { return p.Stage == StageMerging })
	for i, t := range tasks {
		switch {
		case paused:
		case parts[i].Stage == StageAccepted && !merging:
			m.Merge, merging = i, true
		case parts[i].Stage == StageWaiting && !dropped(i) && running < max(1, limit):
			if _, wait := belay.Ready(t.After, standing(false)); !wait {
				m.Begin, running = append(m.Begin, i), running+1
			}
		}
	}
	m.Ended = open == 0 && len(m.Begin) == 0 && !paused
	return m
}
