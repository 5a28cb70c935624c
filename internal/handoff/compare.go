package handoff

import (
	"context"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Reader compares states of one working tree. InScope and IgnoreEnds are copied into the facts.
type Reader struct {
	Snaps      *snapshot.Store
	InScope    func(path string) bool
	IgnoreEnds bool
}

// CompareWithPresent compares the current state with a snapshot. same reports that nothing differs.
// stored is false if files differ: the facts then only cover the repository as a whole, because
// bytes can only be compared with a snapshot. Take one and call CompareSnapshots.
func (r Reader) CompareWithPresent(ctx context.Context, then belay.SnapshotID) (f Facts, same, stored bool, err error) {
	end := r.Snaps.Repo.ShareReader()
	defer end()
	info, err := r.Snaps.LookUp(ctx, then)
	if err != nil {
		return f, false, false, err
	}
	extent, err := r.Snaps.ExtentOf(ctx, then)
	if err != nil {
		return f, false, false, err
	}
	c, err := r.Snaps.CapturePresent(ctx, extent)
	if err != nil {
		return f, false, false, err
	}
	whole, err := r.fullTree(ctx, info)
	if err != nil || whole == c.SnapshotTree {
		return r.newFacts(), err == nil, true, err
	}
	one, err := r.snapshotSide(ctx, info)
	if err != nil {
		return f, false, false, err
	}
	two := r.presentSide(c)
	if one.tree != two.tree || !slices.Equal(one.manifest.Odd, two.manifest.Odd) {
		f = r.newFacts()
		f.Then, f.Now = one.Side, two.Side
		return f, false, false, r.compareCommits(ctx, &f, &one, &two)
	}
	f, err = r.compareSides(ctx, &one, &two)
	return f, false, true, err
}

// CompareSnapshots compares two snapshots.
func (r Reader) CompareSnapshots(ctx context.Context, then, now belay.SnapshotID) (Facts, error) {
	end := r.Snaps.Repo.ShareReader()
	defer end()
	var sides [2]side
	for i, id := range []belay.SnapshotID{then, now} {
		info, err := r.Snaps.LookUp(ctx, id)
		if err != nil {
			return Facts{}, err
		}
		if sides[i], err = r.snapshotSide(ctx, info); err != nil {
			return Facts{}, err
		}
	}
	return r.compareSides(ctx, &sides[0], &sides[1])
}

func (r Reader) newFacts() Facts {
	return Facts{InScope: r.InScope, IgnoreEnds: r.IgnoreEnds}
}

// fullTree returns the tree of a snapshot's commit, which covers everything in it.
func (r Reader) fullTree(ctx context.Context, i snapshot.Info) (string, error) {
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return "", err
	}
	defer rd.Close()
	o, err := rd.Read(i.Commit + "^{tree}")
	if err != nil {
		return "", fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	return o.OID, nil
}

func (r Reader) compareSides(ctx context.Context, one, two *side) (Facts, error) {
	f := r.newFacts()
	f.Then, f.Now = one.Side, two.Side
	for _, do := range []func(context.Context, *Facts, *side, *side) error{r.compareCommits, r.compareFiles,
		r.compareIndexes, r.compareGitFiles, r.compareManifests} {
		if err := do(ctx, &f, one, two); err != nil {
			return f, err
		}
	}
	return f, nil
}

// presentSide returns the side of a capture that is not stored.
func (r Reader) presentSide(c *snapshot.Capture) side {
	s := side{tree: c.FilesTree, manifest: c.Manifest, indexTree: c.Index.MetaTree, capture: c}
	s.Head, s.Branch = c.Head.OID, c.Head.Branch
	s.Operation = git.Operation(c.OperationFiles)
	for _, ref := range c.Refs {
		if ref.Name == stashRef {
			s.Stash = ref.OID
		}
	}
	for _, l := range c.Reflogs {
		if l.Name == "logs/"+stashRef {
			s.Stashes = entries(l.Data)
		}
	}
	return s
}
