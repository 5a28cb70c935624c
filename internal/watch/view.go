package watch

import (
	"context"
	"errors"

	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/snapshot"
)

// view is the tree as it was at the last question, with a listener for what changed since.
type view struct {
	place   *snapshot.Place
	dir     string // where cookies are made
	ear     *Ear
	outline snapshot.Outline
	mounts  string
	tree    *scan.Tree
	book    *snapshot.Book
	known   []known // what snapshots may rest on, oldest first
}

type known struct {
	base string
	top  scan.Folder
}

// errMoving says that no moment was found in which nothing changed; the view is as
// good as before.
var errMoving = errors.New("the working tree keeps changing")

const (
	passes = 4 // how often changed paths are looked at for one question
	keep   = 8 // how many states are remembered
)

// newView watches every folder, then looks at all of them.
func newView(ctx context.Context, place *snapshot.Place, dir string) (_ *view, err error) {
	v := &view{place: place, dir: dir, book: snapshot.New(place.Repo)}
	if v.ear, err = New(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			v.close()
		}
	}()
	if err := v.ear.Cookies(dir); err != nil {
		return nil, err
	}
	if v.mounts, err = Mounts(place.Repo.Root); err != nil {
		return nil, err
	}
	if v.outline, err = place.Outline(ctx); err != nil {
		return nil, err
	}
	ask := place.Repo.Ignorer(ctx)
	defer ask.Close()
	o := v.outline.Options
	o.Entering, o.Ignored = v.ear.Enter, ask.Ask
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

func (v *view) close() { v.ear.Close() }

// settle brings the view to a moment after the call. It looks at what was heard of, and
// once more, until nothing is heard any more between two fences: then the tree stood
// still while it was looked at. Any error but errMoving means that the view is lost.
func (v *view) settle(ctx context.Context, doubt bool) error {
	more := &scan.Dirt{}
	if doubt {
		if err := v.doubt(more); err != nil {
			return err
		}
	}
	for try := 0; ; try++ {
		if err := v.ear.Fence(ctx); err != nil {
			return err
		}
		d, deaf := v.ear.Take()
		if deaf != "" {
			return errors.New(deaf)
		}
		d.Add(more)
		if d.Len() == 0 {
			return nil
		}
		if try == passes {
			v.ear.Put(d)
			return errMoving
		}
		moving, err := v.pass(ctx, d)
		if err != nil {
			return err
		}
		if more = (&scan.Dirt{}); moving {
			more = d
		}
	}
}

// doubt marks what changes without a word: see snapshot.Doubtful and Written.
func (v *view) doubt(d *scan.Dirt) error {
	v.book.Doubtful(v.tree.Top(), d)
	open, err := Written(v.place.Repo.Root)
	if err != nil {
		return err
	}
	for path := range open {
		d.Force(path)
	}
	return nil
}

// pass looks at what is marked.
func (v *view) pass(ctx context.Context, d *scan.Dirt) (moving bool, err error) {
	ask := v.place.Repo.Ignorer(ctx)
	defer ask.Close()
	next, err := v.tree.Again(ctx, d, ask.Ask)
	if err != nil {
		return false, err
	}
	snapshot.Gone(v.tree.Top(), next.Top(), v.ear.Leave)
	v.tree = next
	if next.Linked {
		return false, errors.New("a file has a second hard link")
	}
	return next.Moving, nil
}

// surroundings looks at what decides about the tree from outside. An error means that
// the view is lost.
func (v *view) surroundings(ctx context.Context) error {
	now, err := Mounts(v.place.Repo.Root)
	if err != nil {
		return err
	}
	if now != v.mounts {
		return errors.New("something was mounted or unmounted")
	}
	key, err := v.place.IndexKey()
	if err != nil || key == v.outline.Index {
		return err
	}
	key, set, err := v.place.TrackedSet(ctx)
	if err != nil {
		return err
	}
	if set != v.outline.Tracked {
		return errors.New("the index has different paths")
	}
	v.outline.Index = key
	return nil
}

// answer returns what the tree comes to, and what of it is not in the snapshot with this
// base; nil when that is not known.
func (v *view) answer(base string) *snapshot.Seen {
	top := v.tree.Top()
	seen := &snapshot.Seen{
		Man: v.book.Manifest(top), Changed: map[string]*snapshot.Source{},
		Index: v.outline.Index, Rules: v.outline.Rules,
	}
	seen.Count, seen.Tree = v.book.Files(top)
	var from *known
	for i := range v.known {
		if v.known[i].base == base {
			from = &v.known[i]
		}
	}
	if from != nil {
		v.book.Since(&from.top, top, seen)
	}
	v.learn(known{snapshot.Base(v.place.Repo, seen.Tree, seen.Man), top})
	if from == nil {
		return nil
	}
	return seen
}

// learn remembers a state that the next snapshot may hold.
func (v *view) learn(k known) {
	for i, old := range v.known {
		if old.base == k.base {
			v.known = append(v.known[:i], v.known[i+1:]...)
			break
		}
	}
	v.known = append(v.known, k)
	if len(v.known) > keep {
		v.known = append([]known(nil), v.known[len(v.known)-keep:]...)
	}
}
