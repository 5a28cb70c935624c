package install

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/proc"
)

// integration says where and how belay's hooks are installed for an agent.
type integration struct {
	name        string
	userFile    func(env []string) (string, bool) // the agent's settings file for all of a user's projects
	projectFile string                            // its file below the root of a project
	events      []event
	newElement  func(program string, seconds int) map[string]any // of the event's array
	hasVersion  bool                                             // the document needs "version": 1
	ownFile     func(program string) ([]byte, error)             // content of a file that is only belay's; nil to use a settings file
}

// event is an agent's event and the time limit in seconds for belay's hook. An agent abandons a
// hook that takes longer, and continues.
type event struct {
	name    string
	seconds int
}

// The hooks' time limits. The first snapshot of a very large repository takes seconds, and the
// checks at a stop may run tests.
const (
	usualLimit = 60
	stopLimit  = 600
	endLimit   = 3 // Codex allows no more
)

// claudeEvents returns the events of Claude Code that other agents have too, and more.
func claudeEvents(more ...string) []event {
	list := []event{{"SessionStart", usualLimit}, {"UserPromptSubmit", usualLimit}, {"PreToolUse", usualLimit},
		{"PostToolUse", usualLimit}, {"Stop", stopLimit}, {"SessionEnd", endLimit}}
	for _, name := range more {
		list = append(list, event{name, usualLimit})
	}
	return list
}

// integrations returns the agents that hooks can be installed for.
func integrations() []integration {
	return []integration{
		{name: "claude", userFile: homeFile("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), projectFile: ".claude/settings.local.json",
			events: claudeEvents("PostToolUseFailure"), newElement: func(program string, seconds int) map[string]any {
				return newGroup(map[string]any{"type": "command", "command": program, "args": []string{"hook",
					"claude"}, "timeout": seconds})
			}},
		{name: "codex", userFile: homeFile("CODEX_HOME", ".codex", "hooks.json"), projectFile: ".codex/hooks.json",
			events: claudeEvents(), newElement: func(program string, seconds int) map[string]any {
				return newGroup(map[string]any{"type": "command", "command": shellCommand(program, "codex"), "timeout": seconds})
			}},
		{name: "gemini", userFile: homeFile("", ".gemini", "settings.json"), projectFile: ".gemini/settings.json",
			events: []event{{"SessionStart", usualLimit}, {"BeforeAgent", usualLimit}, {"BeforeTool", usualLimit},
				{"AfterTool", usualLimit}, {"AfterAgent", stopLimit}, {"SessionEnd", endLimit}},
			newElement: func(program string, seconds int) map[string]any {
				return newGroup(map[string]any{"name": "belay", "type": "command", "command": shellCommand(program, "gemini"),
					"timeout": 1000 * seconds})
			}},
		{name: "qwen", userFile: homeFile("", ".qwen", "settings.json"), projectFile: ".qwen/settings.json",
			events: claudeEvents("PostToolUseFailure"), newElement: func(program string, seconds int) map[string]any {
				return newGroup(map[string]any{"name": "belay", "type": "command", "command": shellCommand(program, "qwen"),
					"timeout": 1000 * seconds})
			}},
		{name: "opencode", userFile: homeFile("XDG_CONFIG_HOME", ".config", "opencode/plugins/belay.js"),
			projectFile: ".opencode/plugins/belay.js",
			ownFile:     openCodePlugin},
		{name: "cursor", userFile: homeFile("", ".cursor", "hooks.json"), projectFile: ".cursor/hooks.json", hasVersion: true,
			events: []event{{"sessionStart", usualLimit}, {"beforeSubmitPrompt", usualLimit}, {"preToolUse", usualLimit},
				{"postToolUse", usualLimit}, {"postToolUseFailure", usualLimit}, {"stop", stopLimit}, {"sessionEnd", endLimit}},
			newElement: func(program string, seconds int) map[string]any {
				return map[string]any{"command": shellCommand(program, "cursor"), "timeout": seconds}
			}},
		{name: "copilot", userFile: homeFile("COPILOT_HOME", ".copilot", "hooks/belay.json"), projectFile: ".github/hooks/belay.json",
			ownFile: copilotFile},
	}
}

// newGroup returns an element of an event's array in Claude Code's format: one hook for all tools.
func newGroup(handler map[string]any) map[string]any {
	return map[string]any{"hooks": []any{handler}}
}

// copilotFile returns the hooks under Claude Code's event names: for these, Copilot sends Claude
// Code's fields.
func copilotFile(program string) ([]byte, error) {
	hooks := map[string]any{}
	for _, e := range claudeEvents() {
		hooks[e.name] = []any{map[string]any{"type": "command", "bash": shellCommand(program, "copilot"), "timeoutSec": e.seconds}}
	}
	text, err := json.MarshalIndent(map[string]any{"version": 1, "hooks": hooks}, "", "  ")
	return append(text, '\n'), err
}

// homeFile returns a file below a folder in the user's home, or below the folder that the variable
// names.
func homeFile(variable, folder, file string) func(env []string) (string, bool) {
	return func(env []string) (string, bool) {
		if dir := proc.Variable(env, variable); variable != "" && filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(file)), true
		}
		dir := proc.Variable(env, "HOME")
		return filepath.Join(dir, folder, filepath.FromSlash(file)), filepath.IsAbs(dir)
	}
}

// shellCommand returns the shell text that runs belay's hook. If the program no longer exists, the
// text succeeds without output, because some agents take any other result as a denial.
func shellCommand(program, agent string) string {
	q := quote(program)
	return "[ -x " + q + " ] || exit 0; exec " + q + " hook " + agent
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func unquote(s string) string {
	if n := len(s); n > 1 && s[0] == '\'' && s[n-1] == '\'' {
		return strings.ReplaceAll(s[1:n-1], `'\''`, "'")
	}
	return s
}

// programOf returns the program of a command, in exec form or for a shell, if the command is
// belay's hook for the agent.
func programOf(agent, command string, args []string) (program string, ok bool) {
	if len(args) > 0 {
		program, ok = command, slices.Equal(args, []string{"hook", agent})
	} else if program, ok = strings.CutSuffix(command, " hook "+agent); ok {
		if _, after, guarded := strings.Cut(program, " ] || exit 0; exec "); guarded {
			program = after
		}
		program = unquote(program)
	}
	return program, ok && strings.HasPrefix(filepath.Base(program), "belay")
}

// Names returns the agents that hooks can be installed for.
func Names() []string {
	var names []string
	for _, i := range integrations() {
		names = append(names, i.name)
	}
	return names
}

func integrationOf(name string) (integration, error) {
	for _, i := range integrations() {
		if i.name == name {
			return i, nil
		}
	}
	return integration{}, belay.Refuse(belay.CodeUsage, "one of "+strings.Join(Names(), ", "), "belay has no hooks for an agent called %q",
		cmp.Or(name, ""))
}

// hook is a hook of belay's in a document.
type hook struct {
	event   string
	program string
	group   int // index of the element in the event's array
	element any // decoded
	spans   func(kept func(path string) bool) []span
}

// hooks finds belay's hooks in a document. It also searches repeated members, although agents read
// only the last one.
func (d *document) hooks(agent string) (found []hook, err error) {
	root, skip, err := d.parse()
	if err != nil || root == nil {
		return nil, err
	}
	top, _ := containerOf(*root, skip)
	for at, all := range top.items {
		events, ok := containerOf(all.value, skip)
		if all.name != "hooks" || !ok || !events.object {
			continue
		}
		for n, e := range events.items {
			list, ok := containerOf(e.value, skip)
			if !ok || list.object {
				continue
			}
			for g := range list.items {
				where := elementPlace{d: d, top: top, at: at, events: events, event: n, list: list, element: g}
				found = append(found, d.handlers(agent, where, skip)...)
			}
		}
	}
	return found, nil
}

// elementPlace is the position of an element in an event's array.
type elementPlace struct {
	d       *document
	top     container
	at      int
	events  container
	event   int
	list    container
	element int
}

// handlers returns belay's hooks in one element: the element itself, or those in its list.
func (d *document) handlers(agent string, p elementPlace, skip int) (found []hook) {
	i := p.list.items[p.element]
	element := decodeJSON(d.text[i.from:i.to])
	name := p.events.items[p.event].name
	if program, ok := commandIn(agent, element); ok {
		return []hook{{name, program, p.element, element, p.spans}}
	}
	c, _ := containerOf(i.value, skip)
	m, ok := c.member("hooks")
	if !ok || !c.object {
		return nil
	}
	inner, ok := containerOf(m.value, skip)
	if !ok || inner.object {
		return nil
	}
	for n, h := range inner.items {
		program, ok := commandIn(agent, decodeJSON(d.text[h.from:h.to]))
		if !ok {
			continue
		}
		spans := p.spans
		if len(inner.items) > 1 {
			spans = func(func(string) bool) []span { return d.spansOf(inner, n) }
		}
		found = append(found, hook{name, program, p.element, element, spans})
	}
	return found
}

// spans returns the bytes of the element, or of the container that would be empty without it. kept
// says which containers stay even if empty.
func (p elementPlace) spans(kept func(path string) bool) []span {
	name := "hooks." + p.events.items[p.event].name
	switch {
	case len(p.list.items) > 1 || kept(name):
		return p.d.spansOf(p.list, p.element)
	case len(p.events.items) > 1 || kept("hooks"):
		return p.d.spansOf(p.events, p.event)
	}
	return p.d.spansOf(p.top, p.at)
}

// decodeJSON decodes JSON with comments. It returns nil if text is not JSON.
func decodeJSON(text []byte) (v any) {
	d := document{text: text}
	if root, _, err := d.parse(); err == nil && root != nil {
		plain := root.Clone()
		plain.Standardize()
		_ = json.Unmarshal(plain.Pack(), &v)
	}
	return v
}

// commandIn returns a handler's program if the handler is belay's.
func commandIn(agent string, handler any) (program string, ok bool) {
	h, _ := handler.(map[string]any)
	command, _ := h["command"].(string)
	if command == "" {
		command, _ = h["bash"].(string)
	}
	var args []string
	list, _ := h["args"].([]any)
	for _, a := range list {
		s, _ := a.(string)
		args = append(args, s)
	}
	return programOf(agent, command, args)
}
