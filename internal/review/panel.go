package review

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	promptpkg "github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/worktree"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/snapshot"
)

// maxParallel limits the reviewers that work at the same time.
const maxParallel = 4

// Panel is the environment in which reviewers work.
type Panel struct {
	Snaps    *snapshot.Store
	May      *config.Gate // decides which of them may be asked
	ReadOnly []string     // folders that they may not write to

	Enclose     fence.Encloser                  // fences programs; nil for no fence
	Env         []string                        // complete environment of programs
	ReviewerEnv func(reviewer string) []string  // additional variables for one reviewer; nil for none
	Attach      func(io.Reader) (string, error) // stores their output, returns its SHA-256
}

// Ask lets all reviewers of in.Task read a snapshot and returns their results in that order. It
// sets in.Reviewer and in.Nonce.
func (p Panel) Ask(ctx context.Context, in promptpkg.ReviewInput, target belay.SnapshotID) []belay.CheckResult {
	results := make([]belay.CheckResult, len(in.Task.Reviewers))
	var wait sync.WaitGroup
	room := make(chan struct{}, maxParallel)
	for i, r := range in.Task.Reviewers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			room <- struct{}{}
			defer func() { <-room }()
			one := in
			one.Reviewer, one.Nonce = r, newNonce()
			results[i] = p.ask(ctx, one, target)
		}()
	}
	wait.Wait()
	return results
}

func (p Panel) envOf(reviewer string) []string {
	if p.ReviewerEnv == nil {
		return nil
	}
	return p.ReviewerEnv(reviewer)
}

func newNonce() string {
	var b [12]byte
	rand.Read(b[:]) // documented to never fail
	return hex.EncodeToString(b[:])
}

// ask asks one reviewer and judges its answer.
func (p Panel) ask(ctx context.Context, in promptpkg.ReviewInput, target belay.SnapshotID) (result belay.CheckResult) {
	start := time.Now()
	name := "review/" + in.Reviewer.Name
	defer func() { result.Check, result.Millis = name, time.Since(start).Milliseconds() }()
	failed := func(why string) belay.CheckResult {
		return belay.CheckResult{Verdict: belay.VerdictUnknown, Summary: "no review", Why: why}
	}
	place, err := worktree.Make(ctx, p.Snaps, target, in.Task.Checks.Reuse)
	if err != nil {
		return failed(err.Error())
	}
	defer place.Close()
	was, err := p.checkoutState(ctx, place.Root)
	if err != nil {
		return failed(err.Error())
	}
	prompt := promptpkg.Review(in)
	notes := feedbackFile{place.Root, in.Task.ID.FeedbackFile()}
	reply, err := Ask(ctx, ReviewerQuestion{
		Reviewer: in.Reviewer, May: p.May, Prompt: prompt, Dir: place.Root,
		RetryPrompt:    func(wrong, answer string) string { return promptpkg.ReviewAgain(prompt, wrong, answer, in.Nonce) },
		FallbackAnswer: notes.read,
		Env:            append(append(append([]string{}, p.Env...), p.envOf(in.Reviewer.Name)...), "BELAY_REVIEWER="+in.Reviewer.Name),
		ReadOnly:       p.ReadOnly, Enclose: p.Enclose,
	})
	said := string(reply.Output)
	if written := notes.read(); len(written) > 0 && !strings.Contains(said, string(written)) {
		said += "\n\nwritten into " + notes.path + ":\n\n" + string(written)
	}
	notes.remove()
	log, _ := p.Attach(strings.NewReader(said)) // without the log the verdict still counts
	trespass := p.checkCheckout(ctx, place.Root, was, in.Reviewer.Name)
	if err != nil {
		result = failed(in.Reviewer.Name + " gave no opinion: " + err.Error())
		result.Log, result.Findings = log, trespass
		return result
	}
	facts := map[string]bool{}
	for _, c := range in.Checks {
		if !c.Skipped && c.Verdict != belay.VerdictUnknown {
			facts[c.Check] = c.Verdict == belay.VerdictPass
		}
	}
	by := Reviewer{Name: in.Reviewer.Name, Threshold: in.Reviewer.Threshold, CheckResults: facts}
	if in.Phase != nil && in.Phase.Kind == "chain" {
		by.UnmetText = in.Phase.Next + " cannot do its work from this artefact alone"
	}
	verdict, findings := by.Judge(reply.Opinion)
	return belay.CheckResult{
		Verdict: verdict, Summary: fmt.Sprintf("%s, score %d, %s", reply.Opinion.Recommendation,
			reply.Opinion.Score, belay.CountOf(len(findings), "finding")),
		Findings: append(findings, trespass...), Log: log, Review: by.Data(reply.Opinion),
	}
}

// checkoutState returns what a review must not change in its checkout: files, HEAD and refs.
func (p Panel) checkoutState(ctx context.Context, root string) (string, error) {
	repo, err := p.Snaps.Repo.OpenOther(ctx, root)
	if err != nil {
		return "", err
	}
	status, err := repo.Run(ctx, nil, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
	if err != nil {
		return "", err
	}
	diff, err := repo.Run(ctx, nil, "diff-files", "-z", "-p", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return "", err
	}
	refs, err := repo.Refs(ctx)
	if err != nil {
		return "", err
	}
	head, err := repo.Head(ctx, refs)
	return fmt.Sprintf("%s\x00%s\x00%v\x00%v", status, diff, refs, head), err
}

// CheckoutChanged returns the title of the finding about a reviewer that changed its checkout.
func CheckoutChanged(name string) string { return "the reviewer " + name + " changed its checkout" }

// checkCheckout compares a checkout with its state before the review, and reports a reviewer that
// changed it.
func (p Panel) checkCheckout(ctx context.Context, root, was, name string) []belay.Finding {
	is, err := p.checkoutState(context.WithoutCancel(ctx), root)
	if err == nil && is == was {
		return nil
	}
	return []belay.Finding{belay.Finding{
		Check: "review", Severity: belay.SeverityWarning, Category: belay.CategoryReview,
		Title:  CheckoutChanged(name),
		Detail: "a reviewer must only read; its changes were discarded and the work is unchanged",
	}.Sign()}
}
