package git

import (
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"
)

// PackPart is a pack to be joined with others: its index, its bytes and its size.
type PackPart struct {
	Index *Index
	Bytes io.ReaderAt
	Size  int64
}

// ErrDelta is wrapped when a pack contains deltas.
var ErrDelta = errors.New("it holds deltas")

// JoinPacks writes one pack with all objects of several packs, each object once, and returns its
// index. Objects are copied in compressed form and compared with the checksums in their packs'
// indexes. Packs with deltas are an error (ErrDelta).
func JoinPacks(w io.Writer, newHash func() hash.Hash, parts []PackPart) (*Index, error) {
	seen := map[string]bool{}
	for _, part := range parts {
		for _, e := range part.Index.Entries {
			seen[e.OID] = true
		}
	}
	p := newPacker(w, newHash, len(seen))
	for _, part := range parts {
		if err := p.copyPack(part, seen); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

// copyPack copies the wanted objects of a pack that are not written yet.
func (p *packer) copyPack(part PackPart, wanted map[string]bool) error {
	entries := slices.Clone(part.Index.Entries)
	slices.SortFunc(entries, func(a, b PackEntry) int { return int(min(1, max(-1, a.Offset-b.Offset))) })
	for i, e := range entries {
		if !wanted[e.OID] {
			continue
		}
		delete(wanted, e.OID)
		end := part.Size - int64(p.sum.Size())
		if i+1 < len(entries) {
			end = entries[i+1].Offset
		}
		if e.Offset < 12 || end <= e.Offset {
			return fmt.Errorf("join packs: %x is outside its pack", e.OID)
		}
		p.beginObject(e.OID)
		if err := p.copyEntry(part.Bytes, e, end); err != nil {
			return err
		}
		p.endObject()
	}
	return nil
}

func (p *packer) copyEntry(from io.ReaderAt, e PackEntry, end int64) error {
	var first [1]byte
	if _, err := from.ReadAt(first[:], e.Offset); err != nil {
		return fmt.Errorf("join packs: read %x: %w", e.OID, err)
	}
	if typ := first[0] >> 4 & 7; typ < 1 || typ > 4 {
		return fmt.Errorf("join packs: read %x: %w", e.OID, ErrDelta)
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(p, sum), io.NewSectionReader(from, e.Offset, end-e.Offset))
	if err != nil {
		return fmt.Errorf("join packs: read %x: %w", e.OID, err)
	}
	if n != end-e.Offset || sum.Sum32() != e.CRC {
		return fmt.Errorf("join packs: %x is damaged", e.OID)
	}
	return nil
}
