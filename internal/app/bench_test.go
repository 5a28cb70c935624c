package app

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPlan imports a file of 10 MB.
func BenchmarkPlan(b *testing.B) {
	var text strings.Builder
	for i := 1; text.Len() < 10<<20; i++ {
		fmt.Fprintf(&text, "- [ ] T%05d [P] [US%d] Create the model number %d in src/models/m%d.py (depends on T%05d)\n  - with its fields and `tests/test_m%d.py`\n\n", i, i%5, i, i, max(1, i-1), i)
	}
	data := []byte(text.String())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		files, err := readTasks("specs/1/tasks.md", false, data)
		if err != nil {
			b.Fatal(err)
		}
		PlanImport(files, nil, ImportOptions{})
	}
}
