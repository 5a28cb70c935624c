package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

func poolOf(after ...[]belay.TaskID) *pool {
	p := &pool{results: make([]ParallelResult, len(after)), begun: make([]bool, len(after)), ended: map[string]*ParallelResult{}}
	for i, a := range after {
		id := belay.TaskID(fmt.Sprint("T", i))
		p.records, p.results[i].Task = append(p.records, &session.Record{Task: belay.Task{ID: id, After: a}}), id
	}
	return p
}

// end ends a task.
func (p *pool) end(i int, err error) {
	p.results[i].Err = err
	p.ended[p.results[i].Task.Key()] = &p.results[i]
}

// TestPool: with any dependencies, each task either starts once, after its dependencies were
// accepted, or ends because one was not; and all end.
func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "tasks")
		after := make([][]belay.TaskID, n)
		for i := range after {
			for j := range i {
				if rapid.Bool().Draw(t, fmt.Sprint(i, " after ", j)) {
					after[i] = append(after[i], belay.TaskID(fmt.Sprint("T", j)))
				}
			}
		}
		order := rapid.Permutation(rangeOf(n)).Draw(t, "order")
		p := poolOf(after...)
		records := slices.Clone(p.records)
		for to, from := range order {
			p.records[to], p.results[to].Task = records[from], records[from].Task.ID
		}
		good := map[string]bool{}
		var running []int
		for {
			for i := p.nextReady(false); i >= 0; i = p.nextReady(false) {
				for _, id := range p.records[i].Task.After {
					if !good[id.Key()] {
						t.Fatalf("%s started before %s was accepted", p.records[i].Task.ID, id)
					}
				}
				running = append(running, i)
			}
			if len(running) == 0 {
				break
			}
			k := rapid.IntRange(0, len(running)-1).Draw(t, "ends")
			i := running[k]
			running = slices.Delete(running, k, k+1)
			if good[p.results[i].Task.Key()] = rapid.Bool().Draw(t, "accepted"); good[p.results[i].Task.Key()] {
				p.end(i, nil)
			} else {
				p.end(i, belay.Refuse(belay.CodeWaiting, "", "waits"))
			}
		}
		if len(p.ended) != n || slices.Contains(p.begun, false) {
			t.Fatalf("%d of %d ended", len(p.ended), n)
		}
		for _, r := range p.results {
			if (r.Err == nil) != good[r.Task.Key()] {
				t.Fatalf("%s: %v", r.Task, r.Err)
			}
		}
	})
}

func rangeOf(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func TestPoolStopped(t *testing.T) {
	p := poolOf(nil, nil, []belay.TaskID{"T0"})
	if i := p.nextReady(false); i != 0 {
		t.Fatal(i)
	}
	if i := p.nextReady(true); i != -1 || belay.CodeOf(p.results[1].Err) != belay.CodeInterrupted || belay.CodeOf(p.results[2].Err) != belay.CodeInterrupted {
		t.Errorf("%d %v", i, p.results)
	}
}

func TestWorst(t *testing.T) {
	with := func(codes ...belay.Code) (ran []ParallelResult) {
		for _, c := range codes {
			if c == "" {
				ran = append(ran, ParallelResult{})
				continue
			}
			ran = append(ran, ParallelResult{Err: fmt.Errorf("T1: %w", belay.Refuse(c, "", "x"))})
		}
		return ran
	}
	for _, c := range []struct {
		ran  []ParallelResult
		want belay.Code
	}{
		{with("", ""), ""},
		{with("", belay.CodeWaiting), belay.CodeWaiting},
		{with(belay.CodeRefused, belay.CodeWaiting), belay.CodeRefused},
		{with(belay.CodeCannot, belay.CodeBusy, belay.CodeRefused), belay.CodeCannot},
		{with(belay.CodeInterrupted, belay.CodeCannot), belay.CodeInterrupted},
		{append(with(belay.CodeRefused), ParallelResult{Err: context.Canceled}), belay.CodeInterrupted},
	} {
		err := WorstError(c.ran)
		if c.want == "" && err != nil || c.want != "" && belay.CodeOf(err) != c.want {
			t.Errorf("%v: %v, want %s", c.ran, err, c.want)
		}
		if c.want != "" && !strings.Contains(err.Error(), fmt.Sprintf("of %d task", len(c.ran))) {
			t.Error(err)
		}
	}
}
