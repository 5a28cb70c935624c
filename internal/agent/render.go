package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Renderer prints the output of an agent for people: events of a known stream become a line for
// each tool call, the agent's text, and errors. Everything else is printed unchanged.
type Renderer struct {
	to     io.Writer
	root   string // removed from the paths below it
	reader StreamReader
	err    error

	line     []byte // the start of a line that may be an event
	inEvent  bool   // the line is an event
	midLine  bool   // the output ended in the middle of a line that is not an event
	skipRest bool   // the input is the rest of an event, and its start was missed
	inText   bool   // the output ended in the middle of a message
	last     string // the last message, which a result repeats
}

// NewRenderer returns a Renderer that writes to w. root is the working tree's folder.
func NewRenderer(w io.Writer, root string) *Renderer {
	r := &Renderer{to: w, root: root}
	r.reader.Listener, r.reader.OnText = r, r.renderMessage
	return r
}

// Render returns a Renderer of the run's output that writes to w.
func (r *Run) Render(w io.Writer) *Renderer { return NewRenderer(w, string(r.spec.Dir)) }

// Write renders more of the output. It fails when w does.
func (r *Renderer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && r.err == nil {
		end := bytes.IndexByte(p, '\n') + 1
		whole := end > 0
		if !whole {
			end = len(p)
		}
		part := p[:end]
		p = p[end:]
		switch {
		case r.skipRest:
			r.skipRest = !whole
			continue
		case r.inEvent:
			r.line = append(r.line, part...)
		case r.midLine || part[0] != '{':
			r.endMessage()
			r.writeText(string(part))
			r.midLine = !whole
			continue
		default:
			r.inEvent, r.line = true, append(r.line[:0], part...)
		}
		if whole || len(r.line) > MaxLine {
			r.flush()
			r.midLine = !whole
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	return n, nil
}

// Close writes an unfinished last line.
func (r *Renderer) Close() error {
	r.flush()
	r.endMessage()
	return r.err
}

func (r *Renderer) flush() {
	if !r.inEvent {
		return
	}
	r.inEvent = false
	d := json.NewDecoder(bytes.NewReader(r.line))
	d.UseNumber()
	var e object
	if d.Decode(&e) == nil && len(bytes.TrimSpace(r.line[d.InputOffset():])) == 0 && isEvent(e) {
		r.reader.readEvent(e)
		return
	}
	r.endMessage()
	r.writeText(string(r.line))
}

// knownEvents are the event types of the agents that belay parses, printed or not.
var knownEvents = lazyregexp.Of(`system assistant user result stream_event rate_limit_event init message tool_use tool_result error
	thread.started turn.started turn.completed turn.failed item.started item.updated item.completed
	step_start step_finish text reasoning session agent_start agent_end turn_start turn_end message_start message_update
	message_end tool_execution_start tool_execution_update tool_execution_end auto_retry_start auto_retry_end
	compaction_start compaction_end queue_update tool_call thinking interaction_query`)

// copilotEvents are the event types of Copilot; most of them are not printed.
var copilotEvents = lazyregexp.New(`^abort$|^(?:session|user|assistant|agent|model|tool|system|subagent|skill|hook|permission)\.[a-z_]+$`)

// isEvent reports whether an object is an event of a stream. An object of another program is
// printed unchanged, so a type that is also a common word needs the fields of its event.
func isEvent(e object) bool {
	kind := e.text("type")
	if copilotEvents.MatchString(kind) && e.object("data") != nil && e["timestamp"] != nil {
		return true
	}
	if !knownEvents.Has(kind) {
		return false
	}
	switch kind {
	case "error", "message", "text", "session", "result", "user", "init", "system":
		return slices.ContainsFunc([]string{"session_id", "sessionID", "part", "message", "role", "stats", "version", "subtype", "error",
			"timestamp", "uuid"}, func(key string) bool { return e[key] != nil })
	}
	return true
}

func (r *Renderer) writeText(text string) {
	if r.err == nil {
		_, r.err = r.to.Write([]byte(text))
	}
}

// endMessage ends the line of a message that arrived in parts.
func (r *Renderer) endMessage() {
	if r.inText {
		r.inText = false
		r.writeText("\n")
	}
}

func (r *Renderer) renderMessage(s StreamText) {
	if s.Final {
		if strings.TrimSpace(s.Text) == strings.TrimSpace(r.last) {
			return
		}
	}
	if s.Part {
		if !r.inText {
			r.last = ""
		}
		r.last += s.Text
		r.writeText(s.Text)
		r.inText = !strings.HasSuffix(s.Text, "\n")
		return
	}
	r.endMessage()
	if s.Failed {
		if s.Text != r.last {
			r.writeText("✗ " + strings.TrimSpace(s.Text) + "\n")
		}
		r.last = s.Text
		return
	}
	r.last = s.Text
	r.writeText(strings.TrimRight(s.Text, "\n") + "\n")
}

// CallBegan implements Listener.
func (r *Renderer) CallBegan(c Call) {
	r.endMessage()
	indent := ""
	if c.Thread != "" {
		indent = "  "
	}
	r.writeText(indent + "→ " + r.callLabel(c) + "\n")
}

// CallEnded implements Listener.
func (r *Renderer) CallEnded(e CallResult) {
	if !e.Failed {
		return
	}
	r.endMessage()
	why := "failed"
	text := strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "").Replace(e.Output)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			why = belay.Clip(line, 120)
			break
		}
	}
	r.writeText("  ✗ " + why + "\n")
}

// The arguments that describe a call; the first one present counts.
var (
	fileArguments    = []string{"file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path", "file", "dir_path"}
	commandArguments = []string{"command", "cmd", "script"}
	otherArguments   = []string{"pattern", "query", "url", "description", "prompt", "name"}
)

// callLabel describes a call in a few words.
func (r *Renderer) callLabel(c Call) string {
	tool := strings.TrimSuffix(c.Tool, "ToolCall") // Cursor's readToolCall
	args, _ := c.Args.(map[string]any)
	about := ""
	for _, key := range commandArguments {
		switch v := args[key].(type) {
		case string:
			about = unwrapShell(v)
		case []any:
			about = strings.Join(textBlocks(v), " ")
		}
		if about != "" {
			break
		}
	}
	if about == "" {
		about = r.displayPath(firstOf(args, fileArguments...))
	}
	if changes, ok := args["changes"].([]any); ok && about == "" {
		var paths []string
		for _, one := range changes {
			if m, ok := one.(map[string]any); ok {
				paths = append(paths, r.displayPath(m["path"]))
			}
		}
		tool, about = "edit", strings.Join(paths, ", ")
	}
	if about == "" {
		about, _ = firstOf(args, otherArguments...).(string)
	}
	text := strings.TrimSpace(tool + " " + strings.Join(strings.Fields(about), " "))
	return belay.Clip(text, 160)
}

// unwrapShell removes the shell around a command: /bin/bash -lc 'npm test'.
func unwrapShell(command string) string {
	for _, shell := range []string{"/bin/bash -lc ", "bash -lc ", "/bin/sh -c ", "/bin/zsh -lc "} {
		if rest, ok := strings.CutPrefix(command, shell); ok {
			return strings.Trim(rest, `'"`)
		}
	}
	return command
}

// displayPath returns a path relative to the working tree, if it is below it.
func (r *Renderer) displayPath(v any) string {
	p, _ := v.(string)
	if rel, err := filepath.Rel(r.root, p); err == nil && filepath.IsAbs(p) && filepath.IsLocal(rel) {
		return rel
	}
	return p
}

// BytesMissed prints how many bytes of the output were deleted before they could be read.
func (r *Renderer) BytesMissed(bytes int64) {
	r.skipRest = r.inEvent || r.reader.HasCalls && !r.midLine
	r.inEvent, r.midLine, r.line = false, false, r.line[:0]
	r.endMessage()
	r.writeText(NotShown(bytes))
}
