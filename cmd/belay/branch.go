package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

// branch is commands that are made together, with all their flags and what is below
// them. Names are what calls them.
type branch struct {
	names []string
	make  func(*cli.App) []*cobra.Command
}

// branches gives all commands in the order of the help.
func branches() []branch {
	return []branch{
		{[]string{"run", "decide", "gate", "cancel", "check", "rollback", "merge", "worktree", "show", "log",
			"fix-prompt"}, cli.LoopCommands},
		{[]string{"review"}, cli.ReviewCommands},
		{[]string{"pr", "verify", "verify-ticked", "issues"}, func(a *cli.App) []*cobra.Command { return cli.PullCommands(a, version) }},
		{[]string{"task", "task-history"},
			func(a *cli.App) []*cobra.Command { return cli.TaskCommands(a, cli.ImportCommands(a)...) }},
		{[]string{"feature", "phase"}, cli.FeatureCommands},
		{[]string{"context"}, cli.ContextCommands},
		{[]string{"plan"}, cli.PlanCommands},
		{[]string{"snapshot", "snap", "diff", "undo", "redo", "watch"}, cli.SnapshotCommands},
		{[]string{"report"}, cli.ReportCommands},
		{[]string{"telemetry"}, cli.TelemetryCommands},
		{[]string{"fleet"}, cli.FleetCommands},
		{[]string{"notify"}, cli.NotifyCommands},
		{[]string{"count", "scope"}, cli.CountCommands},
		{[]string{"status", "init", "config", "trust", "doctor", "guard", "fence"}, cli.RepositoryCommands},
		{[]string{"mcp", "ui"}, func(a *cli.App) []*cobra.Command { return cli.ServerCommands(a, version) }},
		{[]string{"hook", "timeline", "brief"}, cli.SessionCommands},
		{[]string{"version"}, func(a *cli.App) []*cobra.Command { return []*cobra.Command{versionCommand(a)} }},
	}
}

// called gives the branch that the arguments call, or all of them where that is not
// plain: for help, completion, a flag that is not of the program, a word that is no
// command.
func called(args []string) []branch {
	all, word := branches(), firstWord(args)
	for i, b := range all {
		if !slices.Contains(b.names, word) {
			continue
		}
		next := ""
		if at := slices.Index(args, word) + 1; at < len(args) {
			next = args[at]
		}
		for _, other := range all { // "belay task show" is told of belay show
			if !slices.Contains(b.names, next) && slices.Contains(other.names, next) {
				return []branch{b, other}
			}
		}
		return all[i : i+1]
	}
	return all
}

// firstWord passes over the program's own flags; "" where anything else stands.
func firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-C" || arg == "--dir" || arg == "--log":
			i++ // its value
		case arg == "--json" || arg == "--anywhere" || arg == "--no-color" || strings.HasPrefix(arg, "--dir=") ||
			strings.HasPrefix(arg, "--log="):
		case strings.HasPrefix(arg, "-"):
			return ""
		default:
			return arg
		}
	}
	return ""
}
