package snapshot

import (
	"context"
	"slices"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/scan"
)

// Extent selects what a snapshot contains in addition to git's view, so that a task's work can be
// checked with it. The zero value adds nothing.
type Extent struct {
	Agents         bool             // the files that instruct agents, ignored or not
	Protect        []string         // globs (belay.Covers) of paths that are captured even when ignored
	Files          []string         // globs of the files to change: a folder that one names is not build output
	Baseline       belay.SnapshotID // paths hidden since this state, and new repositories, are captured; "" for none
	MaxFile        int64            // size limit of a file in bytes, if larger than Options.MaxFile
	InnerSnapshots bool             // takes a snapshot of each repository inside the tree
	Ignored        bool             // captures ignored files that a person wrote, and fingerprints of the others
	Authored       []string         // paths of ignored files that a person is known to have written
	MaybeAuthored  []string         // paths of ignored files that a person may have written
}

// captureOptions converts an extent to the options of a capture; done releases them. If the
// baseline is missing, the other options still apply.
func (s *Store) captureOptions(ctx context.Context, e Extent) (w CaptureOptions, done func(), err error) {
	w.Extent = CaptureExtent{Agents: e.Agents, Protect: e.Protect, MaxFile: e.MaxFile, Ignored: e.Ignored,
		Authored: slices.Clone(e.Authored), MaybeAuthored: slices.Clone(e.MaybeAuthored)}
	for _, g := range e.Files {
		if belay.Spells(g) {
			w.Extent.BuildOutput = append(w.Extent.BuildOutput, g)
		}
	}
	if e.InnerSnapshots {
		w.InnerSnapshots = s.NewInnerSnapshotter(e, nil, "")
	}
	if e.Baseline == "" {
		return w, func() {}, nil
	}
	info, err := s.LookUp(ctx, e.Baseline)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return w, func() {}, nil
	}
	if err != nil {
		return w, nil, err
	}
	m, err := s.Manifest(ctx, info)
	if err != nil {
		return w, nil, err
	}
	if e.InnerSnapshots {
		w.InnerSnapshots = s.NewInnerSnapshotter(e, m.Inner, string(info.ID))
	}
	if was, _ := ExtentOf(m); e.Ignored {
		w.Extent.Authored, w.Extent.MaybeAuthored = union(w.Extent.Authored, was.Authored), union(w.Extent.MaybeAuthored, was.MaybeAuthored)
	}
	w.Extent.Baseline = s.Worktree.OpenBaseline(ctx, string(info.ID), info.Tree, m)
	return w, w.Extent.Baseline.Close, nil
}

func union(a, b []string) []string {
	for _, p := range b {
		if !slices.Contains(a, p) {
			a = append(a, p)
		}
	}
	return a
}

// ExtentOf returns the extent that a snapshot was taken with: a comparison has to look at the
// same paths.
func (s *Store) ExtentOf(ctx context.Context, id belay.SnapshotID) (Extent, error) {
	info, err := s.LookUp(ctx, id)
	if err != nil {
		return Extent{}, err
	}
	m, err := s.Manifest(ctx, info)
	if err != nil {
		return Extent{}, err
	}
	e, since := ExtentOf(m)
	return Extent{Agents: e.Agents, Protect: e.Protect, Files: e.BuildOutput, Baseline: belay.SnapshotID(since),
		InnerSnapshots: len(m.Inner) > 0, MaxFile: e.MaxFile, Ignored: e.Ignored, Authored: e.Authored, MaybeAuthored: e.MaybeAuthored}, nil
}

// incomparablePaths returns a function that reports whether a difference of two snapshots does not
// count: one of them contains the path only because of its extent, and the other, with a smaller
// extent, ignored it. Whether the path changed is unknown.
func incomparablePaths(then, now *Manifest) func(path string, gone bool) bool {
	if slices.Equal(then.Extent, now.Extent) {
		return func(string, bool) bool { return false }
	}
	was, _ := ExtentOf(then)
	is, _ := ExtentOf(now)
	one, two := was.Selector(), is.Selector()
	covers := func(sel scan.Selector, path string) bool { return sel != nil && sel.Covers(path, false) }
	gap := func(m *Manifest, path string) bool {
		return was.MaxFile != is.MaxFile && slices.ContainsFunc(m.Gaps, func(g ManifestGap) bool { return g.Path == path })
	}
	return func(path string, gone bool) bool {
		if gone && gap(now, path) || !gone && gap(then, path) {
			return true
		}
		if gone {
			return now.WasIgnored(path) && covers(one, path) && !covers(two, path) && !WasAbsent(now, path)
		}
		return then.WasIgnored(path) && covers(two, path) && !covers(one, path) && !WasAbsent(then, path)
	}
}
