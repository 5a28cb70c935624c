package journal

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestEnds: for records of all lengths, Ends returns the same entries as Read, and the same error
// for a damaged one.
func TestEnds(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	ctx := context.Background()
	if _, _, err := s.Ends("T1", 3); belay.CodeOf(err) != belay.CodeNotFound {
		t.Fatalf("without a record: %v", err)
	}
	head, err := s.Create(ctx, "T1", "task", map[string]string{"a": strings.Repeat("x", 20000)})
	for i := 0; i < 120 && err == nil; i++ {
		if i < 3 || i > 115 {
			first, last, err := s.Ends("t1", 8)
			log, lerr := s.Read("T1")
			if err != nil || lerr != nil || first.Seq != 1 || len(last) < min(8, len(log.Entries)) {
				t.Fatalf("%d entries: first %d, %d of the last: %v", len(log.Entries), first.Seq, len(last), err)
			}
			for k, e := range last {
				if want := log.Entries[len(log.Entries)-len(last)+k]; e.Hash != want.Hash || string(e.Data) != string(want.Data) {
					t.Fatalf("%d entries: %d is not %d", len(log.Entries), e.Seq, want.Seq)
				}
			}
		}
		head, err = s.Append(ctx, "T1", head, "note", map[string]string{"n": fmt.Sprint(i), "b": strings.Repeat("y", i*37)})
	}
	if err != nil {
		t.Fatal(err)
	}
	file := s.taskFile("T1")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, torn := range map[string]string{"half an entry": `{"v":1,"seq":122,"ti`, "zeros": "\x00\x00\x00"} {
		if err := os.WriteFile(file, append(text[:len(text):len(text)], torn...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, last, err := s.Ends("T1", 1); err != nil || last[len(last)-1].Hash != head.Hash {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "xx", "xy", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Ends("T1", 1); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("a changed first entry: %v", err)
	}
}
