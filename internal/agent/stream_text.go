package agent

import (
	"encoding/json"
	"io"
	"strings"
)

// StreamText is text in an agent's stream: a message, an error, the result.
type StreamText struct {
	Text   string
	Part   bool // more of the same message may follow
	Failed bool // an error that ends the work
	Final  bool // it repeats the last message as the final result
}

// readMessage passes the text in an event to OnText.
func (r *StreamReader) readMessage(e object) {
	say := func(s StreamText) {
		if strings.TrimSpace(s.Text) != "" || s.Part && s.Text != "" {
			r.OnText(s)
		}
	}
	switch e.text("type") {
	case "system":
		if again, ok := retryOf(e); ok {
			say(StreamText{Text: again.String(), Failed: true})
		}
	case "assistant": // Claude Code, Qwen Code, Cursor
		say(StreamText{Text: textOf(e.object("message")["content"])})
	case "result": // of these, and of Gemini CLI
		failed := e["is_error"] == true || e.text("status") == "error"
		text := e.text("result")
		if text == "" && failed {
			text = firstText(e.text("error"), e.object("error").text("message"))
		}
		say(StreamText{Text: text, Failed: failed, Final: !failed})
	case "item.completed": // Codex
		switch it := e.object("item"); it.text("type") {
		case "agent_message":
			say(StreamText{Text: it.text("text")})
		case "error":
			say(StreamText{Text: it.text("message"), Failed: true})
		}
	case "turn.failed":
		say(StreamText{Text: plainError(e.object("error").text("message")), Failed: true})
	case "message": // Gemini CLI
		if e.text("role") == "assistant" {
			say(StreamText{Text: e.text("content"), Part: e["delta"] == true})
		}
	case "text": // OpenCode
		say(StreamText{Text: e.object("part").text("text")})
	case "error":
		text := firstText(e.text("message"), e.object("error").object("data").text("message"))
		say(StreamText{Text: plainError(firstText(text, e.object("error").text("message"))), Failed: true})
	case "assistant.message": // Copilot
		say(StreamText{Text: e.object("data").text("content")})
	case "session.error":
		say(StreamText{Text: e.object("data").text("message"), Failed: true})
	case "message_end": // pi
		m := e.object("message")
		if m.text("role") == "assistant" {
			say(StreamText{Text: textOf(m["content"])})
			say(StreamText{Text: plainError(m.text("errorMessage")), Failed: true})
		}
	}
}

// plainError returns the message in an error that is itself JSON: Codex puts the server's answer
// there.
func plainError(text string) string {
	var e object
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &e) == nil {
		if inner := firstText(e.object("error").text("message"), e.text("message")); inner != "" {
			return inner
		}
	}
	return text
}

// textOf joins the text blocks of a message, without thoughts.
func textOf(content any) string {
	switch v := content.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, one := range v {
			if block, ok := one.(map[string]any); ok && object(block).text("type") == "text" {
				if text := object(block).text("text"); strings.TrimSpace(text) != "" {
					parts = append(parts, text)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// FinalMessage returns the last message of an agent's event stream: its answer. ok is false if the
// output is no event stream; then the text itself is the answer.
func FinalMessage(output io.Reader) (text string, ok bool) {
	var parts strings.Builder
	open := false // more of the last message may follow
	r := StreamReader{Listener: &callListener{onCall: func() { open = false }}, OnText: func(s StreamText) {
		if s.Failed {
			return
		}
		if !s.Part || !open {
			parts.Reset()
		}
		open = s.Part
		parts.WriteString(s.Text)
	}}
	_, _ = io.Copy(&r, output)
	r.Close()
	return strings.TrimSpace(parts.String()), r.HasCalls || parts.Len() > 0
}

// callListener calls onCall at the start of each tool call.
type callListener struct{ onCall func() }

func (l *callListener) CallBegan(Call)       { l.onCall() }
func (l *callListener) CallEnded(CallResult) {}
