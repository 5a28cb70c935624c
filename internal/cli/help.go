package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
)

// helpGroups are the groups of commands in the help: at most twenty commands, so that a newcomer
// reads all. The rest, which are mostly used by scripts and other programs, are listed only by
// belay help --all.
var helpGroups = []struct {
	id, title string
	commands  []string
}{
	{"start", "Start here:", []string{"run", "status", "show", "diff", "decide", "undo"}},
	{"tasks", "Tasks and snapshots:", []string{"task", "check", "log", "pr", "rollback", "merge", "snapshot", "ui"}},
	{"repository", "The repository:", []string{"init", "config", "doctor", "trust", "feature", "review"}},
	{moreGroup, "More commands:", nil},
}

const moreGroup = "more"

// GroupCommands sorts the program's commands into the groups of its help, and sets its help.
func GroupCommands(root *cobra.Command) {
	for _, g := range helpGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
	}
	for _, c := range root.Commands() {
		c.GroupID = moreGroup
		for _, g := range helpGroups {
			if slices.Contains(g.commands, c.Name()) {
				c.GroupID = g.id
			}
		}
	}
	root.SetCompletionCommandGroupID(moreGroup)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c == root {
			printOverview(c.OutOrStdout(), root, false)
		} else {
			printHelp(c.OutOrStdout(), c)
		}
	})
	root.SetHelpCommand(helpCommand(root))
}

func helpCommand(root *cobra.Command) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command", GroupID: moreGroup,
		Long: `Help prints what a command does, with its flags and examples; --all lists every command.

Exit codes: 0 printed · 2 no such command.`,
		Example: "  belay help run\n  belay help --all",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return flagNames(c), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				printOverview(c.OutOrStdout(), root, all)
				return nil
			}
			found, rest, err := root.Find(args)
			if err != nil || found == root || len(rest) > 0 {
				return belay.Refuse(belay.CodeUsage, "belay help --all", "there is no command %q", strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
	c.Flags().BoolVar(&all, "all", false, "list every command")
	return c
}

// printOverview prints the help of the program itself.
func printOverview(w io.Writer, root *cobra.Command, all bool) {
	fmt.Fprintf(w, "%s\n\nUsage: belay COMMAND [flags]\n\nExamples:\n%s\n", root.Long, root.Example)
	for _, g := range root.Groups() {
		if g.ID == moreGroup && !all {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", g.Title)
		for _, c := range commandsOf(root, g.ID) {
			fmt.Fprintf(w, "  %-12s %s\n", c.Name(), c.Short)
			for _, sub := range c.Commands() {
				if all && sub.IsAvailableCommand() {
					fmt.Fprintf(w, "    %-22s %s\n", c.Name()+" "+sub.Name(), sub.Short)
				}
			}
		}
	}
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	fmt.Fprintf(w, "\nFlags:\n%s\n", strings.TrimRight(root.Flags().FlagUsages(), "\n"))
	if !all {
		fmt.Fprintln(w, "\nbelay help COMMAND explains a command; belay help --all lists all of them.")
	}
}

// printHelp prints the help of one command, most important first: what it does, its usage,
// examples.
func printHelp(w io.Writer, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	if help := c.Flags().Lookup("help"); help != nil {
		help.Hidden = true
	}
	use := c.UseLine()
	if c.HasSubCommands() {
		use = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(w, "%s\n\nUsage: %s\n", c.Short, use)
	if len(c.Aliases) > 0 {
		fmt.Fprintf(w, "Aliases: %s\n", strings.Join(c.Aliases, ", "))
	}
	if c.Example != "" { // completion has none
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(w, "  %-14s %s\n", sub.Name(), sub.Short)
		}
	}
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.Long))
	}
	if flags := c.LocalFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(w, "\nFlags:\n%s\n", strings.TrimRight(flags, "\n"))
	}
	fmt.Fprintln(w, "\nbelay help lists the flags that every command takes: --json, --dir and others.")
}

// commandsOf returns the commands of a group, in the order of helpGroups.
func commandsOf(root *cobra.Command, group string) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.GroupID == group && c.IsAvailableCommand() {
			list = append(list, c)
		}
	}
	for _, g := range helpGroups {
		if g.id == group && g.commands != nil {
			slices.SortStableFunc(list, func(a, b *cobra.Command) int {
				return slices.Index(g.commands, a.Name()) - slices.Index(g.commands, b.Name())
			})
		}
	}
	return list
}
