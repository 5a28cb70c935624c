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

// What was found out about an object by itself, without what it is a delta of. Above these:
// the position of what it is a delta of, and deltaOf.
const (
	unseen int32 = iota
	broken
	entire // no delta, and sound
	deltaOf
)

const (
	// Objects at most this far apart are read in one piece: it takes a disk no longer.
	nearby = 32 << 10
	// piece is how much of a pack is read at once, in bytes.
	piece = 1 << 20
	// Less than this many objects are not worth a second processor.
	worthSharing = 512
)

// examine reads objects, and everything that they are deltas of, in the order in which they
// lie in the pack, and compares them with their checksums. With sizes it notes how many bytes
// each of the objects has.
func (x *index) examine(ctx context.Context, at []int, sizes bool) error {
	if x.seen == nil {
		x.seen = make([]int32, x.n)
	}
	if sizes {
		x.sizes = make([]int64, x.n)
	}
	next := x.ranks(at)
	for first := true; len(next) > 0; first = false {
		if err := x.share(ctx, next, sizes && first); err != nil {
			return err
		}
		var bases []int
		for _, rank := range next {
			if s := x.seen[x.at(rank)]; s >= deltaOf && x.seen[s-deltaOf] == unseen {
				bases = append(bases, int(s-deltaOf))
			}
		}
		next = x.ranks(bases)
	}
	return nil
}

// ranks returns where objects, by their positions in the index, stand in the order of the pack:
// those that were not examined yet, in order, each once.
func (x *index) ranks(at []int) []int {
	var out []int
	if len(at) > x.n/16 {
		wanted := make([]bool, x.n)
		for _, n := range at {
			wanted[n] = true
		}
		out = make([]int, 0, len(at))
		for rank := range x.order {
			if n := x.at(rank); wanted[n] && x.seen[n] == unseen {
				out = append(out, rank)
			}
		}
		return out
	}
	for _, n := range at {
		if x.seen[n] == unseen {
			rank, _ := slices.BinarySearch(x.order, uint64(x.start(n))<<x.shift|uint64(n))
			out = append(out, rank)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// at returns the position in the index of an object by its rank.
func (x *index) at(rank int) int { return int(x.order[rank] & (1<<x.shift - 1)) }

// extent returns where an object begins and ends, by its rank.
func (x *index) extent(rank int) (from, to int64) {
	from, to = int64(x.order[rank]>>x.shift), x.PackSize-int64(x.hash)
	if rank+1 < x.n {
		to = int64(x.order[rank+1] >> x.shift)
	}
	return from, to
}

// share examines objects on all processors.
func (x *index) share(ctx context.Context, ranks []int, sizes bool) error {
	parts := min(runtime.GOMAXPROCS(0), 1+len(ranks)/worthSharing)
	failed := make([]error, parts)
	var all sync.WaitGroup
	for i := range parts {
		part := ranks[i*len(ranks)/parts : (i+1)*len(ranks)/parts]
		all.Go(func() { failed[i] = (&examiner{x: x, sizes: sizes}).run(ctx, part) })
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// examiner is what one goroutine examines objects with.
type examiner struct {
	x     *index
	sizes bool
	buf   []byte
	delta deltaSize
}

func (e *examiner) run(ctx context.Context, ranks []int) error {
	for i := 0; i < len(ranks); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		from, to := e.x.extent(ranks[i])
		end := i + 1
		for ; end < len(ranks); end++ {
			next, last := e.x.extent(ranks[end])
			if next-to > nearby || last-from > piece {
				break
			}
			to = last
		}
		if err := e.together(ranks[i:end], from, to); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// together examines objects that are read in one piece, or one after the other when that cannot
// be read.
func (e *examiner) together(ranks []int, from, to int64) error {
	if to-from > piece {
		return e.long(ranks[0], from, to)
	}
	if int64(cap(e.buf)) < to-from {
		e.buf = make([]byte, min(max(to-from, 64<<10)*2, piece))
	}
	b := e.buf[:to-from]
	if readAll(e.x.Pack, b, from) != nil {
		if len(ranks) == 1 { // what the disk does not give is damaged
			e.x.seen[e.x.at(ranks[0])] = broken
			return nil
		}
		for _, rank := range ranks {
			from, to := e.x.extent(rank)
			if err := e.together([]int{rank}, from, to); err != nil {
				return err
			}
		}
		return nil
	}
	for _, rank := range ranks {
		start, end := e.x.extent(rank)
		part := b[start-from : end-from]
		if err := e.note(rank, start, crc32.ChecksumIEEE(part), part); err != nil {
			return err
		}
	}
	return nil
}

// long examines an object that is larger than what is read at once.
func (e *examiner) long(rank int, from, to int64) error {
	b, sum, first := make([]byte, piece), uint32(0), []byte(nil)
	for at := from; at < to; {
		part := b[:min(int64(len(b)), to-at)]
		if readAll(e.x.Pack, part, at) != nil {
			e.x.seen[e.x.at(rank)] = broken
			return nil
		}
		if first == nil {
			first = bytes.Clone(part[:min(len(part), 64<<10)])
		}
		sum = crc32.Update(sum, crc32.IEEETable, part)
		at += int64(len(part))
	}
	return e.note(rank, from, sum, first)
}

// note takes down what was found out about an object from its checksum and its first bytes.
func (e *examiner) note(rank int, from int64, sum uint32, first []byte) error {
	x, n := e.x, e.x.at(rank)
	var want [4]byte
	if err := readAll(x.crcs, want[:], 4*int64(n)); err != nil {
		return fmt.Errorf("read an index of a pack: %w", err)
	}
	x.seen[n] = broken
	if sum != binary.BigEndian.Uint32(want[:]) || len(first) == 0 {
		return nil
	}
	h, ok := x.head(first, from)
	switch {
	case h.err != nil:
		return h.err
	case !ok:
		return nil
	case h.base < 0:
		x.seen[n] = entire
	default:
		x.seen[n] = int32(h.base) + deltaOf
	}
	if !e.sizes {
		return nil
	}
	x.sizes[n] = h.size
	if h.base >= 0 {
		if x.sizes[n], ok = e.delta.of(first[h.length:]); !ok {
			x.seen[n] = broken
		}
	}
	return nil
}

// state tells whether an object and everything that it is a delta of was found sound.
func (x *index) state(n int) PackState {
	from, state := n, Damaged
	for steps := 0; steps <= x.n; steps++ { // a chain that leads to itself ends so
		s := x.seen[n]
		if s == entire {
			state = Sound
		}
		if s < deltaOf {
			break
		}
		n = int(s - deltaOf)
	}
	// What is known of the first is known of the whole chain: none is followed twice.
	for n = from; x.seen[n] >= deltaOf; {
		next := int(x.seen[n] - deltaOf)
		if x.seen[n] = broken; state == Sound {
			x.seen[n] = entire
		}
		n = next
	}
	return state
}

// objectHead is the beginning of an object in a pack.
type objectHead struct {
	size   int64 // of the object, or of the delta
	base   int   // the position of what it is a delta of, -1 for a whole object
	length int   // how many bytes come before those that are compressed
	err    error
}

// deltaSize reads from a delta how large the object is that it makes.
type deltaSize struct {
	in  bytes.Reader
	out io.ReadCloser
	b   [20]byte // two numbers of at most ten bytes
}

// of inflates the beginning of a delta: the size of what it starts from and that of what it
// makes. b is in zlib's format, whose first two bytes say how it was compressed.
func (d *deltaSize) of(b []byte) (int64, bool) {
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
