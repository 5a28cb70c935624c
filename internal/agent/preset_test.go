package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"claude -p":                                "claude -p",
		"/opt/bin/claude -p":                       "claude -p",
		"env A=1 claude -p":                        "claude -p",
		"/usr/bin/env -i A=1 codex exec":           "codex exec",
		"npx @openai/codex exec":                   "codex exec",
		"npx -y @openai/codex@0.169.0 exec --json": "codex exec --json",
		"bunx opencode-ai@latest run":              "opencode run",
		"pnpm dlx @google/gemini-cli -y":           "gemini -y",
		"npm exec -- @qwen-code/qwen-code -y":      "qwen -y",
		"cursor-agent -p":                          "cursor -p",
		"npx cowsay":                               "",
		"npm run agent":                            "",
		"my-claude -p":                             "",
		"sh -c claude":                             "",
		"env":                                      "",
		"npx":                                      "",
		"":                                         "",
	} {
		p, args, ok := Recognise(strings.Fields(line))
		if got := strings.TrimSpace(p.Name + " " + strings.Join(args, " ")); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", line, got, ok, want)
		}
	}
}

// TestLacks: which flag a command lacks, and what provides it.
func TestLacks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]MissingFlag{
		"claude":    LackHeadless,
		"claude -p": LackWrites,
		"claude --print --output-format stream-json": LackWrites,
		"claude -p --permission-mode plan":           LackWrites,
		"claude -p --permission-mode acceptEdits":    LackNothing,
		"claude -p --permission-mode=acceptEdits":    LackNothing,
		"claude -p --dangerously-skip-permissions":   LackNothing,
		"claude -p --allowedTools Edit":              LackNothing,
		"claude --version":                           LackNothing,
		"codex":                                      LackHeadless,
		"codex exec":                                 LackWrites,
		"codex exec -s read-only":                    LackWrites,
		"codex exec -s workspace-write":              LackNothing,
		"codex -c sandbox_mode=workspace-write exec": LackNothing,
		"gemini":                           LackWrites,
		"gemini --approval-mode default":   LackWrites,
		"gemini --approval-mode auto_edit": LackNothing,
		"opencode":                         LackHeadless,
		"opencode run":                     LackNothing,
		"qwen -o stream-json":              LackWrites,
		"qwen -y":                          LackNothing,
		"pi":                               LackHeadless,
		"pi --mode json":                   LackNothing,
		"cursor-agent -p":                  LackWrites,
		"copilot":                          LackWrites,
		"aider":                            LackHeadless,
		"aider --message-file x":           LackNothing,
	} {
		argv := strings.Fields(line)
		p, args, ok := Recognise(argv)
		if !ok {
			t.Errorf("%s: not known", line)
		} else if got := p.Missing(args, func(string, []string) bool { return false }); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for _, p := range presets { // aider is started through a shell
		if q, args, ok := Recognise(p.Command); ok && (q.Name != p.Name || q.Missing(args, func(string, []string) bool { return false }) != LackNothing) {
			t.Errorf("%s: its own command lacks something", p.Name)
		}
		if q, ok := PresetOf(p.Programs[0]); !ok || q.Name != p.Name {
			t.Errorf("%s: not found by its program", p.Name)
		}
	}
}

// TestReady: a person's settings may give permission to write.
func TestReady(t *testing.T) {
	t.Parallel()
	home, root := t.TempDir(), t.TempDir()
	env := []string{"HOME=" + home}
	command := []string{"claude", "-p"}
	err := CheckReady(command, root, env)
	if err == nil || !strings.Contains(err.Error(), "no right to change files") {
		t.Fatalf("without a right to write: %v", err)
	}
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(root, ".claude/settings.local.json"), filepath.Join(home, ".claude/settings.json")} {
		put(path, `{"permissions": {"allow": ["Read"]}}`)
		if CheckReady(command, root, env) == nil {
			t.Errorf("%s: reading is enough", path)
		}
		put(path, `{"permissions": {"defaultMode": "acceptEdits"}}`)
		if err := CheckReady(command, root, env); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(home, "elsewhere", "settings.json"), `{"permissions": {"allow": ["Edit(**)"]}}`)
	if err := CheckReady(command, root, append(slices.Clone(env), "CLAUDE_CONFIG_DIR="+filepath.Join(home, "elsewhere"))); err != nil {
		t.Errorf("CLAUDE_CONFIG_DIR: %v", err)
	}
	put(filepath.Join(home, "codex", "config.toml"), "sandbox_mode = \"workspace-write\"\n")
	if err := CheckReady([]string{"codex", "exec"}, root, append(slices.Clone(env), "CODEX_HOME="+filepath.Join(home, "codex"))); err != nil {
		t.Errorf("CODEX_HOME: %v", err)
	}
	if err := CheckReady([]string{"opencode"}, root, env); err == nil || !strings.Contains(err.Error(), "waits for a person") {
		t.Errorf("opencode: %v", err)
	}
	if err := CheckReady([]string{"my-agent"}, root, env); err != nil {
		t.Errorf("another agent: %v", err)
	}
}

// TestPresetsAreDocumented: docs/agents.md has the command of each preset.
func TestPresetsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range presets {
		command := strings.Join(p.Command, " ")
		if p.Name == "aider" { // runs through a shell, which names the prompt's file
			command = `aider --message-file "$BELAY_PROMPT_FILE" ` + strings.Join(p.Command[4:], " ")
		}
		tried := map[bool]string{true: "the command", false: "documents only"}[p.Measured]
		if row := "| " + p.Name + " | `" + command + "` | " + tried + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/agents.md has no row %s", row)
		}
	}
}
