package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// NotifyCommands returns the command that sends notifications.
func NotifyCommands(app *App) []*cobra.Command { return []*cobra.Command{app.notifyCommand()} }

func (a *App) notifyCommand() *cobra.Command {
	var test bool
	c := &cobra.Command{
		Use: "notify", Short: "Send the notifications that are due", Args: cobra.NoArgs,
		Long: `Notify sends the pending notifications of tasks that wait for a decision: those from quiet
hours that are over, and those that the webhook did not accept. A waiting run sends them
itself; otherwise call notify from cron or a systemd timer. notify.* in the config has the
settings (docs/notifications.md).

Exit codes: 0 sent, or not due yet · 2 nothing is configured, or not accepted.`,
		Example: "  belay notify\n  belay notify --test",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			n, err := svc.Notify(c.Context(), test, func(line string) { fmt.Fprintf(a.Err, "belay: %s\n", belay.VisibleLine(line)) })
			return a.PrintResult(n, err, func(w io.Writer) {
				switch {
				case err != nil:
				case test:
					fmt.Fprintln(w, "the webhook accepted a test message")
				case n.Waiting == 0:
					fmt.Fprintln(w, "nothing waits to be sent")
				case n.Next != nil:
					fmt.Fprintf(w, "%s to send, next at %s\n", belay.CountOf(n.Waiting, "message"), n.Next.Local().Format(time.DateTime))
				}
			})
		}),
	}
	c.Flags().BoolVar(&test, "test", false, "send a test message to the webhook")
	return c
}
