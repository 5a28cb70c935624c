package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/notify"
)

// webhook receives deliveries on this machine, and answers with status.
type webhook struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []notify.Delivery
	text   string
}

const webhookSecret = "0123456789abcdef0123456789abcdef"

func newWebhook(t *testing.T) *webhook {
	t.Helper()
	h := &webhook{status: http.StatusOK}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		body, err := io.ReadAll(q.Body)
		var d notify.Delivery
		err = errors.Join(err, notify.Verify([]byte(webhookSecret), q.Header.Get(notify.HeaderSignature), body, time.Now(), time.Hour),
			json.Unmarshal(body, &d))
		if err != nil {
			t.Errorf("a request that a receiver refuses: %v", err)
		}
		h.got, h.text = append(h.got, d), h.text+string(body)
		w.WriteHeader(h.status)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *webhook) answers(status int) (before []notify.Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, h.status, h.got = h.got, status, nil
	return before
}

// TestNotifyWebhook: a gate is one message, which is sent again until the webhook accepts it, and
// contains nothing of the project; without trust nothing is sent.
func TestNotifyWebhook(t *testing.T) {
	t.Parallel()
	h := newWebhook(t)
	h.answers(http.StatusServiceUnavailable)
	w := quietWorld(t, map[string]string{"PLANTED-file": "x\n", ".belay/config.yaml": `
notify:
  webhook: {url: "` + h.URL + `/hook", link: "https://belay.example/{repository}/{task}"}
`})
	env := append(w.env(), "BELAY_WEBHOOK_SECRET="+webhookSecret)
	run := func(want int, args ...string) ran {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, "belay", args...)
		c.Dir, c.Env = w.repo, env
		asUser(c)
		r := w.run(ctx, c, args)
		if r.code != want {
			t.Fatalf("%s", r)
		}
		return r
	}
	script := `[ -z "${BELAY_WEBHOOK_SECRET-}" ] && echo PLANTED-code > PLANTED-file`
	gate := func(task string) []string {
		return []string{"run", "PLANTED-prose", "--as-it-is", "--task", task, "--retries", "0", "--test", "false", "--", "sh", "-c", script}
	}
	if r := run(3, gate("T1")...); !strings.Contains(r.errs, "not trusted") || len(h.answers(http.StatusServiceUnavailable)) != 0 {
		t.Errorf("sent without trust: %s", r)
	}
	run(0, "trust", "--yes")
	if r := run(2, "notify"); !strings.Contains(r.errs, "503") {
		t.Errorf("what waits from before was not tried: %s", r)
	}
	run(1, "decide", "T1", "abort")
	tried := h.answers(http.StatusOK)
	if len(tried) == 0 || tried[0].Event != notify.EventGate {
		t.Fatalf("tried %+v", tried)
	}
	run(0, "notify", "--test")
	run(3, gate("T2")...)
	got := h.answers(http.StatusOK)
	var events, tasks []string
	for _, d := range got {
		events = append(events, d.Event)
		for _, m := range d.Messages {
			tasks = append(tasks, m.Task)
		}
	}
	t.Log(events, tasks)
	if len(got) < 2 || got[0].Event != notify.EventTest || tasks[len(tasks)-1] != "T2" {
		t.Errorf("%v %v", events, tasks)
	}
	if m := got[len(got)-1].Messages[0]; m.Gate != 1 || m.Kind != "retries" || m.Link != "https://belay.example/"+m.Repository+"/T2" {
		t.Errorf("%+v", m)
	}
	run(0, "notify")
	run(3, "run", "--resume", "T2")
	for _, d := range h.answers(http.StatusOK) {
		for _, m := range d.Messages {
			if m.Task == "T2" {
				t.Errorf("two messages about one gate: %+v", d)
			}
		}
	}
	if strings.Contains(h.text, "PLANTED") {
		t.Errorf("something private was sent: %s", h.text)
	}
}

// TestNotifyKilled: if belay is killed after the webhook got a message and before that is recorded,
// it sends it again: the same ID, the same bytes.
func TestNotifyKilled(t *testing.T) {
	t.Parallel()
	kill := make(chan *exec.Cmd, 1)
	var bodies []string
	var mu sync.Mutex
	h := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		bodies = append(bodies, string(body))
		mu.Unlock()
		select {
		case c := <-kill:
			_ = c.Process.Kill()
			<-q.Context().Done() // the sender gets no answer
		default:
		}
	}))
	t.Cleanup(h.Close)
	w := quietWorld(t, map[string]string{".belay/config.yaml": "notify: {webhook: {url: \"" + h.URL + "/\"}}\n"})
	start := func(args ...string) *exec.Cmd {
		c := exec.Command("belay", args...)
		c.Dir, c.Env = w.repo, append(w.env(), "BELAY_WEBHOOK_SECRET="+webhookSecret)
		asUser(c)
		w.must(c.Start())
		return c
	}
	w.must(start("trust", "--yes").Wait())
	// The agent waits until the process ID is known, so that no message is sent before.
	c := start("run", "write", "--as-it-is", "--retries", "0", "--test", "false", "--",
		"sh", "-c", "until [ -e ../known ]; do sleep 0.05; done; echo > a.txt")
	kill <- c
	w.write("../known", "")
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != -1 {
		t.Fatalf("the run ended with %d: it was not killed", code)
	}
	w.must(start("notify").Wait())
	w.must(start("notify").Wait())
	mu.Lock()
	defer mu.Unlock()
	if len(bodies) != 2 || bodies[0] != bodies[1] || !strings.Contains(bodies[0], `"task":"T1"`) {
		t.Errorf("%d requests: %q", len(bodies), bodies)
	}
}
