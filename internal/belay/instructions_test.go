package belay

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

func TestRule(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"CLAUDE.md": "claude.md", "a/b/Agents.md": "agents.md", ".claude/settings.json": ".claude", "x/.cursor/rules/a.mdc": ".cursor",
		".github/workflows/ci.yml": ".github", ".github/ISSUE_TEMPLATE/bug.md": "", ".vscode/tasks.json": ".vscode", ".vscode/launch.json": "",
		"docs/claude.md.txt": "", "src/agents/x.go": "", ".belay/config.yaml": ".belay", "sub/.belay/config.yaml": "",
		".kiro/steering/tech.md": ".kiro", ".kiro/hooks/x": ".kiro", ".kiro/specs/lid/tasks.md": "", ".kiro/specs/lid/AGENTS.md": "agents.md", "x/.kiro": ".kiro",
	} {
		if got := Rule(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestFiles: ignored files that instruct agents are captured, but not other files of agents in the
// same folder, nor files of the same name in packages.
func TestFiles(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"CLAUDE.md": true, "CLAUDE.local.md": true, "a/AGENTS.md": true, ".claude": true, // a link
		".claude/settings.local.json": true, ".claude/commands/x/y.md": true, ".codex/config.toml": true, ".mcp.json": true, ".envrc": true,
		".vscode/tasks.json": true, ".vscode/launch.json": false, ".github/workflows/x.yml": true, ".belay/config.yaml": true, ".belay/plans/x": true,
		".belay/now/task.md": false, ".belay/now/orders.sh": true, ".belay/now/context-t1-qa.json": false, ".belay/now/feedback/T1.md": false, ".belay/now/feedback/a/b": true,
		".claude/worktrees/x/CLAUDE.md": false, ".claude/todos/1.json": false, ".codex/log/x": false, ".gemini/tmp/x": false, ".claude/x.lock": false, ".husky/_/h": false, ".husky/pre-commit": true,
		"notes.md": false, "logs/x": false, ".env": false,
	} {
		if got := (Files{}).Covers(path, false); got != want {
			t.Errorf("covers %s: %v", path, got)
		}
		if (Files{}).Covers(path, true) {
			t.Errorf("covers the folder %s with all below it", path)
		}
	}
	for folder, want := range map[string]bool{
		".claude": true, ".claude/commands": true, ".claude/worktrees": false, ".claude/worktrees/x": false, "node_modules": false, ".github": true, ".github/ISSUE_TEMPLATE": false,
		".vscode": true, ".belay": true, ".belay/now": true, ".gitlab": true, "a": false, "a/.cursor": true, ".husky/_": false,
	} {
		if got := (Files{}).Reaches(folder); got != want {
			t.Errorf("reaches below %s: %v", folder, got)
		}
	}
}

// TestFilesAreReached: each parent folder of a selected path is entered.
func TestFilesAreReached(t *testing.T) {
	t.Parallel()
	for _, path := range []string{".claude/a/b.md", ".github/workflows/x/y", ".vscode/tasks.json", ".belay/now/x", ".gitlab/ci/a.yml", "a/.codex/x"} {
		for i := range path {
			if path[i] == '/' && path[:i] != "a" && !(Files{}).Reaches(path[:i]) {
				t.Errorf("%s is not reached: %s", path, path[:i])
			}
		}
	}
}

func TestOwnGlob(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"task.md", "feedback.md", "history.md", "summary.md", "plan.md", "plan.tsx", "context-t1-qa.json", "feedback/T1.md", "x", "a/task.md", "feedback/a/b", "context-x.sh"} {
		glob, err := doublestar.Match(OwnGlob, Now+name)
		if err != nil || glob != Own(Now+name) {
			t.Errorf("%s: %v by the glob, %v by its name, %v", name, glob, !glob, err)
		}
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"node_modules/": "node_modules", "a/node_modules/x/y": "a/node_modules", "node_modules": "", "dist": "", "dist/": "dist", "a/Dist/x": "a/Dist",
		"src/x.go": "", "docs/": "", "a/x.egg-info/": "a/x.egg-info", ".venv/bin/": ".venv", ".husky/_/x": ".husky/_", "_/x": "", "secrets/": "", "dist/a/node_modules/": "dist",
	} {
		if got := Output(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for glob, want := range map[string]bool{"dist/**": true, "packages/*/dist": true, "**": false, "src/**": false, "dist*": false, "**/dist/": true} {
		if Names(glob, "packages/a/dist") != want || Spells(glob) != want {
			t.Errorf("%s spells it out: %v", glob, !want)
		}
	}
}
