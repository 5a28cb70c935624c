package watch

import (
	"context"
	"errors"

	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/snapshot"
)

// view is the tree as of the last request, with a tracker for later changes.
type view struct {
	place   *snapshot.Worktree
	dir     string // the folder of cookies
	tracker *Tracker
	outline snapshot.ScanInputs
	mounts  string
	tree    *scan.Tree
	book    *snapshot.FolderSums
	known   []known // states that a snapshot may be based on, oldest first
}

type known struct {
	base string
	top  scan.Folder
}

// errMoving says that files changed during every attempt to read them. The view stays usable.
var errMoving = errors.New("the working tree keeps changing")

const (
	maxPasses = 4 // how often changed paths are read for one request
	maxKnown  = 8 // how many states are remembered
)

// newView scans the tree and starts watching each folder just before it is listed.
func newView(ctx context.Context, place *snapshot.Worktree, dir string) (_ *view, err error) {
	v := &view{place: place, dir: dir, book: snapshot.NewFolderSums(place.Repo)}
	if v.tracker, err = New(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			v.close()
		}
	}()
	if err := v.tracker.Cookies(dir); err != nil {
		return nil, err
	}
	if v.mounts, err = Mounts(place.Repo.Root); err != nil {
		return nil, err
	}
	if v.outline, err = place.ScanInputs(ctx); err != nil {
		return nil, err
	}
	ask := place.Repo.Ignorer(ctx)
	defer ask.Close()
	o := v.outline.Options
	o.OnFolder, o.Ignored = v.tracker.Enter, ask.Ask
	all, err := scan.Scan(ctx, o)
	if err != nil {
		return nil, err
	}
	v.tree = all.Tree()
	if err := v.settle(ctx, true); err != nil && !errors.Is(err, errMoving) {
		return nil, err
	}
	v.book.Files(v.tree.Top())
	return v, nil
}

func (v *view) close() { v.tracker.Close() }

// settle updates the view until it matches the tree at some moment after the call. It reads the
// changed paths again until no event arrives between two fences, which means that nothing changed
// while they were read. After any error but errMoving the view is unreliable.
func (v *view) settle(ctx context.Context, doubt bool) error {
	more := &scan.DirtyPaths{}
	if doubt {
		if err := v.doubt(more); err != nil {
			return err
		}
	}
	for try := 0; ; try++ {
		if err := v.tracker.Fence(ctx); err != nil {
			return err
		}
		d, lost := v.tracker.TakeDirty()
		if lost != "" {
			return errors.New(lost)
		}
		d.Add(more)
		if d.Len() == 0 {
			return nil
		}
		if try == maxPasses {
			v.tracker.MarkAgain(d)
			return errMoving
		}
		moving, err := v.pass(ctx, d)
		if err != nil {
			return err
		}
		if more = (&scan.DirtyPaths{}); moving {
			more = d
		}
	}
}

// doubt marks files that can change without an event: see snapshot.MarkUncertain and Written.
func (v *view) doubt(d *scan.DirtyPaths) error {
	v.book.MarkUncertain(v.tree.Top(), d)
	open, err := Written(v.place.Repo.Root)
	if err != nil {
		return err
	}
	for path := range open {
		d.MarkForce(path)
	}
	return nil
}

// pass reads the marked paths again. moving reports whether some of them changed meanwhile.
func (v *view) pass(ctx context.Context, d *scan.DirtyPaths) (moving bool, err error) {
	ask := v.place.Repo.Ignorer(ctx)
	defer ask.Close()
	next, err := v.tree.Update(ctx, d, ask.Ask)
	if err != nil {
		return false, err
	}
	snapshot.EachDeleted(v.tree.Top(), next.Top(), v.tracker.Leave)
	v.tree = next
	if next.HasNewLinks {
		return false, errors.New("a file has a second hard link")
	}
	return next.Unstable, nil
}

// checkSurroundings checks what matters besides the files of the tree: mounts and the index. After
// an error the view is unreliable.
func (v *view) checkSurroundings(ctx context.Context) error {
	now, err := Mounts(v.place.Repo.Root)
	if err != nil {
		return err
	}
	if now != v.mounts {
		return errors.New("something was mounted or unmounted")
	}
	key, err := v.place.IndexKey()
	if err != nil || key == v.outline.IndexKey {
		return err
	}
	key, set, err := v.place.TrackedSet(ctx)
	if err != nil {
		return err
	}
	if set != v.outline.TrackedKey {
		return errors.New("the index has different paths")
	}
	v.outline.IndexKey = key
	return nil
}

// answer returns the tree's manifest and what is new since the snapshot with this base, or nil when
// the base is unknown.
func (v *view) answer(base string) *snapshot.WatchAnswer {
	top := v.tree.Top()
	seen := &snapshot.WatchAnswer{
		Manifest: v.book.Manifest(top), Blobs: map[string]*snapshot.BlobSource{},
		IndexKey: v.outline.IndexKey, RulesKey: v.outline.RulesKey,
	}
	seen.Count, seen.Tree = v.book.Files(top)
	var from *known
	for i := range v.known {
		if v.known[i].base == base {
			from = &v.known[i]
		}
	}
	if from != nil {
		v.book.CollectNew(&from.top, top, seen)
	}
	v.remember(known{snapshot.BaseKey(v.place.Repo, seen.Tree, seen.Manifest), top})
	if from == nil {
		return nil
	}
	return seen
}

// remember stores a state that the next snapshot may be based on.
func (v *view) remember(k known) {
	for i, old := range v.known {
		if old.base == k.base {
			v.known = append(v.known[:i], v.known[i+1:]...)
			break
		}
	}
	v.known = append(v.known, k)
	if len(v.known) > maxKnown {
		v.known = append([]known(nil), v.known[len(v.known)-maxKnown:]...)
	}
}
