package scan

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Save writes the cache for the next scan, through a temporary file beside it and a rename. It does
// nothing if writing would cost more than it saves: when nothing changed, or only one file in a
// thousand has to be read again. A lost cache only costs time, so nothing is synced. Without
// Options.Cache it does nothing.
func (r *Result) Save() error {
	s := r.scan
	few := s.staleRecords.Load()*1000 <= int64(len(r.Entries)) && s.bytes.Load() < 1<<20
	if s.opts.Cache == "" || !s.cacheChanged.Load() && few {
		return nil
	}
	w := cacheWriter{scan: s, builder: Builder{HashLen: s.hashLen}}
	w.builder.Grow(s.old)
	w.queue = append(w.queue, queuedFolder{node: s.top, old: -1})
	for i := 0; i < len(w.queue); i++ {
		if q := w.queue[i]; q.node != nil {
			w.writeNode(q.node)
		} else {
			w.copyTracked(q.old)
		}
	}
	parts, _ := w.builder.Parts(s.opts.Root, s.opts.TrackedKey, s.top.stat.Dev, s.top.stat.Ino)
	if err := fsroot.AtomicWrite(s.opts.Cache, fsroot.AtomicOptions{Prefix: fsroot.TempPrefix, Step: fsroot.Step}, parts...); err != nil {
		return fmt.Errorf("saving the stat cache %s: %w", belay.VisibleLine(s.opts.Cache), err)
	}
	s.cacheChanged.Store(false)
	s.staleRecords.Store(0)
	return nil
}

// cacheWriter writes folders in the order of their numbers.
type cacheWriter struct {
	scan    *scan
	builder Builder
	queue   []queuedFolder
}

// queuedFolder is a folder to write: a node, or the old cache's record of a tracked folder that was
// not entered.
type queuedFolder struct {
	node *node
	old  int
}

func (w *cacheWriter) writeNode(n *node) {
	rules := n.rules
	if n.ignored || w.scan.outerRulesChanged {
		rules = RuleID{}
	}
	w.builder.StartFolder(rules)
	base := 0
	if n.folder >= 0 {
		base = w.scan.old.NamesStart(n.folder)
	}
	lost := n.missing
	for i := range n.items {
		it := &n.items[i]
		for ; len(lost) > 0; lost = lost[1:] {
			name, folder := w.scan.old.Name(base, lost[0])
			if fsroot.CompareNames(name, folder, n.name(it), it.folder) > 0 {
				break
			}
			w.copyMissing(base, lost[0])
		}
		w.writeItem(n, it, base)
	}
	for _, rec := range lost {
		w.copyMissing(base, rec)
	}
}

func (w *cacheWriter) writeItem(n *node, it *item, base int) {
	if it.vanished || it.child != nil && it.child.state == nodeVanished {
		if it.rec >= 0 && !it.isUntracked() {
			w.copyMissing(base, int(it.rec))
		}
		return
	}
	name, flags := n.name(it), it.flags
	if n.ignored || w.scan.outerRulesChanged {
		flags &^= FlagsFromRules
	}
	if it.folder {
		w.builder.Add(name, true, flags, w.enqueueFolder(it), fsroot.Facts{}, "")
		return
	}
	if it.oid == "" {
		w.builder.Add(name, false, flags, 0, fsroot.Facts{}, "")
		return
	}
	f := w.scan.factsOf(it)
	if it.facts != nil && !w.scan.clock.IsSettled(&f) {
		w.builder.Add(name, false, flags, 0, fsroot.Facts{}, "")
		return
	}
	w.builder.Add(name, false, flags|FlagTrusted, 0, f, it.oid)
}

// enqueueFolder queues a folder and returns its number, 0 when nothing is known about it.
func (w *cacheWriter) enqueueFolder(it *item) int {
	switch c := it.child; {
	case c == nil:
		return 0
	case c.state == nodeListed:
		w.queue = append(w.queue, queuedFolder{node: c, old: -1})
	case c.hasTrackedBelow && c.folder >= 0:
		w.queue = append(w.queue, queuedFolder{old: c.folder})
	default:
		return 0
	}
	return len(w.queue) - 1
}

// copyTracked copies the tracked paths of an old folder.
func (w *cacheWriter) copyTracked(folder int) {
	c := w.scan.old
	w.builder.StartFolder(RuleID{})
	base := c.NamesStart(folder)
	for rec, end := c.Records(folder); rec < end; rec++ {
		if c.Flags(rec)&FlagsFromIndex != 0 {
			w.copyMissing(base, rec)
		}
	}
}

// copyMissing copies the old record of a tracked path that does not exist now. The same file may
// return, so its facts are kept.
func (w *cacheWriter) copyMissing(base, rec int) {
	c := w.scan.old
	name, folder := c.Name(base, rec)
	flags, child := c.Flags(rec)&(FlagsFromIndex|FlagTrusted)|FlagMissing, 0
	if old := c.Child(rec); old != 0 && flags&FlagBelow != 0 {
		w.queue = append(w.queue, queuedFolder{old: old})
		child = len(w.queue) - 1
	}
	if flags&FlagTrusted == 0 {
		w.builder.Add(name, folder, flags, child, fsroot.Facts{}, "")
		return
	}
	w.builder.Add(name, folder, flags, child, c.Facts(rec), c.OID(rec))
}
