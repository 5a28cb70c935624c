package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// ask is the task of every agent. What it does follows the script.
const ask = "Fix the price of the shop so that its tests pass."

// program is a coding agent: how to install it, connect it to the server, and start it.
type program struct {
	Name    string // in the recordings' names
	Package string // for npm
	Version string // the one that docs/agents.md describes
	Binary  string // below node_modules
	Speak   dialect
	Files   func(url string) map[string]string // its config, below the home
	Env     func(url string) []string
	Args    []string // before the task
	Extra   []string // after belay's command for the agent
	Denied  []string // a command that starts it without permission to edit; nil if there is none
	Trusts  string   // the environment variable that makes it trust the folder; "" if it does not ask for trust
	Mute    bool     // it does not print edits that cannot be applied
	Uncount bool     // it does not print its token use
}

// agents are the recorded agents.
func agents() []program {
	return []program{claude(), codex(), gemini(), opencode(), qwen(), pi(), copilot()}
}

func claude() program {
	return program{
		Name: "claude", Package: "@anthropic-ai/claude-code", Version: "2.1.197", Binary: ".bin/claude", Speak: claudeNames.speak,
		Files: none,
		Env: func(url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=unused",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "IS_SANDBOX=1"}
		},
		Args: []string{"--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5",
			"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Read,Write", "-p"},
		Extra: []string{"--model", "claude-sonnet-4-5"},
		Denied: []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5",
			"--allowedTools", "Read"},
	}
}

func codex() program {
	return program{
		Name: "codex", Package: "@openai/codex", Version: "0.169.0", Binary: ".bin/codex", Speak: speakCodex, Mute: true,
		Files: func(url string) map[string]string {
			return map[string]string{".codex/config.toml": "model = \"gpt-5.5\"\nmodel_provider = " +
				"\"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n\n" +
				"[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"" + url +
				"/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\n"}
		},
		Env:    func(string) []string { return nil },
		Args:   []string{"exec", "--json"},
		Denied: []string{"codex", "exec", "--json", "-c", "sandbox_mode=read-only"},
	}
}

func gemini() program {
	return program{
		Name: "gemini", Package: "@google/gemini-cli", Version: "0.61.0", Binary: ".bin/gemini", Speak: speakGemini,
		Files: func(string) map[string]string {
			return map[string]string{
				".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, ` +
					`"telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false}, ` +
					`"model": {"disableLoopDetection": true}}`,
			}
		},
		Env: func(url string) []string {
			return []string{"GEMINI_API_KEY=unused", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		Args:   []string{"-y", "-m", "gemini-2.5-flash", "-o", "stream-json", "-p"},
		Extra:  []string{"-m", "gemini-2.5-flash"},
		Denied: []string{"gemini", "-o", "stream-json", "-m", "gemini-2.5-flash", "--allowed-tools", "read_file"},
		Trusts: "GEMINI_CLI_TRUST_WORKSPACE",
	}
}

func opencode() program {
	return program{
		Name: "opencode", Package: "opencode-ai", Version: "1.18.33", Binary: ".bin/opencode", Speak: openCodeNames.speak,
		Files: func(url string) map[string]string {
			return map[string]string{
				"opencode.json": `{"autoupdate": false, "share": "disabled", "model": "scripted/scripted", ` +
					`"small_model": "scripted/scripted", "permission": "allow",
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": "` + url +
					`/v1", "apiKey": "unused"}, "models": {"scripted": {"name": "scripted"}}}}}`}
		},
		Env: func(string) []string {
			return []string{"OPENCODE_CONFIG=~/opencode.json", "OPENCODE_DISABLE_MODELS_FETCH=1"}
		},
		Args:   []string{"run", "--format", "json"},
		Denied: []string{"env", `OPENCODE_CONFIG_CONTENT={"permission": {"edit": "deny"}}`, "opencode", "run", "--format", "json"},
	}
}

func qwen() program {
	return program{
		Name: "qwen", Package: "@qwen-code/qwen-code", Version: "0.15.10", Binary: ".bin/qwen", Speak: qwenNames.speak,
		Files: func(string) map[string]string {
			return map[string]string{
				".qwen/settings.json": `{"security": {"auth": {"selectedType": "openai"}}, ` +
					`"telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false}, ` +
					`"model": {"skipLoopDetection": true, "generationConfig": {"maxRetries": 1}}}`, // or it retries for 12 minutes
			}
		},
		Env: func(url string) []string {
			return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=unused", "OPENAI_MODEL=scripted"}
		},
		Args:   []string{"-y", "-o", "stream-json", "-p"},
		Denied: []string{"qwen", "-o", "stream-json", "--allowed-tools", "read_file"},
	}
}

func pi() program {
	return program{
		Name: "pi", Package: "@mariozechner/pi-coding-agent", Version: "0.73.1", Binary: ".bin/pi", Speak: speakPi,
		Files: func(url string) map[string]string {
			return map[string]string{".pi/agent/models.json": `{"providers": {"scripted": {"baseUrl": "` + url +
				`/v1", "api": "openai-completions", "apiKey": "unused", "models": [{"id": "scripted", ` +
				`"contextWindow": 200000, "maxTokens": 8000}]}}}`}
		},
		Env:   func(string) []string { return []string{"PI_OFFLINE=1"} },
		Args:  []string{"--mode", "json", "--provider", "scripted", "--model", "scripted", "-p"},
		Extra: []string{"--provider", "scripted", "--model", "scripted"},
	}
}

// copilot needs no account if it uses another model.
func copilot() program {
	return program{
		Name: "copilot", Package: "@github/copilot", Version: "1.0.102", Binary: ".bin/copilot",
		Speak: speakCopilot, Files: none, Uncount: true,
		Env: func(url string) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_MODEL=scripted", "COPILOT_OFFLINE=true"}
		},
		Args:   []string{"--allow-all-tools", "--output-format", "json", "--no-color", "-p"},
		Denied: []string{"copilot", "--allow-tool=shell", "--output-format", "json", "--no-color"},
	}
}

func none(string) map[string]string { return nil }

// home creates the home of one run of an agent, with its config.
func (a program) home(dir, url string) error {
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o755); err != nil {
		return err
	}
	for name, text := range a.Files(url) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the config of %s: %w", a.Name, err)
		}
	}
	return nil
}

// shows returns the number of a script's calls that an agent prints, and the number of the call
// that completes the third repetition; 0 if none is visible.
func (a program) shows(s Script) (calls, stall int) {
	for i, step := range s.Steps {
		if step.Fails && a.Mute {
			continue
		}
		calls++
		if i+1 == s.Stall {
			stall = calls
		}
	}
	return calls, stall
}
