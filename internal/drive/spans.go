package drive

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/results"
	"github.com/belay-dev/belay/internal/snapshot"
)

// A task's snapshots cut time into spans, and spans say who changed what: from an
// attempt's start to its capture it was the agent, from there to the end of the
// checks it was the tests' own doing, and between an end and the next start it was
// a person. That is how a rollback leaves alone what somebody else changed, and how
// a report that a test run wrote is not held against the agent.
const (
	startMark = ":start" // snapshot before a later attempt, named after its command
	endMark   = ":end"   // what the checks left, named after the check's command
)

// span is the time from one snapshot to the next.
type span struct {
	from, to belay.SnapshotID
	attempt  int
	agent    bool // the agent worked; otherwise the checks did
}

// spans reads a task's spans off its snapshots, oldest first.
func spans(before belay.SnapshotID, taken []snapshot.Info) []span {
	slices.SortFunc(taken, func(a, b snapshot.Info) int { return strings.Compare(string(a.ID), string(b.ID)) })
	at := before
	var all []span
	for _, s := range taken {
		if s.ID <= before {
			continue
		}
		switch {
		case s.Kind == belay.KindBefore && strings.HasSuffix(s.Command, startMark):
			at = s.ID
		case s.Kind == belay.KindAfter || s.Kind == belay.KindStall:
			all = append(all, span{from: at, to: s.ID, attempt: s.Attempt, agent: !strings.HasSuffix(s.Command, endMark)})
			at = s.ID
		}
	}
	return all
}

// taken gives the snapshots of one task.
func (d *Desk) taken(ctx context.Context, task belay.TaskID) ([]snapshot.Info, error) {
	all, err := d.Snaps.List(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s snapshot.Info) bool { return s.Task.Key() != task.Key() }), nil
}

// touched gives the paths in which the spans changed anything, modes and empty folders
// as well: what a rollback puts back.
func (d *Desk) touched(ctx context.Context, list []span) (map[string]bool, error) {
	paths := map[string]bool{}
	for _, s := range list {
		touched, err := d.Snaps.Touched(ctx, s.from, s.to)
		if err != nil {
			return nil, err
		}
		for _, p := range touched {
			paths[p] = true
		}
	}
	return paths, nil
}

// changed gives the paths whose content the agent's spans changed: what it is judged by.
func (d *Desk) changed(ctx context.Context, list []span) (map[string]bool, error) {
	paths := map[string]bool{}
	for _, s := range list {
		if !s.agent {
			continue
		}
		changes, err := d.Snaps.Changes(ctx, s.from, s.to)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			paths[c.Path] = true
		}
	}
	return paths, nil
}

// Work is what a task changed, as the checks see it.
type Work struct {
	All  []belay.Change // before → after, where an attempt had a hand in it
	Last []belay.Change // what the last attempt changed

	Held     bool            // the run holds the tree: what a linter edits in it is taken back
	Baseline *results.Report // what the tests said before; nil when that is not known
}

// Work compares the state before with a capture and keeps what the agent did.
func (d *Desk) Work(ctx context.Context, task belay.TaskID, before, after belay.SnapshotID) (Work, error) {
	taken, err := d.taken(ctx, task)
	if err != nil {
		return Work{}, err
	}
	list := spans(before, taken)
	list = slices.DeleteFunc(list, func(s span) bool { return s.to > after })
	changed, err := d.changed(ctx, list)
	if err != nil {
		return Work{}, err
	}
	var w Work
	if w.All, err = d.Snaps.Changes(ctx, before, after); err != nil {
		return Work{}, err
	}
	w.All = slices.DeleteFunc(w.All, func(c belay.Change) bool { return !changed[c.Path] })
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].agent {
			w.Last, err = d.Snaps.Changes(ctx, list[i].from, after)
			return w, err
		}
	}
	return w, nil
}
