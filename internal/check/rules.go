package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/answer"
	"github.com/belay-dev/belay/internal/check/suite"
	"github.com/belay-dev/belay/internal/glob"
)

// ruleNames are names, in any folder, of files and folders that tell agents what to
// do or that run by themselves when somebody opens or enters the project. Agents
// read most of them in subfolders too. Compared without case: on many file systems
// claude.md is CLAUDE.md.
var ruleNames = map[string]bool{
	"claude.md": true, "claude.local.md": true, "agents.md": true, "agents.override.md": true,
	"agent.md": true, "gemini.md": true, "qwen.md": true, ".cursorrules": true, ".windsurfrules": true,
	".clinerules": true, ".roorules": true, ".goosehints": true, ".mcp.json": true, ".aider.conf.yml": true,
	"opencode.json": true, "opencode.jsonc": true, "crush.json": true, ".envrc": true,
	".pre-commit-config.yaml": true, ".pre-commit-config.yml": true, "lefthook.yml": true, "lefthook.yaml": true,
	".claude": true, ".cursor": true, ".codex": true, ".gemini": true, ".opencode": true, ".windsurf": true,
	".roo": true, ".kiro": true, ".continue": true, ".qwen": true, ".junie": true, ".amazonq": true,
	".husky": true, ".githooks": true, ".lefthook": true,
}

// rulePaths are the same from the root only; a last slash means all below.
var rulePaths = []string{
	".belay/", ".github/workflows/", ".github/actions/", ".github/instructions/", ".github/prompts/",
	".github/agents/", ".github/chatmodes/", ".github/copilot-instructions.md", ".github/dependabot.yml",
	".gitlab-ci.yml", ".gitlab/ci/", ".circleci/", ".buildkite/", ".woodpecker/", ".woodpecker.yml",
	".travis.yml", ".drone.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "jenkinsfile",
	".devcontainer/", ".devcontainer.json", ".vscode/tasks.json", ".vscode/settings.json", ".vscode/mcp.json",
}

// rules asks whether the task left alone what instructs agents and what runs by
// itself. A glob of Scope.Files allows such a file only when it names it: src/** is
// no permission to leave an AGENTS.md in src.
func rules(ctx context.Context, in Input) belay.CheckResult {
	if err := validGlobs(in.Scope.Files); err != nil {
		return answer.Unknown(nameRules, err.Error())
	}
	var found []belay.Finding
	for _, c := range work(in.Changes) {
		if ctx.Err() != nil {
			return answer.Unknown(nameRules, suite.Unfinished(ctx))
		}
		rule := ruleOf(c.Path)
		if rule == "" || namedIn(in.Scope.Files, rule, c.Path) {
			continue
		}
		found = append(found, belay.Finding{
			Severity: belay.SeverityError, Category: belay.CategoryRules, File: c.Path,
			Title:          "instructions for agents or automation changed",
			Detail:         fmt.Sprintf("%s was %s and the task's files do not name it", c.Path, changeVerb(c)),
			Recommendation: putBack(c) + "; only a person can add it to the task's files, by name",
		})
	}
	summary := "rules for agents and automation are untouched"
	if len(found) > 0 {
		summary = answer.Count(len(found), "rule file", "rule files") + " changed without being named by the task"
	}
	return answer.Of(nameRules, summary, answer.Brief(found, "more rule files changed"))
}

// ruleOf gives the part of path, in lower case, that makes it a rule, "" for any
// other file.
func ruleOf(path string) string {
	low := strings.ToLower(path)
	for _, p := range rulePaths {
		if low == p || strings.HasSuffix(p, "/") && strings.HasPrefix(low, p) {
			first, _, _ := strings.Cut(p, "/")
			return first
		}
	}
	for part := range strings.SplitSeq(low, "/") {
		if ruleNames[part] {
			return part
		}
	}
	return ""
}

// namedIn tells whether one of the globs covers path and spells the rule out.
func namedIn(globs []string, rule, path string) bool {
	for _, one := range globs {
		if strings.Contains(strings.ToLower(one), rule) && glob.Covers(one, path) {
			return true
		}
	}
	return false
}
