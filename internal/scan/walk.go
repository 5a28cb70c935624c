package scan

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// merge makes items of the listed names and finds the old record of each.
func (w *worker) merge(n *node) {
	s := w.s
	s.folders.Add(1)
	n.items = make([]item, len(w.list.Names))
	rec, end, base := 0, 0, 0
	if n.folder >= 0 {
		rec, end = s.old.Span(n.folder)
		base = s.old.Base(n.folder)
	}
	stale := 0
	for i := range n.items {
		m := &w.list.Names[i]
		it := &n.items[i]
		*it = item{path: m.Path, folder: m.Folder, rec: -1}
		name := n.name(it)
		for rec < end {
			old, folder := s.old.Name(base, rec)
			c := fsroot.Order(old, folder, name, m.Folder)
			if c > 0 {
				break
			}
			flags := s.old.Flags(rec)
			if c == 0 {
				it.rec, it.flags = int32(rec), flags&FlagsKept
				stale += int(flags&FlagMissing) / FlagMissing
			} else {
				stale += n.lose(rec, flags)
			}
			rec++
			if c == 0 {
				break
			}
		}
	}
	for ; rec < end; rec++ {
		stale += n.lose(rec, s.old.Flags(rec))
	}
	s.stale.Add(int64(stale))
}

// lose keeps an old record of a tracked path that is not on disk, and counts one
// that was there the last time.
func (n *node) lose(rec int, flags uint8) int {
	if flags&FlagsKept != 0 {
		n.lost = append(n.lost, rec)
	}
	return 1 - int(flags&FlagMissing)/FlagMissing
}

// mostRules is what a .gitignore may have, in bytes: git reads all of it into memory.
const mostRules = 64 << 20

// rules hashes the folder's .gitignore and names the rules that hold in it. Git
// reads no .gitignore through a link. One that git would wait for (a FIFO), or that is too
// large, is refused: nothing in the folder could be classified, by git neither.
func (w *worker) rules(n *node, fd int) error {
	n.ruleFile = -1
	for i := range n.items {
		it := &n.items[i]
		if it.folder || n.name(it) != ".gitignore" {
			continue
		}
		if err := fsroot.StatAt(fd, ".gitignore", &w.st); err != nil {
			return nil
		}
		f := fsroot.FactsOf(&w.st)
		path := filepath.Join(w.s.o.Root, filepath.FromSlash(it.path))
		switch k := f.Kind(); {
		case k == fsroot.Other && w.st.Mode&unix.S_IFMT != unix.S_IFSOCK && w.s.o.Ignored != nil: // git cannot open a socket
			return fsroot.Usable(path, mostRules)
		case k != fsroot.File && k != fsroot.Exec:
			return nil
		case f.Size > mostRules && w.s.o.Ignored != nil:
			return &fsroot.SizeError{Path: path, Most: mostRules}
		}
		w.s.changed(&f)
		w.links(it)
		if it.oid == "" && !w.known(it, &f) {
			it.facts = &f
			if err := w.read(n, it); err != nil {
				return err
			}
		}
		it.kind = f.Kind()
		if it.gone {
			return nil
		}
		n.ruleFile = i
		n.rules = n.rules.Next(n.path, it.oid)
		return nil
	}
	return nil
}

// compare finds out whether the rules that hold in a folder are those of Options.Then.
func (n *node) compare(then *Then) {
	if then == nil || n.moved {
		return
	}
	var now fsroot.OID
	if n.ruleFile >= 0 {
		now = n.items[n.ruleFile].oid
	}
	n.moved = now != then.Files[n.lead()+".gitignore"]
}

// classify takes over the old answers when the same rules hold, and reports whether
// something is left to ask.
func (w *worker) classify(n *node) bool {
	s := w.s
	same := n.folder >= 0 && s.old.Rules(n.folder) == n.rules
	if !same {
		s.dirty.Store(true)
	}
	open := false
	for i := range n.items {
		it := &n.items[i]
		if !it.outside() {
			continue
		}
		if !n.sameRules() {
			it.flags &^= FlagsAsk // answers of other rules, inherited
		}
		if same && it.rec >= 0 {
			it.flags |= s.old.Flags(int(it.rec)) & FlagsAsk
		}
		if s.o.Ignored == nil || n.whole && n.name(it) == ".git" {
			it.flags |= FlagKnown
		}
		open = open || it.flags&FlagKnown == 0
	}
	if open {
		s.dirty.Store(true)
		s.mu.Lock()
		s.ruled = append(s.ruled, n)
		s.mu.Unlock()
	}
	return open
}

// doubtful reports whether a name is ignored by rules that are not those of Options.Then.
func (n *node) doubtful() bool {
	return n.moved && slices.ContainsFunc(n.items, func(it item) bool { return it.outside() && it.flags&FlagIgnored != 0 })
}

// settle decides which names are entered and looked at; all are classified.
func (w *worker) settle(n *node, fd int) error {
	stats := 0
	for i := range n.items {
		it := &n.items[i]
		if n.ignored {
			it.flags |= FlagIgnored
		}
		it.picked = it.ignored() && !n.covered && w.s.include != nil && w.s.include.Covers(it.path, it.folder)
		if it.folder {
			w.descend(n, it)
		} else if w.s.wanted(n, it) {
			stats++
		}
	}
	w.s.found.Add(int64(stats))
	if stats <= partSize {
		return w.look(n, fd, 0, len(n.items))
	}
	for from := 0; from < len(n.items); from += partSize {
		w.jobs = append(w.jobs, job{n: n, kind: jobStat, from: from, to: min(from+partSize, len(n.items))})
	}
	return nil
}

// wanted reports whether the file or link is captured; being ignored, only when
// Include says so.
func (*scan) wanted(n *node, it *item) bool {
	return !it.ignored() || n.covered || it.picked
}

func (w *worker) descend(n *node, it *item) {
	was := it.child
	it.child = nil
	if w.adopt(n, it, was) {
		return
	}
	in := w.s.include
	covered := it.ignored() && (n.covered || it.picked)
	if it.ignored() && !covered && (in == nil || !in.Reaches(it.path)) {
		return
	}
	it.child = &node{
		path: it.path, parent: n, folder: -1, rules: n.rules, ruleFile: -1,
		below: it.flags&FlagBelow != 0, gitlink: it.flags&FlagGitlink != 0,
		ignored: it.ignored(), covered: covered, moved: n.moved, inGit: n.inGit || n.whole && n.name(it) == ".git",
	}
	if it.rec >= 0 {
		if c := w.s.old.Child(int(it.rec)); c != 0 {
			it.child.folder = c
		}
	}
	if was != nil && !w.s.dirt.Unknown(it.path) {
		it.child.prev = was
	}
	w.jobs = append(w.jobs, job{n: it.child})
}

// look compares the files and links from..to with what the cache knows.
func (w *worker) look(n *node, fd, from, to int) error {
	for i := from; i < to; i++ {
		it := &n.items[i]
		if it.folder || it.oid != "" || it.gone || it.gap != "" || !w.s.wanted(n, it) {
			continue
		}
		if err := fsroot.StatAt(fd, n.name(it), &w.st); err != nil {
			if err := w.unseen(it, err); err != nil {
				return err
			}
			continue
		}
		f := fsroot.FactsOf(&w.st)
		w.s.changed(&f)
		w.links(it)
		// Before the cache is asked: a scan with a higher limit may have put it there.
		if w.tooLarge(it, &f) {
			continue
		}
		if !w.s.dirt.MustRead(it.path) && w.known(it, &f) {
			it.kind = f.Kind()
			continue
		}
		if err := w.inspect(n, it, fd, i, &f); err != nil {
			return err
		}
	}
	return nil
}

// TooLarge begins the reason of a gap that is a file over Options.MaxFile.
const TooLarge = "too large"

// tooLarge makes a gap of a file that has too many bytes.
func (w *worker) tooLarge(it *item, f *fsroot.Facts) bool {
	k, limit := f.Kind(), w.s.o.MaxFile
	if limit <= 0 || f.Size <= limit || k != fsroot.File && k != fsroot.Exec || !it.outside() {
		return false
	}
	copied := *f
	it.facts, it.kind, it.gap = &copied, k, fmt.Sprintf(TooLarge+" (%s, the limit is %s)", belay.RoundSize(f.Size), belay.RoundSize(limit))
	return true
}

// unseen records why a name gave no stat.
func (w *worker) unseen(it *item, err error) error {
	if fsroot.Exhausted(err) {
		return fsroot.PathError("stat", it.path, err)
	}
	if err == unix.EACCES || err == unix.EPERM || err == unix.EIO {
		it.gap = "cannot be read: " + err.Error()
		return nil
	}
	w.s.moving.Store(true)
	it.gone = true
	return nil
}

// known reports whether the cache or the index vouches for a file with these facts,
// which w.st holds too; then the item has its OID.
func (w *worker) known(it *item, f *fsroot.Facts) bool {
	if it.rec < 0 {
		return false
	}
	c, rec := w.s.old, int(it.rec)
	flags := c.Flags(rec)
	switch {
	case flags&FlagTrusted != 0:
		if c.Facts(rec) != *f {
			return false
		}
		it.oid = c.OID(rec)
		return true
	case flags&FlagSeed != 0:
		if !c.SeedHolds(rec, &w.st, f) {
			return false
		}
		copied := *f
		it.oid, it.facts = c.OID(rec), &copied
		return true
	}
	return false
}

// inspect handles a file, link or other thing that nothing vouches for.
func (w *worker) inspect(n *node, it *item, fd, i int, f *fsroot.Facts) error {
	copied := *f
	it.facts, it.kind = &copied, f.Kind()
	switch it.kind {
	case fsroot.Folder: // a moment ago it was none
		w.s.moving.Store(true)
		it.gone = true
	case fsroot.Other:
		it.gap = f.Special()
	case fsroot.SymbolicLink:
		return w.readLink(n, it, fd)
	default:
		w.jobs = append(w.jobs, job{n: n, kind: jobRead, from: i})
	}
	return nil
}

// factsOf returns the facts that the item's OID belongs to.
func (s *scan) factsOf(it *item) fsroot.Facts {
	if it.facts != nil {
		return *it.facts
	}
	return s.old.Facts(int(it.rec))
}
