package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// model is a server on this machine that answers like a model, in the four API formats of agents.
// Its answer is the next step of a script. It counts the tool results in the request to find the
// step, so that a repeated request gets the same answer.
type model struct {
	URL  string
	http *http.Server

	mu     sync.Mutex
	script []Script // one for each attempt; the last is used for all further ones
	deny   denial
	since  time.Time // when the first request was denied
	speak  dialect
	root   string   // the folder that the agent works in
	asked  int      // requests answered from the script
	said   int      // text steps of the script
	turns  []asking // requests by attempt
	strays []string // unknown paths
}

// turn is the relevant part of a request: whether it offers tools, the number of results since
// belay's last prompt, and whether it wants a stream.
type turn struct {
	tools   bool
	results int
	attempt int // belay's attempt, from 0
	open    bool
	earlier int // results before the last prompt: the session was continued
	stream  bool
}

// asking counts the requests of one attempt.
type asking struct {
	requests  int  // for the next step
	aside     int  // for a title or the like
	continued bool // with the conversation of an earlier attempt
	open      bool // with a call without a result, which real models reject
}

// follow reads the messages of a request in order. Each later prompt of belay names its attempt and
// restarts the count of results.
func (t *turn) follow(messages []json.RawMessage, results func(json.RawMessage) int) {
	ids := map[string]int{}
	for _, one := range messages {
		for _, id := range callID.FindAllString(string(one), -1) {
			ids[id] |= 1 << min(1, results(one)) // bits: called, answered
		}
	}
	for _, seen := range ids {
		t.open = t.open || seen == 1
	}
	for _, one := range messages {
		if n := results(one); n > 0 {
			t.results += n
			continue
		}
		if k := attempt(one); k > t.attempt {
			t.attempt, t.earlier, t.results = k, t.earlier+t.results, 0
		}
	}
}

// usedEach is the token use of an answer, both input and output.
const usedEach = 10

// answer is one step of a model: text, or a tool call.
type answer struct {
	Text string
	ID   string
	Tool string
	Args map[string]any
	Free string // input of a tool that takes text
}

// serve starts the server on a free loopback port.
func serve() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for agents: %w", err)
	}
	m := &model{URL: "http://" + l.Addr().String()}
	m.http = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.http.Serve(l) }()
	return m, nil
}

// Close stops the server and its running requests.
func (m *model) Close() error { return m.http.Close() }

// play sets the script.
func (m *model) play(s Script, d dialect, root string) {
	m.plays([]Script{s}, denial{}, d, root)
}

// denial is an error response instead of the script; the zero value is none.
type denial struct {
	status  int
	kind    string
	message string
	lasts   time.Duration // since the first one; 0 is for ever
}

// plays sets the script of each attempt, and a denial.
func (m *model) plays(list []Script, deny denial, d dialect, root string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script, m.deny, m.since, m.speak, m.root, m.asked, m.said, m.strays, m.turns = list, deny, time.Time{}, d, root, 0, 0, nil, nil
}

// callID matches the ID of a call from the server.
var callID = lazyregexp.New(`call_\d\d\b`)

// attempts matches the attempt's number in belay's prompt.
var attempts = lazyregexp.New(`attempt (\d+) of`)

// attempt returns the attempt of a request, from 0.
func attempt(body []byte) int {
	n := 1
	for _, found := range attempts.FindAllStringSubmatch(string(body), -1) {
		if k, err := strconv.Atoi(found[1]); err == nil {
			n = max(n, k)
		}
	}
	return n - 1
}

// played returns the number of requests answered from the script, and the unknown paths.
func (m *model) played() (int, []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked, m.strays
}

// asks returns the requests by attempt.
func (m *model) asks() []asking {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turns
}

// next returns the answer to a request. One without tools is a request for a title or a summary.
func (m *model) next(t turn) answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.turns) <= t.attempt {
		m.turns = append(m.turns, asking{})
	}
	at := &m.turns[t.attempt]
	at.continued = at.continued || t.earlier > 0
	at.open = at.open || t.open
	if !t.tools {
		at.aside++
		return answer{Text: "work on the shop"}
	}
	m.asked++
	at.requests++
	script := m.script[min(t.attempt, len(m.script)-1)]
	n := t.results
	if script.Whole {
		n += t.earlier + m.said
	}
	if n >= len(script.Steps) {
		return answer{Text: "That is all."}
	}
	if say := script.Steps[n].Say; say != "" {
		m.said++
		return answer{Text: say}
	}
	a := m.speak(m.root, script.Steps[n])
	a.ID = fmt.Sprintf("call_%02d", t.earlier+t.results+1) // agents drop a call with an ID that the conversation already has
	return a
}

// ServeHTTP distinguishes the API formats by path.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	path := r.URL.Path
	deny, denied := m.denies()
	switch {
	case denied && r.Method == http.MethodPost:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(deny.status)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error",
			"error": map[string]any{"type": deny.kind, "code": deny.kind, "message": deny.message, "status": deny.kind}})
	case r.Method == http.MethodConnect:
		m.tunnel(w, r)
	case strings.HasSuffix(path, "count_tokens"):
		reply(w, map[string]any{"input_tokens": 100})
	case strings.HasSuffix(path, ":countTokens"):
		reply(w, map[string]any{"totalTokens": 100})
	case strings.HasSuffix(path, "/messages"):
		m.messages(w, body)
	case strings.HasSuffix(path, "/chat/completions"):
		m.chat(w, body)
	case strings.HasSuffix(path, "/responses"):
		m.responses(w, body)
	case strings.HasSuffix(path, "enerateContent"):
		m.content(w, body, strings.Contains(path, ":stream"))
	case strings.HasSuffix(path, "/models"):
		reply(w, map[string]any{"object": "list", "data": []any{}, "models": []any{}})
	default:
		m.mu.Lock()
		m.strays = append(m.strays, r.Method+" "+path)
		m.mu.Unlock()
		http.NotFound(w, r)
	}
}

// says returns the number of text steps that were sent.
func (m *model) says() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.said
}

// denies returns the current denial.
func (m *model) denies() (d denial, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.deny.status == 0 {
		return d, false
	}
	if m.since.IsZero() {
		m.since = time.Now()
	}
	return m.deny, m.deny.lasts == 0 || time.Since(m.since) < m.deny.lasts
}

// tunnel connects an agent that uses a proxy to the model, and to nothing else.
func (m *model) tunnel(w http.ResponseWriter, r *http.Request) {
	own := strings.TrimPrefix(m.URL, "http://")
	if r.Host != own {
		m.mu.Lock()
		m.strays = append(m.strays, "CONNECT "+r.Host)
		m.mu.Unlock()
		http.Error(w, "there is no way out", http.StatusForbidden)
		return
	}
	back, err := net.Dial("tcp", own)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer back.Close()
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	front, buffered, err := h.Hijack()
	if err != nil {
		return
	}
	defer front.Close()
	_, _ = io.WriteString(front, "HTTP/1.1 200 OK\r\n\r\n")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(back, buffered)
		_ = back.Close()
	}()
	_, _ = io.Copy(front, back)
	_ = front.Close()
	<-done
}

// reply sends one JSON object.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// events sends server-sent events.
type events struct{ w http.ResponseWriter }

func streaming(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return events{w}
}

// send sends one event; name may be "".
func (e events) send(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // all values are made here
	}
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", text)
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

// bad answers a request that cannot be parsed.
func bad(w http.ResponseWriter, err error) {
	http.Error(w, `{"error":{"message":"not a request that can be read: `+strings.ReplaceAll(err.Error(), `"`, "'")+
		`"}}`, http.StatusBadRequest)
}
