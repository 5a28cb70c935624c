package testrun

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
)

// Detection reads small files only and runs nothing; only the search for tests reads below the
// root. The proposed command may need a tool that is not installed.

// ReportsVar is the environment variable with a folder, created for each run, in which a test
// command may write its reports.
const ReportsVar = "BELAY_REPORTS"

// maxManifest is the maximum number of bytes that are read of a manifest.
const maxManifest = 1 << 20

// DetectTests proposes a test command for the project at root, by the files at its root, in this
// order: go.mod, Cargo.toml, package.json with a real test script, pytest's files, pom.xml,
// build.gradle, a Makefile with a test target. It reads small files only and runs nothing; the
// command may need a tool that is not installed.
func DetectTests(root string) (belay.TestCommand, bool) {
	for _, guess := range []func(string) belay.TestCommand{
		detectGo, detectCargo, detectNode, detectPytest, detectMaven, detectGradle, detectMake,
	} {
		if cmd := guess(root); cmd.Set() {
			cmd.From = "detected"
			return cmd, true
		}
	}
	return belay.TestCommand{}, false
}

func detectGo(root string) belay.TestCommand {
	if !isFile(root, "go.mod") {
		return belay.TestCommand{}
	}
	return belay.TestCommand{Command: "go test -json ./...", Format: "gotest", Why: "there is a go.mod"}
}

func detectCargo(root string) belay.TestCommand {
	if !isFile(root, "Cargo.toml") {
		return belay.TestCommand{}
	}
	return belay.TestCommand{Command: "cargo test --no-fail-fast", Format: "cargo", Why: "there is a Cargo.toml"}
}

func detectNode(root string) belay.TestCommand {
	script, manager := parseNodeTest(readSmall(root, "package.json"))
	if script == "" {
		return belay.TestCommand{}
	}
	why := "package.json has a test script"
	for _, lock := range []struct{ file, manager string }{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
		{"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"},
	} {
		if isFile(root, lock.file) {
			manager, why = lock.manager, why+" and there is a "+lock.file
			break
		}
	}
	command := "npm test --silent"
	switch manager {
	case "pnpm", "yarn":
		command = manager + " test"
	case "bun":
		command = "bun run test"
	}
	return belay.TestCommand{Command: command, Format: "exit", Why: why}
}

// NodeScript returns the test script of the package.json at root, "" if there is none.
func NodeScript(root string) string {
	script, _ := parseNodeTest(readSmall(root, "package.json"))
	return script
}

// parseNodeTest returns the test script of a package.json, "" if there is none or only the
// placeholder of npm init, and the package manager that it asks for.
func parseNodeTest(data []byte) (script, manager string) {
	var manifest struct {
		Scripts        map[string]any `json:"scripts"`
		PackageManager any            `json:"packageManager"`
	}
	if json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &manifest) != nil {
		return "", ""
	}
	script, _ = manifest.Scripts["test"].(string)
	if script = strings.TrimSpace(script); strings.Contains(script, "no test specified") {
		script = ""
	}
	manager, _ = manifest.PackageManager.(string)
	manager, _, _ = strings.Cut(manager, "@")
	return script, manager
}

// detectPytest runs the tests in all files that can be imported: without the option, one file that
// cannot stops everything.
func detectPytest(root string) belay.TestCommand {
	why := ""
	switch {
	case isFile(root, "pytest.ini"), isFile(root, ".pytest.ini"):
		why = "there is a pytest.ini"
	case hasSection(readSmall(root, "pyproject.toml"), "tool.pytest"):
		why = "pyproject.toml configures pytest"
	case hasSection(readSmall(root, "setup.cfg"), "tool:pytest"):
		why = "setup.cfg configures pytest"
	case hasSection(readSmall(root, "tox.ini"), "pytest"):
		why = "tox.ini configures pytest"
	case isFile(root, "conftest.py"):
		why = "there is a conftest.py"
	case hasPythonTests(filepath.Join(root, "tests")):
		why = "there are Python tests in tests"
	default:
		return belay.TestCommand{}
	}
	return belay.TestCommand{
		Command: PythonInterpreter(root) + ` -m pytest -q --continue-on-collection-errors --junitxml="$` + ReportsVar + `/pytest.xml"`,
		Format:  "junit", Report: "$" + ReportsVar + "/pytest.xml", Why: why,
	}
}

// hasSection reports whether an INI or TOML text has the section [name] or a subsection,
// [name.…].
func hasSection(data []byte, name string) bool {
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, "[")
		if !ok || !strings.HasSuffix(rest, "]") {
			continue
		}
		section := strings.TrimSpace(strings.TrimSuffix(rest, "]"))
		if section == name || strings.HasPrefix(section, name+".") {
			return true
		}
	}
	return false
}

func hasPythonTests(dir string) bool {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(10_000)
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, ".py") &&
			(strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")) && isFile(dir, name)
	})
}

func detectMaven(root string) belay.TestCommand {
	if !isFile(root, "pom.xml") {
		return belay.TestCommand{}
	}
	return belay.TestCommand{
		Command: preferWrapper(root, "mvnw", "mvn") + " -q test", Format: "junit",
		Report: "**/target/surefire-reports/TEST-*.xml", Why: "there is a pom.xml",
	}
}

// detectGradle runs the tests even if Gradle considers them up to date, because its reports would
// be old. A daemon would be killed after the run anyway.
func detectGradle(root string) belay.TestCommand {
	for _, name := range []string{"build.gradle", "build.gradle.kts"} {
		if isFile(root, name) {
			return belay.TestCommand{
				Command: preferWrapper(root, "gradlew", "gradle") + " --no-daemon cleanTest test --continue", Format: "junit",
				Report: "**/build/test-results/test/*.xml", Why: "there is a " + name,
			}
		}
	}
	return belay.TestCommand{}
}

// preferWrapper returns the project's own copy of a tool if it has one.
func preferWrapper(root, own, tool string) string {
	info, err := os.Stat(filepath.Join(root, own))
	switch {
	case err != nil || !info.Mode().IsRegular():
		return tool
	case info.Mode()&0o111 == 0:
		return "sh ./" + own
	}
	return "./" + own
}

func detectMake(root string) belay.TestCommand {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if isFile(root, name) && hasTarget(readSmall(root, name), "test") {
			return belay.TestCommand{Command: "make test", Format: "exit", Why: name + " has a test target"}
		}
	}
	return belay.TestCommand{}
}

// hasTarget reports whether a makefile has a rule for the target.
func hasTarget(data []byte, target string) bool {
	joined := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\\\n", " ")
	define := false
	for line := range strings.Lines(joined) {
		if strings.HasPrefix(line, "\t") {
			continue // a recipe
		}
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "#")
		switch first, _, _ := strings.Cut(strings.TrimSpace(line), " "); first {
		case "define":
			define = true
		case "endef":
			define = false
		}
		targets, rest, ok := strings.Cut(line, ":")
		if !ok || define || strings.ContainsAny(targets, "=$") || isAssignment(rest) {
			continue
		}
		if slices.Contains(strings.Fields(targets), target) {
			return true
		}
	}
	return false
}

// isAssignment reports whether the text after the first colon makes the line an assignment (:=,
// ::=, :::=) or one for a target only (test: FLAG = x).
func isAssignment(rest string) bool {
	if strings.HasPrefix(strings.TrimLeft(rest, ":"), "=") {
		return true
	}
	recipe := strings.IndexByte(rest, ';')
	eq := strings.IndexByte(rest, '=')
	return eq >= 0 && (recipe < 0 || eq < recipe)
}

// isFile reports whether name is a regular file below dir, or a link to one.
func isFile(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// readSmall returns the start of a regular file, nil if there is none.
func readSmall(dir, name string) []byte {
	// Nonblocking: opening a FIFO would wait for a writer forever.
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(f, maxManifest))
	return data
}

// GoModule returns the module path in the go.mod at root, "" without one.
func GoModule(root string) string {
	for line := range strings.Lines(string(readSmall(root, "go.mod"))) {
		line, _, _ = strings.Cut(line, "//")
		if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
			return strings.Trim(words[1], "\"`")
		}
	}
	return ""
}
