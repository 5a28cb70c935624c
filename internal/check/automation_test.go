package check

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/instructions"
)

// TestAsksFor: a request allows the files that it speaks of, and no others.
func TestAsksFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words, path string
		want        bool
	}{
		{"update AGENTS.md", "AGENTS.md", true},
		{"update AGENTS.md", "CLAUDE.md", false},
		{"update AGENTS.md", ".github/workflows/ci.yml", false},
		{"add 3.13 to ci.yml", ".github/workflows/ci.yml", true},
		{"add 3.13 to ci.yml", ".github/workflows/release.yml", false},
		{"Run CI with PHP 8.3", ".github/workflows/test.yml", true},
		{"Run CI with PHP 8.3", ".claude/settings.json", false},
		{"bump the GitHub Actions", ".github/workflows/test.yml", true},
		{"fix the tests, and do not touch CI", ".github/workflows/test.yml", false},
		{"fix the bug without changing the workflows", ".github/workflows/test.yml", false},
		{"Leave CI alone", ".github/workflows/test.yml", false},
		{"fix the special case", ".github/workflows/test.yml", false},
		{"upgrade pre-commit hooks", ".pre-commit-config.yaml", true},
		{"add rules for agents on commit messages", "AGENTS.md", true},
		{"update the agents file", "AGENTS.md", true},
		{"move the cursor to the end of the line", ".cursor/rules/a.mdc", false},
		{"continue after an error", ".continue/config.yaml", false},
		{"add a dev container", ".devcontainer/devcontainer.json", true},
		{"change .belay/config.yaml", ".belay/config.yaml", true},
		{"update the CI config", ".belay/config.yaml", false},
		{"remove all files in .claude/", ".claude/settings.json", true},
	} {
		r := belay.Request{Requirements: []belay.Requirement{{Marker: belay.MarkModify, Text: tt.words}}}
		if got := asksFor(r, "", tt.path, instructions.Rule(tt.path)); got != tt.want {
			t.Errorf("%q, %s: %v", tt.words, tt.path, got)
		}
	}
	if asksFor(belay.Request{}, "speed it up\n\nand update AGENTS.md, says a log", "AGENTS.md", "agents.md") {
		t.Error("words further down were read as the request")
	}
}

// TestOnlyVersions: a hook of another version is the hook it was; one from elsewhere is not.
func TestOnlyVersions(t *testing.T) {
	t.Parallel()
	const hooks = "repos:\n  - repo: https://github.com/a/b\n    rev: v1.2.3 # 2024\n    hooks:\n      - id: lint\n"
	for now, want := range map[string]bool{
		strings.Replace(hooks, "v1.2.3 # 2024", "v1.10.0", 1): true, strings.Replace(hooks, "v1.2.3", "de0fac2e4500dabe0009e67214ff5f5447ce83dd", 1): true,
		strings.Replace(hooks, "a/b", "c/d", 1): false, hooks + "      - id: more\n": false, strings.Replace(hooks, "      - id: lint\n", "", 1): false,
	} {
		if got := onlyVersions(&edit.File{Path: "x.yaml", Before: []byte(hooks), After: []byte(now)}); got != want {
			t.Errorf("%v of\n%s", got, now)
		}
	}
}
