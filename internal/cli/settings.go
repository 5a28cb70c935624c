package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/app"
)

// Settings are the flags that stand for keys of the config file and win over it.
type Settings struct {
	Skip                         []string
	files, protect, preserve     []string
	test, format, report         string
	retry, timeout, checkTimeout string
	wall, mode                   string
	retries, attempts, maxDiff   int
	tokens                       int
	whole                        bool // all of them are defined, not those of the scope alone
	cost                         float64
	known                        bool
	accept                       []string
	fence                        string // of belay run
}

// Add defines all of them.
func (s *Settings) Add(f *pflag.FlagSet) {
	s.whole = true
	s.AddScope(f)
	f.StringSliceVar(&s.preserve, "preserve", nil, "`GLOBS` that a rollback does not touch")
	f.IntVar(&s.retries, "retries", 3, "automatic retries after the first attempt")
	f.StringVar(&s.retry, "retry", "auto", "between attempts: auto, rollback or repair")
	f.StringVar(&s.mode, "mode", "standard", "how often reviewers may reject: hotfix, quick, standard or full")
	f.StringVar(&s.timeout, "timeout", "", "time limit of one attempt, like 30m")
	f.StringSliceVar(&s.accept, "accept-exit", nil, "check the agent's work after these exit `STATUSES`, too, not only after 0")
	f.StringVar(&s.checkTimeout, "check-timeout", "", "time limit of all checks together, like 5m")
	f.IntVar(&s.attempts, "max-attempts", 0, "limit of all attempts, including those that a person asks for")
	f.StringVar(&s.wall, "wall-time", "", "limit of the total time of all attempts, like 2h")
	f.Float64Var(&s.cost, "cost", 0, "stop the agent when all attempts together have cost this many `DOLLARS`")
	f.IntVar(&s.tokens, "tokens", 0, "stop the agent when all attempts together have used this many tokens")
}

// AddScope adds what judging alone needs.
func (s *Settings) AddScope(f *pflag.FlagSet) {
	f.StringSliceVar(&s.files, "files", nil, "`GLOBS` that the task may change (default: all files)")
	f.StringSliceVar(&s.protect, "protect", nil, "`GLOBS` that must not change")
	s.AddTests(f)
	f.IntVar(&s.maxDiff, "max-diff", 300, "changed lines before a warning")
	f.StringSliceVar(&s.Skip, "skip", nil, "checks not to run")
}

// AddTests adds what says how the project is tested.
func (s *Settings) AddTests(f *pflag.FlagSet) {
	f.StringVar(&s.test, "test", "", "the test `COMMAND` (default: detected)")
	f.StringVar(&s.format, "test-format", "", "format of the test results: gotest, junit, tap, exit …")
	f.StringVar(&s.report, "test-report", "", "`GLOB` of the XML reports that the test command writes")
	f.BoolVar(&s.known, "known-failures", false, "a test command that failed before the task may fail in the same way after it")
}

// keyOf names the config key a flag stands for.
var keyOf = map[string]string{
	"files": "files", "protect": "protect", "preserve": "preserve", "skip": "checks.skip",
	"test": "checks.tests.command", "test-format": "checks.tests.format", "test-report": "checks.tests.report",
	"known-failures": "checks.tests.known_failures", "accept-exit": "agent.accept_exit",
	"retry": "retry", "mode": "mode", "retries": "retries", "timeout": "agent.timeout", "check-timeout": "checks.timeout",
	"max-diff": "checks.max_diff", "max-attempts": "limits.attempts", "wall-time": "limits.wall_time",
	"cost": "limits.cost", "tokens": "limits.tokens", "fence": "fence.enabled",
}

// ofScope names the flags that AddScope defines.
var ofScope = map[string]bool{"files": true, "protect": true, "test": true, "test-format": true, "test-report": true,
	"known-failures": true, "max-diff": true, "skip": true}

// Flags gives the keys that were set on the command line.
func (s *Settings) Flags(f *pflag.FlagSet) []app.Flag {
	lists := map[string][]string{"files": s.files, "protect": s.protect, "preserve": s.preserve, "skip": s.Skip, "accept-exit": s.accept}
	texts := map[string]string{
		"test": s.test, "test-format": s.format, "test-report": s.report, "retry": s.retry, "mode": s.mode, "timeout": s.timeout,
		"check-timeout": s.checkTimeout, "wall-time": s.wall, "fence": s.fence,
		"retries": strconv.Itoa(s.retries), "max-attempts": strconv.Itoa(s.attempts), "max-diff": strconv.Itoa(s.maxDiff),
		"tokens":         strconv.Itoa(s.tokens),
		"known-failures": strconv.FormatBool(s.known),
		"cost":           strconv.FormatFloat(s.cost, 'f', -1, 64),
	}
	var out []app.Flag
	f.Visit(func(fl *pflag.Flag) {
		key, ours := keyOf[fl.Name]
		if !ours || !s.whole && !ofScope[fl.Name] { // belay check has a --timeout of its own
			return
		}
		value := texts[fl.Name]
		if list, ok := lists[fl.Name]; ok {
			value = strings.Join(list, ",")
		}
		out = append(out, app.Flag{Key: key, Value: value})
	})
	return out
}

// CompleteTasks offers the ids of open tasks.
func (a *App) CompleteTasks(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 {
		return nil, none
	}
	desk, err := a.Open(c.Context())
	if err != nil {
		return nil, none
	}
	lines, err := desk.Tasks()
	if err != nil {
		return nil, none
	}
	var ids []string
	for _, l := range lines {
		ids = append(ids, string(l.ID)+"\t"+l.Title)
	}
	return ids, none
}

// CompleteSnapshots offers snapshot ids, newest first.
func (a *App) CompleteSnapshots(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	desk, err := a.Open(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := desk.Session.Snaps.List(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for i := len(list) - 1; i >= 0; i-- {
		ids = append(ids, string(list[i].ID)+"\t"+string(list[i].Kind)+" "+list[i].Message)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
