package scan

import (
	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Folders with more names than this are looked at by several workers.
const partSize = 2048

// job is one thing to do: list a folder (part < 0), look at a part of its names, or
// read one file.
type job struct {
	n    *node
	kind jobKind
	from int // the first item; of a read, the item
	to   int
}

type jobKind uint8

const (
	jobList   jobKind = iota // list the folder
	jobSettle                // its names are classified: look at them
	jobStat                  // look at the items from..to
	jobRead                  // read the item from
)

// worker is one goroutine of the scan, with buffers that it uses again.
type worker struct {
	s    *scan
	list *fsroot.Listing
	hash *fsroot.BlobHash
	st   unix.Stat_t
	jobs []job
}

func newWorker(s *scan) *worker {
	return &worker{s: s, list: fsroot.NewListing(), hash: fsroot.NewBlobHash(s.o.NewHash())}
}

func (w *worker) run() {
	for {
		j, ok := w.s.pool.Take()
		if !ok {
			return
		}
		if err := w.do(j); err != nil {
			w.s.pool.Fail(err)
		}
		w.s.pool.Push(w.jobs...)
		w.jobs = w.jobs[:0]
		w.s.pool.Done()
	}
}

func (w *worker) do(j job) error {
	switch j.kind {
	case jobList:
		return w.enter(j.n)
	case jobSettle:
		return w.reopen(j.n, func(fd int) error { return w.settle(j.n, fd) })
	case jobStat:
		return w.reopen(j.n, func(fd int) error { return w.look(j.n, fd, j.from, j.to) })
	default:
		return w.read(j.n, &j.n.items[j.from])
	}
}

// reopen opens a folder that was listed before. When it is not the same folder any
// more the tree is moving, and names that are not in it are gone.
func (w *worker) reopen(n *node, do func(fd int) error) error {
	fd, err := fsroot.OpenBelow(w.s.root, n.path, fsroot.OpenPath)
	if err != nil {
		return w.unopened(n, err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &w.st); err != nil {
		return err
	}
	if uint64(w.st.Dev) != n.stat.Dev || uint64(w.st.Ino) != n.stat.Ino {
		w.s.moving.Store(true)
	}
	return do(fd)
}

// unopened records why a folder was not entered.
func (w *worker) unopened(n *node, err error) error {
	if fsroot.Exhausted(err) {
		return fsroot.PathError("open", n.path, err)
	}
	if err != unix.EACCES && err != unix.EPERM && err != unix.EIO {
		w.s.moving.Store(true) // it was there a moment ago
		n.state = nodeGone
		return nil
	}
	n.state, n.gap = nodeClosed, "folder cannot be read: "+err.Error()
	if n.parent != nil && n.stat.Mode == 0 {
		if fd, err := fsroot.OpenBelow(w.s.root, n.parent.path, fsroot.OpenPath); err == nil {
			if fsroot.StatAt(fd, n.path[len(n.parent.lead()):], &w.st) == nil {
				n.stat = fsroot.FactsOf(&w.st)
			}
			unix.Close(fd)
		}
	}
	return nil
}

// enter lists a folder and does all that needs no answer from outside.
func (w *worker) enter(n *node) error {
	s := w.s
	if n.prev != nil {
		s.remember(n)
		if s.keepsNames(n) {
			return w.patch(n)
		}
	}
	fd, err := fsroot.OpenFolder(s.root, n.path)
	if err != nil {
		return w.unopened(n, err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &w.st); err != nil {
		return fsroot.PathError("stat", n.path, err)
	}
	n.stat = fsroot.FactsOf(&w.st)
	if n.parent != nil && (n.path == s.gitDir || s.gitID == [2]uint64{n.stat.Dev, n.stat.Ino}) {
		n.state = nodeClosed
		return nil
	}
	s.changed(&n.stat)
	if s.o.Entering != nil {
		if err := s.o.Entering(n.path, fd); err != nil {
			return err
		}
	}
	if err := w.list.Read(fd, n.lead()); err != nil {
		return w.unopened(n, err)
	}
	if !n.inGit {
		w.nest(n, fd)
	}
	if n.nested && !n.below && !n.whole {
		n.state = nodeClosed
		return nil
	}
	w.merge(n)
	w.inherit(n)
	n.state = nodeListed
	if n.ignored || n.inGit {
		return w.settle(n, fd)
	}
	if err := w.rules(n, fd); err != nil {
		return err
	}
	n.compare(s.o.Then)
	if w.classify(n) || n.doubtful() {
		s.asker.enqueue(n)
		return nil
	}
	return w.settle(n, fd)
}

// nest finds out whether the folder has a repository of its own, and takes its .git
// off the list, unless it is captured whole.
func (w *worker) nest(n *node, fd int) {
	if n.gitlink {
		n.nested = true
	}
	for i := range w.list.Names {
		m := &w.list.Names[i]
		if m.Path[len(n.lead()):] != ".git" {
			continue
		}
		if n.parent != nil {
			file, repo := fsroot.Repository(fd, m.Folder)
			if !repo {
				return
			}
			n.nested, n.gitFile = true, file
			if n.whole = !n.ignored && w.s.o.Enter != nil && w.s.o.Enter(n.path); n.whole {
				return
			}
		}
		w.list.Names = append(w.list.Names[:i], w.list.Names[i+1:]...)
		return
	}
}
