package git

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// IndexEntry is one path of the user's index.
type IndexEntry struct {
	Path            string
	Mode            uint32 // 0100644, 0100755, 0120000, 0160000
	OID             string // raw bytes
	Stage           int    // 0, or 1 to 3 in a conflict
	AssumeUnchanged bool
	SkipWorktree    bool
	IntentToAdd     bool
	HasStat         bool // the fields below were read
	CtimeSec        uint32
	CtimeNsec       uint32
	MtimeSec        uint32
	MtimeNsec       uint32
	Dev             uint32
	Ino             uint32
	UID             uint32
	GID             uint32
	Size            uint32
}

// ErrUnsupportedIndex reports an index format that only git reads.
var ErrUnsupportedIndex = errors.New("an index format that belay leaves to git")

// ParseIndex parses the bytes of an index file: versions 2, 3 and 4 without a split or sparse
// extension. hashSize is the repository's. The entries share data, which must not be modified
// afterwards. git's Documentation/gitformat-index describes the layout. Other formats are errors,
// for which git can be asked.
func ParseIndex(data []byte, hashSize int) ([]IndexEntry, error) {
	entries, _, err := ParseIndexTrees(data, hashSize)
	return entries, err
}

// ParseIndexTrees is ParseIndex that also returns the trees that git recorded for the entries at
// its last commit or checkout (the extension TREE); nil when there are none.
func ParseIndexTrees(data []byte, hashSize int) ([]IndexEntry, *IndexTree, error) {
	if len(data) < 12+hashSize || string(data[:4]) != "DIRC" {
		return nil, nil, fmt.Errorf("read the index: not an index file (%d bytes)", len(data))
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, nil, fmt.Errorf("%w: version %d", ErrUnsupportedIndex, version)
	}
	body := data[12 : len(data)-hashSize]
	if uint64(count)*uint64(42+hashSize) > uint64(len(body)) && version < 4 || uint64(count) > uint64(len(body)) {
		return nil, nil, fmt.Errorf("read the index: %d entries do not fit in %d bytes", count, len(body))
	}
	p := indexParser{data: fsroot.StringOf(body), hash: hashSize, version: version}
	entries := fsroot.MakeLarge[IndexEntry](int(count))
	for i := range entries {
		if err := p.readEntry(&entries[i]); err != nil {
			return nil, nil, fmt.Errorf("read the index, entry %d: %w", i, err)
		}
	}
	if err := p.readExtensions(); err != nil {
		return entries, nil, err
	}
	return entries, parseIndexTree(p.trees, hashSize, len(entries)), nil
}

type indexParser struct {
	data    string // paths and names share it
	at      int
	hash    int
	version uint32
	trees   string // the extension TREE
	last    string // path of the previous entry, for version 4
}

var errTruncated = errors.New("it is truncated")

func (p *indexParser) readEntry(e *IndexEntry) error {
	start := p.at
	if len(p.data)-p.at < 40+p.hash+2 {
		return errTruncated
	}
	b := p.data[p.at:]
	u := func(i int) uint32 {
		w := b[4*i : 4*i+4]
		return uint32(w[0])<<24 | uint32(w[1])<<16 | uint32(w[2])<<8 | uint32(w[3])
	}
	*e = IndexEntry{
		HasStat: true, CtimeSec: u(0), CtimeNsec: u(1), MtimeSec: u(2), MtimeNsec: u(3), Dev: u(4), Ino: u(5),
		Mode: u(6), UID: u(7), GID: u(8), Size: u(9), OID: b[40 : 40+p.hash],
	}
	flags := p.readUint16(p.at + 40 + p.hash)
	e.AssumeUnchanged, e.Stage = flags&0x8000 != 0, int(flags>>12&3)
	p.at += 42 + p.hash
	if flags&0x4000 != 0 {
		if p.version < 3 || len(p.data)-p.at < 2 {
			return errTruncated
		}
		more := p.readUint16(p.at)
		e.SkipWorktree, e.IntentToAdd = more&0x4000 != 0, more&0x2000 != 0
		p.at += 2
	}
	if e.Mode == 0o40000 {
		return fmt.Errorf("%w: a folder entry", ErrUnsupportedIndex)
	}
	return p.readPath(e, start)
}

// readUint16 reads two bytes.
func (p *indexParser) readUint16(at int) uint16 { return uint16(p.data[at])<<8 | uint16(p.data[at+1]) }

// readPath reads the entry's path: complete and padded to eight bytes or, in version 4, as the
// difference from the previous path.
func (p *indexParser) readPath(e *IndexEntry, start int) error {
	if p.version < 4 {
		end := strings.IndexByte(p.data[p.at:], 0)
		if end < 0 {
			return errTruncated
		}
		e.Path = p.data[p.at : p.at+end]
		p.at = start + (p.at+end-start+8)&^7
		if p.at > len(p.data) {
			return errTruncated
		}
		return nil
	}
	strip, n := readOffset(p.data[p.at:])
	if n == 0 || strip > uint64(len(p.last)) {
		return errTruncated
	}
	p.at += n
	end := strings.IndexByte(p.data[p.at:], 0)
	if end < 0 {
		return errTruncated
	}
	e.Path = p.last[:len(p.last)-int(strip)] + p.data[p.at:p.at+end]
	p.last = e.Path
	p.at += end + 1
	return nil
}

// readOffset reads a number in git's variable-length encoding of pack offsets.
func readOffset(b string) (uint64, int) {
	var v uint64
	for i := range min(len(b), 9) {
		c := b[i]
		if i > 0 {
			v = (v + 1) << 7
		}
		v |= uint64(c & 0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}

// readExtensions fails on extensions that change the meaning of the entries. By git's rule, unknown
// ones with a name that starts with a capital may be skipped.
func (p *indexParser) readExtensions() error {
	for p.at < len(p.data) {
		if len(p.data)-p.at < 8 {
			return fmt.Errorf("read the index: %w", errTruncated)
		}
		name := p.data[p.at : p.at+4]
		size := int64(p.readUint16(p.at+4))<<16 | int64(p.readUint16(p.at+6))
		if name[0] < 'A' || name[0] > 'Z' {
			return fmt.Errorf("%w: extension %q", ErrUnsupportedIndex, name)
		}
		if size > int64(len(p.data)-p.at-8) {
			return fmt.Errorf("read the index: %w", errTruncated)
		}
		if name == "TREE" {
			p.trees = p.data[p.at+8 : p.at+8+int(size)]
		}
		p.at += 8 + int(size)
	}
	return nil
}

// IndexTree is a folder of the index and the tree object that git recorded for its entries.
type IndexTree struct {
	OID     string // raw; "" when entries changed since
	Entries int    // number of index entries below it; 0 when OID is ""
	Folders map[string]*IndexTree
}

// maxDepth is the depth to which nested folders are followed; no path is deeper.
const maxDepth = 4096

// parseIndexTree parses the extension TREE: for each folder its name, NUL, the number of entries
// below it (-1: unknown), a space, the number of its subfolders, LF, and the name of the tree,
// followed by the subfolders. nil for damaged data.
func parseIndexTree(data string, hashSize, entries int) *IndexTree {
	p := indexTreeParser{data: data, hash: hashSize, entries: entries}
	_, t := p.readFolder(maxDepth)
	if p.data != "" {
		return nil
	}
	return t
}

type indexTreeParser struct {
	data          string
	hash, entries int
}

// readFolder reads a folder and its subfolders. It returns the name, and nil for damaged data.
func (p *indexTreeParser) readFolder(deep int) (string, *IndexTree) {
	name, rest, named := strings.Cut(p.data, "\x00")
	line, rest, lined := strings.Cut(rest, "\n")
	below, folders, counted := strings.Cut(line, " ")
	count, err1 := strconv.Atoi(below)
	inside, err2 := strconv.Atoi(folders)
	if !named || !lined || !counted || err1 != nil || err2 != nil {
		return "", nil
	}
	if count > p.entries || inside < 0 || deep == 0 {
		return "", nil
	}
	t := &IndexTree{Folders: map[string]*IndexTree{}}
	if count >= 0 {
		if len(rest) < p.hash {
			return "", nil
		}
		t.OID, t.Entries, rest = rest[:p.hash], count, rest[p.hash:]
	}
	p.data = rest
	for range inside {
		name, folder := p.readFolder(deep - 1)
		if folder == nil {
			return "", nil
		}
		t.Folders[name] = folder
	}
	return name, t
}
