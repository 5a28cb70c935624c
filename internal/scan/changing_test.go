package scan

import (
	"crypto/sha1"
	"fmt"
	"hash"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// editing is a hash that edits the file being hashed during its first writes.
type editing struct {
	hash.Hash
	edits *atomic.Int32
	edit  func(n int32)
}

func (e editing) Write(b []byte) (int, error) {
	if n := e.edits.Add(-1); n >= 0 && len(b) > 100 {
		e.edit(n)
	}
	return e.Hash.Write(b)
}

func TestScanReadsAgainWhatChanges(t *testing.T) {
	t.Parallel()
	const size = 300_000 // three buffers
	old := strings.Repeat("a", size)
	for what, c := range map[string]struct {
		edits int32
		edit  func(b *bench, n int32)
		want  string
		gap   bool
	}{
		"one edit":   {2, func(b *bench, _ int32) { b.put("f", strings.Repeat("b", size)) }, strings.Repeat("b", size), false},
		"it grows":   {4, func(b *bench, n int32) { b.put("f", old+fmt.Sprint(n)) }, old + "0", false},
		"it shrinks": {2, func(b *bench, _ int32) { b.put("f", "short") }, "short", false},
		"it is replaced": {2, func(b *bench, _ int32) {
			b.put("g", "another")
			b.must(os.Rename(b.path("g"), b.path("f")))
		}, "another", false},
		"it never ends": {1000, func(b *bench, _ int32) { b.put("f", strings.Repeat("c", size)) }, strings.Repeat("c", size), false},
		"it shrinks for ever": {1000, func(b *bench, n int32) {
			b.must(os.Truncate(b.path("f"), int64(n)*140))
		}, "", true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.put("f", old)
			b.age()
			edits := &atomic.Int32{}
			edits.Store(c.edits)
			b.o.NewHash = func() hash.Hash { return editing{sha1.New(), edits, func(n int32) { c.edit(b, n) }} }
			r := b.scan()
			b.o.NewHash = sha1.New
			b.must(r.Save())
			if !r.Unstable {
				t.Error("it is not moving")
			}
			if c.gap {
				if len(r.Gaps) != 1 || len(r.Entries) != 0 {
					t.Errorf("gaps are %v", r.Gaps)
				}
			} else if r.Entries[0].OID != blobOID(c.want) {
				t.Errorf("the entry is %+v", r.Entries[0])
			}
			b.age()
			b.scanSave()
		})
	}
}
