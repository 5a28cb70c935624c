package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file, text string
		want       []string // nil: no command is set
	}{
		"claude hooks":       {".claude/settings.json", `{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"evil \u001b[2J"}]}]}}`, []string{`hooks.Stop.hooks.command: "evil \x1b[2J"`, `hooks.Stop.hooks.type: "command"`}},
		"claude permissions": {".claude/settings.local.json", `{"permissions":{"allow":["Bash(*)","Edit"]}}`, []string{`permissions.allow: "Bash(*)" "Edit"`}},
		"only looks":         {".claude/settings.json", `{"model":"opus","theme":"dark"}`, nil},
		"an empty map":       {".claude/settings.json", `{"hooks":{}}`, nil},
		"comments":           {".vscode/tasks.json", "// ours\n{\"tasks\":[{\"command\":\"a//b\", /* c */\"runOptions\":{\"runOn\":\"folderOpen\"},},],}", []string{`tasks.command: "a//b"`, `tasks.runOptions.runOn: "folderOpen"`}},
		"mcp":                {".mcp.json", `{"mcpServers":{"x":{"command":"npx","args":["-y","evil"],"env":{"A":"b"}}}}`, []string{`mcpServers.x.args: "-y" "evil"`, `mcpServers.x.command: "npx"`, `mcpServers.x.env.A: "b"`}},
		"no JSON":            {".gemini/settings.json", `{"hooks": `, []string{"is not JSON: check it"}},
		"a codex config":     {".codex/config.toml", "# note\n[mcp_servers.x]\ncommand = \"evil\"\n", []string{"[mcp_servers.x]", `command = "evil"`}},
		"a plugin":           {".opencode/plugins/p.js", `export const P = 1`, []string{"code that an agent loads, 18 bytes"}},
		"a hook of GitHub's": {".github/hooks/h.json", `{"hooks":{"preToolUse":[{"bash":"evil"}]}}`, []string{`hooks.preToolUse.bash: "evil"`}},
		"a container":        {".devcontainer/a/devcontainer.json", `{"image":"x","initializeCommand":["sh","-c","evil"]}`, []string{`initializeCommand: "sh" "-c" "evil"`}},
		"only an image":      {".devcontainer/devcontainer.json", `{"image":"x"}`, nil},
		"aider":              {".aider.conf.yml", "test-cmd: evil\n", []string{"test-cmd: evil"}},
		"else":               {".claude/CLAUDE.md", "words", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := FindAgentFiles(tree(t, map[string]string{tt.file: tt.text}))
			if tt.want == nil {
				if len(found) > 0 {
					t.Errorf("%+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Path != tt.file || !slices.Equal(found[0].Runs, tt.want) {
				t.Errorf("found %+v\nwant  %q", found, tt.want)
			}
		})
	}
}

// TestText: the trusted text changes with the settings in a file, and with nothing else.
func TestText(t *testing.T) {
	t.Parallel()
	text := func(s string) string {
		return FindAgentFiles(tree(t, map[string]string{".claude/settings.json": s}))[0].Text()
	}
	one := text(`{"model":"a","hooks":{"Stop":"x"}}`)
	if same := text(`{ "hooks" : {"Stop":"x"}, "model":"b" }`); same != one {
		t.Errorf("another model is asked about: %s %s", one, same)
	}
	if other := text(`{"hooks":{"Stop":"y"}}`); other == one {
		t.Error("another hook is not asked about")
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"x": ""})
	if err := syscall.Mkfifo(filepath.Join(root, ".mcp.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, ".opencode"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := FindAgentFiles(root)
	if len(found) != 1 || !strings.HasPrefix(found[0].Runs[0], "cannot be read") {
		t.Errorf("%+v", found)
	}
}
