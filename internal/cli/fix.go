package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

func (a loopFamily) fixPromptCommand() *cobra.Command {
	var tokens int
	c := &cobra.Command{
		Use: "fix-prompt [TASK]", Short: "Print a prompt that fixes the last rejection", Args: cobra.MaximumNArgs(1),
		Long: `Fix-prompt prints a complete prompt: the findings that rejected the newest attempt, the
current code they are about, how to reproduce the failure, and what not to change. On
standard error it compares the prompt's estimated size with the full prompt's (4 bytes a
token). The default is the latest task.

Exit codes: 0 printed · 2 nothing was rejected · 6 no such task.`,
		Example: `  belay fix-prompt T7 | claude -p
  belay fix-prompt T7 --max-tokens 2000 --json`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			if tokens < 0 {
				return belay.Refuse(belay.CodeUsage, "give a number of tokens, like 2000", "--max-tokens cannot be %d", tokens)
			}
			svc, id, err := a.OpenOneTask(c.Context(), args)
			if err != nil {
				return err
			}
			fix, err := app.FixPrompt(c.Context(), svc, id, tokens)
			if err != nil {
				return err
			}
			if !a.JSON {
				fmt.Fprintf(a.Err, "belay: %s\n", fix.Note())
			}
			return a.PrintResult(fix, nil, func(w io.Writer) { fmt.Fprint(w, fix.Text) })
		},
	}
	c.Flags().IntVar(&tokens, "max-tokens", 0, "use at most this many `TOKENS`; 0 is no limit")
	return c
}
