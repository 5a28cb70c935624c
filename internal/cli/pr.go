package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/terminal"
)

// pullLimit is GitHub's limit on the text of a pull request, in characters. Those of GitLab and
// Forgejo are higher.
const pullLimit = 65536

type pullFamily struct {
	*App
	version string
}

// PullCommands returns the commands about pull requests and the provenance of commits. version is
// belay's.
func PullCommands(app *App, version string) []*cobra.Command {
	a := pullFamily{app, version}
	return []*cobra.Command{a.prCommand(), a.verifyCommand(), a.tickedCommand(), a.issuesCommand()}
}

type pullFlags struct {
	format, output, bundle string
	limit                  int
	commit, noVerify       bool
	sign, trust            bool

	open, checks, watch bool
	auto                int
	every, timeout      time.Duration
	publish             app.PublishRequest
}

var pullFormats = []string{"markdown", "abbreviated", "json"}

func (a pullFamily) prCommand() *cobra.Command {
	var q pullFlags
	c := &cobra.Command{
		Use: "pr [TASK | FEATURE]", Short: "Write a task's record as a pull request", Args: cobra.MaximumNArgs(1),
		Long: `Pr writes the text of a pull request from the record of a task, or of all tasks of a
feature: the request, each changed file with its purpose, the attempts and why they were
rejected, checks, tests against the baseline, reviews, overrides and cost. It contains no
file contents, and secrets are masked. The default is the latest task.

--commit commits the task's accepted work, and nothing else, on the current branch. It
fails if the files are no longer as they were accepted. The message ends with trailers
that belay verify checks. Hooks and signing work as in git commit; your other changes,
staged or not, stay.

--open opens a pull request for the current branch on GitHub, GitLab, Gitea or Forgejo. If
one is open, it updates the text between belay's marks and nothing else. --push pushes the
branch first; without it nothing is pushed. --comment writes a comment on the open pull
request instead. --checks shows the state of CI for the current commit; with --watch it
waits until CI has finished.

--watch alone waits for CI, then shows the checks that failed and what people with write
access remarked on the open pull request. If you say yes, the task's agent takes that up
in its next attempt, and accepted work is committed; with --push it is pushed, and the
next round begins. --auto N says yes N times. No attempt is told the same remark, or the
same failed check of a commit, twice.

These flags reach the forge through gh, glab or tea where you are logged in, else with
GITHUB_TOKEN, GITLAB_TOKEN or GITEA_TOKEN.

--bundle writes the evidence for the commit (the record, its reports, and the trees that
differ), so that belay verify works in a clone without the record. --sign adds a
statement that is signed with your git signing key.

--format abbreviated writes a commit message with trailers. A text longer than --limit is
shortened by whole lines and says where the rest is.

Exit codes: 0 done · 1 not accepted, the tree or the branch has moved, or CI failed ·
2 cannot be done · 3 CI is running · 5 the tree is in use, or the forge's rate limit is
reached · 6 no such task, feature or repository.`,
		Example: `  belay pr T7
  belay pr login --output body.md
  gh pr create --title "Add login" --body-file <(belay pr login)
  belay pr T7 --commit
  belay pr T7 --bundle T7.belay --sign
  belay pr login --open --push
  belay pr --checks
  belay pr T7 --watch --push --auto 2`,
		ValidArgsFunction: a.CompleteTasks,
		RunE:              func(c *cobra.Command, args []string) error { return a.printPull(c, args, q) },
	}
	f := c.Flags()
	f.StringVar(&q.format, "format", "markdown", "markdown, abbreviated (a commit's message) or json")
	f.StringVarP(&q.output, "output", "o", "", "write to this `FILE`")
	f.BoolVar(&q.commit, "commit", false, "commit the accepted work on the current branch")
	f.BoolVar(&q.noVerify, "no-verify", false, "with --commit: skip the hooks")
	f.StringVar(&q.bundle, "bundle", "", "write the evidence for the task's commit to this `FILE`")
	f.BoolVar(&q.sign, "sign", false, "with --bundle: sign it with your git signing key")
	f.BoolVar(&q.trust, "trust", false, "trust the repository's git hooks and settings, now and later")
	f.BoolVar(&q.open, "open", false, "open or update the pull request of the current branch")
	f.BoolVar(&q.publish.Comment, "comment", false, "write or update a comment on the pull request instead")
	f.BoolVar(&q.publish.Push, "push", false, "with --open: push the branch first; with --watch: push each commit")
	f.StringVar(&q.publish.Base, "base", "", "with --open: the target `BRANCH` (default: the forge's)")
	f.StringVar(&q.publish.Title, "title", "", "with --open: the `TITLE` (default: the task's)")
	f.BoolVar(&q.publish.Draft, "draft", false, "with --open: as a draft")
	f.BoolVar(&q.publish.Again, "again", false, "with --open: open another one after the last one was closed")
	f.BoolVar(&q.checks, "checks", false, "show the state of CI for the current commit")
	f.BoolVar(&q.watch, "watch", false, "wait for CI, then have the agent take up failures and remarks; with --checks, only wait")
	f.IntVar(&q.auto, "auto", 0, "with --watch: take up `N` rounds without asking")
	f.DurationVar(&q.every, "every", 15*time.Second, "with --watch: ask again after this `TIME`")
	f.DurationVar(&q.timeout, "timeout", 30*time.Minute, "with --watch: wait for at most this `TIME`")
	addForgeFlags(c, &q.publish.ForgeOptions)
	f.IntVar(&q.limit, "limit", pullLimit, "the most `CHARACTERS`; 0 is no limit")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(pullFormats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// pullResult is a pull request's text and its sources.
type pullResult struct {
	prompt.Pull
	Text   string `json:"text"`
	Cut    bool   `json:"cut"` // lines were left out
	Output string `json:"output,omitempty"`
}

// validate fails for flags that cannot be combined, and for invalid values.
func (q pullFlags) validate() error {
	if !slices.Contains(pullFormats, q.format) {
		return belay.Refuse(belay.CodeUsage, "--format markdown, abbreviated or json", "%q is not a format", q.format)
	}
	if q.limit < 0 {
		return belay.Refuse(belay.CodeUsage, "--limit 65536", "%d is not a number of characters", q.limit)
	}
	switch {
	case q.noVerify && !q.commit:
		return belay.Refuse(belay.CodeUsage, "belay pr --commit --no-verify", "--no-verify needs --commit")
	case q.sign && q.bundle == "":
		return belay.Refuse(belay.CodeUsage, "belay pr --bundle FILE --sign", "--sign needs --bundle")
	case q.auto != 0 && (!q.watch || q.checks || q.auto < 0):
		return belay.Refuse(belay.CodeUsage, "belay pr --watch --auto 2", "--auto needs --watch, and a number of rounds")
	case q.publish.Push && !q.open && !q.publish.Comment && (!q.watch || q.checks):
		return belay.Refuse(belay.CodeUsage, "belay pr --open --push", "--push needs --open or --watch")
	}
	if steps := q.steps(); len(steps) > 1 {
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay pr %s, then belay pr %s", steps[0], steps[1]),
			"%s and %s are separate steps", steps[0], steps[1])
	}
	return nil
}

// steps returns the flags that say what to do; without one, the text is printed.
func (q pullFlags) steps() (flags []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--commit", q.commit}, {"--bundle FILE", q.bundle != "" && !q.commit}, {"--output FILE", q.output != ""}, {"--open", q.open},
		{"--comment", q.publish.Comment && !q.open}, {"--checks", q.checks}, {"--watch", q.watch && !q.checks},
	} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	return flags
}

func (a pullFamily) printPull(c *cobra.Command, args []string, q pullFlags) error {
	if err := q.validate(); err != nil {
		return err
	}
	svc, err := a.Open(c.Context())
	if err != nil {
		return err
	}
	name := ""
	if len(args) == 1 {
		name = args[0]
	}
	switch {
	case q.commit || q.bundle != "":
		return a.commitWork(c.Context(), svc, name, q)
	case q.open || q.publish.Comment:
		return a.publish(c.Context(), svc, name, q)
	case q.checks:
		return a.ciChecks(a.StopRequested, svc, name, q)
	case q.watch:
		return a.runRounds(a.StopRequested, svc, name, q)
	}
	out := pullResult{}
	if out.Pull, err = svc.Pull(c.Context(), name, a.version); err != nil {
		return err
	}
	a.JSON = a.JSON || q.format == "json"
	if q.format == "abbreviated" {
		out.Text = out.CommitMessage()
	} else {
		out.Text, out.Cut = out.Markdown(q.limit)
	}
	if q.output != "" {
		if out.Output, err = a.writeTo(q.output, []byte(out.Text)); err != nil {
			return err
		}
	}
	return a.PrintResult(out, nil, func(w io.Writer) {
		if out.Output != "" {
			fmt.Fprintf(w, "wrote %s\n", belay.VisibleLine(q.output))
			return
		}
		fmt.Fprint(w, out.Text)
	})
}

// commitWork commits a task's work and writes the bundle of its evidence, each if requested.
func (a pullFamily) commitWork(ctx context.Context, svc *app.Service, name string, q pullFlags) error {
	out := struct {
		*app.CommitResult
		Bundle string `json:"bundle,omitempty"`
	}{}
	if q.commit {
		done, err := svc.Commit(ctx, app.CommitRequest{Task: name, Version: a.version, NoVerify: q.noVerify, Trust: q.trust,
			Output: a.Err})
		if err != nil {
			return err
		}
		out.CommitResult, name = &done, string(done.Task)
	}
	if q.bundle != "" {
		text, err := svc.Bundle(ctx, name, a.version, q.sign, q.trust)
		if err == nil {
			out.Bundle, err = a.writeTo(q.bundle, text)
		}
		if err != nil {
			return err
		}
	}
	return a.PrintResult(out, nil, func(w io.Writer) {
		if c := out.CommitResult; c != nil {
			word := "committed"
			if !c.Created {
				word = "was committed as"
			}
			fmt.Fprintf(w, "%s %s %s, %s\n", c.Task, word, terminal.ShortOID(c.Commit), belay.CountOf(len(c.Files), "file"))
		}
		if out.Bundle != "" {
			fmt.Fprintf(w, "wrote %s\n", belay.VisibleLine(q.bundle))
		}
	})
}

func (a pullFamily) verifyCommand() *cobra.Command {
	var q app.ProveRequest
	var bundle string
	c := &cobra.Command{
		Use: "verify COMMIT...", Short: "Verify that commits are accepted work, and check them again", Args: cobra.MinimumNArgs(1),
		Long: `Verify proves that a commit is a task's accepted work. Its trailers name an entry of the
task's record. The record's hash chain, and the copy of its head outside the repository,
must be intact; the task must have been accepted by then; the commit must change exactly
what that entry lists; and the checks must have the same verdicts when they run again on
the commit. --tests also runs tests and linters.

A clone has no record: --bundle reads the evidence that belay pr --bundle wrote. Its
signature is checked with gpg or ssh-keygen; --signed requires one.

Exit codes: 0 proven · 1 not proven · 2 could not verify · 6 no such commit or record.`,
		Example: `  belay verify HEAD
  belay verify HEAD --tests
  belay verify HEAD --bundle T7.belay --signed --signers .github/allowed_signers`,
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, args []string) (err error) {
			if bundle != "" {
				if q.Bundle, err = app.ReadInput(a.Dir, bundle); err != nil {
					return err
				}
			}
			q.Watch = a.Screen(true)
			all := []app.Proof{}
			var not error
			for _, q.Commit = range args {
				p, err := svc.Prove(c.Context(), q)
				if err != nil {
					return err
				}
				all, not = append(all, p), cmp.Or(not, p.Refusal())
			}
			return a.PrintResult(all, not, func(w io.Writer) { printProven(w, all) })
		}),
	}
	f := c.Flags()
	f.StringVar(&bundle, "bundle", "", "take the record from this `FILE`")
	f.BoolVar(&q.RequireSignature, "signed", false, "require a signature")
	f.StringVar(&q.Signers, "signers", "", "`FILE` of allowed signers (default: git's gpg.ssh.allowedSignersFile)")
	f.BoolVar(&q.Rebased, "rebased", false, "compare only the change: the commit was rebased, amended or picked")
	f.BoolVar(&q.Tests, "tests", false, "also run the tests")
	f.BoolVar(&q.Trust, "trust", false, "trust the repository's commands, now and later")
	return c
}

func printProven(w io.Writer, all []app.Proof) {
	for _, p := range all {
		word := "proven"
		if !p.OK {
			word = "NOT PROVEN"
		}
		fmt.Fprintf(w, "%s %s %s\n", terminal.ShortOID(p.Commit), belay.VisibleLine(string(p.Task)), word)
		for _, s := range p.Steps {
			mark := "ok  "
			if !s.OK {
				mark = "FAIL"
			}
			fmt.Fprintf(w, "  %s %-10s %s\n", mark, s.Step, s.Found)
		}
	}
}

// writeTo writes a file named by a person, atomically, and returns its path.
func (a *App) writeTo(name string, text []byte) (string, error) {
	path := fsroot.From(a.Dir, name)
	if err := fsroot.AtomicWrite(path, fsroot.AtomicOptions{Perm: 0o644}, text); err != nil {
		return "", &belay.Error{Code: belay.CodeCannot, What: "cannot write " + belay.VisibleLine(name), Err: err,
			Try: "name another file"}
	}
	return path, nil
}
