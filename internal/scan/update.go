package scan

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Tree is the result of a scan, for incremental scans: given the changed paths, Update makes the
// next tree by scanning only those. Both share the folders in which nothing changed. A Tree must be
// used by one goroutine at a time.
type Tree struct {
	scan        *scan
	Unstable    bool // something changed while it was scanned
	HasNewLinks bool // a file has a second hard link, which earlier trees may not record
}

// ErrReplaced reports that the folder to scan is another one than before.
var ErrReplaced = errors.New("the folder was replaced")

// Tree returns the tree of a result. The result is not needed afterwards.
func (r *Result) Tree() *Tree { return &Tree{scan: r.scan, Unstable: r.Unstable} }

// Update scans the dirty paths, and takes everything else from the earlier tree: the caller
// guarantees that d is complete. ignored is like Options.Ignored, and has to use the rules of the
// first scan. The earlier tree stays valid.
func (t *Tree) Update(ctx context.Context, d *DirtyPaths, ignored func(context.Context, []string) ([]bool, error)) (*Tree, error) {
	was := t.scan
	s := &scan{opts: was.opts, old: was.old, include: was.include, hashLen: was.hashLen, gitDir: was.gitDir, gitID: was.gitID,
		pool: NewPool[job](), dirtyPaths: d}
	s.opts.Ignored = ignored
	fail := func(err error) (*Tree, error) {
		return nil, fmt.Errorf("scan %s: %w", belay.VisibleLine(s.opts.Root), err)
	}
	var err error
	if s.root, err = unix.Open(s.opts.Root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return fail(err)
	}
	defer unix.Close(s.root)
	var st unix.Stat_t
	if err := unix.Fstat(s.root, &st); err != nil {
		return fail(err)
	}
	f := fsroot.FactsOf(&st)
	if f.Dev != was.top.stat.Dev || f.Ino != was.top.stat.Ino {
		return fail(ErrReplaced)
	}
	dir := ""
	if s.opts.Cache != "" {
		dir = filepath.Dir(s.opts.Cache)
	}
	s.clock = ReadClock(dir)
	s.top = &node{folder: was.top.folder, stat: f, rules: FirstRules(s.opts.RulesKey), prev: was.top}
	err = s.walk(ctx)
	for _, n := range s.nodesWithPrev {
		n.prev = nil // otherwise every tree would refer to all earlier ones
	}
	s.nodesWithPrev, s.dirtyPaths, s.classifiedNodes = nil, nil, nil
	if err != nil {
		return fail(err)
	}
	return &Tree{scan: s, Unstable: s.unstable.Load(), HasNewLinks: s.hasNewLinks.Load()}, nil
}

func (n *node) hasSameRules() bool { return n.prev != nil && n.rules == n.prev.rules }

// addMade records a folder with a prev that has to be cleared at the end.
func (s *scan) addMade(n *node) {
	s.mu.Lock()
	s.nodesWithPrev = append(s.nodesWithPrev, n)
	s.mu.Unlock()
}

// copyNames fills in a folder with the names of the earlier tree.
func (w *worker) copyNames(n *node) error {
	p := n.prev
	fd, err := fsroot.OpenBelow(w.scan.root, n.path, fsroot.OpenPath)
	if err != nil {
		return w.addUnopened(n, err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &w.st); err != nil {
		return fsroot.WrapPathError("stat", n.path, err)
	}
	n.stat = fsroot.FactsOf(&w.st)
	if n.stat.Dev != p.stat.Dev || n.stat.Ino != p.stat.Ino {
		w.scan.unstable.Store(true) // the change was not reported yet
	}
	n.folder, n.rules, n.ruleFile, n.state = p.folder, p.rules, p.ruleFile, nodeListed
	n.items = slices.Clone(p.items)
	for i := range n.items {
		it := &n.items[i]
		if !it.folder && w.scan.dirtyPaths.Touches(it.path) {
			it.oid, it.facts, it.gap, it.vanished, it.fresh = "", nil, "", false, false
		}
	}
	return w.settleFolder(n, fd)
}

// copyKnown copies from the earlier tree what is known about names that still exist: whether git
// ignores them and, if they are not marked, their bytes.
func (w *worker) copyKnown(n *node) {
	if n.prev == nil {
		return
	}
	i, old := 0, n.prev.items
	for k := range n.items {
		it := &n.items[k]
		name := n.name(it)
		for i < len(old) && fsroot.CompareNames(n.prev.name(&old[i]), old[i].folder, name, it.folder) < 0 {
			i++
		}
		if i == len(old) {
			return
		}
		was := &old[i]
		if was.folder != it.folder || was.vanished || n.prev.name(was) != name {
			continue
		}
		if it.isUntracked() {
			it.flags |= was.flags & FlagsFromRules
		}
		it.hadLinks = was.hadLinks
		if it.folder {
			it.child = was.child
		} else if !w.scan.dirtyPaths.Touches(it.path) {
			it.oid, it.facts, it.kind, it.gap = was.oid, was.facts, was.kind, was.gap
			if was.facts == nil {
				it.rec = was.rec
			}
		}
	}
}

// reuseFolder uses a folder of the earlier tree if nothing in it is marked.
func (w *worker) reuseFolder(n *node, it *item, was *node) bool {
	d := w.scan.dirtyPaths
	if was == nil || d == nil || was.state == nodeOpen || was.state == nodeVanished {
		return false
	}
	if d.Touches(it.path) || !n.hasSameRules() {
		return false
	}
	if was.ignored != it.isIgnored() || was.hasTrackedBelow != (it.flags&FlagBelow != 0) || was.gitlink != (it.flags&FlagGitlink != 0) {
		return false
	}
	it.child, was.parent = was, n
	return true
}

// keepsNames reports whether a folder has the names of the earlier result, under the same rules.
func (s *scan) keepsNames(n *node) bool {
	p := n.prev
	same := p.state == nodeListed && p.ignored == n.ignored && p.isIncluded == n.isIncluded &&
		p.hasTrackedBelow == n.hasTrackedBelow && p.gitlink == n.gitlink
	return same && !p.nested && !s.dirtyPaths.MustList(n.path) && (n.parent == nil || n.parent.hasSameRules())
}

// noteLinks records that the file in w.st has several hard links. Other names that were scanned
// while it had only one do not show that, so an incremental scan needs it.
func (w *worker) noteLinks(it *item) {
	if w.st.Nlink > 1 && !it.hadLinks {
		it.hadLinks = true
		w.scan.hasNewLinks.Store(true)
	}
}
