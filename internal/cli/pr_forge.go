package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/forge"
	"github.com/belay-dev/belay/internal/terminal"
)

func addForgeFlags(c *cobra.Command, q *app.ForgeOptions) {
	c.Flags().StringVar(&q.Remote, "remote", "", "the git `REMOTE` of the forge (default: the branch's, else origin)")
	c.Flags().StringVar(&q.Kind, "forge", "", "the `KIND` of forge: github, gitlab or gitea (also Forgejo) (default: by its host)")
	_ = c.RegisterFlagCompletionFunc("forge", cobra.FixedCompletions(forge.Kinds(), cobra.ShellCompDirectiveNoFileComp))
}

func (a pullFamily) publish(ctx context.Context, svc *app.Service, name string, q pullFlags) error {
	r := q.publish
	r.Name, r.Version, r.Trust, r.Output = name, a.version, q.trust, a.Err
	s := a.Screen(false)
	s.SetProgress("asking the forge")
	done, err := svc.Publish(ctx, r)
	s.Stop()
	if err != nil && done.Pushed {
		fmt.Fprintf(a.Err, "belay: %s was pushed\n", belay.VisibleLine(done.Branch))
	}
	return a.printDataOrError(done, err, func(w io.Writer) {
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

func (a pullFamily) ciChecks(ctx context.Context, svc *app.Service, name string, q pullFlags) error {
	every := time.Duration(0)
	if q.watch {
		if q.every <= 0 || q.timeout <= 0 {
			return belay.Refuse(belay.CodeUsage, "--every 15s --timeout 30m", "--every and --timeout must be durations")
		}
		every = q.every
		limited, cancel := context.WithTimeout(ctx, q.timeout)
		defer cancel()
		s := a.Screen(false)
		s.SetProgress("waiting for checks")
		defer s.Stop()
		ctx = limited
	}
	state, err := svc.BranchChecks(ctx, q.publish.ForgeOptions, every)
	if err != nil {
		return err
	}
	if name == "" {
		name = "TASK"
	}
	switch state.State {
	case forge.Failed:
		err = belay.Refuse(belay.CodeRefused, "see the checks above; belay pr "+belay.VisibleLine(name)+
			" --watch has the next attempt fix them", "checks of %s failed",
			terminal.ShortOID(state.Commit))
	case forge.Pending:
		err = belay.Refuse(belay.CodeWaiting, "try again later, or wait with --watch", "checks of %s are running",
			terminal.ShortOID(state.Commit))
	}
	return a.PrintResult(state, err, func(w io.Writer) {
		printChecks(w, state.Checks, state.Commit)
	})
}

func printChecks(w io.Writer, checks []forge.Check, commit string) {
	for _, c := range checks {
		fmt.Fprintf(w, "%-7s %s  %s\n", c.State, belay.VisibleLine(c.Name), belay.VisibleLine(c.URL))
	}
	if len(checks) == 0 {
		fmt.Fprintf(w, "no check has run on %s\n", terminal.ShortOID(commit))
	}
}

// roundsResult is the result of watching a pull request.
type roundsResult struct {
	Task   belay.TaskID       `json:"task_id"`
	Rounds []app.PullFeedback `json:"rounds"` // the feedback that attempts received
	Last   app.PullFeedback   `json:"left"`   // the last feedback
}

// runRounds passes the feedback of CI and people on a task's pull request to the task's next
// attempts, one round each.
func (a pullFamily) runRounds(ctx context.Context, svc *app.Service, name string, q pullFlags) error {
	if q.every <= 0 || q.timeout <= 0 {
		return belay.Refuse(belay.CodeUsage, "--every 15s --timeout 30m", "--every and --timeout must be durations")
	}
	out := roundsResult{Rounds: []app.PullFeedback{}}
	for {
		r, err := a.readRound(ctx, svc, name, q)
		if err != nil {
			return err
		}
		out.Task, out.Last, name = r.Task, r, string(r.Task)
		if r.IsEmpty() {
			return a.PrintResult(out, roundError(r), func(w io.Writer) { printRound(w, r) })
		}
		printRound(a.Err, r)
		yes := len(out.Rounds) < q.auto
		if !yes {
			yes, _ = a.Terminal.AskConfirmation("have the agent take this up?")
		}
		if !yes {
			return a.PrintResult(out, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay pr %s --watch --auto 1", r.Task),
				"%s has not taken this up", r.Task), func(io.Writer) {})
		}
		if err := a.runRound(ctx, svc, r, q); err != nil {
			return err
		}
		if out.Rounds = append(out.Rounds, r); !q.publish.Push {
			return a.PrintResult(out, nil, func(w io.Writer) {
				fmt.Fprintf(w, "next: belay pr %s --open --push, then belay pr %[1]s --watch\n", r.Task)
			})
		}
	}
}

func (a pullFamily) readRound(ctx context.Context, svc *app.Service, name string, q pullFlags) (app.PullFeedback, error) {
	limited, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	s := a.Screen(false)
	s.SetProgress("waiting for checks")
	defer s.Stop()
	r, err := svc.PullFeedback(limited, q.publish.ForgeOptions, name, q.every)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

// roundError returns the error if there is no new feedback but CI failed or is still running.
func roundError(r app.PullFeedback) error {
	commit := terminal.ShortOID(r.Checks.Commit)
	switch r.Checks.State {
	case forge.Failed:
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay pr %s --open --push, if its work is not pushed yet", r.Task),
			"checks of %s failed; %s has been given them already", commit, r.Task)
	case forge.Pending:
		return belay.Refuse(belay.CodeWaiting, "try again later, or with a longer --timeout", "checks of %s are running", commit)
	}
	return nil
}

// runRound passes the feedback to the next attempt, and commits accepted work. Each step is a
// command that can be repeated by hand.
func (a pullFamily) runRound(ctx context.Context, svc *app.Service, r app.PullFeedback, q pullFlags) error {
	text, err := r.ReviewText()
	if err != nil {
		return err
	}
	given, err := app.RecordReview(ctx, svc, app.NewReview{Task: r.Task, Verdict: app.Reject, Text: text, Reviewer: "pull-request",
		Watch: a.Screen(false)})
	if err != nil {
		return err
	}
	if !given.Acted {
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", r.Task), "%s", given.NextStep)
	}
	if err := svc.RecordFeedback(ctx, r); err != nil {
		return err
	}
	steps := [][]string{{"run", "--resume", string(r.Task)}, {"pr", string(r.Task), "--commit"}}
	if q.publish.Push {
		push := []string{"pr", string(r.Task), "--open", "--push"}
		for flag, value := range map[string]string{"--remote=": q.publish.Remote, "--forge=": q.publish.Kind} {
			if value != "" {
				push = append(push, flag+value)
			}
		}
		steps = append(steps, push)
	}
	for _, args := range steps {
		if q.trust {
			args = append(args, "--trust")
		}
		if err := a.runCommand(ctx, args); err != nil {
			return err
		}
	}
	return nil
}

// runCommand runs another belay command on this terminal. Its output is progress of this one.
func (a pullFamily) runCommand(ctx context.Context, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := args[0]
	fmt.Fprintf(a.Err, "belay: belay %s\n", strings.Join(args, " "))
	if a.Force {
		args = append([]string{"--anywhere"}, args...)
	}
	c := exec.Command(self, append([]string{"-C", a.Dir}, args...)...) // no context: Ctrl-C reaches it too, and it stops itself
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, a.Err, a.Err
	err = c.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	code, known := map[int]belay.Code{1: belay.CodeRefused, 3: belay.CodeWaiting, 4: belay.CodeDrift, 5: belay.CodeBusy,
		6: belay.CodeNotFound, 130: belay.CodeInterrupted}[exit.ExitCode()]
	if !known {
		code = belay.CodeCannot
	}
	return belay.Refuse(code, "see above, then repeat belay pr --watch", "belay %s ended with status %d", command, exit.ExitCode())
}

func printRound(w io.Writer, r app.PullFeedback) {
	printChecks(w, r.Checks.Checks, r.Checks.Commit)
	for _, f := range r.Failed {
		for line := range strings.Lines(f.Why) {
			fmt.Fprintf(w, "  %s\n", belay.VisibleLine(strings.TrimRight(line, "\n")))
		}
	}
	for _, m := range r.Remarks {
		at := belay.At(cmp.Or(m.Path, "on the whole"), m.Line)
		fmt.Fprintf(w, "remark  %s, %s: %s\n", belay.VisibleLine(m.By), belay.VisibleLine(at), belay.VisibleLine(belay.Clip(m.Text, 300)))
	}
	switch {
	case r.Pull == nil:
		fmt.Fprintf(w, "no pull request of %s is open\n", belay.VisibleLine(r.Checks.Branch))
	case r.IsEmpty():
		fmt.Fprintf(w, "no new remarks on %s\n", belay.VisibleLine(r.Pull.URL))
	}
	if r.Others > 0 {
		fmt.Fprintf(w, "left out: %s from people without write access\n", belay.CountOf(r.Others, "remark"))
	}
	if r.Resolved > 0 {
		fmt.Fprintf(w, "left out: %s\n", belay.CountOf(r.Resolved, "resolved remark"))
	}
	if r.Unsure != "" {
		fmt.Fprintf(w, "remarks may include resolved ones: %s\n", r.Unsure)
	}
}

func (a pullFamily) issuesCommand() *cobra.Command {
	var file bool
	var of string
	var q app.ForgeOptions
	c := &cobra.Command{
		Use: "issues", Short: "List known issues: tasks that were skipped at a gate", Args: cobra.NoArgs,
		Long: `Issues lists the tasks that a person skipped at a gate, and why their last attempt was
rejected. --file opens an issue on the forge for each task that has none, with the text of
belay pr, and records its address.

--review TASK lists the findings of a task's newest reviews instead, also of accepted
work; with --file each finding becomes an issue.

Exit codes: 0 listed, filed · 2 the forge cannot be reached or refuses · 5 its rate limit
is reached · 6 no such repository.`,
		Example: "  belay issues\n  belay issues --file\n  belay issues --review T7 --file",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			if of != "" {
				return a.reviewIssues(c.Context(), svc, of, file, q)
			}
			list, err := svc.KnownIssues()
			if file {
				list, err = svc.FileIssues(c.Context(), q, a.version)
			}
			return a.PrintResult(list, err, func(w io.Writer) { printIssues(w, list) })
		}),
	}
	c.Flags().BoolVar(&file, "file", false, "open an issue on the forge for each that has none")
	c.Flags().StringVar(&of, "review", "", "the findings of the reviews of this `TASK`")
	_ = c.RegisterFlagCompletionFunc("review", a.CompleteTasks)
	addForgeFlags(c, &q)
	return c
}

func (a pullFamily) reviewIssues(ctx context.Context, svc *app.Service, word string, file bool, q app.ForgeOptions) error {
	id, err := belay.ParseTaskID(word)
	if err != nil {
		return err
	}
	list := svc.ReviewIssues
	if file {
		list = func(id belay.TaskID) ([]app.ReviewIssue, error) { return svc.FileReviewIssues(ctx, q, id) }
	}
	found, err := list(id)
	return a.PrintResult(found, err, func(w io.Writer) {
		for _, i := range found {
			fmt.Fprintf(w, "%-8s  %s  %s\n", belay.VisibleLine(i.Severity), belay.VisibleLine(i.Title),
				belay.VisibleLine(belay.At(i.File, i.Line)))
			fmt.Fprintf(w, "  %s\n", belay.VisibleLine(cmp.Or(i.URL, "no issue on the forge (--file opens one)")))
		}
		if len(found) == 0 {
			fmt.Fprintf(w, "the newest reviews of %s found nothing\n", id)
		}
	})
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
