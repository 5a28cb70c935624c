package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// neutralRoot is the path of the repository in recordings.
const neutralRoot = "/work/shop"

// Limits of a recording: of a line without a call, and of one string.
const (
	asideLine  = 600
	longString = 6000
)

var (
	made = lazyregexp.New(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?:ses|msg|prt|evt|req)_[0-9A-Za-z]{12,}\b`)
	when = lazyregexp.New(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)
)

// neutral removes what is specific to this machine from an agent's output: paths, generated IDs,
// times. Long events without a call are cut to their type. The results of tools stay.
func neutral(said []byte, root, home string) []byte {
	n := namer{root: root, home: home, ids: map[string]string{}}
	var out bytes.Buffer
	for line := range bytes.Lines(said) {
		line = bytes.TrimSpace(line)
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var e map[string]any
		if d.Decode(&e) != nil || e["type"] == "session.background_tasks_changed" {
			continue // text between the events, and an event that Copilot repeats a hundred times
		}
		if len(line) > asideLine && !holds(line) {
			short := map[string]any{"type": e["type"]}
			if e["subtype"] != nil {
				short["subtype"] = e["subtype"]
			}
			if e["data"] != nil { // Copilot
				short["data"], short["timestamp"] = map[string]any{}, e["timestamp"]
			}
			e = short
		}
		clean := json.NewEncoder(&out)
		clean.SetEscapeHTML(false)
		_ = clean.Encode(n.value("", e)) // cannot fail: maps, lists, strings and numbers
	}
	return out.Bytes()
}

// holds reports whether a line contains a call or a result of one.
func holds(line []byte) bool {
	var t told
	r := agent.StreamReader{Listener: &t}
	_, _ = r.Write(line)
	r.Close()
	return t > 0
}

// told counts calls and results.
type told int

func (t *told) CallBegan(agent.Call)       { *t++ }
func (t *told) CallEnded(agent.CallResult) { *t++ }

// namer replaces generated names by ones that are the same in every recording.
type namer struct {
	root, home string
	ids        map[string]string
}

// beside are keys without information about the work; values of clocks are set to 0.
var (
	beside = map[string]bool{"tool_use_result": true, "signature": true, "usage": true, "modelUsage": true,
		"tokens": true, "snapshot": true, "cost": true, "details": true, "originalFile": true}
	clocks = map[string]bool{"timestamp": true, "start": true, "end": true, "created": true, "duration_ms": true,
		"duration_api_ms": true, "pid": true, "total_cost_usd": true}
)

func (n namer) value(key string, v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k := range t {
			if beside[k] {
				delete(t, k)
				continue
			}
			t[k] = n.value(k, t[k])
		}
	case []any:
		for i := range t {
			t[i] = n.value(key, t[i])
		}
	case json.Number:
		if clocks[key] {
			return json.Number("0")
		}
	case string:
		return n.text(t)
	}
	return v
}

func (n namer) text(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, n.root, neutralRoot), n.home, "/home/person")
	s = when.ReplaceAllString(s, "2026-01-01T00:00:00Z")
	for _, id := range made.FindAllString(s, -1) {
		if n.ids[id] == "" {
			n.ids[id] = fmt.Sprintf("id-%d", len(n.ids)+1)
		}
		s = strings.ReplaceAll(s, id, n.ids[id])
	}
	if r := []rune(s); len(r) > longString {
		s = string(r[:longString]) + "…"
	}
	return s
}
