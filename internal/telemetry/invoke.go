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

// mostCalls is how many tool calls of an attempt are told one by one.
const mostCalls = 2000

// invoked makes the span of an agent's run, and those of its tool calls.
func (b *builder) invoked(e journal.Entry, ev session.EventEntry, c loop.Command) string {
	command := b.task.Agent
	if c.Kind == loop.CmdDebug {
		command = b.task.Debugger
	}
	heard := b.readOutput(ev.Event.Log)
	who := agentName(command)
	if who == "other" && heard.form != "" {
		who = heard.form
	}
	s := b.span(e, "agent", "invoke_agent "+who, b.pending.at)
	s.Attrs = append(s.Attrs, text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", who))
	same := []Attr{text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", who)}
	if p := providers[who]; p != "" {
		s.Attrs = append(s.Attrs, text("gen_ai.provider.name", p))
		same = append(same, text("gen_ai.provider.name", p))
	}
	if heard.model != "" {
		s.Attrs = append(s.Attrs, text("gen_ai.response.model", name(heard.model)))
	}
	if id := ev.Event.Session.ID; id != "" {
		s.Attrs = append(s.Attrs, text("gen_ai.conversation.id", name(id)))
	}
	s.Attrs = append(s.Attrs, usage(ev.Event.Use)...)
	ended := ended(ev.Event)
	s.Attrs = append(s.Attrs, text("belay.attempt.ended", ended), float("belay.agent.duration", ev.Event.Elapsed.Seconds()))
	if c.Kind == loop.CmdAttempt {
		s.Attrs = append(s.Attrs, count("belay.attempt", int64(c.Attempt)), text("belay.prompt.kind", name(string(c.Prompt))))
	}
	if ev.Event.Kind == loop.EvAttempted && ev.Event.Ended == loop.EndedExit {
		s.Attrs = append(s.Attrs, count("process.exit.code", int64(ev.Event.Exit)))
	}
	if ended != string(loop.EndedExit) || ev.Event.Exit != 0 {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, text("error.type", ended))
	}
	if b.what.Content {
		s.Attrs = append(s.Attrs, messages("gen_ai.input.messages", "user", b.task.Prose),
			messages("gen_ai.output.messages", "assistant", heard.reply))
	}
	if n := heard.dropped; n > 0 {
		s.Attrs = append(s.Attrs, count("belay.tool_calls.dropped", int64(n)))
	}
	if b.attempt != "" {
		s.Links = []Link{{Trace: b.trace, ID: b.attempt, Attrs: []Attr{text("belay.link", "previous_attempt")}}}
	}
	for i, call := range heard.calls {
		b.called(e, s, i, call, who)
	}
	b.sums.invoked(ev.Event, ended, same)
	b.attempt = b.emit(s)
	return b.attempt
}

// ended is a word for how an agent ended.
func ended(e loop.Event) string {
	if e.Ended != "" {
		return name(string(e.Ended))
	}
	if e.Kind == loop.EvAttempted || e.Kind == loop.EvDebugged {
		return string(loop.EndedExit)
	}
	return name(string(e.Kind))
}

// messages is one message as the conventions write it.
func messages(key, role, said string) Attr {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	body, err := json.Marshal([]message{{role, []part{{"text", content(said)}}}})
	if err != nil {
		body = nil
	}
	return text(key, string(body))
}

// called makes the span of a tool call. Where the stream does not say when it was, its time is the attempt's, and an
// attribute says so.
func (b *builder) called(e journal.Entry, of Span, i int, c call, who string) {
	s := b.span(e, fmt.Sprintf("tool %d", i), "execute_tool "+name(c.Tool), b.pending.at)
	s.Parent = of.ID
	s.Attrs = []Attr{text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", name(c.Tool))}
	if c.ID != "" {
		s.Attrs = append(s.Attrs, text("gen_ai.tool.call.id", name(c.ID)))
	}
	source := "attempt"
	from, to := b.pending.at, e.Time
	if within(c.began, from, to) && within(c.ended, c.began, to) {
		s.Start, s.End, source = nanos(c.began), nanos(c.ended), "agent"
	}
	s.Attrs = append(s.Attrs, text("belay.time.source", source))
	if c.failed {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, text("error.type", "tool_error"))
	}
	if b.what.Content {
		if args, err := json.Marshal(c.Args); err == nil {
			s.Attrs = append(s.Attrs, text("gen_ai.tool.call.arguments", content(string(args))))
		}
		s.Attrs = append(s.Attrs, text("gen_ai.tool.call.result", content(c.output)))
	}
	b.sums.add(tools, 1, text("gen_ai.agent.name", who), text("gen_ai.tool.name", name(c.Tool)), truth("belay.tool.failed", c.failed))
	b.emit(s)
}

func within(t, from, to time.Time) bool { return !t.IsZero() && !t.Before(from) && !t.After(to) }

// call is a tool call with what came of it.
type call struct {
	agent.Call
	began, ended time.Time // zero where the stream does not say
	failed       bool
	output       string
}

// agentOutput is what an agent's stream tells.
type agentOutput struct {
	calls   []call
	dropped int
	model   string
	form    string // the agent in whose form its use was reported
	reply   string
	at      func() time.Time
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
	r := &agent.Reader{To: h, Use: h.used}
	h.at = func() time.Time { return r.At }
	if b.what.Content {
		r.Say = h.says
	}
	_, _ = r.Write(data)
	r.Close()
	if h.model == "" {
		h.model = r.Names.Model
	}
	return h
}

// Began takes a call.
func (h *agentOutput) Began(c agent.Call) {
	if len(h.calls) >= mostCalls {
		h.dropped++
		return
	}
	h.calls = append(h.calls, call{Call: c, began: h.at()})
}

// Ended takes what came of one.
func (h *agentOutput) Ended(e agent.Ended) {
	for i := len(h.calls) - 1; i >= 0; i-- {
		if c := &h.calls[i]; c.ID == e.ID {
			c.failed, c.output, c.ended = e.Failed, e.Output, h.at()
			return
		}
	}
}

func (h *agentOutput) used(u agent.Usage) {
	h.form = u.Agent
	for _, m := range u.Models {
		if m.Model != "" && h.model == "" {
			h.model = m.Model
		}
	}
}

func (h *agentOutput) says(s agent.StreamText) {
	if !s.Final && len(h.reply) < mostContent {
		h.reply = strings.TrimSpace(h.reply + "\n" + s.Text)
	}
}
