package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/tasklist"
)

// FeatureRequest asks for a review of a feature: all its tasks together against the specification.
type FeatureRequest struct {
	Feature string
	Tasks   []belay.TaskID // instead of the feature's tasks
	Spec    []string       // documents, relative to the root; empty: found by the feature's name
	Ask     bool           // also ask the configured reviewers
	Watch   runner.Observer
}

// FeatureReview is the result of the review of a feature.
type FeatureReview struct {
	Feature string              `json:"feature,omitempty"`
	Tasks   []belay.TaskID      `json:"tasks"`
	Spec    []string            `json:"spec"`
	Verdict belay.Verdict       `json:"verdict"`
	Facts   []review.Fact       `json:"facts"`
	Reviews []belay.CheckResult `json:"reviews,omitempty"`
	Blamed  []belay.TaskID      `json:"blamed"` // the tasks that the blocking facts are about
	Report  string              `json:"report,omitempty"`
}

// ReviewFeature computes the facts about a feature's work and, if asked, asks the configured
// reviewers to read all of it. It changes nothing but a note in each task's record that the
// reviewers were asked.
func ReviewFeature(ctx context.Context, s *Service, q FeatureRequest) (FeatureReview, error) {
	out := FeatureReview{Feature: q.Feature, Tasks: []belay.TaskID{}, Spec: []string{}, Blamed: []belay.TaskID{}, Facts: []review.Fact{}}
	records, others, err := featureRecords(s, q)
	if err != nil {
		return out, err
	}
	home, err := runner.HomeSession(ctx, s.Session)
	if err != nil {
		return out, err
	}
	w, err := gatherWork(ctx, s, home, records, others)
	if err != nil {
		return out, err
	}
	docs, spec, err := readSpec(ctx, home, q)
	if err != nil {
		return out, err
	}
	for _, doc := range docs {
		out.Spec = append(out.Spec, doc.Path)
	}
	for _, r := range records {
		out.Tasks = append(out.Tasks, r.Task.ID)
	}
	out.Facts = append(out.Facts, review.FeatureFacts(w.tasks, spec, w.changed, w.changedByOthers)...)
	if q.Ask {
		if out.Reviews, err = w.askReviewers(ctx, s, home, q, docs, out.Facts); err != nil {
			return out, err
		}
	}
	return out, w.recordVerdict(ctx, s, &out)
}

// featureWork is the combined work of a feature's tasks.
type featureWork struct {
	records         []*session.Record
	tasks           []review.Task
	before, after   belay.SnapshotID
	changed         []string
	changedByOthers []string // paths that other tasks changed
}

// featureRecords returns the records of the feature's tasks in the order of their before snapshots,
// and all other records.
func featureRecords(s *Service, q FeatureRequest) (ours, others []*session.Record, err error) {
	all, err := s.Session.Records(nil)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		named := slices.ContainsFunc(q.Tasks, func(id belay.TaskID) bool { return id.Key() == r.Task.ID.Key() })
		if named || len(q.Tasks) == 0 && q.Feature != "" && r.Task.Feature == q.Feature {
			ours = append(ours, r)
		} else {
			others = append(others, r)
		}
	}
	for _, id := range q.Tasks {
		if !slices.ContainsFunc(ours, func(r *session.Record) bool { return r.Task.ID.Key() == id.Key() }) {
			return nil, nil, belay.Refuse(belay.CodeNotFound, "belay task list", "there is no task %s", id)
		}
	}
	if len(ours) == 0 {
		return nil, nil, belay.Refuse(belay.CodeNotFound, "belay task list, or --tasks T1,T2",
			"no task of feature %q", q.Feature)
	}
	slices.SortStableFunc(ours, func(a, b *session.Record) int { return strings.Compare(string(a.State.Before), string(b.State.Before)) })
	return ours, others, nil
}

// gatherWork collects what each task changed, and what else changed since the first of them
// started.
func gatherWork(ctx context.Context, s *Service, home *session.Session, ours, others []*session.Record) (*featureWork, error) {
	w := &featureWork{records: ours}
	for _, r := range ours {
		t := review.Task{Task: r.Task, Accepted: r.State.Outcome == loop.OutcomePassed,
			StatusText: cmp.Or(string(r.State.Outcome), r.Phase()), NotMerged: runner.IsUnmerged(r)}
		if n := len(r.Overrides); n > 0 {
			t.AcceptedDespite = r.Overrides[n-1].String()
		}
		if r.State.Before != "" && !r.RolledBack() {
			if w.before == "" && r.Task.Worktree == "" {
				w.before = r.State.Before
			}
			var err error
			if t.Changes, err = changedPaths(ctx, s, r); err != nil {
				return nil, fmt.Errorf("see what %s changed: %w", r.Task.ID, err)
			}
		}
		w.tasks = append(w.tasks, t)
	}
	for _, r := range others {
		if r.State.Before != "" && !r.RolledBack() {
			if paths, err := changedPaths(ctx, s, r); err == nil { // a task without snapshots claims no path
				w.changedByOthers = append(w.changedByOthers, paths...)
			}
		}
	}
	if w.before == "" {
		return w, nil
	}
	now, err := home.Snaps.Take(ctx, session.ManualMeta(nil, "the feature under review"))
	if err != nil {
		return nil, err
	}
	w.after = now.ID
	changes, err := home.Snaps.Changes(ctx, w.before, w.after)
	for _, c := range changes {
		w.changed = append(w.changed, c.Path)
	}
	return w, err
}

// changedPaths returns the paths that a task's attempts changed.
func changedPaths(ctx context.Context, s *Service, r *session.Record) ([]string, error) {
	after := runner.ResultSnapshot(r)
	if after == "" {
		return nil, nil
	}
	w, err := s.Session.Work(ctx, r, after)
	var paths []string
	for _, c := range w.All {
		paths = append(paths, c.Path)
	}
	return paths, err
}

// readSpec reads the specification with its requirements and task boxes.
func readSpec(ctx context.Context, home *session.Session, q FeatureRequest) ([]prompt.Document, review.Spec, error) {
	var spec review.Spec
	docs, err := review.FeatureDocuments(ctx, home.Repo, q.Feature, q.Spec)
	for _, doc := range docs {
		spec.Items = append(spec.Items, review.ReadItems(doc.Path, doc.Text)...)
		spec.Boxes = append(spec.Boxes, taskBoxes(doc.Path, doc.Text)...)
	}
	return docs, spec, err
}

// taskBoxes returns the tasks of a task list, none for any other document.
func taskBoxes(name, text string) []review.Box {
	if base := path.Base(name); base != "tasks.md" && !strings.HasPrefix(base, "WP") {
		return nil
	}
	list, err := tasklist.ReadTasks(name, []byte(text))
	if err != nil {
		return nil
	}
	var out []review.Box
	for _, t := range list.Tasks {
		if t.Parts == 0 && !t.Optional {
			out = append(out, review.Box{ID: t.ID, Text: t.Title + boxRequirements(t.Requirements), File: name, Line: t.Line,
				Done: t.Done})
		}
	}
	return out
}

func boxRequirements(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (requirements: " + strings.Join(ids, ", ") + ")"
}

// askReviewers asks the configured reviewers to read all of the work. CodeUsage when none is
// configured.
func (w *featureWork) askReviewers(ctx context.Context, s *Service, home *session.Session, q FeatureRequest, docs []prompt.Document,
	facts []review.Fact) (results []belay.CheckResult, err error) {
	reviewers := slices.DeleteFunc(slices.Clone(s.Session.Config.Reviewers), belay.Reviewer.Human)
	switch {
	case len(reviewers) == 0:
		return nil, belay.Refuse(belay.CodeUsage, "reviewers: in .belay/config.yaml", "no reviewer is configured")
	case w.before == "":
		return nil, belay.Refuse(belay.CodeRefused, "merge the remaining tasks with belay merge",
			"none of the feature's work is in your working tree")
	}
	if err := s.CheckReviewerTrust(reviewers); err != nil {
		return nil, err
	}
	name := cmp.Or(q.Feature, "of these tasks")
	task := belay.Task{ID: "feature", Title: name, Feature: q.Feature, Reviewers: reviewers,
		Guidelines: s.Session.Config.AllGuidelines(), Checks: belay.Checks{Reuse: s.Session.Config.Checks.Reuse}}
	var prose []string
	var paths []string
	for _, t := range w.tasks {
		prose = append(prose, fmt.Sprintf("%s:\n\n%s", t.ID, strings.TrimSpace(t.Prose)))
		paths = append(paths, t.Changes...)
	}
	task.Prose = strings.Join(prose, "\n\n")
	in := prompt.ReviewInput{Task: task, Feature: name, Spec: docs}
	result := belay.CheckResult{Check: review.FeatureCheck, Verdict: belay.VerdictPass, Summary: belay.CountOf(len(facts), "fact")}
	for _, f := range facts {
		result.Findings = append(result.Findings, f.Finding)
	}
	in.Checks = []belay.CheckResult{result}
	slices.Sort(paths)
	in.Files = slices.Compact(paths)
	if in.Diff, err = clippedPatch(ctx, home, w.before, w.after, in.Files); err != nil {
		return nil, err
	}
	panel, release, err := reviewPanel(ctx, s, home, task)
	if err != nil {
		return nil, err
	}
	defer release()
	return panel.Ask(ctx, in, w.after), nil
}

// clippedPatch returns the diff of files between two snapshots, cut to the size that fits in a reviewer's prompt.
func clippedPatch(ctx context.Context, home *session.Session, from, to belay.SnapshotID, files []string) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	var diff bytes.Buffer
	if err := home.Snaps.Patch(ctx, from, to, files, &diff); err != nil {
		return "", err
	}
	const most = 256 << 10
	text := diff.String()
	if len(text) > most {
		text = text[:most] + "\n(the diff is longer: read the rest in the checkout)"
	}
	return text, nil
}

// reviewPanel creates the panel that reviews a feature in this tree. release ends its claim on the
// tree.
func reviewPanel(ctx context.Context, s *Service, home *session.Session, task belay.Task) (p review.Panel, release func(), err error) {
	release, err = home.ReviewClaims().Claim(task.ID, []string{"feature " + task.Title})
	return review.Panel{
		Enclose: runner.Encloser(ctx, s.Session),
		Snaps:   home.Snaps, May: s.Session.Gate, ReadOnly: []string{home.Repo.Root, home.Repo.Common},
		Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{"BELAY_FEATURE": task.Feature, "BELAY_ROLE": "reviewer"}),
		ReviewerEnv: func(reviewer string) []string {
			_, env := home.ReviewClaims().KeyAndEnv(reviewer, task.ID)
			return env
		},
		Attach: func(r io.Reader) (string, error) { return home.AttachText(r, belay.Task{}) },
	}, release, err
}

// recordVerdict computes the verdict and adds a note to each task when reviewers were asked.
func (w *featureWork) recordVerdict(ctx context.Context, s *Service, out *FeatureReview) error {
	var findings []belay.Finding
	out.Verdict = belay.VerdictPass
	for _, f := range out.Facts {
		findings = append(findings, f.Finding)
		if f.Severity == belay.SeverityError {
			out.Verdict = belay.VerdictFail
			for _, id := range f.Tasks {
				if !slices.Contains(out.Blamed, id) {
					out.Blamed = append(out.Blamed, id)
				}
			}
		}
	}
	var said []belay.Finding
	for i := range out.Reviews {
		out.Reviews[i].Findings = review.WithPlaces(out.Reviews[i].Findings, w.changed)
		said = append(said, out.Reviews[i].Findings...)
	}
	for _, id := range review.TasksOfFindings(w.tasks, said) {
		if !slices.Contains(out.Blamed, id) {
			out.Blamed = append(out.Blamed, id)
		}
	}
	if len(out.Reviews) == 0 {
		return nil
	}
	if v := belay.Judge(out.Reviews); v != belay.VerdictPass && out.Verdict == belay.VerdictPass {
		out.Verdict = v
	}
	text, err := json.Marshal(belay.Report{Time: time.Now().UTC(), Before: w.before, After: w.after, Verdict: out.Verdict,
		Checks: out.Reviews})
	if err != nil {
		return err
	}
	if out.Report, _, err = s.Session.Journal.Attach(bytes.NewReader(text)); err != nil {
		return err
	}
	for _, r := range w.records {
		note := session.Note{Kind: "feature-review",
			Text: fmt.Sprintf("reviewed with %s of %s: %s, %s", belay.CountOf(len(w.records), "task"), cmp.Or(out.Feature, "a list"),
				out.Verdict, out.Report)}
		if err := s.Session.AddNote(ctx, r, note); err != nil {
			return err
		}
	}
	return nil
}
