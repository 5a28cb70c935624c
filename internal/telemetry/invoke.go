package telemetry

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// maxCalls limits the tool calls of an attempt that get a span.
const maxCalls = 2000

// addAgentRun adds the span of an agent's run, and those of its tool calls.
func (b *builder) addAgentRun(e journal.Entry, ev session.EventEntry, c loop.Command) string {
	command := b.task.Agent
	if c.Kind == loop.CmdDebug {
		command = b.task.Debugger
	}
	heard := b.readOutput(ev.Event.Log)
	who := agentName(command)
	if who == "other" && heard.usageFormat != "" {
		who = heard.usageFormat
	}
	s := b.newSpan(e, "agent", "invoke_agent "+who, b.commandStart.at)
	s.Attrs = append(s.Attrs, textAttr("gen_ai.operation.name", "invoke_agent"), textAttr("gen_ai.agent.name", who))
	same := []Attr{textAttr("gen_ai.operation.name", "invoke_agent"), textAttr("gen_ai.agent.name", who)}
	if p := providers[who]; p != "" {
		s.Attrs = append(s.Attrs, textAttr("gen_ai.provider.name", p))
		same = append(same, textAttr("gen_ai.provider.name", p))
	}
	if heard.model != "" {
		s.Attrs = append(s.Attrs, textAttr("gen_ai.response.model", safeName(heard.model)))
	}
	if id := ev.Event.Session.ID; id != "" {
		s.Attrs = append(s.Attrs, textAttr("gen_ai.conversation.id", safeName(id)))
	}
	s.Attrs = append(s.Attrs, usageAttrs(ev.Event.Use)...)
	ended := endReason(ev.Event)
	s.Attrs = append(s.Attrs, textAttr("belay.attempt.ended", ended), floatAttr("belay.agent.duration", ev.Event.Elapsed.Seconds()))
	if c.Kind == loop.CmdAttempt {
		s.Attrs = append(s.Attrs, intAttr("belay.attempt", int64(c.Attempt)), textAttr("belay.prompt.kind", safeName(string(c.Prompt))))
	}
	if ev.Event.Kind == loop.EvAttempted && ev.Event.Ended == loop.EndedExit {
		s.Attrs = append(s.Attrs, intAttr("process.exit.code", int64(ev.Event.Exit)))
	}
	if ended != string(loop.EndedExit) || ev.Event.Exit != 0 {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, textAttr("error.type", ended))
	}
	if b.options.Content {
		s.Attrs = append(s.Attrs, messageAttr("gen_ai.input.messages", "user", b.task.Prose),
			messageAttr("gen_ai.output.messages", "assistant", heard.reply))
	}
	if n := heard.dropped; n > 0 {
		s.Attrs = append(s.Attrs, intAttr("belay.tool_calls.dropped", int64(n)))
	}
	if b.attemptSpan != "" {
		s.Links = []Link{{Trace: b.trace, ID: b.attemptSpan, Attrs: []Attr{textAttr("belay.link", "previous_attempt")}}}
	}
	for i, call := range heard.calls {
		b.addToolCall(e, s, i, call, who)
	}
	b.sums.countAgentRun(ev.Event, ended, same)
	b.attemptSpan = b.addSpan(s)
	return b.attemptSpan
}

// endReason is how an agent ended, in one word.
func endReason(e loop.Event) string {
	if e.Ended != "" {
		return safeName(string(e.Ended))
	}
	if e.Kind == loop.EvAttempted || e.Kind == loop.EvDebugged {
		return string(loop.EndedExit)
	}
	return safeName(string(e.Kind))
}

// messageAttr returns one message in the form of the conventions.
func messageAttr(key, role, said string) Attr {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	body, err := json.Marshal([]message{{role, []part{{"text", safeContent(said)}}}})
	if err != nil {
		body = nil
	}
	return textAttr(key, string(body))
}

// addToolCall adds the span of a tool call. If the stream has no time, it has the attempt's times,
// and an attribute that marks that.
func (b *builder) addToolCall(e journal.Entry, of Span, i int, c toolCall, who string) {
	s := b.newSpan(e, fmt.Sprintf("tool %d", i), "execute_tool "+safeName(c.Tool), b.commandStart.at)
	s.Parent = of.ID
	s.Attrs = []Attr{textAttr("gen_ai.operation.name", "execute_tool"), textAttr("gen_ai.tool.name", safeName(c.Tool))}
	if c.ID != "" {
		s.Attrs = append(s.Attrs, textAttr("gen_ai.tool.call.id", safeName(c.ID)))
	}
	source := "attempt"
	from, to := b.commandStart.at, e.Time
	if isWithin(c.began, from, to) && isWithin(c.ended, c.began, to) {
		s.Start, s.End, source = nanos(c.began), nanos(c.ended), "agent"
	}
	s.Attrs = append(s.Attrs, textAttr("belay.time.source", source))
	if c.failed {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, textAttr("error.type", "tool_error"))
	}
	if b.options.Content {
		if args, err := json.Marshal(c.Args); err == nil {
			s.Attrs = append(s.Attrs, textAttr("gen_ai.tool.call.arguments", safeContent(string(args))))
		}
		s.Attrs = append(s.Attrs, textAttr("gen_ai.tool.call.result", safeContent(c.output)))
	}
	b.sums.addValue(toolsMetric, 1, textAttr("gen_ai.agent.name", who), textAttr("gen_ai.tool.name",
		safeName(c.Tool)), boolAttr("belay.tool.failed", c.failed))
	b.addSpan(s)
}

func isWithin(t, from, to time.Time) bool { return !t.IsZero() && !t.Before(from) && !t.After(to) }

// toolCall is a tool call with its result.
type toolCall struct {
	agent.Call
	began, ended time.Time // zero if the stream has no times
	failed       bool
	output       string
}

// agentOutput is what was read from an agent's stream.
type agentOutput struct {
	calls       []toolCall
	dropped     int
	model       string
	usageFormat string // the agent in the format of which use was reported
	reply       string
	eventTime   func() time.Time
}

// readOutput reads the output of an agent.
func (b *builder) readOutput(sha string) *agentOutput {
	h := &agentOutput{}
	if sha == "" || b.src.Attachment == nil {
		return h
	}
	data, err := b.src.Attachment(sha)
	if err != nil {
		return h
	}
	r := &agent.StreamReader{Listener: h, OnUsage: h.addUsage}
	h.eventTime = func() time.Time { return r.EventTime }
	if b.options.Content {
		r.OnText = h.addText
	}
	_, _ = r.Write(data)
	r.Close()
	if h.model == "" {
		h.model = r.Names.Model
	}
	return h
}

// CallBegan records a call.
func (h *agentOutput) CallBegan(c agent.Call) {
	if len(h.calls) >= maxCalls {
		h.dropped++
		return
	}
	h.calls = append(h.calls, toolCall{Call: c, began: h.eventTime()})
}

// CallEnded records the result of a call.
func (h *agentOutput) CallEnded(e agent.CallResult) {
	for i := len(h.calls) - 1; i >= 0; i-- {
		if c := &h.calls[i]; c.ID == e.ID {
			c.failed, c.output, c.ended = e.Failed, e.Output, h.eventTime()
			return
		}
	}
}

func (h *agentOutput) addUsage(u agent.Usage) {
	h.usageFormat = u.Agent
	for _, m := range u.Models {
		if m.Model != "" && h.model == "" {
			h.model = m.Model
		}
	}
}

func (h *agentOutput) addText(s agent.StreamText) {
	if !s.Final && len(h.reply) < maxContent {
		h.reply = strings.TrimSpace(h.reply + "\n" + s.Text)
	}
}
