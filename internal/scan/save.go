package scan

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
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
	w := saver{s: s, b: Builder{HashLen: s.hashLen}}
	w.b.Grow(s.old)
	w.queue = append(w.queue, shelf{n: s.top, old: -1})
	for i := 0; i < len(w.queue); i++ {
		if q := w.queue[i]; q.n != nil {
			w.node(q.n)
		} else {
			w.lost(q.old)
		}
	}
	parts, _ := w.b.Parts(s.o.Root, s.o.TrackedKey, s.top.stat.Dev, s.top.stat.Ino)
	if err := fsroot.AtomicWrite(s.o.Cache, fsroot.Atomic{Prefix: fsroot.TempPrefix, Step: fsroot.Step}, parts...); err != nil {
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
	b     Builder
	queue []shelf
}

type shelf struct {
	n   *node
	old int
}

func (w *saver) node(n *node) {
	rules := n.rules
	if n.ignored || w.s.rulesMoved {
		rules = RuleID{}
	}
	w.b.Folder(rules)
	base := 0
	if n.folder >= 0 {
		base = w.s.old.Base(n.folder)
	}
	lost := n.lost
	for i := range n.items {
		it := &n.items[i]
		for ; len(lost) > 0; lost = lost[1:] {
			name, folder := w.s.old.Name(base, lost[0])
			if fsroot.Order(name, folder, n.name(it), it.folder) > 0 {
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
		flags &^= FlagsAsk
	}
	if it.folder {
		w.b.Add(name, true, flags, w.shelve(it), fsroot.Facts{}, "")
		return
	}
	if it.oid == "" {
		w.b.Add(name, false, flags, 0, fsroot.Facts{}, "")
		return
	}
	f := w.s.factsOf(it)
	if it.facts != nil && !w.s.clock.Settled(&f) {
		w.b.Add(name, false, flags, 0, fsroot.Facts{}, "")
		return
	}
	w.b.Add(name, false, flags|FlagTrusted, 0, f, it.oid)
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
	w.b.Folder(RuleID{})
	base := c.Base(folder)
	for rec, end := c.Span(folder); rec < end; rec++ {
		if c.Flags(rec)&FlagsKept != 0 {
			w.missing(base, rec)
		}
	}
}

// missing copies the old record of a tracked path that is not on disk now. It may
// come back as the same file, so its facts are kept.
func (w *saver) missing(base, rec int) {
	c := w.s.old
	name, folder := c.Name(base, rec)
	flags, child := c.Flags(rec)&(FlagsKept|FlagTrusted)|FlagMissing, 0
	if old := c.Child(rec); old != 0 && flags&FlagBelow != 0 {
		w.queue = append(w.queue, shelf{old: old})
		child = len(w.queue) - 1
	}
	if flags&FlagTrusted == 0 {
		w.b.Add(name, folder, flags, child, fsroot.Facts{}, "")
		return
	}
	w.b.Add(name, folder, flags, child, c.Facts(rec), c.OID(rec))
}
