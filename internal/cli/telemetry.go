package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/telemetry"
	"github.com/belay-dev/belay/internal/terminal"
)

type telemetryFamily struct{ *App }

// TelemetryCommands returns the commands of belay telemetry.
func TelemetryCommands(app *App) []*cobra.Command {
	a := telemetryFamily{app}
	c := &cobra.Command{Use: "telemetry", Short: "Send or show traces, metrics and logs of tasks",
		Example: "  belay telemetry show T7\n  belay telemetry send"}
	c.AddCommand(a.sendCommand(), a.showCommand())
	return []*cobra.Command{c}
}

func (a telemetryFamily) sendCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "send [TASK…]", Short: "Send what no collector has accepted yet",
		Long: `Send sends traces, metrics and logs of the named tasks (default: all tasks) to an
OpenTelemetry Collector, as OTLP/JSON over HTTP: everything that was not accepted before.
belay run does this at its end, for two seconds at most. --all sends everything again,
with the same IDs.

Telemetry is off until you set telemetry.endpoint in the config and trust it, or
BELAY_TELEMETRY=1 in your environment (docs/telemetry.md).

Exit codes: 0 sent · 2 off, or not all was accepted · 6 no such task.`,
		Example:           "  belay telemetry send\n  belay telemetry send --all T7",
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			tasks, err := parseTaskIDs(args)
			if err != nil {
				return err
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			sent, err := svc.SendTelemetry(c.Context(), tasks, all)
			return a.PrintResult(sent, err, terminal.WrapOutput(func(w io.Writer) { printSent(w, sent) }))
		},
	}
	c.Flags().BoolVar(&all, "all", false, "send everything again")
	return c
}

// printSent prints what was sent.
func printSent(w io.Writer, sent []app.TelemetrySent) {
	for _, t := range sent {
		if len(t.Results) == 0 {
			fmt.Fprintf(w, "%s: nothing new\n", t.Task)
		}
		for _, r := range t.Results {
			fmt.Fprintf(w, "%s: %d %s in %s\n", t.Task, r.Items, r.Signal, belay.CountOf(r.Requests, "request"))
			if r.Rejected > 0 || r.Message != "" {
				fmt.Fprintf(w, "  the collector rejected %d: %s\n", r.Rejected, belay.VisibleLine(r.Message))
			}
		}
	}
}

func (a telemetryFamily) showCommand() *cobra.Command {
	var signal string
	c := &cobra.Command{
		Use: "show [TASK]", Short: "Print the OTLP/JSON of a task", Args: cobra.MaximumNArgs(1),
		Long: `Show prints what belay telemetry send --all would send for a task, and sends nothing: one
OTLP/JSON request a line for each signal. The default is the latest task.

Exit codes: 0 shown · 6 no such task.`,
		Example:           "  belay telemetry show T7\n  belay telemetry show T7 --signal traces",
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			signals := telemetry.Signals
			if signal != "" {
				if signals = []telemetry.Signal{telemetry.Signal(signal)}; !slices.Contains(telemetry.Signals, signals[0]) {
					return belay.Refuse(belay.CodeUsage, "traces, metrics or logs", "%q is not a signal", signal)
				}
			}
			svc, id, err := a.OpenOneTask(c.Context(), args)
			if err != nil {
				return err
			}
			data, err := svc.ShowTelemetry(id)
			if err != nil {
				return err
			}
			shown := map[telemetry.Signal]telemetry.Request{}
			for _, s := range signals {
				shown[s] = data.Request(s, 0)
			}
			return a.PrintResult(shown, nil, func(w io.Writer) {
				for _, s := range signals {
					line, err := json.Marshal(shown[s])
					if err == nil {
						fmt.Fprintf(w, "%s\n", belay.VisibleJSON(line))
					}
				}
			})
		},
	}
	c.Flags().StringVar(&signal, "signal", "", "only one `SIGNAL`: traces, metrics or logs")
	_ = c.RegisterFlagCompletionFunc("signal", cobra.FixedCompletions([]string{"traces", "metrics", "logs"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}
