package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a repositoryFamily) fenceCommand() *cobra.Command {
	c := &cobra.Command{Use: "fence", Short: "Show what agents may write", Example: "  belay fence explain -- claude -p"}
	c.AddCommand(a.fenceExplainCommand())
	return c
}

func (a repositoryFamily) fenceExplainCommand() *cobra.Command {
	var with string
	c := &cobra.Command{
		Use: "explain [--with AGENT] [-- AGENT ARGS…]", Short: "List what an agent's fence allows, with reasons",
		Long: `Explain lists what the fence of belay run lets an agent write in this working tree and what
it keeps closed, which sockets the agent may use, what it may not read, and what a fence
does not cover on this system. It starts nothing. The default is the agent of the config.
fence.allow in .belay/config.yaml adds paths (docs/fence.md).

Exit codes: 0 listed · 2 the config has errors.`,
		Example: "  belay fence explain\n  belay fence explain --with claude\n  belay fence explain -- ./my-agent.sh",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && c.ArgsLenAtDash() != 0 {
				return belay.Refuse(belay.CodeUsage, "belay fence explain -- "+args[0], "an agent's command follows --")
			}
			if with != "" {
				preset, ok := agent.PresetOf(with)
				if !ok || len(args) > 0 {
					return belay.Refuse(belay.CodeUsage, "belay fence explain -- COMMAND",
						"%q is not a known agent, or a command was given as well", with)
				}
				args = preset.Command
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			x, err := svc.ExplainFence(c.Context(), args)
			return a.printDataOrError(x, err, func(w io.Writer) { printFence(w, x) })
		},
	}
	c.Flags().StringVar(&with, "with", "", "a known `AGENT`, by its name")
	_ = c.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(agent.PresetNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// printFence prints what a fence allows.
func printFence(w io.Writer, x app.FenceReport) {
	for _, note := range x.Notes {
		fmt.Fprintln(w, belay.VisibleLine(note))
	}
	if len(x.Write) == 0 {
		fmt.Fprintln(w, "no fence: agents can write whatever you can")
		return
	}
	table := func(title string, list []app.FencePath) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintln(w, title)
		var rows [][]string
		for _, p := range list {
			rows = append(rows, []string{"  " + belay.VisibleLine(p.Path), belay.VisibleLine(p.Why)})
		}
		terminal.PrintTable(w, rows)
	}
	table("may write:", x.Write)
	table("may add files to, not change or remove them:", x.Append)
	table("may not write, although inside one of those:", x.Closed)
	table("may use as sockets:", x.Sockets)
	table("may not read:", x.Hidden)
	switch {
	case x.NoNetwork:
		fmt.Fprintln(w, "may use no TCP port")
	case len(x.Ports) > 0:
		fmt.Fprintln(w, "may use these TCP ports:", x.Ports)
	}
	for _, gap := range x.Gaps {
		fmt.Fprintln(w, "not covered:", gap)
	}
}
