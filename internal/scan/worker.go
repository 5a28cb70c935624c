package scan

import (
	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// partSize is the number of names of a folder above which several workers check them.
const partSize = 2048

// job is one thing to do: list a folder, check all or some of its names, or read one file.
type job struct {
	node *node
	kind jobKind
	from int // the first item; to read, the item
	to   int
}

type jobKind uint8

const (
	jobList   jobKind = iota // list the folder
	jobSettle                // its names are classified: enter and check them
	jobStat                  // check the items from..to
	jobRead                  // read the item from
)

// worker is one goroutine of the scan, with reusable buffers.
type worker struct {
	scan *scan
	list *fsroot.Listing
	hash *fsroot.BlobHash
	st   unix.Stat_t
	jobs []job
}

func newWorker(s *scan) *worker {
	return &worker{scan: s, list: fsroot.NewListing(), hash: fsroot.NewBlobHash(s.opts.NewHash())}
}

func (w *worker) run() {
	for {
		j, ok := w.scan.pool.Take()
		if !ok {
			return
		}
		if err := w.runJob(j); err != nil {
			w.scan.pool.Fail(err)
		}
		w.scan.pool.Push(w.jobs...)
		w.jobs = w.jobs[:0]
		w.scan.pool.Done()
	}
}

func (w *worker) runJob(j job) error {
	switch j.kind {
	case jobList:
		return w.listFolder(j.node)
	case jobSettle:
		return w.withFolder(j.node, func(fd int) error { return w.settleFolder(j.node, fd) })
	case jobStat:
		return w.withFolder(j.node, func(fd int) error { return w.checkFiles(j.node, fd, j.from, j.to) })
	default:
		return w.readFile(j.node, &j.node.items[j.from])
	}
}

// withFolder opens a folder that was listed before. If it is another folder now, the tree is
// changing, and names that it lacks have vanished.
func (w *worker) withFolder(n *node, do func(fd int) error) error {
	fd, err := fsroot.OpenBelow(w.scan.root, n.path, fsroot.OpenPath)
	if err != nil {
		return w.addUnopened(n, err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &w.st); err != nil {
		return err
	}
	if uint64(w.st.Dev) != n.stat.Dev || uint64(w.st.Ino) != n.stat.Ino {
		w.scan.unstable.Store(true)
	}
	return do(fd)
}

// addUnopened records why a folder was not entered.
func (w *worker) addUnopened(n *node, err error) error {
	if fsroot.IsExhausted(err) {
		return fsroot.WrapPathError("open", n.path, err)
	}
	if err != unix.EACCES && err != unix.EPERM && err != unix.EIO {
		w.scan.unstable.Store(true) // it existed a moment ago
		n.state = nodeVanished
		return nil
	}
	n.state, n.gap = nodeClosed, "folder cannot be read: "+err.Error()
	if n.parent != nil && n.stat.Mode == 0 {
		if fd, err := fsroot.OpenBelow(w.scan.root, n.parent.path, fsroot.OpenPath); err == nil {
			if fsroot.StatAt(fd, n.path[len(n.parent.pathPrefix()):], &w.st) == nil {
				n.stat = fsroot.FactsOf(&w.st)
			}
			unix.Close(fd)
		}
	}
	return nil
}

// listFolder lists a folder and does everything for which no name has to be classified.
func (w *worker) listFolder(n *node) error {
	s := w.scan
	if n.prev != nil {
		s.addMade(n)
		if s.keepsNames(n) {
			return w.copyNames(n)
		}
	}
	fd, err := fsroot.OpenFolder(s.root, n.path)
	if err != nil {
		return w.addUnopened(n, err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &w.st); err != nil {
		return fsroot.WrapPathError("stat", n.path, err)
	}
	n.stat = fsroot.FactsOf(&w.st)
	if n.parent != nil && (n.path == s.gitDir || s.gitID == [2]uint64{n.stat.Dev, n.stat.Ino}) {
		n.state = nodeClosed
		return nil
	}
	s.noteChange(&n.stat)
	if s.opts.OnFolder != nil {
		if err := s.opts.OnFolder(n.path, fd); err != nil {
			return err
		}
	}
	if err := w.list.Read(fd, n.pathPrefix()); err != nil {
		return w.addUnopened(n, err)
	}
	if !n.isInGitFolder {
		w.detectRepo(n, fd)
	}
	if n.nested && !n.hasTrackedBelow && !n.isCapturedRepo {
		n.state = nodeClosed
		return nil
	}
	w.mergeNames(n)
	w.copyKnown(n)
	n.state = nodeListed
	if n.ignored || n.isInGitFolder {
		return w.settleFolder(n, fd)
	}
	if err := w.readRules(n, fd); err != nil {
		return err
	}
	n.compareRules(s.opts.Baseline)
	if w.classifyFromCache(n) || n.isUnignored() {
		s.classifier.enqueue(n)
		return nil
	}
	return w.settleFolder(n, fd)
}

// detectRepo detects whether the folder is a nested repository, and removes its .git from the list
// unless it is captured.
func (w *worker) detectRepo(n *node, fd int) {
	if n.gitlink {
		n.nested = true
	}
	for i := range w.list.Names {
		m := &w.list.Names[i]
		if m.Path[len(n.pathPrefix()):] != ".git" {
			continue
		}
		if n.parent != nil {
			file, repo := fsroot.DetectRepository(fd, m.Folder)
			if !repo {
				return
			}
			n.nested, n.gitFile = true, file
			if n.isCapturedRepo = !n.ignored && w.scan.opts.EnterRepo != nil && w.scan.opts.EnterRepo(n.path); n.isCapturedRepo {
				return
			}
		}
		w.list.Names = append(w.list.Names[:i], w.list.Names[i+1:]...)
		return
	}
}
