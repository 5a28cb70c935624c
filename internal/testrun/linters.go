package testrun

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// DetectLinters proposes the linters that the project at root configures and that are installed:
// golangci-lint, ruff, eslint, clippy. path is the PATH to search.
func DetectLinters(root, path string) []belay.Linter {
	var found []belay.Linter
	for _, d := range []struct{ name, program, why, command string }{
		{"golangci-lint", "golangci-lint",
			configFileOf(root, "", ".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"), "golangci-lint run"},
		{"ruff", "ruff", configFileOf(root, "tool.ruff", "ruff.toml", ".ruff.toml"), "ruff check --no-fix --output-format concise ."},
		{"eslint", "eslint", configFileOf(root, "", "eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts",
			".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml"), "eslint ."},
		{"clippy", "cargo-clippy", clippyConfigured(root), "cargo clippy --quiet --all-targets --message-format short"},
	} {
		if d.why == "" {
			continue
		}
		own, ok := isInstalled(root, path, d.program)
		if !ok {
			continue
		}
		if own != "" {
			d.command = own + strings.TrimPrefix(d.command, d.program)
		}
		found = append(found, belay.Linter{Name: d.name, TestCommand: belay.TestCommand{
			Command: d.command, Format: "text", From: "detected", Why: d.why,
		}})
	}
	return found
}

// configFileOf returns the file that configures a linter, "" if none does: one of the names, or a
// section of pyproject.toml.
func configFileOf(root, section string, names ...string) string {
	for _, name := range names {
		if isFile(root, name) {
			return "there is a " + name
		}
	}
	if section != "" && hasSection(readSmall(root, "pyproject.toml"), section) {
		return "pyproject.toml configures it"
	}
	return ""
}

func clippyConfigured(root string) string {
	if !isFile(root, "Cargo.toml") {
		return ""
	}
	manifest := readSmall(root, "Cargo.toml")
	if hasSection(manifest, "lints.clippy") || hasSection(manifest, "workspace.lints.clippy") {
		return "Cargo.toml configures it"
	}
	return configFileOf(root, "", "clippy.toml", ".clippy.toml")
}

// isInstalled reports whether a program exists: in the project's own folders, which is then the
// command to use, or on path.
func isInstalled(root, path, program string) (own string, ok bool) {
	for _, dir := range []string{"node_modules/.bin", ".venv/bin", "venv/bin"} {
		if isExecutable(filepath.Join(root, dir, program)) {
			return dir + "/" + program, true
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && isExecutable(filepath.Join(dir, program)) {
			return "", true
		}
	}
	return "", false
}

func isExecutable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
