package scan

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestNoMemoryForRubbish checks that a file that is no cache takes no memory, however large it is.
func TestNoMemoryForRubbish(t *testing.T) {
	for name, size := range map[string]int64{"too large": 4 << 30, "no header": cacheLimit - 1} {
		path := filepath.Join(t.TempDir(), "cache")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if Read(path) != nil {
			t.Errorf("%s: read", name)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%s: it took %d MiB", name, took>>20)
		}
	}
}
