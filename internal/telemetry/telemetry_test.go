package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/telemetry"
	"github.com/belay-dev/belay/internal/testutil"
)

// stream is an agent's output: two calls; the second has times and failed.
const stream = `{"type":"system","subtype":"init","session_id":"abc","model":"claude-x"}
{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"PLANTED-said"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"PLANTED-command"}}],"usage":{"input_tokens":10,"output_tokens":20}}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"PLANTED-output"}]}}
{"type":"tool_use","timestamp":"2026-01-02T03:04:06.1Z","tool_id":"t2","tool_name":"PLANTED tool name with words","parameters":{"path":"PLANTED-file"}}
{"type":"tool_result","timestamp":"2026-01-02T03:04:06.4Z","tool_id":"t2","status":"error","output":"x"}
`

// task records a task of two attempts in a separate store, with two seconds between entries.
func task(t *testing.T) (*journal.Store, journal.Log) {
	t.Helper()
	clock := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	store := journal.Open(t.TempDir())
	store.Now = func() time.Time { clock = clock.Add(time.Second); return clock }
	attach := func(text string) string {
		sha, _, err := store.Attach(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return sha
	}
	log := attach(stream)
	report := attach(`{"checks": [{"check": "scope", "verdict": "fail", "summary": "PLANTED-summary", "millis": 250, "findings": [
		{"check": "scope", "severity": "error", "title": "PLANTED-title", "detail": "PLANTED-detail", "file": "PLANTED-file"}]},
		{"check": "lint", "verdict": "unknown", "skipped": true}, {"check": "tests", "verdict": "pass", "millis": 1500}]}`)
	begun := belay.Task{ID: "T1", Title: "PLANTED-title", Prose: "PLANTED-prose", Agent: []string{"/home/PLANTED/claude", "-p", "PLANTED-arg"}}
	head, err := store.Create(t.Context(), "T1", session.EntryTask, begun)
	if err != nil {
		t.Fatal(err)
	}
	state := loop.State{}
	step := func(next *loop.Command, ev loop.Event, change func(*loop.State)) {
		if p := state.Pending; p != nil {
			ev.Command = p.ID
		}
		state.Pending = next
		if change != nil {
			change(&state)
		}
		e := session.EventEntry{Event: ev, State: state}
		if ev.Kind == loop.EvSnapshot { // the others are as of a version that recorded no sizes
			e.Sizes = []session.Size{{ID: ev.Snapshot, Added: 5000, Files: 3}, {ID: "01z", Added: 1 << 20, Files: 4}}
		}
		if head, err = store.Append(t.Context(), "T1", head, session.EntryEvent, e); err != nil {
			t.Fatal(err)
		}
	}
	use := belay.Use{Cost: .02, Tokens: &belay.Tokens{Input: 10, CacheRead: 5, Output: 20}}
	attempted := loop.Event{Kind: loop.EvAttempted, Ended: loop.EndedExit, Elapsed: 900 * time.Millisecond, Use: use, Log: log,
		Session: belay.AgentSession{ID: "abc"}}
	step(&loop.Command{ID: "1", Kind: loop.CmdSnapshot}, loop.Event{Kind: loop.EvStarted}, nil)
	step(&loop.Command{ID: "2", Kind: loop.CmdAttempt, Attempt: 1, Prompt: loop.PromptFull}, loop.Event{Kind: loop.EvSnapshot, Snapshot: "01a"}, nil)
	step(&loop.Command{ID: "3", Kind: loop.CmdCheck, Attempt: 1}, attempted, func(s *loop.State) { s.Attempts = []loop.Attempt{{N: 1}} })
	step(&loop.Command{ID: "4", Kind: loop.CmdRestore, Attempt: 1, Why: "PLANTED-why"}, loop.Event{Kind: loop.EvChecked, Verdict: belay.VerdictFail, Report: report,
		Findings: []belay.Finding{{Check: "scope", Title: "PLANTED-title", File: "PLANTED-file"}}, Note: "PLANTED-note"}, nil)
	step(&loop.Command{ID: "5", Kind: loop.CmdAttempt, Attempt: 2, Prompt: loop.PromptRetry}, loop.Event{Kind: loop.EvRestored, Snapshot: "01b",
		Kept: []string{"PLANTED-file"}}, nil)
	if head, err = store.Append(t.Context(), "T1", head, session.EntryTaken, session.TakenEntry{Command: "5",
		Sizes: []session.Size{{ID: "01c", Added: 70, Files: 3}}}); err != nil {
		t.Fatal(err)
	}
	attempted.Exit = 3
	step(nil, attempted, func(s *loop.State) { s.Gate = &loop.Gate{Number: 1, Kind: loop.GateRetries, Why: "PLANTED-why"} })
	step(&loop.Command{ID: "6", Kind: loop.CmdClose}, loop.Event{Kind: loop.EvDecided, Decision: loop.DecideApprove, Note: "PLANTED-note", By: "PLANTED-by"},
		func(s *loop.State) { s.Gate = nil })
	step(nil, loop.Event{Kind: loop.EvClosed}, func(s *loop.State) { s.Phase, s.Outcome = loop.PhaseClosed, loop.OutcomePassed })
	if _, err = store.Append(t.Context(), "T1", head, session.EntryNote, session.Note{Kind: "rollback", Text: "PLANTED-text", Paths: []string{"PLANTED-path"}}); err != nil {
		t.Fatal(err)
	}
	read, err := store.Read("T1")
	if err != nil {
		t.Fatal(err)
	}
	return store, read
}

func build(t *testing.T, content bool) telemetry.Data {
	t.Helper()
	store, log := task(t)
	d, err := telemetry.Build(telemetry.Source{Log: log, Attachment: store.Attachment}, telemetry.Options{Service: "belay", Content: content})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func asJSON(t *testing.T, d telemetry.Data, s telemetry.Signal) string {
	t.Helper()
	body, err := json.Marshal(d.Request(s, 0))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// attrsOf returns the attributes of a span as text.
func attrsOf(list []telemetry.Attr) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		b, _ := json.Marshal(a.Value)
		m[a.Key] = string(b)
	}
	return m
}

func spansNamed(d telemetry.Data, name string) (list []telemetry.Span) {
	for _, s := range d.Spans {
		if s.Name == name {
			list = append(list, s)
		}
	}
	return list
}

func TestSpansFollowTheRecord(t *testing.T) {
	d := build(t, false)
	root := spansNamed(d, "task")
	runs := spansNamed(d, "invoke_agent claude")
	if len(root) != 1 || len(runs) != 2 {
		t.Fatalf("%d task spans and %d runs of agents, not 1 and 2", len(root), len(runs))
	}
	a := attrsOf(runs[0].Attrs)
	for key, want := range map[string]string{
		"gen_ai.operation.name": `{"stringValue":"invoke_agent"}`, "gen_ai.agent.name": `{"stringValue":"claude"}`,
		"gen_ai.provider.name": `{"stringValue":"anthropic"}`, "gen_ai.usage.input_tokens": `{"intValue":"15"}`,
		"gen_ai.usage.output_tokens": `{"intValue":"20"}`, "gen_ai.response.model": `{"stringValue":"claude-x"}`,
		"gen_ai.conversation.id": `{"stringValue":"abc"}`, "belay.agent.duration": `{"doubleValue":0.9}`, "process.exit.code": `{"intValue":"0"}`,
	} {
		if a[key] != want {
			t.Errorf("%s is %s, not %s", key, a[key], want)
		}
	}
	if runs[0].Parent != root[0].ID || runs[0].Status.Code != 0 || len(runs[0].Links) != 0 || runs[0].End-runs[0].Start != 2e9 {
		t.Errorf("the first run: %+v", runs[0])
	}
	if runs[1].Status.Code != 2 || len(runs[1].Links) != 1 || runs[1].Links[0].ID != runs[0].ID {
		t.Errorf("the second run is no error with a link to the first: %+v", runs[1])
	}
	bash, other := spansNamed(d, "execute_tool Bash"), spansNamed(d, "execute_tool other")
	if len(bash) != 2 || bash[0].Parent != runs[0].ID || bash[0].Start != runs[0].Start || bash[0].End != runs[0].End ||
		attrsOf(bash[0].Attrs)["belay.time.source"] != `{"stringValue":"attempt"}` {
		t.Errorf("a call without times: %+v", bash)
	}
	if len(other) != 2 || attrsOf(other[1].Attrs)["belay.time.source"] != `{"stringValue":"attempt"}` || other[0].Status.Code != 2 {
		t.Errorf("a call with times of another attempt: %+v", other)
	}
	scope := spansNamed(d, "check scope")
	if len(scope) != 1 || scope[0].Parent != spansNamed(d, "check")[0].ID || attrsOf(scope[0].Attrs)["belay.check.duration"] != `{"doubleValue":0.25}` {
		t.Errorf("check scope: %+v", scope)
	}
	if len(spansNamed(d, "check lint")) != 0 || len(spansNamed(d, "gate")) != 1 || len(spansNamed(d, "restore")) != 1 {
		t.Error("a skipped check has a span, or a gate or a restore has none")
	}
	ids := map[string]bool{}
	for _, s := range d.Spans {
		if ids[s.ID] {
			t.Errorf("two spans have the id %s", s.ID)
		}
		ids[s.ID] = true
	}
	for _, s := range d.Spans {
		if s.Parent != "" && !ids[s.Parent] {
			t.Errorf("%s: its parent %s is no span", s.Name, s.Parent)
		}
	}
}

func TestCallsHaveTheTimesOfTheStream(t *testing.T) {
	store, log := task(t)
	inner := strings.ReplaceAll(stream, "03:04:06", "03:04:12")
	d, err := telemetry.Build(telemetry.Source{Log: log, Attachment: func(sha string) ([]byte, error) {
		b, err := store.Attachment(sha)
		if bytes.HasPrefix(b, []byte(`{"type":"system"`)) {
			b = []byte(inner)
		}
		return b, err
	}}, telemetry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one := spansNamed(d, "execute_tool other")[0]
	if attrsOf(one.Attrs)["belay.time.source"] != `{"stringValue":"agent"}` || one.End-one.Start != 3e8 {
		t.Errorf("%+v", one)
	}
}

func TestTheSameRecordGivesTheSameBytes(t *testing.T) {
	a, b := build(t, false), build(t, false)
	for _, s := range telemetry.Signals {
		if asJSON(t, a, s) != asJSON(t, b, s) {
			t.Errorf("%s differ from one reading to the next", s)
		}
	}
}

func TestNothingPrivateIsSent(t *testing.T) {
	d := build(t, false)
	for _, s := range telemetry.Signals {
		if text := asJSON(t, d, s); strings.Contains(text, "PLANTED") {
			t.Errorf("%s contain %s", s, text[strings.Index(text, "PLANTED"):][:60])
		}
	}
	text := asJSON(t, build(t, true), telemetry.Traces)
	for _, want := range []string{"PLANTED-prose", "PLANTED-said", "PLANTED-command", "PLANTED-output", "gen_ai.tool.call.arguments", "gen_ai.input.messages"} {
		if !strings.Contains(text, want) {
			t.Errorf("with messages asked for, %s is missing", want)
		}
	}
}

func TestSecretsAreMaskedEvenInMessages(t *testing.T) {
	store, log := task(t)
	token := "ghp_" + strings.Repeat("aB3dE5fG7h", 4)[:36]
	d, err := telemetry.Build(telemetry.Source{Log: log, Attachment: func(sha string) ([]byte, error) {
		b, err := store.Attachment(sha)
		return bytes.ReplaceAll(b, []byte("PLANTED-command"), []byte("curl -H token:"+token)), err
	}}, telemetry.Options{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(asJSON(t, d, telemetry.Traces), token) {
		t.Error("a token in a tool's arguments was sent")
	}
}

var (
	hexTrace = regexp.MustCompile(`^[0-9a-f]{32}$`)
	hexSpan  = regexp.MustCompile(`^[0-9a-f]{16}$`)
	digits   = regexp.MustCompile(`^[0-9]+$`)
)

// shaped checks a decoded request against OTLP's JSON encoding.
func shaped(t *testing.T, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, one := range v {
			at := path + "." + key
			text, is := one.(string)
			var rule *regexp.Regexp
			switch {
			case key == "traceId":
				rule = hexTrace
			case key == "spanId" || key == "parentSpanId":
				rule = hexSpan
			case strings.HasSuffix(key, "UnixNano") || key == "intValue" || key == "asInt" || key == "count":
				rule = digits
			case key == "kind" || key == "code" || key == "severityNumber" || key == "aggregationTemporality":
				if _, ok := one.(float64); !ok {
					t.Errorf("%s is no number: %v", at, one)
				}
			}
			if rule != nil && (!is || !rule.MatchString(text)) {
				t.Errorf("%s is %v, not %s", at, one, rule)
			}
			shaped(t, at, one)
		}
	case []any:
		for _, one := range v {
			shaped(t, path, one)
		}
	}
}

// collector is a server that answers as configured.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	got   map[string][]map[string]any
	heads []http.Header
	calls int
}

func collect(t *testing.T, answer func(n int, w http.ResponseWriter)) *collector {
	c := &collector{got: map[string][]map[string]any{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.calls++
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(z)
		var m map[string]any
		if err := json.Unmarshal(body, &m); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Error(err)
		}
		c.got[r.URL.Path] = append(c.got[r.URL.Path], m)
		c.heads = append(c.heads, r.Header.Clone())
		if answer != nil {
			answer(c.calls, w)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func settings(t *testing.T, endpoint string, env map[string]string) telemetry.Settings {
	t.Helper()
	s, err := telemetry.NewSettings(telemetry.Choices{Endpoint: endpoint, Env: func(k string) string { return env[k] }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRequestsAreOTLP(t *testing.T) {
	c := collect(t, nil)
	to := settings(t, c.URL, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20x,a=b"})
	d := build(t, false)
	for _, s := range telemetry.Signals {
		r, err := telemetry.Send(t.Context(), to, s, d, 0)
		if err != nil || r.Requests != 1 || r.Items == 0 {
			t.Errorf("%s: %+v, %v", s, r, err)
		}
		got := c.got["/v1/"+string(s)]
		if len(got) != 1 {
			t.Fatalf("%d requests to %s", len(got), s)
		}
		shaped(t, string(s), any(got[0]))
	}
	if h := c.heads[0]; h.Get("Authorization") != "Bearer x" || h.Get("A") != "b" || h.Get("Content-Type") != "application/json" {
		t.Errorf("headers: %v", h)
	}
	r, err := telemetry.Send(t.Context(), to, telemetry.Logs, d, d.LastSeq-1)
	if err != nil || r.Items != 1 {
		t.Errorf("after all but one entry: %+v, %v", r, err)
	}
}

func TestCollectorsThatFail(t *testing.T) {
	d := build(t, false)
	asked, free := make(chan struct{}), make(chan struct{}) // closed when the slow collector was asked, and when it may answer
	for name, c := range map[string]struct {
		answer func(n int, w http.ResponseWriter)
		err    string
		calls  int
		result telemetry.Result
	}{
		"busy once": {func(n int, w http.ResponseWriter) {
			if n == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}, "", 2, telemetry.Result{Requests: 1}},
		"busy for long": {func(_ int, w http.ResponseWriter) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "429", 1, telemetry.Result{}},
		"refuses": {func(_ int, w http.ResponseWriter) { http.Error(w, "no", http.StatusBadRequest) }, "400", 1, telemetry.Result{}},
		"redirects": {func(_ int, w http.ResponseWriter) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "307", 1, telemetry.Result{}},
		"garbage": {func(_ int, w http.ResponseWriter) { io.WriteString(w, "<html>") }, "", 1, telemetry.Result{Requests: 1}},
		"in part": {func(_ int, w http.ResponseWriter) {
			io.WriteString(w, `{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too \u001b[1m old"}}`)
		}, "", 1, telemetry.Result{Requests: 1, Rejected: 3, Message: `too \x1b[1m old`}},
		"slow": {func(int, http.ResponseWriter) { close(asked); <-free }, "canceled", 1, telemetry.Result{}},
	} {
		t.Run(name, func(t *testing.T) {
			server := collect(t, c.answer)
			ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
			defer cancel()
			if name == "slow" { // the time runs out while the collector has a request and does not answer
				go func() {
					<-asked
					cancel()
				}()
			}
			r, err := telemetry.Send(ctx, settings(t, server.URL, nil), telemetry.Traces, d, 0)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, not %q", err, c.err)
			}
			if r.Requests != c.result.Requests || r.Rejected != c.result.Rejected || r.Message != c.result.Message {
				t.Errorf("%+v, not %+v", r, c.result)
			}
			if name != "slow" && ctx.Err() != nil {
				t.Error("it waited until its time was up")
			}
			if name == "slow" {
				close(free) // the collector is locked while it answers
			}
			server.mu.Lock()
			defer server.mu.Unlock()
			if server.calls != c.calls {
				t.Errorf("%d requests, not %d", server.calls, c.calls)
			}
		})
	}
	down := httptest.NewServer(nil)
	down.Close()
	secretive := strings.Replace(down.URL, "http://", "http://user:PLANTED@", 1)
	_, err := telemetry.Send(t.Context(), settings(t, secretive, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "k=PLANTED"}), telemetry.Traces, d, 0)
	if err == nil || strings.Contains(err.Error(), "PLANTED") {
		t.Errorf("a collector that is down: %v", err)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	d := build(t, false)
	for len(d.Spans) < 3000 {
		d.Spans = append(d.Spans, d.Spans...)
	}
	list, err := d.Batches(telemetry.Traces, 0)
	if err != nil || len(list) != (len(d.Spans)+511)/512 {
		t.Fatalf("%d requests of %d spans, %v", len(list), len(d.Spans), err)
	}
	n := 0
	for _, body := range list {
		if len(body) > 2<<20 {
			t.Errorf("a request of %d bytes", len(body))
		}
		n += bytes.Count(body, []byte(`"name":"`)) - 1 // the scope has a name, too
	}
	if n != len(d.Spans) {
		t.Errorf("%d spans of %d", n, len(d.Spans))
	}
}

func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		env    map[string]string
		traces string
		logs   string
	}{
		"nothing":               {"", nil, "", ""},
		"CI alone":              {"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://ci:4318", "OTEL_SERVICE_NAME": "ci"}, "", ""},
		"config":                {"http://c:4318/", nil, "http://c:4318/v1/traces", "http://c:4318/v1/logs"},
		"config, switched off":  {"http://c:4318", map[string]string{"BELAY_TELEMETRY": "0"}, "", ""},
		"switched on":           {"", map[string]string{"BELAY_TELEMETRY": "1"}, "http://localhost:4318/v1/traces", "http://localhost:4318/v1/logs"},
		"the environment first": {"http://c:4318", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://e"}, "http://e/v1/traces", "http://e/v1/logs"},
		"traces alone": {"", map[string]string{"BELAY_TELEMETRY": "1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://t/x"},
			"https://t/x", ""},
		"no logs":  {"http://c", map[string]string{"OTEL_LOGS_EXPORTER": "none"}, "http://c/v1/traces", ""},
		"disabled": {"http://c", map[string]string{"OTEL_SDK_DISABLED": "TRUE"}, "", ""},
	} {
		s := settings(t, c.config, c.env)
		if s.Endpoints[telemetry.Traces] != c.traces || s.Endpoints[telemetry.Logs] != c.logs || s.IsOn() != (c.traces != "") {
			t.Errorf("%s: %v", name, s.Endpoints)
		}
	}
	s := settings(t, "http://c", map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "service.name=x,team=a%2Cb", "OTEL_SERVICE_NAME": "y"})
	if s.Service != "y" || !reflect.DeepEqual(attrsOf(s.Resource), map[string]string{"team": `{"stringValue":"a,b"}`}) {
		t.Errorf("%+v", s.Options)
	}
	s, err := telemetry.NewSettings(telemetry.Choices{Endpoint: "http://c", Headers: []string{"Authorization=config"},
		Env: func(k string) string {
			return map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "authorization=environment"}[k]
		}})
	if h := s.Headers[telemetry.Traces]; err != nil || len(h) != 1 || h["Authorization"] != "environment" {
		t.Errorf("%v, %v", h, err)
	}
	for _, bad := range []map[string]string{{"OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://PLANTED"}, {"OTEL_EXPORTER_OTLP_HEADERS": "PLANTED"},
		{"OTEL_EXPORTER_OTLP_HEADERS": "a=PLANTED%0d%0ab"}, {"OTEL_RESOURCE_ATTRIBUTES": "PLANTED"}} {
		_, err := telemetry.NewSettings(telemetry.Choices{Endpoint: "http://c", Env: func(k string) string { return bad[k] }})
		if err == nil || strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestCursor(t *testing.T) {
	dir, to := telemetry.CursorFolder(t.TempDir()), settings(t, "http://c", nil)
	c := telemetry.LoadCursor(dir, "T1", "abc", to)
	if len(c.Sent) != 0 {
		t.Fatalf("%+v", c)
	}
	c.Sent[telemetry.Traces] = 7
	if err := c.Save(dir, "T1"); err != nil {
		t.Fatal(err)
	}
	if got := telemetry.LoadCursor(dir, "T1", "abc", to); got.Sent[telemetry.Traces] != 7 {
		t.Errorf("%+v", got)
	}
	if got := telemetry.LoadCursor(dir, "T1", "another record", to); len(got.Sent) != 0 {
		t.Errorf("of another record: %+v", got)
	}
	if got := telemetry.LoadCursor(dir, "T1", "abc", settings(t, "http://another", nil)); len(got.Sent) != 0 {
		t.Errorf("of another collector: %+v", got)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if err := os.WriteFile(filepath.Join(dir, names[0].Name()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := telemetry.LoadCursor(dir, "T1", "abc", to); len(got.Sent) != 0 {
		t.Errorf("damaged: %+v", got)
	}
}

func TestMetricsAreSumsOfTheRecord(t *testing.T) {
	d := build(t, false)
	named := func(name string) telemetry.Metric {
		i := slices.IndexFunc(d.Metrics, func(m telemetry.Metric) bool { return m.Name == name })
		if i < 0 {
			t.Fatalf("there is no metric %s", name)
		}
		return d.Metrics[i]
	}
	if p := named("belay.attempts").Sum.Points; len(p) != 1 || *p[0].Int != 2 {
		t.Errorf("attempts: %+v", p)
	}
	if p := named("belay.cost").Sum.Points; len(p) != 1 || *p[0].Float != .04 {
		t.Errorf("cost: %+v", p)
	}
	if p := named("belay.findings").Sum.Points; len(p) != 1 || *p[0].Int != 1 {
		t.Errorf("findings: %+v", p)
	}
	added := map[string]float64{}
	for _, p := range named("belay.snapshot.size").Histogram.Points {
		added[*p.Attrs[0].Value.Text] = p.Sum + float64(p.Count)/10
	}
	if want := map[string]float64{"snapshot": 5000 + 1<<20 + .2, "attempt": 70.1}; !reflect.DeepEqual(added, want) {
		t.Errorf("sizes: %v", added)
	}
	for _, s := range d.Spans {
		if a := attrsOf(s.Attrs); a["belay.snapshot.id"] == `{"stringValue":"01a"}` && (a["belay.snapshot.size"] != `{"intValue":"5000"}` ||
			a["belay.snapshot.files"] != `{"intValue":"3"}`) {
			t.Errorf("the span of a snapshot: %v", a)
		}
	}
	for _, p := range named("gen_ai.client.token.usage").Histogram.Points {
		if len(p.Counts) != len(p.Bounds)+1 || p.Count != 2 {
			t.Errorf("tokens: %+v", p)
		}
	}
}

// FuzzReply parses any answer of a collector.
func FuzzReply(f *testing.F) {
	f.Add(`{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "x"}}`)
	f.Add(`{"partialSuccess": {"rejectedLogRecords": -9}}`)
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, reply string) {
		rejected, said := telemetry.ReadReply([]byte(reply))
		if rejected < 0 || belay.VisibleLine(said) != said {
			t.Errorf("%d, %q", rejected, said)
		}
	})
}

// FuzzSettings parses any values of the environment.
func FuzzSettings(f *testing.F) {
	f.Add("http://c", "a=b,c=%20")
	f.Add("https://[::1", "=,=%")
	f.Fuzz(func(t *testing.T, endpoint, headers string) {
		s, err := telemetry.NewSettings(telemetry.Choices{Endpoint: endpoint, Env: func(key string) string {
			if strings.HasSuffix(key, "HEADERS") {
				return headers
			}
			return ""
		}})
		if err != nil {
			return
		}
		for _, h := range s.Headers {
			for key, value := range h {
				if strings.ContainsAny(key+value, "\r\n") {
					t.Errorf("a header with a line end: %q: %q", key, value)
				}
			}
		}
	})
}
