package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// Usage is one report of what an agent used, in the form that all agents' reports are
// brought into.
type Usage struct {
	Agent string // in whose form: claude, qwen, codex, gemini, opencode or pi

	// Total says that the report is all that Counter, a session or a thread, has used so
	// far, and not one step of it. Codex gives nothing else, Claude Code at the end.
	Total   bool
	Counter string
	ID      string // of a step. Claude Code reports a message once for each of its blocks: the last report counts

	Models []ModelTokens // by model, in the order of their names; none when no tokens are reported
	Cost   float64       // US dollars
	Priced bool          // the agent reports a cost. A cost of nothing for tokens is none: it does not know the price

	Last bool   // the agent says that its turn is over
	Odd  string // a number of the report that cannot be, and was left out: "output_tokens: -5"
}

// ModelTokens is what was used of one model; Model is "" when the stream does not name it.
type ModelTokens struct {
	Model  string
	Tokens belay.Tokens
}

// Bounds of what is believed of one report.
const (
	mostTokens  = 1e12
	mostDollars = 1e6
)

// usage reads what an event says of use.
func (r *Reader) usage(e object) {
	switch e.text("type") {
	case "system":
		r.opens(e.text("session_id"), e.text("model"))
		r.Names.Qwen = r.Names.Qwen || e["qwen_code_version"] != nil
	case "init": // Gemini CLI
		r.opens(e.text("session_id"), e.text("model"))
	case "assistant":
		m := messageOf(e.object("message"))
		m.ID = first2(m.ID, e.text("uuid"))
		r.step(e, m, e.object("message").object("usage"))
	case "stream_event": // Claude Code with --include-partial-messages
		r.partial(e)
	case "result":
		if id := e.text("sessionId"); id != "" { // Copilot, which counts requests instead of tokens
			r.opens(id, "")
			return
		}
		r.result(e)
	case "thread.started":
		r.opens(e.text("thread_id"), "")
	case "session": // pi
		r.opens(e.text("id"), "")
	case "step_start": // OpenCode; sub-agents have sessions of their own
		r.opens(first2(r.Names.Session, e.text("sessionID")), "")
	case "turn.completed":
		r.codex(e.object("usage"), true)
	case "session_meta", "turn_context", "event_msg": // Codex's own log of a session
		r.event(e.object("payload"))
	case "step_finish":
		r.stepFinish(e)
	case "message_end":
		r.messageEnd(e.object("message"))
	default:
		r.event(e.object("msg")) // Codex before 0.44
	}
}

// opens takes the session and the model that are named once, at its start.
func (r *Reader) opens(session, model string) {
	if session != "" {
		r.Names.Session = session
	}
	if model != "" {
		r.Names.Model = model
	}
}

// claude names the agent whose form Claude Code and Qwen Code share.
func (r *Reader) claude() string {
	if r.Names.Qwen {
		return "qwen"
	}
	return "claude"
}

// step reads the use of one message. Each of its blocks is an event of its own with the
// same use.
func (r *Reader) step(e object, m Message, usage object) {
	if usage == nil {
		return
	}
	n := numbers{of: usage}
	u := Usage{Agent: r.claude(), Counter: r.named(e.text("session_id")), ID: m.ID}
	u.Models = models(m.Model, r.tokens(&n))
	r.report(u, n)
}

// partial reads events of the model's own stream: a message begins with what was read and
// ends with what was written.
func (r *Reader) partial(e object) {
	event, thread := e.object("event"), e.text("parent_tool_use_id")
	switch event.text("type") {
	case "message_start":
		m := messageOf(event.object("message"))
		if r.Names.Begun == nil || len(r.Names.Begun) > 256 {
			r.Names.Begun = map[string]Message{}
		}
		r.Names.Begun[thread] = m
		r.step(e, m, event.object("message").object("usage"))
	case "message_delta":
		if m := r.Names.Begun[thread]; m.ID != "" {
			r.step(e, m, event.object("usage"))
		}
	}
}

func messageOf(o object) Message { return Message{o.text("id"), o.text("model")} }

// result reads the last event of a session: of Claude Code and Qwen Code, or of Gemini CLI.
func (r *Reader) result(e object) {
	u := Usage{Agent: r.claude(), Total: true, Counter: r.named(e.text("session_id")), Last: true}
	usage, by := e.object("usage"), e.object("modelUsage")
	n := numbers{of: e}
	u.Cost, u.Priced = n.dollars("total_cost_usd")
	switch {
	case len(by) > 0 && !r.Names.Qwen:
		for _, name := range slices.Sorted(maps.Keys(by)) {
			one := numbers{of: by.object(name)}
			u.Models = append(u.Models, models(name, r.tokens(&one))...)
			n.odd = first2(n.odd, one.odd)
		}
	case usage != nil:
		one := numbers{of: usage}
		u.Models = models(r.Names.Model, r.tokens(&one))
		n.odd = first2(n.odd, one.odd)
	case u.Priced || n.odd != "":
	case e.object("stats") != nil:
		u.Agent = "gemini"
		u.Models, n = r.stats(e.object("stats"))
	}
	if u.Priced || u.Models != nil || n.odd != "" {
		r.report(u, n)
	}
}

// tokens reads the counts of Claude Code, in either spelling, and of Qwen Code, whose input
// includes what came from a cache and whose output is without reasoning.
func (r *Reader) tokens(n *numbers) belay.Tokens {
	t := belay.Tokens{
		Input: n.count("input_tokens", "inputTokens"), Output: n.count("output_tokens", "outputTokens"),
		CacheRead:  n.count("cache_read_input_tokens", "cacheReadInputTokens", "cacheReadTokens"),
		CacheWrite: n.count("cache_creation_input_tokens", "cacheCreationInputTokens", "cacheWriteTokens"),
	}
	if r.Names.Qwen {
		t.Output += max(0, n.count("total_tokens")-t.Input-t.Output)
		t.Input = max(0, t.Input-t.CacheRead)
	}
	return t
}

// stats reads the summary of Gemini CLI. Reasoning is in its total alone.
func (r *Reader) stats(stats object) (out []ModelTokens, n numbers) {
	read := func(name string, o object) {
		one := numbers{of: o}
		in, cached, output := one.count("input_tokens"), one.count("cached"), one.count("output_tokens")
		t := belay.Tokens{Input: max(0, in-cached), CacheRead: cached, Output: output + max(0, one.count("total_tokens")-in-output)}
		n.odd = first2(n.odd, one.odd)
		out = append(out, models(name, t)...)
	}
	by := stats.object("models")
	for _, name := range slices.Sorted(maps.Keys(by)) {
		read(name, by.object(name))
	}
	if len(by) == 0 && stats["total_tokens"] != nil {
		read(r.Names.Model, stats)
	}
	return out, n
}

// event reads an event of Codex's own log, which codex exec printed in its first versions.
// Its counts are of the whole session.
func (r *Reader) event(msg object) {
	switch {
	case msg == nil:
	case msg.text("type") == "token_count":
		usage := msg.object("info").object("total_token_usage")
		if usage == nil && msg["input_tokens"] != nil {
			usage = msg
		}
		r.codex(usage, false)
	default:
		id := msg.text("session_id")
		if id == "" && msg["cwd"] != nil && msg["cli_version"] != nil { // session_meta
			id = msg.text("id")
		}
		r.opens(id, msg.text("model"))
	}
}

// codex reads the counts of a thread: what came from a cache is part of its input, and
// reasoning of its output.
func (r *Reader) codex(usage object, last bool) {
	if usage == nil {
		return
	}
	n := numbers{of: usage}
	in, read, write := n.count("input_tokens"), n.count("cached_input_tokens"), n.count("cache_write_input_tokens")
	t := belay.Tokens{Input: max(0, in-read-write), CacheRead: read, CacheWrite: write, Output: n.count("output_tokens")}
	r.report(Usage{Agent: "codex", Total: true, Counter: r.Names.Session, Models: models(r.Names.Model, t), Last: last}, n)
}

// stepFinish reads a step of OpenCode: reasoning is beside its output.
func (r *Reader) stepFinish(e object) {
	part := e.object("part")
	tokens := numbers{of: part.object("tokens")}
	if tokens.of == nil && part["cost"] == nil {
		return
	}
	cache := numbers{of: part.object("tokens").object("cache")}
	t := belay.Tokens{Input: tokens.count("input"), Output: tokens.count("output") + tokens.count("reasoning"),
		CacheRead: cache.count("read"), CacheWrite: cache.count("write")}
	n := numbers{of: part}
	u := Usage{Agent: "opencode", ID: part.text("id"), Counter: part.text("sessionID"), Last: part.text("reason") == "stop"}
	u.Cost, u.Priced = n.dollars("cost")
	if tokens.of != nil {
		u.Models = models("", t)
	}
	n.odd = first2(n.odd, first2(tokens.odd, cache.odd))
	r.report(u, n)
}

// messageEnd reads a message of pi, which it gives once.
func (r *Reader) messageEnd(m object) {
	usage := m.object("usage")
	if m.text("role") != "assistant" || usage == nil {
		return
	}
	n, cost := numbers{of: usage}, numbers{of: usage.object("cost")}
	t := belay.Tokens{Input: n.count("input"), Output: n.count("output"), CacheRead: n.count("cacheRead"),
		CacheWrite: n.count("cacheWrite")}
	u := Usage{Agent: "pi", Models: models(m.text("model"), t), Last: m.text("stopReason") == "stop"}
	u.Cost, u.Priced = cost.dollars("total")
	n.odd = first2(n.odd, cost.odd)
	r.report(u, n)
}

func (r *Reader) report(u Usage, n numbers) {
	r.Any = true
	u.Odd = n.odd
	sum := int64(0)
	for _, m := range u.Models {
		sum += min(m.Tokens.Sum(), mostTokens)
	}
	if u.Cost == 0 && sum > 0 {
		u.Priced = false
	}
	r.Use(u)
}

// named returns the session of an event, or the last one that was named.
func (r *Reader) named(session string) string {
	if session != "" {
		return session
	}
	return r.Names.Session
}

func models(name string, t belay.Tokens) []ModelTokens { return []ModelTokens{{name, t}} }

func first2(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// numbers reads numbers that come from programs that are not ours: what cannot be is left
// out, and said.
type numbers struct {
	of  object
	odd string
}

// count reads the first of the keys that is there.
func (n *numbers) count(keys ...string) int64 {
	v, _ := n.number(mostTokens, keys...)
	return int64(v)
}

// dollars reads an amount; ok is false when there is none.
func (n *numbers) dollars(key string) (amount float64, ok bool) { return n.number(mostDollars, key) }

func (n *numbers) number(most float64, keys ...string) (float64, bool) {
	for _, key := range keys {
		switch v := n.of[key].(type) {
		case nil:
			continue
		case json.Number:
			f, err := v.Float64()
			if err == nil && !math.IsNaN(f) && f >= 0 && f <= most {
				return f, true
			}
		}
		if n.odd == "" {
			text := fmt.Sprint(n.of[key])
			n.odd = key + ": " + text[:min(len(text), 40)]
		}
		return 0, false
	}
	return 0, false
}
