package scan

import (
	"errors"
	"os"
	"testing"

	"github.com/belay-dev/belay/internal/fsroot"
)

// TestFaultAtEveryStep fails each step of writing the cache: the tree is unchanged, and no
// temporary file remains.
func TestFaultAtEveryStep(t *testing.T) {
	defer func() { fsroot.Fault = nil }()
	boom := errors.New("boom")
	b := newBench(t)
	b.put("d/f", "old")
	b.must(os.Mkdir(b.path("e"), 0o755))
	var steps []string
	fsroot.Fault = func(op, _ string) error { steps = append(steps, op); return nil }
	b.must(b.scan().Save())
	if len(steps) == 0 {
		t.Error("save makes no steps")
	}
	for fail := range steps {
		fsroot.Fault = nil
		b := newBench(t)
		b.put("d/f", "old")
		b.must(os.Mkdir(b.path("e"), 0o755))
		n := 0
		fsroot.Fault = func(string, string) error {
			if n++; n == fail+1 {
				return boom
			}
			return nil
		}
		if err := b.scan().Save(); !errors.Is(err, boom) {
			t.Errorf("save, step %d of %v: %v", fail, steps, err)
		}
		b.is("d/f", "old", 0o644)
		if _, err := os.Stat(b.path("e")); err != nil {
			t.Error(err)
		}
		b.clean()
	}
}
