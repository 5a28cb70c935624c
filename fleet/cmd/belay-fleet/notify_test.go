package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/notify"
)

func at(seconds int) time.Time { return time.Unix(1_800_000_000+int64(seconds), 0).UTC() }

// A gate always has the same ID, other gates have other IDs, and so has a task that is quarantined
// again.
func TestMessages(t *testing.T) {
	t.Parallel()
	r := row{id: "belay/shop-1/t1", Repository: "shop-1", Started: at(0)}
	status := func(phase string, gate int, lines ...task.Line) task.FeatureStatus {
		st := task.FeatureStatus{Status: task.Status{Task: task.Input{ID: "T1", Prose: "PLANTED"}, Phase: phase, Lines: lines}}
		if gate > 0 {
			st.Gate = &loop.Gate{Number: gate, Kind: loop.GateRetries, Why: "PLANTED"}
		}
		return st
	}
	line := func(seconds int) task.Line { return task.Line{Time: at(seconds), Text: "PLANTED"} }
	feature := status("gate", 0, line(5))
	feature.Gates = []task.FeatureGate{{Number: 4, Part: 1, Why: "PLANTED"}, {Number: 5, Part: -1}}
	for _, c := range []struct {
		name string
		st   task.FeatureStatus
		want []string
	}{
		{"running", status("attempt", 0, line(1)), nil},
		{"at a gate that was answered", status("attempt", 1, line(1)), nil},
		{"at a gate", status("gate", 2, line(7)), []string{notify.ID(r.id, 2)}},
		{"later at the same gate", status("gate", 2, line(9)), []string{notify.ID(r.id, 2)}},
		{"quarantined", status(task.PhaseQuarantined, 0, line(7)), []string{notify.ID(r.id+" "+at(7).Format(time.RFC3339Nano), 0)}},
		{"quarantined again", status(task.PhaseQuarantined, 0, line(9)), []string{notify.ID(r.id+" "+at(9).Format(time.RFC3339Nano), 0)}},
		{"a feature", feature, []string{notify.ID(r.id, 4), notify.ID(r.id, 5)}},
	} {
		var ids []string
		for _, m := range messages(r, c.st) {
			ids = append(ids, m.ID)
			if m.Task != "T1" || m.Repository != "shop-1" || m.Reason == "" || m.Reason == "PLANTED" || m.Since.Before(at(1)) {
				t.Errorf("%s: %+v", c.name, m)
			}
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, not %v", c.name, ids, c.want)
		}
	}
}

// Two gates in three rounds of two processes are two messages; if the server does not answer,
// nothing is sent and nothing forgotten.
func TestNotifyRounds(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef"
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var d notify.Delivery
		if err = errors.Join(err, json.Unmarshal(body, &d), notify.Verify([]byte(secret), q.Header.Get(notify.HeaderSignature), body,
			time.Now(), time.Hour)); err != nil {
			t.Error(err)
		}
		for _, m := range d.Messages {
			got = append(got, m.Task+" "+m.Link)
		}
	}))
	defer s.Close()
	hook, err := notify.NewWebhook(s.URL, notify.SecretEnv, "", func(string) string { return secret })
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	down := errors.New("the server is down")
	message := func(task string) notify.Message {
		return notify.Message{ID: notify.ID(task, 1), Task: task, Repository: "shop"}
	}
	for i, open := range [][]notify.Message{{message("T1")}, nil, {message("T1"), message("T2")}, {message("T2")}} {
		p := &notifier{box: notify.Outbox{Dir: dir}, hook: hook, link: "https://belay.example/{task}"}
		_, err := p.notifyRound(t.Context(), func(context.Context) (openGates, error) {
			if open == nil {
				return openGates{}, down
			}
			return openGates{messages: open}, nil
		})
		if (open == nil) != errors.Is(err, down) || open != nil && err != nil {
			t.Errorf("round %d: %v", i, err)
		}
	}
	if !slices.Equal(got, []string{"T1 https://belay.example/T1", "T2 https://belay.example/T2"}) {
		t.Errorf("got %q", got)
	}

	// T3 waits for the end of quiet hours. Then its worker does not answer, and that of T4, decided meanwhile, does.
	got, dir = nil, t.TempDir()
	now := time.Now().UTC()
	night, err := notify.ParseQuiet(now.Add(-time.Hour).Format("15:04-") + now.Add(time.Hour).Format("15:04") + " UTC")
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range []struct {
		quiet notify.Quiet
		open  openGates
	}{
		{night, openGates{messages: []notify.Message{message("T3"), message("T4")}}},
		{notify.Quiet{}, openGates{unknown: map[[2]string]bool{taskKey("shop", "t3"): true}}},
		{notify.Quiet{}, openGates{messages: []notify.Message{message("T3")}}},
	} {
		p := &notifier{box: notify.Outbox{Dir: dir, Quiet: round.quiet}, hook: hook}
		if _, err := p.notifyRound(t.Context(), func(context.Context) (openGates, error) { return round.open, nil }); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(got, []string{"T3 "}) {
		t.Errorf("after the quiet hours: %q", got)
	}
}
