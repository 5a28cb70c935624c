package terminal

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

func recordOf(id belay.TaskID) *session.Record { return &session.Record{Task: belay.Task{ID: id}} }

// A board prints events with the name of their task, has one progress line for each running task,
// and makes control sequences from an agent visible.
func TestBoard(t *testing.T) {
	var out bytes.Buffer
	b := (&Terminal{Out: &out, Err: &out}).Board(false)
	b.live = true // as on a terminal
	one, two := b.Watcher("T1"), b.Watcher("T2")
	one.Begins(recordOf("T1"), loop.Command{Kind: loop.CmdAttempt, Attempt: 1, Prompt: loop.PromptFull})
	two.Begins(recordOf("T2"), loop.Command{Kind: loop.CmdCheck})
	one.Checking(check.Progress{Check: "tests"})
	one.Note("odd\x1b[2J name")
	screen := lastScreen(out.String())
	if !strings.HasPrefix(screen, "… T1  checking: tests") || strings.Count(screen, "…") != 2 || !strings.Contains(screen, "\n… T2  ") {
		t.Errorf("%q", screen)
	}
	if text := out.String(); strings.Contains(text, "\x1b[2J") || !strings.Contains(text, `T1  odd\x1b[2J name`) || !strings.Contains(text, "T1  attempt 1") {
		t.Errorf("%q", text)
	}
	b.Stop()
	if screen := lastScreen(out.String()); screen != "" {
		t.Errorf("stopped: %q", screen)
	}
	if _, _, ok, err := two.Ask(context.Background(), nil); ok || err != nil || two.Output() != nil {
		t.Error("a board asked a question or shows the agent's output")
	}
}

// lastScreen returns what was drawn since the progress lines were last erased.
func lastScreen(s string) string {
	at := strings.LastIndex(s, "\x1b[J")
	rest := s[at+len("\x1b[J"):]
	if i := strings.Index(rest, "…"); i >= 0 {
		return rest[i:]
	}
	return ""
}

func TestQuietBoard(t *testing.T) {
	var out bytes.Buffer
	b := (&Terminal{Out: &out, Err: &out}).Board(true)
	w := b.Watcher("T1")
	w.Begins(recordOf("T1"), loop.Command{Kind: loop.CmdAttempt, Attempt: 1})
	w.Happened(recordOf("T1"), loop.Event{Kind: loop.EvCaptured})
	w.Note("careful")
	if out.String() != "belay: T1: careful\n" {
		t.Errorf("%q", out.String())
	}
}
