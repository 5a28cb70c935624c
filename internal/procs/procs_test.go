package agent

import (
	"context"
	"os"
	"slices"
	"testing"
)

func TestBelow(t *testing.T) {
	t.Parallel()
	p := func(pid, ppid int, dead bool) proc { return proc{ident: ident{PID: pid}, PPID: ppid, Dead: dead} }
	all := []proc{
		p(1, 0, false), p(5, 1, false), p(6, 5, false), p(7, 6, true), p(8, 7, false), p(9, 1, false),
		p(20, 21, false), p(21, 20, false), // a listing that closes on itself
		p(30, 99, false), // its parent is gone from the listing
	}
	for _, c := range []struct {
		roots, want []int
	}{{[]int{5}, []int{6, 8}}, {[]int{5, 6}, []int{8}}, {[]int{9}, nil}, {[]int{99}, []int{30}}, {nil, nil}} {
		var got []int
		for _, p := range below(all, c.roots...) {
			got = append(got, p.PID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("below %v: %v, want %v", c.roots, got, c.want)
		}
	}
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	own, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p proc) bool { return p.ident == own })
	if i < 0 || all[i].PPID != os.Getppid() || all[i].Dead {
		t.Errorf("this process is not in its own listing: %d of %d", i, len(all))
	}
}

func BenchmarkProcesses(b *testing.B) {
	for b.Loop() {
		if _, err := processes(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun is the cost of a run around an agent that does nothing.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		r := newBench(b, "exit 0").start()
		if res, err := r.run.Wait(context.Background(), nil); err != nil || res.Exit != 0 {
			b.Fatal(res, err)
		}
	}
}
