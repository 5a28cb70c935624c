// Command belay puts a rope on AI coding agents: it holds the exact state of a
// repository before an agent starts, judges the result by facts, restores it when
// refused, tells the next attempt why, asks a person at the limit, and keeps a
// record that can be proved.
//
// This package is flags, terminal and exit codes. Each command is one call
// downstairs, then print.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/flow"
	"github.com/belay-dev/belay/internal/terminal"
)

// version is set by the build.
var version = "devel"

func main() { os.Exit(Main()) }

// Main runs belay with the process's arguments and gives the exit status.
func Main() int {
	// The shim must start as fast and as small as it can: no commands, no flags.
	if len(os.Args) == 3 && os.Args[1] == "_run" {
		return agent.Main(os.Args[2])
	}
	// A command lives for a moment: collecting garbage early costs more than it gives.
	debug.SetGCPercent(400)
	ctx, soft, stop := signals()
	defer stop()
	a := &app{Terminal: &terminal.Terminal{Out: os.Stdout, Err: os.Stderr, In: os.Stdin, Soft: soft}}
	root := a.root()
	root.SetArgs(os.Args[1:])
	err := root.ExecuteContext(ctx)
	if err != nil && !a.Told {
		a.Tell(nil, err)
	}
	return status(err)
}

// signals gives two contexts: the second ends at the first Ctrl-C, TERM or hang-up,
// which asks for an orderly end; the second such signal leaves at once.
func signals() (hard, soft context.Context, stop func()) {
	hard, kill := context.WithCancel(context.Background())
	soft, ask := context.WithCancel(hard)
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-c
		ask()
		<-c
		os.Exit(130)
	}()
	return hard, soft, func() { signal.Stop(c); ask(); kill() }
}

// app is what every command shares.
type app struct {
	*terminal.Terminal
	dir   string // -C
	force bool   // --anywhere
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "belay",
		Short: "Put a rope on AI coding agents",
		Long: `Belay holds the exact state of a git repository before an AI agent starts, judges
the result by facts, restores it exactly when refused, tells the next attempt why,
asks a person at the limit, and keeps a record that can be proved.

It works with any agent command and needs only git.`,
		Example: `  belay run "add a --since flag" --files 'cmd/**' -- claude -p
  belay snapshot take -m "before lunch"
  belay undo
  belay status`,
		SilenceErrors: true, SilenceUsage: true, Version: version,
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetVersionTemplate("belay {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &belay.Error{Code: belay.CodeUsage, What: err.Error(), Try: c.CommandPath() + " --help"}
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "dir", "C", ".", "work as if started in `DIR`")
	f.BoolVar(&a.JSON, "json", false, "print one JSON object: success, data, error")
	f.BoolVar(&a.force, "anywhere", false, "work also in a repository rooted at the home folder or /")
	root.AddGroup(
		&cobra.Group{ID: "loop", Title: "The loop:"},
		&cobra.Group{ID: "tree", Title: "Snapshots:"},
		&cobra.Group{ID: "house", Title: "The rest:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("loop", a.runCommand(), a.gateCommand(), a.cancelCommand(), a.checkCommand(), a.rollbackCommand(), a.taskCommand(), a.showCommand(), a.logCommand())
	add("tree", a.snapshotCommand(), a.undoCommand(), a.redoCommand())
	add("house", a.statusCommand(), a.initCommand(), a.configCommand(), a.trustCommand(), a.doctorCommand(), a.versionCommand())
	root.SetHelpCommandGroupID("house")
	root.SetCompletionCommandGroupID("house")
	for _, c := range root.Commands() {
		strict(c)
	}
	return root
}

// strict makes wrong arguments a usage error with the way to help.
func strict(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return &belay.Error{Code: belay.CodeUsage, What: err.Error(), Try: c.CommandPath() + " --help"}
			}
			return nil
		}
	}
	if len(c.Commands()) > 0 && c.RunE == nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return belay.Refuse(belay.CodeUsage, c.CommandPath()+" --help", "%s knows no command %q", c.CommandPath(), args[0])
		}
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	for _, sub := range c.Commands() {
		strict(sub)
	}
}

// onOpen, when set, gets every desk before it is used. It is nil in the program: the
// crash suite sets it in the binary it tests, to fail and kill at every write.
var onOpen func(*flow.Desk)

// open finds the repository for a command.
func (a *app) open(ctx context.Context, flags ...flow.Flag) (*flow.Desk, error) {
	desk, err := flow.Open(ctx, a.setting(flags))
	if err == nil && onOpen != nil {
		onOpen(desk)
	}
	return desk, err
}

func (a *app) setting(flags []flow.Flag) flow.Setting {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return flow.Setting{Dir: a.dir, Force: a.force, Flags: flags, Self: []string{self, "_run"}}
}

// status maps an error to the exit status (docs/exit-codes.md).
func status(err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		return 130
	}
	switch belay.CodeOf(err) {
	case belay.CodeRefused:
		return 1
	case belay.CodeWaiting:
		return 3
	case belay.CodeDrift:
		return 4
	case belay.CodeBusy:
		return 5
	case belay.CodeNotFound:
		return 6
	case belay.CodeInterrupted:
		return 130
	}
	return 2
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.Tell(map[string]string{"version": version}, nil, func(w io.Writer) { fmt.Fprintf(w, "belay %s\n", version) })
		},
	}
}
