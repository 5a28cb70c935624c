package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpBeginsWithUse: what a command does, its usage and its examples come before the
// explanation.
func TestHelpBeginsWithUse(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "belay"}
	c := &cobra.Command{Use: "take", Short: "Take a snapshot", Long: "It explains.", Example: "  belay take", Aliases: []string{"t"},
		Run: func(*cobra.Command, []string) {}}
	c.Flags().Bool("all", false, "take all")
	root.AddCommand(c)
	var b strings.Builder
	printHelp(&b, c)
	want := "Take a snapshot\n\nUsage: belay take [flags]\nAliases: t\n\nExamples:\n  belay take\n\nIt explains.\n\n" +
		"Flags:\n      --all   take all\n\nbelay help lists the flags that every command takes: --json, --dir and others.\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestHelpWithoutExamples: a command without examples, like those that cobra adds, has no heading for them.
func TestHelpWithoutExamples(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	printHelp(&b, &cobra.Command{Use: "take", Short: "Take a snapshot", Long: "It explains.\n", Run: func(*cobra.Command, []string) {}})
	want := "Take a snapshot\n\nUsage: take\n\nIt explains.\n\nbelay help lists the flags that every command takes: --json, --dir and others.\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestHelpIsShort: belay help lists at most twenty commands, each once.
func TestHelpIsShort(t *testing.T) {
	t.Parallel()
	n, seen := 0, map[string]bool{}
	for _, g := range helpGroups {
		for _, name := range g.commands {
			if n++; seen[name] {
				t.Errorf("%s is in two groups", name)
			}
			seen[name] = true
		}
	}
	if n > 20 || len(helpGroups) != 4 { // three groups, and the rest
		t.Errorf("%d commands in %d groups", n, len(helpGroups)-1)
	}
}
