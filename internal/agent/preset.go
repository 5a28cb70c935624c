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

// Preset is what belay knows of a coding agent: how it is called, and how it is started so that it works without
// a person and may write. Those that are not Measured are from documents.
type Preset struct {
	Name     string
	Programs []string // names of its program, the usual one first
	Packages []string // how npx, bunx and the like call it
	Command  []string // the whole command: headless, with its event stream, with the least right to write that works
	Measured bool     // Start was tried with the real agent

	// What a command of its must have to work without a person, and to write; any of them.
	// A word that ends in "=" is a flag with a value in the same word or the next one, and "=a|b" its values.
	// Nothing is needed where there is none.
	Headless []string
	Writes   []string

	// Settings are files, below the home (~/), at the root of the repository or absolute, in which the right to
	// write may be given, and words of which one then stands there.
	Settings []string
	Grants   []string

	// Resume are the words that, behind its command, continue the session ID; none where that is not known.
	// A command with one of Sessions chooses its session itself.
	ResumeWords []string
	Sessions    []string

	// Begin are the words that give a new session the ID, a random UUID, for an agent that prints the id of its session at
	// its end alone: one that is ended before that could not be continued.
	BeginWords []string

	// State is what it writes of its own, in a fence as well: folders, and with a star files whose names begin so.
	// Kept is what of that stays closed to it there.
	State, StateKept []string

	FixFlags string // the flags that are missing, as one adds them, for the right to write
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

// Recognise returns the preset of an agent's command and the words behind its program, also where env, npx or
// the like starts it. ok is false for any other command.
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

// UnwatchedNote says that nothing was watched of a command of a known agent that printed no events, "" for any other
// command: of a script nothing else is expected.
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

// isFullCommand reports whether a command begins as --with has it.
func (p Preset) isFullCommand(argv []string) bool {
	return len(argv) >= len(p.Command) && slices.Equal(argv[:len(p.Command)], p.Command)
}

// MissingFlag is what a command of an agent is without.
type MissingFlag string

// What a command may be without.
const (
	LackNothing  MissingFlag = ""
	LackHeadless MissingFlag = "headless" // it opens its own screen and waits for a person
	LackWrites   MissingFlag = "writes"   // it may not change a file
)

// Missing tells what the words behind the agent's program are without. granted reads settings: it reports whether
// one of the words stands in the file.
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

// CheckReady refuses a command of a known agent that would wait for a person on its own screen, or that may not change
// a file: each attempt would be paid for and leave nothing. root is the repository's, env the environment the
// agent gets. Any other command is ready. Errors: belay.CodeUsage with the flags to add.
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

// settingsGrant reads settings of agents. A file that cannot be read grants nothing.
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

// hasFlag reports whether one of the flags stands among the words.
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
