package agent

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/proc"
)

// StateRules returns the rules for an agent's own files: it may write its sessions and logs, but
// not its settings, hooks and instructions, which would act in later sessions without a fence. A
// command without a preset may start any agent, and gets the folders of all of them.
func StateRules(argv, env []string) (rules []fence.Rule) {
	one, _, known := recogniseAny(argv)
	for _, p := range presets {
		if known && p.Name != one.Name {
			continue
		}
		for _, path := range p.State {
			name, prefix := strings.CutSuffix(path, "*")
			rules = append(rules, fence.Rule{Path: expandHome(name, env), Kind: fence.Write, Prefix: prefix, Why: "state of " + p.Name})
		}
		for _, path := range p.StateKept {
			rules = append(rules, fence.Rule{Path: expandHome(path, env), Kind: fence.Closed,
				Why: "settings and instructions of " + p.Name})
		}
	}
	return slices.DeleteFunc(rules, func(r fence.Rule) bool { return !filepath.IsAbs(r.Path) })
}

// OtherAgentFolders returns the folders of all other agents; they contain keys.
func OtherAgentFolders(argv, env []string) (paths []string) {
	one, _, known := recogniseAny(argv)
	for _, p := range presets {
		for _, path := range p.State {
			if known && p.Name != one.Name && !strings.HasSuffix(path, "*") {
				paths = append(paths, expandHome(path, env))
			}
		}
	}
	return slices.DeleteFunc(paths, func(p string) bool { return !filepath.IsAbs(p) })
}

// recogniseAny is Recognise, but also accepts a command that only a preset writes, like one started
// by a shell.
func recogniseAny(argv []string) (Preset, []string, bool) {
	if p, args, ok := Recognise(argv); ok {
		return p, args, ok
	}
	for _, p := range presets {
		if len(p.Command) > 1 && len(argv) >= len(p.Command) && slices.Equal(argv[:len(p.Command)], p.Command) {
			return p, argv[len(p.Command):], true
		}
	}
	return Preset{}, nil, false
}

// expandHome expands ~/ in a path with the HOME of env, or with the folder that the agent's own
// variable names.
func expandHome(path string, env []string) string {
	below, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	for name, moves := range map[string]string{"CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex", "XDG_DATA_HOME": ".local/share",
		"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache"} {
		if to := proc.Variable(env, name); filepath.IsAbs(to) && fence.Below(below, moves) {
			return filepath.Join(to, strings.TrimPrefix(below, moves))
		}
	}
	dir := proc.Variable(env, "HOME")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, below)
}

// WithoutSandbox returns an agent's command without its own sandbox, and a note about it. Such a
// sandbox needs a user namespace and mounts, which a fence forbids: every tool call would fail.
func WithoutSandbox(argv []string) (out []string, note string) {
	p, args, ok := recogniseAny(argv)
	if !ok || p.Name != "codex" {
		return argv, ""
	}
	out = slices.Clone(argv)
	args = out[len(out)-len(args):]
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if name != "-s" && name != "--sandbox" {
			continue
		}
		switch {
		case joined && value == "workspace-write":
			args[i] = name + "=danger-full-access"
		case !joined && i+1 < len(args) && args[i+1] == "workspace-write":
			args[i+1] = "danger-full-access"
		default:
			continue
		}
		return out, "codex's own sandbox is off: it does not work in belay's fence, which takes its place"
	}
	return argv, ""
}
