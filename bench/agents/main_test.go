package main

import (
	"os"
	"strings"
	"testing"
)

// TestVersions: the installed versions are those in docs/agents.md.
func TestVersions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agents() {
		if a.Version == "" || !strings.Contains(string(text), "| "+a.Name+" "+a.Version+" |") {
			t.Errorf("docs/agents.md has no results for %s %s", a.Name, a.Version)
		}
	}
}

func TestChosen(t *testing.T) {
	t.Parallel()
	for parts, want := range map[string]bool{
		"": true, "claude": true, "claude,codex,gemini": true, "code": true, "claude,nobody": false, "nobody": false,
	} {
		if got := chosen(parts); got != want {
			t.Errorf("%q: %v", parts, got)
		}
	}
	var names []string
	for _, a := range agents() {
		if matches(a.Name, "codex,qwen") {
			names = append(names, a.Name)
		}
	}
	if got := strings.Join(names, " "); got != "codex qwen" {
		t.Errorf("codex,qwen chooses %s", got)
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	for only, want := range map[string]string{"gemini,pi": "gemini pi", "open": "opencode", "o,pi": "codex opencode pi copilot",
		"": "claude codex gemini opencode qwen pi copilot"} {
		var got []string
		for _, a := range agents() {
			if wanted(a.Name, only) {
				got = append(got, a.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("-only %s: %v", only, got)
		}
	}
}
