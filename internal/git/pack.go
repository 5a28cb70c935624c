package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// NewObject is an object to be stored: its bytes, or a way to read them.
type NewObject struct {
	OID  string // hex
	Type string // blob, tree or commit
	Data []byte
	Size int64                         // used with Open
	Open func() (io.ReadCloser, error) // nil: Data holds the bytes
}

// ErrChanged is wrapped when an object's bytes are no longer those of its name.
var ErrChanged = errors.New("it changed while it was read")

// few and small bound what is stored as loose objects. More goes into one pack: one
// file to sync instead of thousands.
const (
	few   = 200
	small = 8 << 20
)

// Store writes objects into the repository's own store, synced. Objects that are
// there already may be given; they cost time only. scratch is a folder for temporary
// files. A failure leaves nothing behind but objects that nobody names.
func (r *Repo) Store(ctx context.Context, objects []NewObject, scratch string) error {
	if len(objects) == 0 {
		return nil
	}
	var total int64
	for _, o := range objects {
		total += max(o.Size, int64(len(o.Data)))
	}
	if len(objects) <= few && total <= small {
		var pack bytes.Buffer
		if err := r.pack(&pack, objects); err != nil {
			return err
		}
		_, err := r.Run(ctx, &pack, "unpack-objects", "-q")
		var f *Failure
		if !errors.As(err, &f) || ctx.Err() != nil {
			return err
		}
		// A gc takes away folders of loose objects while one is written. It leaves packs.
	}
	return again(ctx, func() error { return r.storePack(ctx, objects, scratch, "") })
}

// again does something up to three times while git complains: between two looks of
// git, a gc at the same time takes away objects that were there.
func again(ctx context.Context, do func() error) (err error) {
	var f *Failure
	for n := 0; n < 3 && (n == 0 || errors.As(err, &f) && ctx.Err() == nil); n++ {
		err = do()
	}
	return err
}

// StoreKept stores objects where a gc that runs at the same time does not delete them
// although it may have looked at the refs before they were named: in a pack that is
// marked to be kept.
//
// note stands in its .keep file; whoever removes that ends the protection.
func (r *Repo) StoreKept(ctx context.Context, objects []NewObject, scratch, note string) error {
	if len(objects) == 0 {
		return nil
	}
	return again(ctx, func() error { return r.storePack(ctx, objects, scratch, note) })
}

// storePack writes a pack beside the store, has git index it, and moves both in: the
// index last, because git looks for packs by their indexes.
func (r *Repo) storePack(ctx context.Context, objects []NewObject, scratch, note string) (err error) {
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(scratch, "pack-*.pack")
	if err != nil {
		return fmt.Errorf("store objects: %w", err)
	}
	base := strings.TrimSuffix(f.Name(), ".pack")
	defer func() {
		f.Close()
		for _, end := range []string{".pack", ".idx", ".rev"} {
			_ = os.Remove(base + end) // gone already when all went well
		}
	}()
	if err := r.pack(f, objects); err != nil {
		return fmt.Errorf("store objects: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("store objects: sync %s: %w", f.Name(), err)
	}
	out, err := r.Run(ctx, nil, "index-pack", "--no-rev-index", "-o", base+".idx", base+".pack")
	if err != nil {
		return err
	}
	_, name, ok := strings.Cut("\t"+strings.TrimSpace(string(out)), "\t")
	if i := strings.LastIndexByte(name, '\t'); i >= 0 {
		name = name[i+1:]
	}
	if !ok || !isOID(name) {
		return fmt.Errorf("store objects: git index-pack printed %q", out)
	}
	dir := filepath.Join(r.Common, "objects", "pack")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("store objects: %w", err)
	}
	if note != "" {
		if err := replaceFile(filepath.Join(dir, "pack-"+name+".keep"), note); err != nil {
			return fmt.Errorf("store objects: %w", err)
		}
	}
	for _, end := range []string{".pack", ".idx"} {
		if err := os.Chmod(base+end, 0o444); err != nil {
			return fmt.Errorf("store objects: %w", err)
		}
		if err := os.Rename(base+end, filepath.Join(dir, "pack-"+name+end)); err != nil {
			return fmt.Errorf("store objects: %w", err)
		}
	}
	return SyncDir(dir)
}

// SyncDir makes the names in a folder survive a loss of power.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

var packType = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// pack writes a pack of whole objects (Documentation/gitformat-pack): each is checked
// against its name while it is written.
func (r *Repo) pack(w io.Writer, objects []NewObject) error {
	sum := r.NewHash()
	out := &counted{w: io.MultiWriter(w, sum)}
	head := append([]byte("PACK\x00\x00\x00\x02"), 0, 0, 0, 0)
	binary.BigEndian.PutUint32(head[8:], uint32(len(objects)))
	out.Write(head)
	z, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := r.packOne(out, z, o); err != nil {
			return err
		}
	}
	if out.err != nil {
		return out.err
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

type counted struct {
	w   io.Writer
	err error
}

func (c *counted) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	_, c.err = c.w.Write(p)
	return len(p), c.err
}

func (r *Repo) packOne(out io.Writer, z *zlib.Writer, o NewObject) error {
	if o.Open == nil {
		o.Size = int64(len(o.Data))
	}
	if _, err := out.Write(packHeader(packType[o.Type], uint64(o.Size))); err != nil {
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
	z.Reset(out)
	h := r.NewHash()
	fmt.Fprintf(h, "%s %d\x00", o.Type, o.Size)
	n, err := io.Copy(io.MultiWriter(z, h), io.LimitReader(in, o.Size+1))
	if err != nil {
		return err
	}
	if n != o.Size || fmt.Sprintf("%x", h.Sum(nil)) != o.OID {
		return fmt.Errorf("store %s: %w", o.OID, ErrChanged)
	}
	return z.Close()
}

// packHeader is the type and size of an object in a pack: four bits of size in the
// first byte, seven in each that follows.
func packHeader(typ byte, size uint64) []byte {
	b := []byte{typ<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return b
}
