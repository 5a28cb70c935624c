package fsroot

import (
	"fmt"
	"os"
	"testing"
)

func BenchmarkWriteFile(b *testing.B) {
	t := newBench(b)
	root, err := OpenRoot(t.root)
	t.must(err)
	defer root.Close()
	t.must(os.MkdirAll(t.path("a/b/c"), 0o755))
	for i := 0; b.Loop(); i++ {
		t.must(root.WriteFile(fmt.Sprintf("a/b/c/%d", i%100), 0o644, t.tmp(), writes("text")))
	}
}
