package journal

import (
	"context"
	"os"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestRewriteGivesBackTheSameBytes(t *testing.T) {
	ctx, s := context.Background(), Open(t.TempDir())
	head, err := s.Create(ctx, "T7", "task", map[string]string{"a": "<b>&\u2028"})
	for i := range 3 {
		if err != nil {
			t.Fatal(err)
		}
		head, err = s.Append(ctx, "T7", head, "event", i)
	}
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.Read("T7")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(s.taskFile("T7"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rewrite(ctx, log); belay.CodeOf(err) != belay.CodeUsage {
		t.Fatalf("a record that is there was written over: %v", err)
	}
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewrite(ctx, log); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(s.taskFile("T7"))
	if err != nil || string(got) != string(want) {
		t.Fatalf("%v\n%s\n%s", err, got, want)
	}
	if _, err := s.Append(ctx, "T7", head, "event", "on"); err != nil {
		t.Fatal(err)
	}
	log.Entries[1].Data = []byte("9")
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewrite(ctx, log); err == nil {
		t.Fatal("a changed entry was written")
	}
}
