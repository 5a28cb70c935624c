package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
)

// project creates a folder with files by path; those with a name that ends in w are executable.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		mode := os.FileMode(0o666)
		if strings.HasSuffix(name, "w") {
			mode = 0o777
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestTests(t *testing.T) {
	t.Parallel()
	node := `{"scripts": {"test": "vitest run"}}`
	pytest := `python3 -m pytest -q --continue-on-collection-errors --junitxml="$BELAY_REPORTS/pytest.xml"`
	for name, tt := range map[string]struct {
		files                       map[string]string
		command, format, report, by string
	}{
		"nothing":         {files: map[string]string{"README.md": "make test"}},
		"go":              {map[string]string{"go.mod": "module m", "Makefile": "test:\n"}, "go test -json ./...", "gotest", "", "there is a go.mod"},
		"go below":        {files: map[string]string{"sub/go.mod": "module m"}},
		"cargo":           {map[string]string{"Cargo.toml": "[package]"}, "cargo test --no-fail-fast", "cargo", "", "there is a Cargo.toml"},
		"npm":             {map[string]string{"package.json": node, "package-lock.json": "{}"}, "npm test --silent", "exit", "", "package.json has a test script and there is a package-lock.json"},
		"npm, no lock":    {map[string]string{"package.json": node}, "npm test --silent", "exit", "", "package.json has a test script"},
		"pnpm":            {map[string]string{"package.json": node, "pnpm-lock.yaml": ""}, "pnpm test", "exit", "", "package.json has a test script and there is a pnpm-lock.yaml"},
		"yarn":            {map[string]string{"package.json": "\ufeff" + node, "yarn.lock": ""}, "yarn test", "exit", "", "package.json has a test script and there is a yarn.lock"},
		"bun":             {map[string]string{"package.json": node, "bun.lock": ""}, "bun run test", "exit", "", "package.json has a test script and there is a bun.lock"},
		"named manager":   {map[string]string{"package.json": `{"packageManager":"pnpm@9.1.0+sha512.x","scripts":{"test":"jest"}}`}, "pnpm test", "exit", "", "package.json has a test script"},
		"odd manager":     {map[string]string{"package.json": `{"packageManager":["rm -rf /"],"scripts":{"test":"jest","build":7}}`}, "npm test --silent", "exit", "", "package.json has a test script"},
		"npm placeholder": {files: map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}},
		"npm broken":      {files: map[string]string{"package.json": `{"scripts":{"test":"jest"`}},
		"placeholder and make": {map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`, "Makefile": "test: build\n\tgo\n"},
			"make test", "exit", "", "Makefile has a test target"},
		"pytest.ini":     {map[string]string{"pytest.ini": ""}, pytest, "junit", "$BELAY_REPORTS/pytest.xml", "there is a pytest.ini"},
		"pyproject":      {map[string]string{"pyproject.toml": "[project]\nname='x'\n [ tool.pytest.ini_options ] # here\n"}, pytest, "junit", "$BELAY_REPORTS/pytest.xml", "pyproject.toml configures pytest"},
		"pyproject else": {files: map[string]string{"pyproject.toml": "[tool.pytester]\n# [tool.pytest]\n"}},
		"setup.cfg":      {map[string]string{"setup.cfg": "[tool:pytest]\r\naddopts=-q\r\n"}, pytest, "junit", "$BELAY_REPORTS/pytest.xml", "setup.cfg configures pytest"},
		"conftest":       {map[string]string{"conftest.py": ""}, pytest, "junit", "$BELAY_REPORTS/pytest.xml", "there is a conftest.py"},
		"tests":          {map[string]string{"tests/test_x.py": ""}, pytest, "junit", "$BELAY_REPORTS/pytest.xml", "there are Python tests in tests"},
		"other tests":    {files: map[string]string{"tests/x.py": "", "tests/test_x.js": ""}},
		"maven":          {map[string]string{"pom.xml": ""}, "mvn -q test", "junit", "**/target/surefire-reports/TEST-*.xml", "there is a pom.xml"},
		"maven wrapper":  {map[string]string{"pom.xml": "", "mvnw": "#!"}, "./mvnw -q test", "junit", "**/target/surefire-reports/TEST-*.xml", "there is a pom.xml"},
		"gradle":         {map[string]string{"build.gradle.kts": ""}, "gradle --no-daemon cleanTest test --continue", "junit", "**/build/test-results/test/*.xml", "there is a build.gradle.kts"},
		"gradle wrapper": {map[string]string{"build.gradle": "", "gradlew": "#!"}, "./gradlew --no-daemon cleanTest test --continue", "junit", "**/build/test-results/test/*.xml", "there is a build.gradle"},
		"make":           {map[string]string{"Makefile": "all:\n\ntest: all\n\tx\n"}, "make test", "exit", "", "Makefile has a test target"},
		"make without":   {files: map[string]string{"Makefile": "all:\n"}},
		"make, GNU":      {map[string]string{"Makefile": "all:\n", "GNUmakefile": "test:\n"}, "make test", "exit", "", "GNUmakefile has a test target"},
	} {
		got, ok := DetectTests(project(t, tt.files))
		want := belay.TestCommand{Command: tt.command, Format: tt.format, Report: tt.report, Why: tt.by}
		if tt.command != "" {
			want.From = "detected"
		}
		if d := cmp.Diff(want, got); d != "" || ok != (tt.command != "") {
			t.Errorf("%s: %v\n%s", name, ok, d)
		}
	}
}

// TestWrapperThatIsNotExecutable: a checkout may have lost the mode.
func TestWrapperThatIsNotExecutable(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{"pom.xml": "", "mvnw": ""})
	if err := os.Chmod(filepath.Join(root, "mvnw"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := DetectTests(root); got.Command != "sh ./mvnw -q test" {
		t.Errorf("got %q", got.Command)
	}
}

// TestOddFiles: folders, FIFOs, links and large files in the place of manifests neither block nor
// count.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"go.mod", "Cargo.toml", "tests"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"package.json", "pyproject.toml", "Makefile", "tests/test_a.py"} {
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("loop", filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(root, "setup.cfg")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "makefile"), []byte(strings.Repeat("#", maxManifest)+"\ntest:\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, ok := DetectTests(root); ok {
		t.Errorf("detected %+v", got)
	}
	if got, ok := DetectTests(filepath.Join(root, "nowhere")); ok {
		t.Errorf("detected %+v in no folder", got)
	}
}

func TestHasTarget(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"test:\n":                           true,
		"test :\n":                          true,
		"test: build ; go test\n":           true,
		"test:: a\n":                        true,
		"lint test: a\n":                    true,
		"lint \\\n  test: a\n":              true,
		"test: a # b=c\n":                   true,
		"test: ; X=1 go test\n":             true,
		"test:\r\n":                         true,
		"test := x\n":                       false,
		"test ::= x\n":                      false,
		"test: CFLAGS = -g\n":               false,
		".PHONY: test\n":                    false,
		"# test:\n":                         false,
		"\ttest:\n":                         false,
		"tests:\n":                          false,
		"X = test: a\n":                     false,
		"define x\ntest:\nendef\n":          false,
		"define x\ntest:\nendef\ntest: a\n": true,
		"$(T) test: a\n":                    false,
		"":                                  false,
	} {
		if got := hasTarget([]byte(text), "test"); got != want {
			t.Errorf("%q has a test target: %v", text, got)
		}
	}
}

func TestGoModule(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"module example.com/a\n\ngo 1.24\n": "example.com/a", "// c\nmodule \"x\" // y\n": "x", "module\tm\n": "m", "go 1.24": "", "modules x": "",
	} {
		if got := GoModule(project(t, map[string]string{"go.mod": text})); got != want {
			t.Errorf("%q is module %q", text, got)
		}
	}
}

func FuzzParsers(f *testing.F) {
	for _, s := range []string{
		`{"scripts":{"test":"x"},"packageManager":"pnpm@1"}`, "[tool.pytest.ini_options]\n", "test: a\n\tb\n", "define x\n\\\nendef", "module x",
		"{", "[", ":", "=", "test:\\\n", "\ufeff{}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if script, _ := parseNodeTest(data); script != strings.TrimSpace(script) {
			t.Errorf("script %q", script)
		}
		if hasTarget(data, "test") && !strings.Contains(string(data), "test") {
			t.Error("a target from nowhere")
		}
		if hasSection(data, "tool.pytest") && !strings.Contains(string(data), "[") {
			t.Error("a section from nowhere")
		}
	})
}

// TestPython: the project's own environment runs its tests.
func TestPython(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{"conftest.py": "", ".venv/pyvenv.cfg": "", ".venv/bin/python": "#!/bin/sh\n", "venv/bin/python": ""})
	if got := PythonInterpreter(root); got != "python3" {
		t.Errorf("not executable: %s", got)
	}
	if err := os.Chmod(filepath.Join(root, ".venv/bin/python"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c, ok := DetectTests(root); !ok || !strings.HasPrefix(c.Command, ".venv/bin/python -m pytest ") {
		t.Errorf("%+v", c)
	}
}

// TestInstalls: dependencies are installed by the lockfile; a command without network and scripts
// is only returned if the manager has one.
func TestInstalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files            map[string]string
		node             bool
		command, offline string
	}{
		"npm":          {map[string]string{"package.json": "{}", "package-lock.json": ""}, true, "npm ci", "npm ci --offline --ignore-scripts --no-audit --no-fund"},
		"no lockfile":  {map[string]string{"package.json": "{}"}, true, "npm install", ""},
		"pnpm":         {map[string]string{"package.json": "{}", "pnpm-lock.yaml": ""}, true, "pnpm install --frozen-lockfile", "pnpm install --frozen-lockfile --offline --ignore-scripts"},
		"yarn 1":       {map[string]string{"package.json": "{}", "yarn.lock": "# yarn lockfile v1"}, true, "yarn install --frozen-lockfile", "yarn install --frozen-lockfile --offline --ignore-scripts --non-interactive"},
		"yarn 4":       {map[string]string{"package.json": "{}", "yarn.lock": "__metadata:\n  version: 8"}, true, "yarn install --immutable", ""},
		"bun":          {map[string]string{"package.json": "{}", "bun.lock": ""}, true, "bun install --frozen-lockfile", ""},
		"by its name":  {map[string]string{"package.json": `{"packageManager": "pnpm@9", "scripts": {"test": "x"}}`}, true, "pnpm install", ""},
		"no package":   {map[string]string{"x": ""}, true, "", ""},
		"uv":           {map[string]string{"uv.lock": "", "pyproject.toml": ""}, false, "uv sync", ""},
		"poetry":       {map[string]string{"poetry.lock": ""}, false, "poetry install", ""},
		"requirements": {map[string]string{"requirements.txt": "", "requirements-dev.txt": ""}, false, "python3 -m pip install -r requirements-dev.txt", ""},
		"a package":    {map[string]string{"setup.py": ""}, false, "python3 -m pip install -e .", ""},
		"no Python":    {map[string]string{"x": ""}, false, "", ""},
	} {
		root := project(t, tt.files)
		in, ok := PythonInstall(root)
		if tt.node {
			in, ok = NodeInstall(root)
		}
		if in.Command != tt.command || strings.Join(in.Offline, " ") != tt.offline || ok != (tt.command != "") {
			t.Errorf("%s: %+v", name, in)
		}
	}
}
