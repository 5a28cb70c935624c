package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/review/comment"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// NewReview is a review of a task's work to record.
type NewReview struct {
	Task         belay.TaskID
	Verdict      string // approve or reject
	Text         string // Markdown, with or without front matter; "": read the feedback file
	Reviewer     string
	Reproduction string
	Redo         bool           // roll back rejected work and start over, instead of fixing it
	Together     []belay.TaskID // tasks that are rejected together with it
	Secrets      bool           // keep secrets in the text
	Watch        runner.Observer
}

// The verdicts of a review.
const (
	Approve = "approve"
	Reject  = "reject"
)

// ReviewGiven is a recorded review, and its effect.
type ReviewGiven struct {
	Review
	Acted    bool   `json:"acted"` // the task continues with the review
	NextStep string `json:"then"`  // the next step, in one line
}

// RecordReview writes a review's file and then records it. If the process is killed in between, the
// file is listed as not recorded and has no effect. While the task's checked work is still in the
// tree, the task continues with the review, in the same entry: a rejection leads to the next
// attempt, an approval closes the gate that waits for it.
func RecordReview(ctx context.Context, s *Service, q NewReview) (ReviewGiven, error) {
	if q.Verdict != Approve && q.Verdict != Reject {
		return ReviewGiven{}, belay.Refuse(belay.CodeUsage, "--verdict approve or --verdict reject", "%q is not a verdict", q.Verdict)
	}
	r, err := s.Session.Load(q.Task)
	if err != nil {
		return ReviewGiven{}, err
	}
	at, err := runner.TaskSession(ctx, s.Session, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		at, err = s.Session, nil // the worktree is missing: only the text can be recorded
	}
	if err != nil {
		return ReviewGiven{}, err
	}
	w, err := readFeedback(s, at, &q)
	if err != nil {
		return ReviewGiven{}, err
	}
	g := reviewInput{svc: s, tree: at, r: r, q: q}
	if err := g.parse(ctx); err != nil {
		return ReviewGiven{}, err
	}
	shelf, err := runner.OpenReviewCycles(s.Session, r)
	if err != nil {
		return ReviewGiven{}, err
	}
	defer func() { _ = shelf.Close() }()
	n, err := shelf.Add(func(n int) (*review.Document, error) {
		g.cycle.Number = n
		return review.New(g.cycle, g.body)
	})
	if err != nil {
		return ReviewGiven{}, err
	}
	out := ReviewGiven{}
	if out.Acted, out.NextStep, err = g.decide(ctx); err != nil {
		return ReviewGiven{}, fmt.Errorf("record the review in %s after writing its file: %w", shelf.Path(n), err)
	}
	w.removeIfUnchanged()
	_, _ = at.ReviewClaims().EndClaims(q.Task, g.cycle.Reviewer) // a remaining claim ends with its process
	out.NextStep += g.secretsNote
	out.Review = knownReview(r, shelf, shelf.Read(n))
	return out, nil
}

// reviewInput is a review that is being recorded.
type reviewInput struct {
	svc         *Service
	secretsNote string           // what was done with secrets in its text
	tree        *session.Session // the session of the tree that has the work
	r           *session.Record
	q           NewReview
	cycle       review.Cycle
	body        string
	files       []string
}

// parse parses the review and finds the places that it asks to change.
func (g *reviewInput) parse(ctx context.Context) error {
	masked, n := check.MaskSecrets(g.q.Text, g.svc.Session.Config.Secrets.Allow)
	switch {
	case n > 0 && g.q.Secrets:
		g.secretsNote = "; " + belay.CountOf(n, "secret") + " kept by --force-secrets"
	case n > 0:
		g.q.Text, g.secretsNote = masked, "; "+belay.CountOf(n, "secret")+" masked"
	}
	given, err := review.Parse([]byte(g.q.Text))
	if err != nil {
		return err
	}
	said, err := given.Cycle()
	if err != nil {
		return err
	}
	g.body = given.Body()
	if g.files, err = prompt.ReviewPaths(ctx, g.tree.Repo); err != nil {
		return err
	}
	by := cmp.Or(g.q.Reviewer, said.Reviewer)
	if left := loop.MissingApprovals(g.r.Task.Policy, g.r.State); by == "" && len(left) == 1 {
		by = left[0]
	}
	g.cycle = review.Cycle{Task: string(g.r.Task.ID), Feature: g.r.Task.Feature, Reviewer: by, Time: time.Now().UTC().Truncate(time.Second),
		Verdict: g.q.Verdict, Affected: addAffected(said.Affected, g.body, g.files),
		Reproduction: cmp.Or(g.q.Reproduction, said.Reproduction), Override: said.Override}
	return nil
}

// decide lets the loop decide on the review and records both. If the loop does not wait for a
// review, it is recorded as a note.
func (g *reviewInput) decide(ctx context.Context) (acted bool, then string, err error) {
	pointer := review.PointerTo(g.r.Task.Feature, string(g.r.Task.ID), g.cycle.Number).String()
	text := reviewText(g.cycle, pointer) + g.secretsNote
	why := g.checkDecide(ctx)
	if why == nil {
		ev := loop.Event{Kind: loop.EvVerdict, Verdict: belay.VerdictPass, By: g.cycle.Reviewer, Pointer: pointer, Note: text,
			RollBack: g.q.Redo}
		if g.q.Verdict == Reject {
			ev.Verdict = belay.VerdictFail
			ev.Findings = review.Findings(g.cycle.Reviewer, g.cycle.Affected, g.body, g.files, true)
			if ev.Report, err = g.storeReport(ev.Findings, pointer); err != nil {
				return false, "", err
			}
		}
		err = g.svc.Session.Apply(ctx, g.r, ev)
		if err == nil {
			return true, g.consequence(), g.closeRecord(ctx)
		}
		if !errors.Is(err, loop.ErrNotNow) && !errors.Is(err, loop.ErrDecision) {
			return false, "", err
		}
		why = err // another process moved the task on
	}
	note := session.Note{Kind: "review", Text: text,
		Review: &review.RecordedReview{Cycle: g.cycle.Number, Verdict: g.q.Verdict, Reviewer: g.cycle.Reviewer, Pointer: pointer}}
	if err := g.svc.Session.AddNote(ctx, g.r, note); err != nil {
		return false, "", err
	}
	return false, session.ErrorLine(why), nil
}

// checkDecide returns the reason why the task does not continue with the review, nil if it does.
func (g *reviewInput) checkDecide(ctx context.Context) error {
	s, id := g.r.State, g.r.Task.ID
	waits := s.Gate != nil && s.Gate.Kind == loop.GateReview
	switch {
	case !loop.IsReviewable(s) && s.Phase == "":
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --task %s -- AGENT", id),
			"%s has not started: the review is recorded and has no effect now", id)
	case !loop.IsReviewable(s):
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", id),
			"%s has no checked work now (%s): the review is recorded and has no effect now", id, s.Phase)
	case g.q.Verdict == Approve && s.Outcome == loop.OutcomePassed:
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", id), "%s is already accepted", id)
	case g.q.Verdict == Approve && !waits:
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay task move %s --to approved --force", id),
			"the work of %s was rejected: an approval alone does not accept it", id)
	case g.q.Verdict == Approve:
		return CheckCaptured(ctx, g.svc, g.r)
	case g.q.Verdict == Reject && s.Outcome == loop.OutcomePassed:
		return CheckReopen(ctx, g.svc, g.r, g.q.Together...)
	}
	return nil
}

// storeReport stores the review like the answer of a configured reviewer.
func (g *reviewInput) storeReport(findings []belay.Finding, pointer string) (string, error) {
	log, _, err := g.svc.Session.Journal.Attach(strings.NewReader(g.body))
	if err != nil {
		return "", err
	}
	result := belay.CheckResult{Check: "review/" + cmp.Or(g.cycle.Reviewer, "person"), Verdict: belay.VerdictFail,
		Summary: pointer, Findings: findings, Log: log}
	text, err := json.Marshal(belay.Report{Task: g.r.Task.ID, Time: time.Now().UTC(), Before: g.r.State.Before,
		After: runner.ResultSnapshot(g.r), Verdict: belay.VerdictFail, Checks: []belay.CheckResult{result}})
	if err != nil {
		return "", err
	}
	sha, _, err := g.svc.Session.Journal.Attach(strings.NewReader(string(text)))
	return sha, err
}

// consequence describes the effect of the review.
func (g *reviewInput) consequence() string {
	s, id := g.r.State, g.r.Task.ID
	run := fmt.Sprintf("belay run --resume %s", id)
	if len(g.r.Task.Agent) == 0 { // driven by hand
		run = fmt.Sprintf("belay fix-prompt %s says what, then belay task capture %s", id, id)
	}
	if h, held := g.tree.TreeLockHolder(); held && h.Task.Key() == id.Key() {
		run = "the waiting run continues with it"
	}
	switch {
	case s.Ending == loop.OutcomePassed || s.Outcome == loop.OutcomePassed:
		return fmt.Sprintf("%s is accepted", id)
	case s.Gate != nil:
		return s.Gate.Why
	case s.Pending != nil && s.Pending.Kind == loop.CmdRestore:
		return "roll back and start over with: " + run
	}
	return fmt.Sprintf("attempt %d fixes what it asks for: %s", len(s.Attempts), run)
}

// closeRecord closes the record of work that the review accepted.
func (g *reviewInput) closeRecord(ctx context.Context) error {
	if g.r.State.Ending != loop.OutcomePassed {
		return nil
	}
	return g.svc.CloseAccepted(ctx, g.r, g.q.Watch)
}

func reviewText(c review.Cycle, pointer string) string {
	who := c.Reviewer
	if who == "" {
		who = "a reviewer"
	}
	return fmt.Sprintf("review %d by %s: %s, %s", c.Number, who, c.Verdict, pointer)
}

// addAffected adds the places found in the text to those that a review names in its front matter.
func addAffected(named []review.Affected, text string, files []string) []review.Affected {
	out := slices.Clone(named)
	have := map[string]bool{}
	for _, a := range named {
		have[a.Path+":"+a.Lines] = true
		if a.Lines != "" {
			have[a.Path+":"] = true
		}
	}
	for _, p := range comment.FindPlaces(text, comment.NewIndex(files)) {
		a := review.Affected{Path: p.Path, Lines: p.Lines()}
		if p.Severity != comment.Unlabelled {
			a.Severity = string(p.Severity)
		}
		if !have[a.Path+":"+a.Lines] {
			have[a.Path+":"+a.Lines] = true
			out = append(out, a)
		}
	}
	return out
}

// feedbackFile is the file that a review's text was read from, if none was given.
type feedbackFile struct{ top, path, text string }

// readFeedback reads the text of a review from the file that reviewers are asked to write, in the
// current tree or in the task's.
func readFeedback(s *Service, at *session.Session, q *NewReview) (feedbackFile, error) {
	if strings.TrimSpace(q.Text) != "" {
		return feedbackFile{}, nil
	}
	path := q.Task.FeedbackFile()
	for _, top := range []string{s.Session.Repo.Root, at.Repo.Root} {
		text, err := readWithin(top, path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return feedbackFile{}, err
		}
		if strings.TrimSpace(text) != "" {
			q.Text = text
			return feedbackFile{top, path, text}, nil
		}
	}
	return feedbackFile{}, belay.Refuse(belay.CodeUsage,
		"write your feedback to "+path+" or give --file FILE", "the review is empty")
}

// removeIfUnchanged deletes the file once its text is recorded, unless it changed since.
func (s feedbackFile) removeIfUnchanged() {
	if s.path == "" {
		return
	}
	if text, err := readWithin(s.top, s.path); err != nil || text != s.text {
		return
	}
	if root, err := os.OpenRoot(s.top); err == nil {
		_ = root.Remove(s.path) // a remaining file is only offered again
		_ = root.Close()
	}
}
