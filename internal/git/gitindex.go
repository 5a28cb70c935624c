package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Entry is one path of the user's index.
type IndexEntry struct {
	Path      string
	Mode      uint32 // 0100644, 0100755, 0120000, 0160000
	OID       string // raw bytes
	Stage     int    // 0, or 1 to 3 in a conflict
	Assume    bool   // assume-unchanged
	Skip      bool   // skip-worktree
	Intent    bool   // intent-to-add
	HasStat   bool   // the fields below were read
	CtimeSec  uint32
	CtimeNsec uint32
	MtimeSec  uint32
	MtimeNsec uint32
	Dev       uint32
	Ino       uint32
	UID       uint32
	GID       uint32
	Size      uint32
}

// ErrForeign says that an index has a shape that is read by asking git.
var ErrForeign = errors.New("an index format that belay leaves to git")

// Parse reads the bytes of an index file: versions 2, 3 and 4 without a split or
// sparse extension. hashSize is that of the repository. The layout is git's
// Documentation/gitformat-index. Anything else is an error, and git can be asked.
func ParseIndex(data []byte, hashSize int) ([]IndexEntry, error) {
	if len(data) < 12+hashSize || string(data[:4]) != "DIRC" {
		return nil, fmt.Errorf("read the index: not an index file (%d bytes)", len(data))
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("%w: version %d", ErrForeign, version)
	}
	body := data[12 : len(data)-hashSize]
	if uint64(count)*uint64(42+hashSize) > uint64(len(body)) && version < 4 || uint64(count) > uint64(len(body)) {
		return nil, fmt.Errorf("read the index: %d entries do not fit in %d bytes", count, len(body))
	}
	p := indexParser{data: body, hash: hashSize, version: version}
	entries := make([]IndexEntry, 0, count)
	for i := range count {
		e, err := p.entry()
		if err != nil {
			return nil, fmt.Errorf("read the index, entry %d: %w", i, err)
		}
		entries = append(entries, e)
	}
	return entries, p.extensions()
}

type indexParser struct {
	data    []byte
	at      int
	hash    int
	version uint32
	last    string // path of the entry before, for version 4
}

var errShort = errors.New("it is truncated")

func (p *indexParser) entry() (IndexEntry, error) {
	start := p.at
	if len(p.data)-p.at < 40+p.hash+2 {
		return IndexEntry{}, errShort
	}
	b := p.data[p.at:]
	u := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	e := IndexEntry{
		HasStat: true, CtimeSec: u(0), CtimeNsec: u(1), MtimeSec: u(2), MtimeNsec: u(3), Dev: u(4), Ino: u(5),
		Mode: u(6), UID: u(7), GID: u(8), Size: u(9), OID: string(b[40 : 40+p.hash]),
	}
	flags := binary.BigEndian.Uint16(b[40+p.hash:])
	e.Assume, e.Stage = flags&0x8000 != 0, int(flags>>12&3)
	p.at += 42 + p.hash
	if flags&0x4000 != 0 {
		if p.version < 3 || len(p.data)-p.at < 2 {
			return e, errShort
		}
		more := binary.BigEndian.Uint16(p.data[p.at:])
		e.Skip, e.Intent = more&0x4000 != 0, more&0x2000 != 0
		p.at += 2
	}
	if e.Mode == 0o40000 {
		return e, fmt.Errorf("%w: a folder entry", ErrForeign)
	}
	return e, p.path(&e, start)
}

// path reads the entry's path: whole and padded to eight bytes, or, in version 4, as
// what differs from the path before.
func (p *indexParser) path(e *IndexEntry, start int) error {
	if p.version < 4 {
		end := bytes.IndexByte(p.data[p.at:], 0)
		if end < 0 {
			return errShort
		}
		e.Path = string(p.data[p.at : p.at+end])
		p.at = start + (p.at+end-start+8)&^7
		if p.at > len(p.data) {
			return errShort
		}
		return nil
	}
	strip, n := offset(p.data[p.at:])
	if n == 0 || strip > uint64(len(p.last)) {
		return errShort
	}
	p.at += n
	end := bytes.IndexByte(p.data[p.at:], 0)
	if end < 0 {
		return errShort
	}
	e.Path = p.last[:len(p.last)-int(strip)] + string(p.data[p.at:p.at+end])
	p.last = e.Path
	p.at += end + 1
	return nil
}

// offset reads git's variable-length number, as pack offsets are written.
func offset(b []byte) (uint64, int) {
	var v uint64
	for i, c := range b {
		if i > 8 {
			return 0, 0
		}
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

// extensions looks for those that change what the entries mean. Unknown ones whose
// name starts with a capital may be passed over, by git's own rule.
func (p *indexParser) extensions() error {
	for p.at < len(p.data) {
		if len(p.data)-p.at < 8 {
			return fmt.Errorf("read the index: %w", errShort)
		}
		name := string(p.data[p.at : p.at+4])
		size := int64(binary.BigEndian.Uint32(p.data[p.at+4:]))
		if name[0] < 'A' || name[0] > 'Z' {
			return fmt.Errorf("%w: extension %q", ErrForeign, name)
		}
		if size > int64(len(p.data)-p.at-8) {
			return fmt.Errorf("read the index: %w", errShort)
		}
		p.at += 8 + int(size)
	}
	return nil
}
