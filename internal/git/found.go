package git

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/fsroot"
)

// A snapshot depends on objects that are not stored again, because HEAD's tree or an earlier
// snapshot contains them. That git knows a name does not mean that it has the bytes: after a power
// loss loose objects are empty, a disk loses a block, somebody deletes a pack. So such objects are
// compared with the checksums of their pack once, and the pack's stat data (size, times, inode) are
// recorded. While they are the same, nothing is read again.
//
// Files depend only on packs. Every snapshot would have to check each loose object, and there may
// be as many as files; those are stored in one of belay's packs instead.

// FileStamp is the stat data of a file. It changes when somebody writes to the file or replaces it.
type FileStamp struct {
	Size  int64  `json:"size"`
	Mtime int64  `json:"mtime"` // nanoseconds since 1970, like Ctime
	Ctime int64  `json:"ctime"`
	Inode uint64 `json:"inode"`
}

// Pack is the state of a pack when objects in it were found sound.
type Pack struct {
	Path  string    `json:"path"` // without the extension; relative to the common git folder when below it
	Pack  FileStamp `json:"pack"`
	Index FileStamp `json:"index"`
}

// LooseObject is the state of a loose object when it was read.
type LooseObject struct {
	Path  string    `json:"path"`
	Stamp FileStamp `json:"look"`
}

// FoundObjects lists the packs and loose objects that were checked and that a snapshot depends
// on.
type FoundObjects struct {
	Version int           `json:"v"` // 1; any other value counts as empty
	Packs   []Pack        `json:"packs,omitempty"`
	Loose   []LooseObject `json:"loose,omitempty"`
}

const foundObjectsVersion = 1

// Merge returns the union of all.
func (r FoundObjects) Merge(others ...FoundObjects) FoundObjects {
	out := FoundObjects{Version: foundObjectsVersion, Packs: slices.Clone(r.Packs), Loose: slices.Clone(r.Loose)}
	for _, o := range others {
		out.Packs, out.Loose = append(out.Packs, o.Packs...), append(out.Loose, o.Loose...)
	}
	// A path with two different stamps stays twice: one of them is out of date, and RefreshFound
	// reports that.
	slices.SortFunc(out.Packs, func(a, b Pack) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(out.Loose, func(a, b LooseObject) int { return strings.Compare(a.Path, b.Path) })
	out.Packs, out.Loose = slices.Compact(out.Packs), slices.Compact(out.Loose)
	return out
}

func readStamp(path string) (FileStamp, error) {
	info, err := fsroot.Lstat(path)
	if err != nil {
		return FileStamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) FileStamp {
	l := FileStamp{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		l.Ctime, l.Inode = fsroot.ChangeTime(st), st.Ino
	}
	if !info.Mode().IsRegular() {
		l.Size = -1
	}
	return l
}

// hasOnlyNewTimes reports whether only the times differ: git updates those of a pack when it would
// write an object that the pack contains.
func (l FileStamp) hasOnlyNewTimes(now FileStamp) bool {
	return l.Size == now.Size && l.Inode == now.Inode
}

func relativePackPath(r *Repo, path string) string {
	if below, ok := strings.CutPrefix(path, r.Common+"/"); ok {
		return below
	}
	return path
}

func absolutePackPath(r *Repo, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.Common, path)
}

// statPack returns the current state of a pack.
func statPack(r *Repo, path string) (p Pack, err error) {
	p.Path = relativePackPath(r, path)
	var err2 error
	p.Pack, err = readStamp(path + ".pack")
	p.Index, err2 = readStamp(path + ".idx")
	return p, errors.Join(err, err2)
}

// FoundInPack returns the FoundObjects of a pack that Store wrote.
func FoundInPack(r *Repo, pack string) (FoundObjects, error) {
	out := FoundObjects{Version: foundObjectsVersion}
	if pack == "" {
		return out, nil
	}
	p, err := statPack(r, pack)
	out.Packs = []Pack{p}
	return out, err
}

// maxReread is the size up to which a pack with changed times is read again. For a larger one the
// objects are looked up instead.
const maxReread = 256 << 20

// RefreshFound reports whether everything that was found is unchanged, and returns its current
// state: packs that belay joined are replaced by the joined pack, and a pack with only new times
// was read again.
func RefreshFound(ctx context.Context, r *Repo, was FoundObjects) (FoundObjects, bool) {
	if was.Version != foundObjectsVersion {
		return FoundObjects{}, false
	}
	now := FoundObjects{Version: foundObjectsVersion, Loose: was.Loose}
	for _, l := range was.Loose {
		if seen, err := readStamp(absolutePackPath(r, l.Path)); err != nil || seen != l.Stamp {
			return FoundObjects{}, false
		}
	}
	var joined []joinRecord
	for _, p := range was.Packs {
		seen, err := statPack(r, absolutePackPath(r, p.Path))
		if errors.Is(err, fs.ErrNotExist) {
			if joined == nil {
				joined = readJoinRecords(r)
			}
			if p, err = joinedPack(p, joined); err == nil {
				seen, err = statPack(r, absolutePackPath(r, p.Path))
			}
		}
		if err != nil || seen != p && !p.isIntact(ctx, r, seen) {
			return FoundObjects{}, false
		}
		now.Packs = append(now.Packs, seen)
	}
	return now.Merge(), true
}

// isIntact reports whether a pack with only changed times is still sound.
func (p Pack) isIntact(ctx context.Context, r *Repo, now Pack) bool {
	if !p.Pack.hasOnlyNewTimes(now.Pack) || !p.Index.hasOnlyNewTimes(now.Index) || now.Pack.Size > maxReread {
		return false
	}
	f, shut, err := openPack(absolutePackPath(r, p.Path))
	if err != nil {
		return false
	}
	defer shut()
	return VerifyPack(ctx, f, r.NewHash) == nil && isUnchanged(r, now)
}

// isUnchanged reports whether a pack still has the given state.
func isUnchanged(r *Repo, p Pack) bool {
	now, err := statPack(r, absolutePackPath(r, p.Path))
	return err == nil && now == p
}

func openPack(path string) (f PackFiles, shut func(), err error) {
	idx, err := fsroot.Open(path + ".idx")
	if err != nil {
		return f, nil, err
	}
	pack, err := fsroot.Open(path + ".pack")
	if err != nil {
		return f, nil, errors.Join(err, idx.Close())
	}
	shut = func() { _, _ = idx.Close(), pack.Close() }
	a, err1 := idx.Stat()
	b, err2 := pack.Stat()
	if err := errors.Join(err1, err2); err != nil {
		shut()
		return f, nil, err
	}
	return PackFiles{Index: idx, Pack: pack, IndexSize: a.Size(), PackSize: b.Size()}, shut, nil
}

// CheckResult is the result of CheckObjects.
type CheckResult struct {
	FoundObjects
	Unusable       map[string]error // why an object is unusable, by name
	IsPartialClone bool             // missing objects can be fetched
	knownPacks     []Pack
	names          []string         // raw names of all requested objects, sorted, unique
	sizes          map[string]int64 // in bytes, of the objects found sound in packs; nil without WantSizes
}

// IsLost reports whether an object cannot be read any more.
func (c CheckResult) IsLost(oid string) bool {
	err := c.Unusable[oid]
	return err != nil && !(c.IsPartialClone && errors.Is(err, ErrNoObject))
}

// SizeInPack returns, after a check with WantSizes, the size of an object (its raw name) if a
// pack contains it.
func (c CheckResult) SizeInPack(raw string) (size int64, ok bool) {
	size, ok = c.sizes[raw]
	return size, ok
}

// CheckOptions are the options of CheckObjects.
type CheckOptions struct {
	AllowLoose bool         // objects may be loose
	WantSizes  bool         // records sizes for SizeInPack
	KnownPacks FoundObjects // packs that RefreshFound just checked: their indexes are not read completely again
}

// CheckObjects checks which objects exist with the right bytes, in this repository or one that it
// borrows from. Before the resulting FoundObjects are used again, check them with RefreshFound.
func CheckObjects(ctx context.Context, r *Repo, oids []string, how CheckOptions) (CheckResult, error) {
	raws, no := make([]string, 0, len(oids)), map[string]error{}
	for _, oid := range oids {
		raw, err := hex.DecodeString(oid)
		if err != nil || len(raw) != r.HashSize() {
			no[oid] = ErrNoObject
			continue
		}
		raws = append(raws, string(raw))
	}
	c, err := CheckNames(ctx, r, raws, how)
	maps.Copy(c.Unusable, no)
	return c, err
}

// CheckNames is CheckObjects for raw names, which it sorts.
func CheckNames(ctx context.Context, r *Repo, raws []string, how CheckOptions) (CheckResult, error) {
	c := CheckResult{FoundObjects: FoundObjects{Version: foundObjectsVersion}, Unusable: map[string]error{},
		knownPacks: how.KnownPacks.Packs}
	if len(raws) == 0 {
		return c, nil
	}
	slices.Sort(raws)
	c.names = slices.Compact(raws)
	if how.WantSizes {
		c.sizes = make(map[string]int64, len(c.names))
	}
	left := fsroot.MakeLarge[int](len(c.names))
	for i := range left {
		left[i] = i
	}
	damaged := map[int]bool{}
	folders := r.ObjectFolders()
	for _, dir := range folders {
		var err error
		if left, err = c.findPacked(ctx, r, dir, left, damaged); err != nil {
			return c, err
		}
	}
	for _, i := range left {
		oid := hex.EncodeToString([]byte(c.names[i]))
		if c.Unusable[oid] = ErrNoObject; damaged[i] {
			c.Unusable[oid] = ErrDamaged
		}
	}
	if how.AllowLoose {
		unread := map[string]bool{}
		for _, i := range left {
			oid := hex.EncodeToString([]byte(c.names[i]))
			damaged, err := c.findLoose(ctx, r, folders, oid)
			if err != nil {
				return c, err
			}
			unread[oid] = !damaged && c.Unusable[oid] != nil
		}
		if err := c.readWithGit(ctx, r, unread); err != nil {
			return c, err
		}
	}
	c.FoundObjects = c.Merge()
	return c, nil
}

// findPacked looks up names in the packs of one folder, and returns those that were not found
// sound; it records which are damaged there.
func (c *CheckResult) findPacked(ctx context.Context, r *Repo, dir string, left []int, damaged map[int]bool) ([]int, error) {
	list, err := fsroot.ReadDir(filepath.Join(dir, "pack"))
	if err != nil {
		return left, nil //nolint:nilerr // no packs, as far as anybody can see
	}
	// The largest first: it contains most of them.
	slices.SortStableFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(sizeOf(b), sizeOf(a)) })
	for _, e := range list {
		c.IsPartialClone = c.IsPartialClone || strings.HasSuffix(e.Name(), ".promisor")
		name, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || len(left) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return left, ctx.Err()
		}
		path := filepath.Join(dir, "pack", name)
		p, err := statPack(r, path)
		if err != nil {
			continue
		}
		wanted := fsroot.MakeLarge[string](len(left))
		for i, n := range left {
			wanted[i] = c.names[n]
		}
		states, sizes, err := checkPack(ctx, r, path, wanted, slices.Contains(c.knownPacks, p), c.sizes != nil)
		if ctx.Err() != nil {
			return left, ctx.Err()
		}
		if err != nil || !isUnchanged(r, p) {
			continue
		}
		var rest []int
		for i, n := range left {
			if states[i] != PackSound {
				if states[i] == PackDamaged {
					damaged[n] = true
				}
				rest = append(rest, n)
			} else if c.sizes != nil {
				c.sizes[c.names[n]] = sizes[i]
			}
		}
		if len(rest) < len(left) {
			c.Packs = append(c.Packs, p)
		}
		left = rest
	}
	return left, nil
}

func sizeOf(e fs.DirEntry) int64 {
	info, err := e.Info()
	if err != nil {
		return 0
	}
	return info.Size()
}

func checkPack(ctx context.Context, r *Repo, path string, wanted []string, known, sizes bool) ([]PackState, []int64, error) {
	f, shut, err := openPack(path)
	if err != nil {
		return nil, nil, err
	}
	defer shut()
	f.IsVerified = known
	return checkObjects(ctx, f, r.NewHash, wanted, sizes)
}

// findLoose reads a loose object from the first folder with a sound copy, and reports whether there
// are only damaged ones.
func (c *CheckResult) findLoose(ctx context.Context, r *Repo, folders []string, oid string) (damaged bool, err error) {
	for _, dir := range folders {
		path := filepath.Join(dir, oid[:2], oid[2:])
		was, err := readStamp(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			_, err = r.ReadLoose(ctx, path, oid, io.Discard)
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			c.Unusable[oid], damaged = err, true
			continue
		}
		delete(c.Unusable, oid)
		c.Loose = append(c.Loose, LooseObject{Path: relativePackPath(r, path), Stamp: was})
		return false, nil
	}
	return damaged, nil
}

// readWithGit reads with git the objects that were not found sound: if the index of a pack is
// damaged git may still find most. A snapshot does not depend on such objects. A damaged loose
// object is left out: git cat-file ignores garbage after the end of a short one, which git fsck
// reports.
func (c *CheckResult) readWithGit(ctx context.Context, r *Repo, unread map[string]bool) error {
	maps.DeleteFunc(unread, func(_ string, yes bool) bool { return !yes })
	if len(unread) == 0 {
		return nil
	}
	rd, err := r.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	for _, oid := range slices.Sorted(maps.Keys(unread)) {
		if _, err := rd.Copy(oid, io.Discard); err == nil {
			delete(c.Unusable, oid)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
