// Command belay-fleet runs tasks of many repositories on many machines, through a Temporal server.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	sdklog "go.temporal.io/sdk/log"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/terminal"
)

// version is set by the build.
var version = "devel"

func main() { os.Exit(Main()) }

// Main runs belay-fleet with the process's arguments and returns its exit status.
func Main() int {
	if len(os.Args) == 3 && os.Args[1] == "_run" { // the agents' shim
		return agent.Main(os.Args[2])
	}
	a := &program{Terminal: &terminal.Terminal{Out: os.Stdout, Err: os.Stderr, In: os.Stdin}}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := a.commands()
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = belay.Refuse(belay.CodeInterrupted, "", "interrupted")
	}
	if err != nil && !a.Printed {
		a.PrintResult(nil, err)
	}
	return cli.ExitStatus(err)
}

// program is the state that the commands share.
type program struct {
	*terminal.Terminal
	address, namespace string
	reports            client.MetricsHandler // for the SDK's metrics; may be nil
}

func (a *program) commands() *cobra.Command {
	root := &cobra.Command{
		Use:   "belay-fleet",
		Short: "Run belay's tasks on many machines",
		Long: `Belay-fleet runs tasks on many machines, through a Temporal server. A worker on each
machine runs agents under belay, each task in a clone of its own. Records and snapshots
are pushed to the repository's own git remote, so that another worker continues a task
if its machine is lost. A gate waits on the server until a person decides.

The server's address comes from the settings of Temporal's own tools: TEMPORAL_ADDRESS,
TEMPORAL_NAMESPACE, TEMPORAL_TLS_* and TEMPORAL_API_KEY, or the file that
TEMPORAL_CONFIG_FILE names.`,
		Example: `  belay-fleet worker --trust https://git.example.com/team/
  belay-fleet submit "add a --since flag" --files 'cmd/**' --with claude
  belay-fleet list
  belay-fleet decide f7k2q guide --message "use the clock in ctx"`,
		SilenceErrors: true, SilenceUsage: true, Version: version,
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetVersionTemplate("belay-fleet {{.Version}}\n")
	root.SetFlagErrorFunc(cli.FlagError)
	f := root.PersistentFlags()
	f.BoolVar(&a.JSON, "json", false, "print one JSON object: success, data, error")
	f.StringVar(&a.address, "address", "", "the server, as `HOST:PORT` (default 127.0.0.1:7233)")
	f.StringVar(&a.namespace, "namespace", "", "the server's namespace (default \"default\")")
	root.AddCommand(a.workerCommand(), a.submitCommand(), a.listCommand(), a.showCommand(), a.logCommand(), a.decideCommand(),
		a.cancelCommand(), a.limitsCommand(), a.workersCommand(), a.topCommand(), a.notifyCommand(), a.setupCommand())
	root.AddCommand(a.uiCommand(), a.scheduleCommand(), a.forgetCommand())
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// dialTime is how long a server may take to answer.
const dialTime = 10 * time.Second

// options returns the client's options: address, namespace, logger. It sets a.namespace.
func (a *program) options() (client.Options, error) {
	o, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return o, belay.Refuse(belay.CodeUsage, "correct the TEMPORAL_ variables, or the file",
			"the server's settings cannot be read: %v", err)
	}
	if a.address != "" {
		o.HostPort = a.address
	}
	a.namespace = cmp.Or(a.namespace, o.Namespace, client.DefaultNamespace)
	o.Namespace = a.namespace
	o.Logger, o.Identity, o.MetricsHandler = warningLogger{a.Terminal}, "belay-fleet of "+person(), a.reports
	o.WorkerHeartbeatInterval = slotsEvery
	return o, nil
}

// dial connects to the server.
func (a *program) dial(ctx context.Context) (client.Client, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := client.DialContext(ctx, o)
	if err != nil {
		where := o.HostPort
		if where == "" {
			where = client.DefaultHostPort
		}
		return nil, belay.Refuse(belay.CodeCannot, "start it (docs/fleet.md), or give --address",
			"no Temporal server answers at %s: %v", where, err)
	}
	return c, nil
}

// translateError converts the server's NotFound to belay's.
func translateError(err error, id string) error {
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return belay.Refuse(belay.CodeNotFound, "belay-fleet list", "no task %s", id)
	}
	return err
}

// warningLogger prints the SDK's warnings and errors, and nothing else.
type warningLogger struct{ t *terminal.Terminal }

var _ sdklog.Logger = warningLogger{}

// Debug prints nothing.
func (warningLogger) Debug(string, ...any) {}

// Info prints nothing.
func (warningLogger) Info(string, ...any) {}

// Warn prints a line.
func (q warningLogger) Warn(text string, more ...any) { q.say(text, more) }

// Error prints a line.
func (q warningLogger) Error(text string, more ...any) { q.say(text, more) }

func (q warningLogger) say(text string, more []any) {
	line := text
	for i := 0; i+1 < len(more); i += 2 {
		if k := fmt.Sprint(more[i]); k == "Error" || k == "WorkflowID" || k == "ActivityType" {
			line += fmt.Sprintf(", %s %v", k, more[i+1])
		}
	}
	fmt.Fprintf(q.t.Err, "belay-fleet: %s\n", belay.VisibleLine(line))
}
