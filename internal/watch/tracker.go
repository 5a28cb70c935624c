package watch

import (
	"fmt"
	"sync"

	"github.com/belay-dev/belay/internal/scan"
)

// Tracker follows changes below a folder: it maps each event to its path and collects the paths
// that have to be read again. Once it may have missed an event it stays unreliable, and a new
// tracker is needed.
type Tracker struct {
	q       source
	mu      sync.Mutex // never held while a folder is read
	paths   map[int32]string
	wds     map[string]int32
	dirty   *scan.DirtyPaths
	lost    string // why events may have been missed; "" when none were
	cookie  int32  // the watch number of the folder of cookies
	cookies string
	waits   map[string]chan struct{}
	devices map[uint64]error // by device: nil when its events are reliable
}

// maxPaths limits how many paths are marked. With more, a full scan is as fast.
const maxPaths = 100_000

// New opens an inotify queue and starts reading it. It returns ErrElsewhere on systems without
// inotify.
func New() (*Tracker, error) {
	q, err := newQueue()
	if err != nil {
		return nil, err
	}
	e := &Tracker{q: q, paths: map[int32]string{}, wds: map[string]int32{}, dirty: &scan.DirtyPaths{},
		waits: map[string]chan struct{}{}, devices: map[uint64]error{}}
	go e.listen()
	return e, nil
}

func (t *Tracker) fail(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.giveUp(why)
}

// giveUp marks the tracker as unreliable and wakes every caller of Fence.
func (t *Tracker) giveUp(why string) {
	if t.lost == "" {
		t.lost = why
	}
	for name, c := range t.waits {
		close(c)
		delete(t.waits, name)
	}
}

// Enter starts watching an open folder. It has to be called before the folder is listed: the
// listing then has the earlier changes, and events report the later ones. It holds the mutex, so
// that no event of the folder is handled before the folder has a path.
func (t *Tracker) Enter(path string, fd int) error {
	if err := t.checkDevice(fd); err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	wd, err := t.q.add(fd)
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	if old, had := t.wds[path]; had && old != wd {
		t.forget(path) // another folder was at this path
	}
	if at, known := t.paths[wd]; known && at != path {
		// The folder used to have another path, which has to be read again. If it really is at both
		// paths, they displace each other and the view never settles.
		delete(t.wds, at)
		t.dirty.MarkAll(at)
	}
	t.paths[wd], t.wds[path] = path, wd
	return nil
}

// checkDevice checks, once per device, that the kernel reports all its changes.
func (t *Tracker) checkDevice(fd int) error {
	dev, err := deviceOf(fd)
	if err != nil {
		return err
	}
	t.mu.Lock()
	verdict, known := t.devices[dev]
	t.mu.Unlock()
	if !known {
		verdict = trusted(fd)
		t.mu.Lock()
		t.devices[dev] = verdict
		t.mu.Unlock()
	}
	return verdict
}

// Leave stops watching a folder that was removed from the tree.
func (t *Tracker) Leave(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(path)
}

func (t *Tracker) forget(path string) {
	wd, had := t.wds[path]
	if !had {
		return
	}
	delete(t.wds, path)
	if t.paths[wd] == path {
		delete(t.paths, wd)
		t.q.remove(wd)
	}
}

// listen handles events until the source is closed.
func (t *Tracker) listen() {
	for {
		events, err := t.q.read()
		if err != nil {
			t.fail("the kernel stopped reporting: " + err.Error())
			return
		}
		t.mu.Lock()
		for _, ev := range events {
			t.handle(ev)
		}
		if t.dirty.Len() > maxPaths {
			t.giveUp("too many paths changed")
		}
		t.mu.Unlock()
	}
}

// handle marks the path of one event. The kernel reports a change after it was made, so a path that
// is read after its event was handled is never older than the change.
func (t *Tracker) handle(ev event) {
	if ev.what&overflow != 0 {
		t.giveUp("too much changed at once")
		return
	}
	if ev.wd == t.cookie && t.cookie != 0 {
		if c := t.waits[ev.name]; c != nil {
			close(c)
			delete(t.waits, ev.name)
		} else if ev.name == "" && ev.what&(movedItself|ended|unmounted) != 0 {
			t.giveUp("belay's own folder is gone")
		}
		return
	}
	dir, known := t.paths[ev.wd]
	if !known {
		return // a folder that left the tree, or got another number
	}
	if ev.name == "" {
		t.handleFolder(dir, ev)
		return
	}
	path := ev.name
	if dir != "" {
		path = dir + "/" + ev.name
	}
	switch {
	case ev.what&cameOrWent != 0 && ev.what&ofFolder != 0:
		t.dirty.MarkList(dir)
		t.dirty.MarkAll(path)
	case ev.what&cameOrWent != 0:
		t.dirty.MarkList(dir)
		t.dirty.MarkRead(path)
	case ev.what&ofFolder != 0:
		t.dirty.MarkList(path)
	default:
		t.dirty.MarkRead(path)
	}
}

// handleFolder marks paths for an event about a watched folder itself.
func (t *Tracker) handleFolder(dir string, ev event) {
	switch {
	case ev.what&unmounted != 0:
		t.giveUp("a file system in the tree was unmounted")
	case ev.what&(movedItself|ended) != 0 && dir == "":
		t.giveUp("the folder was moved or deleted")
	case ev.what&ended != 0:
		delete(t.wds, dir)
		delete(t.paths, ev.wd)
		t.dirty.MarkAll(dir)
	case ev.what&movedItself != 0:
		t.dirty.MarkAll(dir)
	default:
		t.dirty.MarkList(dir)
	}
}

// TakeDirty returns the paths marked since the last call, and why events may have been missed (""
// when none were).
func (t *Tracker) TakeDirty() (*scan.DirtyPaths, string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.dirty
	t.dirty = &scan.DirtyPaths{}
	return d, t.lost
}

// MarkAgain marks paths again that could not be read yet.
func (t *Tracker) MarkAgain(d *scan.DirtyPaths) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty.Add(d)
}

// Close ends all watches.
func (t *Tracker) Close() { t.q.close() }

// Folders returns how many folders are watched, and why events may have been missed.
func (t *Tracker) Folders() (n int, lost string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.wds), t.lost
}

// Stall runs do while no event is handled. Tests use it to fill the kernel's queue.
func (t *Tracker) Stall(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
}
