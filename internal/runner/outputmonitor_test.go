package runner

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

const costs = `{"type":"step_finish","part":{"id":"ID","reason":"tool-calls","cost":0.4,"tokens":{"input":5,"output":5}}}` + "\n"

func turn(id string) string { return strings.Replace(costs, "ID", id, 1) }

// TestLimit: the run is ended by the report that reaches the limit, not before; each change of the
// use is reported.
func TestLimit(t *testing.T) {
	t.Parallel()
	found, told := 0, []string{}
	s := &outputMonitor{meter: agent.NewMeter(nil), stop: func() { found++ }, turnEndsWait: time.Hour,
		onUse: func(u belay.Use) { told = append(told, u.CostText()) },
		limit: func(u belay.Use) string {
			if u.Cost >= 0.5 {
				return "enough"
			}
			return ""
		}}
	_, _ = s.Write([]byte(turn("a") + "words\n" + turn("b")[:20]))
	if found != 0 || s.reachedLimit != "" {
		t.Error("ended before the limit")
	}
	_, _ = s.Write([]byte(turn("b")[20:]))
	if found == 0 || s.reachedLimit != "enough" || strings.Join(told, " ") != "$0.40 $0.80" {
		t.Errorf("found %d, %q, told %v", found, s.reachedLimit, told)
	}
}

// TestTurnOver: an agent that reports the end of its first turn gets a moment to exit, but not if
// it continues to work or reports a later turn.
func TestTurnOver(t *testing.T) {
	t.Parallel()
	const over = `{"type":"result","session_id":"s","total_cost_usd":0.9}` + "\n"
	for name, tt := range map[string]struct {
		text string
		wait time.Duration
		want bool
	}{
		"it ends":       {over, time.Hour, false},
		"it does not":   {over, time.Millisecond, true},
		"words":         {over + "done\n", time.Hour, false},
		"it works on":   {over + `{"type":"tool_execution_start","toolCallId":"1","toolName":"read"}` + "\n", time.Hour, true},
		"another turn":  {strings.Replace(over, "0.9", "0.1", 1) + over, time.Hour, true},
		"in its middle": {turn("a"), time.Hour, true},
	} {
		found := make(chan bool, 8)
		s := &outputMonitor{meter: agent.NewMeter(nil), stop: func() { found <- true }, limit: func(u belay.Use) string { return u.CostText() }, turnEndsWait: tt.wait}
		_, _ = s.Write([]byte(tt.text))
		got := false
		select {
		case got = <-found:
		case <-time.After(map[bool]time.Duration{true: testutil.Patience, false: 50 * time.Millisecond}[tt.want]):
		}
		if got != tt.want {
			t.Errorf("%s: ended %v", name, got)
		}
		if s.turnTimer != nil {
			s.turnTimer.Stop()
		}
	}
}

// TestTakenUp: a process that takes over a run counts what the previous one has read, once, even if
// that output was deleted; output that no process has read is reported.
func TestTakenUp(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 1023) + "\n"
	first := turn("a") + strings.Repeat(line, 1200) + turn("b") + strings.Repeat(line, 900)
	rest := strings.Repeat(line, 200) + turn("c")
	for name, tt := range map[string]struct {
		head, missed int // bytes kept of the start, and bytes deleted after that
		want         string
	}{
		"all is kept":                {len(first) + len(rest), 0, "$1.20"},
		"what was read is gone":      {1 << 20, 1 << 20, "$1.20"},
		"more is gone":               {1 << 20, len(first) - 1<<20 + 4096, "$1.20+"},
		"just what was read is gone": {1 << 20, len(first) - 1<<20 - 4096, "$1.20"},
	} {
		file := filepath.Join(t.TempDir(), meterFile)
		was := &outputMonitor{meter: agent.NewMeter(nil), meterPath: file}
		for text := first; text != ""; {
			n := min(len(text), 64<<10)
			_, _ = was.Write([]byte(text[:n]))
			text = text[n:]
		}
		if was.savedTo == 0 || was.savedTo > was.seen {
			t.Fatalf("saved at %d of %d", was.savedTo, was.seen)
		}
		var shown strings.Builder
		is := &outputMonitor{meter: agent.NewMeter(nil), meterPath: file, renderer: agent.NewRenderer(&shown, "/")}
		is.loadMeter(agent.NewMeter(nil))
		all := first + rest
		_, _ = is.Write([]byte(all[:tt.head]))
		if tt.missed > 0 {
			_ = is.BytesMissed(int64(tt.missed))
		}
		_, _ = is.Write([]byte(all[tt.head+tt.missed:]))
		is.meter.Close()
		is.checkLimit()
		if got := is.use.CostText(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if note := fmt.Sprintf("[%d bytes not shown]", tt.missed); strings.Contains(shown.String(), note) != (tt.missed > 0) {
			t.Errorf("%s: %q", name, note)
		}
		// A second Wait, as after a stop, counts and shows nothing again.
		before := shown.Len()
		is.offset = 0
		_, _ = is.Write([]byte(all[:tt.head]))
		_ = is.BytesMissed(int64(tt.missed))
		_, _ = is.Write([]byte(all[tt.head+tt.missed:] + turn("d") + "more\n"))
		if got := is.meter.Used().Cost; got < 1.59 || got > 1.61 || shown.Len() != before+len("more\n") {
			t.Errorf("%s: waited for again: %v, %d bytes shown", name, got, shown.Len()-before)
		}
	}
}
