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

// New is a review that somebody gave of a task's work.
type New struct {
	Task         belay.TaskID
	Verdict      string // approve or reject
	Text         string // Markdown, with or without front matter; "" is read from the feedback file
	Reviewer     string
	Reproduction string
	Again        bool           // what is rejected is put back and done again, not fixed
	Together     []belay.TaskID // tasks that are rejected with it
	Secrets      bool           // the words may hold secrets
	Watch        runner.Watcher
}

// The verdicts of a review.
const (
	Approve = "approve"
	Reject  = "reject"
)

// Given is a review that was recorded, and what it led to.
type Given struct {
	Review
	Acted bool   `json:"acted"` // the task goes on by it
	Then  string `json:"then"`  // what follows, one line
}

// Record writes a review's file and then records it. A process killed in between
// leaves a file that the record does not know: it is listed as such and counts for
// nothing. Where the task's judged work still stands in the tree, the task goes on by
// the review, with the same entry: a rejection leads to the next attempt, an approval
// closes the gate that waits for it.
func RecordReview(ctx context.Context, s *Service, q New) (Given, error) {
	if q.Verdict != Approve && q.Verdict != Reject {
		return Given{}, belay.Refuse(belay.CodeUsage, "--verdict approve or --verdict reject", "%q is not a verdict", q.Verdict)
	}
	r, err := s.Session.Load(q.Task)
	if err != nil {
		return Given{}, err
	}
	at, err := runner.At(ctx, s.Session, r)
	if belay.CodeOf(err) == belay.CodeNotFound {
		at, err = s.Session, nil // its own tree is gone; the words are all there is
	}
	if err != nil {
		return Given{}, err
	}
	w, err := wordsOf(s, at, &q)
	if err != nil {
		return Given{}, err
	}
	g := giving{svc: s, at: at, r: r, q: q}
	if err := g.read(ctx); err != nil {
		return Given{}, err
	}
	shelf, err := runner.Reviews(s.Session, r)
	if err != nil {
		return Given{}, err
	}
	defer func() { _ = shelf.Close() }()
	n, err := shelf.Add(func(n int) (*review.Document, error) {
		g.c.Number = n
		return review.New(g.c, g.body)
	})
	if err != nil {
		return Given{}, err
	}
	out := Given{}
	if out.Acted, out.Then, err = g.act(ctx); err != nil {
		return Given{}, fmt.Errorf("record the review in %s after writing its file: %w", shelf.Path(n), err)
	}
	w.taken()
	_, _ = at.Claims().EndClaims(q.Task, g.c.Reviewer) // one left behind ends with its holder
	out.Then += g.secrets
	out.Review = knownReview(r, shelf, shelf.Read(n))
	return out, nil
}

// giving is a review on its way into the record.
type giving struct {
	svc     *Service
	secrets string           // what became of those in its words
	at      *session.Session // of the tree the work stands in
	r       *session.Record
	q       New
	c       review.Cycle
	body    string
	files   []string
}

// read takes the review apart and finds the places it asks to change.
func (g *giving) read(ctx context.Context) error {
	masked, n := check.Masked(g.q.Text, g.svc.Session.Config.Secrets.Allow)
	switch {
	case n > 0 && g.q.Secrets:
		g.secrets = "; " + belay.CountOf(n, "secret") + " kept by --force-secrets"
	case n > 0:
		g.q.Text, g.secrets = masked, "; "+belay.CountOf(n, "secret")+" masked"
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
	if g.files, err = prompt.Paths(ctx, g.at.Repo); err != nil {
		return err
	}
	by := cmp.Or(g.q.Reviewer, said.Reviewer)
	if left := loop.Awaited(g.r.Task.Policy, g.r.State); by == "" && len(left) == 1 {
		by = left[0]
	}
	g.c = review.Cycle{Task: string(g.r.Task.ID), Feature: g.r.Task.Feature, Reviewer: by, Time: time.Now().UTC().Truncate(time.Second),
		Verdict: g.q.Verdict, Affected: affected(said.Affected, g.body, g.files),
		Reproduction: cmp.Or(g.q.Reproduction, said.Reproduction), Override: said.Override}
	return nil
}

// act lets the loop decide on the review and records both; where the loop waits for none,
// the review is recorded beside it.
func (g *giving) act(ctx context.Context) (acted bool, then string, err error) {
	pointer := review.PointerTo(g.r.Task.Feature, string(g.r.Task.ID), g.c.Number).String()
	text := reviewText(g.c, pointer) + g.secrets
	why := g.mayAct(ctx)
	if why == nil {
		ev := loop.Event{Kind: loop.EvVerdict, Verdict: belay.VerdictPass, By: g.c.Reviewer, Pointer: pointer, Note: text,
			Back: g.q.Again}
		if g.q.Verdict == Reject {
			ev.Verdict = belay.VerdictFail
			ev.Findings = review.Findings(g.c.Reviewer, g.c.Affected, g.body, g.files, true)
			if ev.Report, err = g.report(ev.Findings, pointer); err != nil {
				return false, "", err
			}
		}
		err = g.svc.Session.Apply(ctx, g.r, ev)
		if err == nil {
			return true, g.follows(), g.settled(ctx)
		}
		if !errors.Is(err, loop.ErrNotNow) && !errors.Is(err, loop.ErrDecision) {
			return false, "", err
		}
		why = err // somebody moved the task on meanwhile
	}
	note := session.Note{Kind: "review", Text: text,
		Review: &review.RecordedReview{Cycle: g.c.Number, Verdict: g.q.Verdict, Reviewer: g.c.Reviewer, Pointer: pointer}}
	if err := g.svc.Session.AddNote(ctx, g.r, note); err != nil {
		return false, "", err
	}
	return false, session.Sentence(why), nil
}

// mayAct says why the task does not go on by the review, nil when it does.
func (g *giving) mayAct(ctx context.Context) error {
	s, id := g.r.State, g.r.Task.ID
	waits := s.Gate != nil && s.Gate.Kind == loop.GateReview
	switch {
	case !loop.Reviewable(s) && s.Phase == "":
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --task %s -- AGENT", id),
			"%s has not started: the review is recorded and has no effect now", id)
	case !loop.Reviewable(s):
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", id),
			"%s has no checked work now (%s): the review is recorded and has no effect now", id, s.Phase)
	case g.q.Verdict == Approve && s.Outcome == loop.OutcomePassed:
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", id), "%s is already accepted", id)
	case g.q.Verdict == Approve && !waits:
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay task move %s --to approved --force", id),
			"the work of %s was rejected: an approval alone does not accept it", id)
	case g.q.Verdict == Approve:
		return AsJudged(ctx, g.svc, g.r)
	case g.q.Verdict == Reject && s.Outcome == loop.OutcomePassed:
		return MayReopen(ctx, g.svc, g.r, g.q.Together...)
	}
	return nil
}

// report keeps the review as reviewers' answers are kept.
func (g *giving) report(findings []belay.Finding, pointer string) (string, error) {
	log, _, err := g.svc.Session.Journal.Attach(strings.NewReader(g.body))
	if err != nil {
		return "", err
	}
	result := belay.CheckResult{Check: "review/" + cmp.Or(g.c.Reviewer, "person"), Verdict: belay.VerdictFail,
		Summary: pointer, Findings: findings, Log: log}
	text, err := json.Marshal(belay.Report{Task: g.r.Task.ID, Time: time.Now().UTC(), Before: g.r.State.Before,
		After: runner.Result(g.r), Verdict: belay.VerdictFail, Checks: []belay.CheckResult{result}})
	if err != nil {
		return "", err
	}
	sha, _, err := g.svc.Session.Journal.Attach(strings.NewReader(string(text)))
	return sha, err
}

// follows says what the review led to.
func (g *giving) follows() string {
	s, id := g.r.State, g.r.Task.ID
	run := fmt.Sprintf("belay run --resume %s", id)
	if len(g.r.Task.Agent) == 0 { // driven by hand
		run = fmt.Sprintf("belay fix-prompt %s says what, then belay task capture %s", id, id)
	}
	if h, held := g.at.Held(); held && h.Task.Key() == id.Key() {
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

// settled closes the record of work that the review accepted.
func (g *giving) settled(ctx context.Context) error {
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

// affected adds the places found in prose to those a review names in its front matter.
func affected(named []review.Affected, text string, files []string) []review.Affected {
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

// source is the file that a review's words came from, where that was not named.
type source struct{ top, path, text string }

// wordsOf fills in the words of a review from the file that reviewers were told to write,
// in the tree where the person stands or in the task's.
func wordsOf(s *Service, at *session.Session, q *New) (source, error) {
	if strings.TrimSpace(q.Text) != "" {
		return source{}, nil
	}
	path := q.Task.FeedbackFile()
	for _, top := range []string{s.Session.Repo.Root, at.Repo.Root} {
		text, err := readWithin(top, path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return source{}, err
		}
		if strings.TrimSpace(text) != "" {
			q.Text = text
			return source{top, path, text}, nil
		}
	}
	return source{}, belay.Refuse(belay.CodeUsage,
		"write your feedback to "+path+" or give --file FILE", "the review is empty")
}

// taken removes the file whose words are in the review's own now, unless somebody wrote
// on in it.
func (s source) taken() {
	if s.path == "" {
		return
	}
	if text, err := readWithin(s.top, s.path); err != nil || text != s.text {
		return
	}
	if root, err := os.OpenRoot(s.top); err == nil {
		_ = root.Remove(s.path) // left behind it is offered again, no more
		_ = root.Close()
	}
}
