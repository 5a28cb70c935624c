package flow

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Diff is two states and what differs between them.
type Diff struct {
	From    belay.SnapshotID `json:"from"`
	To      belay.SnapshotID `json:"to,omitempty"`
	Paths   []string         `json:"paths,omitempty"`
	Changes []belay.Change   `json:"changes"`
}

// Diff compares two snapshots. From may be a task: its state before, with what its
// last attempt left. An empty to is the present, which is held as a snapshot first.
func (d *Desk) Diff(ctx context.Context, from, to string, paths []string) (Diff, error) {
	var out Diff
	f, t, err := d.sides(ctx, from, to)
	if err != nil {
		return out, err
	}
	out.From, out.To, out.Paths = f, t, paths
	all, err := d.Snaps.Changes(ctx, f, t)
	out.Changes = []belay.Change{}
	for _, c := range all {
		if within(paths, c.Path) {
			out.Changes = append(out.Changes, c)
		}
	}
	return out, err
}

func (d *Desk) sides(ctx context.Context, from, to string) (f, t belay.SnapshotID, err error) {
	if task, perr := belay.ParseTaskID(from); perr == nil {
		if r, lerr := d.Load(task); lerr == nil && r.State.Before != "" {
			f = r.State.Before
			for _, a := range r.State.Attempts {
				if a.Snapshot != "" {
					t = a.Snapshot
				}
			}
		}
	}
	if f == "" {
		if f, err = d.find(ctx, from); err != nil {
			return "", "", err
		}
	}
	switch {
	case to != "":
		t, err = d.find(ctx, to)
		return f, t, err
	case t != "":
		return f, t, nil
	}
	info, err := d.Snaps.Take(ctx, snapshot.Meta{Kind: belay.KindManual, Message: "the present, for a diff"})
	return f, info.ID, err
}

func (d *Desk) find(ctx context.Context, s string) (belay.SnapshotID, error) {
	id, err := belay.ParseSnapshotID(s)
	if err != nil {
		return "", err
	}
	return d.Snaps.Resolve(ctx, id)
}

func within(paths []string, path string) bool {
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		if p == path || p == "." || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return len(paths) == 0
}

// Patch writes a diff as text.
func (d *Desk) Patch(ctx context.Context, f Diff, w io.Writer) error {
	return d.Snaps.Patch(ctx, f.From, f.To, f.Paths, w)
}

// Paths turns paths given by a person, relative to the folder dir they stand in,
// into paths from the root. A path outside the repository is refused.
func (d *Desk) Paths(dir string, given []string) ([]string, error) {
	var out []string
	for _, p := range given {
		abs := p
		if !filepath.IsAbs(p) {
			base, err := filepath.Abs(dir)
			if err != nil {
				return nil, err
			}
			if real, err := filepath.EvalSymlinks(base); err == nil {
				base = real
			}
			abs = filepath.Join(base, p)
		}
		rel, err := filepath.Rel(d.Repo.Root, abs)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(os.PathSeparator)) {
			return nil, belay.Refuse(belay.CodeUsage, "give paths below "+d.Repo.Root, "%q is outside the repository", p)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// Adhoc gives a task that was never recorded, for a check without one.
func (d *Desk) Adhoc(trust bool) (belay.Task, error) {
	t, err := d.task(NewTask{Prose: "checked by hand"})
	if err != nil {
		return t, err
	}
	t.Agent = nil
	return t, d.trusted(t, trust)
}
