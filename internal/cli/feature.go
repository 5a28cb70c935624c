package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/phase"
	"github.com/belay-dev/belay/internal/tasklist"
	"github.com/belay-dev/belay/internal/terminal"
)

type featureFamily struct{ *App }

// FeatureCommands returns the commands of features and their phases.
func FeatureCommands(app *App) []*cobra.Command {
	a := featureFamily{app}
	f := &cobra.Command{
		Use: "feature", Short: "Start, show and finish features",
		Long: `A feature goes through phases, from an idea to what can be merged. Its documents stay in
the project's layout (spec-kit, spec-kitty, OpenSpec, Kiro, work items, or
specs/NNN-name/); belay's record says which phase it is in. FEATURE is a folder's name or
number. Leave it out if one feature is active, if BELAY_FEATURE names it, or on a branch
or in a folder of its name.`,
		Example: "  belay feature start login\n  belay feature next",
	}
	f.AddCommand(a.startCommand(), a.listCommand(), a.showCommand(), a.nextCommand(), a.renameCommand(), a.finishCommand(),
		a.acceptCommand())
	p := &cobra.Command{
		Use: "phase", Short: "Start, review and complete the phases of a feature",
		Long: `The phases are brainstorm, specify, design, create-plan, create-tasks, implement, verify and
finish. belay phase table prints which phase may follow which, and what reviewers expect.`,
		Example: "  belay phase start specify\n  belay phase done specify\n  belay phase check implement --json",
	}
	p.AddCommand(a.phaseStartCommand(), a.phaseDoneCommand(), a.phaseCheckCommand(), a.phaseReviewCommand(), a.phaseUndoCommand(),
		a.phaseTableCommand())
	return []*cobra.Command{f, p}
}

// completeFeatures offers the names of the active features.
func (a featureFamily) completeFeatures(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeFrom(c, func(svc *app.Service) (names []string, err error) {
		all, _, err := svc.Features()
		for _, r := range all {
			if r.Feature.Active() {
				names = append(names, r.Feature.Name)
			}
		}
		return names, err
	})
}

func completePhases(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, p := range phase.All {
		if len(args) == 0 {
			out = append(out, string(p))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// openStage opens the named feature, or for "" the one that Stage finds.
func (a featureFamily) openStage(c *cobra.Command, name string) (*app.Stage, error) {
	svc, err := a.Open(c.Context())
	if err != nil {
		return nil, err
	}
	return svc.Stage(c.Context(), name)
}

func (a featureFamily) startCommand() *cobra.Command {
	var q app.StartFeature
	c := &cobra.Command{
		Use: "start NAME", Short: "Start a feature, or take up the folder of one", Args: cobra.ExactArgs(1),
		Long: `Start begins the record of a feature. NAME is a folder of the project's layout, or its
number. If there is no such folder, start creates one in the first layout in use, else
specs/NNN-name/. The mode decides which phases the feature goes through, and how often
reviewers may reject in each. --mode also changes the mode of an active feature.

Exit codes: 0 started · 2 not a folder's name, or several folders fit.`,
		Example: `  belay feature start login
  belay feature start 003-search --mode quick
  belay feature start dark-mode --layout openspec`,
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, args []string) error {
			q.Name = args[0]
			s, err := svc.Begin(c.Context(), q)
			if err != nil {
				return err
			}
			return a.printFeature(s.View())
		}),
	}
	c.Flags().StringVar(&q.Mode, "mode", "", "`MODE`: "+strings.Join(phase.ModeNames, ", ")+" (default: mode in the config)")
	c.Flags().StringVar(&q.Layout, "layout", "", "`LAYOUT` to make its folder in: "+strings.Join(tasklist.LayoutNames(), ", "))
	addByFlag(c, &q.By)
	return c
}

func addByFlag(c *cobra.Command, by *string) {
	c.Flags().StringVar(by, "by", "", "your `NAME` in the record (default: BELAY_ACTOR, or the user)")
}

func (a featureFamily) listCommand() *cobra.Command {
	var every bool
	c := &cobra.Command{
		Use: "list", Short: "List the active features with their phase and next command", Args: cobra.NoArgs,
		Long:    "Exit codes: 0 listed.",
		Example: "  belay feature list\n  belay feature list --all --json",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			lines, err := svc.Tasks()
			if err != nil {
				return err
			}
			views, bad, err := svc.FeatureViews(c.Context(), lines, every)
			return a.printDataOrError(views, err, func(w io.Writer) {
				terminal.PrintActiveFeatures(w, views)
				if len(views) == 0 {
					fmt.Fprintln(w, "no active features: belay feature start NAME starts one")
				}
				if bad > 0 {
					fmt.Fprintf(w, "%s cannot be read: belay log --verify\n", belay.CountOf(bad, "record"))
				}
			})
		}),
	}
	c.Flags().BoolVar(&every, "all", false, "also list finished and abandoned features")
	return c
}

func (a featureFamily) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show [FEATURE]", Short: "Show a feature: its phases, reviews and history", Args: cobra.MaximumNArgs(1),
		Long:              "Exit codes: 0 shown · 2 several features fit · 6 no such feature.",
		Example:           "  belay feature show\n  belay feature show 003 --json",
		ValidArgsFunction: a.completeFeatures,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.openStage(c, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return a.printFeature(s.View())
		},
	}
}

func (a featureFamily) nextCommand() *cobra.Command {
	return &cobra.Command{
		Use: "next [FEATURE]", Short: "Print the command that continues a feature", Args: cobra.MaximumNArgs(1),
		Long:              "Exit codes: 0 printed · 2 several features fit · 6 no such feature.",
		Example:           "  belay feature next",
		ValidArgsFunction: a.completeFeatures,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.openStage(c, strings.Join(args, ""))
			if err != nil {
				return err
			}
			v := s.View()
			return a.PrintResult(map[string]any{"feature": v.Name, "phase": v.Next.Phase,
				"command": v.Next.Command}, nil, func(w io.Writer) {
				if v.Next.Command == "" {
					fmt.Fprintf(w, "%s is %s\n", belay.VisibleLine(v.Name), v.Outcome)
					return
				}
				fmt.Fprintln(w, v.Next.Command)
			})
		},
	}
}

func (a featureFamily) renameCommand() *cobra.Command {
	var by string
	c := &cobra.Command{
		Use: "rename FEATURE NEW-NAME", Short: "Record that the folder of a feature was renamed", Args: cobra.ExactArgs(2),
		Long:              "Rename the folder first: belay moves no documents.\n\nExit codes: 0 recorded · 6 no such feature or folder.",
		Example:           "  git mv specs/003-login specs/003-signin\n  belay feature rename 003-login 003-signin",
		ValidArgsFunction: a.completeFeatures,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.openStage(c, args[0])
			if err == nil {
				err = s.Rename(c.Context(), args[1], by)
			}
			if err != nil {
				return err
			}
			return a.printFeature(s.View())
		},
	}
	addByFlag(c, &by)
	return c
}

func (a featureFamily) finishCommand() *cobra.Command {
	var abandon bool
	var note, by string
	c := &cobra.Command{
		Use: "finish [FEATURE]", Short: "Finish a feature after it was verified, or abandon it", Args: cobra.MaximumNArgs(1),
		Long: `Finish ends a feature once its phase verify is completed. Its documents and its record
stay. --abandon ends it in any phase.

Exit codes: 0 finished · 1 not verified · 2 several features fit · 6 no such feature.`,
		Example:           "  belay feature finish login\n  belay feature finish 004 --abandon -m \"not needed\"",
		ValidArgsFunction: a.completeFeatures,
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, args []string) error {
			s, err := svc.Stage(c.Context(), strings.Join(args, ""))
			if belay.CodeOf(err) == belay.CodeNotFound && len(args) == 0 { // it may have been ended by a command that was killed
				err = cmp.Or(svc.SettleEnded(c.Context()), err)
			}
			if err != nil {
				return err
			}
			if _, err := s.Finish(c.Context(), abandon, note, by); err != nil {
				return err
			}
			return a.printFeature(s.View())
		}),
	}
	c.Flags().BoolVar(&abandon, "abandon", false, "end it unfinished")
	c.Flags().StringVarP(&note, "message", "m", "", "a `TEXT` for the record")
	addByFlag(c, &by)
	return c
}

func (a featureFamily) acceptCommand() *cobra.Command {
	return &cobra.Command{
		Use: "accept-record RECORD", Short: "Accept a feature's record that was truncated, changed or deleted",
		Args: cobra.ExactArgs(1),
		Long: `Belay does not use a feature's record that is damaged, or that differs from the copy of
its head in your state folder. First find out why: belay log --verify. This command keeps
the entries before the damage and notes in the record what was wrong; a deleted record is
forgotten. RECORD is the ID that belay log --verify prints.

Exit codes: 0 accepted · 2 the record is intact · 6 no such record.`,
		Example: "  belay feature accept-record F1",
		RunE: a.withTask(func(c *cobra.Command, svc *app.Service, id belay.TaskID) error {
			what, err := svc.Session.AcceptFeature(c.Context(), id)
			return a.printDataOrError(map[string]any{"record": id, "was": what}, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s: accepted despite: %s\n", id, belay.VisibleLine(what))
			})
		}),
	}
}

func (a featureFamily) printFeature(v app.FeatureView) error {
	return a.PrintResult(v, nil, func(w io.Writer) { terminal.PrintFeature(w, v) })
}

// phaseFlags are the flags shared by the steps of a phase.
type phaseFlags struct {
	app.PhaseRequest
	feature string
	yes     bool
}

func (f *phaseFlags) add(a featureFamily, c *cobra.Command) {
	c.Flags().StringVar(&f.feature, "feature", "", "the `FEATURE`, if several are active")
	_ = c.RegisterFlagCompletionFunc("feature", a.completeFeatures)
	c.Flags().StringVarP(&f.Note, "message", "m", "", "a `TEXT` for the record")
	addByFlag(c, &f.By)
	c.ValidArgsFunction = completePhases
	c.Args = cobra.ExactArgs(1)
}

// runStep returns the function of a command that opens the feature, does a step of a phase, and
// prints the result.
func (a featureFamily) runStep(f *phaseFlags,
	do func(context.Context, *app.Stage) (app.PhaseResult, error)) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) (err error) {
		if f.Phase, err = phase.Parse(args[0]); err != nil {
			return err
		}
		f.Confirm = func(warning string) bool { return a.Confirm(warning+". Continue?", f.yes) }
		f.Choose = func(message string) app.PhaseChoice {
			word, _ := a.AskText(message + ": [c]ontinue, start [a]fresh or [r]eview it?")
			for _, choice := range []app.PhaseChoice{app.ChooseContinue, app.ChooseAfresh, app.ChooseReview} {
				if word != "" && strings.HasPrefix(string(choice), strings.ToLower(word)) {
					return choice
				}
			}
			return app.ChooseNone
		}
		s, err := a.openStage(c, f.feature)
		if err != nil {
			return err
		}
		r, err := do(c.Context(), s)
		if r.Feature == "" {
			return err
		}
		return a.PrintResult(r, err, func(w io.Writer) { terminal.PrintPhase(w, r) })
	}
}

func (a featureFamily) phaseStartCommand() *cobra.Command {
	var f phaseFlags
	var on, afresh, review bool
	c := &cobra.Command{
		Use: "start PHASE", Short: "Start a phase of a feature",
		Long: `Start records that a phase began. A missing or empty artefact that the phase needs blocks
it. Skipped phases are a warning: on a terminal belay asks, and the warning is recorded.

If the phase was started before and not completed, choose one: --continue; --afresh (what
is there has to change before the phase is done); or --review (have what is there
reviewed). On a terminal belay asks.

Exit codes: 0 started · 1 blocked · 2 no such phase · 3 started before, and no choice was
given · 6 no such feature.`,
		Example: "  belay phase start specify\n  belay phase start design --feature login --continue",
		RunE: a.runStep(&f, func(ctx context.Context, s *app.Stage) (app.PhaseResult, error) {
			chosen := map[app.PhaseChoice]bool{app.ChooseContinue: on, app.ChooseAfresh: afresh, app.ChooseReview: review}
			for choice, set := range chosen {
				if set && f.Choice != app.ChooseNone {
					return app.PhaseResult{}, belay.Refuse(belay.CodeUsage, "use one of them", "--%s and --%s cannot be combined",
						f.Choice, choice)
				}
				if set {
					f.Choice = choice
				}
			}
			return s.Start(ctx, f.PhaseRequest)
		}),
	}
	f.add(a, c)
	c.Flags().BoolVar(&on, "continue", false, "continue a phase that was started and not completed")
	c.Flags().BoolVar(&afresh, "afresh", false, "start it afresh")
	c.Flags().BoolVar(&review, "review", false, "have what is there reviewed")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask about warnings")
	return c
}

func (a featureFamily) phaseDoneCommand() *cobra.Command {
	var f phaseFlags
	c := &cobra.Command{
		Use: "done PHASE", Short: "Complete a phase, after its reviewers approve",
		Long: `Done runs the reviewers on what a phase produced. If they approve, the phase is completed.
Each rejection is an iteration: fix what is listed, then run the command again. The mode
limits the iterations (hotfix 1, quick 2, standard 3, full 5); after the last one the phase
is completed, and the open findings are recorded as its concerns.

Exit codes: 0 completed · 1 rejected, or its artefact is missing · 2 could not review ·
3 waits for a person · 6 no such feature.`,
		Example: "  belay phase done specify\n  belay phase done design --changes \"interfaces named\"",
		RunE: a.runStep(&f, func(_ context.Context, s *app.Stage) (app.PhaseResult, error) {
			screen := a.Screen(false)
			screen.SetProgress("completing " + string(f.Phase))
			defer screen.Stop()
			return s.Done(a.StopRequested, f.PhaseRequest)
		}),
	}
	f.add(a, c)
	c.Flags().StringVar(&f.Changes, "changes", "", "`TEXT` that says what was changed since the last iteration")
	c.Flags().BoolVar(&f.WithoutReview, "no-review", false, "complete it without a review (recorded)")
	return c
}

func (a featureFamily) phaseCheckCommand() *cobra.Command {
	var f phaseFlags
	c := &cobra.Command{
		Use: "check PHASE", Short: "Say whether a phase may start",
		Long: `Check changes nothing. With --json it prints allowed, type (ok, warn or block) and message.

Exit codes: 0 allowed, also with a warning · 1 blocked · 2 no such phase · 6 no such
feature.`,
		Example: "  belay phase check implement\n  belay phase check implement --feature login --json",
		RunE:    a.runStep(&f, func(_ context.Context, s *app.Stage) (app.PhaseResult, error) { return s.CheckResult(f.Phase) }),
	}
	f.add(a, c)
	for _, flag := range []string{"message", "by"} {
		_ = c.Flags().MarkHidden(flag)
	}
	return c
}

func (a featureFamily) phaseReviewCommand() *cobra.Command {
	var f phaseFlags
	var verdict, file string
	c := &cobra.Command{
		Use: "review PHASE", Short: "Record a person's review of what a phase produced",
		Long: `Review records a person's verdict on what a phase produced. The last approval completes the
phase; a rejection is an iteration, with the text as its finding.

Exit codes: 0 recorded, or completed · 1 rejected · 2 not this person's turn, or the
document changed since · 3 other people have not answered yet · 6 no such feature.`,
		Example: `  belay phase review specify --verdict approve --by ana
  belay phase review design --verdict reject --by ana -m "design.md:12 names no interface"`,
		RunE: a.runStep(&f, func(ctx context.Context, s *app.Stage) (r app.PhaseResult, err error) {
			v := app.PhaseReview{Approve: verdict == "approve", Text: f.Note}
			if !v.Approve && verdict != "reject" {
				return r, belay.Refuse(belay.CodeUsage, "--verdict approve or --verdict reject", "%q is not a verdict", verdict)
			}
			if file != "" {
				if v.Text, err = (reviewFamily{a.App}).readComments(file); err != nil {
					return r, err
				}
			}
			if !v.Approve && strings.TrimSpace(v.Text) == "" {
				return r, belay.Refuse(belay.CodeUsage, "-m TEXT or --file FILE", "a rejection needs a reason")
			}
			v.PhaseRequest, v.Note = f.PhaseRequest, ""
			return s.Review(ctx, v)
		}),
	}
	f.add(a, c)
	c.Flags().StringVar(&verdict, "verdict", "", "approve or reject")
	c.Flags().StringVar(&file, "file", "", "the review, a `FILE` or -")
	return c
}

func (a featureFamily) phaseUndoCommand() *cobra.Command {
	var feature, by string
	c := &cobra.Command{
		Use: "undo", Short: "Undo the last step of a feature", Args: cobra.NoArgs,
		Long: `Undo reverts the last start, review or completion of a phase. The record keeps both steps.
If belay changed the layout's own file, it restores the file byte for byte, unless
somebody changed it since.

Exit codes: 0 undone · 6 no such feature, or nothing to undo.`,
		Example: "  belay phase undo",
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := a.openStage(c, feature)
			if err != nil {
				return err
			}
			last, err := s.Undo(c.Context(), by)
			if err != nil {
				return err
			}
			next := s.View().Next
			return a.PrintResult(map[string]any{"feature": s.Rec.Feature.Name, "undone": last.Says(), "next": next,
				"warnings": append([]string{}, s.Notes...)}, nil,
				func(w io.Writer) {
					fmt.Fprintln(w, belay.VisibleLine("undone: "+last.Says()))
					for _, n := range s.Notes {
						fmt.Fprintln(w, n)
					}
					fmt.Fprintf(w, "next: %s\n", next.Command)
				})
		},
	}
	c.Flags().StringVar(&feature, "feature", "", "the `FEATURE`, if several are active")
	addByFlag(c, &by)
	return c
}

func (a featureFamily) phaseTableCommand() *cobra.Command {
	var mode string
	c := &cobra.Command{
		Use: "table", Short: "Print which phase may follow which, and what reviewers expect", Args: cobra.NoArgs,
		Long:    "Exit codes: 0 printed · 2 no such mode.",
		Example: "  belay phase table\n  belay phase table --mode full --json",
		RunE: func(_ *cobra.Command, _ []string) error {
			if !slices.Contains(phase.ModeNames, mode) {
				return belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(phase.ModeNames, ", "), "%q is not a mode", mode)
			}
			return a.PrintResult(map[string]any{"starts": phase.Starts(), "mode": mode, "moves": phase.Moves(mode, false),
				"moves_with_files": phase.Moves(mode, true), "expectations": phase.Expectations}, nil,
				func(w io.Writer) { fmt.Fprint(w, phase.Text(mode)) })
		},
	}
	c.Flags().StringVar(&mode, "mode", "standard", "the `MODE` of the transitions")
	return c
}
