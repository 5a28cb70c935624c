package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

const secret = "0123456789abcdef0123456789abcdef"

// receiver is a webhook on this machine that verifies signatures, and records accepted deliveries.
type receiver struct {
	*httptest.Server
	got    []Delivery
	bodies []string
	status int // status of the answer; 0 is 200
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err == nil {
			err = Verify([]byte(secret), q.Header.Get(HeaderSignature), body, time.Now(), 5*time.Minute)
		}
		var d Delivery
		if err = errors.Join(err, json.Unmarshal(body, &d)); err != nil || q.Method != http.MethodPost ||
			q.Header.Get(HeaderDelivery) != d.ID || q.Header.Get(HeaderEvent) != d.Event {
			t.Errorf("a request that a receiver refuses: %v, %v", err, q.Header)
		}
		if r.status != 0 {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(r.status)
			return
		}
		r.got, r.bodies = append(r.got, d), append(r.bodies, string(body))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) hook(t *testing.T) Webhook {
	t.Helper()
	w, err := NewWebhook(r.URL, SecretEnv, "", func(string) string { return secret })
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func message(task string) Message {
	return Message{ID: ID(task, 1), Task: task, Repository: "shop", Gate: 1, Kind: "retries", Reason: Reason(loop.GateRetries)}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	r := receive(t)
	m := message("T1")
	m.Link = Link("https://belay.example/{repository}/{task}?gate={gate}", Message{Repository: "a b", Task: "T/1", Gate: 3})
	if err := r.hook(t).Send(t.Context(), deliver([]Message{m}, time.Now())); err != nil {
		t.Fatal(err)
	}
	if len(r.got) != 1 || r.got[0].Text != "shop: T1 waits at gate 1: all automatic retries were rejected" ||
		r.got[0].Messages[0].Link != "https://belay.example/a%20b/T%2F1?gate=3" {
		t.Errorf("got %+v", r.got)
	}
	for _, status := range []int{301, 302, 307, 400, 404, 429, 500, 503} {
		r.status = status
		err := r.hook(t).Send(t.Context(), Test(time.Now()))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || strings.Contains(err.Error(), r.URL) {
			t.Errorf("%d: %v", status, err)
		}
	}
	if len(r.got) != 1 {
		t.Errorf("a redirect was followed: %+v", r.got)
	}
}

// A signature with another body, time or secret, and an old request, are rejected.
func TestVerify(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	body := []byte(`{"id":"x"}`)
	sig := Sign([]byte(secret), now, body)
	if want := "t=1800000000,v1=3116d2bc5677450dc691e3d4296ccb5c2f3a6aca02f60697badd4aebdb7b148c"; sig != want { // openssl dgst -sha256 -hmac
		t.Errorf("%s, not %s", sig, want)
	}
	if err := Verify([]byte(secret), sig, body, now.Add(time.Minute), 5*time.Minute); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"body":   Verify([]byte(secret), sig, append(body, ' '), now, time.Minute),
		"secret": Verify([]byte(secret+"x"), sig, body, now, time.Minute),
		"time":   Verify([]byte(secret), strings.Replace(sig, "1800000000", "1800000001", 1), body, now, time.Minute),
		"old":    Verify([]byte(secret), sig, body, now.Add(time.Hour), 5*time.Minute),
		"early":  Verify([]byte(secret), sig, body, now.Add(-time.Hour), 5*time.Minute),
		"empty":  Verify([]byte(secret), "", body, now, time.Minute),
		"more":   Verify([]byte(secret), sig+",v1=00", body, now, time.Minute),
	} {
		if err == nil {
			t.Errorf("another %s was accepted", name)
		}
	}
}

func TestNewWebhook(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{"GOOD": secret, "SHORT": "PLANTED"}[name] }
	for _, c := range []struct {
		address, env, file string
		ok                 bool
	}{
		{"https://example.org/x", "GOOD", "", true},
		{"http://127.0.0.1:1/", "GOOD", "", true},
		{"http://[::1]:1/", "NONE", file, true},
		{"http://localhost/", "NONE", file, true},
		{"http://example.org/PLANTED", "GOOD", "", false},
		{"ftp://example.org/PLANTED", "GOOD", "", false},
		{"PLANTED", "GOOD", "", false},
		{"https://example.org/PLANTED", "SHORT", "", false},
		{"https://example.org/PLANTED", "NONE", "", false},
		{"https://example.org/PLANTED", "GOOD", file + "x", false},
	} {
		w, err := NewWebhook(c.address, c.env, c.file, env)
		if (err == nil) != c.ok || w.Set() != c.ok || err != nil && belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("an error repeats what may be secret: %v", err)
		}
		if c.ok && string(w.secret) != secret {
			t.Errorf("%+v: the secret is %q", c, w.secret)
		}
	}
}

// Every kind of gate has its own reason.
func TestReasons(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range []loop.GateKind{loop.GateRetries, loop.GateLimit, loop.GateUnknown, loop.GateBroken, loop.GateLost, loop.GateCancelled,
		loop.GateClarify, loop.GateQuestion, loop.GateRecheck, loop.GateReview, Quarantined, Feature, "of a later version"} {
		if r := Reason(kind); r == "" || seen[r] {
			t.Errorf("%s has the reason %q", kind, r)
		}
		seen[Reason(kind)] = true
	}
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine")
	}
	for _, c := range []struct{ hours, at, end string }{ // times in Berlin; without an end it is not quiet
		{"22:00-07:00", "2026-06-01 21:59", ""},
		{"22:00-07:00", "2026-06-01 22:00", "2026-06-02 07:00"},
		{"22:00-07:00", "2026-06-02 00:00", "2026-06-02 07:00"},
		{"22:00-07:00", "2026-06-02 06:59", "2026-06-02 07:00"},
		{"22:00-07:00", "2026-06-02 07:00", ""},
		{"12:00-13:30", "2026-06-02 13:29", "2026-06-02 13:30"},
		{"12:00-13:30", "2026-06-02 11:59", ""},
		{"22:00-07:00", "2026-03-28 23:00", "2026-03-29 07:00"}, // clocks go forward in that night,
		{"22:00-02:30", "2026-03-28 23:00", "2026-03-29 03:00"}, // so 02:30 does not occur
		{"22:00-07:00", "2026-10-24 23:00", "2026-10-25 07:00"}, // clocks go back, and 02:30 occurs twice
		{"22:00-02:30", "2026-10-24 23:00", "2026-10-25 02:30"},
	} {
		q, err := ParseQuiet(c.hours + " Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.ParseInLocation("2006-01-02 15:04", c.at, berlin)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if q.In(at) {
			got = q.End(at.Add(42 * time.Second)).In(berlin).Format("2006-01-02 15:04")
		}
		if got != c.end {
			t.Errorf("%s at %s ends %q, not %q", c.hours, c.at, got, c.end)
		}
	}
	night := time.Date(2026, 3, 28, 22, 0, 0, 0, berlin)
	q, err := ParseQuiet("22:00-07:00 Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if d := q.End(night).Sub(night); d != 8*time.Hour {
		t.Errorf("the night with 8 hours has %s", d)
	}
	night = time.Date(2026, 10, 24, 22, 0, 0, 0, berlin)
	if d := q.End(night).Sub(night); d != 10*time.Hour {
		t.Errorf("the night with 10 hours has %s", d)
	}
	for _, bad := range []string{"22-7", "22:00", "22:00-22:00", "24:00-07:00", "22:00-07:60", "22:00-07:00 Moon/Sea", "22:00-07:00 ", "2:00-7:00", " "} {
		if _, err := ParseQuiet(bad); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if q, err := ParseQuiet(""); err != nil || q.In(night) {
		t.Error("no quiet hours are quiet", err)
	}
}

func FuzzParseQuiet(f *testing.F) {
	for _, s := range []string{"", "22:00-07:00", "22:00-07:00 Europe/Berlin", "00:00-23:59 UTC", "-", ":"} {
		f.Add(s)
	}
	at := time.Date(2026, 3, 29, 1, 59, 59, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ParseQuiet(s)
		if err != nil {
			return
		}
		if end := q.End(at); q.In(end) || end.Sub(at) > 25*time.Hour {
			t.Errorf("%q ends at %s", s, end)
		}
	})
}

func FuzzOutbox(f *testing.F) {
	f.Add([]byte(`{"version":1,"waiting":[{"id":"a","quiet":true}],"sending":{"delivery":{"id":"b","messages":[]}},"sent":{"c":"2026-01-01T00:00:00Z"}}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, outboxFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		o := Outbox{Dir: dir}
		if _, err := o.Add(message("T1")); err != nil {
			return
		}
		if _, err := o.Flush(t.Context(), nil, func(context.Context, Delivery, int) error { return nil }); err != nil {
			t.Error(err)
		}
		if n, err := o.Waiting(); err != nil || n != 0 && !strings.Contains(string(data), "next") {
			t.Errorf("%d wait, %v", n, err)
		}
	})
}

var errKilled = errors.New("killed")

// After a kill at any step, one message per gate arrives at least once, always with the same ID and
// bytes; and not again when its gate is seen again.
func TestOutboxKilled(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", "begun", "sent"} {
		r := receive(t)
		hook := r.hook(t)
		o := Outbox{Dir: t.TempDir(), Step: func(name string) error {
			if name == at {
				return errKilled
			}
			return nil
		}}
		send := func(ctx context.Context, d Delivery, _ int) error { return hook.Send(ctx, d) }
		for i, task := range []string{"T1", "T2", "T1"} {
			if added, err := o.Add(message(task)); err != nil || added != (i < 2) {
				t.Fatal(added, err)
			}
		}
		if _, err := o.Flush(t.Context(), nil, send); !errors.Is(err, errKilled) && at != "" {
			t.Fatalf("%s: %v", at, err)
		}
		again := Outbox{Dir: o.Dir} // another process
		for range 2 {
			if added, err := again.Add(message("T1")); added || err != nil {
				t.Errorf("%s: T1 is new: %v", at, err)
			}
			if next, err := again.Flush(t.Context(), nil, send); err != nil || !next.IsZero() {
				t.Errorf("%s: %s, %v", at, next, err)
			}
		}
		want := map[string]int{"": 2, "begun": 2, "sent": 3}[at]
		if len(r.got) != want || at == "sent" && r.bodies[0] != r.bodies[1] {
			t.Errorf("%s: %d arrived, not %d: %q", at, len(r.got), want, r.bodies)
		}
		slices.Sort(r.bodies)
		if ids := slices.Compact(r.bodies); len(ids) != 2 {
			t.Errorf("%s: %d messages", at, len(ids))
		}
	}
}

// If the receiver is down, the same delivery is retried at growing intervals, and finally dropped.
func TestOutboxDown(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	o := Outbox{Dir: t.TempDir(), Now: func() time.Time { return now }}
	if _, err := o.Add(message("T1")); err != nil {
		t.Fatal(err)
	}
	down, tried := errors.New("down"), 0
	send := func(_ context.Context, d Delivery, tries int) error {
		if d.ID != ID("T1", 1) || tries != tried {
			t.Errorf("try %d of %s", tries, d.ID)
		}
		tried++
		return down
	}
	began, last := now, time.Duration(0)
	for range 2000 {
		next, err := o.Flush(t.Context(), nil, send)
		if next.IsZero() {
			if now.Sub(began) < givenUp || !errors.Is(err, down) {
				t.Errorf("given up after %s: %v", now.Sub(began), err)
			}
			break
		}
		if wait := next.Sub(now); !errors.Is(err, down) || wait < last || wait > mostWait {
			t.Fatalf("try %d: %s after %s, %v", tried, wait, last, err)
		}
		last = next.Sub(now)
		if early, err := o.Flush(t.Context(), nil, send); err != nil || early != next {
			t.Fatalf("tried before its time: %s, %v", early, err)
		}
		now = next
	}
	if n, err := o.Waiting(); n != 0 || err != nil {
		t.Errorf("%d wait, %v", n, err)
	}
}

// Messages of quiet hours are one summary at their end, without gates that were answered meanwhile;
// later ones are separate messages.
func TestOutboxQuiet(t *testing.T) {
	t.Parallel()
	r := receive(t)
	hook := r.hook(t)
	q, err := ParseQuiet("22:00-07:00 UTC")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 6, 1, 23, 0, 0, 0, time.UTC)
	o := Outbox{Dir: t.TempDir(), Quiet: q, Now: func() time.Time { return now }}
	add := func(tasks ...string) {
		t.Helper()
		for _, task := range tasks {
			if _, err := o.Add(message(task)); err != nil {
				t.Fatal(err)
			}
		}
	}
	open := func(m Message) bool { return m.Task != "T2" }
	flush := func() time.Time {
		t.Helper()
		next, err := o.Flush(t.Context(), open, func(ctx context.Context, d Delivery, _ int) error { return hook.Send(ctx, d) })
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	add("T1", "T2", "T3")
	morning := time.Date(2026, 6, 2, 7, 0, 0, 0, time.UTC)
	if next := flush(); !next.Equal(morning) || len(r.got) != 0 {
		t.Fatalf("%d sent at night, next %s", len(r.got), next)
	}
	now = morning
	add("T4")
	if next := flush(); !next.IsZero() {
		t.Errorf("next %s", next)
	}
	if len(r.got) != 2 || r.got[0].Event != EventSummary || len(r.got[0].Messages) != 2 || r.got[1].Event != EventGate ||
		r.got[0].Text != "2 tasks wait: shop T1, shop T3" || r.got[1].Messages[0].Task != "T4" {
		t.Errorf("got %+v", r.got)
	}
	add("T1", "T2", "T3", "T4")
	if flush(); len(r.got) != 2 {
		t.Errorf("sent twice: %+v", r.got[2:])
	}
}

// Two processes that flush at once send each message once.
func TestOutboxShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Outbox{Dir: dir}
	if _, err := o.Add(message("T1")); err != nil {
		t.Fatal(err)
	}
	sent := 0
	_, err := o.Flush(t.Context(), nil, func(ctx context.Context, _ Delivery, _ int) error {
		sent++
		next, err := Outbox{Dir: dir}.Flush(ctx, nil, func(context.Context, Delivery, int) error { sent++; return nil })
		if next.IsZero() || err != nil {
			t.Errorf("the other one: %s, %v", next, err)
		}
		return nil
	})
	if err != nil || sent != 1 {
		t.Errorf("sent %d times: %v", sent, err)
	}
}
