package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a loopFamily) logCommand() *cobra.Command {
	var verify, follow, hooks bool
	var output string
	var sent int
	c := &cobra.Command{
		Use: "log [TASK]", Short: "Show or verify a task's record", Args: cobra.MaximumNArgs(1),
		Long: `Log prints what happened to a task, entry by entry. --verify recomputes the hash chain
and every attachment, and compares the record with the copy of its head in your state
folder, outside the repository; without a task it verifies all records, also those of
features. --output prints an agent's output by the number of its attempt, or any
attachment by the hash in the record; --prompt prints the prompt that the agent was sent.
Secrets are masked in both. TASK is the latest one when left out.

A hook that fails does not stop its agent. --hooks prints what went wrong in hooks; the
log of an agent's session ends with what went wrong in its own.

Exit codes: 0 shown, intact · 1 broken · 6 no such task.`,
		Example: `  belay log T7
  belay log --verify
  belay log T7 --output 2
  belay log T7 --prompt 2
  belay log --hooks
  belay log --output 9f86d081884c7d65…`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, args []string) error {
			if hooks {
				list, err := svc.HookErrors("")
				if err != nil {
					return err
				}
				return a.PrintResultPaged(c.Context(), list, func(w io.Writer) { printHookErrors(w, list) })
			}
			n, noNumber := strconv.Atoi(output)
			if output != "" && (noNumber != nil || len(output) > 6) {
				return a.printAttachment(c.Context(), svc, output)
			}
			if verify && len(args) == 0 {
				return a.verifyLog(c.Context(), svc, nil)
			}
			id, err := a.ResolveTask(svc, args)
			switch {
			case err != nil:
				return err
			case verify:
				return a.verifyLog(c.Context(), svc, []belay.TaskID{id})
			case c.Flags().Changed("prompt"):
				return a.printAttemptFiles(c.Context(), svc, id, sent, "%s has no recorded prompt of attempt %d",
					func(at loop.Attempt) string { return at.Sent })
			case output != "":
				return a.printAttemptFiles(c.Context(), svc, id, n, "%s has no output of attempt %d",
					func(at loop.Attempt) string { return at.Log })
			}
			return a.printLog(c, svc, id, follow)
		}),
	}
	c.Flags().BoolVar(&verify, "verify", false, "recompute every hash")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new entries")
	c.Flags().StringVar(&output, "output", "", "print the output of the attempt with this `NUMBER`, or the attachment with this hash")
	c.Flags().IntVar(&sent, "prompt", 0, "print the prompt that the agent of the attempt with this `NUMBER` was sent")
	c.Flags().BoolVar(&hooks, "hooks", false, "print what went wrong in hooks")
	return c
}

func printHookErrors(w io.Writer, list []app.HookError) {
	for _, e := range list {
		fmt.Fprintln(w, belay.VisibleLine(e.String()))
	}
}

// printAttemptFiles prints an attachment of an attempt. of returns its hash, "" for none; none is
// the format of the error if it is missing.
func (a loopFamily) printAttemptFiles(ctx context.Context, svc *app.Service, id belay.TaskID, attempt int, none string,
	of func(loop.Attempt) string) error {
	r, err := svc.Session.Load(id)
	if err != nil {
		return err
	}
	for _, at := range r.State.Attempts {
		if sha := of(at); at.N == attempt && sha != "" {
			return a.printAttachment(ctx, svc, sha)
		}
	}
	return belay.Refuse(belay.CodeUsage, "belay show "+string(id), none, id, attempt)
}

func (a loopFamily) printAttachment(ctx context.Context, svc *app.Service, sha string) error {
	r, err := svc.Session.Journal.OpenAttachment(sha)
	if err != nil {
		return err
	}
	defer r.Close()
	a.Printed = true
	err = a.WithPager(ctx, a.Out, func(to io.Writer) error {
		if terminal.IsTerminal(to) {
			to = visibleWriter{to}
		}
		_, err := io.Copy(to, r)
		return err
	})
	a.Printed = err == nil
	return err
}

// visibleWriter makes an agent's output safe to show on a terminal.
type visibleWriter struct{ io.Writer }

func (v visibleWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.Writer, terminal.Sanitise(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (a loopFamily) verifyLog(ctx context.Context, svc *app.Service, ids []belay.TaskID) error {
	all := len(ids) == 0
	if all {
		known, err := svc.Session.Journal.Tasks()
		if err != nil {
			return err
		}
		ids = known
	}
	proofs, broken := []app.VerifiedRecord{}, 0
	if all {
		absent, err := svc.Session.AbsentTasks(ctx)
		if err != nil {
			return err
		}
		for _, one := range absent {
			v := app.VerifiedRecord{Task: one.Task, Problems: []string{one.String()}}
			if one.Entries == 0 { // a person may have deleted it, or accepted that it is missing
				v.OK, v.Problems, v.Note = true, []string{}, one.String()
			} else {
				broken++
			}
			proofs = append(proofs, v)
		}
	}
	for _, id := range ids {
		v := app.VerifyRecord(svc.Session, id)
		if len(v.Problems) == 1 && v.Entries == 0 && len(ids) == 1 {
			if _, err := svc.Session.LoadUnchecked(id); err != nil {
				return err
			}
		}
		if !v.OK {
			broken++
		}
		proofs = append(proofs, v)
	}
	if all {
		features, err := app.VerifyFeatureRecords(svc)
		if err != nil {
			return err
		}
		for _, v := range features {
			if !v.OK {
				broken++
			}
			proofs = append(proofs, v)
		}
	}
	var err error
	if broken > 0 {
		err = belay.Refuse(belay.CodeRefused, "the entries above were changed or deleted after they were written",
			"%d of %s broken", broken, belay.CountOf(len(proofs), "record"))
	}
	return a.PrintResult(proofs, err, func(w io.Writer) {
		for _, v := range proofs {
			name := string(v.Task)
			if v.Feature != "" {
				name = belay.VisibleLine("feature " + v.Feature + " (" + name + ")")
			}
			if v.OK {
				if v.Entries > 0 {
					fmt.Fprintf(w, "%s: %d entries, intact, head %s\n", name, v.Entries, terminal.ShortOID(v.Head))
				}
				if v.Note != "" {
					fmt.Fprintf(w, "%s: %s\n", name, belay.VisibleLine(v.Note))
				}
				continue
			}
			for _, p := range v.Problems {
				fmt.Fprintf(w, "%s: %s\n", name, belay.VisibleLine(p))
			}
		}
	})
}

func (a loopFamily) printLog(c *cobra.Command, svc *app.Service, id belay.TaskID, follow bool) error {
	r, err := svc.Session.LoadUnchecked(id)
	if err != nil {
		return err
	}
	if _, cut := svc.Session.CompareAnchor(id, r.Log); cut != nil {
		fmt.Fprintln(a.Err, "warning: "+belay.VisibleLine(cut.Error()))
	}
	tell := a.PrintResultPaged
	if follow { // no pager, because it would wait for the end
		tell = func(_ context.Context, data any, text func(io.Writer)) error { return a.PrintResult(data, nil, text) }
	}
	if err := tell(c.Context(), r.Log.Entries, func(w io.Writer) {
		for _, e := range r.Log.Entries {
			fmt.Fprintln(w, belay.VisibleLine(prompt.EntryLine(e.Seq, e.Time, e.Type, e.Data)))
		}
		if list, err := svc.HookErrors(id); err == nil {
			printHookErrors(w, list)
		}
		if r.Log.Torn > 0 {
			fmt.Fprintf(w, "the last %d bytes are incomplete: that step runs again on resume\n", r.Log.Torn)
		}
	}); err != nil || !follow {
		return err
	}
	for e, err := range svc.Session.Journal.Follow(a.StopRequested, id, r.Log.Head.Seq) {
		if err != nil {
			return err
		}
		if a.JSON {
			if err := a.PrintJSONLine(e); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(a.Out, belay.VisibleLine(prompt.EntryLine(e.Seq, e.Time, e.Type, e.Data)))
	}
	return nil
}
