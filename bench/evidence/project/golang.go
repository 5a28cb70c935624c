package project

import (
	"os/exec"
	"path/filepath"
	"strings"
)

func cobra() Project {
	const code, tests = "args.go", "args_test.go"
	return Project{
		Language: "Go", Name: "cobra", Version: "1.10.2", From: "the Go module proxy",
		Needs: []string{"gobin/staticcheck"},
		Tools: []string{"go"},
		Unpack: func(_ Store, dir string) error {
			from, err := exec.Command("go", "env", "GOMODCACHE").Output()
			if err != nil {
				return err
			}
			return copied(filepath.Join(strings.TrimSpace(string(from)), "github.com/spf13/cobra@v1.10.2"), dir)
		},
		Env:     func(Store) []string { return append(goEnv(), "GOFLAGS=-mod=mod") },
		Test:    "go test -vet=off .",
		Linter:  "  staticcheck:\n    command: $STORE/gobin/staticcheck ./...\n",
		Files:   "*.go,even/**",
		Comment: "//", Code: code, Constant: "const %s = \"%s\"",
		Good: Edits(
			Add(code, "\n// EvenArgs returns an error if the number of args is odd.\nfunc EvenArgs(cmd *Command, args "+
				"[]string) error {\n\tif len(args)%2 != 0 {\n\t\treturn fmt.Errorf(\"%q takes an even number of args, "+
				"received %d\", cmd.CommandPath(), len(args))\n\t}\n\treturn nil\n}\n"),
			Add(tests, "\nfunc TestEvenArgs(t *testing.T) {\n\tc := getCommand(EvenArgs, false)\n"+
				"\toutput, err := executeCommand(c, \"a\", \"b\")\n\texpectSuccess(output, err, t)\n"+
				"\tif _, err := executeCommand(c, \"a\"); err == nil {\n\t\tt.Fatal(\"Expected an error\")\n\t}\n}\n")),
		Cases: []Trial{
			{Name: "failing test", Make: swap(code,
				"func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 0",
				"func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 1"), Says: []string{"error tests…"}},
			{Name: "code that does not compile", Make: swap(code, "func NoArgs(", "func NoArgs(("),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut(tests, "func TestNoArgs_WithArgs(", "func TestNoArgs_WithValid_WithArgs("),
				Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove("flag_groups_test.go"), Says: []string{"question integrity"}},
			{Name: "renamed test", Make: swap(tests, "func TestNoArgs_WithArgs(", "func TestNoArgsRefusesArgs(")},
			{Name: "skipped test", Make: swap(tests, "func TestNoArgs(t *testing.T) {\n",
				"func TestNoArgs(t *testing.T) {\n\tt.Skip(\"later\")\n"), Says: []string{"error integrity"}},
			{Name: "test without its assertion",
				Make: swap(tests, "\toutput, err := executeCommand(c)\n\texpectSuccess(output, err, t)\n}\n\nfunc "+
					"TestNoArgs_WithArgs", "\t_, _ = executeCommand(c)\n}\n\nfunc TestNoArgs_WithArgs"), Says: []string{"error integrity"}},
			{Name: "fewer assertions", Make: swap("active_help_test.go",
				"ShellCompNoDescRequestCmd, \"\")\n\tif err != nil {\n\t\tt.Errorf(\"Unexpected error: %v\", "+
					"err)\n\t}\n", "ShellCompNoDescRequestCmd, \"\")\n\t_ = err\n"), Says: []string{"warning integrity"}},
			{Name: "helper without its assertion",
				Make: swap(tests, "\tif got != expected {\n\t\tt.Fatalf(\"Expected %q, got %q\", expected, "+
					"got)\n\t}\n}\n\nfunc maximumNArgs", "\t_, _ = got, expected\n}\n\nfunc maximumNArgs"),
				Says: []string{"warning integrity"}},
			{Name: "expected value changed with the code",
				Make: Edits(swap(code, "accepts %d arg(s), received %d", "accepts %d args, received %d"),
					swap(tests, "\"accepts 2 arg(s), received 3\"", "\"accepts 2 args, received 3\"")),
				Says: []string{"warning integrity"}},
			{Name: "undocumented declaration",
				Make: Edits(Add(code, "\nfunc OddArgs(cmd *Command, args []string) error { return nil }\n"),
					Add(tests, "\nfunc TestOddArgs(t *testing.T) {\n"+
						"\tif OddArgs(nil, nil) != nil {\n\t\tt.Fatal(\"Unexpected error\")\n\t}\n}\n")), Says: []string{"warning style"}},
			{Name: "code without a test file",
				Make: Write("even/even.go", "// Package even says what is even.\npackage even\n\n"+
					"// Is tells whether n is even.\nfunc Is(n int) bool { return n%2 == 0 }\n"), Says: []string{"warning coverage"}},
			{Name: "lint finding on a changed line",
				Make: swap(code, "func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 0",
					"func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 0 && cmd == cmd"), Says: []string{"error lint"}},
			{Name: "lint finding on an old line", Make: Add("command_test.go", "\n// Looked through once more.\n")},
		},
	}
}
