package git

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"slices"
	"sync"
)

// The state of an object without its delta base. Values from stateDelta on are stateDelta plus the
// position of the delta base.
const (
	stateUnseen int32 = iota
	stateBroken
	stateSound // not a delta, and sound
	stateDelta
)

const (
	// Objects at most this far apart are read together: that takes a disk no longer.
	maxGap = 32 << 10
	// readSize is the number of bytes of a pack that are read at once.
	readSize = 1 << 20
	// minParallelObjects is the number of objects per goroutine that pays off.
	minParallelObjects = 512
)

// examine reads objects and all their delta bases, in the order of the pack, and compares them with
// their checksums. With sizes it records the size of each of the objects.
func (x *packIndex) examine(ctx context.Context, at []int, sizes bool) error {
	if x.states == nil {
		x.states = make([]int32, x.n)
	}
	if sizes {
		x.sizes = make([]int64, x.n)
	}
	next := x.ranks(at)
	for first := true; len(next) > 0; first = false {
		if err := x.examineParallel(ctx, next, sizes && first); err != nil {
			return err
		}
		var bases []int
		for _, rank := range next {
			if s := x.states[x.positionOf(rank)]; s >= stateDelta && x.states[s-stateDelta] == stateUnseen {
				bases = append(bases, int(s-stateDelta))
			}
		}
		next = x.ranks(bases)
	}
	return nil
}

// ranks returns the ranks in the order of the pack, sorted and unique, of the objects at positions
// in the index that were not examined yet.
func (x *packIndex) ranks(at []int) []int {
	var out []int
	if len(at) > x.n/16 {
		wanted := make([]bool, x.n)
		for _, n := range at {
			wanted[n] = true
		}
		out = make([]int, 0, len(at))
		for rank := range x.byOffset {
			if n := x.positionOf(rank); wanted[n] && x.states[n] == stateUnseen {
				out = append(out, rank)
			}
		}
		return out
	}
	for _, n := range at {
		if x.states[n] == stateUnseen {
			rank, _ := slices.BinarySearch(x.byOffset, uint64(x.offsetOf(n))<<x.shift|uint64(n))
			out = append(out, rank)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// positionOf returns the position in the index of the object with a rank.
func (x *packIndex) positionOf(rank int) int { return int(x.byOffset[rank] & (1<<x.shift - 1)) }

// extent returns the offsets at which the object with a rank begins and ends.
func (x *packIndex) extent(rank int) (from, to int64) {
	from, to = int64(x.byOffset[rank]>>x.shift), x.PackSize-int64(x.hashSize)
	if rank+1 < x.n {
		to = int64(x.byOffset[rank+1] >> x.shift)
	}
	return from, to
}

// examineParallel examines objects on all processors.
func (x *packIndex) examineParallel(ctx context.Context, ranks []int, sizes bool) error {
	parts := min(runtime.GOMAXPROCS(0), 1+len(ranks)/minParallelObjects)
	failed := make([]error, parts)
	var all sync.WaitGroup
	for i := range parts {
		part := ranks[i*len(ranks)/parts : (i+1)*len(ranks)/parts]
		all.Go(func() { failed[i] = (&examiner{index: x, sizes: sizes}).run(ctx, part) })
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// examiner is the state of one goroutine that examines objects.
type examiner struct {
	index *packIndex
	sizes bool
	buf   []byte
	delta deltaReader
}

func (e *examiner) run(ctx context.Context, ranks []int) error {
	for i := 0; i < len(ranks); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		from, to := e.index.extent(ranks[i])
		end := i + 1
		for ; end < len(ranks); end++ {
			next, last := e.index.extent(ranks[end])
			if next-to > maxGap || last-from > readSize {
				break
			}
			to = last
		}
		if err := e.examineRun(ranks[i:end], from, to); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// examineRun examines objects that are read together, or one by one if that fails.
func (e *examiner) examineRun(ranks []int, from, to int64) error {
	if to-from > readSize {
		return e.examineLarge(ranks[0], from, to)
	}
	if int64(cap(e.buf)) < to-from {
		e.buf = make([]byte, min(max(to-from, 64<<10)*2, readSize))
	}
	b := e.buf[:to-from]
	if readAll(e.index.Pack, b, from) != nil {
		if len(ranks) == 1 { // what cannot be read is damaged
			e.index.states[e.index.positionOf(ranks[0])] = stateBroken
			return nil
		}
		for _, rank := range ranks {
			from, to := e.index.extent(rank)
			if err := e.examineRun([]int{rank}, from, to); err != nil {
				return err
			}
		}
		return nil
	}
	for _, rank := range ranks {
		start, end := e.index.extent(rank)
		part := b[start-from : end-from]
		if err := e.recordResult(rank, start, crc32.ChecksumIEEE(part), part); err != nil {
			return err
		}
	}
	return nil
}

// examineLarge examines an object that is larger than readSize.
func (e *examiner) examineLarge(rank int, from, to int64) error {
	b, sum, first := make([]byte, readSize), uint32(0), []byte(nil)
	for at := from; at < to; {
		part := b[:min(int64(len(b)), to-at)]
		if readAll(e.index.Pack, part, at) != nil {
			e.index.states[e.index.positionOf(rank)] = stateBroken
			return nil
		}
		if first == nil {
			first = bytes.Clone(part[:min(len(part), 64<<10)])
		}
		sum = crc32.Update(sum, crc32.IEEETable, part)
		at += int64(len(part))
	}
	return e.recordResult(rank, from, sum, first)
}

// recordResult records the state of an object from its checksum and its first bytes.
func (e *examiner) recordResult(rank int, from int64, sum uint32, first []byte) error {
	x, n := e.index, e.index.positionOf(rank)
	var want [4]byte
	if err := readAll(x.crcs, want[:], 4*int64(n)); err != nil {
		return fmt.Errorf("read an index of a pack: %w", err)
	}
	x.states[n] = stateBroken
	if sum != binary.BigEndian.Uint32(want[:]) || len(first) == 0 {
		return nil
	}
	h, ok := x.readHead(first, from)
	switch {
	case h.err != nil:
		return h.err
	case !ok:
		return nil
	case h.base < 0:
		x.states[n] = stateSound
	default:
		x.states[n] = int32(h.base) + stateDelta
	}
	if !e.sizes {
		return nil
	}
	x.sizes[n] = h.size
	if h.base >= 0 {
		if x.sizes[n], ok = e.delta.resultSize(first[h.length:]); !ok {
			x.states[n] = stateBroken
		}
	}
	return nil
}

// stateOf returns whether an object and all its delta bases were found sound.
func (x *packIndex) stateOf(n int) PackState {
	from, state := n, PackDamaged
	for steps := 0; steps <= x.n; steps++ { // this ends a cycle
		s := x.states[n]
		if s == stateSound {
			state = PackSound
		}
		if s < stateDelta {
			break
		}
		n = int(s - stateDelta)
	}
	// Record the result for the complete chain, so that no object is followed twice.
	for n = from; x.states[n] >= stateDelta; {
		next := int(x.states[n] - stateDelta)
		if x.states[n] = stateBroken; state == PackSound {
			x.states[n] = stateSound
		}
		n = next
	}
	return state
}

// objectHead is the beginning of an object in a pack.
type objectHead struct {
	size   int64 // of the object, or of the delta
	base   int   // the position of the delta base, -1 for a non-delta object
	length int   // number of bytes before the compressed ones
	err    error
}

// deltaReader reads the size of the resulting object from a delta.
type deltaReader struct {
	in  bytes.Reader
	out io.ReadCloser
	b   [20]byte // two numbers of at most ten bytes
}

// resultSize inflates the beginning of a delta, which contains the sizes of its base and of its
// result. b is in zlib's format; its first two bytes are the header.
func (d *deltaReader) resultSize(b []byte) (int64, bool) {
	if len(b) < 2 {
		return 0, false
	}
	d.in.Reset(b[2:])
	if d.out == nil {
		d.out = flate.NewReader(&d.in)
	} else if d.out.(flate.Resetter).Reset(&d.in, nil) != nil {
		return 0, false
	}
	n, _ := io.ReadFull(d.out, d.b[:]) // a small delta is shorter
	_, used := binary.Uvarint(d.b[:n])
	if used <= 0 {
		return 0, false
	}
	size, more := binary.Uvarint(d.b[used:n])
	return int64(size), more > 0 && int64(size) >= 0 //nolint:gosec // a negative one is refused
}
