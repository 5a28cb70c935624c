package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/mcp"
	"github.com/belay-dev/belay/internal/terminal"
)

// ServerCommands returns the commands that serve other programs until they are stopped.
func ServerCommands(a *App, version string) []*cobra.Command {
	return []*cobra.Command{a.mcpCommand(version), a.uiCommand(version)}
}

func (a *App) mcpCommand(version string) *cobra.Command {
	var addr string
	c := &cobra.Command{
		Use: "mcp", Short: "Serve agents and editors over MCP", Args: cobra.NoArgs,
		Long: `Mcp serves the Model Context Protocol on standard input and output, for the repository
that it is started in. Agents and editors start it; docs/mcp.md says how to add it to
each. It offers the tools status, brief, timeline, snapshot, diff, check, fix_prompt, undo
and decide, and tasks, contexts and reviews as resources.

Undo and decide ask the person at the client; a client that cannot ask gets the command to
run instead. Nothing that the repository names runs unless you trusted it (belay trust).

With --http it serves HTTP on this machine, also to its other users.

Exit codes: 0 the client disconnected, or stopped · 2 could not serve.`,
		Example: "  claude mcp add belay -- belay mcp\n  belay mcp -C ~/src/project\n  belay mcp --http 127.0.0.1:8017",
		RunE: func(c *cobra.Command, _ []string) error {
			setting := a.Setting(nil)
			setting.Ask = nil // standard input belongs to the client
			o := mcp.Options{Version: version, Dir: a.Dir, User: os.Getenv("USER"), Open: func(ctx context.Context) (*app.Service, error) {
				return a.openForRequest(ctx, setting)
			}}
			if addr != "" {
				return a.serveHTTP(o, addr)
			}
			if a.JSON {
				return belay.Refuse(belay.CodeUsage, "belay mcp, without --json", "standard output belongs to the protocol")
			}
			if terminal.IsTerminal(a.In) {
				fmt.Fprintln(a.Err, "belay: waiting for an MCP client on standard input; agents start this command (Ctrl-C ends it)")
			}
			return mcp.Stdio(a.StopRequested, o, a.In, os.Stdout)
		},
	}
	c.Flags().StringVar(&addr, "http", "", "serve HTTP on this loopback `ADDRESS`, like 127.0.0.1:8017, instead")
	return c
}

// openForRequest opens the repository for one of several concurrent requests.
func (a *App) openForRequest(ctx context.Context, s app.OpenOptions) (*app.Service, error) {
	svc, err := app.Open(ctx, s)
	if err == nil {
		app.AttachPlans(svc)
		svc.Session.Restores.Report = func(text string) { fmt.Fprintf(a.Err, "belay: %s\n", belay.Visible(text)) }
	}
	return svc, err
}

func (a *App) serveHTTP(o mcp.Options, addr string) error {
	l, err := mcp.Listen(a.StopRequested, addr)
	if err != nil {
		return err
	}
	at := struct {
		URL string `json:"url"`
	}{"http://" + l.Addr().String() + mcp.Path}
	if err := a.PrintResult(at, nil, func(w io.Writer) { fmt.Fprintln(w, at.URL) }); err != nil {
		return err
	}
	return mcp.HTTP(a.StopRequested, o, l)
}
