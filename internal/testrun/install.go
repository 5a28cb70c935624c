package testrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Install is how to install the dependencies of a project.
type Install struct {
	Command string `json:"command"` // for a person to type
	// Offline does the same only from the caches of this machine, exactly as in the lockfile, and
	// runs no script of a package; nil if the manager cannot do that.
	Offline []string `json:"offline,omitempty"`
	Folder  string   `json:"folder,omitempty"` // the folder that it creates in the tree, "" for none
}

// NodeInstall returns how to install the node packages of the project at root, by its lockfile; ok
// is false without a package.json.
func NodeInstall(root string) (in Install, ok bool) {
	if !isFile(root, "package.json") {
		return Install{}, false
	}
	in.Folder = "node_modules"
	_, manager := parseNodeTest(readSmall(root, "package.json"))
	switch {
	case isFile(root, "pnpm-lock.yaml"):
		in.Command = "pnpm install --frozen-lockfile"
		in.Offline = []string{"pnpm", "install", "--frozen-lockfile", "--offline", "--ignore-scripts"}
	case isFile(root, "yarn.lock") &&
		(isFile(root, ".yarnrc.yml") || strings.Contains(string(readSmall(root, "yarn.lock")), "__metadata:")):
		in.Command = "yarn install --immutable" // yarn 2 and newer cannot work offline
	case isFile(root, "yarn.lock"):
		in.Command = "yarn install --frozen-lockfile"
		in.Offline = []string{"yarn", "install", "--frozen-lockfile", "--offline", "--ignore-scripts", "--non-interactive"}
	case isFile(root, "bun.lock"), isFile(root, "bun.lockb"):
		in.Command = "bun install --frozen-lockfile"
	case isFile(root, "package-lock.json"), isFile(root, "npm-shrinkwrap.json"):
		in.Command = "npm ci"
		in.Offline = []string{"npm", "ci", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"}
	case manager == "pnpm", manager == "yarn", manager == "bun":
		in.Command = manager + " install"
	default:
		in.Command = "npm install"
	}
	return in, true
}

// NodeNeeds reports whether the package.json at root depends on a package with this name, or with a
// program of this name.
func NodeNeeds(root, name string) bool {
	var manifest struct{ Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]any }
	if json.Unmarshal([]byte(strings.TrimPrefix(string(readSmall(root, "package.json")), "\ufeff")), &manifest) != nil {
		return false
	}
	for _, list := range []map[string]any{manifest.Dependencies, manifest.DevDependencies, manifest.PeerDependencies,
		manifest.OptionalDependencies} {
		for package_ := range list {
			if package_ == name || package_ == name+"-cli" || strings.HasSuffix(package_, "/"+name) || package_ == packageOfProgram[name] {
				return true
			}
		}
	}
	return false
}

// packageOfProgram maps programs of node packages to packages with another name.
var packageOfProgram = map[string]string{"tsc": "typescript", "playwright": "@playwright/test", "ng": "@angular/cli",
	"vue-cli-service": "@vue/cli-service", "wtr": "@web/test-runner", "nyc": "nyc", "tap": "tap"}

// PythonInstall returns how to install the project's Python packages, including those for its
// tests; ok is false if no file at root describes them.
func PythonInstall(root string) (in Install, ok bool) {
	for _, d := range []struct{ file, command string }{
		{"uv.lock", "uv sync"}, {"poetry.lock", "poetry install"}, {"pdm.lock", "pdm install"}, {"Pipfile.lock", "pipenv install --dev"},
	} {
		if isFile(root, d.file) {
			return Install{Command: d.command, Folder: ".venv"}, true
		}
	}
	pip := PythonInterpreter(root) + " -m pip install "
	for _, name := range []string{"requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt",
		"requirements-test.txt", "requirements-tests.txt",
		"test-requirements.txt", "requirements/dev.txt", "requirements/tests.txt", "requirements/test.txt", "requirements.txt"} {
		if isFile(root, name) {
			return Install{Command: pip + "-r " + name}, true
		}
	}
	if isFile(root, "pyproject.toml") || isFile(root, "setup.py") || isFile(root, "setup.cfg") {
		return Install{Command: pip + "-e ."}, true
	}
	return Install{}, false
}

// PythonInterpreter returns the interpreter of the project at root: that of its own environment, if
// it has one.
func PythonInterpreter(root string) string {
	for _, dir := range []string{".venv", "venv"} {
		if isExecutable(filepath.Join(root, dir, "bin", "python")) && isFile(root, dir+"/pyvenv.cfg") {
			return dir + "/bin/python"
		}
	}
	return "python3"
}

// HasFile reports whether a path exists below root.
func HasFile(root, name string) bool {
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}
