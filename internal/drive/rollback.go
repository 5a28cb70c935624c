package drive

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/trees"
)

// reviewArtefacts are kept by every rollback that is not hard: the next attempt and
// people need them.
var reviewArtefacts = []string{".belay/reviews/**", ".belay/now/**"}

// RollbackOptions says what a rollback of this task may touch.
func (d *Desk) RollbackOptions(ctx context.Context, r *Record, hard bool, preserve []string) (restore.Options, error) {
	opts := restore.Options{Task: r.Task.ID}
	if _, apart, err := trees.MarkOf(d.Repo); err != nil {
		return opts, err
	} else if apart {
		// Branches, tags and the stash are one for all working trees, and others work in
		// theirs at the same time: what moved meanwhile may be anybody's.
		opts.OnlyRef = func(name string) bool {
			return strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/rewritten/")
		}
	}
	if hard {
		return opts, nil
	}
	opts.Preserve = slices.Concat(reviewArtefacts, r.Task.Preserve, preserve)
	taken, err := d.taken(ctx, r.Task.ID)
	if err != nil {
		return opts, err
	}
	list := spans(r.State.Before, taken)
	if c := r.State.Pending; c != nil && c.Kind == loop.CmdAttempt {
		now, err := d.underWay(ctx, r, list, taken)
		if err != nil {
			return opts, err
		}
		list = append(list, now)
	}
	touched, err := d.touched(ctx, list)
	if err != nil {
		return opts, err
	}
	opts.Only = func(path string) bool { return touched[path] }
	refs, err := d.touchedRefs(ctx, list)
	if err != nil {
		return opts, err
	}
	if opts.OnlyRef == nil {
		opts.OnlyRef = func(name string) bool { return refs[name] }
	}
	files, err := d.touchedGit(ctx, list)
	if err != nil {
		return opts, err
	}
	opts.OnlyGit = func(name string) bool { return files[name] }
	return opts, nil
}

// touchedGit gives git's own files that the spans changed. Where the index is concerned,
// only that it is another one counts: it has no parts.
func (d *Desk) touchedGit(ctx context.Context, list []span) (map[string]bool, error) {
	files := map[string]bool{}
	for _, s := range list {
		names, err := d.Snaps.TouchedGit(ctx, s.from, s.to)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			files[n] = true
		}
	}
	return files, nil
}

// Overruled gives the paths that a rollback put back although somebody else had changed
// them after the task's last attempt. What he made of them is in the rescue.
func (d *Desk) Overruled(ctx context.Context, r *Record, out restore.Restored) ([]string, error) {
	taken, err := d.taken(ctx, r.Task.ID)
	if err != nil || out.Rescue == "" {
		return nil, err
	}
	list := spans(r.State.Before, taken)
	if len(list) == 0 {
		return nil, nil
	}
	since, err := d.Snaps.Touched(ctx, list[len(list)-1].to, out.Rescue)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(since, func(p string) bool { return !slices.Contains(out.Written, p) && !slices.Contains(out.Removed, p) }), nil
}

// touchedRefs gives the branches and tags that the spans moved, made or deleted: an
// agent that commits or branches is rolled back with its refs, a branch that a person
// made meanwhile stays.
func (d *Desk) touchedRefs(ctx context.Context, list []span) (map[string]bool, error) {
	refs := map[string]bool{}
	for _, s := range list {
		names, err := d.Snaps.RefChanges(ctx, s.from, s.to)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			refs[n] = true
		}
	}
	return refs, nil
}

// underWay is the span of the attempt that nobody has captured yet: what changed since
// it began is taken for its own.
func (d *Desk) underWay(ctx context.Context, r *Record, list []span, taken []snapshot.Info) (span, error) {
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
	return span{from: from, to: present.ID, agent: true}, err
}

// ByHand describes a snapshot taken by hand, for a task or none.
func ByHand(r *Record, message string) snapshot.Meta {
	m := snapshot.Meta{Kind: belay.KindManual, Message: message}
	if r != nil {
		m.Task, m.Attempt, m.Feature, m.Journal = r.Task.ID, len(r.State.Attempts), r.Task.Feature, r.Log.Head.Hash
	}
	return m
}
