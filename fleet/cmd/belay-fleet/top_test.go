package main

import (
	"context"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/terminal"
)

// TestToday: the day is that of the teams' limits, wherever the clock of this machine is.
func TestToday(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 7, 0, 0, 0, time.FixedZone("Tokyo", 9*3600))
	midnight, query := today(now)
	if want := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC); !midnight.Equal(want) || !strings.HasSuffix(query, "OR CloseTime >= '2026-11-28T00:00:00Z'") {
		t.Errorf("%v, %s", midnight, query)
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	midnight := at(0)
	rows := []row{
		{Task: "late", Phase: "gate", Worker: "w1", Cost: 1, Started: at(20), id: "1"},
		{Task: "early", Phase: "quarantined", Worker: "gone", Cost: 2, Started: at(-10), id: "2"},
		{Task: "busy", Phase: "attempt", Worker: "w1", Cost: .25, Started: at(30), id: "3"},
		{Task: "new", Phase: "new", Started: at(40), id: "4"},
		{Task: "done", Phase: "closed", Outcome: "passed", Worker: "w1", Cost: .5, Started: at(5), id: "5"},
		{Task: "whole", Phase: "closed", Outcome: "partial", Cost: 9, Started: at(6), id: "belay/app/feature/whole"},
	}
	o := summarize(rows, map[string]time.Time{"w1": at(50), "idle\x1b": at(51)}, midnight)
	o.Time, o.Backlog = at(60), 3
	o.Workers[2].Slots = &slots{Used: 2, Line: 1}
	if len(o.Waiting) != 2 || o.Waiting[0].Task != "early" || len(o.Running) != 2 || o.Cost != 1.75 || o.Ended["passed"] != 1 ||
		o.Phases["gate"] != 1 || len(o.Workers) != 3 {
		t.Errorf("%+v", o)
	}
	var b strings.Builder
	o.print(&b, 3)
	for _, want := range []string{"open: 1 attempt, 1 gate, 1 new, 1 quarantined   today (UTC): 1 partial, 1 passed, $1.75   backlog: 3 steps\n", "\ngone", "not connected", "2 used, 0 free, 1 wait  busy late\n",
		"busy late\n", "and 1 more: belay-fleet list\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if i, j, k := strings.Index(b.String(), "early"), strings.Index(b.String(), "late"), strings.Index(b.String(), "busy"); i > j || j > k {
		t.Errorf("waiting tasks are not first:\n%s", b.String())
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("a name writes to the terminal: %q", b.String())
	}

	// A refreshed page clears the rest of longer lines.
	var screen strings.Builder
	a := &program{Terminal: &terminal.Terminal{Out: &screen, Err: io.Discard}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	n := 0
	err := a.refresh(ctx, time.Nanosecond, func() (overview, error) {
		if n++; n == 3 {
			stop()
		}
		return o, nil
	})
	if got := strings.Count(screen.String(), "\x1b[H"); err != nil || got != 2 || !strings.HasSuffix(screen.String(), "\x1b[K\n\x1b[J") {
		t.Errorf("%d pages, %v: %q", got, err, screen.String())
	}
}

// Every command has help with an example and exit codes, and logs is log.
func TestCommands(t *testing.T) {
	t.Parallel()
	root := (&program{Terminal: &terminal.Terminal{Out: io.Discard, Err: io.Discard}}).commands()
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		if !strings.Contains(c.Example, "belay-fleet "+c.Name()) ||
			!c.HasSubCommands() && !strings.Contains(c.Long, "Exit codes: ") {
			t.Errorf("%s has no example, or no exit codes", c.Name())
		}
	}
	if c, _, err := root.Find([]string{"logs", "T1", "-f"}); err != nil || c.Name() != "log" {
		t.Errorf("logs is %v, %v", c, err)
	}
}

// TestSlots: the heartbeats of a worker's three queues add up to one number of slots, of its last
// process.
func TestSlots(t *testing.T) {
	t.Parallel()
	got := addUpSlots([]heartbeat{
		{"w1", task.BeginQueue, at(2), 1, 3}, {"w1", task.QueueOf("w1"), at(2), 1, 999}, {"w1", task.Queue, at(2), 0, 1000},
		{"w1", task.QueueOf("w1"), at(1), 7, 993},
		{"w2", task.BeginQueue, at(1), 0, 2}, {"w2", task.QueueOf("w2"), at(1), 5, 995},
		{"old", task.Queue, at(1), 5, 995}, {"new", task.BeginQueue, at(1), 0, 0},
	})
	if want := map[string]slots{"w1": {Used: 2, Free: 2}, "w2": {Used: 2, Line: 3}}; !maps.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
