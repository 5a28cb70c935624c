package scan

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// mergeNames creates items for the listed names and finds the old record of each.
func (w *worker) mergeNames(n *node) {
	s := w.scan
	s.folders.Add(1)
	n.items = make([]item, len(w.list.Names))
	rec, end, base := 0, 0, 0
	if n.folder >= 0 {
		rec, end = s.old.Records(n.folder)
		base = s.old.NamesStart(n.folder)
	}
	stale := 0
	for i := range n.items {
		m := &w.list.Names[i]
		it := &n.items[i]
		*it = item{path: m.Path, folder: m.Folder, rec: -1}
		name := n.name(it)
		for rec < end {
			old, folder := s.old.Name(base, rec)
			c := fsroot.CompareNames(old, folder, name, m.Folder)
			if c > 0 {
				break
			}
			flags := s.old.Flags(rec)
			if c == 0 {
				it.rec, it.flags = int32(rec), flags&FlagsFromIndex
				stale += int(flags&FlagMissing) / FlagMissing
			} else {
				stale += n.addMissing(rec, flags)
			}
			rec++
			if c == 0 {
				break
			}
		}
	}
	for ; rec < end; rec++ {
		stale += n.addMissing(rec, s.old.Flags(rec))
	}
	s.staleRecords.Add(int64(stale))
}

// addMissing keeps the old record of a tracked path that does not exist, and returns 1 if it
// existed in the last scan.
func (n *node) addMissing(rec int, flags uint8) int {
	if flags&FlagsFromIndex != 0 {
		n.missing = append(n.missing, rec)
	}
	return 1 - int(flags&FlagMissing)/FlagMissing
}

// maxRuleFile is the size limit of a .gitignore in bytes: git reads all of it into memory.
const maxRuleFile = 64 << 20

// readRules hashes the folder's .gitignore and sets the folder's rules. Git reads no .gitignore
// through a link. One that git would wait for (a FIFO), or that is too large, is an error: neither
// belay nor git could classify anything in the folder.
func (w *worker) readRules(n *node, fd int) error {
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
		path := filepath.Join(w.scan.opts.Root, filepath.FromSlash(it.path))
		switch k := f.Kind(); {
		case k == fsroot.Other && w.st.Mode&unix.S_IFMT != unix.S_IFSOCK && w.scan.opts.Ignored != nil: // git cannot open a socket
			return fsroot.CheckReadable(path, maxRuleFile)
		case k != fsroot.File && k != fsroot.Exec:
			return nil
		case f.Size > maxRuleFile && w.scan.opts.Ignored != nil:
			return &fsroot.SizeError{Path: path, Max: maxRuleFile}
		}
		w.scan.noteChange(&f)
		w.noteLinks(it)
		if it.oid == "" && !w.isKnown(it, &f) {
			it.facts = &f
			if err := w.readFile(n, it); err != nil {
				return err
			}
		}
		it.kind = f.Kind()
		if it.vanished {
			return nil
		}
		n.ruleFile = i
		n.rules = n.rules.Next(n.path, it.oid)
		return nil
	}
	return nil
}

// compareRules sets rulesDiffer if the rules of a folder differ from those of Options.Baseline.
func (n *node) compareRules(then *Baseline) {
	if then == nil || n.rulesDiffer {
		return
	}
	var now fsroot.OID
	if n.ruleFile >= 0 {
		now = n.items[n.ruleFile].oid
	}
	n.rulesDiffer = now != then.RuleFiles[n.pathPrefix()+".gitignore"]
}

// classifyFromCache uses the old answers if the same rules apply, and reports whether any name
// still has to be classified.
func (w *worker) classifyFromCache(n *node) bool {
	s := w.scan
	same := n.folder >= 0 && s.old.Rules(n.folder) == n.rules
	if !same {
		s.cacheChanged.Store(true)
	}
	open := false
	for i := range n.items {
		it := &n.items[i]
		if !it.isUntracked() {
			continue
		}
		if !n.hasSameRules() {
			it.flags &^= FlagsFromRules // copied from answers by other rules
		}
		if same && it.rec >= 0 {
			it.flags |= s.old.Flags(int(it.rec)) & FlagsFromRules
		}
		if s.opts.Ignored == nil || n.isCapturedRepo && n.name(it) == ".git" {
			it.flags |= FlagKnown
		}
		open = open || it.flags&FlagKnown == 0
	}
	if open {
		s.cacheChanged.Store(true)
		s.mu.Lock()
		s.classifiedNodes = append(s.classifiedNodes, n)
		s.mu.Unlock()
	}
	return open
}

// isUnignored reports whether the folder's names have to be classified by the rules of
// Options.Baseline too.
func (n *node) isUnignored() bool {
	return n.rulesDiffer && slices.ContainsFunc(n.items, func(it item) bool { return it.isUntracked() && it.flags&FlagIgnored != 0 })
}

// settleFolder decides which names are entered and checked, after all were classified.
func (w *worker) settleFolder(n *node, fd int) error {
	stats := 0
	for i := range n.items {
		it := &n.items[i]
		if n.ignored {
			it.flags |= FlagIgnored
		}
		it.included = it.isIgnored() && !n.isIncluded && w.scan.include != nil && w.scan.include.Covers(it.path, it.folder)
		if it.folder {
			w.descend(n, it)
		} else if w.scan.isCapturedFile(n, it) {
			stats++
		}
	}
	w.scan.foundNames.Add(int64(stats))
	if stats <= partSize {
		return w.checkFiles(n, fd, 0, len(n.items))
	}
	for from := 0; from < len(n.items); from += partSize {
		w.jobs = append(w.jobs, job{node: n, kind: jobStat, from: from, to: min(from+partSize, len(n.items))})
	}
	return nil
}

// isCapturedFile reports whether the file or link is captured; an ignored one only when Include
// matches it.
func (*scan) isCapturedFile(n *node, it *item) bool {
	return !it.isIgnored() || n.isIncluded || it.included
}

func (w *worker) descend(n *node, it *item) {
	was := it.child
	it.child = nil
	if w.reuseFolder(n, it, was) {
		return
	}
	in := w.scan.include
	covered := it.isIgnored() && (n.isIncluded || it.included)
	if it.isIgnored() && !covered && (in == nil || !in.Reaches(it.path)) {
		return
	}
	it.child = &node{
		path: it.path, parent: n, folder: -1, rules: n.rules, ruleFile: -1,
		hasTrackedBelow: it.flags&FlagBelow != 0, gitlink: it.flags&FlagGitlink != 0,
		ignored: it.isIgnored(), isIncluded: covered, rulesDiffer: n.rulesDiffer,
		isInGitFolder: n.isInGitFolder || n.isCapturedRepo && n.name(it) == ".git",
	}
	if it.rec >= 0 {
		if c := w.scan.old.Child(int(it.rec)); c != 0 {
			it.child.folder = c
		}
	}
	if was != nil && !w.scan.dirtyPaths.IsUnknown(it.path) {
		it.child.prev = was
	}
	w.jobs = append(w.jobs, job{node: it.child})
}

// checkFiles compares the files and links from..to with the cache.
func (w *worker) checkFiles(n *node, fd, from, to int) error {
	for i := from; i < to; i++ {
		it := &n.items[i]
		if it.folder || it.oid != "" || it.vanished || it.gap != "" || !w.scan.isCapturedFile(n, it) {
			continue
		}
		if err := fsroot.StatAt(fd, n.name(it), &w.st); err != nil {
			if err := w.addUnseen(it, err); err != nil {
				return err
			}
			continue
		}
		f := fsroot.FactsOf(&w.st)
		w.scan.noteChange(&f)
		w.noteLinks(it)
		// Before the cache: a scan with a higher limit may have recorded the file.
		if w.checkSize(it, &f) {
			continue
		}
		if !w.scan.dirtyPaths.MustRead(it.path) && w.isKnown(it, &f) {
			it.kind = f.Kind()
			continue
		}
		if err := w.inspect(n, it, fd, i, &f); err != nil {
			return err
		}
	}
	return nil
}

// ReasonTooLarge starts the reason of a gap for a file over Options.MaxFile.
const ReasonTooLarge = "too large"

// checkSize makes a file that is too large a gap.
func (w *worker) checkSize(it *item, f *fsroot.Facts) bool {
	k, limit := f.Kind(), w.scan.opts.MaxFile
	if limit <= 0 || f.Size <= limit || k != fsroot.File && k != fsroot.Exec || !it.isUntracked() {
		return false
	}
	copied := *f
	it.facts, it.kind = &copied, k
	it.gap = fmt.Sprintf(ReasonTooLarge+" (%s, the limit is %s)", belay.RoundSize(f.Size), belay.RoundSize(limit))
	return true
}

// addUnseen records why the stat of a name failed.
func (w *worker) addUnseen(it *item, err error) error {
	if fsroot.IsExhausted(err) {
		return fsroot.WrapPathError("stat", it.path, err)
	}
	if err == unix.EACCES || err == unix.EPERM || err == unix.EIO {
		it.gap = "cannot be read: " + err.Error()
		return nil
	}
	w.scan.unstable.Store(true)
	it.vanished = true
	return nil
}

// isKnown reports whether the cache or the index has a valid record of a file with these facts,
// which are also in w.st, and sets the item's OID.
func (w *worker) isKnown(it *item, f *fsroot.Facts) bool {
	if it.rec < 0 {
		return false
	}
	c, rec := w.scan.old, int(it.rec)
	flags := c.Flags(rec)
	switch {
	case flags&FlagTrusted != 0:
		if c.Facts(rec) != *f {
			return false
		}
		it.oid = c.OID(rec)
		return true
	case flags&FlagSeed != 0:
		if !c.IsSeedValid(rec, &w.st, f) {
			return false
		}
		copied := *f
		it.oid, it.facts = c.OID(rec), &copied
		return true
	}
	return false
}

// inspect handles a file, link or other name without a valid record.
func (w *worker) inspect(n *node, it *item, fd, i int, f *fsroot.Facts) error {
	copied := *f
	it.facts, it.kind = &copied, f.Kind()
	switch it.kind {
	case fsroot.Folder: // it was no folder when listed
		w.scan.unstable.Store(true)
		it.vanished = true
	case fsroot.Other:
		it.gap = f.SpecialName()
	case fsroot.SymbolicLink:
		return w.readLink(n, it, fd)
	default:
		w.jobs = append(w.jobs, job{node: n, kind: jobRead, from: i})
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
