package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"
)

// Drop deletes snapshots. Git gc removes their objects later.
func (s *Store) Drop(ctx context.Context, ids ...belay.SnapshotID) error {
	var list []Info
	for _, id := range ids {
		i, err := s.LookUp(ctx, id)
		if err != nil {
			return err
		}
		list = append(list, i)
	}
	return s.DropInfos(ctx, list)
}

// DropInfos deletes snapshots that were looked up before.
func (s *Store) DropInfos(ctx context.Context, list []Info) error {
	if len(list) == 0 {
		return nil
	}
	// First the cache that depends on them, then the refs: after a kill in between, the next
	// snapshot only checks more than necessary.
	var ids []belay.SnapshotID
	var updates []git.Update
	var inner []InnerSnapshot
	for _, i := range list {
		if i.Transient {
			continue
		}
		ids = append(ids, i.ID)
		updates = append(updates, git.Update{Ref: i.ref(), Old: i.Commit})
		if i.innerCount > 0 {
			if m, err := s.Manifest(ctx, i); err == nil { // one that cannot be read names nothing
				inner = append(inner, m.Inner...)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := s.Worktree.DeleteCacheFor(ids); err != nil {
		return err
	}
	if err := Fault("ref", list[0].ref()); err != nil {
		return err
	}
	if err := s.Repo.UpdateRefs(ctx, "belay: drop", updates); err != nil {
		return err
	}
	_ = s.objects.Packs.CleanUp(true) // packs that are kept for too long do no harm
	if err := s.sweepCommitRefs(ctx); err != nil {
		return err
	}
	return s.discardInner(ctx, inner)
}

// PruneOptions selects what is pruned. Keep protects snapshots: those of open tasks.
type PruneOptions struct {
	OlderThan time.Duration
	Keep      func(Info) bool
	DryRun    bool
}

// Pruned lists the snapshots that were deleted, or would be.
type Pruned struct {
	Dropped []belay.SnapshotID `json:"dropped"`
	Kept    int                `json:"kept"`
}

// Prune deletes snapshots older than a time. The newest of each task stays, and the newest of
// all: if the clock jumped, not everything is lost.
func (s *Store) Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	out := Pruned{Dropped: []belay.SnapshotID{}}
	all, bad, err := s.ListAll(ctx)
	if err != nil {
		return out, err
	}
	if out.Kept = len(all); len(bad) > 0 {
		// The newest of a task may be among them, and the one before it then the only one left.
		return out, &belay.Error{Code: belay.CodeCannot, Try: "belay doctor", Err: bad[0],
			What: "nothing was forgotten: " + belay.Count(len(bad), "snapshot", "snapshots") + " cannot be read"}
	}
	now := s.opts.Now()
	newest := map[string]belay.SnapshotID{}
	for _, i := range all {
		if isForeignID(i.ID, now) {
			continue // it does not count as a task's newest, and is too new to be pruned
		}
		newest[i.Task.Key()] = i.ID // the list is sorted
	}
	limit := now.Add(-o.OlderThan)
	var old []Info
	for _, i := range all {
		if newest[i.Task.Key()] == i.ID || idTime(i.ID).After(limit) || o.Keep != nil && o.Keep(i) {
			continue
		}
		old = append(old, i)
		out.Dropped = append(out.Dropped, i.ID)
	}
	out.Kept = len(all) - len(old)
	if o.DryRun {
		return out, nil
	}
	if err := s.DropInfos(ctx, old); err != nil {
		return out, err
	}
	return out, errors.Join(s.sweepCommitRefs(ctx), s.SweepInner(ctx))
}

// Usage is the number and size of snapshots.
type Usage struct {
	Snapshots  int   `json:"snapshots"`
	Unreadable int   `json:"unreadable,omitempty"` // in addition to Snapshots
	Bytes      int64 `json:"bytes"`                // on disk, of objects that no branch, tag or remote names
}

// Usage counts snapshots and the bytes that only they need. Missing objects count as 0 bytes;
// Verify reports them.
func (s *Store) Usage(ctx context.Context) (Usage, error) {
	all, bad, err := s.ListAll(ctx)
	u := Usage{Snapshots: len(all), Unreadable: len(bad)}
	if err != nil || len(all) == 0 {
		return u, err
	}
	out, err := s.Repo.Run(ctx, nil, "rev-list", "--ignore-missing", "--objects", "--missing=allow-any", "--disk-usage",
		"--glob="+RefPrefix+"*", "--glob="+CommitRefPrefix+"*", "--not", "--branches", "--tags", "--remotes", "--glob=refs/stash")
	if err != nil {
		return u, err
	}
	u.Bytes, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return u, err
}

// Verify looks up every object of every snapshot and returns what is broken.
func (s *Store) Verify(ctx context.Context) ([]string, error) {
	all, bad, err := s.ListAll(ctx)
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, b := range bad {
		problems = append(problems, b.Error())
	}
	refs, err := s.Repo.Refs(ctx, CommitRefPrefix)
	if err != nil || len(all) == 0 {
		return problems, err
	}
	for _, i := range all {
		if now := s.opts.Now(); isForeignID(i.ID, now) {
			problems = append(problems, fmt.Sprintf("snapshot %s: its id has a time in the future, %s: the clock was wrong, or "+
				"belay did not create it", i.ID.Short(), idTime(i.ID).UTC().Format(time.RFC3339)))
		}
		used, err := s.NeededCommits(ctx, i.Commit)
		if err != nil && ctx.Err() != nil {
			return problems, err
		}
		names := strings.Join(append(used, i.Commit), "\n") + "\n"
		walk := []string{"rev-list", "--objects", "--no-object-names", "--missing=print", "--stdin"}
		out, err := s.Repo.Run(ctx, strings.NewReader(names), append(walk, "--not", "--branches", "--tags")...)
		var f *git.CommandError
		if errors.As(err, &f) { // a broken branch of the user's is no fault of the snapshot
			out, err = s.Repo.Run(ctx, strings.NewReader(names), walk...)
		}
		switch {
		case errors.As(err, &f):
			problems = append(problems, fmt.Sprintf("snapshot %s: %s", i.ID.Short(), f.Message))
		case err != nil:
			return problems, err
		case strings.Contains("\n"+string(out), "\n?"):
			problems = append(problems, fmt.Sprintf("snapshot %s: objects are missing", i.ID.Short()))
		case len(withoutRef(refs, used)) > 0:
			problems = append(problems, fmt.Sprintf("snapshot %s: commit %s has no ref below %s", i.ID.Short(),
				shortOID(withoutRef(refs, used)[0]), CommitRefPrefix))
		}
	}
	return problems, nil
}
