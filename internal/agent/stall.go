package agent

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Real work repeats itself, too, and is let be: waiting for a job, reading on through a
// long file, testing again after an edit, a call that says something new each time.

// Repeats is how often a call, or a cycle of calls, is made in a row before it is a stall.
const Repeats = 3

// longest is the longest cycle of calls that is looked for.
const longest = 3

// Stall is what was repeated.
type Stall struct {
	Calls []string `json:"calls"` // one cycle, each call as a person reads it: "Read src/a.ts"
	Times int      `json:"times"`
	At    int      `json:"at"` // the number of the call, from 1, that completed the last round
}

// String says it in one line.
func (s Stall) String() string {
	if len(s.Calls) == 1 {
		return fmt.Sprintf("the same call %d times in a row: %s", s.Times, s.Calls[0])
	}
	return fmt.Sprintf("the same %d calls repeated %d times: %s", len(s.Calls), s.Times, strings.Join(s.Calls, " → "))
}

// Watch finds the first stall in an agent's output, written to it as it comes. The zero
// value is not ready: New makes one.
type Watch struct {
	reader  Reader
	canon   canon
	repeats int
	calls   int
	threads map[string]*thread
	of      map[string]outputPlace // where a call that has not ended is
	found   *Stall
}

type outputPlace struct {
	in *thread
	n  int
}

// thread is the last calls of an agent or a sub-agent.
type thread struct {
	began int // calls so far
	last  []call
}

// call is one tool call, as far as comparing needs it.
type call struct {
	n       int // within its thread
	at      int // within the stream
	sign    [sha256.Size]byte
	output  [sha256.Size]byte
	settled bool // what came of it is known, or will not be told
	told    bool // an output was given
	passed  bool // a run of tests that did not fail
	kind    kind
	says    string
}

// New makes a watch. root is the working tree; repeats under 2 watches nothing.
func NewStallWatch(root string, repeats int) *Watch {
	w := &Watch{canon: canon{strings.TrimSuffix(root, "/")}, repeats: repeats, threads: map[string]*thread{}, of: map[string]outputPlace{}}
	w.reader.To = w
	return w
}

// Write takes more of the output. It never fails.
func (w *Watch) Write(p []byte) (int, error) {
	if w.repeats < 2 || w.found != nil {
		return len(p), nil
	}
	return w.reader.Write(p)
}

// Close reads what is left of the last line.
func (w *Watch) Close() { w.reader.Close() }

// Found returns the first stall, nil when there was none so far.
func (w *Watch) Found() *Stall { return w.found }

// Streams reports whether the output is an event stream that can be watched.
func (w *Watch) Streams() bool { return w.reader.Any }

// Calls returns how many calls were seen.
func (w *Watch) Calls() int { return w.calls }

// Began takes a call.
func (w *Watch) Began(c Call) {
	w.calls++
	t := w.threads[c.Thread]
	if t == nil {
		t = &thread{}
		w.threads[c.Thread] = t
	}
	t.began++
	args := w.canon.canonical(c.Args)
	one := call{n: t.began, at: w.calls, kind: kindOf(c, w.canon), says: w.says(c)}
	if c.Opaque { // no two edits are known to be the same
		args += fmt.Sprint(t.began)
	}
	one.sign = sha256.Sum256([]byte(strings.ToLower(c.Tool) + "\x00" + args))
	t.last = append(t.last, one)
	if most := longest * w.repeats * 2; len(t.last) > most {
		t.last = t.last[len(t.last)-most:]
	}
	if c.ID != "" {
		if len(w.of) > 1024 { // calls that never end
			w.of = map[string]outputPlace{}
		}
		w.of[c.ID] = outputPlace{t, t.began}
	}
}

// Ended takes what came of a call. Calls before it whose results did not come will not get
// one any more.
func (w *Watch) Ended(e Ended) {
	at, known := w.of[e.ID]
	if !known {
		return
	}
	delete(w.of, e.ID)
	for i := range at.in.last {
		c := &at.in.last[i]
		if c.n == at.n {
			c.settled, c.told, c.passed = true, e.Told, c.kind == tests && !e.Failed && !saysFailing(e.Output)
			c.output = w.output(at.in, c, e.Output)
		}
	}
	w.look(at.in)
}

// failing reports whether what a run of tests said speaks of failures other than none: not
// every agent says how a command ended.
func saysFailing(output string) bool {
	return strings.Contains(strings.ToLower(noFailures.ReplaceAllString(output, "")), "fail")
}

// output names what a call gave. An agent that answers for a tool that nothing changed since
// it was used last gives what that gave.
func (w *Watch) output(in *thread, c *call, text string) [sha256.Size]byte {
	if len(text) < 300 && unchanged.MatchString(text) {
		for _, old := range slices.Backward(in.last) {
			if old.n < c.n && old.told && old.sign == c.sign {
				return old.output
			}
		}
	}
	return sha256.Sum256([]byte(w.canon.result(text)))
}

// look asks whether the thread's last calls are rounds of the same.
func (w *Watch) look(t *thread) {
	done := t.last
	for len(done) > 0 && !done[len(done)-1].settled {
		done = done[:len(done)-1]
	}
	for period := 1; period <= longest && w.found == nil; period++ {
		times := w.repeats
		if n := len(done) - period; n >= 0 && slices.ContainsFunc(done[n:], func(c call) bool { return c.passed }) {
			times *= 2 // somebody who wants to be sure that it passes every time
		}
		if n := period * times; len(done) >= n && rounds(done[len(done)-n:], period) {
			w.found = &Stall{Times: times, At: done[len(done)-1].at}
			for _, c := range done[len(done)-period:] {
				w.found.Calls = append(w.found.Calls, c.says)
			}
		}
	}
}

// rounds reports whether calls are the same few in turn, none of which may well be repeated
// or said anything new.
func rounds(calls []call, period int) bool {
	for i, c := range calls {
		first := calls[i%period]
		switch {
		case c.kind == waits, c.sign != first.sign:
			return false
		case c.told && first.told && c.output != first.output:
			return false
		case c.kind == advances && !(c.told && first.told):
			return false
		}
	}
	return true
}

// says is a call as a person reads it.
func (w *Watch) says(c Call) string {
	m, _ := c.Args.(map[string]any)
	for _, key := range []string{"command", "cmd", "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "prompt"} {
		switch v := m[key].(type) {
		case string:
			return clip(c.Tool + " " + w.canon.plain(v))
		case []any:
			return clip(c.Tool + " " + w.canon.plain(strings.Join(texts(v), " ")))
		}
	}
	return clip(c.Tool + " " + w.canon.canonical(c.Args))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 160 {
		return string(r[:159]) + "…"
	}
	return s
}

func texts(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
