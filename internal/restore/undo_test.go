package restore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

// TestHistory moves at random through a history and two plain stacks.
func TestHistory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "undo.json")
	rapid.Check(t, func(t *rapid.T) {
		var h History
		var done, undone []belay.SnapshotID // rescues of the current restores, and of the undone ones
		gone := map[belay.SnapshotID]bool{}
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			back := belay.SnapshotID(rapid.StringMatching("[a-z]{12}").Draw(t, "id"))
			way := rapid.SampledFrom([]string{"restore", WayUndo, WayRedo}).Draw(t, "way")
			next, ok := h.Next(way)
			switch {
			case way == "restore":
				h.Push(Step{Target: belay.SnapshotID(string(rune('A' + i))), Rescue: back})
				done = append(done, back)
				for _, id := range undone {
					gone[id] = true
				}
				undone = nil
			case way == WayUndo && len(done) > 0:
				last := done[len(done)-1]
				if !ok || next.Rescue != last {
					t.Fatalf("undo goes to %v, %t, not to %s", next, ok, last)
				}
				h.Move(WayUndo, Step{Target: next.Rescue, Rescue: back})
				done, undone = done[:len(done)-1], append(undone, last)
			case way == WayRedo && len(undone) > 0:
				if !ok {
					t.Fatal("nothing to redo")
				}
				last := undone[len(undone)-1]
				h.Move(WayRedo, Step{Target: next.Rescue, Rescue: last})
				done, undone = append(done, last), undone[:len(undone)-1]
			case ok:
				t.Fatalf("nothing to %s expected, got %v", way, next)
			}
			if err := h.Write(file); err != nil {
				t.Fatal(err)
			}
			read, err := ReadHistory(file)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(norm(h), norm(read)) {
				t.Fatalf("%+v was written, %+v read", h, read)
			}
			for _, id := range done {
				if !gone[id] && h.IsUndone(id) {
					t.Fatalf("%s is not undone", id)
				}
			}
			for _, id := range undone {
				if !h.IsUndone(id) {
					t.Fatalf("%s was taken back", id)
				}
			}
			for id := range gone {
				if !h.IsUndone(id) {
					t.Fatalf("%s was taken back for good", id)
				}
			}
		}
	})
}

// norm replaces empty stacks by nil.
func norm(h History) History {
	for _, s := range []*[]Step{&h.Undo, &h.Redo} {
		if len(*s) == 0 {
			*s = nil
		}
	}
	if len(h.Dropped) == 0 {
		h.Dropped = nil
	}
	return h
}

func TestSpoiledHistory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "undo.json")
	if h, err := ReadHistory(file); !errors.Is(err, fs.ErrNotExist) || h.IsUndone("") {
		t.Errorf("without a file: %+v, %v", h, err)
	}
	for text, want := range map[string]error{"{": ErrHistoryDamaged, `{"version": 1, "undo": 3}`: ErrHistoryDamaged, `{"version": 1}`: nil} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadHistory(file); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	h := History{Undo: []Step{{Target: "01A", Rescue: "01B"}}}
	if err := h.Write(file); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole { // a flipped bit is an error, or changes nothing
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1
		if err := os.WriteFile(file, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		if read, err := ReadHistory(file); err == nil && !reflect.DeepEqual(norm(read), norm(h)) {
			t.Errorf("byte %d of %s: %+v", i, flipped, read)
		}
	}
	if err := os.WriteFile(file, []byte(`{"version": 3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadHistory(file); belay.CodeOf(err) != belay.CodeCannot || errors.Is(err, ErrHistoryDamaged) {
		t.Errorf("of another version: %v", err)
	}
}
