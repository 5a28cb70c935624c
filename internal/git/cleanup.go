package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
)

// A gc reads the names of packs, then the refs, and at the end deletes the packs of its list and
// the loose objects that nothing named. Objects that are stored between those steps and named later
// would be lost. So belay stores objects as packs with a .keep file, which gc, repack and prune
// leave alone: a pack that had its .keep when gc read the names stays. If gc reads the names after
// the .keep was removed, it reads the refs later still, and finds the snapshot's ref. That is why a
// pack can be released as soon as its ref exists.

// keepNote is the content of the .keep files of belay's packs.
const keepNote = "belay: holds snapshots; released when one is forgotten\n"

const (
	maxOwnPacks     = 10       // if belay has more packs than this, they are joined
	joinedPackCount = 5        // down to this many
	largePackSize   = 32 << 20 // a pack above this size is left unchanged
	keepDuration    = 24 * time.Hour
)

// LockShared prevents packs from being released until unlock is called. A process that stores
// objects takes the lock first and releases it once a ref names them.
func (s *Packs) LockShared() (unlock func(), err error) {
	lock, err := s.packLock()
	if err == nil {
		err = lock.RLock()
	}
	if err != nil {
		return nil, fmt.Errorf("store objects: %w", err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// TryLock locks exclusively, to remove what snapshots may rely on. ok is false while objects are
// being stored.
func (s *Packs) TryLock() (unlock func(), ok bool, err error) {
	lock, err := s.packLock()
	if err == nil {
		ok, err = lock.TryLock()
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, ok, nil
}

func (s *Packs) packLock() (*fsroot.Lock, error) {
	path := filepath.Join(s.Repo.Common, "belay", "packs.lock")
	return fsroot.NewLock(path), fsroot.MkdirAll(filepath.Dir(path), 0o700)
}

// listPath is the list of belay's packs, one per line: kept ones, released ones that can still be
// joined, and for a moment those that are being added or removed.
func (s *Packs) listPath() string { return filepath.Join(s.Repo.Common, "belay", "packs") }

func (s *Packs) addToList(name string) error {
	if err := fsroot.MkdirAll(filepath.Dir(s.listPath()), 0o700); err != nil {
		return err
	}
	f, err := fsroot.OpenFile(s.listPath(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + name + "\n") // after a partial line, as a full disk leaves it
	return errors.Join(err, f.Close())
}

// ownPack is one of belay's packs in the object store.
type ownPack struct {
	path   string // without the extension
	size   int64
	isKept bool
	since  time.Time // when its .keep file was written
}

// CleanUp maintains belay's packs when no objects are being stored and no gc runs: it removes
// partial packs that a kill left, releases packs that have been kept for a day, or all of them with
// release, and joins small ones if there are many. Skipping it does no harm.
func (s *Packs) CleanUp(release bool) error {
	text, err := fsroot.ReadFile(s.listPath(), fsroot.MaxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !release && !s.needsCleanUp(strings.Fields(string(text))) {
		return err
	}
	lock, err := s.packLock()
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if ok, err := lock.TryLock(); !ok || err != nil || IsGCRunning(s.Repo) {
		return err
	}
	return s.cleanUpLocked(release)
}

// needsCleanUp reports whether there are many packs, the list was last written a day ago, or a
// listed pack is missing or partial.
func (s *Packs) needsCleanUp(names []string) bool {
	info, err := fsroot.Lstat(s.listPath())
	if err != nil || len(names) > maxOwnPacks || time.Since(info.ModTime()) > keepDuration {
		return true
	}
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := fsroot.Lstat(filepath.Join(s.folder(), name+".idx"))
		return err != nil
	})
}

func (s *Packs) cleanUpLocked(release bool) error {
	own, err := s.ownPacks()
	if err != nil {
		return err
	}
	own, joinErr := s.joinSmallest(own)
	if joinErr != nil { // a damaged pack does not keep the others
		if own, err = s.ownPacks(); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, p := range own {
		if p.isKept && (release || time.Since(p.since) > keepDuration) {
			if err := fsroot.Remove(p.path + ".keep"); err != nil {
				return err
			}
		}
		fmt.Fprintln(&b, filepath.Base(p.path))
	}
	return errors.Join(joinErr, fsroot.AtomicWrite(s.listPath(), fsroot.AtomicOptions{}, []byte(b.String())))
}

// ownPacks returns the existing packs of the list, and removes partial ones.
func (s *Packs) ownPacks() ([]ownPack, error) {
	text, err := fsroot.ReadFile(s.listPath(), fsroot.MaxSmallFile)
	if err != nil {
		return nil, err
	}
	var own []ownPack
	names := strings.Fields(string(text))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if hex, ok := strings.CutPrefix(name, "pack-"); !ok || !IsOID(hex) {
			continue
		}
		p := ownPack{path: filepath.Join(s.folder(), name)}
		if info, err := fsroot.Lstat(p.path + ".keep"); err == nil {
			p.isKept, p.since = true, info.ModTime()
		}
		info, err := fsroot.Lstat(p.path + ".pack")
		if err == nil {
			p.size = info.Size()
			_, err = fsroot.Lstat(p.path + ".idx")
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = removePack(p.path) // git's gc deleted it, or a kill left a part
		} else if err == nil {
			own = append(own, p)
		}
		if err != nil {
			return nil, err
		}
	}
	return own, nil
}

// removePack removes a pack: the index first, by which git finds it, the .keep file last. The pack
// must be partial, or all its objects must be in another pack: gc deletes its own copies of objects
// in a kept pack, so this may be the only one.
func removePack(pack string) error {
	for _, end := range []string{".idx", ".pack", ".rev", ".keep"} {
		if err := fsroot.Step("unlink", pack+end); err != nil {
			return err
		}
		if err := fsroot.Remove(pack + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// joinSmallest joins the smallest packs when there are many.
func (s *Packs) joinSmallest(own []ownPack) ([]ownPack, error) {
	slices.SortFunc(own, func(a, b ownPack) int { return int(min(1, max(-1, a.size-b.size))) })
	n := 0
	for n < len(own) && own[n].size <= largePackSize {
		n++
	}
	if n <= maxOwnPacks {
		return own, nil
	}
	n -= joinedPackCount - 1
	joined, err := s.joinPacks(own[:n])
	if err != nil {
		return nil, err
	}
	if err := s.recordJoin(joined.path, own[:n]); err != nil {
		return nil, err
	}
	rest := []ownPack{joined}
	for _, p := range own[:n] {
		if p.path == joined.path {
			continue
		}
		if err := removePack(p.path); err != nil {
			return nil, err
		}
	}
	return append(rest, own[n:]...), nil
}

func (s *Packs) joinPacks(own []ownPack) (ownPack, error) {
	out := ownPack{since: time.Now()}
	var parts []PackPart
	for _, p := range own {
		out.isKept = out.isKept || p.isKept
		f, err := fsroot.Open(p.path + ".pack")
		if err != nil {
			return out, err
		}
		defer f.Close()
		x, err := s.readIndex(p.path + ".idx")
		if err != nil {
			return out, err
		}
		parts = append(parts, PackPart{Index: x, Bytes: f, Size: p.size})
	}
	var err error
	out.path, err = s.store(out.isKept, func(w io.Writer) (*Index, error) { return JoinPacks(w, s.Repo.NewHash, parts) })
	return out, err
}

func (s *Packs) readIndex(path string) (*Index, error) {
	f, err := fsroot.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	x, err := ReadIndex(f, info.Size(), s.Repo.NewHash)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return x, nil
}

// IsGCRunning reports whether a git gc runs in this repository, according to its gc.pid file, which
// contains a process and a host and is ignored after twelve hours.
func IsGCRunning(r *Repo) bool {
	path := filepath.Join(r.Common, "gc.pid")
	info, err := fsroot.Lstat(path)
	if err != nil || time.Since(info.ModTime()) > 12*time.Hour {
		return false
	}
	var pid int
	var host string
	text, err := fsroot.ReadFile(path, fsroot.MaxSmallFile)
	if n, _ := fmt.Sscan(string(text), &pid, &host); err != nil || n < 2 || pid < 1 {
		return true // being written
	}
	own, err := os.Hostname()
	return err != nil || host != own || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
