package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/proc"
)

// Preset is what belay knows about a coding agent: its name, and how to start it so that it works
// without a person and may write. Unless Measured, this comes from the agent's documentation.
type Preset struct {
	Name     string
	Programs []string // names of its program, the usual one first
	Packages []string // the packages that npx, bunx and the like run
	Command  []string // the complete command: headless, with an event stream, and with the fewest write permissions that work
	Measured bool     // Command was tried with the real agent

	// Headless and Writes are words of which a command must have one to work without a person, and
	// to write. A word that ends in "=" is a flag with a value in the same word or the next one;
	// "=a|b" lists its accepted values. An empty list requires nothing.
	Headless []string
	Writes   []string

	// Settings are files, below the home (~/), at the root of the repository or absolute, that may
	// give permission to write; they do so if they contain one of Grants.
	Settings []string
	Grants   []string

	// ResumeWords are appended to the command to continue the session ID; none where that is
	// unknown. A command with one of Sessions chooses its session itself.
	ResumeWords []string
	Sessions    []string

	// BeginWords give a new session the ID, a random UUID, for an agent that prints its session's
	// ID only at its end: a run that is ended earlier could not be continued.
	BeginWords []string

	// State is what the agent may write for itself in a fence: folders, and with a star files by
	// prefix. StateKept is the part of State that stays closed.
	State, StateKept []string

	FixFlags string // the flags to add for permission to write
}

// presets are the agents that belay knows, in the order in which they are listed.
var presets = []Preset{
	{
		Name: "claude", Programs: []string{"claude"}, Packages: []string{"@anthropic-ai/claude-code"}, Measured: true,
		Command: []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits",
			"--allowedTools", "Bash,Edit,Read,Write"},
		Headless: []string{"-p", "--print"},
		Writes: []string{"--dangerously-skip-permissions", "--permission-mode=acceptEdits|bypassPermissions|auto",
			"--allowedTools=", "--allowed-tools=", "--settings=", "--permission-prompt-tool=", "--agent="},
		Settings: []string{"~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json",
			"/etc/claude-code/managed-settings.json"},
		Grants:      []string{`"acceptEdits"`, `"bypassPermissions"`, `"Edit`, `"Write`, `"*"`},
		FixFlags:    "--permission-mode acceptEdits",
		ResumeWords: []string{"--resume", "ID"},
		Sessions:    []string{"--resume=", "-r=", "-c", "--continue", "--session-id=", "--fork-session", "--no-session-persistence"},
		State:       []string{"~/.claude", "~/.claude.json*", "~/.local/share/claude", "~/.local/state/claude"},
		StateKept: []string{"~/.claude/settings.json", "~/.claude/settings.local.json", "~/.claude/CLAUDE.md", "~/.claude/hooks",
			"~/.claude/commands", "~/.claude/agents", "~/.claude/skills"},
	},
	{
		Name: "codex", Programs: []string{"codex"}, Packages: []string{"@openai/codex"}, Measured: true,
		Command:  []string{"codex", "exec", "--json", "-s", "workspace-write"},
		Headless: []string{"exec", "e", "review"},
		Writes: []string{"-s=workspace-write|danger-full-access", "--sandbox=workspace-write|danger-full-access",
			"--dangerously-bypass-approvals-and-sandbox", "--yolo", "--full-auto", "-c=", "--config=", "-p=", "--profile="},
		Settings:    []string{"~/.codex/config.toml", ".codex/config.toml"},
		Grants:      []string{"workspace-write", "danger-full-access"},
		FixFlags:    "-s workspace-write",
		ResumeWords: []string{"resume", "ID", "-"},
		Sessions:    []string{"resume", "fork", "review", "--ephemeral", "--last"},
		State:       []string{"~/.codex"},
		StateKept:   []string{"~/.codex/config.toml", "~/.codex/hooks.json", "~/.codex/AGENTS.md", "~/.codex/prompts", "~/.codex/rules"},
	},
	{
		Name: "gemini", Programs: []string{"gemini"}, Packages: []string{"@google/gemini-cli"}, Measured: true,
		Command:     []string{"gemini", "-y", "-o", "stream-json"},
		Writes:      []string{"-y", "--yolo", "--approval-mode=auto_edit|yolo", "--allowed-tools="},
		Settings:    []string{"~/.gemini/settings.json", ".gemini/settings.json", "/etc/gemini-cli/settings.json"},
		Grants:      []string{`"auto_edit"`, `"yolo"`, `"allowed"`, `"autoAccept"`},
		FixFlags:    "-y",
		ResumeWords: []string{"--resume", "ID"},
		Sessions:    []string{"--resume=", "-r=", "--session-id=", "--session-file="},
		State:       []string{"~/.gemini"},
		StateKept: []string{"~/.gemini/settings.json", "~/.gemini/GEMINI.md", "~/.gemini/extensions", "~/.gemini/commands",
			"~/.gemini/trustedFolders.json"},
	},
	{
		Name: "opencode", Programs: []string{"opencode"}, Packages: []string{"opencode-ai"}, Measured: true,
		Command:     []string{"opencode", "run", "--format", "json"},
		Headless:    []string{"run"},
		ResumeWords: []string{"--session", "ID"},
		Sessions:    []string{"--session=", "-s=", "-c", "--continue", "--fork"},
		State:       []string{"~/.local/share/opencode", "~/.local/state/opencode", "~/.config/opencode"},
		StateKept: []string{"~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc", "~/.config/opencode/AGENTS.md",
			"~/.config/opencode/plugin", "~/.config/opencode/plugins"},
	},
	{
		Name: "qwen", Programs: []string{"qwen"}, Packages: []string{"@qwen-code/qwen-code"}, Measured: true,
		Command:     []string{"qwen", "-y", "-o", "stream-json"},
		Writes:      []string{"-y", "--yolo", "--approval-mode=auto-edit|auto_edit|yolo", "--allowed-tools="},
		Settings:    []string{"~/.qwen/settings.json", ".qwen/settings.json"},
		Grants:      []string{`"auto-edit"`, `"auto_edit"`, `"yolo"`, `"allowed"`},
		FixFlags:    "-y",
		ResumeWords: []string{"--resume", "ID"},
		Sessions:    []string{"--resume=", "-r=", "-c", "--continue", "--session-id="},
		State:       []string{"~/.qwen"},
		StateKept:   []string{"~/.qwen/settings.json", "~/.qwen/QWEN.md", "~/.qwen/extensions", "~/.qwen/commands"},
	},
	{
		Name: "pi", Programs: []string{"pi"}, Packages: []string{"@mariozechner/pi-coding-agent"}, Measured: true,
		Command:     []string{"pi", "-p", "--mode", "json"},
		Headless:    []string{"-p", "--print", "--mode=json|rpc"},
		ResumeWords: []string{"--session", "ID"},
		Sessions:    []string{"--session=", "-c", "--continue", "-r", "--resume", "--fork=", "--no-session"},
		State:       []string{"~/.pi"},
		StateKept:   []string{"~/.pi/agent/models.json", "~/.pi/agent/AGENTS.md", "~/.pi/agent/extensions"},
	},
	{
		Name: "cursor", Programs: []string{"cursor-agent"},
		Command:   []string{"cursor-agent", "-p", "--force", "--output-format", "stream-json"},
		Headless:  []string{"-p", "--print"},
		Writes:    []string{"-f", "--force", "--yolo"},
		FixFlags:  "--force",
		State:     []string{"~/.cursor", "~/.config/cursor", "~/.local/share/cursor-agent"},
		StateKept: []string{"~/.cursor/mcp.json", "~/.cursor/hooks.json", "~/.cursor/cli-config.json", "~/.cursor/rules"},
	},
	{
		Name: "copilot", Programs: []string{"copilot"}, Packages: []string{"@github/copilot"}, Measured: true,
		Command:     []string{"copilot", "--allow-all-tools", "--output-format", "json", "--no-color"},
		Writes:      []string{"--allow-all-tools", "--allow-tool=", "--yolo", "--allow-all"},
		FixFlags:    "--allow-all-tools",
		ResumeWords: []string{"--resume=ID"},
		Sessions:    []string{"--resume=", "--resume", "-r=", "-r", "--continue", "--session-id=", "--name=", "-n="},
		BeginWords:  []string{"--session-id=ID"},
		State:       []string{"~/.copilot"},
		StateKept:   []string{"~/.copilot/settings.json", "~/.copilot/mcp-config.json", "~/.copilot/hooks"},
	},
	{
		Name: "aider", Programs: []string{"aider"},
		Command: []string{"sh", "-c", `exec aider --message-file "$BELAY_PROMPT_FILE" "$@"`, "aider",
			"--yes-always", "--no-stream", "--no-pretty", "--no-check-update", "--no-auto-commits"},
		Headless: []string{"-m=", "--message=", "--msg=", "-f=", "--message-file="},
		State:    []string{"~/.aider"},
	},
}

// PresetOf returns the preset of a name.
func PresetOf(name string) (Preset, bool) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.Name == name || slices.Contains(p.Programs, name) })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}

// PresetNames returns the names of all presets.
func PresetNames() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
	}
	return names
}

// Recognise returns the preset of an agent's command and the arguments after its program, also if
// env, npx or the like starts it. ok is false for any other command.
func Recognise(argv []string) (p Preset, args []string, ok bool) {
	if len(argv) > 0 && filepath.Base(argv[0]) == "env" {
		argv = argv[1:]
		for len(argv) > 0 && (strings.Contains(argv[0], "=") || strings.HasPrefix(argv[0], "-")) {
			argv = argv[1:]
		}
	}
	if len(argv) == 0 {
		return Preset{}, nil, false
	}
	program, rest := filepath.Base(argv[0]), argv[1:]
	for _, p := range presets {
		if slices.Contains(p.Programs, program) {
			return p, rest, true
		}
	}
	if program == "npm" || program == "pnpm" || program == "yarn" || program == "bun" {
		if len(rest) == 0 || !slices.Contains([]string{"exec", "dlx", "x"}, rest[0]) {
			return Preset{}, nil, false
		}
		rest = rest[1:]
	} else if program != "npx" && program != "bunx" && program != "pnpx" {
		return Preset{}, nil, false
	}
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return Preset{}, nil, false
	}
	name := rest[0]
	if at := strings.LastIndex(name, "@"); at > 0 { // a version
		name = name[:at]
	}
	for _, p := range presets {
		if slices.Contains(p.Packages, name) || slices.Contains(p.Programs, name) {
			return p, rest[1:], true
		}
	}
	return Preset{}, nil, false
}

// UnwatchedNote returns a note that a known agent printed no events, so that its calls were not
// watched. It returns "" for any other command: a script is not expected to print events.
func UnwatchedNote(argv []string) string {
	p, _, known := Recognise(argv)
	for i := 0; i < len(presets) && !known; i++ {
		p, known = presets[i], presets[i].isFullCommand(argv)
	}
	const what = "calls, tokens and cost were not watched, a stall would not be found"
	streams := slices.ContainsFunc(p.Command, func(word string) bool { return strings.Contains(word, "json") })
	switch {
	case !known:
		return ""
	case streams && p.isFullCommand(argv): // it ended before its first event
		return fmt.Sprintf("%s printed text instead of events: its %s", p.Name, what)
	case streams:
		return fmt.Sprintf("%s printed text instead of events: its %s; start it with --with %s", p.Name, what, p.Name)
	}
	return fmt.Sprintf("%s prints no events: its %s", p.Name, what)
}

// isFullCommand reports whether a command begins with the preset's Command.
func (p Preset) isFullCommand(argv []string) bool {
	return len(argv) >= len(p.Command) && slices.Equal(argv[:len(p.Command)], p.Command)
}

// MissingFlag is the kind of flag that an agent's command lacks.
type MissingFlag string

// Kinds of missing flags.
const (
	LackNothing  MissingFlag = ""
	LackHeadless MissingFlag = "headless" // it opens its own screen and waits for a person
	LackWrites   MissingFlag = "writes"   // it may not change a file
)

// Missing returns the kind of flag that the arguments of the agent's program lack. granted reports
// whether a settings file contains one of the words.
func (p Preset) Missing(args []string, granted func(file string, words []string) bool) MissingFlag {
	if slices.ContainsFunc(args, func(a string) bool { return slices.Contains([]string{"--help", "-h", "--version"}, a) }) {
		return LackNothing
	}
	if len(p.Headless) > 0 && !hasFlag(args, p.Headless) {
		return LackHeadless
	}
	if len(p.Writes) == 0 || hasFlag(args, p.Writes) {
		return LackNothing
	}
	if slices.ContainsFunc(p.Settings, func(file string) bool { return granted(file, p.Grants) }) {
		return LackNothing
	}
	return LackWrites
}

// CheckReady fails for a command of a known agent that would wait for a person on its own screen,
// or that may not change a file: each attempt would cost money and change nothing. root is the
// repository's, env the agent's environment. Any other command is ready. Errors: belay.CodeUsage
// with the flags to add.
func CheckReady(argv []string, root string, env []string) error {
	p, args, known := Recognise(argv)
	if !known {
		return nil
	}
	switch p.Missing(args, settingsGrant(root, env)) {
	case LackHeadless:
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("use --with %s, or %s", p.Name, strings.Join(p.Command, " ")),
			"this command of %s opens its own screen and waits for a person there", p.Name)
	case LackWrites:
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("use --with %s, or add %s", p.Name, p.FixFlags),
			"this command of %s gives it no right to change files", p.Name)
	}
	return nil
}

// settingsGrant searches settings of agents. A file that cannot be read grants nothing.
func settingsGrant(root string, env []string) func(file string, words []string) bool {
	return func(file string, words []string) bool {
		if below, ok := strings.CutPrefix(file, "~/"); ok {
			file = filepath.Join(proc.Variable(env, "HOME"), below)
			if dir := proc.Variable(env, "CLAUDE_CONFIG_DIR"); dir != "" && strings.HasPrefix(below, ".claude/") {
				file = filepath.Join(dir, strings.TrimPrefix(below, ".claude/"))
			}
			if dir := proc.Variable(env, "CODEX_HOME"); dir != "" && strings.HasPrefix(below, ".codex/") {
				file = filepath.Join(dir, strings.TrimPrefix(below, ".codex/"))
			}
		} else if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		text, err := fsroot.ReadUserFile(file, fsroot.MaxSmallFile)
		return err == nil && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(string(text), w) })
	}
}

// hasFlag reports whether one of the flags is among the arguments.
func hasFlag(args, flags []string) bool {
	for i, arg := range args {
		for _, flag := range flags {
			name, values, valued := strings.Cut(flag, "=")
			value, same := strings.CutPrefix(arg, name+"=")
			switch {
			case !valued && arg == name:
				return true
			case !valued || arg != name && !same:
				continue
			case !same && i+1 < len(args):
				value = args[i+1]
			}
			if values == "" || slices.Contains(strings.Split(values, "|"), value) {
				return true
			}
		}
	}
	return false
}
