package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/terminal"
)

var update = flag.Bool("update", false, "write docs/commands.md anew")

// listed returns the commands in the help, each before its subcommands.
func listed(c *cobra.Command) (all []*cobra.Command) {
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			all = append(append(all, sub), listed(sub)...)
		}
	}
	return all
}

func theRoot() *cobra.Command { return commands(&cli.App{Terminal: &terminal.Terminal{}}, nil) }

// TestHelp: every command has a short description, its exit codes, and an example of which belay
// knows every command and flag.
func TestHelp(t *testing.T) {
	t.Parallel()
	root := theRoot()
	for _, c := range listed(root) {
		path := c.CommandPath()
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: %q is not what it does, in a few words", path, c.Short)
		}
		if !c.HasSubCommands() && !strings.Contains(c.Long, "Exit codes: ") {
			t.Errorf("%s has no exit codes", path)
		}
		if !strings.Contains(c.Example, path) {
			t.Errorf("%s has no example", path)
		}
		for _, called := range calls(c.Example) {
			known(t, root, path, called)
		}
	}
}

// known checks that a call's command and flags exist.
func known(t *testing.T, root *cobra.Command, path string, called []string) {
	t.Helper()
	c, rest, err := root.Find(called)
	if err != nil || c == root {
		t.Errorf("an example of %s has an unknown command: %v: %v", path, called, err)
		return
	}
	for _, word := range rest {
		name, long := strings.CutPrefix(word, "--")
		if name, _, _ = strings.Cut(name, "="); long && name != "" && c.Flags().Lookup(name) == nil && root.PersistentFlags().Lookup(name) == nil {
			t.Errorf("%s has no flag --%s, which an example of %s gives", c.CommandPath(), name, path)
		}
	}
}

var (
	quoted = lazyregexp.New(`"[^"]*"|'[^']*'`)
	apart  = lazyregexp.New(`\s(?:&&|\||--)\s|\n`)
)

// calls returns the arguments of each call of belay in an example.
func calls(example string) (all [][]string) {
	example = quoted.ReplaceAllString(strings.ReplaceAll(example, "\\\n", ""), "…")
	for _, part := range apart.Split(example, -1) {
		if words := strings.Fields(part); len(words) > 1 && words[0] == "belay" {
			all = append(all, words[1:])
		}
	}
	return all
}

// TestCommandsAreWritten: docs/commands.md has the help of every command.
func TestCommandsAreWritten(t *testing.T) {
	t.Parallel()
	const path = "../../docs/commands.md"
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `make docs` from what `belay help COMMAND` says, which has the flags, the exit codes and more examples.\n")
	for _, group := range theRoot().Groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| command | does |\n|---|---|\n", strings.TrimSuffix(group.Title, ":"))
		for _, c := range theRoot().Commands() {
			if c.GroupID != group.ID || c.Hidden {
				continue
			}
			for _, c := range append([]*cobra.Command{c}, listed(c)...) {
				if !c.HasSubCommands() {
					fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(c.Parent().CommandPath()+" "+c.Use, "|", `\|`), c.Short)
				}
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != b.String() {
		t.Errorf("docs/commands.md differs from the help (make docs writes it): %v", err)
	}
}
