package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the folder plugin/")

// pluginVersion is the version of the packages in plugin/.
const pluginVersion = "0.1.0"

const about = "Snapshots, checks and undo for coding agents: nobody's work is lost"

// plugin returns the folder that Claude Code, Codex and Gemini CLI install unchanged, and the npm
// package for OpenCode, with the events and files that belay init installs. Claude Code rejects a
// hooks/hooks.json with an unknown event, and Gemini CLI reads no other file, so Claude Code and
// Codex have their own subfolder.
func plugin(t *testing.T) map[string][]byte {
	t.Helper()
	author := map[string]any{"name": "the belay authors"}
	const home = "https://github.com/belay-dev/belay"
	manifest := map[string]any{"name": "belay", "version": pluginVersion, "description": about, "author": author,
		"homepage": home, "repository": home, "license": "Apache-2.0"}
	forCodex := maps.Clone(manifest)
	forCodex["hooks"] = "./hooks/codex.json"
	servers := map[string]any{"belay": map[string]any{"command": "belay", "args": []string{"mcp"}}}
	files := map[string]any{
		"belay/.claude-plugin/plugin.json": manifest,
		"belay/.codex-plugin/plugin.json":  forCodex,
		"belay/hooks/codex.json":           map[string]any{"hooks": pluginHooks(t, "codex", 1)},
		"belay/.mcp.json":                  map[string]any{"mcpServers": servers},
		".claude-plugin/marketplace.json": map[string]any{"name": "belay", "owner": author,
			"metadata": map[string]any{"description": about}, "plugins": []any{
				map[string]any{"name": "belay", "source": "./belay", "description": about, "version": pluginVersion}}},
		"gemini-extension.json":  map[string]any{"name": "belay", "version": pluginVersion, "description": about, "mcpServers": servers},
		"hooks/hooks.json":       map[string]any{"hooks": pluginHooks(t, "gemini", 1000)},
		"belay/hooks/hooks.json": map[string]any{"hooks": pluginHooks(t, "claude", 1)},
		"opencode/package.json": map[string]any{"name": "opencode-belay", "version": pluginVersion, "description": about, "type": "module",
			"main": "index.js", "exports": map[string]any{".": "./index.js"}, "files": []string{"index.js"}, "license": "Apache-2.0",
			"repository": map[string]any{"type": "git", "url": "git+" + home + ".git", "directory": "plugin/opencode"},
			"keywords":   []string{"opencode", "opencode-plugin", "belay"}},
	}
	out := map[string][]byte{"skills/belay/SKILL.md": Skill, "belay/skills/belay/SKILL.md": Skill, "opencode/index.js": []byte(openCode)}
	for name, v := range files {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}

// pluginHooks returns an agent's hooks, which run belay from PATH. unit is the number of the
// agent's time units per second.
func pluginHooks(t *testing.T, agent string, unit int) map[string]any {
	t.Helper()
	in, err := integrationOf(agent)
	if err != nil {
		t.Fatal(err)
	}
	hooks := map[string]any{}
	for _, e := range in.events {
		hooks[e.name] = []any{newGroup(map[string]any{"type": "command", "timeout": e.seconds * unit,
			"command": "command -v belay >/dev/null 2>&1 || exit 0; exec belay hook " + agent})}
	}
	return hooks
}

// The folder plugin/ must contain what belay init installs, as packages (make docs writes it).
func TestPlugin(t *testing.T) {
	t.Parallel()
	const dir = "../../plugin"
	for name, want := range plugin(t) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("plugin/%s differs from what belay init installs (make docs writes it): %v", name, err)
		}
	}
}
