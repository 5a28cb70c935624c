package git

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// NewObject is an object to be stored: its bytes, or a function that opens them.
type NewObject struct {
	OID  string // hex
	Type string // blob, tree, commit or tag
	Data []byte
	Size int64                         // used with Open
	Open func() (io.ReadCloser, error) // nil: Data has the bytes; safe for concurrent use
}

// ErrPackChanged is wrapped when an object's bytes no longer match its name.
var ErrPackChanged = errors.New("it changed while it was read")

var packType = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// WritePack writes a pack of non-delta objects to w (Documentation/gitformat-pack), compares each
// with its name, and returns the pack's index. No object may occur twice. newHash returns the hash
// function of object names. Objects are read by several goroutines.
func WritePack(w io.Writer, newHash func() hash.Hash, objects []NewObject) (*Index, error) {
	p := newPacker(w, newHash, len(objects))
	press := compressors{newHash: newHash}
	for len(objects) > 0 {
		n, bytes := 0, int64(0)
		for ; n < len(objects) && bytes < maxBatchBytes && n < 512; n++ {
			bytes += objects[n].size()
		}
		var err error
		if n > 1 && bytes > minParallelBytes {
			err = p.writeParallel(&press, objects[:n])
		} else {
			n, err = 1, p.writeOne(press.one(), objects[0])
		}
		if err != nil {
			return nil, err
		}
		objects = objects[n:]
	}
	return p.finish()
}

const (
	// maxBatchBytes is the approximate number of bytes of objects that are compressed before they
	// are written.
	maxBatchBytes = 4 << 20
	// minParallelBytes is the size from which several goroutines compress.
	minParallelBytes = 256 << 10
)

func (o *NewObject) size() int64 {
	if o.Open == nil {
		return int64(len(o.Data))
	}
	return o.Size
}

// compressors are the compressors, one for each processor, created when first used: each takes a
// megabyte.
type compressors struct {
	newHash func() hash.Hash
	all     []*compressor
}

type compressor struct {
	z   *zlib.Writer
	h   hash.Hash
	buf []byte
}

func (ps *compressors) one() *compressor { return ps.atLeast(1)[0] }

func (ps *compressors) atLeast(n int) []*compressor {
	for len(ps.all) < n {
		z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // a valid level
		ps.all = append(ps.all, &compressor{z: z, h: ps.newHash()})
	}
	return ps.all
}

// writeOne writes an object while reading it, because it may be large.
func (p *packer) writeOne(c *compressor, o NewObject) error {
	raw, err := decodeName(o.OID, p.sum.Size())
	if err != nil {
		return err
	}
	p.beginObject(raw)
	if err := c.writeObject(p, o); err != nil {
		return err
	}
	p.endObject()
	return nil
}

// writeParallel compresses objects on all processors, and then writes them.
func (p *packer) writeParallel(ps *compressors, objects []NewObject) error {
	done, failed := make([]bytes.Buffer, len(objects)), make([]error, len(objects))
	var next atomic.Int64
	var all sync.WaitGroup
	for _, c := range ps.atLeast(runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(objects); i = int(next.Add(1)) - 1 {
				failed[i] = c.writeObject(&done[i], objects[i])
			}
		})
	}
	all.Wait()
	for i := range objects {
		if failed[i] != nil {
			return failed[i]
		}
		raw, err := decodeName(objects[i].OID, p.sum.Size())
		if err != nil {
			return err
		}
		p.beginObject(raw)
		if _, err := p.Write(done[i].Bytes()); err != nil {
			return err
		}
		p.endObject()
	}
	return nil
}

// packer writes a pack and records the offset of each object.
type packer struct {
	w     io.Writer
	sum   hash.Hash
	at    int64
	crc   uint32
	err   error
	index Index
}

func newPacker(w io.Writer, newHash func() hash.Hash, n int) *packer {
	p := &packer{w: w, sum: newHash()}
	head := append([]byte("PACK\x00\x00\x00\x02"), 0, 0, 0, 0)
	binary.BigEndian.PutUint32(head[8:], uint32(n))
	_, _ = p.Write(head)
	return p
}

// Write implements io.Writer. An error is kept for finish.
func (p *packer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	p.at += int64(len(b))
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b)
	_, _ = p.sum.Write(b) // never fails
	_, p.err = p.w.Write(b)
	return len(b), p.err
}

func (p *packer) beginObject(raw string) {
	p.index.Entries = append(p.index.Entries, PackEntry{OID: raw, Offset: p.at})
	p.crc = 0
}

func (p *packer) endObject() { p.index.Entries[len(p.index.Entries)-1].CRC = p.crc }

func (p *packer) finish() (*Index, error) {
	if p.err != nil {
		return nil, p.err
	}
	p.index.Pack = string(p.sum.Sum(nil))
	_, err := p.w.Write([]byte(p.index.Pack))
	p.index.sort()
	return &p.index, err
}

// writeObject writes an object in the format of a pack, and compares it with its name.
func (c *compressor) writeObject(w io.Writer, o NewObject) error {
	o.Size = o.size()
	if _, err := w.Write(objectHeader(packType[o.Type], uint64(o.Size))); err != nil {
		return err
	}
	c.z.Reset(w)
	c.h.Reset()
	fmt.Fprintf(c.h, "%s %d\x00", o.Type, o.Size)
	if err := c.compress(o); err != nil {
		return err
	}
	if fmt.Sprintf("%x", c.h.Sum(nil)) != o.OID {
		return fmt.Errorf("store %s: %w", o.OID, ErrPackChanged)
	}
	return c.z.Close()
}

// compress compresses and hashes the bytes of an object.
func (c *compressor) compress(o NewObject) error {
	if o.Open == nil {
		_, err := c.z.Write(o.Data)
		_, _ = c.h.Write(o.Data) // never fails
		return err
	}
	f, err := o.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	if c.buf == nil {
		c.buf = make([]byte, 32<<10)
	}
	n, err := io.CopyBuffer(io.MultiWriter(c.z, c.h), io.LimitReader(f, o.Size+1), c.buf)
	if err == nil && n != o.Size {
		err = fmt.Errorf("store %s: %w", o.OID, ErrPackChanged)
	}
	return err
}

// objectHeader returns the header of an object in a pack, with its type and size: four bits of size
// in the first byte, seven in each following one.
func objectHeader(typ byte, size uint64) []byte {
	b := []byte{typ<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return b
}
