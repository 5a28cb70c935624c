package session

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Suffixes of the commands of a task's intermediate snapshots.
const (
	StartMark = ":start" // snapshot before a later attempt; its command is the attempt's
	EndMark   = ":end"   // files that the checks left; its command is the check's
)

// Span is the time from one snapshot to the next.
type Span struct {
	From, To belay.SnapshotID
	Agent    bool // the agent worked; otherwise the checks did
}

// SpansOf returns a task's spans from its snapshots, oldest first.
func SpansOf(before belay.SnapshotID, taken []snapshot.Info) []Span {
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

// TakenSnapshots returns the snapshots of one task that ours confirms. The data in a snapshot is
// not proof: anyone who can create a ref can write it.
func TakenSnapshots(ctx context.Context, snaps *snapshot.Store, task belay.TaskID,
	ours func(snapshot.Info) bool) ([]snapshot.Info, error) {
	all, err := snaps.List(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s snapshot.Info) bool { return s.Task.Key() != task.Key() || !ours(s) }), nil
}

// ChangedNames is what spans changed, by kind: what a rollback restores.
type ChangedNames struct {
	Paths        map[string]bool         // including modes and empty folders
	Refs         map[string]bool         // branches and tags that were moved, created or deleted
	Git          map[string]bool         // git's own files; for the index only that it differs
	Inner        map[string]ChangedNames // of nested repositories, by path
	RemovedInner map[string]bool         // nested repositories that were removed or replaced by a link: everything in them changed
}

// ReadChangedNames returns what the spans changed. An agent's commits and branches are rolled
// back with its refs; a branch that a person made meanwhile stays.
func ReadChangedNames(ctx context.Context, snaps *snapshot.Store, list []Span) (ChangedNames, error) {
	defer snaps.Repo.ShareReader()()
	t := ChangedNames{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]ChangedNames{}, map[string]bool{}}
	for _, kind := range []struct {
		in    map[string]bool
		names func(context.Context, belay.SnapshotID, belay.SnapshotID) ([]string, error)
	}{{t.Paths, snaps.ChangedPaths}, {t.Refs, snaps.RefChanges}, {t.Git, snaps.ChangedGitFiles}, {t.Git, snaps.ChangedHead}} {
		for _, s := range list {
			names, err := kind.names(ctx, s.From, s.To)
			if err != nil {
				return ChangedNames{}, err
			}
			for _, n := range names {
				kind.in[n] = true
			}
		}
	}
	return t, t.addInner(ctx, snaps, list)
}

// addInner adds what the spans changed in nested repositories.
func (t *ChangedNames) addInner(ctx context.Context, snaps *snapshot.Store, list []Span) error {
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
				t.RemovedInner[in.Path] = true
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
		inner, err := ReadChangedNames(ctx, store, spans[path])
		if err != nil {
			return err
		}
		t.Inner[path] = inner
	}
	return nil
}

// AgentWork compares the before snapshot with a capture and returns what the agent changed: all is
// everything that any attempt changed, last is what the last attempt changed, list is the spans up
// to the capture. taken are the task's snapshots.
func AgentWork(ctx context.Context, snaps *snapshot.Store, taken []snapshot.Info,
	before, after belay.SnapshotID) (all, last []belay.Change, list []Span, err error) {
	list = slices.DeleteFunc(SpansOf(before, taken), func(s Span) bool { return s.To > after })
	known := map[Span][]belay.Change{} // the same pair is needed up to three times
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
	changed, err := contentChanges(changes, list)
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

// contentChanges returns the paths with content that the agent's spans changed, which the checks
// examine.
func contentChanges(between func(from, to belay.SnapshotID) ([]belay.Change, error), list []Span) (map[string]bool, error) {
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

// MissedChanges returns what the agent changed and the capture does not contain, if that is
// still the case in the capture.
func MissedChanges(ctx context.Context, snaps *snapshot.Store, taken []snapshot.Info, before,
	after belay.SnapshotID) ([]snapshot.Missed, error) {
	all, err := snaps.Missed(ctx, before, after)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	agents := map[string]bool{}
	for _, s := range SpansOf(before, taken) {
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
