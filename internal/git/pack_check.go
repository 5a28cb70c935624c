package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"slices"
	"sort"

	"github.com/belay-dev/belay/internal/fsroot"
)

// PackFiles are a pack and its index, open for reading.
type PackFiles struct {
	Index, Pack         io.ReaderAt
	IndexSize, PackSize int64
	IsVerified          bool // the checksum of the index was checked already
}

// PackState is the state of one object in one pack.
type PackState byte

const (
	PackAbsent  PackState = iota // the pack does not contain it
	PackSound                    // its bytes, and those of all its delta bases, match their checksums
	PackDamaged                  // its bytes, or those of a delta base, do not
)

// ErrPack is wrapped when a pack cannot be used at all: git does not find its objects, or nothing
// is known about them.
var ErrPack = errors.New("the pack cannot be used")

// checkObjects looks up objects (raw names, sorted, unique) in a pack and compares the bytes of
// those it contains with the checksums of the index. Nothing is inflated. Besides the index, only
// the bytes of these objects and of their delta bases are read.
//
// The error wraps ErrPack when the index is damaged, is of version 1, which has no checksums, or
// does not belong to the pack.
//
// With sizes it also returns the size of each sound object in bytes. For deltas that requires
// inflating their first bytes.
func checkObjects(ctx context.Context, f PackFiles, newHash func() hash.Hash, wanted []string, sizes bool) ([]PackState, []int64, error) {
	x, err := openIndex(ctx, f, newHash)
	if err != nil {
		return nil, nil, err
	}
	states := make([]PackState, len(wanted))
	at, err := x.findAll(wanted)
	if err != nil || !slices.ContainsFunc(at, func(n int) bool { return n >= 0 }) {
		return states, nil, err
	}
	if err := x.loadOffsets(); err != nil {
		return nil, nil, err
	}
	here := slices.DeleteFunc(slices.Clone(at), func(n int) bool { return n < 0 })
	if err := x.examine(ctx, here, sizes); err != nil {
		return nil, nil, err
	}
	var large []int64
	if sizes {
		large = make([]int64, len(wanted))
	}
	for i, n := range at {
		if n < 0 {
			continue
		}
		states[i] = x.stateOf(n)
		if sizes {
			large[i] = x.sizes[n]
		}
	}
	return states, large, nil
}

// VerifyPack reads a complete pack and its index and compares both with their own checksums. The
// error wraps ErrPack when one is wrong.
func VerifyPack(ctx context.Context, f PackFiles, newHash func() hash.Hash) error {
	if _, err := openIndex(ctx, f, newHash); err != nil {
		return err
	}
	sum, err := hasValidChecksum(ctx, f.Pack, f.PackSize, newHash())
	if err == nil && !sum {
		err = fmt.Errorf("%w: its checksum is wrong", ErrPack)
	}
	return err
}

// hasValidChecksum reports whether a file ends with the checksum of everything before it.
func hasValidChecksum(ctx context.Context, f io.ReaderAt, size int64, h hash.Hash) (bool, error) {
	body := size - int64(h.Size())
	if body < 0 {
		return false, nil
	}
	buf := make([]byte, 1<<20)
	in := io.NewSectionReader(f, 0, body)
	for ctx.Err() == nil {
		n, err := in.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			last := make([]byte, h.Size())
			if _, err := f.ReadAt(last, body); err != nil && err != io.EOF {
				return false, err
			}
			return bytes.Equal(h.Sum(nil), last), nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, ctx.Err()
}

// packIndex is an open index of version 2, and its pack.
type packIndex struct {
	PackFiles
	hashSize     int // bytes of a name
	n            int
	crcs         io.ReaderAt
	byOffset     []uint64 // offset and position of every object, by offset
	shift        int      // bits of the position
	largeOffsets []byte   // the table of large offsets
	offset       []byte   // the table of offsets
	states       []int32  // the state of each object, by its position
	sizes        []int64  // of the requested objects
}

// openIndex checks what can be checked without reading an object: the checksum of the index, and
// that it belongs to the pack.
func openIndex(ctx context.Context, f PackFiles, newHash func() hash.Hash) (*packIndex, error) {
	h := newHash()
	x := &packIndex{PackFiles: f, hashSize: h.Size()}
	var err error
	if x.n, err = countObjects(f.Index, f.IndexSize, x.hashSize); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPack, err)
	}
	good := f.IsVerified
	if !good {
		good, err = hasValidChecksum(ctx, f.Index, f.IndexSize, h)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || !good {
		return nil, fmt.Errorf("%w: the checksum of its index is wrong", ErrPack)
	}
	said, ends, start := make([]byte, x.hashSize), make([]byte, x.hashSize), make([]byte, 12)
	err = errors.Join(readAll(f.Index, said, f.IndexSize-int64(2*x.hashSize)), readAll(f.Pack, start, 0),
		readAll(f.Pack, ends, f.PackSize-int64(x.hashSize)))
	version, objects := binary.BigEndian.Uint32(start[4:]), binary.BigEndian.Uint32(start[8:])
	isPack := string(start[:4]) == "PACK" && (version == 2 || version == 3)
	if err != nil || !bytes.Equal(said, ends) || !isPack || int(objects) != x.n {
		return nil, fmt.Errorf("%w: it is truncated, or does not match its index", ErrPack)
	}
	return x, nil
}

func readAll(f io.ReaderAt, b []byte, at int64) error {
	if at < 0 {
		return io.ErrUnexpectedEOF
	}
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	return errors.Join(err, io.ErrUnexpectedEOF)
}

func (x *packIndex) namesStart() int64 { return int64(len(magic) + 1024) }

// findAll returns the position of each name in the index, -1 for a missing one. Both are sorted, so
// one pass is enough.
func (x *packIndex) findAll(wanted []string) ([]int, error) {
	at := fsroot.MakeLarge[int](len(wanted))
	if len(wanted) < x.n/256 {
		for i, w := range wanted {
			n, err := x.findOne(w)
			if err != nil {
				return nil, err
			}
			at[i] = n
		}
		return at, nil
	}
	in := bufio.NewReaderSize(io.NewSectionReader(x.Index, x.namesStart(), int64(x.n)*int64(x.hashSize)), 256<<10)
	name, k := make([]byte, x.hashSize), -1
	for i, w := range wanted {
		for k < 0 || k < x.n && string(name) < w {
			if k++; k < x.n {
				if _, err := io.ReadFull(in, name); err != nil {
					return nil, fmt.Errorf("read an index of a pack: %w", err)
				}
			}
		}
		at[i] = -1
		if k < x.n && string(name) == w {
			at[i] = k
		}
	}
	return at, nil
}

// findOne returns the position of one name, -1 when it is missing.
func (x *packIndex) findOne(name string) (int, error) {
	var err error
	entry := make([]byte, x.hashSize)
	n := sort.Search(x.n, func(i int) bool {
		err = errors.Join(err, readAll(x.Index, entry, x.namesStart()+int64(i)*int64(x.hashSize)))
		return string(entry) >= name
	})
	if err != nil || n == x.n {
		return -1, err
	}
	if err := readAll(x.Index, entry, x.namesStart()+int64(n)*int64(x.hashSize)); err != nil || string(entry) != name {
		return -1, err
	}
	return n, nil
}

// loadOffsets reads the offsets of objects. One object ends where the next begins.
func (x *packIndex) loadOffsets() error {
	at := x.namesStart() + int64(x.n)*int64(x.hashSize)
	x.crcs = io.NewSectionReader(x.Index, at, 4*int64(x.n))
	if x.n < 1<<22 { // otherwise there are too many checksums to keep
		all := fsroot.MakeLarge[byte](4 * x.n)
		if err := readAll(x.Index, all, at); err != nil {
			return fmt.Errorf("read an index of a pack: %w", err)
		}
		x.crcs = bytes.NewReader(all)
	}
	at += 4 * int64(x.n)
	x.offset = fsroot.MakeLarge[byte](4 * x.n)
	x.largeOffsets = make([]byte, x.IndexSize-int64(2*x.hashSize)-at-4*int64(x.n))
	if err := errors.Join(readAll(x.Index, x.offset, at), readAll(x.Index, x.largeOffsets, at+4*int64(x.n))); err != nil {
		return fmt.Errorf("read an index of a pack: %w", err)
	}
	x.shift = bits.Len(uint(x.n))
	x.byOffset = fsroot.MakeLarge[uint64](x.n)
	for i := range x.n {
		o := x.offsetOf(i)
		if o < 12 || o > x.PackSize-int64(x.hashSize) || bits.Len64(uint64(o))+x.shift > 64 {
			return fmt.Errorf("%w: an offset is outside the pack", ErrPack)
		}
		x.byOffset[i] = uint64(o)<<x.shift | uint64(i)
	}
	slices.Sort(x.byOffset)
	return nil
}

// offsetOf returns the offset of an object, -1 when the index is wrong.
func (x *packIndex) offsetOf(n int) int64 {
	o := int64(binary.BigEndian.Uint32(x.offset[4*n:]))
	if o < largeOffset {
		return o
	}
	k := 8 * (o - largeOffset)
	if k+8 > int64(len(x.largeOffsets)) {
		return -1
	}
	o = int64(binary.BigEndian.Uint64(x.largeOffsets[k:])) //nolint:gosec // a negative one is outside every file
	return o
}

// objectAt returns the position of the object at an offset, and the offset of its end; -1 when
// there is none.
func (x *packIndex) objectAt(from int64) (n int, to int64) {
	i, _ := slices.BinarySearch(x.byOffset, uint64(from)<<x.shift)
	if i == x.n || int64(x.byOffset[i]>>x.shift) != from {
		return -1, 0
	}
	to = x.PackSize - int64(x.hashSize)
	if i+1 < x.n {
		to = int64(x.byOffset[i+1] >> x.shift)
	}
	return int(x.byOffset[i] & (1<<x.shift - 1)), to
}

const offsetDelta, nameDelta = 6, 7

// readHead parses the first bytes of the object at offset from. ok is false when they are invalid.
func (x *packIndex) readHead(b []byte, from int64) (h objectHead, ok bool) {
	typ, size := b[0]>>4&7, uint64(b[0]&15)
	at := 1
	for shift := 4; b[at-1]&0x80 != 0; at, shift = at+1, shift+7 {
		if at == len(b) || shift > 60 {
			return h, false
		}
		size |= uint64(b[at]&0x7f) << shift
	}
	h = objectHead{size: int64(size), base: -1, length: at} //nolint:gosec // a negative one is no file's
	switch typ {
	case 1, 2, 3, 4:
		return h, true
	case nameDelta:
		if len(b) < at+x.hashSize {
			return h, false
		}
		h.base, h.err = x.findOne(string(b[at : at+x.hashSize]))
		h.length += x.hashSize
		return h, h.base >= 0
	case offsetDelta:
		back, n := readOffset(string(b[at:min(len(b), at+9)]))
		h.base, _ = x.objectAt(from - int64(back)) //nolint:gosec // one too large is outside the pack
		h.length += n
		return h, n > 0 && back > 0 && h.base >= 0
	}
	return h, false
}

// ReadPacked writes the bytes of an object (its raw name) to w, if the pack contains it as a
// non-delta object, and returns its type. It is for objects of which git cannot read another copy,
// and checks everything: the error wraps ErrPack when the pack has no copy with bytes that match
// the name. Bytes are written to w only after a comparison with the checksum.
func ReadPacked(ctx context.Context, f PackFiles, newHash func() hash.Hash, name string, w io.Writer) (typ string, err error) {
	x, err := openIndex(ctx, f, newHash)
	if err != nil {
		return "", err
	}
	n, err := x.findOne(name)
	if err == nil && n >= 0 {
		err = x.loadOffsets()
	}
	if err != nil {
		return "", err
	}
	state := PackAbsent
	if n >= 0 {
		if err := x.examine(ctx, []int{n}, false); err != nil {
			return "", err
		}
		state = x.stateOf(n)
	}
	var head [16]byte
	if state != PackSound || readAll(f.Pack, head[:], x.offsetOf(n)) != nil {
		return "", fmt.Errorf("%w: it has no intact copy of %x", ErrPack, name)
	}
	code, size, skip := head[0]>>4&7, uint64(head[0]&15), 1
	for shift := 4; head[skip-1]&0x80 != 0 && skip < 10; shift, skip = shift+7, skip+1 {
		size |= uint64(head[skip]&0x7f) << shift
	}
	for name, c := range packType {
		if c == code {
			typ = name
		}
	}
	if typ == "" {
		return "", fmt.Errorf("%w: %x is a delta", ErrPack, name)
	}
	z, err := zlib.NewReader(bufio.NewReader(io.NewSectionReader(f.Pack, x.offsetOf(n)+int64(skip), f.PackSize)))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrPack, err)
	}
	h := newHash()
	fmt.Fprintf(h, "%s %d\x00", typ, size)
	k, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(z, int64(size)+1)) //nolint:gosec // a size beyond fails below
	if err == nil && (uint64(k) != size || string(h.Sum(nil)) != name) {
		err = fmt.Errorf("%w: the content of %x does not match its name", ErrPack, name)
	}
	return typ, err
}
