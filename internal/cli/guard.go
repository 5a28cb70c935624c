package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a repositoryFamily) guardCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "guard", Short: "Show the guidelines for agents",
		Long: `Guidelines are set by guidelines.NAME in .belay/config.yaml; two are built in. Those that
apply to an agent and its action are added to its prompts, highest priority first.`,
		Example: "  belay guard list",
	}
	c.AddCommand(a.guardListCommand(), a.guardCheckCommand())
	return c
}

func (a repositoryFamily) guardListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all guidelines", Args: cobra.NoArgs, Aliases: []string{"ls"},
		Long: "Exit codes: 0 listed.", Example: "  belay guard list --json",
		RunE: a.withRepository(func(_ *cobra.Command, svc *app.Service, _ []string) error {
			return a.printGuidelines(svc.Session.Config.AllGuidelines())
		}),
	}
}

func (a repositoryFamily) guardCheckCommand() *cobra.Command {
	var agents []string
	var action string
	c := &cobra.Command{
		Use: "check", Short: "Show the guidelines for an agent and an action", Args: cobra.NoArgs,
		Long:    "Exit codes: 0 shown.",
		Example: "  belay guard check --agent reviewer --action review",
		RunE: a.withRepository(func(_ *cobra.Command, svc *app.Service, _ []string) error {
			return a.printGuidelines(belay.GuidelinesFor(svc.Session.Config.AllGuidelines(), action, agents...))
		}),
	}
	c.Flags().StringSliceVar(&agents, "agent", []string{"implementer"}, "the agent's role, its `NAME`, or both")
	c.Flags().StringVar(&action, "action", "implement", "what it does: implement, fix, review, debug")
	return c
}

// guideline is a guideline in JSON: as recorded, and split into condition and action.
type guideline struct {
	belay.Guideline
	Condition condition `json:"condition"`
	Action    action    `json:"action"`
}

type condition struct {
	Agents  []string `json:"agents"`
	Actions []string `json:"actions"`
}

type action struct {
	Type          string `json:"type"`
	Instruction   string `json:"instruction"`
	RequireReview bool   `json:"require_review"`
}

func (a repositoryFamily) printGuidelines(list []belay.Guideline) error {
	all := []guideline{}
	for _, g := range list {
		all = append(all, guideline{g, condition{append([]string{}, g.Agents...), append([]string{}, g.Actions...)},
			action{cmp.Or(g.Type, belay.GuidelineConstraint), g.Instruction, g.RequireReview}})
	}
	return a.PrintResult(all, nil, func(w io.Writer) {
		var rows [][]string
		for _, g := range list {
			state := "on"
			if !g.Enabled {
				state = "off"
			}
			rows = append(rows, []string{g.ID, state, strconv.Itoa(g.Priority), g.Category, strings.Join(g.Agents, ","),
				strings.Join(g.Actions, ",")})
		}
		if len(rows) == 0 {
			fmt.Fprintln(w, "no guideline")
		}
		terminal.PrintTable(w, rows)
		for _, g := range list {
			fmt.Fprintf(w, "\n%s: %s\n", belay.VisibleLine(g.ID), belay.VisibleLine(g.PromptText()))
			if g.Description != "" {
				fmt.Fprintf(w, "    %s\n", belay.VisibleLine(g.Description))
			}
			if g.RequireReview {
				fmt.Fprintln(w, "    requires a review")
			}
		}
	})
}
