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
)

// Object is an object to be stored: its bytes, or a way to read them.
type NewObject struct {
	OID  string // hex
	Type string // blob, tree, commit or tag
	Data []byte
	Size int64                         // used with Open
	Open func() (io.ReadCloser, error) // nil: Data holds the bytes
}

// ErrChanged is wrapped when an object's bytes are no longer those of its name.
var ErrPackChanged = errors.New("it changed while it was read")

var packType = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// Write writes a pack of whole objects to w (Documentation/gitformat-pack), each checked
// against its name meanwhile, and gives the pack's index. No object may come twice.
// newHash makes the hash that names objects.
func Write(w io.Writer, newHash func() hash.Hash, objects []NewObject) (*Index, error) {
	p := newPacker(w, newHash, len(objects))
	z, err := zlib.NewWriterLevel(p, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		raw, err := rawName(o.OID, p.sum.Size())
		if err != nil {
			return nil, err
		}
		p.begin(raw)
		if err := p.object(z, newHash(), o); err != nil {
			return nil, err
		}
		p.end()
	}
	return p.finish()
}

// packer writes a pack and notes where each object lies.
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

func (p *packer) begin(raw string) {
	p.index.Entries = append(p.index.Entries, PackEntry{OID: raw, Offset: p.at})
	p.crc = 0
}

func (p *packer) end() { p.index.Entries[len(p.index.Entries)-1].CRC = p.crc }

func (p *packer) finish() (*Index, error) {
	if p.err != nil {
		return nil, p.err
	}
	p.index.Pack = string(p.sum.Sum(nil))
	_, err := p.w.Write([]byte(p.index.Pack))
	p.index.sort()
	return &p.index, err
}

func (p *packer) object(z *zlib.Writer, h hash.Hash, o NewObject) error {
	if o.Open == nil {
		o.Size = int64(len(o.Data))
	}
	if _, err := p.Write(header(packType[o.Type], uint64(o.Size))); err != nil {
		return err
	}
	var in io.Reader = bytes.NewReader(o.Data)
	if o.Open != nil {
		f, err := o.Open()
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	z.Reset(p)
	fmt.Fprintf(h, "%s %d\x00", o.Type, o.Size)
	n, err := io.Copy(io.MultiWriter(z, h), io.LimitReader(in, o.Size+1))
	if err != nil {
		return err
	}
	if n != o.Size || fmt.Sprintf("%x", h.Sum(nil)) != o.OID {
		return fmt.Errorf("store %s: %w", o.OID, ErrPackChanged)
	}
	return z.Close()
}

// header is the type and size of an object in a pack: four bits of size in the first
// byte, seven in each that follows.
func header(typ byte, size uint64) []byte {
	b := []byte{typ<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return b
}
