package belay

import "strings"

// files are names, in any folder, of files that tell agents what to do or that run by
// themselves when somebody opens or enters the project. Agents read most of them in
// subfolders too. Compared without case: on many file systems claude.md is CLAUDE.md.
var files = map[string]bool{
	"claude.md": true, "claude.local.md": true, "agents.md": true, "agents.override.md": true,
	"agent.md": true, "gemini.md": true, "qwen.md": true, ".cursorrules": true, ".windsurfrules": true,
	".clinerules": true, ".roorules": true, ".goosehints": true, ".mcp.json": true, ".aider.conf.yml": true,
	"opencode.json": true, "opencode.jsonc": true, "crush.json": true, ".envrc": true,
	".pre-commit-config.yaml": true, ".pre-commit-config.yml": true, "lefthook.yml": true, "lefthook.yaml": true,
}

// folders are the same for all that is in a folder of that name.
var folders = map[string]bool{
	".claude": true, ".cursor": true, ".codex": true, ".gemini": true, ".opencode": true, ".windsurf": true,
	".roo": true, ".kiro": true, ".continue": true, ".qwen": true, ".junie": true, ".amazonq": true,
	".husky": true, ".githooks": true, ".lefthook": true,
}

// paths are the same from the root only; a last slash means all below.
var paths = []string{
	".belay/", ".github/workflows/", ".github/actions/", ".github/instructions/", ".github/prompts/",
	".github/agents/", ".github/chatmodes/", ".github/copilot-instructions.md", ".github/dependabot.yml",
	".gitlab-ci.yml", ".gitlab/ci/", ".circleci/", ".buildkite/", ".woodpecker/", ".woodpecker.yml",
	".travis.yml", ".drone.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "jenkinsfile",
	".devcontainer/", ".devcontainer.json", ".vscode/tasks.json", ".vscode/settings.json", ".vscode/mcp.json",
}

// Rule returns the part of path, in lower case, that makes it an instruction for agents or an
// automation, "" for any other file.
func Rule(path string) string {
	low := strings.ToLower(path)
	for _, p := range paths {
		if low == p || strings.HasSuffix(p, "/") && strings.HasPrefix(low, p) {
			first, _, _ := strings.Cut(p, "/")
			return first
		}
	}
	for part, rest, more := strings.Cut(low, "/"); ; part, rest, more = strings.Cut(rest, "/") {
		spec := part == ".kiro" && strings.HasPrefix(rest, "specs/") // documents of features, as specs/ is with other tools
		if files[part] || folders[part] && !spec {
			return part
		}
		if !more {
			return ""
		}
	}
}

// own are the files that belay itself writes for agents below .belay/now.
var own = map[string]bool{
	"task.md": true, "feedback.md": true, "history.md": true, "summary.md": true, "last.diff": true,
	"findings.md": true, "plan.md": true, "plan.tsx": true,
}

// Now is where those files are.
const Now = ".belay/now/"

// OwnGlob covers just what Own reports.
const OwnGlob = ".belay/now/{task.md,feedback.md,history.md,summary.md,last.diff,findings.md,plan.md,plan.tsx,context-*.json,feedback/*}"

// Own reports whether path is one of the files that belay writes below .belay/now, or has
// an agent write there. Anything else in that folder is somebody's change.
func Own(path string) bool {
	name, in := strings.CutPrefix(path, Now)
	if !in {
		return false
	}
	folder, file, deep := strings.Cut(name, "/")
	switch {
	case deep:
		return folder == "feedback" && file != "" && !strings.Contains(file, "/")
	case strings.HasPrefix(name, "context-"):
		return strings.HasSuffix(name, ".json")
	}
	return own[name]
}

// state are names below an agent's own folder (.claude, .codex …) of what it writes there
// while it works, in lower case. None of it instructs an agent that starts again, and some of
// it holds whole working trees.
var state = map[string]bool{
	"worktrees": true, "todos": true, "projects": true, "sessions": true, "history": true, "history.jsonl": true,
	"log": true, "logs": true, "cache": true, "tmp": true, "temp": true, "debug": true, "statsig": true,
	"shell-snapshots": true, "file-history": true, "telemetry": true, "node_modules": true, "checkpoints": true,
	"_": true, // what husky generates in .husky
}

// Files selects, among ignored paths, those that are captured because they instruct agents.
// It implements scan.Selector.
//
// It enters no ignored folder but those that instruct: packages below node_modules have
// an AGENTS.md of their own, which no agent here reads.
type Files struct{}

// Covers reports whether an ignored path is captured; a folder: with all below it.
func (Files) Covers(path string, folder bool) bool {
	if Own(path) || folder {
		return false // a folder of state is below, so each path is asked about
	}
	low := strings.ToLower(path)
	if inPaths(low) {
		return true
	}
	in, last := inside(low)
	return in || files[last] || folders[last]
}

// Reaches reports whether something below an ignored folder may be captured.
func (Files) Reaches(folder string) bool {
	low := strings.ToLower(folder) + "/"
	for _, p := range paths {
		if strings.HasPrefix(p, low) {
			return true
		}
	}
	in, _ := inside(low)
	return in || inPaths(low)
}

func inPaths(low string) bool {
	for _, p := range paths {
		if low == p || strings.HasSuffix(p, "/") && strings.HasPrefix(low, p) {
			return true
		}
	}
	return false
}

// inside reports whether a path, in lower case, is below one of folders and is not a state of
// an agent's. last is its last part.
func inside(low string) (in bool, last string) {
	for part := range strings.SplitSeq(low, "/") {
		in = in || folders[last]
		if in && (state[part] || strings.HasSuffix(part, ".log") || strings.HasSuffix(part, ".lock")) {
			return false, ""
		}
		last = part
	}
	return in, last
}
