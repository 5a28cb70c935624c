package belay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/proc"
)

// starters lists the files that start processes, and what they start. No other file may. Commands
// that a repository configures are started only by packages agent and proc, which take a
// config.Command, and only package config can create one.
var starters = map[string]string{
	"fleet/cmd/belay-fleet/tasks.go":      "git, for the remote and the commit of the clone it runs in",
	"fleet/remote/remote.go":              "git, in a mirror that is the worker's own",
	"internal/agent/job.go":               "agents, and belay itself as their shim",
	"internal/agent/run.go":               "agents, and belay itself as their shim",
	"internal/agent/shim.go":              "agents, and belay itself as their shim",
	"internal/cli/fleet.go":               "belay-fleet, in its own place",
	"internal/cli/pr_forge.go":            "belay itself, for each step of a pull request that is watched",
	"internal/cli/ui.go":                  "belay itself, for what a person decided on a page; the person's browser",
	"internal/cli/task_edit.go":           "the editor that the person's environment names",
	"internal/forge/tool.go":              "the person's own gh, glab and tea, to ask the forge with their login",
	"internal/git/user_command.go":        "git as the person starts it, for a commit or a push that they asked for; what git signs with",
	"internal/git/process.go":             "git",
	"internal/install/codex.go":           "the person's own codex, asked which hooks it sees",
	"internal/install/inspect.go":         "the person's own agents, asked for their version",
	"internal/proc/holder_linux.go":       "tests, linters, reviewers; what agent asks for; ps",
	"internal/proc/holder_other.go":       "tests, linters, reviewers; what agent asks for; ps",
	"internal/proc/launch.go":             "tests, linters, reviewers; what agent asks for; ps",
	"internal/proc/procs_other.go":        "tests, linters, reviewers; what agent asks for; ps",
	"internal/proc/readonly_linux.go":     "tests, linters, reviewers; what agent asks for; ps",
	"internal/runner/notify.go":           "notify-send and osascript, which show a notification",
	"internal/terminal/pager.go":          "the pager that the person's environment names",
	"internal/testutil/rights.go":         "belay's own tests",
	"internal/testutil/repository_git.go": "git, in belay's own tests",
	"internal/testutil/sandbox.go":        "git, in belay's own tests",
	"internal/watch/control.go":           "belay itself",
	"release/main.go":                     "go and git, to build a release, and the belay that it built",
}

// makers lists, for each function of package config that allows a command because a person typed
// it, the files that may call it.
var makers = map[string][]string{
	"TypedCommand": {"internal/app/read_only.go"},
	"TypeCommand":  {"internal/app/run.go", "internal/app/task.go", "internal/app/trust.go"},
	"Type":         {"internal/app/service.go", "internal/app/trust.go"},
	"Anything":     nil,
	"Under":        {"internal/app/read_only.go"},
	"Narrowed":     {"internal/testrun/again.go", "internal/runner/fence.go"},
	"More":         {"internal/runner/attempt.go"},
	"Install":      {"internal/runner/baseline.go"},
}

// TestOnlyTrustStartsPrograms checks starters and makers against the code.
func TestOnlyTrustStartsPrograms(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "bench" || d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		file = filepath.ToSlash(file)
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, what := range starts(tree) {
			if seen[file] = true; starters[file] == "" {
				t.Errorf("%s uses %s: start processes with internal/agent or internal/proc", file, what)
			}
		}
		for _, name := range typing(tree) {
			if allowed := makers[name]; path.Dir(file) != "internal/config" && !contains(allowed, file) {
				t.Errorf("%s calls %s of package config, which only %v may call", file, name, allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for file := range starters {
		if !seen[file] {
			t.Errorf("%s is in the list but starts no process", file)
		}
	}
	command := reflect.TypeFor[config.Command]()
	for _, starts := range []reflect.Type{reflect.TypeFor[agent.Spec](), reflect.TypeFor[proc.Program]()} {
		if f, ok := starts.FieldByName("Command"); !ok || f.Type != command {
			t.Errorf("%s takes a command that is not a config.Command", starts)
		}
	}
	for i := range command.NumField() {
		if command.Field(i).IsExported() {
			t.Errorf("config.Command.%s is exported, so any package can set it", command.Field(i).Name)
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// starts returns the functions and types of a file's code that start a process.
func starts(file *ast.File) (found []string) {
	exec := ""
	for _, i := range file.Imports {
		if name, _ := strconv.Unquote(i.Path.Value); name == "os/exec" {
			if exec = "exec"; i.Name != nil {
				exec = i.Name.Name
			}
		}
	}
	starting := map[string]bool{"os.StartProcess": true, "syscall.ForkExec": true, "syscall.StartProcess": true, "syscall.Exec": true, "unix.Exec": true,
		"proc.Launch": true, exec + ".Command": true, exec + ".CommandContext": true, exec + ".Cmd": true}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && starting[x.Name+"."+s.Sel.Name] {
				found = append(found, x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}

// typing returns the functions of makers that a file calls. Methods are recognized by name, and
// only when gate accepts the call.
func typing(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if s, ok := c.Fun.(*ast.SelectorExpr); ok {
				x, _ := s.X.(*ast.Ident)
				_, known := makers[s.Sel.Name]
				method := s.Sel.Name != "TypedCommand" && s.Sel.Name != "Anything"
				if known && (x != nil && x.Name == "config" || method && gate(s)) {
					found = append(found, s.Sel.Name)
				}
			}
		}
		return true
	})
	return found
}

// gate reports whether a method is called on a session's gate or on a command. Other types have
// methods of the same names.
func gate(s *ast.SelectorExpr) bool {
	switch x := s.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "May" || x.Sel.Name == "may"
	case *ast.Ident:
		return x.Name == "may" || x.Name == "command"
	}
	return false
}
