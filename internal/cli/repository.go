package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a repositoryFamily) statusCommand() *cobra.Command {
	var watch bool
	c := &cobra.Command{
		Use: "status", Short: "Show open tasks, snapshots and problems", Args: cobra.NoArgs,
		Long: `Status shows the open tasks, what waits for you, snapshots and problems. With --watch it
shows them again whenever something changes, until Ctrl-C. When the output is not a
terminal it prints a line for each task that changed; with --json, an object for each change.

Exit codes: 0 shown.`,
		Example: "  belay status\n  belay status --json\n  belay status --watch",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			if watch {
				a.RestoreReported = true
				return a.Watch(terminal.WatchSource{
					Status: func() (app.Status, error) { return svc.Status(c.Context()) },
					Tasks:  svc.Tasks, Limit: svc.Session.Config.Snapshot.Cap,
				})
			}
			s, err := svc.Status(c.Context())
			a.RestoreReported = err == nil // the status shows it
			return a.printDataOrError(s, err, terminal.WrapOutput(func(w io.Writer) {
				terminal.PrintStatus(w, s, svc.Session.Config.Snapshot.Cap)
			}))
		}),
	}
	c.Flags().BoolVarP(&watch, "watch", "w", false, "keep showing it until Ctrl-C")
	return c
}

func (a repositoryFamily) configCommand() *cobra.Command {
	explain := false
	show := func(c *cobra.Command, name string) error {
		if explain {
			return a.explainKeys(c.Context(), name)
		}
		svc, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		settings := svc.Session.Config.Settings()
		return a.PrintResultPaged(c.Context(), settings, func(w io.Writer) {
			var rows [][]string
			for _, s := range settings {
				rows = append(rows, []string{s.Key, fmt.Sprint(s.Value), fmt.Sprint(s.Source)})
			}
			terminal.PrintTable(w, rows)
		})
	}
	c := &cobra.Command{
		Use: "config", Short: "Show the configuration, or explain its keys",
		Long: `Config prints every setting and where its value comes from: a line of .belay/config.yaml,
or the default. --explain says what each key means instead.

Exit codes: 0 shown · 2 the config has errors.`,
		Example: "  belay config\n  belay config explain checks.tests",
		RunE:    func(c *cobra.Command, _ []string) error { return show(c, "") },
	}
	c.AddCommand(&cobra.Command{
		Use: "show", Short: "Print every setting and its source", Args: cobra.NoArgs,
		Long: "Exit codes: 0 shown · 2 the config has errors.", Example: "  belay config show",
		RunE: func(c *cobra.Command, _ []string) error { return show(c, "") },
	}, &cobra.Command{
		Use: "explain [KEY]", Short: "Explain keys: meaning, values, default", Args: cobra.MaximumNArgs(1),
		Long: `Explain prints the keys of .belay/config.yaml, or KEY and the keys below it: what each one
means, which values it takes, its default, and its value here if it is set. Outside of a
repository it leaves the values out.

Exit codes: 0 shown · 2 there is no such key.`,
		Example: "  belay config explain\n  belay config explain limits",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return config.KeyNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			explain = true
			return show(c, strings.Join(args, ""))
		},
	})
	c.PersistentFlags().BoolVar(&explain, "explain", false, "say what the keys mean")
	return c
}

// explainKeys explains keys. If the config cannot be read, it leaves the values out, because then
// the person needs the explanation.
func (a repositoryFamily) explainKeys(ctx context.Context, name string) error {
	c, _ := config.Parse(config.File, nil)
	if svc, err := a.Open(ctx); err == nil {
		c = svc.Session.Config
	}
	list, err := c.Explain(name)
	if err != nil {
		return err
	}
	return a.PrintResultPaged(ctx, list, terminal.WrapOutput(func(w io.Writer) {
		p := terminal.PaintFor(w)
		for _, e := range list {
			fmt.Fprintf(w, "%s\n    %s\n    takes %s", p.Bold(e.Key), e.Meaning, e.Takes)
			if e.Default != "" {
				fmt.Fprintf(w, "; default %s", e.Default)
			}
			fmt.Fprintln(w)
			if e.Source != config.Default && e.Source != "" {
				fmt.Fprintf(w, "    here %s (%s)\n", e.Value, e.Source)
			}
		}
	}))
}

func (a repositoryFamily) trustCommand() *cobra.Command {
	var show, remove, yes bool
	c := &cobra.Command{
		Use: "trust", Short: "List the commands of this repository and trust them", Args: cobra.NoArgs,
		Long: `A cloned repository must not choose what runs on your machine. Trust lists what this one
wants to run: the commands in .belay/config.yaml, the tests and linters detected in its
files, and the files that agents obey when they start (hooks, MCP servers, plugins,
tasks). None of it runs until you trust it once; after a change belay asks again. The
list of trusted commands is kept in your config folder, outside the repository. Commands
that you type yourself need no trust.

Where nobody can be asked, such as in a script, nothing is trusted without --yes.

Exit codes: 0 done · 2 nothing was trusted.`,
		Example: "  belay trust --show\n  belay trust\n  belay trust --yes\n  belay trust --remove",
		RunE: a.withRepository(func(_ *cobra.Command, svc *app.Service, _ []string) error {
			st, err := svc.TrustState()
			switch {
			case err != nil || show:
			case remove:
				err = svc.Distrust()
			case !st.Trusted:
				if !yes {
					var asked bool
					if yes, asked = a.AskConfirmation(app.ItemsText(st.Untrusted()) + "trust these?"); !asked {
						return belay.Refuse(belay.CodeCannot, "belay trust --show lists them; belay trust --yes trusts them",
							"nothing was trusted: there is no terminal to ask")
					} else if !yes {
						return belay.Refuse(belay.CodeInterrupted, "belay trust --show lists what would run", "nothing was trusted")
					}
				}
				err = svc.TrustAll()
			}
			if err == nil {
				st, err = svc.TrustState()
			}
			return a.printDataOrError(st, err, func(w io.Writer) {
				if len(st.Items) == 0 {
					fmt.Fprintln(w, "this repository has no commands to trust")
				}
				for _, i := range st.Items {
					fmt.Fprintf(w, "%s (%s)\n", belay.VisibleLine(i.Name),
						map[bool]string{true: "trusted", false: "not trusted"}[i.Trusted])
					for _, line := range i.Commands {
						fmt.Fprintf(w, "  %s\n", belay.VisibleLine(line))
					}
				}
			})
		}),
	}
	c.Flags().BoolVar(&show, "show", false, "show what would run and change nothing")
	c.Flags().BoolVar(&remove, "remove", false, "remove trust in this repository")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a repositoryFamily) doctorCommand() *cobra.Command {
	var how app.HealthOptions
	c := &cobra.Command{
		Use: "doctor", Short: "Check git, the config, records, snapshots and hooks", Args: cobra.NoArgs,
		Long: `Doctor checks git, the config, belay's folders, every record and every snapshot. It
finishes an interrupted restore. It lists the coding agents it finds, with their version
and belay's hooks in them.

It checks that every object of every snapshot exists. It reads the objects of snapshots
that belong to an open task or to no task (--all: of all snapshots), and lists the damaged
ones with the files that cannot be restored from them.

Exit codes: 0 no problems · 1 problems found.`,
		Example: "  belay doctor --all",
		RunE: func(c *cobra.Command, _ []string) error {
			svc, bad, err := app.OpenAnyway(c.Context(), a.Setting(nil))
			if !a.JSON && terminal.IsTerminal(a.Err) {
				how.Progress = func(done, of int) { fmt.Fprintf(a.Err, "\rreading snapshots: %d of %d", done, of) }
			}
			var list []app.HealthCheck
			if err == nil {
				list = append(app.CheckHealth(c.Context(), svc.Session, bad, how), trustComplaint(svc))
				list = append(list, agentComplaints(c.Context(), svc.Session.Repo.Root)...)
			} else if list = app.CheckGitFolders(a.Setting(nil).Dir); len(list) == 0 || belay.CodeOf(err) != belay.CodeCannot {
				return err
			}
			if how.Progress != nil {
				fmt.Fprintf(a.Err, "\r%40s\r", "")
			}
			sick := 0
			for _, l := range list {
				if !l.OK {
					sick++
				}
			}
			if sick > 0 {
				err = belay.Refuse(belay.CodeRefused, "see above", "found %s", belay.CountOf(sick, "problem"))
			}
			return a.PrintResult(list, err, func(w io.Writer) {
				p := terminal.PaintFor(w)
				for _, l := range list {
					mark := p.Good("ok  ")
					if !l.OK {
						mark = p.Bad("no  ")
					}
					fmt.Fprintf(w, "%s%s: %s\n", mark, l.Subject, belay.VisibleLine(l.Text))
					if !l.OK && l.Try != "" {
						fmt.Fprintf(w, "      try: %s\n", belay.VisibleLine(l.Try))
					}
				}
			})
		},
	}
	c.Flags().BoolVar(&how.All, "all", false, "read the snapshots of ended tasks as well")
	return c
}

// trustComplaint reports what the repository wants to run and is not trusted. That is not a fault:
// the checks that need it report it.
func trustComplaint(s *app.Service) app.HealthCheck {
	c := app.HealthCheck{Subject: "trust", OK: true, Text: "no untrusted commands"}
	st, err := s.TrustState()
	if err != nil {
		return app.HealthCheck{Subject: "trust", Text: err.Error(), Try: "fix the list, or move it away and trust again"}
	}
	if missing := st.Untrusted(); len(missing) > 0 {
		var names []string
		for _, i := range missing {
			names = append(names, i.Name)
		}
		c.Text = "not trusted, so not run: " + strings.Join(names, ", ") + " (belay trust)"
	}
	return c
}
