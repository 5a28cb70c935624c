package agent

import (
	"fmt"
	"strings"
	"testing"
)

// told plays calls as hooks report them: each to its own process, which loads what the previous one
// saved.
func told(t *testing.T, command string, calls ...CallResult) (found *Stall, at int) {
	t.Helper()
	var saved []byte
	for i, e := range calls {
		w := NewStallWatch("/w", Repeats)
		w.Load(saved)
		tree := "tree"
		if e.ID != "" {
			tree = e.ID
		}
		if s := w.Made(Call{Tool: "Bash", Args: map[string]any{"command": command}}, e, tree); s != nil {
			return s, i + 1
		}
		var err error
		if saved, err = w.Save(strings.ToUpper); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(saved), "expected 42") {
			t.Error("what a call gave is kept")
		}
	}
	return nil, 0
}

// TestMade finds the stall that a watch of the complete stream would find, from one process to the next.
func TestMade(t *testing.T) {
	t.Parallel()
	failed := CallResult{Output: "not ok: expected 42", HasOutput: true, Failed: true}
	if s, at := told(t, "npm test", failed, failed, failed, failed); at != 3 || s.Times != 3 || s.Calls[0] != "Bash npm test" {
		t.Errorf("%v at %d", s, at)
	}
	var worked []CallResult
	for i := range 8 {
		worked = append(worked, CallResult{ID: fmt.Sprint("tree", i), Output: "one more", HasOutput: true})
	}
	if s, at := told(t, "./convert-next", worked...); s != nil {
		t.Errorf("%v at %d: each left another tree", s, at)
	}
}

// FuzzLoad: the file may contain anything.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"calls":3,"threads":{"":{"began":2,"last":[{"n":1,"at":1,"sign":"AA==","says":"x"}]}}}`))
	f.Add([]byte(`{"threads":{"a":{"began":-1,"last":null}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w := NewStallWatch("/w", Repeats)
		w.Load(text)
		for range 4 {
			w.Made(Call{Tool: "Bash", Args: map[string]any{"command": "x"}}, CallResult{HasOutput: true}, "")
		}
		if _, err := w.Save(strings.ToLower); err != nil {
			t.Fatal(err)
		}
	})
}
