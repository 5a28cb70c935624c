// Command belay runs AI coding agents under supervision: it snapshots the repository
// before an agent starts, checks the result, rolls back or retries on failure, asks a
// person when the retries run out, and keeps a record that can be verified.
//
// This package starts and ends the process; the commands are in internal/cli.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"

	"github.com/belay-dev/belay/internal/terminal"
	"github.com/belay-dev/belay/internal/watch"
)

// version is set by the build.
var version = "devel"

// onOpen is nil in the program: the crash tests set it in their binary, to inject faults at every
// write.
var onOpen func(*app.Service)

func main() { os.Exit(Main()) }

// Main runs belay with the process's arguments and returns its exit status.
func Main() int {
	// The shim must start fast and stay small: it needs no commands and flags.
	if len(os.Args) == 3 && os.Args[1] == "_run" {
		return agent.Main(os.Args[2])
	}
	if len(os.Args) == 4 && os.Args[1] == "_watch" {
		return watch.Main(os.Args[2:], os.Stdout)
	}
	if len(os.Args) > 3 && os.Args[1] == app.ReadOnlyCommand {
		return app.ReadOnlyMain(os.Args[2:])
	}
	collectLate()
	a := &cli.App{Terminal: &terminal.Terminal{Out: os.Stdout, Err: os.Stderr, In: os.Stdin}, OnOpen: onOpen}
	ctx, stop := signals(a.Terminal)
	defer stop()
	root := commands(a, os.Args[1:])
	root.SetArgs(os.Args[1:])
	err := root.ExecuteContext(ctx)
	if err != nil && a.StopRequested.Err() != nil && errors.Is(err, context.Canceled) && belay.CodeOf(err) != belay.CodeInterrupted {
		err = a.InterruptedError()
	}
	if err != nil && !a.Printed {
		a.JSON = a.JSON || wantsJSON(os.Args[1:]) // flags after a wrong one were not parsed
		a.PrintResult(nil, err)
	}
	a.ReportUnfinishedRestore(err)
	a.ApplyRetention(ctx)
	return cli.ExitStatus(err)
}

// heapAim is collectLate's memory limit, in bytes: it keeps a process below 200 MB.
const heapAim = 144 << 20

// collectLate delays the first garbage collection until 80 MB are in use: most commands end before
// that, and marking what a scan has just filled costs more than it frees. Afterwards the heap may
// grow fivefold between two collections, but not over heapAim while at most half of that is live: a
// process with more would collect all the time.
func collectLate() {
	debug.SetGCPercent(2000)
	debug.SetMemoryLimit(heapAim)
	runtime.AddCleanup(new([64]*byte), func(percent int) {
		debug.SetGCPercent(percent)
		aim()
	}, 400)
}

// aim sets the memory limit after each collection: the live heap plus as much again, but at most
// 192 MB more.
func aim() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if use := live[0].Value; use.Kind() == metrics.KindUint64 {
		now := int64(min(use.Uint64(), 1<<50))
		debug.SetMemoryLimit(max(heapAim, now+min(now, 192<<20)))
	}
	runtime.AddCleanup(new([64]*byte), func(struct{}) { aim() }, struct{}{})
}

// wantsJSON reports whether the arguments ask for JSON, even if they are invalid otherwise.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		value, set := strings.CutPrefix(arg, "--json=")
		if on, err := strconv.ParseBool(value); arg == "--json" || set && err == nil && on {
			return true
		}
	}
	return false
}

// commands creates the commands that the arguments may select: creating all would take a large part
// of a short command's time.
func commands(a *cli.App, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "belay",
		Short: "Run AI coding agents under supervision",
		Long: `Belay runs your coding agent under supervision: it snapshots the repository, checks the
result against tests and policy, rolls back or retries on failure, and asks you when
retries run out. It keeps a record that can be verified.

It works with any agent command and needs only git.`,
		Example: `  belay run "add a --since flag" --files 'cmd/**' --with claude
  belay diff
  belay decide guide --message "use the clock in ctx"
  belay undo`,
		SilenceErrors: true, SilenceUsage: true, Version: version,
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetVersionTemplate("belay {{.Version}}\n")
	root.SetFlagErrorFunc(cli.FlagError)
	f := root.PersistentFlags()
	f.StringVarP(&a.Dir, "dir", "C", ".", "work as if started in `DIR`")
	f.Func("log", "write progress and errors as `FORMAT`: text, or json, an object a line on standard error", a.ParseLogFlag)
	f.BoolVar(&a.JSON, "json", false, "print one JSON object: success, data, error")
	f.BoolFunc("no-color", "print without colours, like NO_COLOR=1", func(value string) error {
		off, err := strconv.ParseBool(value)
		if off {
			terminal.NoColor()
		}
		return err
	})
	f.BoolVar(&a.Force, "anywhere", false, "work also in a repository rooted at the home folder or /")
	for _, b := range called(args) {
		for _, c := range b.make(a) {
			root.AddCommand(c)
		}
	}
	cli.GroupCommands(root)
	cli.CheckArguments(root)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		cli.Complete(a, root, args)
	}
	return root
}

func versionCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Long: "Exit codes: 0 printed.", Example: "  belay version --json",
		RunE: func(*cobra.Command, []string) error {
			return a.PrintResult(map[string]string{"version": version}, nil, func(w io.Writer) { fmt.Fprintf(w, "belay %s\n", version) })
		},
	}
}
