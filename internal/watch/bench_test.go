package watch

import (
	"fmt"
	"testing"
)

// BenchmarkTakeWatched measures a snapshot after one edit, with a watch and without.
func BenchmarkTakeWatched(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		box := newBox(b)
		for i := range n {
			box.write(b, fmt.Sprintf("d%d/e%d/f%d", i/10_000, i/100%100, i), fmt.Sprint(i))
		}
		box.git(b, "add", ".")
		box.git(b, "commit", "-qm", "all")
		for _, watched := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d files, watched %t", n, watched), func(b *testing.B) {
				if watched {
					box.start(b)
				}
				s := box.store(b, watched)
				box.take(b, s)
				for i := 0; b.Loop(); i++ {
					box.write(b, "d0/e5/f500", fmt.Sprint("edit ", i, watched))
					box.take(b, s)
				}
			})
		}
	}
}
