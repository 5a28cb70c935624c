package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// PackEntry locates an object in a pack.
type PackEntry struct {
	OID    string // raw bytes
	CRC    uint32 // of the bytes in the pack
	Offset int64
}

// Index is the content of a pack's .idx file, with entries sorted by name.
type Index struct {
	Entries []PackEntry
	Pack    string // the checksum at the end of the pack, raw
}

// Name returns the name of the pack's files, without extensions.
func (x *Index) Name() string { return "pack-" + hex.EncodeToString([]byte(x.Pack)) }

func (x *Index) sort() {
	slices.SortFunc(x.Entries, func(a, b PackEntry) int { return strings.Compare(a.OID, b.OID) })
}

var magic = []byte("\xfftOc\x00\x00\x00\x02")

// largeOffset marks an offset that does not fit into 31 bits and is in a separate table.
const largeOffset = 1 << 31

// Encode returns the bytes of the .idx file, version 2.
func (x *Index) Encode(newHash func() hash.Hash) []byte {
	var b bytes.Buffer
	b.Write(magic)
	n := 0
	for first := range 256 {
		for n < len(x.Entries) && x.Entries[n].OID[0] <= byte(first) {
			n++
		}
		b.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
	}
	for _, e := range x.Entries {
		b.WriteString(e.OID)
	}
	for _, e := range x.Entries {
		b.Write(binary.BigEndian.AppendUint32(nil, e.CRC))
	}
	var large []byte
	for _, e := range x.Entries {
		at := uint32(e.Offset)
		if e.Offset >= largeOffset {
			at = largeOffset | uint32(len(large)/8)
			large = binary.BigEndian.AppendUint64(large, uint64(e.Offset))
		}
		b.Write(binary.BigEndian.AppendUint32(nil, at))
	}
	b.Write(large)
	b.WriteString(x.Pack)
	h := newHash()
	h.Write(b.Bytes())
	return h.Sum(b.Bytes())
}

var errIndex = errors.New("it is not a version 2 pack index")

// countObjects returns the number of objects in an index according to its header, and fails if the
// file's size does not match: it is read completely and may have any size.
func countObjects(f io.ReaderAt, size int64, hash int) (int, error) {
	head := make([]byte, len(magic)+1024)
	if err := readAll(f, head, 0); err != nil || !bytes.HasPrefix(head, magic) {
		return 0, errIndex
	}
	n := int(binary.BigEndian.Uint32(head[len(head)-4:]))
	least := int64(len(head)) + int64(n)*int64(hash+8) + int64(2*hash)
	most := least + int64(n)*8 // all of them in the table of large offsets
	if size < least || size > most || (size-least)%8 != 0 {
		return 0, errIndex
	}
	return n, nil
}

// ReadIndex reads an .idx file of version 2 and checks its checksum.
func ReadIndex(f io.ReaderAt, size int64, newHash func() hash.Hash) (*Index, error) {
	if _, err := countObjects(f, size, newHash().Size()); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if err := readAll(f, data, 0); err != nil {
		return nil, err
	}
	return ParsePackIndex(data, newHash)
}

// ParsePackIndex parses the bytes of an .idx file of version 2 and checks its checksum.
func ParsePackIndex(data []byte, newHash func() hash.Hash) (*Index, error) {
	h := newHash()
	size := h.Size()
	if len(data) < len(magic)+1024+2*size || !bytes.HasPrefix(data, magic) {
		return nil, errIndex
	}
	body := data[:len(data)-size]
	h.Write(body)
	if !bytes.Equal(h.Sum(nil), data[len(body):]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", errIndex)
	}
	x := &Index{Pack: string(body[len(body)-size:])}
	body = body[:len(body)-size]
	n := int(binary.BigEndian.Uint32(body[len(magic)+1020:]))
	body = body[len(magic)+1024:]
	if n < 0 || n > len(body)/(size+8) {
		return nil, errIndex
	}
	names, body := body[:n*size], body[n*size:]
	crcs, body := body[:4*n], body[4*n:]
	offsets, large := body[:4*n], body[4*n:]
	for i := range n {
		e := PackEntry{OID: string(names[i*size : (i+1)*size]), CRC: binary.BigEndian.Uint32(crcs[4*i:]),
			Offset: int64(binary.BigEndian.Uint32(offsets[4*i:]))}
		if e.Offset >= largeOffset {
			k := int(e.Offset - largeOffset)
			if k >= len(large)/8 {
				return nil, errIndex
			}
			if e.Offset = int64(binary.BigEndian.Uint64(large[8*k:])); e.Offset < 0 { //nolint:gosec // what does not fit is refused
				return nil, fmt.Errorf("%w: an offset is beyond every file", errIndex)
			}
		}
		if i > 0 && x.Entries[i-1].OID >= e.OID {
			return nil, fmt.Errorf("%w: its names are out of order", errIndex)
		}
		x.Entries = append(x.Entries, e)
	}
	return x, nil
}

func decodeName(oid string, size int) (string, error) {
	raw, err := hex.DecodeString(oid)
	if err != nil || len(raw) != size {
		return "", fmt.Errorf("store objects: %q is not an object name", oid)
	}
	return string(raw), nil
}
