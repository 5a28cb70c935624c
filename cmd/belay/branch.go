package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/cli"
)

// branch is a group of commands that are created together, with all their flags and subcommands.
// names are the arguments that select it.
type branch struct {
	names []string
	make  func(*cli.App) []*cobra.Command
}

// branches returns all commands in the order of the help.
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

// called returns the branch that the arguments select, or all of them if that is not clear: for
// help, completion, a flag that is not belay's own, an unknown command.
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
		for _, other := range all { // "belay task show" gets a hint to belay show
			if !slices.Contains(b.names, next) && slices.Contains(other.names, next) {
				return []branch{b, other}
			}
		}
		return all[i : i+1]
	}
	return all
}

// firstWord returns the first argument after belay's own flags; "" if there is another flag before
// it.
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
