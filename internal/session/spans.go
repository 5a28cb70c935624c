package session

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// The ends of the commands that snapshots between a task's own are taken for.
const (
	StartMark = ":start" // snapshot before a later attempt, named after its command
	EndMark   = ":end"   // what the checks left, named after the check's command
)

// Span is the time from one snapshot to the next.
type Span struct {
	From, To belay.SnapshotID
	Agent    bool // the agent worked; otherwise the checks did
}

// Of reads a task's spans off its snapshots, oldest first.
func Of(before belay.SnapshotID, taken []snapshot.Info) []Span {
	slices.SortFunc(taken, func(a, b snapshot.Info) int { return strings.Compare(string(a.ID), string(b.ID)) })
	at := before
	var all []Span
	for _, s := range taken {
		if s.ID <= before {
			continue
		}
		switch {
		case s.Kind == belay.KindBefore && strings.HasSuffix(s.Command, StartMark):
			at = s.ID
		case s.Kind == belay.KindAfter || s.Kind == belay.KindStall:
			all = append(all, Span{From: at, To: s.ID, Agent: !strings.HasSuffix(s.Command, EndMark)})
			at = s.ID
		}
	}
	return all
}

// Taken gives the snapshots of one task that ours answers for: the words of a snapshot
// alone say too little, whoever can make a ref can write them.
func TakenSnapshots(ctx context.Context, snaps *snapshot.Store, task belay.TaskID,
	ours func(snapshot.Info) bool) ([]snapshot.Info, error) {
	all, err := snaps.List(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s snapshot.Info) bool { return s.Task.Key() != task.Key() || !ours(s) }), nil
}

// Touch is what spans changed, each kind by name: what a rollback puts back.
type Touch struct {
	Paths map[string]bool  // modes and empty folders as well
	Refs  map[string]bool  // branches and tags that were moved, made or deleted
	Git   map[string]bool  // git's own files; of the index only that it is another one
	Inner map[string]Touch // of repositories inside of the tree, by their paths
	Lost  map[string]bool  // those of Inner that were removed, or made to lead elsewhere: all of them changed
}

// Touched gives what the spans changed: an agent that commits or branches is rolled back
// with its refs, a branch that a person made meanwhile stays.
func Touched(ctx context.Context, snaps *snapshot.Store, list []Span) (Touch, error) {
	defer snaps.Repo.ShareReader()()
	t := Touch{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]Touch{}, map[string]bool{}}
	for _, kind := range []struct {
		in    map[string]bool
		names func(context.Context, belay.SnapshotID, belay.SnapshotID) ([]string, error)
	}{{t.Paths, snaps.ChangedPaths}, {t.Refs, snaps.RefChanges}, {t.Git, snaps.ChangedGitFiles}, {t.Git, snaps.ChangedHead}} {
		for _, s := range list {
			names, err := kind.names(ctx, s.From, s.To)
			if err != nil {
				return Touch{}, err
			}
			for _, n := range names {
				kind.in[n] = true
			}
		}
	}
	return t, t.inside(ctx, snaps, list)
}

// inside adds what the spans changed in repositories inside of the tree.
func (t *Touch) inside(ctx context.Context, snaps *snapshot.Store, list []Span) error {
	stores, spans := map[string]*snapshot.Store{}, map[string][]Span{}
	for _, s := range list {
		was, err := snaps.InnerSnapshots(ctx, s.From)
		if err != nil {
			return err
		}
		pairs, err := snaps.InnerPairs(ctx, s.From, s.To)
		if err != nil {
			return err
		}
		for _, in := range was {
			if !slices.ContainsFunc(pairs, func(p snapshot.InnerPair) bool { return p.Path == in.Path }) {
				t.Lost[in.Path] = true
			}
		}
		for _, p := range pairs {
			if known := stores[p.Path]; known == nil {
				stores[p.Path] = p.Store
			}
			spans[p.Path] = append(spans[p.Path], Span{From: p.From, To: p.To})
		}
	}
	for path, store := range stores {
		inner, err := Touched(ctx, store, spans[path])
		if err != nil {
			return err
		}
		t.Inner[path] = inner
	}
	return nil
}

// Work compares the state before with a capture and keeps what the agent did: all is
// everything that any attempt had a hand in, last what the last attempt changed, list the
// spans up to the capture. taken are the task's snapshots.
func AgentWork(ctx context.Context, snaps *snapshot.Store, taken []snapshot.Info,
	before, after belay.SnapshotID) (all, last []belay.Change, list []Span, err error) {
	list = slices.DeleteFunc(Of(before, taken), func(s Span) bool { return s.To > after })
	known := map[Span][]belay.Change{} // the same pair is asked for up to three times
	changes := func(from, to belay.SnapshotID) ([]belay.Change, error) {
		pair := Span{From: from, To: to}
		if _, have := known[pair]; !have {
			list, err := snaps.Changes(ctx, from, to)
			if err != nil {
				return nil, err
			}
			known[pair] = list
		}
		return slices.Clone(known[pair]), nil
	}
	changed, err := content(changes, list)
	if err != nil {
		return nil, nil, nil, err
	}
	if all, err = changes(before, after); err != nil {
		return nil, nil, nil, err
	}
	all = slices.DeleteFunc(all, func(c belay.Change) bool { return !changed[c.Path] })
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Agent {
			last, err = changes(list[i].From, after)
			return all, last, list, err
		}
	}
	return all, nil, list, nil
}

// content gives the paths whose content the agent's spans changed: what it is judged by.
func content(between func(from, to belay.SnapshotID) ([]belay.Change, error), list []Span) (map[string]bool, error) {
	paths := map[string]bool{}
	for _, s := range list {
		if !s.Agent {
			continue
		}
		changes, err := between(s.From, s.To)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			paths[c.Path] = true
		}
	}
	return paths, nil
}

// Missed gives what the agent changed and the capture does not hold, as far as it is still
// so in the capture.
func Missed(ctx context.Context, snaps *snapshot.Store, taken []snapshot.Info, before,
	after belay.SnapshotID) ([]snapshot.Missed, error) {
	all, err := snaps.Missed(ctx, before, after)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	agents := map[string]bool{}
	for _, s := range Of(before, taken) {
		if !s.Agent || s.To > after {
			continue
		}
		list, err := snaps.Missed(ctx, s.From, s.To)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			agents[m.Path] = true
		}
	}
	return slices.DeleteFunc(all, func(m snapshot.Missed) bool { return !agents[m.Path] }), nil
}
