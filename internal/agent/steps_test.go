package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func claudeCall(id, command, output string, failed bool) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"m%s","content":[{"type":"tool_use","id":"%s","name":"Bash","input":{"command":%q}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":%q,"is_error":%t}]},"session_id":"s"}
`, id, id, command, id, output, failed)
}

func TestSteps(t *testing.T) {
	t.Parallel()
	text := claudeSays("I look first.") + claudeCall("1", "ls /w/a", "x\ny\n", false) + claudeCall("2", "false", "exit 1", true) +
		claudeSays("Done.") + "a line of its own\n"
	got, next, err := Steps(strings.NewReader(text), "/w", 0, 1<<20)
	want := []Step{{Text: "I look first.\n"}, {Call: "Bash ls /w/a", Text: "x\ny"}, {Call: "Bash false", Text: "exit 1", Failed: true},
		{Text: "Done.\na line of its own\n"}}
	if err != nil || next != 0 || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v %d %v", got, next, err)
	}
	for from := range want {
		if got, _, _ := Steps(strings.NewReader(text), "/w", from, 1<<20); !reflect.DeepEqual(got, want[from:]) {
			t.Errorf("from %d: %+v", from, got)
		}
	}
}

// TestStepsByPages: consecutive pages give all steps, each once; a long result is cut and marked as
// cut.
func TestStepsByPages(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 1200 {
		text.WriteString(claudeCall(fmt.Sprint(i), fmt.Sprint("echo ", i), strings.Repeat("ü", 9000), i%7 == 0))
	}
	seen, pages := 0, 0
	for from := 0; ; {
		list, next, err := Steps(strings.NewReader(text.String()), "/w", from, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, s := range list {
			if s.Call != fmt.Sprint("Bash echo ", seen) || !s.Cut || len(s.Text) != MaxStep || s.Failed != (seen%7 == 0) {
				t.Fatalf("step %d is %q with %d bytes", seen, s.Call, len(s.Text))
			}
			seen++
		}
		if from = next; next == 0 {
			break
		}
	}
	if seen != 1200 || pages < 10 {
		t.Errorf("%d steps on %d pages", seen, pages)
	}
}

// TestStepsOfPlainOutput: output without events is text, complete, and never split within a
// character.
func TestStepsOfPlainOutput(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("größer\n", 30000)
	var got strings.Builder
	for from := 0; ; {
		list, next, err := Steps(strings.NewReader(text), "/w", from, 100<<10)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if s.Call != "" || s.Cut || !utf8.ValidString(s.Text) {
				t.Fatalf("%+v", s)
			}
			got.WriteString(s.Text)
		}
		if from = next; next == 0 {
			break
		}
	}
	if got.String() != text {
		t.Errorf("%d bytes of %d", got.Len(), len(text))
	}
}

// TestStepsRecorded: recorded outputs have a step for each call that Renderer prints.
func TestStepsRecorded(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/stall/*/*.jsonl")
	if len(files) < 40 {
		t.Fatalf("only %d recordings", len(files))
	}
	for _, path := range files {
		in, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		r := NewRenderer(&lines, "/w")
		_, _ = r.Write(in)
		_ = r.Close()
		list, _, err := Steps(strings.NewReader(string(in)), "/w", 0, 1<<30)
		calls := 0
		for _, s := range list {
			if s.Call != "" {
				calls++
			}
		}
		if want := strings.Count("\n"+lines.String(), "\n→ ") + strings.Count(lines.String(), "\n  → "); err != nil || calls != want && want < 500 {
			t.Errorf("%s: %d calls, %d lines: %v", path, calls, want, err)
		}
	}
}

func FuzzSteps(f *testing.F) {
	f.Add(claudeSays("a")+claudeCall("1", "ls", "x", false), 1)
	f.Fuzz(func(t *testing.T, text string, from int) {
		list, _, err := Steps(strings.NewReader(text), "/w", from, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if len(s.Text) > MaxStep {
				t.Fatal(len(s.Text))
			}
		}
	})
}
