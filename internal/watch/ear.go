package watch

import (
	"fmt"
	"sync"

	"github.com/belay-dev/belay/internal/scan"
)

// Ear hears what changes: it knows which folder an event is about, and gathers the
// paths that have to be looked at. Once it may have missed something it is deaf, and
// stays so: only a new one can be believed.
type Ear struct {
	q       source
	mu      sync.Mutex // never held while a folder is read
	paths   map[int32]string
	wds     map[string]int32
	dirt    *scan.Dirt
	deaf    string // why; "" while nothing was missed
	cookie  int32  // the folder of the cookies
	cookies string
	waits   map[string]chan struct{}
	fine    map[uint64]error // devices that were judged
}

// most is how many paths may be marked: with more, looking at everything is as fast.
const most = 100_000

// New asks the kernel for a queue of its own, and listens. ErrElsewhere where there is
// none.
func New() (*Ear, error) {
	q, err := newQueue()
	if err != nil {
		return nil, err
	}
	e := &Ear{q: q, paths: map[int32]string{}, wds: map[string]int32{}, dirt: &scan.Dirt{},
		waits: map[string]chan struct{}{}, fine: map[uint64]error{}}
	go e.listen()
	return e, nil
}

func (e *Ear) fail(why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.give(why)
}

// give makes it deaf and lets nobody wait for more.
func (e *Ear) give(why string) {
	if e.deaf == "" {
		e.deaf = why
	}
	for name, c := range e.waits {
		close(c)
		delete(e.waits, name)
	}
}

// Enter watches an open folder before it is listed: what comes later is told, what was
// there before is found. The lock is held meanwhile, so that no event of the folder is
// looked up before it has its path.
func (e *Ear) Enter(path string, fd int) error {
	if err := e.judge(fd); err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	wd, err := e.q.add(fd)
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	if old, had := e.wds[path]; had && old != wd {
		e.drop(path) // another folder was at this path
	}
	if at, known := e.paths[wd]; known && at != path {
		// The folder was somewhere else. If it still is (one folder at two places), that
		// one has to be looked at again, and the two never come to rest.
		delete(e.wds, at)
		e.dirt.All(at)
	}
	e.paths[wd], e.wds[path] = path, wd
	return nil
}

// judge asks once for each device whether its changes are told.
func (e *Ear) judge(fd int) error {
	dev, err := deviceOf(fd)
	if err != nil {
		return err
	}
	e.mu.Lock()
	verdict, known := e.fine[dev]
	e.mu.Unlock()
	if !known {
		verdict = trusted(fd)
		e.mu.Lock()
		e.fine[dev] = verdict
		e.mu.Unlock()
	}
	return verdict
}

// Leave ends the watch of a folder that is gone from the tree.
func (e *Ear) Leave(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop(path)
}

func (e *Ear) drop(path string) {
	wd, had := e.wds[path]
	if !had {
		return
	}
	delete(e.wds, path)
	if e.paths[wd] == path {
		delete(e.paths, wd)
		e.q.remove(wd)
	}
}

// listen hears until the source is closed.
func (e *Ear) listen() {
	for {
		events, err := e.q.read()
		if err != nil {
			e.fail("the kernel stopped reporting: " + err.Error())
			return
		}
		e.mu.Lock()
		for _, ev := range events {
			e.hear(ev)
		}
		if e.dirt.Len() > most {
			e.give("too many paths changed")
		}
		e.mu.Unlock()
	}
}

// hear marks what one event is about. Every event comes after the change that it tells
// of, so what is looked at after it was heard is not older than the change.
func (e *Ear) hear(ev event) {
	if ev.what&overflow != 0 {
		e.give("too much changed at once")
		return
	}
	if ev.wd == e.cookie && e.cookie != 0 {
		if c := e.waits[ev.name]; c != nil {
			close(c)
			delete(e.waits, ev.name)
		} else if ev.name == "" && ev.what&(movedItself|ended|unmounted) != 0 {
			e.give("belay's own folder is gone")
		}
		return
	}
	dir, known := e.paths[ev.wd]
	if !known {
		return // a folder that left the tree, or was entered again under another number
	}
	if ev.name == "" {
		e.hearFolder(dir, ev)
		return
	}
	path := ev.name
	if dir != "" {
		path = dir + "/" + ev.name
	}
	switch {
	case ev.what&cameOrWent != 0 && ev.what&ofFolder != 0:
		e.dirt.List(dir)
		e.dirt.All(path)
	case ev.what&cameOrWent != 0:
		e.dirt.List(dir)
		e.dirt.Read(path)
	case ev.what&ofFolder != 0:
		e.dirt.List(path)
	default:
		e.dirt.Read(path)
	}
}

// hearFolder marks what an event about a watched folder itself means.
func (e *Ear) hearFolder(dir string, ev event) {
	switch {
	case ev.what&unmounted != 0:
		e.give("a file system in the tree was unmounted")
	case ev.what&(movedItself|ended) != 0 && dir == "":
		e.give("the folder was moved or deleted")
	case ev.what&ended != 0:
		delete(e.wds, dir)
		delete(e.paths, ev.wd)
		e.dirt.All(dir)
	case ev.what&movedItself != 0:
		e.dirt.All(dir)
	default:
		e.dirt.List(dir)
	}
}

// Take returns what was marked since the last time, and why nothing can be believed.
func (e *Ear) Take() (*scan.Dirt, string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.dirt
	e.dirt = &scan.Dirt{}
	return d, e.deaf
}

// Put marks again what could not be looked at.
func (e *Ear) Put(d *scan.Dirt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dirt.Add(d)
}

// Close ends all watches.
func (e *Ear) Close() { e.q.close() }

// Folders returns how many folders are watched, and why it is deaf, "" while it is not.
func (e *Ear) Folders() (n int, deaf string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.wds), e.deaf
}

// Stall does something while nothing is heard: what happens meanwhile waits in the
// kernel's queue, which has an end. It is for tests of that end.
func (e *Ear) Stall(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	do()
}
