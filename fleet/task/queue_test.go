package task_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

func listOf(n int, after, needs func(i, j int) bool) (tasks []belay.ListedTask) {
	for i := range n {
		t := belay.ListedTask{ID: belay.TaskID(fmt.Sprint("T", i))}
		for j := range i {
			id := belay.TaskID(fmt.Sprint("t", j)) // IDs are compared case-insensitively
			if needs(i, j) {
				t.Needs = append(t.Needs, id)
			}
			if needs(i, j) || after(i, j) {
				t.After = append(t.After, id)
			}
		}
		tasks = append(tasks, t)
	}
	return tasks
}

func never(int, int) bool { return false }

func TestNext(t *testing.T) {
	t.Parallel()
	// T0, then T1 and T2 side by side, then T3; T3 needs the work of T1.
	tasks := listOf(4, func(i, j int) bool { return i != 2 || j != 1 }, func(i, j int) bool { return i == 3 && j == 1 })
	const w, r, a, m, g, ok, no = task.StageWaiting, task.StageRunning, task.StageAccepted, task.StageMerging, task.StageGate,
		task.StageMerged, task.StageDropped
	for _, c := range []struct {
		stages [4]task.Stage
		limit  int
		paused bool
		want   string
	}{
		{[4]task.Stage{w, w, w, w}, 4, false, "begin [0]"},
		{[4]task.Stage{w, w, w, w}, 4, true, ""},
		{[4]task.Stage{r, w, w, w}, 4, false, ""},
		{[4]task.Stage{a, w, w, w}, 4, false, "merge 0"},
		{[4]task.Stage{a, w, w, w}, 4, true, ""},
		{[4]task.Stage{m, w, w, w}, 4, false, ""},
		{[4]task.Stage{ok, w, w, w}, 4, false, "begin [1 2]"},
		{[4]task.Stage{ok, w, w, w}, 1, false, "begin [1]"},
		{[4]task.Stage{ok, r, w, w}, 1, false, ""},
		{[4]task.Stage{ok, g, w, w}, 1, false, "begin [2]"},
		{[4]task.Stage{ok, a, a, w}, 1, false, "merge 1"},
		{[4]task.Stage{ok, m, a, w}, 1, false, ""},
		{[4]task.Stage{ok, ok, no, w}, 1, false, "begin [3]"},
		{[4]task.Stage{ok, no, ok, w}, 1, false, "drop [3] ended"},
		{[4]task.Stage{ok, no, r, w}, 1, false, "drop [3]"},
		{[4]task.Stage{no, w, w, w}, 1, false, "begin [1]"},
		{[4]task.Stage{ok, ok, ok, g}, 1, false, ""},
		{[4]task.Stage{ok, ok, ok, ok}, 1, false, "ended"},
	} {
		var parts []task.Part
		for _, s := range c.stages {
			parts = append(parts, task.Part{Stage: s})
		}
		if got := addLine(task.DecideNext(tasks, parts, c.limit, c.paused)); got != c.want {
			t.Errorf("%v, limit %d, paused %v: %q, expected %q", c.stages, c.limit, c.paused, got, c.want)
		}
	}
}

func addLine(m task.NextMove) (s string) {
	add := func(on bool, text string) {
		if on {
			s += " " + text
		}
	}
	add(len(m.Drop) > 0, fmt.Sprint("drop ", m.Drop))
	add(len(m.Begin) > 0, fmt.Sprint("begin ", m.Begin))
	add(m.Merge >= 0, fmt.Sprint("merge ", m.Merge))
	add(m.Ended, "ended")
	if s != "" {
		s = s[1:]
	}
	return s
}

// For any tasks and any results: a task begins after those before it are merged, at most limit at
// once, with one merge at a time; and the feature ends with each task merged or dropped.
func TestNextEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "tasks")
		pick := func(name string) func(i, j int) bool {
			return func(i, j int) bool { return rapid.IntRange(0, 3).Draw(t, fmt.Sprint(name, i, j)) == 0 }
		}
		tasks := listOf(n, pick("after"), pick("needs"))
		limit := rapid.IntRange(1, 3).Draw(t, "limit")
		parts := make([]task.Part, n)
		for i := range parts {
			parts[i].Stage = task.StageWaiting
		}
		index := func(id belay.TaskID) int {
			return slices.IndexFunc(tasks, func(o belay.ListedTask) bool { return o.ID.Key() == id.Key() })
		}
		for step := 0; ; step++ {
			if step > 20*n {
				t.Fatalf("no end: %+v", parts)
			}
			m := task.DecideNext(tasks, parts, limit, false)
			for _, i := range m.Drop {
				if !slices.ContainsFunc(tasks[i].Needs, func(id belay.TaskID) bool { return parts[index(id)].Stage == task.StageDropped }) {
					t.Fatalf("%d was dropped without a reason", i)
				}
				parts[i].Stage = task.StageDropped
			}
			for _, i := range m.Begin {
				for _, id := range tasks[i].After {
					s := parts[index(id)].Stage
					if s != task.StageMerged && (s != task.StageDropped || slices.Contains(tasks[i].Needs, id)) {
						t.Fatalf("%d begins, and %s is %s", i, id, s)
					}
				}
				parts[i].Stage = task.StageRunning
			}
			if m.Merge >= 0 {
				parts[m.Merge].Stage = task.StageMerging
			}
			var busy []int
			running, merging := 0, 0
			for i, p := range parts {
				switch p.Stage {
				case task.StageRunning:
					running++
				case task.StageMerging:
					merging++
				case task.StageGate:
				default:
					continue
				}
				busy = append(busy, i)
			}
			if running > limit || merging > 1 {
				t.Fatalf("%d running, %d merging", running, merging)
			}
			if m.Ended != (len(busy) == 0) {
				t.Fatalf("ended %v with %v", m.Ended, parts)
			}
			if m.Ended {
				break
			}
			p := &parts[rapid.SampledFrom(busy).Draw(t, "next")]
			bad := rapid.IntRange(0, 4).Draw(t, "bad") == 0
			switch {
			case p.Stage == task.StageGate && bad:
				p.Stage = task.StageDropped
			case p.Stage == task.StageGate:
				p.Stage = task.StageWaiting
			case bad:
				p.Stage = task.StageGate
			case p.Stage == task.StageRunning:
				p.Stage = task.StageAccepted
			default:
				p.Stage = task.StageMerged
			}
		}
		for i, p := range parts {
			if p.Stage != task.StageMerged && p.Stage != task.StageDropped {
				t.Fatalf("%d ended as %s", i, p.Stage)
			}
		}
	})
}
