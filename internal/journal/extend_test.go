package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestExtend extends a copy of a record, also after an interrupted write, and rejects another
// record in its place.
func TestExtend(t *testing.T) {
	ctx, s, copied := context.Background(), Open(t.TempDir()), Open(t.TempDir())
	head, err := s.Create(ctx, "T7", "task", 0)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string) Log {
		t.Helper()
		log, err := s.Read("T7")
		if err == nil {
			err = copied.Extend(ctx, log)
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		want, err1 := os.ReadFile(s.taskFile("T7"))
		got, err2 := os.ReadFile(copied.taskFile("T7"))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(want, got) {
			t.Fatalf("%s: %v\n%s\n%s", what, err, got, want)
		}
		return log
	}
	more := func() {
		t.Helper()
		for i := range 3 {
			if head, err = s.Append(ctx, "T7", head, "event", i); err != nil {
				t.Fatal(err)
			}
		}
	}
	first := same("one that is not there")
	more()
	second := same("three more")
	same("no more")

	more()
	log, err := s.Read("T7")
	if err != nil {
		t.Fatal(err)
	}
	copied.Fault = func(op, _ string) error { // the disk is full during the write
		if op == "sync" || op == "truncate" {
			return errors.New("no")
		}
		return nil
	}
	if err := copied.Extend(ctx, log); err == nil {
		t.Fatal("a failed write was not reported")
	}
	copied.Fault = nil
	path := copied.taskFile("T7")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(text)-20)); err != nil { // left by a kill during a write
		t.Fatal(err)
	}
	same("after half a line")

	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := copied.Extend(ctx, second); belay.CodeOf(err) != belay.CodeRefused {
		t.Errorf("a shorter record: %v", err)
	}
	other := Open(t.TempDir())
	if err := other.Extend(ctx, first); err != nil {
		t.Fatal(err)
	}
	fork := first.Head
	for i := range 8 {
		if fork, err = other.Append(ctx, "T7", fork, "event", 100+i); err != nil {
			t.Fatal(err)
		}
	}
	forked, err := other.Read("T7")
	if err != nil {
		t.Fatal(err)
	}
	if err := copied.Extend(ctx, forked); belay.CodeOf(err) != belay.CodeRefused {
		t.Errorf("another record: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a refused record was written: %v\n%s", err, after)
	}
}
