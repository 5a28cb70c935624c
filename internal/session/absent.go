package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Absent is a known task without a readable record.
type Absent struct {
	Task      belay.TaskID `json:"task"`
	Entries   int          `json:"entries,omitempty"`   // in the record, according to its anchor
	Snapshots int          `json:"snapshots,omitempty"` // existing snapshots that a run took
}

// String returns a sentence for a person.
func (a Absent) String() string {
	var known []string
	if a.Entries > 0 {
		known = append(known, fmt.Sprintf("it had %d entries", a.Entries))
	}
	if a.Snapshots > 0 {
		known = append(known, fmt.Sprintf("it has %s", belay.CountOf(a.Snapshots, "snapshot")))
	}
	return belay.VisibleLine(fmt.Sprintf("the record of %s is gone: %s", a.Task, strings.Join(known, ", ")))
}

// Try returns what a person can do about it.
func (a Absent) Try() string {
	if a.Entries > 0 {
		return "find out who deleted it; belay task accept-record " + belay.VisibleLine(string(a.Task)) + " forgets it"
	}
	return "belay snapshot prune --without-record forgets them"
}

// AbsentTasks returns the tasks with a deleted or emptied record: those that have an anchor,
// and those that a run took snapshots of. Snapshots taken by hand are not counted, because
// they may name any task.
func (sess *Session) AbsentTasks(ctx context.Context) ([]Absent, error) {
	ids, err := sess.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	recorded := map[string]bool{"": true}
	for _, id := range ids {
		recorded[id.Key()] = true
	}
	gone, err := sess.MissingRecords()
	if err != nil {
		return nil, err
	}
	found := map[string]*Absent{}
	for _, st := range gone {
		found[belay.TaskID(st.Task).Key()] = &Absent{Task: belay.TaskID(st.Task), Entries: st.Seq}
	}
	all, _, err := sess.Snaps.ListAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if recorded[s.Task.Key()] || !TakenByRun(s) {
			continue
		}
		a := found[s.Task.Key()]
		if a == nil {
			a = &Absent{Task: s.Task}
			found[s.Task.Key()] = a
		}
		a.Snapshots++
	}
	var list []Absent
	for _, a := range found {
		list = append(list, *a)
	}
	slices.SortFunc(list, func(a, b Absent) int { return strings.Compare(string(a.Task), string(b.Task)) })
	return list, nil
}

// TakenByRun reports whether the loop took a snapshot.
func TakenByRun(s snapshot.Info) bool {
	return s.Task != "" && slices.Contains([]belay.Kind{belay.KindBefore, belay.KindAfter, belay.KindStall, belay.KindMerge}, s.Kind)
}

// MissingSnapshots returns the pins of tasks with refs that are missing or name other commits
// than the records say. all are the records of the tasks that need their snapshots.
func (s *Session) MissingSnapshots(ctx context.Context, all []*Record) ([]belay.SnapshotID, error) {
	var need []snapshot.Pin
	for _, r := range all {
		need = append(need, slices.DeleteFunc(slices.Clone(r.pins), r.isArchived)...)
	}
	moved, missing, err := s.Snaps.CheckRefs(ctx, need)
	var ids []belay.SnapshotID
	for _, b := range append(moved, missing...) {
		ids = append(ids, b.ID)
	}
	return ids, err
}
