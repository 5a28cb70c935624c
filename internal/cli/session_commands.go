package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/hook"
	"github.com/belay-dev/belay/internal/terminal"
)

type sessionFamily struct{ *App }

// SessionCommands returns the commands for agents' own sessions.
func SessionCommands(app *App) []*cobra.Command {
	a := sessionFamily{app}
	return []*cobra.Command{a.hookCommand(), a.timelineCommand(), a.briefCommand()}
}

func (a sessionFamily) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use: "hook AGENT", Short: "Answer a hook of an agent's own session", Args: cobra.ExactArgs(1), ValidArgs: hook.Agents(),
		Long: `Agents' hooks call this command (belay init --agent installs them). It reads an event as
JSON from standard input and answers in the agent's own format. In a git repository it
takes a snapshot before and after each tool that may write, denies commands that destroy
work, and checks the changes when the agent is done with a prompt. belay timeline shows
what happened, belay undo --turn reverses it.

AGENT is ` + strings.Join(hook.Agents(), ", ") + `.

A hook never breaks an agent: whatever goes wrong, it exits with 0 and prints nothing.

Exit codes: 0 nothing to say, or as the answer says · 2 denied, with the reason on standard error.`,
		Example: `  echo '{"hook_event_name":"SessionStart","session_id":"1","cwd":"."}' | belay hook claude`,
		RunE: func(c *cobra.Command, args []string) error {
			if !hook.IsKnown(args[0]) {
				return belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(hook.Agents(), ", "),
					"%q is not an agent with hooks", args[0])
			}
			if terminal.IsTerminal(a.In) {
				return belay.Refuse(belay.CodeUsage, "belay help hook", "the event is expected on standard input")
			}
			ev := hook.Read(args[0], a.In)
			out := hook.Encode(ev, app.Hook(c.Context(), a.Setting(nil), ev))
			a.Printed = true
			if _, err := io.WriteString(a.Out, out.Stdout); err != nil && out.Exit == 0 {
				return nil // the agent does not read the answer
			}
			_, _ = io.WriteString(a.Err, out.Stderr)
			if out.Exit != 0 {
				return belay.Refuse(belay.CodeUsage, "", "denied") // exit status 2
			}
			return nil
		},
	}
}

func (a sessionFamily) briefCommand() *cobra.Command {
	return &cobra.Command{
		Use: "brief", Short: "Show what is open in this working tree, in a few lines", Args: cobra.NoArgs,
		Long: `Brief prints what an agent is told when its session begins: features and tasks that are
open, gates that wait for a person, an interrupted restore, and whether this may be the
wrong folder. It prints nothing when there is nothing to say.

Exit codes: 0 shown.`,
		Example: "  belay brief\n  belay brief --json",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			b := svc.Brief(c.Context())
			a.RestoreReported = true
			return a.PrintResult(b, nil, func(w io.Writer) {
				if text := b.Text(); text != "" {
					fmt.Fprintln(w, text)
				}
			})
		}),
	}
}

func (a sessionFamily) timelineCommand() *cobra.Command {
	return &cobra.Command{
		Use: "timeline [SESSION]", Short: "Show what happened in an agent's own session", Args: cobra.MaximumNArgs(1),
		Long: `Timeline lists the prompts and tool calls of an agent's own session (belay init --agent
installs the hooks it needs), what each changed, and who changed it: a tool of the agent,
or a person or another process. The default is the latest session in this working tree. A
tool call that has not returned is shown with what changed since it began.

belay undo --turn and belay undo --tool take these numbers.

Exit codes: 0 shown · 6 no such session.`,
		Example:           "  belay timeline\n  belay timeline --json",
		ValidArgsFunction: a.completeSessions,
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, args []string) error {
			t, err := svc.Timeline(c.Context(), strings.Join(args, ""))
			return a.printDataOrError(t, err, func(w io.Writer) { terminal.PrintTimeline(w, t) })
		}),
	}
}

func (a sessionFamily) completeSessions(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeFrom(c, func(svc *app.Service) (ids []string, err error) {
		all, err := svc.Session.Sessions()
		for _, r := range all {
			ids = append(ids, string(r.Task.ID))
		}
		return ids, err
	})
}
