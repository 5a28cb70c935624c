package main

import (
	"io"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/terminal"
)

func quietApp() *cli.App {
	return &cli.App{Terminal: &terminal.Terminal{Out: io.Discard, Err: io.Discard}}
}

// A branch is found by each name of each of its commands, and by no other argument.
func TestBranches(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range branches() {
		var names []string
		for _, c := range b.make(quietApp()) {
			names = append(append(names, c.Name()), c.Aliases...)
		}
		want := slices.Clone(b.names)
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(want, names) {
			t.Errorf("the names of a branch are %q, and its commands %q", want, names)
		}
		for _, n := range names {
			if seen[n] {
				t.Errorf("%s is in two branches", n)
			}
			seen[n] = true
		}
	}
}

// For any arguments, the branch has the same command as the complete program; for an unknown
// command all commands are created, for suggestions.
func TestCalledBranchHasTheCommand(t *testing.T) {
	t.Parallel()
	full := len(commands(quietApp(), nil).Commands())
	flags := [][]string{nil, {"-C", "undo"}, {"--dir", "run"}, {"--dir=x", "--json"}, {"--anywhere", "-C", "."}}
	for _, b := range branches() {
		for _, name := range b.names {
			for _, f := range flags {
				args := append(slices.Clone(f), name)
				got, want := find(t, args, args), find(t, nil, args)
				if got != want || want == "belay" {
					t.Errorf("%q is %s, of all commands %s", args, got, want)
				}
			}
		}
	}
	for _, args := range [][]string{nil, {"help", "run"}, {"--help"}, {"-h", "run"}, {"--version"}, {"completion", "bash"}, {"__complete", "run", ""}, {"rum"}, {"--", "run"}, {"-C"}, {"--no", "run"}, {"-Cx", "run"}} {
		if n := len(commands(quietApp(), args).Commands()); n != full {
			t.Errorf("%q has %d commands of %d", args, n, full)
		}
	}
	if n := len(commands(quietApp(), []string{"--json", "version"}).Commands()); n != 1 {
		t.Errorf("version is made with %d commands", n)
	}
}

// find returns the path of the command that args select among those created for made.
func find(t *testing.T, made, args []string) string {
	t.Helper()
	var c *cobra.Command
	c, _, err := commands(quietApp(), made).Find(args)
	if err != nil {
		t.Errorf("%q: %v", args, err)
	}
	return c.CommandPath()
}
