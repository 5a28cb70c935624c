//go:build linux && !portable

package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	rest := " S 2 3 4 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 0 0"
	for line, want := range map[string]Process{
		"1 (init)" + rest:            {ID{1, "12345"}, 2, 3, 4, false, "init", ""},
		"1 (a) R 9 (b)" + rest:       {ID{1, "12345"}, 2, 3, 4, false, "a) R 9 (b", ""},
		"1 (\n ()" + rest + "\n":     {ID{1, "12345"}, 2, 3, 4, false, "\n (", ""},
		"1 (z)" + stat("Z", 1, rest): {ID{1, "12345"}, 2, 3, 4, true, "z", ""},
		"1 (z)" + stat("Z", 2, rest): {ID{1, "12345"}, 2, 3, 4, false, "z", ""}, // its first thread has ended, others run
	} {
		if got, err := parseStat([]byte(line)); err != nil || got != want {
			t.Errorf("%q: %+v %v", line, got, err)
		}
	}
	for _, line := range []string{"", "1", "1 (x", ") 1 (", "1 (x) S 2 3", "x (x)" + rest, "1 (x)" + strings.Replace(rest, "3", "y", 1)} {
		if got, err := parseStat([]byte(line)); err == nil {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

func stat(state string, threads int, rest string) string {
	rest = strings.Replace(rest, " S ", " "+state+" ", 1)
	return strings.Replace(rest, " 20 0 1 ", " 20 0 "+strconv.Itoa(threads)+" ", 1)
}

func FuzzStat(f *testing.F) {
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte("1 (a) b) S 2 3 4 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5 0"))
	f.Add([]byte("1 ("))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := parseStat(line)
		if err == nil && (p.Start == "" || strings.ContainsAny(p.Start, " \n") || !strings.Contains(string(line), p.Name)) {
			t.Errorf("%q: %+v", line, p)
		}
	})
}

// TestInnocents: a process that only shares a number with a tree does not belong to it.
func TestInnocents(t *testing.T) {
	t.Parallel()
	own, err := process(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	work, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	reused := Trace{
		Marker: "PROCS_TEST=no such", Session: own.SID, Group: own.PGID, Dir: filepath.Join(work, "elsewhere"),
		Members: []ID{{own.SID, "1"}, {own.PGID, "1"}, {own.PID, "1"}},
	}
	if reused.has(own) {
		t.Error("a process in another folder was taken for a leftover")
	}
	reused.Dir = work
	if !reused.has(own) {
		t.Error("a process of the session at work in the folder was not found")
	}
	reused.Dir, reused.Members = "/nowhere", []ID{own.ID}
	if !reused.has(own) {
		t.Error("the very process was not found")
	}
	if err := (ID{own.PID, "1"}).Signal(9); err == nil {
		t.Error("a signal went to a process with another start")
	}
}
