package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/phase"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/tasklist"
)

// reviewers returns the reviewers of phases: programs and models in asked, the names of persons in
// persons.
func (s *Stage) reviewers(q PhaseRequest) (asked []belay.Reviewer, persons []string, err error) {
	names := s.Service.Session.Config.PhaseReviewers
	for _, n := range names {
		known := slices.ContainsFunc(s.Service.Session.Config.Reviewers, func(r belay.Reviewer) bool { return r.Name == n })
		if n != "none" && !known {
			return nil, nil, belay.Refuse(belay.CodeUsage, "name one of reviewers: in .belay/config.yaml",
				"phases.reviewers: there is no reviewer %q", belay.VisibleLine(n))
		}
	}
	for _, r := range s.Service.Session.Config.Reviewers {
		switch {
		case q.WithoutReview || len(names) > 0 && !slices.Contains(names, r.Name):
		case r.Human():
			persons = append(persons, r.Name)
		default:
			asked = append(asked, r)
		}
	}
	return asked, persons, nil
}

// expectationOf returns what the next phase of this feature needs from phase p.
func (s *Stage) expectationOf(p phase.Phase) phase.Expectation {
	return phase.ExpectationOf(p, s.Rec.Feature.Mode, func(q phase.Phase) bool { return s.Layout.Files[q] != "" })
}

// reviewArtefact reviews the output of a phase: first with belay's own checks, then with the
// reviewers. state is "" when the phase can be completed; otherwise it is the state for the result,
// and err is the command's error.
func (s *Stage) reviewArtefact(ctx context.Context, q PhaseRequest, art tasklist.Artefact) (state string, err error) {
	e := s.expectationOf(q.Phase)
	g := s.Rec.Feature.Of(q.Phase)
	it := phase.Iteration{N: g.Rounds() + 1, Sits: e.Sits, Verdict: belay.VerdictPass, SHA: art.SHA, Changes: q.Changes}
	last := g.Last()
	if waits := last != nil && len(last.Waits) > 0; waits {
		if last.SHA == art.SHA && art.SHA != "" {
			return s.stateAfter(q, *last)
		}
		it.N = last.N // changed before the persons answered: not a rejection
	}
	asked, persons, err := s.reviewers(q)
	if err != nil {
		return "failed", err
	}
	if it.Findings, err = s.findProblems(ctx, q.Phase); err != nil {
		return "failed", err
	}
	if slices.ContainsFunc(it.Findings, isBlocking) {
		it.Verdict, it.By, asked = belay.VerdictFail, []string{"belay"}, nil
	}
	switch {
	case len(it.Findings) == 0 && len(asked)+len(persons) == 0:
		return "", nil
	case it.Verdict == belay.VerdictFail && !q.WithoutReview && last != nil &&
		sameFindings(last.Findings, it.Findings) && last.N < s.Rec.Feature.Limit():
		return s.stateAfter(q, *last) // nothing was fixed: repeating the command uses no iteration
	}
	if it.Text, err = s.Service.Session.AttachText(strings.NewReader(artefactText(art)), belay.Task{}); err != nil {
		return "failed", err
	}
	it.Changes = strings.TrimPrefix(strings.Join([]string{it.Changes, s.describeChange(last, artefactText(art))}, "; "), "; ")
	if len(asked) > 0 {
		if err := s.askReviewers(ctx, &it, asked, e, art); err != nil {
			return "failed", err
		}
	}
	if it.Verdict == belay.VerdictPass && len(persons) > 0 {
		it.Verdict, it.Waits = belay.VerdictUnknown, persons
	}
	state, err = s.recordIteration(ctx, q, it)
	if q.WithoutReview && state == "rejected" {
		return "", nil // a person wants it completed anyway: the findings are recorded
	}
	return state, err
}

// sameFindings reports whether two lists have the same findings, by their signatures.
func sameFindings(a, b []belay.Finding) bool {
	return slices.EqualFunc(a, b, func(a, b belay.Finding) bool { return a.Signature == b.Signature })
}

func isBlocking(f belay.Finding) bool { return f.Severity == belay.SeverityError }

// artefactText returns the complete text of an artefact.
func artefactText(art tasklist.Artefact) string {
	var b strings.Builder
	for _, f := range art.Files {
		if len(art.Files) > 1 {
			b.WriteString("==> " + f.Path + "\n")
		}
		b.WriteString(f.Text)
	}
	return b.String()
}

// describeChange returns how many lines were added and removed since the last iteration, "" for the
// first one.
func (s *Stage) describeChange(last *phase.Iteration, now string) string {
	if last == nil || last.Text == "" {
		return ""
	}
	was, err := s.Service.Session.Journal.Attachment(last.Text)
	if err != nil {
		return ""
	}
	count := map[string]int{}
	for line := range strings.Lines(now) {
		count[strings.TrimSpace(line)]++
	}
	gone, more := 0, 0
	for line := range strings.Lines(string(was)) {
		if line = strings.TrimSpace(line); count[line] > 0 {
			count[line]--
		} else {
			gone++
		}
	}
	for _, n := range count {
		more += n
	}
	if gone+more == 0 {
		return ""
	}
	return fmt.Sprintf("%s added, %s removed", belay.CountOf(more, "line"), belay.CountOf(gone, "line"))
}

// recordIteration records an iteration and returns the resulting state.
func (s *Stage) recordIteration(ctx context.Context, q PhaseRequest, it phase.Iteration) (state string, err error) {
	if err := s.addEvent(ctx, phase.Event{Kind: phase.EvReviewed, Phase: q.Phase, SHA: it.SHA, Review: &it, By: q.By}); err != nil {
		return "failed", err
	}
	return s.stateAfter(q, it)
}

// stateAfter returns the state after an iteration: "" when the phase can be completed.
func (s *Stage) stateAfter(q PhaseRequest, it phase.Iteration) (state string, err error) {
	switch {
	case len(it.Waits) > 0:
		try := fmt.Sprintf("belay phase review %s --verdict approve|reject --by %s%s", q.Phase, it.Waits[0], s.featureFlag())
		return "waiting", belay.Refuse(belay.CodeWaiting, belay.VisibleLine(try), "%s waits for a review by %s", q.Phase,
			belay.VisibleLine(strings.Join(it.Waits, ", ")))
	case it.Verdict == belay.VerdictPass, it.N >= s.Rec.Feature.Limit():
		return "", nil
	}
	try := belay.VisibleLine(fmt.Sprintf("fix what is listed, then belay phase done %s%s", q.Phase, s.featureFlag()))
	return "rejected", belay.Refuse(belay.CodeRefused, try, "%s was rejected (iteration %d of %d)", q.Phase, it.N, s.Rec.Feature.Limit())
}

// askReviewers sends the output of a phase to programs and models. A review that could not run is
// an error (belay.CodeCannot), not an iteration.
func (s *Stage) askReviewers(ctx context.Context, it *phase.Iteration, reviewers []belay.Reviewer, e phase.Expectation,
	art tasklist.Artefact) error {
	if err := s.Service.CheckReviewerTrust(reviewers); err != nil {
		return err
	}
	now, err := s.Service.Session.Snaps.Take(ctx,
		session.ManualMeta(nil, fmt.Sprintf("%s of %s under review", e.Phase, s.Rec.Feature.Name)))
	if err != nil {
		return err
	}
	it.Snapshot = string(now.ID)
	task := belay.Task{ID: "phase", Title: s.Rec.Feature.Name, Feature: s.Rec.Feature.Name, Reviewers: reviewers,
		Guidelines: s.Service.Session.Config.AllGuidelines(), Checks: belay.Checks{Reuse: s.Service.Session.Config.Checks.Reuse}}
	in := prompt.ReviewInput{Task: task, Phase: &prompt.PhaseReview{Feature: s.Rec.Feature.Name, Phase: string(e.Phase),
		Next: string(e.Next), Needs: e.Needs, Kind: string(e.Sits), Round: it.N, Limit: s.Rec.Feature.Limit(), Artefact: documentsOf(art)}}
	if last := s.Rec.Feature.Of(e.Phase).Last(); last != nil && last.N < it.N {
		in.Since, in.Open = last.N, last.Findings
	}
	if err := s.addBaseline(ctx, &in, e.Phase, now.ID); err != nil {
		return err
	}
	if len(it.Findings) > 0 {
		in.Checks = []belay.CheckResult{{Check: "phase", Verdict: belay.VerdictPass, Findings: it.Findings}}
	}
	panel, release, err := reviewPanel(ctx, s.Service, s.Service.Session, task)
	if err != nil {
		return err
	}
	defer release()
	results := panel.Ask(ctx, in, now.ID)
	if err := ctx.Err(); err != nil {
		return belay.Refuse(belay.CodeInterrupted, "belay phase done "+string(e.Phase), "the review was interrupted")
	}
	return s.addAnswers(it, results, in.Files)
}

// addAnswers adds the reviewers' answers to an iteration.
func (s *Stage) addAnswers(it *phase.Iteration, results []belay.CheckResult, files []string) error {
	if it.Verdict = belay.Judge(results); it.Verdict == belay.VerdictUnknown {
		for _, r := range results {
			if r.Verdict == belay.VerdictUnknown {
				return belay.Refuse(belay.CodeCannot, "run it again, or complete the phase with --no-review", "%s",
					belay.VisibleLine(r.Check+": "+cmp.Or(r.Why, r.Summary)))
			}
		}
	}
	var lists [][]belay.Finding
	for _, r := range results {
		it.By = append(it.By, strings.TrimPrefix(r.Check, "review/"))
		lists = append(lists, review.WithPlaces(r.Findings, files))
		if r.Review != nil && r.Review.Summary != "" {
			it.Summary = strings.TrimSpace(it.Summary + "\n" + r.Review.Summary)
		}
	}
	it.Findings = append(it.Findings, review.MergeFindings(lists...)...)
	text, err := json.Marshal(belay.Report{Time: time.Now().UTC(), After: belay.SnapshotID(it.Snapshot), Verdict: it.Verdict,
		Checks: results})
	if err == nil {
		it.Report, _, err = s.Service.Session.Journal.Attach(bytes.NewReader(text))
	}
	return err
}

func documentsOf(a tasklist.Artefact) (out []prompt.Document) {
	for _, f := range a.Files {
		out = append(out, prompt.Document{Path: f.Path, Text: f.Text})
	}
	return out
}

// addBaseline adds the input to compare with: the artefact of the previous phase, or for code the
// specification and the diff.
func (s *Stage) addBaseline(ctx context.Context, in *prompt.ReviewInput, p phase.Phase, now belay.SnapshotID) error {
	held := phase.CreateTasks // the document that the work is compared with
	switch p {
	case phase.Implement:
	case phase.Verify:
		held = phase.Specify
	default:
		i := slices.Index(phase.All, p)
		for _, before := range slices.Backward(phase.All[:i]) {
			if a, err := s.Artefact(before); err == nil && len(a.Files) > 0 {
				in.Phase.Previous = documentsOf(a)
				break
			}
		}
		for _, d := range in.Phase.Artefact {
			in.Files = append(in.Files, d.Path)
		}
		return nil
	}
	for _, q := range []phase.Phase{held, phase.Specify} {
		a, err := s.Artefact(q)
		if err != nil {
			return err
		}
		if in.Phase.Artefact = documentsOf(a); len(a.Files) > 0 {
			break
		}
	}
	from := belay.SnapshotID(s.Rec.Feature.Of(phase.Implement).From)
	if from == "" {
		return nil
	}
	changes, err := s.Service.Session.Snaps.Changes(ctx, from, now)
	if err != nil { // the snapshot was pruned, but the reviewers have the checkout
		s.Notes = append(s.Notes, "the reviewers got no diff: "+session.ErrorLine(err))
		return nil
	}
	for _, c := range changes {
		if !strings.HasPrefix(c.Path, s.Rec.Feature.Folder+"/") {
			in.Files = append(in.Files, c.Path)
		}
	}
	in.Diff, err = clippedPatch(ctx, s.Service.Session, from, now, in.Files)
	return err
}

// findProblems returns the findings of belay's own checks about completing a phase. Errors block
// it.
func (s *Stage) findProblems(ctx context.Context, p phase.Phase) (out []belay.Finding, err error) {
	add := func(file string, line int, format string, args ...any) {
		f := belay.Finding{Check: "phase", Severity: belay.SeverityError, Category: belay.CategoryReview, File: file, Line: line,
			Title: fmt.Sprintf(format, args...)}
		out = append(out, f.Sign())
	}
	list := s.boxes()
	switch p {
	case phase.CreateTasks:
		if a, err := s.Artefact(p); err == nil && len(list) == 0 && len(a.Files) > 0 {
			add(a.Files[0].Path, 0, "no task can be read from the task list")
		}
	case phase.Implement:
		for _, b := range list {
			if !b.Done {
				add(b.File, b.Line, "%s is open: %s", cmp.Or(b.ID, "a task"), belay.TitleOf(b.Text))
			}
		}
	case phase.Verify:
		return s.verifyTasks(ctx)
	}
	return slices.Clip(out), nil
}

// verifyTasks checks the feature's tasks against its specification, as belay review feature does.
// If no tasks of the feature are recorded, it uses only the boxes of its task list.
func (s *Stage) verifyTasks(ctx context.Context) (out []belay.Finding, err error) {
	v, err := ReviewFeature(ctx, s.Service, FeatureRequest{Feature: s.Rec.Feature.Name})
	if belay.CodeOf(err) == belay.CodeNotFound {
		var spec review.Spec
		a, err := s.Artefact(phase.Specify)
		if err != nil {
			return nil, err
		}
		for _, f := range a.Files {
			spec.Items = append(spec.Items, review.ReadItems(f.Path, f.Text)...)
		}
		spec.Boxes = s.boxes()
		v.Facts = review.FeatureFacts(nil, spec, nil, nil)
	} else if err != nil {
		return nil, err
	}
	for _, f := range v.Facts {
		out = append(out, f.Finding)
	}
	return out, nil
}

// PhaseReview is a person's review of the output of a phase.
type PhaseReview struct {
	PhaseRequest
	Approve bool
	Text    string
}

// Review records a person's review. An approval completes the phase unless other reviewers have not
// answered; a rejection is an iteration like any other. Errors: belay.CodeUsage when the phase
// waits for another reviewer, or when the reviewed files changed since.
func (s *Stage) Review(ctx context.Context, v PhaseReview) (PhaseResult, error) {
	s.finishStatusFile(ctx)
	v.By = authorName(v.By)
	a, art, err := s.checkComplete(v.Phase)
	if err != nil {
		return s.result(v.Phase, a, "blocked"), err
	}
	g := s.Rec.Feature.Of(v.Phase)
	if !g.Open() {
		return PhaseResult{}, belay.Refuse(belay.CodeUsage, "belay phase done "+string(v.Phase), "%s is not under review", v.Phase)
	}
	it := phase.Iteration{N: g.Rounds() + 1, Sits: s.expectationOf(v.Phase).Sits, SHA: art.SHA}
	if last := g.Last(); last != nil && len(last.Waits) > 0 {
		it = *last
		waited := slices.IndexFunc(it.Waits, func(name string) bool { return strings.EqualFold(name, v.By) })
		switch {
		case waited < 0:
			return PhaseResult{}, belay.Refuse(belay.CodeUsage, "--by "+belay.VisibleLine(it.Waits[0]),
				"%s waits for a review by %s, not by %s", v.Phase, belay.VisibleLine(strings.Join(it.Waits, ", ")), v.By)
		case it.SHA != art.SHA:
			return PhaseResult{}, belay.Refuse(belay.CodeUsage, "belay phase done "+string(v.Phase),
				"%s was changed after %s was asked to review it",
				belay.VisibleLine(s.Layout.ArtefactPath(s.Rec.Feature.Folder, v.Phase)), v.By)
		}
		it.Waits = slices.Delete(slices.Clone(it.Waits), waited, waited+1)
	}
	it.By = append(slices.Clip(it.By), v.By)
	files := []string{}
	for _, f := range art.Files {
		files = append(files, f.Path)
	}
	switch {
	case !v.Approve:
		it.Verdict, it.Waits = belay.VerdictFail, nil
		it.Findings = append(slices.Clip(it.Findings), review.Findings(v.By, nil, v.Text, files, true)...)
	case len(it.Waits) == 0:
		it.Verdict = belay.VerdictPass
	}
	if v.Approve && strings.TrimSpace(v.Text) != "" {
		it.Summary = strings.TrimSpace(it.Summary + "\n" + v.By + ": " + belay.Clip(v.Text, 4<<10))
	}
	if state, err := s.recordIteration(ctx, v.PhaseRequest, it); state != "" {
		return s.result(v.Phase, a, state), err
	}
	return s.recordCompletion(ctx, v.PhaseRequest, a, art)
}
