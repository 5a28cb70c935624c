package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/app"
)

// Settings are the flags that override keys of the config file.
type Settings struct {
	Skip []string
	all  bool // all flags are defined, not only those of AddScope
}

// Add defines all flags.
func (s *Settings) Add(f *pflag.FlagSet) {
	s.all = true
	s.AddScope(f)
	f.StringSlice("preserve", nil, "`GLOBS` that a rollback does not touch")
	f.Int("retries", 3, "automatic retries after the first attempt")
	f.String("retry", "auto", "between attempts: auto, rollback or repair")
	f.String("mode", "standard", "how often reviewers may reject: hotfix, quick, standard or full")
	f.String("timeout", "", "time limit of one attempt, like 30m")
	f.StringSlice("accept-exit", nil, "check the agent's work after these exit `STATUSES`, too, not only after 0")
	f.String("check-timeout", "", "time limit of all checks together, like 5m")
	f.Int("max-attempts", 0, "limit of all attempts, including those that a person asks for")
	f.String("wall-time", "", "limit of the total time of all attempts, like 2h")
	f.Float64("cost", 0, "stop the agent when all attempts together have cost this many `DOLLARS`")
	f.Int("tokens", 0, "stop the agent when all attempts together have used this many tokens")
}

// AddScope defines the flags that a check needs.
func (s *Settings) AddScope(f *pflag.FlagSet) {
	f.StringSlice("files", nil, "`GLOBS` that the task may change (default: all files)")
	f.StringSlice("protect", nil, "`GLOBS` that must not change")
	s.AddTests(f)
	f.Int("max-diff", 300, "changed lines before a warning")
	f.StringSliceVar(&s.Skip, "skip", nil, "checks not to run")
}

// AddTests defines the flags about the project's tests.
func (*Settings) AddTests(f *pflag.FlagSet) {
	f.String("test", "", "the test `COMMAND` (default: detected)")
	f.String("test-format", "", "format of the test results: gotest, junit, tap, exit …")
	f.String("test-report", "", "`GLOB` of the XML reports that the test command writes")
	f.Bool("known-failures", false, "a test command that failed before the task may fail in the same way after it")
}

// configKeys has the config key of each flag.
var configKeys = map[string]string{
	"files": "files", "protect": "protect", "preserve": "preserve", "skip": "checks.skip",
	"test": "checks.tests.command", "test-format": "checks.tests.format", "test-report": "checks.tests.report",
	"known-failures": "checks.tests.known_failures", "accept-exit": "agent.accept_exit",
	"retry": "retry", "mode": "mode", "retries": "retries", "timeout": "agent.timeout", "check-timeout": "checks.timeout",
	"max-diff": "checks.max_diff", "max-attempts": "limits.attempts", "wall-time": "limits.wall_time",
	"cost": "limits.cost", "tokens": "limits.tokens", "fence": "fence.enabled",
}

// scopeFlags has the flags that AddScope defines.
var scopeFlags = map[string]bool{"files": true, "protect": true, "test": true, "test-format": true, "test-report": true,
	"known-failures": true, "max-diff": true, "skip": true}

// Flags returns the keys that were set on the command line.
func (s *Settings) Flags(f *pflag.FlagSet) []app.Flag {
	var out []app.Flag
	f.Visit(func(fl *pflag.Flag) {
		key, ours := configKeys[fl.Name]
		if !ours || !s.all && !scopeFlags[fl.Name] { // belay check has its own --timeout
			return
		}
		value := fl.Value.String()
		if list, ok := fl.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		out = append(out, app.Flag{Key: key, Value: value})
	})
	return out
}

// completeFrom returns what list finds in the repository as completions, none if that fails.
func (a *App) completeFrom(c *cobra.Command, list func(*app.Service) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	var words []string
	svc, err := a.Open(c.Context())
	if err == nil {
		words, err = list(svc)
	}
	if err != nil {
		words = nil
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// CompleteTasks offers the IDs of all tasks.
func (a *App) CompleteTasks(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeFrom(c, func(svc *app.Service) (ids []string, err error) {
		lines, err := svc.Tasks()
		for _, l := range lines {
			ids = append(ids, string(l.ID)+"\t"+l.Title)
		}
		return ids, err
	})
}

// CompleteSnapshots offers snapshot IDs, newest first.
func (a *App) CompleteSnapshots(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeFrom(c, func(svc *app.Service) (ids []string, err error) {
		list, err := svc.Session.Snaps.List(c.Context())
		for _, s := range slices.Backward(list) {
			ids = append(ids, string(s.ID)+"\t"+string(s.Kind)+" "+s.Message)
		}
		return ids, err
	})
}
