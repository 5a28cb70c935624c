package task

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// Names of a feature's workflow and of the activity that merges. They are in histories.
const (
	FeatureName = "belay.feature"
	MergeName   = "belay.merge"
)

// Decisions at a feature's gates, beside retry, which starts the task again from what is merged by
// then.
const (
	Merge loop.Decision = "merge" // merge the same work again, and test it again
	Drop  loop.Decision = "drop"  // leave the task out, and those that need its work
	Stop  loop.Decision = "stop"  // end the feature; what is merged stays
)

// OutcomePartial is the outcome of a feature that merged some of its tasks.
const OutcomePartial = "partial"

// PhaseRunning is the phase of a feature with tasks under way.
const PhaseRunning = "running"

// MaxFeature is the size limit of a submitted feature or task, in bytes of JSON: the server takes 2
// MiB at once.
const MaxFeature = 1 << 20

// maxReason limits the reason for a feature's gate, in bytes. Each of its tasks may have one.
const maxReason = 1000

// FeatureInput is a feature as it was submitted.
type FeatureInput struct {
	Like  Input              `json:"like"` // common to its tasks; Feature is its name, Base its first commit
	Tasks []belay.ListedTask `json:"tasks"`
	Limit int                `json:"limit"` // tasks at once

	// From is the position at which a run continues after the previous run's history became too
	// long.
	From *FeaturePosition `json:"from,omitempty"`
}

// FeaturePosition is the progress of a feature: all that one run of its workflow passes to the
// next.
type FeaturePosition struct {
	Parts  []Part        `json:"parts"`
	Tip    string        `json:"tip,omitempty"` // the commit of FeatureBranch on the remote; "" before the first merge
	Gates  []FeatureGate `json:"gates,omitempty"`
	Number int           `json:"number"` // of the last gate
	Log    []Line        `json:"said"`
}

// FeatureGate is a question to a person about one task, or about the feature.
type FeatureGate struct {
	Number  int             `json:"number"`
	Part    int             `json:"part"` // index among the feature's tasks; -1 is the feature
	Task    belay.TaskID    `json:"task,omitempty"`
	Why     string          `json:"why"`
	Options []loop.Decision `json:"options"`
}

// FeatureStatus is the current state of a feature.
type FeatureStatus struct {
	Status
	Branch string             `json:"branch"`
	Commit string             `json:"commit,omitempty"`
	Tasks  []belay.ListedTask `json:"tasks"`
	Parts  []Part             `json:"parts"`
	Gates  []FeatureGate      `json:"gates,omitempty"`
}

// FeatureResult is how a feature ended.
type FeatureResult struct {
	Outcome loop.Outcome `json:"outcome"`
	Branch  string       `json:"branch,omitempty"`
	Commit  string       `json:"commit,omitempty"`
	Parts   []Part       `json:"parts"`
	Cost    float64      `json:"cost,omitempty"`
}

// MergeAsk asks a worker to merge accepted work to a feature's branch on the remote.
type MergeAsk struct {
	Like   Input         `json:"like"`
	Task   belay.TaskID  `json:"task"`
	Title  string        `json:"title"`
	Origin *belay.Origin `json:"origin,omitempty"`
	Base   string        `json:"base"`          // the commit that the task started from
	Commit string        `json:"commit"`        // of its accepted work
	Tip    string        `json:"tip,omitempty"` // the branch's commit; "" if there is no branch
	Beat   time.Duration `json:"beat,omitempty"`
}

// MergeResult is the result of a merge: a commit, or why there is none.
type MergeResult struct {
	Commit    string   `json:"commit,omitempty"`
	Tests     string   `json:"tests,omitempty"`
	Conflicts []string `json:"conflicts,omitempty"`
	Findings  []string `json:"findings,omitempty"` // titles
	NotListed int      `json:"more,omitempty"`     // conflicts or findings that were left out
	Note      string   `json:"note,omitempty"`
}

// Shortened cuts a result to what the server takes: 50 conflicts and findings, short lines.
func (m MergeResult) Shortened() MergeResult {
	const most = 50
	var conflicts, findings int
	m.Conflicts, conflicts = firstItems(m.Conflicts, most)
	m.Findings, findings = firstItems(m.Findings, most)
	for _, list := range [][]string{m.Conflicts, m.Findings} {
		for i := range list {
			list[i] = shortLine(list[i], maxLine)
		}
	}
	m.Tests, m.Note, m.NotListed = shortLine(m.Tests, maxLine), shortLine(m.Note, maxLine), conflicts
	if len(m.Conflicts) == 0 {
		m.NotListed = findings
	}
	return m
}

// Reason returns why work was not merged; "" if it was.
func (m MergeResult) Reason() string {
	switch {
	case len(m.Conflicts) > 0:
		return "conflicts in " + listSome(m.Conflicts, 5, m.NotListed, ", ")
	case len(m.Findings) > 0:
		return "the combined tests fail: " + listSome(m.Findings, 3, m.NotListed, "; ")
	}
	return ""
}

// listSome names the first items of a list and counts the rest; more is a number of items that are
// not in the list.
func listSome(list []string, most, more int, between string) string {
	names, n := firstItems(list, most)
	if more += n; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return belay.VisibleLine(strings.Join(names, between))
}

// FeatureWorkflowID names a feature's workflow.
func FeatureWorkflowID(remote, name string) string {
	return fmt.Sprintf("belay/%s/feature/%s", RepositoryKey(remote), belay.TaskID(name).Key())
}

// IsFeature reports whether a workflow's ID is a feature's.
func IsFeature(id string) bool { return strings.Contains(id, "/feature/") }

// FeatureBranch names the branch that a feature's tasks are merged to.
func FeatureBranch(name string) string { return BranchOf(belay.TaskID(name)) }

// featureRun is one run of a feature's workflow.
type featureRun struct {
	ctx             workflow.Context
	in              FeatureInput
	pos             FeaturePosition
	stopped         bool
	changed         bool           // something happened since the last DecideNext
	running         map[int]string // workflow IDs of running tasks, by index
	shownAttributes string         // the search attributes as the server has them
}

// FeatureWorkflow runs each task of a feature as a child workflow, in the order of its list, and
// merges accepted work.
func FeatureWorkflow(ctx workflow.Context, in FeatureInput) (FeatureResult, error) {
	f := &featureRun{ctx: ctx, in: in, running: map[int]string{}}
	if in.From != nil {
		f.pos = *in.From
		f.in.From = nil
	} else {
		f.pos.Parts = make([]Part, len(in.Tasks))
		for i := range f.pos.Parts {
			f.pos.Parts[i].Stage = StageWaiting
		}
	}
	if err := f.setHandlers(); err != nil {
		return FeatureResult{}, err
	}
	for {
		full := workflow.GetInfo(ctx).GetContinueAsNewSuggested()
		m := DecideNext(f.in.Tasks, f.pos.Parts, f.in.Limit, f.stopped || f.isPaused())
		for _, i := range m.Drop {
			f.dropTask(i, "it needs the work of a task that is dropped")
		}
		if f.isIdle() && (f.stopped || m.Ended) {
			break
		}
		if full && f.isIdle() { // children do not follow their parent to its next run
			return FeatureResult{}, f.continueAsNew()
		}
		if !full {
			for _, i := range m.Begin {
				f.beginTask(i)
			}
			if m.Merge >= 0 {
				f.mergeTask(m.Merge)
			}
		}
		if err := f.updateAttributes(); err != nil {
			return FeatureResult{}, err
		}
		f.changed = len(m.Drop) > 0
		if err := workflow.Await(ctx, func() bool { return f.changed }); err != nil {
			return FeatureResult{}, err // cancelled by the server, which cancels the children too; they save their work
		}
	}
	if err := f.updateAttributes(); err != nil {
		return FeatureResult{}, err
	}
	return f.result(), workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// isPaused reports whether the feature itself waits for a person.
func (f *featureRun) isPaused() bool {
	return slices.ContainsFunc(f.pos.Gates, func(g FeatureGate) bool { return g.Part < 0 })
}

// isIdle reports whether no task runs and no merge is under way.
func (f *featureRun) isIdle() bool {
	return !slices.ContainsFunc(f.pos.Parts, func(p Part) bool { return p.Stage == StageRunning || p.Stage == StageMerging })
}

func (f *featureRun) continueAsNew() error {
	if err := workflow.Await(f.ctx, func() bool { return workflow.AllHandlersFinished(f.ctx) }); err != nil {
		return err
	}
	next, pos := f.in, f.pos
	next.From = &pos
	return workflow.NewContinueAsNewError(f.ctx, FeatureName, next)
}

func (f *featureRun) addLog(at time.Time, text string) { f.pos.Log = addLine(f.pos.Log, at, text) }

// inputOf returns the input of a task's own workflow.
func (f *featureRun) inputOf(i int) Input {
	t, p := f.in.Tasks[i], f.pos.Parts[i]
	in := f.in.Like
	in.ID, in.Prose, in.Ask, in.Listed, in.Base = p.Task, t.Prose, t.Ask, &t.Listed, p.Base
	if p.Why != "" {
		in.Prose += "\n\nEarlier work on this task was not accepted: " + p.Why
	}
	return in
}

// beginTask starts a task from the merged work.
func (f *featureRun) beginTask(i int) {
	p := &f.pos.Parts[i]
	p.Stage, p.Base, p.Tries = StageRunning, f.in.Like.Base, p.Tries+1
	if f.pos.Tip != "" {
		p.Base = f.pos.Tip
	}
	if p.Task = f.in.Tasks[i].ID; p.Tries > 1 {
		p.Task = belay.TaskID(fmt.Sprintf("%s-%d", p.Task, p.Tries))
	}
	in := f.inputOf(i)
	id := WorkflowID(in.Remote, in.ID)
	f.running[i] = id
	f.addLog(workflow.Now(f.ctx), fmt.Sprintf("%s: begun at %.12s", p.Task, p.Base))
	ctx := workflow.WithChildOptions(f.ctx, workflow.ChildWorkflowOptions{
		WorkflowID: id, TaskQueue: Queue, WaitForCancellation: true, ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE, TypedSearchAttributes: SearchAttributes(in),
	})
	child := workflow.ExecuteChildWorkflow(ctx, WorkflowName, in)
	workflow.Go(f.ctx, func(ctx workflow.Context) {
		var r Result
		err := child.Get(ctx, &r)
		delete(f.running, i)
		f.endTask(i, r, err)
		f.changed = true
	})
}

// endTask takes the result of a task: it waits to be merged, or at a gate.
func (f *featureRun) endTask(i int, r Result, err error) {
	p := &f.pos.Parts[i]
	p.Cost += r.Cost
	now := workflow.Now(f.ctx)
	var taken *temporal.ChildWorkflowExecutionAlreadyStartedError
	switch {
	case errors.As(err, &taken):
		f.openGate(i, "another task has the id "+string(p.Task), loop.DecideRetry, Drop, Stop)
	case err != nil:
		f.openGate(i, Cause(err), loop.DecideRetry, Drop, Stop)
	case r.Outcome != loop.OutcomePassed:
		f.openGate(i, strings.TrimSuffix(fmt.Sprintf("it ended %s: %s", r.Outcome, r.Why), ": "), loop.DecideRetry, Drop, Stop)
	default:
		p.Stage, p.Commit, p.Why = StageAccepted, r.Commit, ""
		f.addLog(now, string(p.Task)+": accepted")
	}
}

// mergeTask asks any worker to merge accepted work.
func (f *featureRun) mergeTask(i int) {
	p := &f.pos.Parts[i]
	p.Stage = StageMerging
	t := f.in.Tasks[i]
	q := MergeAsk{Like: f.in.Like, Task: p.Task, Title: t.Listed.Title, Origin: t.Listed.Origin, Base: p.Base, Commit: p.Commit,
		Tip: f.pos.Tip, Beat: silenceLimit(f.in.Like) / heartbeatsPerTimeout}
	o := anyWorkerOptions(f.in.Like)
	o.StartToCloseTimeout = maxActivityTime // the tests have a limit already
	workflow.Go(workflow.WithActivityOptions(f.ctx, o), func(ctx workflow.Context) {
		var m MergeResult
		err := workflow.ExecuteActivity(ctx, MergeName, q).Get(ctx, &m)
		now := workflow.Now(ctx)
		why := m.Reason()
		if err != nil {
			why = Cause(err)
		}
		if why != "" {
			f.openGate(i, "it cannot be merged: "+why, Merge, loop.DecideRetry, Drop, Stop)
		} else {
			p.Stage, f.pos.Tip = StageMerged, m.Commit
			f.addLog(now, strings.TrimSpace(fmt.Sprintf("%s: merged as %.12s; tests: %s %s", p.Task, m.Commit, m.Tests, m.Note)))
		}
		f.changed = true
	})
}

// openGate asks a person about task i; -1 is the feature.
func (f *featureRun) openGate(i int, why string, options ...loop.Decision) {
	why = shortLine(why, maxReason)
	if f.stopped { // no more questions
		f.dropTask(i, why)
		return
	}
	f.pos.Number++
	g := FeatureGate{Number: f.pos.Number, Part: i, Why: why, Options: options}
	if i >= 0 {
		p := &f.pos.Parts[i]
		p.Stage, p.Why, g.Task = StageGate, why, p.Task
		why = string(p.Task) + ": " + why
	}
	f.pos.Gates = append(f.pos.Gates, g)
	f.addLog(workflow.Now(f.ctx), fmt.Sprintf("waits for a person at gate %d: %s", g.Number, why))
}

func (f *featureRun) dropTask(i int, why string) {
	p := &f.pos.Parts[i]
	p.Stage, p.Why = StageDropped, shortLine(why, maxReason)
	f.addLog(workflow.Now(f.ctx), fmt.Sprintf("%s: dropped: %s", f.in.Tasks[i].ID, why))
}

// findGate returns the index of the gate that a decision answers.
func (f *featureRun) findGate(d Decision) (int, error) {
	for i, g := range f.pos.Gates {
		if d.Gate != 0 && d.Gate != g.Number {
			continue
		}
		if !slices.Contains(g.Options, d.Decision) {
			return 0, fmt.Errorf("%s is not possible at gate %d of %s", d.Decision, g.Number, f.in.Like.Feature)
		}
		return i, nil
	}
	if d.Gate != 0 {
		return 0, fmt.Errorf("%s does not wait at gate %d", f.in.Like.Feature, d.Gate)
	}
	return 0, fmt.Errorf("%s does not wait for a decision (%s)", f.in.Like.Feature, f.phase())
}

// checkDecision rejects a decision that is not possible now. The notes of people are kept with a
// task that is retried until it starts, so they count towards the limit.
func (f *featureRun) checkDecision(d Decision) error {
	there := 0
	for _, p := range f.pos.Parts {
		there += max(0, len(p.Why)-maxReason)
	}
	if _, err := f.findGate(d); err != nil {
		return err
	}
	return d.Fits(there)
}

// applyDecision carries out a decision.
func (f *featureRun) applyDecision(ctx workflow.Context, d Decision) error {
	n, err := f.findGate(d)
	if err != nil {
		return err // another person was first
	}
	g := f.pos.Gates[n]
	f.pos.Gates = slices.Delete(slices.Clone(f.pos.Gates), n, n+1)
	f.addLog(workflow.Now(ctx), fmt.Sprintf("decided at gate %d: %s, by %s", g.Number, d.Decision, d.By))
	f.changed = true
	switch d.Decision {
	case Stop:
		f.stopped = true
		f.pos.Gates = nil
		for i, p := range f.pos.Parts {
			switch p.Stage {
			case StageWaiting, StageAccepted, StageGate:
				f.dropTask(i, strings.TrimSpace("the feature was stopped. "+p.Why))
			}
		}
		f.sendDecision(ctx, Decision{Decision: loop.DecideAbort, Note: d.Note, By: d.By})
	case Resume:
		f.sendDecision(ctx, Decision{Decision: Resume, By: d.By})
	case Merge:
		f.pos.Parts[g.Part].Stage = StageAccepted
	case Drop:
		f.dropTask(g.Part, strings.TrimSpace("by "+d.By+" "+d.Note))
	case loop.DecideRetry:
		p := &f.pos.Parts[g.Part]
		if p.Stage = StageWaiting; d.Note != "" {
			p.Why += "\n" + d.Note
		}
	}
	return nil
}

// sendDecision signals a decision to each running task. Abort and cancel stop its agent first.
func (f *featureRun) sendDecision(ctx workflow.Context, d Decision) {
	var ids []string
	for i := range f.pos.Parts { // a map has no order
		if id := f.running[i]; id != "" {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		// The signal fails if the task ends at the same moment, and is not needed then.
		_ = workflow.SignalExternalWorkflow(ctx, id, "", SignalDecide, d).Get(ctx, nil)
	}
}

func (f *featureRun) setHandlers() error {
	if err := workflow.SetQueryHandler(f.ctx, QueryStatus, func() (FeatureStatus, error) { return f.status(), nil }); err != nil {
		return err
	}
	err := workflow.SetUpdateHandlerWithOptions(f.ctx, UpdateDecide, func(ctx workflow.Context, d Decision) (FeatureStatus, error) {
		err := f.applyDecision(ctx, d)
		return f.status(), err
	}, workflow.UpdateHandlerOptions{Validator: f.checkDecision})
	if err != nil {
		return err
	}
	return workflow.SetUpdateHandlerWithOptions(f.ctx, UpdateCancel, func(ctx workflow.Context) (FeatureStatus, error) {
		f.openGate(-1, "cancelled", Resume, Stop)
		f.changed = true
		f.sendDecision(ctx, Decision{Decision: Cancel})
		return f.status(), nil
	}, workflow.UpdateHandlerOptions{Validator: func() error {
		if f.isPaused() || f.stopped {
			return fmt.Errorf("%s is cancelled already", f.in.Like.Feature)
		}
		return nil
	}})
}

func (f *featureRun) phase() string {
	switch {
	case f.outcome() != "":
		return string(loop.PhaseClosed)
	case len(f.pos.Gates) > 0:
		return string(loop.PhaseGate)
	}
	return PhaseRunning
}

// outcome returns the feature's outcome; "" while it is open.
func (f *featureRun) outcome() loop.Outcome {
	merged, open := 0, 0
	for _, p := range f.pos.Parts {
		switch p.Stage {
		case StageMerged:
			merged++
		case StageDropped:
		default:
			open++
		}
	}
	switch {
	case open > 0 && !(f.stopped && f.isIdle()):
		return ""
	case merged == len(f.pos.Parts):
		return loop.OutcomePassed
	case merged > 0:
		return OutcomePartial
	}
	return loop.OutcomeAborted
}

func (f *featureRun) cost() (sum float64) {
	for _, p := range f.pos.Parts {
		sum += p.Cost
	}
	return sum
}

func (f *featureRun) status() FeatureStatus {
	in, tasks := f.in.Like, slices.Clone(f.in.Tasks)
	in.ID = belay.TaskID(in.Feature)
	for i := range tasks {
		tasks[i].Prose, tasks[i].Ask = "", "" // the tasks' own workflows have them
	}
	parts := slices.Clone(f.pos.Parts)
	for i := range parts {
		parts[i].Why = shortLine(parts[i].Why, maxReason)
	}
	return FeatureStatus{Status: Status{Task: in, Phase: f.phase(), Outcome: string(f.outcome()), Lines: f.pos.Log,
		Use: belay.Use{Cost: f.cost()}}, Branch: FeatureBranch(in.Feature), Commit: f.pos.Tip, Tasks: tasks,
		Parts: parts, Gates: f.pos.Gates}
}

func (f *featureRun) result() FeatureResult {
	r := FeatureResult{Outcome: f.outcome(), Commit: f.pos.Tip, Parts: f.pos.Parts, Cost: f.cost()}
	if r.Commit != "" {
		r.Branch = FeatureBranch(f.in.Like.Feature)
	}
	return r
}

// updateAttributes updates the search attributes if they changed.
func (f *featureRun) updateAttributes() error {
	now := fmt.Sprintf("%s %s %g", f.phase(), f.outcome(), f.cost())
	if now == f.shownAttributes {
		return nil
	}
	f.shownAttributes = now
	key := temporal.NewSearchAttributeKeyKeyword
	return workflow.UpsertTypedSearchAttributes(f.ctx, key(AttrPhase).ValueSet(f.phase()),
		key(AttrOutcome).ValueSet(string(f.outcome())), temporal.NewSearchAttributeKeyFloat64(AttrCost).ValueSet(f.cost()))
}
