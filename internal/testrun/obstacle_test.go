package testrun

import (
	"strconv"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestObstacles: recorded output of runners that could not run, what is missing, and what to type.
func TestObstacles(t *testing.T) {
	t.Parallel()
	node := map[string]string{"package.json": `{"scripts":{"test":"mocha"},"devDependencies":{"mocha":"1","tsx":"1"}}`, "package-lock.json": "{}"}
	python := map[string]string{"pyproject.toml": "", "src/flask/__init__.py": "", "tests/test_a.py": ""}
	for name, tt := range map[string]struct {
		files      map[string]string
		command    string // as displayed; the command that runs prints said and exits with code
		said       string
		code       int
		what, fix  string // what is part of Message; "" for no obstacle
		unreported bool   // an obstacle with an ordinary verdict, not "could not run"
	}{
		"npm test, no node_modules": {node, "npm test", "sh: 1: mocha: not found", 127, "mocha was not found", "npm ci", false},
		"pnpm":                      {map[string]string{"package.json": `{"devDependencies":{"vitest":"1"}}`, "pnpm-lock.yaml": ""}, "pnpm test", "sh: 1: vitest: not found", 127, "vitest was not found", "pnpm install --frozen-lockfile", false},
		"yarn classic":              {map[string]string{"package.json": `{"devDependencies":{"jest":"1"}}`, "yarn.lock": "# yarn lockfile v1\n"}, "yarn test", "/bin/sh: jest: command not found", 127, "jest was not found", "yarn install --frozen-lockfile", false},
		"yarn 4":                    {map[string]string{"package.json": `{"devDependencies":{"jest":"1"}}`, "yarn.lock": "__metadata:\n"}, "yarn test", "command not found: jest\nsh: 1: jest: not found", 127, "jest was not found", "yarn install --immutable", false},
		"a tool of a tool":          {node, "npm test", "/bin/sh: 1: cross-env: not found", 127, "cross-env was not found", "npm ci", false},
		"no manager":                {node, "pnpm test", "sh: 1: pnpm: not found", 127, "pnpm was not found", "corepack enable pnpm", false},
		"no script":                 {node, "npm run unit", "npm error Missing script: \"unit\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run", 1, "package.json has no script unit", "", true},
		"no package.json":           {nil, "npm test", "npm error code ENOENT\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/x/package.json'", 254, "no package.json", "", true},
		"a package, by a test file": {node, "node --test", "Error: Cannot find module 'tsx'\nRequire stack:\n- /x/a.test.js", 1, "the package tsx is not installed", "npm ci", true},
		"npx":                       {node, "npx --no-install jest", "npm error npx canceled due to missing packages and no YES option: [\"jest@30.5.2\"]", 1, "npx canceled", "npm ci", true},
		"no pytest":                 {map[string]string{"uv.lock": ""}, "python3 -m pytest -q", "/usr/bin/python3: No module named pytest", 1, "No module named pytest", "uv sync", false},
		"no pytest, poetry":         {map[string]string{"poetry.lock": ""}, "pytest", "sh: 1: pytest: not found", 127, "pytest was not found", `poetry install and --test "poetry run python -m pytest"`, false},
		"no pytest, plain":          {nil, "pytest", "bash: line 1: pytest: command not found", 127, "pytest was not found", "python3 -m pip install pytest", false},
		"pyenv":                     {nil, "pytest", "pyenv: pytest: command not found\n\nThe `pytest' command exists in these Python versions:\n  3.9.1", 127, "pytest was not found", "python3 -m pip install pytest", false},
		"pyenv version":             {nil, "pytest", "pyenv: version `3.9.1' is not installed (set by /x/.python-version)", 1, "3.9.1", "pyenv install 3.9.1", false},
		"no uv":                     {nil, "uv run pytest", "sh: 1: uv: not found", 127, "uv was not found", "python3 -m pip install uv", false},
		"a package that all import": {map[string]string{"requirements-dev.txt": ""}, "pytest", "ERROR collecting tests/test_a.py\nE   ModuleNotFoundError: No module named 'requests'\n!!!! Interrupted: 1 error during collection !!!!\n1 error in 0.10s", 2, "the Python package requests is not installed", "python3 -m pip install -r requirements-dev.txt", true},
		"the project itself":        {python, "pytest", "ImportError while loading conftest '/x/tests/conftest.py'.\ntests/conftest.py:4: in <module>\n    from flask import Flask\nE   ModuleNotFoundError: No module named 'flask'", 4, "the project itself (flask) is not installed", "python3 -m pip install -e .", true},
		"unittest":                  {nil, "python3 -m unittest", "ERROR: tests.test_utils (unittest.loader._FailedTest)\nImportError: Failed to import test module: tests.test_utils\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'\n\nRan 1 test in 0.001s\n\nFAILED (errors=1)", 1, "the Python package yaml is not installed", "", true},
		"maven offline":             {map[string]string{"mvnw": ""}, "mvn -o test", "[ERROR] Failed to execute goal on project a: Could not resolve dependencies for project a:a:jar:1: Cannot access central (https://repo.maven.apache.org/maven2) in offline mode and the artifact junit:junit:jar:4.13 has not been downloaded from it before.", 1, "Maven does not have", "./mvnw dependency:go-offline", true},
		"gradle offline":            {nil, "gradle test --offline", "> Could not resolve all files for configuration ':testCompileClasspath'.\n   > No cached version of junit:junit:4.13 available for offline mode.", 1, "Gradle does not have", "gradle testClasses", true},
		"no jdk":                    {nil, "./gradlew test", "ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.", 1, "JAVA_HOME is not set", "install a JDK and set JAVA_HOME", true},
		"cargo offline":             {nil, "cargo test --offline", "error: no matching package named `lazy_static` found\nlocation searched: crates.io index\nAs a reminder, you're using offline mode (--offline)", 101, "cargo does not have", "cargo fetch --locked", true},
		"no Cargo.toml":             {nil, "cargo test", "error: could not find `Cargo.toml` in `/x` or any parent directory", 101, "there is no Cargo.toml", "", true},
		"rustup":                    {nil, "cargo test", "error: toolchain '1.99' is not installed", 1, "toolchain '1.99'", "rustup toolchain install", true},
		"go, another version":       {nil, "go test ./...", "go: go.mod requires go >= 1.99 (running go 1.26; GOTOOLCHAIN=local)", 1, "go.mod requires go >= 1.99", "install that Go", true},
		"go, no module":             {nil, "go test ./...", "# ./...\npattern ./...: directory prefix . does not contain main module or its selected dependencies\nFAIL\t./... [setup failed]\nFAIL", 1, "there is no go.mod", "", true},
		"make":                      {nil, "make test", "make: *** No rule to make target 'test'.  Stop.", 2, "no target test", "", true},
		"make, no makefile":         {nil, "make", "make: *** No targets specified and no makefile found.  Stop.", 2, "no Makefile", "", true},
		"a program of a target":     {nil, "make test", "make: jest: No such file or directory\nmake: *** [Makefile:2: test] Error 127", 2, "jest was not found", "", false},
		"bundler":                   {map[string]string{"Gemfile": ""}, "bundle exec rspec", "bundler: command not found: rspec\nInstall missing gem executables with `bundle install`", 127, "rspec was not found", "bundle install", false},
		"gems":                      {map[string]string{"Gemfile": ""}, "bundle exec rspec", "Could not find rspec-3.13.0 in locally installed gems", 7, "Could not find rspec", "bundle install", true},
		"phpunit":                   {map[string]string{"composer.json": ""}, "vendor/bin/phpunit", "sh: 1: vendor/bin/phpunit: not found", 127, "phpunit was not found", "composer install", false},
		"autoload":                  {map[string]string{"composer.json": ""}, "php tests/run.php", "PHP Fatal error:  Uncaught Error: Failed opening required '/x/vendor/autoload.php' (include_path='.')", 255, "no vendor/autoload.php", "composer install", true},
		"dotnet sdk":                {nil, "dotnet test", "The command could not be loaded, possibly because:\n  * You intended to execute a .NET SDK command:\n      No .NET SDKs were found.", 145, "No .NET SDKs", "install that .NET SDK", true},
		"dotnet restore":            {nil, "dotnet test --no-restore", "error NETSDK1004: Assets file '/x/obj/project.assets.json' not found. Run a NuGet package restore", 1, "NETSDK1004", "dotnet restore", true},
		"a script":                  {nil, "sh ./check.sh", "sh: 0: cannot open ./check.sh: No such file", 2, "there is no ./check.sh", "", false},
		"a script of Python":        {nil, "python3 run.py", "python3: can't open file '/x/run.py': [Errno 2] No such file or directory", 2, "run.py", "", false},
		"not executable":            {nil, "./run", "sh: 1: ./run: Permission denied", 126, "is not executable", "chmod +x ./run", false},

		// Failures that may be those of tests are no obstacles.
		"a test that fails":                {nil, "sh check.sh", "expected 3, got 4", 1, "", "", false},
		"a module of the project":          {map[string]string{"app.py": ""}, "pytest", "ERROR collecting test_a.py\nE   ModuleNotFoundError: No module named 'app.core'\n!!! Interrupted: 1 error during collection !!!", 2, "", "", false},
		"another error in collection":      {nil, "pytest", "ERROR collecting test_a.py\nE   ModuleNotFoundError: No module named 'yaml'\nERROR collecting test_b.py\nE   SyntaxError: invalid syntax\n!!! Interrupted: 2 errors during collection !!!", 2, "", "", false},
		"a test that speaks of a module":   {nil, "python3 t.py", "AssertionError: No module named 'yaml'", 1, "", "", false},
		"one file cannot be imported":      {nil, "pytest", "ERROR collecting a.py\nE   ModuleNotFoundError: No module named 'yaml'\nERROR a.py\n=== 3 passed, 1 error in 0.10s ===", 1, "", "", false},
		"a file of node's own":             {node, "node --test", "Error: Cannot find module './lib/gone'\nRequire stack:\n- /x/a.test.js", 1, "", "", false},
		"a prerequisite":                   {nil, "make test", "make: *** No rule to make target 'gen.c', needed by 'test'.  Stop.", 2, "", "", false},
		"a package that nobody depends on": {node, "node --test", "Error: Cannot find module 'left-pad'", 1, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := testutil.Project(t, tt.files)
			if tt.files == nil {
				root = testutil.Project(t, map[string]string{"x": ""})
			}
			// a shell function with the command's name, so that the displayed command is the one
			// that runs
			line := "printf '%s\\n' " + quoted(tt.said) + "; exit " + strconv.Itoa(tt.code) + "; " + tt.command
			_, r, o := RunOrObstacle(t.Context(), Input{Root: root, Command: belay.TestCommand{Command: line}, May: config.Anything()})
			switch {
			case tt.what == "" && o != nil:
				t.Errorf("%+v", *o)
			case tt.what == "":
			case o == nil:
				t.Errorf("no obstacle: %s", testutil.Told(r))
			case !strings.Contains(o.Message, tt.what) || o.Fix != tt.fix:
				t.Errorf("%q, fix %q", o.Message, o.Fix)
			case tt.unreported != (r.Verdict == belay.VerdictFail) || r.Verdict == belay.VerdictPass:
				t.Errorf("judged %s", testutil.Told(r))
			}
		})
	}
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func TestAskedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o     Obstacle
		words string
		want  bool
	}{
		{Obstacle{Names: []string{"mocha"}}, "replace mocha by vitest", true},
		{Obstacle{Names: []string{"mocha"}}, "add a mochaccino to the menu", false},
		{Obstacle{Names: fileNames("./check.sh"), InProject: true}, "write check.sh", true},
		{Obstacle{Names: fileNames("./check.sh"), InProject: true}, "write the first tests", true},
		{Obstacle{Names: fileNames("./check.sh"), InProject: true}, "add a header to the page", false},
		{Obstacle{Names: []string{"pytest"}}, "write the first tests", false},
		{Obstacle{}, "anything", false},
	} {
		if got := tt.o.IsAskedFor(tt.words); got != tt.want {
			t.Errorf("%v of %q: %v", tt.o.Names, tt.words, got)
		}
	}
}
