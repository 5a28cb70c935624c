package testdiff

import (
	"testing"

	"github.com/belay-dev/belay/internal/syntax"
)

func npm(scripts string) string {
	return "{\n\"name\": \"x\",\n\"scripts\": {\n" + scripts + "\n}\n}\n"
}

// TestSilenced has commands that no longer test the project, and some that only seem so.
func TestSilenced(t *testing.T) {
	t.Parallel()
	const gone = "no tests are run any more: "
	for name, c := range map[string]struct {
		path, before, after, want string
	}{
		"npm: echo":               {"package.json", npm(`"test": "jest"`), npm(`"test": "echo ok"`), "error package.json:4 " + gone + "test"},
		"npm: true":               {"web/package.json", npm(`"test": "node test/run.js"`), npm(`"test": "true"`), "error web/package.json:4 " + gone + "test"},
		"npm: exit 0":             {"package.json", npm(`"test": "tsc && vitest run"`), npm(`"test": "echo 'no; tests' && exit 0"`), "error package.json:4 " + gone + "test"},
		"npm: :":                  {"package.json", npm(`"test:unit": "mocha"`), npm(`"test:unit": ":"`), "error package.json:4 " + gone + "test:unit"},
		"npm: nothing":            {"package.json", npm(`"test": "mocha"`), npm(`"test": ""`), "error package.json:4 " + gone + "test"},
		"npm: an unknown one":     {"package.json", npm(`"test": "tsc --noEmit"`), npm(`"test": "true"`), "warning package.json:4 " + gone + "test"},
		"npm: moved":              {"package.json", npm(`"test": "jest"`), npm(`"test": "echo use npm run unit",` + "\n" + `"unit": "jest"`), "warning package.json:4 " + gone + "test"},
		"npm: another runner":     {"package.json", npm(`"test": "jest"`), npm(`"test": "vitest run"`), ""},
		"npm: another script":     {"package.json", npm(`"test": "jest"`), npm(`"test": "npm run unit",` + "\n" + `"unit": "jest"`), ""},
		"npm: echo before":        {"package.json", npm(`"test": "jest"`), npm(`"test": "echo testing && jest"`), ""},
		"npm: echo of a run":      {"package.json", npm(`"test": "jest"`), npm(`"test": "echo $(jest)"`), ""},
		"npm: exit 1":             {"package.json", npm(`"test": "jest"`), npm(`"test": "exit 1"`), ""},
		"npm: no test before":     {"package.json", npm(`"test": "echo \"Error: no test specified\" && exit 1"`), npm(`"test": "echo ok"`), ""},
		"npm: another word":       {"package.json", npm(`"start": "node test.js"`), npm(`"start": "true"`), ""},
		"npm: no JSON":            {"package.json", npm(`"test": "jest"`), "{", ""},
		"composer: echo":          {"composer.json", npm(`"test": "phpunit"`), npm(`"test": "echo ok"`), "error composer.json:4 " + gone + "test"},
		"composer: a list":        {"composer.json", npm(`"test": ["@lint", "phpunit"]`), npm(`"test": ["echo ok"]`), "error composer.json:4 " + gone + "test"},
		"composer: another":       {"composer.json", npm(`"test": ["phpunit"]`), npm(`"test": ["@lint", "pest"]`), ""},
		"make: echo":              {"Makefile", "build:\n\tgo build\ntest: build\n\tgo test ./...\n", "build:\n\tgo build\ntest: build\n\t@echo ok\n", "error Makefile:3 " + gone + "test"},
		"make: emptied":           {"Makefile", "test:\n\tgo test ./...\n", "test:\n", "error Makefile:1 " + gone + "test"},
		"make: one line":          {"Makefile", "test: ; pytest\n", "test: ; @true\n", "error Makefile:1 " + gone + "test"},
		"make: needs less":        {"Makefile", "test: unit\n\nunit:\n\tpytest\n", "test:\n\t@:\n\nunit:\n\tpytest\n", "warning Makefile:1 " + gone + "test"},
		"make: another target":    {"Makefile", "test:\n\tgo test ./...\n", "test: unit\nunit:\n\tgo test ./...\n", ""},
		"make: a variable":        {"Makefile", "test:\n\tgo test ./...\n", "test:\n\t$(GO) test ./...\n", ""},
		"make: echo and test":     {"Makefile", "test:\n\tgo test ./...\n", "test:\n\t@echo testing\n\tgo test ./... -race\n", ""},
		"make: gone":              {"Makefile", "test:\n\tgo test ./...\n", "build:\n\tgo build\n", ""},
		"make: clean":             {"Makefile", "clean:\n\trm -r test\n", "clean:\n\t@true\n", ""},
		"just":                    {"justfile", "test *args:\n    cargo test {{args}}\n", "test *args:\n    echo ok\n", "error justfile:1 " + gone + "test"},
		"tox":                     {"tox.ini", "[testenv]\ndeps = pytest\ncommands =\n    pytest {posargs}\n", "[testenv]\ndeps = pytest\ncommands =\n    true\n", "error tox.ini:3 " + gone + "testenv commands"},
		"tox: one line":           {"tox.ini", "[testenv:py3]\ncommands = python -m unittest\n", "[testenv:py3]\ncommands = python -c ''\n", "error tox.ini:2 " + gone + "testenv:py3 commands"},
		"tox: another runner":     {"tox.ini", "[testenv]\ncommands = python -m unittest\n", "[testenv]\ncommands = pytest\n", ""},
		"tox: what is needed":     {"tox.ini", "[testenv]\ndeps = pytest\ncommands = pytest\n", "[testenv]\ndeps =\ncommands = pytest\n", ""},
		"pyproject: a script":     {"pyproject.toml", "[tool.hatch.envs.default.scripts]\ntest = \"pytest {args}\"\n", "[tool.hatch.envs.default.scripts]\ntest = \"echo ok\"\n", "error pyproject.toml:2 " + gone + "tool.hatch.envs.default.scripts test"},
		"pyproject: a task":       {"pyproject.toml", "[tool.poe.tasks]\ntest = { cmd = \"pytest\" }\n", "[tool.poe.tasks]\ntest = { cmd = \"true\" }\n", "error pyproject.toml:2 " + gone + "tool.poe.tasks test"},
		"pyproject: another task": {"pyproject.toml", "[tool.poe.tasks]\ntest = \"pytest\"\n", "[tool.poe.tasks]\ntest = [\"lint\", \"unit\"]\n", ""},
		"pyproject: no task":      {"pyproject.toml", "[project]\ntest = \"pytest\"\n", "[project]\ntest = \"true\"\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(Check([]*syntax.File{file(c.path, c.before, c.after)}, Rules{})); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}
