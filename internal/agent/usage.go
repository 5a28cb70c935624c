package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// Usage is one report of what an agent used, in a form common to all agents.
type Usage struct {
	Agent string // the agent of which the format is: claude, qwen, codex, gemini, opencode or pi

	// Total means that the report is the total of Counter, a session or a thread, and not one step.
	// Codex only reports totals, Claude Code one at the end.
	Total   bool
	Counter string
	ID      string // of a step. Claude Code reports a message once for each of its blocks: the last report counts

	Models []ModelTokens // by model, sorted by name; none if no tokens are reported
	Cost   float64       // US dollars
	Priced bool          // the agent reports a cost. A cost of 0 for tokens does not count: it does not know the price

	Last    bool   // the agent's turn has ended
	Invalid string // an impossible number in the report, which was left out: "output_tokens: -5"
}

// ModelTokens is the tokens used of one model; Model is "" if the stream does not name it.
type ModelTokens struct {
	Model  string
	Tokens belay.Tokens
}

// Limits of plausible numbers in one report.
const (
	maxTokens  = 1e12
	maxDollars = 1e6
)

// readUsage reads the usage in an event.
func (r *StreamReader) readUsage(e object) {
	switch e.text("type") {
	case "system":
		r.readSessionStart(e.text("session_id"), e.text("model"))
		r.Names.Qwen = r.Names.Qwen || e["qwen_code_version"] != nil
	case "init": // Gemini CLI
		r.readSessionStart(e.text("session_id"), e.text("model"))
	case "assistant":
		m := messageOf(e.object("message"))
		m.ID = firstText(m.ID, e.text("uuid"))
		r.readStep(e, m, e.object("message").object("usage"))
	case "stream_event": // Claude Code with --include-partial-messages
		r.readPartial(e)
	case "result":
		if id := e.text("sessionId"); id != "" { // Copilot, which counts requests instead of tokens
			r.readSessionStart(id, "")
			return
		}
		r.readResult(e)
	case "thread.started":
		r.readSessionStart(e.text("thread_id"), "")
	case "session": // pi
		r.readSessionStart(e.text("id"), "")
	case "step_start": // OpenCode; sub-agents have their own sessions
		r.readSessionStart(firstText(r.Names.Session, e.text("sessionID")), "")
	case "turn.completed":
		r.readCodexUsage(e.object("usage"), true)
	case "session_meta", "turn_context", "event_msg": // Codex's own log of a session
		r.readCodexEvent(e.object("payload"))
	case "step_finish":
		r.readOpenCodeStep(e)
	case "message_end":
		r.readPiMessage(e.object("message"))
	default:
		r.readCodexEvent(e.object("msg")) // Codex before 0.44
	}
}

// readSessionStart records the session and the model, which a stream names once at its start.
func (r *StreamReader) readSessionStart(session, model string) {
	if session != "" {
		r.Names.Session = session
	}
	if model != "" {
		r.Names.Model = model
	}
}

// claudeForm returns which agent uses the format that Claude Code and Qwen Code share.
func (r *StreamReader) claudeForm() string {
	if r.Names.Qwen {
		return "qwen"
	}
	return "claude"
}

// readStep reads the usage of one message. Each block of the message is an event with the same
// usage.
func (r *StreamReader) readStep(e object, m Message, usage object) {
	if usage == nil {
		return
	}
	n := numberReader{object: usage}
	u := Usage{Agent: r.claudeForm(), Counter: r.sessionOr(e.text("session_id")), ID: m.ID}
	u.Models = singleModel(m.Model, r.readTokens(&n))
	r.reportUsage(u, n)
}

// readPartial reads events of the model's own stream: a message begins with its input tokens and
// ends with its output tokens.
func (r *StreamReader) readPartial(e object) {
	event, thread := e.object("event"), e.text("parent_tool_use_id")
	switch event.text("type") {
	case "message_start":
		m := messageOf(event.object("message"))
		if r.Names.Begun == nil || len(r.Names.Begun) > 256 {
			r.Names.Begun = map[string]Message{}
		}
		r.Names.Begun[thread] = m
		r.readStep(e, m, event.object("message").object("usage"))
	case "message_delta":
		if m := r.Names.Begun[thread]; m.ID != "" {
			r.readStep(e, m, event.object("usage"))
		}
	}
}

func messageOf(o object) Message { return Message{o.text("id"), o.text("model")} }

// readResult reads the last event of a session: of Claude Code and Qwen Code, or of Gemini CLI.
func (r *StreamReader) readResult(e object) {
	u := Usage{Agent: r.claudeForm(), Total: true, Counter: r.sessionOr(e.text("session_id")), Last: true}
	usage, by := e.object("usage"), e.object("modelUsage")
	n := numberReader{object: e}
	u.Cost, u.Priced = n.dollars("total_cost_usd")
	switch {
	case len(by) > 0 && !r.Names.Qwen:
		for _, name := range slices.Sorted(maps.Keys(by)) {
			one := numberReader{object: by.object(name)}
			u.Models = append(u.Models, singleModel(name, r.readTokens(&one))...)
			n.invalid = firstText(n.invalid, one.invalid)
		}
	case usage != nil:
		one := numberReader{object: usage}
		u.Models = singleModel(r.Names.Model, r.readTokens(&one))
		n.invalid = firstText(n.invalid, one.invalid)
	case u.Priced || n.invalid != "":
	case e.object("stats") != nil:
		u.Agent = "gemini"
		u.Models, n = r.readGeminiStats(e.object("stats"))
	}
	if u.Priced || u.Models != nil || n.invalid != "" {
		r.reportUsage(u, n)
	}
}

// readTokens reads the counts of Claude Code, in either spelling, and of Qwen Code, which includes
// cached tokens in its input and excludes reasoning from its output.
func (r *StreamReader) readTokens(n *numberReader) belay.Tokens {
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

// readGeminiStats reads the summary of Gemini CLI. Reasoning is only in its total.
func (r *StreamReader) readGeminiStats(stats object) (out []ModelTokens, n numberReader) {
	read := func(name string, o object) {
		one := numberReader{object: o}
		in, cached, output := one.count("input_tokens"), one.count("cached"), one.count("output_tokens")
		t := belay.Tokens{Input: max(0, in-cached), CacheRead: cached, Output: output + max(0, one.count("total_tokens")-in-output)}
		n.invalid = firstText(n.invalid, one.invalid)
		out = append(out, singleModel(name, t)...)
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

// readCodexEvent reads an event of Codex's own log, which early versions of codex exec printed. Its
// counts are of the complete session.
func (r *StreamReader) readCodexEvent(msg object) {
	switch {
	case msg == nil:
	case msg.text("type") == "token_count":
		usage := msg.object("info").object("total_token_usage")
		if usage == nil && msg["input_tokens"] != nil {
			usage = msg
		}
		r.readCodexUsage(usage, false)
	default:
		id := msg.text("session_id")
		if id == "" && msg["cwd"] != nil && msg["cli_version"] != nil { // session_meta
			id = msg.text("id")
		}
		r.readSessionStart(id, msg.text("model"))
	}
}

// readCodexUsage reads the counts of a thread: input includes cached tokens, and output includes
// reasoning.
func (r *StreamReader) readCodexUsage(usage object, last bool) {
	if usage == nil {
		return
	}
	n := numberReader{object: usage}
	in, read, write := n.count("input_tokens"), n.count("cached_input_tokens"), n.count("cache_write_input_tokens")
	t := belay.Tokens{Input: max(0, in-read-write), CacheRead: read, CacheWrite: write, Output: n.count("output_tokens")}
	r.reportUsage(Usage{Agent: "codex", Total: true, Counter: r.Names.Session, Models: singleModel(r.Names.Model, t), Last: last}, n)
}

// readOpenCodeStep reads a step of OpenCode: its output excludes reasoning.
func (r *StreamReader) readOpenCodeStep(e object) {
	part := e.object("part")
	tokens := numberReader{object: part.object("tokens")}
	if tokens.object == nil && part["cost"] == nil {
		return
	}
	cache := numberReader{object: part.object("tokens").object("cache")}
	t := belay.Tokens{Input: tokens.count("input"), Output: tokens.count("output") + tokens.count("reasoning"),
		CacheRead: cache.count("read"), CacheWrite: cache.count("write")}
	n := numberReader{object: part}
	u := Usage{Agent: "opencode", ID: part.text("id"), Counter: part.text("sessionID"), Last: part.text("reason") == "stop"}
	u.Cost, u.Priced = n.dollars("cost")
	if tokens.object != nil {
		u.Models = singleModel("", t)
	}
	n.invalid = firstText(n.invalid, firstText(tokens.invalid, cache.invalid))
	r.reportUsage(u, n)
}

// readPiMessage reads a message of pi, which is reported once.
func (r *StreamReader) readPiMessage(m object) {
	usage := m.object("usage")
	if m.text("role") != "assistant" || usage == nil {
		return
	}
	n, cost := numberReader{object: usage}, numberReader{object: usage.object("cost")}
	t := belay.Tokens{Input: n.count("input"), Output: n.count("output"), CacheRead: n.count("cacheRead"),
		CacheWrite: n.count("cacheWrite")}
	u := Usage{Agent: "pi", Models: singleModel(m.text("model"), t), Last: m.text("stopReason") == "stop"}
	u.Cost, u.Priced = cost.dollars("total")
	n.invalid = firstText(n.invalid, cost.invalid)
	r.reportUsage(u, n)
}

func (r *StreamReader) reportUsage(u Usage, n numberReader) {
	r.HasCalls = true
	u.Invalid = n.invalid
	sum := int64(0)
	for _, m := range u.Models {
		sum += min(m.Tokens.Sum(), maxTokens)
	}
	if u.Cost == 0 && sum > 0 {
		u.Priced = false
	}
	r.OnUsage(u)
}

// sessionOr returns session, or the last one named if it is "".
func (r *StreamReader) sessionOr(session string) string {
	if session != "" {
		return session
	}
	return r.Names.Session
}

func singleModel(name string, t belay.Tokens) []ModelTokens { return []ModelTokens{{name, t}} }

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// numberReader reads numbers from untrusted output: impossible ones are left out and noted.
type numberReader struct {
	object  object
	invalid string
}

// count reads the first of the keys that exists.
func (n *numberReader) count(keys ...string) int64 {
	v, _ := n.number(maxTokens, keys...)
	return int64(v)
}

// dollars reads an amount; ok is false if there is none.
func (n *numberReader) dollars(key string) (amount float64, ok bool) {
	return n.number(maxDollars, key)
}

func (n *numberReader) number(most float64, keys ...string) (float64, bool) {
	for _, key := range keys {
		switch v := n.object[key].(type) {
		case nil:
			continue
		case json.Number:
			f, err := v.Float64()
			if err == nil && !math.IsNaN(f) && f >= 0 && f <= most {
				return f, true
			}
		}
		if n.invalid == "" {
			text := fmt.Sprint(n.object[key])
			n.invalid = key + ": " + text[:min(len(text), 40)]
		}
		return 0, false
	}
	return 0, false
}
