package look

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/web"
)

// knownFeature is the last known state of a feature. It has no record; its tasks have.
type knownFeature struct {
	answers statusAnswers[task.FeatureStatus]
}

// featureKey is the prefix of features' keys where tasks have keys too.
const featureKey = "feature/"

// maxEnded limits the listed features that ended, the latest first.
const maxEnded = 20

// featureOf returns a known feature, which it adds if needed. The caller must have the lock.
func (r *Remote) featureOf(key string) *knownFeature {
	if r.features[key] == nil {
		r.features[key] = &knownFeature{}
	}
	return r.features[key]
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

// askFeature asks a feature for its status. A worker must be connected, because it answers.
func (r *Remote) askFeature(ctx context.Context, key string) {
	one, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	asked := time.Now()
	st, failed, err := r.server.Feature(one, r.url, key)
	if err != nil && ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.featureOf(key)
	was := f.answers.silentReason
	if f.answers.addAnswer(asked, st, failed, err, func(was task.FeatureStatus) bool {
		return len(st.Lines) != len(was.Lines) || len(st.Gates) != len(was.Gates) || st.Phase != was.Phase
	}) {
		r.changes++
	}
	r.askSilentAgain(was, f.answers.silentReason)
}

// Features lists the open features, and the latest of the others.
func (r *Remote) Features() (list []web.FleetFeature) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended := 0
	for _, row := range r.listedFeatures {
		if ended += boolToInt(row.Outcome != ""); row.Outcome == "" || ended <= maxEnded {
			f := r.featureForPages(row)
			f.Parts, f.Happened = nil, nil
			list = append(list, f)
		}
	}
	return list
}

// Feature returns a feature, after asking for its status unless that is fresh.
func (r *Remote) Feature(ctx context.Context, key string) (web.FleetFeature, bool) {
	row := func() (Row, bool) {
		i := slices.IndexFunc(r.listedFeatures, func(row Row) bool { return row.Task.Key() == key })
		if i < 0 {
			return Row{}, false
		}
		return r.listedFeatures[i], true
	}
	r.mu.Lock()
	_, ok := row()
	asking := ok && r.problems[0] == "" && time.Since(r.featureOf(key).answers.answeredAt) > freshTime
	r.mu.Unlock()
	if asking {
		r.askFeature(ctx, key)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now, ok := row()
	if !ok {
		return web.FleetFeature{}, false
	}
	return r.featureForPages(now), true
}

// featureForPages returns a feature for the pages. The caller must have the lock.
func (r *Remote) featureForPages(row Row) web.FleetFeature {
	k := r.featureOf(row.Task.Key())
	st := k.answers.status
	f := web.FleetFeature{Key: row.Task.Key(), Name: cmp.Or(st.Task.Feature, string(row.Task)), Phase: row.Phase,
		Outcome: loop.Outcome(row.Outcome), Cost: max(row.Cost, st.Use.Cost), Tasks: len(st.Parts), Branch: st.Branch, Commit: st.Commit}
	for _, p := range st.Parts {
		f.Merged += boolToInt(p.Stage == task.StageMerged)
	}
	for _, l := range slices.Backward(st.Lines) {
		f.Happened = append(f.Happened, web.FleetLine(l))
	}
	current := r.problems[0] == "" && k.answers.silentReason == ""
	switch {
	case r.problems[0] != "":
		f.Phase, f.Outcome = "", ""
	case k.answers.silentReason != "":
		f.Notes = append(f.Notes, "the feature does not say where it stands: "+k.answers.silentReason)
	case !k.answers.answeredAt.IsZero():
		f.Phase, f.Outcome = st.Phase, loop.Outcome(st.Outcome)
	}
	if k.answers.failed != "" && current {
		f.Notes = append(f.Notes, "failed: "+k.answers.failed)
	}
	for _, g := range st.Gates {
		shown := web.FleetGate{Number: g.Number, Task: g.Task, Why: g.Why}
		if current {
			shown.Decisions = g.Options
		}
		f.Gates = append(f.Gates, shown)
	}
	if len(f.Gates) == 0 && k.answers.answeredAt.IsZero() && row.Phase == string(loop.PhaseGate) && f.Phase != "" {
		f.Gates = []web.FleetGate{{Why: "what it asks is not known until a worker answers"}}
	}
	for i, p := range st.Parts {
		f.Parts = append(f.Parts, r.partForPages(st, i, p))
	}
	return f
}

// partForPages returns a task of a feature for the pages. The caller must have the lock.
func (r *Remote) partForPages(st task.FeatureStatus, i int, p task.Part) web.FleetPart {
	t := st.Tasks[i]
	out := web.FleetPart{Task: cmp.Or(p.Task, t.ID), Begun: p.Tries > 0, Title: belay.TitleOf(t.Listed.Title), Stage: string(p.Stage),
		Why: p.Why, Commit: p.Commit, Cost: p.Cost}
	switch p.Stage {
	case task.StageRunning:
		if r.tasks[out.Task.Key()] != nil {
			now := r.taskForPages(out.Task.Key())
			out.Phase, out.Waits = now.Phase, now.Waits
		}
	case task.StageWaiting:
		for j, before := range st.Parts {
			if s := before.Stage; slices.Contains(t.After, st.Tasks[j].ID) && s != task.StageMerged && s != task.StageDropped {
				out.After = append(out.After, st.Tasks[j].ID)
			}
		}
	}
	return out
}

// DecideFeature sends a person's answer to a feature.
func (r *Remote) DecideFeature(ctx context.Context, key string, a web.Answer) error {
	ctx, cancel := context.WithTimeout(ctx, decideTimeout)
	defer cancel()
	d := newDecision(a)
	_, err := r.server.DecideFeature(ctx, r.url, key, d)
	if belay.CodeOf(err) == belay.CodeUsage {
		if now, _, serr := r.server.Feature(ctx, r.url, key); serr == nil {
			err = cmp.Or(overtakenFeatureError(now, d), err)
		}
	}
	if err != nil {
		return err
	}
	r.askFeature(ctx, key)
	r.Sync(ctx)
	return nil
}

// overtakenFeatureError returns an error if somebody else has answered the gate, else nil.
func overtakenFeatureError(st task.FeatureStatus, d task.Decision) error {
	decided := fmt.Sprintf("decided at gate %d: ", d.Gate)
	for _, l := range slices.Backward(st.Lines) {
		if what, ok := strings.CutPrefix(l.Text, decided); ok {
			return belay.Refuse(belay.CodeBusy, "belay-fleet show "+st.Task.Feature, "%s was answered meanwhile: %s", st.Task.Feature, what)
		}
	}
	return nil
}
