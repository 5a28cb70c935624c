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

// Renderer writes the output of an agent for people: events of a stream that belay knows become a line for each
// call of a tool, the agent's words, and what failed. Everything else passes as it is.
type Renderer struct {
	to     io.Writer
	root   string // paths below it are shown without it
	reader Reader
	err    error

	line   []byte // the start of a line that may be an event
	event  bool   // such a line is being read
	mid    bool   // the output stands in the middle of a line of the agent's own
	rest   bool   // what comes is the rest of an event whose start was missed
	inText bool   // the output stands in the middle of a message
	last   string // the last message, which a result repeats
}

// NewRenderer returns a Renderer that writes to w. root is the working tree's folder.
func NewRenderer(w io.Writer, root string) *Renderer {
	r := &Renderer{to: w, root: root}
	r.reader.To, r.reader.Say = r, r.renderMessage
	return r
}

// Render returns a Renderer of the run's output that writes to w.
func (r *Run) Render(w io.Writer) *Renderer { return NewRenderer(w, string(r.spec.Dir)) }

// Write takes more of the output. It fails when w does.
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
		case r.rest:
			r.rest = !whole
			continue
		case r.event:
			r.line = append(r.line, part...)
		case r.mid || part[0] != '{':
			r.endWords()
			r.put(string(part))
			r.mid = !whole
			continue
		default:
			r.event, r.line = true, append(r.line[:0], part...)
		}
		if whole || len(r.line) > MaxLine {
			r.flush()
			r.mid = !whole
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	return n, nil
}

// Close writes what is held of a last line without an end.
func (r *Renderer) Close() error {
	r.flush()
	r.endWords()
	return r.err
}

func (r *Renderer) flush() {
	if !r.event {
		return
	}
	r.event = false
	d := json.NewDecoder(bytes.NewReader(r.line))
	d.UseNumber()
	var e object
	if d.Decode(&e) == nil && len(bytes.TrimSpace(r.line[d.InputOffset():])) == 0 && isEvent(e) {
		r.reader.take(e)
		return
	}
	r.endWords()
	r.put(string(r.line))
}

// known are the types of events of the agents that belay reads, shown or not.
var known = lazyregexp.Of(`system assistant user result stream_event rate_limit_event init message tool_use tool_result error
	thread.started turn.started turn.completed turn.failed item.started item.updated item.completed
	step_start step_finish text reasoning session agent_start agent_end turn_start turn_end message_start message_update
	message_end tool_execution_start tool_execution_update tool_execution_end auto_retry_start auto_retry_end
	compaction_start compaction_end queue_update tool_call thinking interaction_query`)

// copilots are the types of events of Copilot; most of them are not shown.
var copilots = lazyregexp.New(`^abort$|^(?:session|user|assistant|agent|model|tool|system|subagent|skill|hook|permission)\.[a-z_]+$`)

// isEvent reports whether an object is an event of a stream. An object of another program's is shown as it is: only
// the types that say nothing else pass by themselves.
func isEvent(e object) bool {
	kind := e.text("type")
	if copilots.MatchString(kind) && e.object("data") != nil && e["timestamp"] != nil {
		return true
	}
	if !known.Has(kind) {
		return false
	}
	switch kind {
	case "error", "message", "text", "session", "result", "user", "init", "system":
		return slices.ContainsFunc([]string{"session_id", "sessionID", "part", "message", "role", "stats", "version", "subtype", "error",
			"timestamp", "uuid"}, func(key string) bool { return e[key] != nil })
	}
	return true
}

func (r *Renderer) put(text string) {
	if r.err == nil {
		_, r.err = r.to.Write([]byte(text))
	}
}

// endWords ends the line of a message that came in parts.
func (r *Renderer) endWords() {
	if r.inText {
		r.inText = false
		r.put("\n")
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
		r.put(s.Text)
		r.inText = !strings.HasSuffix(s.Text, "\n")
		return
	}
	r.endWords()
	if s.Failed {
		if s.Text != r.last {
			r.put("✗ " + strings.TrimSpace(s.Text) + "\n")
		}
		r.last = s.Text
		return
	}
	r.last = s.Text
	r.put(strings.TrimRight(s.Text, "\n") + "\n")
}

// Began implements Taker.
func (r *Renderer) Began(c Call) {
	r.endWords()
	indent := ""
	if c.Thread != "" {
		indent = "  "
	}
	r.put(indent + "→ " + r.label(c) + "\n")
}

// Ended implements Taker.
func (r *Renderer) Ended(e Ended) {
	if !e.Failed {
		return
	}
	r.endWords()
	why := "failed"
	text := strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "").Replace(e.Output)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			why = belay.Clip(line, 120)
			break
		}
	}
	r.put("  ✗ " + why + "\n")
}

// The arguments that say what a call is about, the first that is there.
var (
	aboutFile = []string{"file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path", "file", "dir_path"}
	aboutLine = []string{"command", "cmd", "script"}
	aboutElse = []string{"pattern", "query", "url", "description", "prompt", "name"}
)

// label says in a few words what a call does.
func (r *Renderer) label(c Call) string {
	tool := strings.TrimSuffix(c.Tool, "ToolCall") // Cursor's readToolCall
	args, _ := c.Args.(map[string]any)
	about := ""
	for _, key := range aboutLine {
		switch v := args[key].(type) {
		case string:
			about = unwrapped(v)
		case []any:
			about = strings.Join(texts(v), " ")
		}
		if about != "" {
			break
		}
	}
	if about == "" {
		about = r.path(first(args, aboutFile...))
	}
	if changes, ok := args["changes"].([]any); ok && about == "" {
		var paths []string
		for _, one := range changes {
			if m, ok := one.(map[string]any); ok {
				paths = append(paths, r.path(m["path"]))
			}
		}
		tool, about = "edit", strings.Join(paths, ", ")
	}
	if about == "" {
		about, _ = first(args, aboutElse...).(string)
	}
	text := strings.TrimSpace(tool + " " + strings.Join(strings.Fields(about), " "))
	return belay.Clip(text, 160)
}

// unwrapped takes the shell around a command away: /bin/bash -lc 'npm test'.
func unwrapped(command string) string {
	for _, shell := range []string{"/bin/bash -lc ", "bash -lc ", "/bin/sh -c ", "/bin/zsh -lc "} {
		if rest, ok := strings.CutPrefix(command, shell); ok {
			return strings.Trim(rest, `'"`)
		}
	}
	return command
}

// path shows a path below the working tree without it.
func (r *Renderer) path(v any) string {
	p, _ := v.(string)
	if rel, err := filepath.Rel(r.root, p); err == nil && filepath.IsAbs(p) && filepath.IsLocal(rel) {
		return rel
	}
	return p
}

// Missed says that bytes of the output were deleted before they could be read.
func (r *Renderer) Missed(bytes int64) {
	r.rest = r.event || r.reader.Any && !r.mid
	r.event, r.mid, r.line = false, false, r.line[:0]
	r.endWords()
	r.put(NotShown(bytes))
}
