package app

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

// TestFirstBad: for any sets of tasks that break the tests together, removing the task that
// firstBad finds until the tests pass terminates. Finding one takes at most log2 N runs.
func TestFirstBad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "tasks")
		left := rangeOf(n)
		together := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, min(n, 3), rapid.ID[int]), 1, 3).Draw(t, "conflicts")
		red := func(tasks []int) bool {
			return slices.ContainsFunc(together, func(conflict []int) bool {
				return !slices.ContainsFunc(conflict, func(i int) bool { return !slices.Contains(tasks, i) })
			})
		}
		for red(left) {
			runs := 0
			i, err := firstBad(len(left), func(k int) (bool, error) { runs++; return red(left[:k]), nil })
			if err != nil || !red(left[:i+1]) || red(left[:i]) {
				t.Fatalf("%d of %v, %v", i, left, err)
			}
			if most := bits.Len(uint(len(left) - 1)); runs > most {
				t.Fatalf("%d runs for %d tasks", runs, len(left))
			}
			left = slices.Delete(left, i, i+1)
		}
	})
}

// TestInOrder: each task comes after its dependencies, and no task is lost.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "tasks")
		var records []*session.Record
		for i := range n {
			task := belay.Task{ID: belay.TaskID(fmt.Sprint("T", i))}
			for j := range i {
				if rapid.Bool().Draw(t, fmt.Sprint(i, " after ", j)) {
					task.After = append(task.After, belay.TaskID(fmt.Sprint("t", j)))
				}
			}
			records = append(records, &session.Record{Task: task})
		}
		sorted := byDependency(rapid.Permutation(records).Draw(t, "recorded"))
		if len(sorted) != n {
			t.Fatalf("%d of %d", len(sorted), n)
		}
		for i, r := range sorted {
			for _, id := range r.Task.After {
				if slices.ContainsFunc(sorted[i:], func(o *session.Record) bool { return o.Task.ID.Key() == id.Key() }) {
					t.Fatalf("%s before %s", r.Task.ID, id)
				}
			}
		}
	})
}
