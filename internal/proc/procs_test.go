package proc

import (
	"os"
	"slices"
	"testing"
)

func TestBelow(t *testing.T) {
	t.Parallel()
	p := func(pid, ppid int, dead bool) Process { return Process{ID: ID{PID: pid}, PPID: ppid, Dead: dead} }
	all := []Process{
		p(1, 0, false), p(5, 1, false), p(6, 5, false), p(7, 6, true), p(8, 7, false), p(9, 1, false),
		p(20, 21, false), p(21, 20, false), // a cycle of parents
		p(30, 99, false), // its parent is missing from the listing
	}
	for _, c := range []struct {
		roots, want []int
	}{{[]int{5}, []int{6, 8}}, {[]int{5, 6}, []int{8}}, {[]int{9}, nil}, {[]int{99}, []int{30}}, {nil, nil}} {
		var got []int
		for _, p := range Below(all, c.roots...) {
			got = append(got, p.PID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("below %v: %v, want %v", c.roots, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	own, err := Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p Process) bool { return p.ID == own })
	if i < 0 || all[i].PPID != os.Getppid() || all[i].Dead {
		t.Errorf("this process is not in its own listing: %d of %d", i, len(all))
	}
}

func BenchmarkList(b *testing.B) {
	for b.Loop() {
		if _, err := List(); err != nil {
			b.Fatal(err)
		}
	}
}
