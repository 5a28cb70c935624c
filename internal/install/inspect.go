package install

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/proc"
)

// FoundAgent is an agent that is on this machine or has belay's hooks.
type FoundAgent struct {
	Agent   string           `json:"agent"`
	Program string           `json:"program,omitempty"` // "" if not in PATH
	Version string           `json:"version,omitempty"`
	Hooks   []InstalledHooks `json:"hooks"`
}

// InstalledHooks describes belay's hooks in one file.
type InstalledHooks struct {
	Level           string   `json:"level"` // user or project
	Path            string   `json:"path"`
	Events          int      `json:"events"`
	Expected        int      `json:"of"`                // the number that belay installs
	Programs        []string `json:"calls"`             // the programs that the hooks run
	MissingPrograms []string `json:"stale,omitempty"`   // those that do not exist
	Trust           string   `json:"trust,omitempty"`   // what is needed before the agent runs them
	Problem         string   `json:"problem,omitempty"` // why the file cannot be read
}

// findProgram returns the path of an agent's program.
func (q Request) findProgram(name string) (string, error) {
	p, _ := agent.PresetOf(name)
	for _, program := range p.Programs {
		if path, err := proc.LookPath(program, "", q.Env); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// Inspect examines every agent that hooks can be installed for. project is the root of the project,
// or "".
func Inspect(ctx context.Context, project string, env []string) []FoundAgent {
	all := make([]FoundAgent, len(integrations()))
	var wait sync.WaitGroup
	for n, in := range integrations() {
		wait.Go(func() {
			q := Request{Env: env}
			f := FoundAgent{Agent: in.name, Hooks: []InstalledHooks{}}
			f.Program, _ = q.findProgram(in.name)
			if f.Program != "" {
				preset, _ := agent.PresetOf(in.name)
				f.Version = versionOf(ctx, f.Program, preset.Packages, env)
			}
			for _, level := range []struct{ name, root string }{{"user", ""}, {"project", project}} {
				if level.name == "project" && project == "" {
					continue
				}
				q.Project = level.root
				if path, err := q.file(in); err == nil {
					if i, ok := in.inspect(path, level.root, env); ok {
						i.Level = level.name
						f.Hooks = append(f.Hooks, i)
					}
				}
			}
			all[n] = f
		})
	}
	wait.Wait()
	return slices.DeleteFunc(all, func(f FoundAgent) bool { return f.Program == "" && len(f.Hooks) == 0 })
}

// programPattern finds the program in belay's own plugin file.
var programPattern = lazyregexp.New(`const program = ("(?:[^"\\]|\\.)*")`)

// inspect reads a file. ok is false if it contains nothing from belay.
func (in integration) inspect(path, project string, env []string) (i InstalledHooks, ok bool) {
	i = InstalledHooks{Path: path, Expected: len(in.events)}
	text, err := fsroot.ReadUserFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return i, false
	}
	var found []hook
	if err == nil {
		found, err = in.findHooks(text)
	}
	if err != nil {
		i.Problem = err.Error()
		return i, true
	}
	i.Events = len(found)
	if in.ownFile != nil {
		i.Expected = i.Events
	}
	for _, h := range found {
		if !slices.Contains(i.Programs, h.program) {
			i.Programs = append(i.Programs, h.program)
			if info, err := os.Stat(h.program); filepath.IsAbs(h.program) && (err != nil || info.Mode()&0o111 == 0) {
				i.MissingPrograms = append(i.MissingPrograms, h.program)
			}
		}
	}
	switch {
	case len(found) == 0:
	case in.name == "codex" && !codexTrusts(path, found, in, env):
		i.Trust = "Codex does not trust them yet: start codex and trust them, or run belay init --agent codex --trust-codex-hooks"
	case in.name == "gemini" && project != "" && !geminiTrusts(project, env):
		i.Trust = "Gemini CLI does not trust this folder yet: start gemini here and trust it"
	}
	return i, len(found) > 0
}

// findHooks returns belay's hooks in its own or the agent's file.
func (in integration) findHooks(text []byte) ([]hook, error) {
	if in.ownFile == nil {
		return (&document{text: text}).hooks(in.name)
	}
	if m := programPattern.FindSubmatch(text); m != nil {
		var program string
		err := json.Unmarshal(m[1], &program)
		return []hook{{program: program}}, err
	}
	if in.name != "copilot" {
		return nil, nil
	}
	return (&document{text: text}).hooks(in.name)
}

// geminiTrusts reports whether the user has told Gemini CLI to trust the folder or a parent.
func geminiTrusts(folder string, env []string) bool {
	if proc.Variable(env, "GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return true
	}
	path, ok := homeFile("", ".gemini", "trustedFolders.json")(env)
	text, err := fsroot.ReadUserFile(path, maxFile)
	var rules map[string]string
	if !ok || err != nil || json.Unmarshal(text, &rules) != nil {
		return false
	}
	for at := folder; ; at = filepath.Dir(at) {
		if rule := rules[at]; strings.HasPrefix(rule, "TRUST_") {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

var versionPattern = lazyregexp.New(`\d+\.\d+[\w.+-]*`)

// versionOf returns the version of the npm package that a program belongs to, otherwise the one it
// prints.
func versionOf(ctx context.Context, program string, packages, env []string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for at, up := filepath.Dir(real), 0; up < 4; at, up = filepath.Dir(at), up+1 {
		text, err := fsroot.ReadUserFile(filepath.Join(at, "package.json"), maxFile)
		var p struct{ Name, Version string }
		if err == nil && json.Unmarshal(text, &p) == nil && slices.Contains(packages, p.Name) {
			return p.Version
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Env, cmd.WaitDelay = env, time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return versionPattern.FindString(string(out))
}
