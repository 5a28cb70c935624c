package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/lint"
)

// Complete registers completions for the values of flags, by their names. It is called only when a
// shell asks for completions. args are the program's, with what is typed so far; after -- there are
// files.
func Complete(a *App, c *cobra.Command, args []string) {
	if n := len(args) - 1; n > 0 && slices.Contains(args[:n], "--") {
		c.ValidArgsFunction = nil
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		f.Usage = strings.ReplaceAll(f.Usage, "`", "") // they quote the value's name for the help
		if _, set := c.GetFlagCompletionFunc(f.Name); set {
			return
		}
		if offer := a.completionsFor(c, f); offer != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, offer) // fails only if it is registered
		}
	})
	for _, sub := range c.Commands() {
		Complete(a, sub, args)
	}
}

func (a *App) completionsFor(c *cobra.Command, f *pflag.Flag) cobra.CompletionFunc {
	all := config.Choices(configKeys[f.Name])
	switch f.Name {
	case "dir":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	case "with":
		all = agent.PresetNames()
	case "format":
		if all = append([]string{"text", "json"}, lint.OutputFormats()...); c.Name() != "check" {
			return nil
		}
	case "task", "resume":
		return func(c *cobra.Command, _ []string, s string) ([]string, cobra.ShellCompDirective) {
			return a.CompleteTasks(c, nil, s)
		}
	case "before", "against":
		if c.Name() != "scope" {
			return a.CompleteSnapshots
		}
	case "kind":
		for _, k := range belay.Kinds {
			all = append(all, string(k))
		}
	}
	if all == nil {
		return nil
	}
	return choices(all, f.Value.Type() == "stringSlice")
}

// choices offers values for a flag. list means that the flag takes several, separated by commas.
func choices(all []string, list bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		if !list || before == "" {
			return all, cobra.ShellCompDirectiveNoFileComp
		}
		var more []string
		for _, one := range all {
			if !slices.Contains(strings.Split(before, ","), one) {
				more = append(more, before+one)
			}
		}
		return more, cobra.ShellCompDirectiveNoFileComp
	}
}
