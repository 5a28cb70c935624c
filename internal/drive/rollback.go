package drive

import (
	"context"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/snapshot"
)

// reviewArtefacts are kept by every rollback that is not hard: the next attempt and
// people need them.
var reviewArtefacts = []string{".belay/reviews/**", ".belay/now/**"}

// RollbackOptions says what a rollback of this task may touch.
func (d *Desk) RollbackOptions(ctx context.Context, r *Record, hard bool, preserve []string) (snapshot.RestoreOptions, error) {
	opts := snapshot.RestoreOptions{Task: r.Task.ID}
	if hard {
		return opts, nil
	}
	opts.Preserve = slices.Concat(reviewArtefacts, r.Task.Preserve, preserve)
	taken, err := d.taken(ctx, r.Task.ID)
	if err != nil {
		return opts, err
	}
	list := spans(r.State.Before, taken)
	touched, err := d.touched(ctx, list, false)
	if err != nil {
		return opts, err
	}
	if c := r.State.Pending; c != nil && c.Kind == loop.CmdAttempt {
		now, err := d.sinceLast(ctx, r, list, taken)
		if err != nil {
			return opts, err
		}
		for p := range now {
			touched[p] = true
		}
	}
	opts.Only = func(path string) bool { return touched[path] }
	return opts, nil
}

// sinceLast gives what changed since the attempt under way began: nobody has
// captured it yet, and it is taken for the attempt's own.
func (d *Desk) sinceLast(ctx context.Context, r *Record, list []span, taken []snapshot.Info) (map[string]bool, error) {
	from := r.State.Before
	if n := len(list); n > 0 {
		from = list[n-1].to
	}
	for _, s := range taken {
		if s.Kind == belay.KindBefore && s.ID > from {
			from = s.ID
		}
	}
	present, err := d.Snaps.Take(ctx, ByHand(r, "the attempt under way, before a rollback"))
	if err != nil {
		return nil, err
	}
	return d.touched(ctx, []span{{from: from, to: present.ID}}, false)
}

// ByHand describes a snapshot taken by hand, for a task or none.
func ByHand(r *Record, message string) snapshot.Meta {
	m := snapshot.Meta{Kind: belay.KindManual, Message: message}
	if r != nil {
		m.Task, m.Attempt, m.Feature, m.Journal = r.Task.ID, len(r.State.Attempts), r.Task.Feature, r.Log.Head.Hash
	}
	return m
}
