package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
)

// cut is a record that is cut off, or padded with zeros, as after a power failure.
type cut struct {
	line int // the last started line, from 1
	name string
	text []byte
}

// TestCrashEveryByte cuts the record of a run at every byte. Whatever is left of the last line, the
// lines before it are read; resumed, the run ends as it would have, and no attempt is repeated.
//
// The world of each cut is the one in which that line was written: the run is killed after each of
// its lines in turn, and that world is cut.
func TestCrashEveryByte(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	want, _, record := dry(t, w)
	lines := bytes.Count(record, []byte("\n"))
	worlds := make([]*world, lines+1)
	numbers := make([]int, lines)
	for i := range numbers {
		numbers[i] = i + 1
	}
	if !crashAll() {
		numbers = []int{1, 2 + lines/3, lines}
	}
	var cuts []cut
	for _, n := range numbers {
		d := w.another(t, folder(t))
		r := d.belay(fmt.Sprintf("%d:%s", n, modeLine), runT1...)
		// After the last line there may be one more step, of the anchor, which is killed too.
		if !r.killed && n < lines {
			t.Fatalf("line %d of %d: %s", n, lines, r)
		}
		text, err := os.ReadFile(d.record())
		d.must(err)
		if got := bytes.Count(text, []byte("\n")); got != n {
			t.Fatalf("killed after line %d, the record has %d", n, got)
		}
		readEveryByte(t, n, text)
		worlds[n] = d
		if r.killed { // otherwise the anchor names the line, and a cut in it is reported as tampering
			cuts = append(cuts, cutsOf(n, text)...)
		}
	}
	if !wide() {
		cuts = every(cuts, 3, 0)
	}
	y := newTally(t, len(record))
	each(t, cuts, func(dir string, c cut) {
		d := worlds[c.line].another(t, dir)
		d.must(os.WriteFile(d.record(), c.text, 0o600))
		y.did(modeCut)
		at := fmt.Sprintf("line %d of %d cut %s", c.line, lines, c.name)
		r := d.belay("", resumeT1...)
		if r.code == 6 {
			r = d.belay("", runT1...)
		}
		if r.code != 0 && !strings.Contains(r.errs, "has ended: accepted") {
			y.fault(at, otherwise, "%s", r)
		}
		d.settled(y, at, want)
		d.ranOnce(y, at)
	})
	y.sum("record")
}

// cutsOf returns the cuts of a record's last line that make a difference to a resumed run.
func cutsOf(line int, text []byte) []cut {
	begin := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	middle := (begin + len(text)) / 2
	zeros := append(bytes.Clone(text[:middle]), make([]byte, len(text)-middle)...)
	return []cut{
		{line, "before it", text[:begin]},
		{line, "after one byte", text[:begin+1]},
		{line, "in the middle", text[:middle]},
		{line, "before its newline", text[:len(text)-1]},
		{line, "and filled with zeros", zeros},
		{line, "not at all", text},
	}
}

// readEveryByte checks what journal reads of a record with a cut last line.
func readEveryByte(t *testing.T, line int, text []byte) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tasks", "t1.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	begin := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	step := 1
	if !crashAll() {
		step = 101
	}
	for n := begin; n < len(text); n += step {
		if err := os.WriteFile(path, text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := journal.Open(dir).Read("T1")
		if line == 1 {
			if belay.CodeOf(err) != belay.CodeNotFound {
				t.Fatalf("a record cut after %d bytes of its first line: %v", n, err)
			}
			continue
		}
		if err != nil || len(log.Entries) != line-1 || log.Torn != int64(n-begin) {
			t.Fatalf("cut after %d bytes of line %d: %d entries, %d torn, %v", n-begin, line, len(log.Entries), log.Torn, err)
		}
	}
}
