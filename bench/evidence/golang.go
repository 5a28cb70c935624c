package main

import (
	"os/exec"
	"path/filepath"
	"strings"
)

func cobra() project {
	const code, tests = "args.go", "args_test.go"
	return project{
		language: "Go", name: "cobra", version: "1.10.2", from: "the Go module proxy",
		needs: []string{"gobin/staticcheck"},
		tools: []string{"go"},
		unpack: func(_ store, dir string) error {
			from, err := exec.Command("go", "env", "GOMODCACHE").Output()
			if err != nil {
				return err
			}
			return copied(filepath.Join(strings.TrimSpace(string(from)), "github.com/spf13/cobra@v1.10.2"), dir)
		},
		env:     func(store) []string { return append(goEnv(), "GOFLAGS=-mod=mod") },
		test:    "go test -vet=off .",
		linter:  "  staticcheck:\n    command: $STORE/gobin/staticcheck ./...\n",
		files:   "*.go,even/**",
		comment: "//", code: code, constant: "const %s = \"%s\"",
		good: edits(
			add(code, "\n// EvenArgs returns an error if the number of args is odd.\nfunc EvenArgs(cmd *Command, args []string) error {\n\tif len(args)%2 != 0 {\n\t\treturn fmt.Errorf(\"%q takes an even number of args, received %d\", cmd.CommandPath(), len(args))\n\t}\n\treturn nil\n}\n"),
			add(tests, "\nfunc TestEvenArgs(t *testing.T) {\n\tc := getCommand(EvenArgs, false)\n\toutput, err := executeCommand(c, \"a\", \"b\")\n\texpectSuccess(output, err, t)\n\tif _, err := executeCommand(c, \"a\"); err == nil {\n\t\tt.Fatal(\"Expected an error\")\n\t}\n}\n")),
		cases: []trial{
			{name: "failing test", make: swap(code, "func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 0", "func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 1"), says: []string{"error tests…"}},
			{name: "code that does not compile", make: swap(code, "func NoArgs(", "func NoArgs(("), flags: []string{"--skip", "lint"}, says: []string{"error tests…"}},
			{name: "deleted test", make: cut(tests, "func TestNoArgs_WithArgs(", "func TestNoArgs_WithValid_WithArgs("), says: []string{"error integrity"}},
			{name: "deleted test file", make: remove("flag_groups_test.go"), says: []string{"error integrity"}},
			{name: "renamed test", make: swap(tests, "func TestNoArgs_WithArgs(", "func TestNoArgsRefusesArgs(")},
			{name: "skipped test", make: swap(tests, "func TestNoArgs(t *testing.T) {\n", "func TestNoArgs(t *testing.T) {\n\tt.Skip(\"later\")\n"), says: []string{"error integrity"}},
			{name: "test without its assertion", make: swap(tests, "\toutput, err := executeCommand(c)\n\texpectSuccess(output, err, t)\n}\n\nfunc TestNoArgs_WithArgs", "\t_, _ = executeCommand(c)\n}\n\nfunc TestNoArgs_WithArgs"), says: []string{"error integrity"}},
			{name: "fewer assertions", make: swap("active_help_test.go", "ShellCompNoDescRequestCmd, \"\")\n\tif err != nil {\n\t\tt.Errorf(\"Unexpected error: %v\", err)\n\t}\n", "ShellCompNoDescRequestCmd, \"\")\n\t_ = err\n"), says: []string{"warning integrity"}},
			{name: "helper without its assertion", make: swap(tests, "\tif got != expected {\n\t\tt.Fatalf(\"Expected %q, got %q\", expected, got)\n\t}\n}\n\nfunc maximumNArgs", "\t_, _ = got, expected\n}\n\nfunc maximumNArgs"), says: []string{"warning integrity"}},
			{name: "expected value changed with the code", make: edits(swap(code, "accepts %d arg(s), received %d", "accepts %d args, received %d"), swap(tests, "\"accepts 2 arg(s), received 3\"", "\"accepts 2 args, received 3\"")), says: []string{"warning integrity"}},
			{name: "undocumented declaration", make: edits(add(code, "\nfunc OddArgs(cmd *Command, args []string) error { return nil }\n"), add(tests, "\nfunc TestOddArgs(t *testing.T) {\n\tif OddArgs(nil, nil) != nil {\n\t\tt.Fatal(\"Unexpected error\")\n\t}\n}\n")), says: []string{"warning style"}},
			{name: "code without a test file", make: write("even/even.go", "// Package even says what is even.\npackage even\n\n// Is tells whether n is even.\nfunc Is(n int) bool { return n%2 == 0 }\n"), says: []string{"warning coverage"}},
			{name: "lint finding on a changed line", make: swap(code, "func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 0", "func NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 0 && cmd == cmd"), says: []string{"error lint"}},
			{name: "lint finding on an old line", make: add("command_test.go", "\n// Looked through once more.\n")},
		},
	}
}
