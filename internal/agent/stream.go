package agent

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Call is one tool call of an agent.
type Call struct {
	ID     string
	Thread string // the call of the sub-agent that it belongs to; "" for the agent itself
	Tool   string // the agent's name of the tool
	Args   any    // decoded JSON; numbers are json.Number
	Opaque bool   // an edit without its content in the stream
}

// CallResult is the result of a call.
type CallResult struct {
	ID        string
	Output    string // at most MaxOutput bytes of it
	HasOutput bool   // the stream reported an output, possibly empty
	Failed    bool
}

// Listener gets the tool calls of a stream in order. A call that the stream reports only at its end
// is passed to CallBegan and immediately to CallEnded.
type Listener interface {
	CallBegan(Call)
	CallEnded(CallResult)
}

// Limits of a line and of an output, in bytes.
const (
	MaxLine   = 8 << 20
	MaxOutput = 64 << 10
)

// StreamReader splits a stream into lines and parses each. The zero value works.
type StreamReader struct {
	Listener Listener         // nil: calls are ignored
	OnUsage  func(Usage)      // nil: usage is ignored
	OnText   func(StreamText) // nil: text is ignored

	OnDenied  func(tool string) // nil: denied calls are ignored
	onRetry   func(modelRetry)  // nil: repeated requests to the model are ignored
	line      []byte
	overlong  bool            // the line is too long and skipped to its end
	seenCalls map[string]bool // calls already reported; some agents report a call twice
	HasCalls  bool            // at least one call of a known form was read
	HasEvents bool            // at least one event of any form was read

	Names Names // what later events leave out

	EventTime time.Time // of the current event; zero if the stream does not state it
}

// Names is what a stream states once, near its start.
type Names struct {
	Session string `json:"session,omitempty"`
	Model   string `json:"model,omitempty"`
	Qwen    bool   `json:"qwen,omitempty"` // it is Qwen Code, with Claude Code's events but other counts

	Begun map[string]Message `json:"begun,omitempty"` // messages in progress, by the call of their sub-agent
}

// Message is a message of a model.
type Message struct {
	ID    string `json:"id"`
	Model string `json:"model,omitempty"`
}

// Write reads more of the stream. It never fails.
func (r *StreamReader) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.keepPending(p)
			break
		}
		r.keepPending(p[:i])
		r.flush()
		p = p[i+1:]
	}
	return n, nil
}

// Close reads an unfinished last line.
func (r *StreamReader) Close() { r.flush() }

// Pending returns the length of an unfinished line; ok is false if it was too long to keep.
func (r *StreamReader) Pending() (n int, ok bool) { return len(r.line), !r.overlong }

// BreakLine discards an unfinished line, because what follows does not continue it.
func (r *StreamReader) BreakLine() { r.line, r.overlong = r.line[:0], false }

func (r *StreamReader) keepPending(p []byte) {
	if r.overlong || len(r.line)+len(p) > MaxLine {
		r.overlong, r.line = true, r.line[:0]
		return
	}
	r.line = append(r.line, p...)
}

func (r *StreamReader) flush() {
	line := bytes.TrimSpace(r.line)
	if !r.overlong && len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' {
		r.readLine(line)
	}
	r.line, r.overlong = r.line[:0], false
	if cap(r.line) > 1<<20 {
		r.line = nil
	}
}

func (r *StreamReader) readLine(line []byte) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var e object
	if d.Decode(&e) == nil {
		r.HasEvents = r.HasEvents || e.text("type") != ""
		r.EventTime = timeOf(e)
		r.readEvent(e)
	}
}

// timeOf returns the time of an event as Gemini CLI, OpenCode, Cursor, Copilot and Codex's own log
// write it: a date, or milliseconds since 1970.
func timeOf(e object) time.Time {
	for _, key := range []string{"timestamp", "timestamp_ms"} {
		switch v := e[key].(type) {
		case string:
			if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
				return t
			}
		case json.Number:
			if ms, err := v.Int64(); err == nil && ms > 1e12 && ms < 1e14 {
				return time.UnixMilli(ms)
			}
		}
	}
	return time.Time{}
}

func (r *StreamReader) readEvent(e object) {
	if r.OnUsage != nil {
		r.readUsage(e)
	}
	if r.OnText != nil {
		r.readMessage(e)
	}
	if r.OnDenied != nil {
		r.readDenials(e)
	}
	if r.onRetry != nil {
		if again, ok := retryOf(e); ok {
			r.onRetry(again)
		}
	}
	if r.Listener != nil {
		r.readCalls(e)
	}
}

// readCalls reads the tool calls in an event, and their results.
func (r *StreamReader) readCalls(e object) {
	switch e.text("type") {
	case "assistant", "user": // Claude Code, Qwen Code
		r.readMessageBlocks(e)
	case "item.started", "item.updated", "item.completed": // Codex
		r.readCodexItem(e.object("item"), e.text("type") == "item.completed")
	case "tool_use": // Gemini CLI, OpenCode
		if part := e.object("part"); part != nil {
			r.readOpenCodePart(part)
			return
		}
		r.callBegan(Call{ID: e.text("tool_id"), Tool: e.text("tool_name"), Args: e["parameters"]})
	case "tool_result":
		r.callEnded(CallResult{ID: e.text("tool_id"), Failed: e.text("status") == "error"}, firstOf(e, "output", "error"))
	case "tool_execution_start": // pi
		r.callBegan(Call{ID: e.text("toolCallId"), Tool: e.text("toolName"), Args: e["args"]})
	case "tool_execution_end":
		r.callEnded(CallResult{ID: e.text("toolCallId"), Failed: e["isError"] == true}, e["result"])
	case "tool_call": // Cursor
		r.readCursorCall(e)
	case "tool.execution_start": // Copilot
		d := e.object("data")
		r.callBegan(Call{ID: d.text("toolCallId"), Thread: d.text("parentToolCallId"), Tool: d.text("toolName"), Args: d["arguments"]})
	case "tool.execution_complete":
		r.readCopilotCall(e.object("data"))
	}
}

// readMessageBlocks reads the calls and results in a message.
func (r *StreamReader) readMessageBlocks(e object) {
	blocks, _ := e.object("message")["content"].([]any)
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		o := object(block)
		switch o.text("type") {
		case "tool_use":
			r.callBegan(Call{ID: o.text("id"), Thread: e.text("parent_tool_use_id"), Tool: o.text("name"), Args: o["input"]})
		case "tool_result":
			r.callEnded(CallResult{ID: o.text("tool_use_id"), Failed: o["is_error"] == true}, o["content"])
		}
	}
}

// readCodexItem reads one item of Codex. Edits come without their content, and rejected calls do
// not come at all.
func (r *StreamReader) readCodexItem(it object, done bool) {
	c, failed, output := Call{ID: it.text("id")}, it.text("status") == "failed", any(nil)
	switch it.text("type") {
	case "command_execution":
		c.Tool, c.Args, output = "shell", map[string]any{"command": it["command"]}, it["aggregated_output"]
		code, _ := it["exit_code"].(json.Number)
		failed = failed || code != "" && code != "0"
	case "file_change":
		c.Tool, c.Args, c.Opaque = "file_change", map[string]any{"changes": it["changes"]}, true
	case "mcp_tool_call":
		c.Tool, c.Args, output = it.text("server")+"."+it.text("tool"), it["arguments"], firstOf(it, "result", "error")
	case "web_search":
		c.Tool, c.Args = "web_search", map[string]any{"query": it["query"]}
	default:
		return
	}
	r.callBegan(c)
	if done {
		r.callEnded(CallResult{ID: c.ID, Failed: failed}, output)
	}
}

// readOpenCodePart reads a tool call of OpenCode, which is reported at its end.
func (r *StreamReader) readOpenCodePart(p object) {
	state := p.object("state")
	id := p.text("callID")
	r.callBegan(Call{ID: id, Tool: p.text("tool"), Args: state["input"]})
	if s := state.text("status"); s == "completed" || s == "error" {
		r.callEnded(CallResult{ID: id, Failed: s == "error"}, firstOf(state, "output", "error"))
	}
}

// readCursorCall reads a tool call of Cursor: {"readToolCall": {"args": …, "result": …}}.
func (r *StreamReader) readCursorCall(e object) {
	id := e.text("call_id")
	for name, v := range e.object("tool_call") {
		body, ok := v.(map[string]any)
		if !ok {
			continue
		}
		r.callBegan(Call{ID: id, Tool: name, Args: body["args"]})
		if e.text("subtype") == "completed" {
			_, failed := object(body).object("result")["error"]
			r.callEnded(CallResult{ID: id, Failed: failed}, body["result"])
		}
		return
	}
}

// readCopilotCall reads the end of a tool call of Copilot. A failed command is reported as a
// success of the tool that ran it.
func (r *StreamReader) readCopilotCall(d object) {
	code, _ := d.object("shellExecution")["exitCode"].(json.Number)
	failed := d["success"] == false || code != "" && code != "0"
	output := firstValue(d.object("result")["content"], d.object("error")["message"])
	if text, ok := output.(string); ok {
		output = shellID.ReplaceAllString(text, "<")
	}
	r.callEnded(CallResult{ID: d.text("toolCallId"), Failed: failed}, output)
}

// shellID matches the number that Copilot adds to the output of a command: another one each time.
var shellID = lazyregexp.New(`<shellId: \d+ `)

func (r *StreamReader) callBegan(c Call) {
	if c.Tool == "" {
		return
	}
	r.HasCalls = true
	if key := c.Thread + "\x00" + c.ID; c.ID != "" {
		if r.seenCalls[key] {
			return
		}
		if len(r.seenCalls) > 4096 || r.seenCalls == nil {
			r.seenCalls = map[string]bool{}
		}
		r.seenCalls[key] = true
	}
	r.Listener.CallBegan(c)
}

func (r *StreamReader) callEnded(e CallResult, output any) {
	r.HasCalls = true
	if output != nil {
		e.Output, e.HasOutput = outputText(output), true
	}
	r.Listener.CallEnded(e)
}

// outputText converts an output to text: a string, blocks of text, or JSON.
func outputText(v any) string {
	switch t := v.(type) {
	case string:
		return t[:min(len(t), MaxOutput)]
	case []any:
		var b bytes.Buffer
		for _, one := range t {
			if o, ok := one.(map[string]any); ok && b.Len() < MaxOutput {
				b.WriteString(object(o).text("text"))
			}
		}
		if b.Len() > 0 {
			return b.String()[:min(b.Len(), MaxOutput)]
		}
	case map[string]any: // pi
		if blocks, ok := t["content"].([]any); ok && len(blocks) > 0 {
			return outputText(blocks)
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text[:min(len(text), MaxOutput)])
}

// object is a JSON object. A missing key gives the zero value.
type object map[string]any

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) object(key string) object {
	m, _ := o[key].(map[string]any)
	return m
}

func firstValue(a, b any) any {
	if a != nil {
		return a
	}
	return b
}

func firstOf(o object, keys ...string) any {
	for _, k := range keys {
		if o[k] != nil {
			return o[k]
		}
	}
	return nil
}
