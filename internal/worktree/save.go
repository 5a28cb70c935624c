package worktree

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
)

// Save writes the cache for the next scan, by a temporary file in the folder of the
// cache and a rename, or not at all when that would cost more than it saves: when
// nothing changed, or only a file in a thousand has to be read again. A lost cache
// costs time and nothing else, so nothing is synced. It does nothing without
// Options.Cache.
func (r *Result) Save() error {
	s := r.scan
	few := s.stale.Load()*1000 <= int64(len(r.Entries)) && s.bytes.Load() < 1<<20
	if s.o.Cache == "" || !s.dirty.Load() && few {
		return nil
	}
	w := saver{s: s, b: builder{hashLen: s.hashLen}}
	w.b.grow(s.old)
	w.queue = append(w.queue, shelf{n: s.top, old: -1})
	for i := 0; i < len(w.queue); i++ {
		if q := w.queue[i]; q.n != nil {
			w.node(q.n)
		} else {
			w.lost(q.old)
		}
	}
	parts, _ := w.b.parts(s.o.Root, s.o.TrackedKey, s.top.stat.dev, s.top.stat.ino)
	if err := replace(s.o.Cache, parts); err != nil {
		return fmt.Errorf("saving the stat cache %s: %w", belay.VisibleLine(s.o.Cache), err)
	}
	s.dirty.Store(false)
	s.stale.Store(0)
	return nil
}

// saver writes folders in the order in which they are named. A shelf is one of them:
// a node, or what an old cache knew of a tracked folder that was not entered.
type saver struct {
	s     *scan
	b     builder
	queue []shelf
}

type shelf struct {
	n   *node
	old int
}

func (w *saver) node(n *node) {
	rules := n.rules
	if n.ignored || w.s.rulesMoved {
		rules = ruleID{}
	}
	w.b.folder(rules)
	base := 0
	if n.folder >= 0 {
		base = w.s.old.base(n.folder)
	}
	lost := n.lost
	for i := range n.items {
		it := &n.items[i]
		for ; len(lost) > 0; lost = lost[1:] {
			name, folder := w.s.old.name(base, lost[0])
			if order(name, folder, n.name(it), it.folder) > 0 {
				break
			}
			w.missing(base, lost[0])
		}
		w.item(n, it, base)
	}
	for _, rec := range lost {
		w.missing(base, rec)
	}
}

func (w *saver) item(n *node, it *item, base int) {
	if it.gone || it.child != nil && it.child.state == nodeGone {
		if it.rec >= 0 && !it.outside() {
			w.missing(base, int(it.rec))
		}
		return
	}
	name, flags := n.name(it), it.flags
	if n.ignored || w.s.rulesMoved {
		flags &^= flagsAsk
	}
	if it.folder {
		w.b.add(name, true, flags, w.shelve(it), facts{}, "")
		return
	}
	if it.oid == "" {
		w.b.add(name, false, flags, 0, facts{}, "")
		return
	}
	f := w.s.factsOf(it)
	if it.facts != nil && !w.s.clock.settled(&f) {
		w.b.add(name, false, flags, 0, facts{}, "")
		return
	}
	w.b.add(name, false, flags|flagTrusted, 0, f, it.oid)
}

// shelve queues a folder and gives its number, 0 when nothing is known of it.
func (w *saver) shelve(it *item) int {
	switch c := it.child; {
	case c == nil:
		return 0
	case c.state == nodeListed:
		w.queue = append(w.queue, shelf{n: c, old: -1})
	case c.below && c.folder >= 0:
		w.queue = append(w.queue, shelf{old: c.folder})
	default:
		return 0
	}
	return len(w.queue) - 1
}

// lost copies what is tracked in an old folder.
func (w *saver) lost(folder int) {
	c := w.s.old
	w.b.folder(ruleID{})
	base := c.base(folder)
	for rec, end := c.span(folder); rec < end; rec++ {
		if c.flags(rec)&flagsKept != 0 {
			w.missing(base, rec)
		}
	}
}

// missing copies the old record of a tracked path that is not on disk now. It may
// come back as the same file, so its facts are kept.
func (w *saver) missing(base, rec int) {
	c := w.s.old
	name, folder := c.name(base, rec)
	flags, child := c.flags(rec)&(flagsKept|flagTrusted)|flagMissing, 0
	if old := c.child(rec); old != 0 && flags&flagBelow != 0 {
		w.queue = append(w.queue, shelf{old: old})
		child = len(w.queue) - 1
	}
	if flags&flagTrusted == 0 {
		w.b.add(name, folder, flags, child, facts{}, "")
		return
	}
	w.b.add(name, folder, flags, child, c.facts(rec), c.oid(rec))
}

// replace writes a file beside path and renames it over path.
func replace(path string, parts [][]byte) error {
	if err := fault("create", path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), TempPrefix+"*")
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err == nil {
			err = fault("write", path)
		}
		if err == nil {
			_, err = f.Write(p)
		}
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fault("rename", path)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
