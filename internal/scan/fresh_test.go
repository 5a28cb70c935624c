package scan

import "testing"

// TestScanReadsFreshFilesAgain must pass with any resolution of the file system's clock: with the
// fine time stamps of newer kernels a missing margin would not show.
func TestScanReadsFreshFilesAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("f", "x")
	b.scanSave()
	b.age()
	if r := b.scanSave(); !r.Entries[0].Fresh {
		t.Error("a file cached right after it was written is trusted")
	}
	if r := b.scanSave(); r.Entries[0].Fresh {
		t.Error("a file cached long after it was written is not trusted")
	}
}
