package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/forge"
	"github.com/belay-dev/belay/internal/terminal"
)

func forgeFlags(c *cobra.Command, q *app.Forge) {
	c.Flags().StringVar(&q.Remote, "remote", "", "the `REMOTE` on the forge; default: the branch's, else origin")
	c.Flags().StringVar(&q.Kind, "forge", "", "the `KIND` of forge: github, gitlab or gitea (also Forgejo); default: by its host")
	_ = c.RegisterFlagCompletionFunc("forge", cobra.FixedCompletions(forge.Kinds(), cobra.ShellCompDirectiveNoFileComp))
}

func (a pullFamily) publish(ctx context.Context, desk *app.Desk, name string, q pullFlags) error {
	r := q.publish
	r.Name, r.Version, r.Trust, r.Said = name, a.version, q.trust, a.Err
	s := a.Screen(false)
	s.Set("asking the forge")
	done, err := desk.Publish(ctx, r)
	s.Stop()
	if err != nil && done.Pushed {
		fmt.Fprintf(a.Err, "belay: %s was pushed\n", belay.VisibleLine(done.Branch))
	}
	if err != nil {
		return err
	}
	return a.Tell(done, nil, func(w io.Writer) {
		if done.Pushed {
			fmt.Fprintf(w, "pushed %s\n", belay.VisibleLine(done.Branch))
		}
		what := done.Did
		if r.Comment {
			what = "comment " + what
		}
		fmt.Fprintf(w, "%s: %s\n", what, belay.VisibleLine(done.URL))
	})
}

func (a pullFamily) ciChecks(ctx context.Context, desk *app.Desk, name string, q pullFlags) error {
	every := time.Duration(0)
	if q.watch {
		if q.every <= 0 || q.timeout <= 0 {
			return belay.Refuse(belay.CodeUsage, "--every 15s --timeout 30m", "--every and --timeout are times")
		}
		every = q.every
		limited, cancel := context.WithTimeout(ctx, q.timeout)
		defer cancel()
		s := a.Screen(false)
		s.Set("waiting for checks")
		defer s.Stop()
		ctx = limited
	}
	state, err := desk.BranchChecks(ctx, q.publish.Forge, every)
	if err != nil {
		return err
	}
	if name == "" {
		name = "TASK"
	}
	switch state.State {
	case forge.Failed:
		err = belay.Refuse(belay.CodeRefused, "see them, above; belay review record "+belay.VisibleLine(name)+
			` --verdict reject --reviewer ci -m "what failed" has the next attempt fix it`, "checks of %s failed",
			terminal.Short(state.Commit))
	case forge.Pending:
		err = belay.Refuse(belay.CodeWaiting, "look again later, or wait with --watch", "checks of %s are running",
			terminal.Short(state.Commit))
	}
	return a.Tell(state, err, func(w io.Writer) {
		for _, c := range state.Checks {
			fmt.Fprintf(w, "%-7s %s  %s\n", c.State, belay.VisibleLine(c.Name), belay.VisibleLine(c.URL))
		}
		if state.State == app.ChecksNone {
			fmt.Fprintf(w, "no check has run on %s\n", terminal.Short(state.Commit))
		}
	})
}

func (a pullFamily) issuesCommand() *cobra.Command {
	var file bool
	var q app.Forge
	c := &cobra.Command{
		Use: "issues", Short: "List known issues: tasks that were skipped at a gate", Args: cobra.NoArgs,
		Long: `Issues lists the tasks that a person skipped at a gate, with what their last attempt was
rejected for. --file opens an issue on the forge for each that has none, with the text of
belay pr, and records its address.

Exit codes: 0 listed, filed · 2 the forge cannot be reached or does not take it · 5 it
takes no more requests for now · 6 no such repository.`,
		Example: "  belay issues\n  belay issues --file",
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			var list []app.KnownIssue
			if file {
				list, err = desk.FileIssues(c.Context(), q, a.version)
			} else {
				list, err = desk.KnownIssues()
			}
			return a.Tell(list, err, func(w io.Writer) { printIssues(w, list) })
		},
	}
	c.Flags().BoolVar(&file, "file", false, "open an issue on the forge for each that has none")
	forgeFlags(c, &q)
	return c
}

func printIssues(w io.Writer, list []app.KnownIssue) {
	for _, k := range list {
		fmt.Fprintf(w, "%s  %s\n", k.Task, belay.VisibleLine(k.Title))
		for _, r := range k.Reasons {
			fmt.Fprintf(w, "  %s\n", belay.VisibleLine(r))
		}
		fmt.Fprintf(w, "  %s\n", belay.VisibleLine(cmp.Or(k.URL, "no issue on the forge (belay issues --file opens one)")))
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "no known issues: no task was skipped at a gate")
	}
}
