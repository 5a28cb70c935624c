package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// UpdateRequest changes what a role says of itself.
type UpdateRequest struct {
	ContextRequest
	Role          string
	Status        string
	Session       string
	QALog         string
	ClearFindings bool
}

// Update records it. A role that begins (in_progress) finds the tree verified first; so
// does every other change. Errors: belay.CodeDrift, those of MayStart and Cited, CodeUsage,
// CodeRefused for secrets.
func Update(ctx context.Context, s *session.Session, q UpdateRequest) (handoff.State, error) {
	p, err := At(ctx, s, q.ContextRequest)
	if err != nil {
		return handoff.State{}, err
	}
	set := handoff.StateUpdate{Session: q.Session, QALog: q.QALog}
	if q.Status != "" {
		if set.Status, err = handoff.ParseStatus(q.Status); err != nil {
			return handoff.State{}, err
		}
	}
	if set == (handoff.StateUpdate{}) && !q.ClearFindings {
		return handoff.State{}, belay.Refuse(belay.CodeUsage, "--status, --session, --qa-log or --clear-findings",
			"nothing to update for %s", q.Role)
	}
	let, err := p.RefuseSecrets(q.Force, "the update of "+q.Role, q.Session, q.QALog)
	if err != nil {
		return handoff.State{}, err
	}
	if q.ClearFindings {
		if err := p.addOf(ctx, q.Role, handoff.Event{Kind: handoff.EventCleared}); err != nil {
			return handoff.State{}, err
		}
	}
	if set.Status == handoff.InProgress {
		if err := p.start(ctx, q.Role); err != nil {
			return handoff.State{}, err
		}
		set.Status = ""
	}
	if set != (handoff.StateUpdate{}) {
		if err := p.set(ctx, q.Role, set, let); err != nil {
			return handoff.State{}, err
		}
	}
	return p.StateOf(q.Role)
}

// At opens the place of a task that has a context.
func At(ctx context.Context, s *session.Session, q ContextRequest) (*TaskContext, error) {
	p, err := openContext(ctx, s, q)
	if err != nil {
		return nil, err
	}
	return p, p.Rec.Context.CheckExists()
}

// StateOf gives what a role has done.
func (p *TaskContext) StateOf(role string) (handoff.State, error) {
	s, err := p.Rec.Context.RoleState(role)
	if err != nil {
		return handoff.State{}, err
	}
	return *s, nil
}

// addOf records what happened to a role.
func (p *TaskContext) addOf(ctx context.Context, role string, e handoff.Event) error {
	return p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		r, err := c.RoleState(role)
		if err != nil {
			return handoff.Event{}, err
		}
		e.Role = r.Name
		return e, nil
	})
}

func (p *TaskContext) set(ctx context.Context, role string, set handoff.StateUpdate, let []string) error {
	if _, err := p.Rec.Context.RoleState(role); err != nil {
		return err
	}
	if err := p.Unmoved(ctx); err != nil {
		return err
	}
	return p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		r, err := c.RoleState(role)
		if err == nil {
			err = c.CheckNoDrift()
		}
		if err != nil {
			return handoff.Event{}, err
		}
		return handoff.Event{Kind: handoff.EventUpdated, Role: r.Name, Update: &set, ForcedSecrets: let}, nil
	})
}

// Unmoved verifies before something is changed; an open drift is not looked at again.
func (p *TaskContext) Unmoved(ctx context.Context) error {
	if err := p.Rec.Context.CheckNoDrift(); err != nil {
		return err
	}
	_, err := p.verify(ctx, false)
	return err
}

// start lets a role begin. The first one begins from the tree as it is then.
func (p *TaskContext) start(ctx context.Context, role string) error {
	if err := p.Rec.Context.CheckMayStart(role); err != nil {
		return err
	}
	r, _ := p.Rec.Context.RoleState(role)
	if p.Rec.Context.ActiveRole == r.Name {
		return nil
	}
	if err := p.Cited(ctx); err != nil {
		return err
	}
	if err := p.Unmoved(ctx); err != nil {
		return err
	}
	var begins *handoff.Handoff
	if p.Rec.Context.LastHandoff == nil {
		reader := handoff.Reader{Snaps: p.Session.Snaps}
		if _, same, _, err := reader.CompareWithPresent(ctx, p.Rec.Context.Block.Base); err != nil || !same {
			info, err := p.taken(ctx, r.Name, "where "+r.Name+" begins")
			if err != nil {
				return err
			}
			begins = &handoff.Handoff{Snapshot: info.ID, Head: info.Head}
		}
	}
	return p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		if err := c.CheckMayStart(role); err != nil {
			return handoff.Event{}, err
		}
		return handoff.Event{Kind: handoff.EventStarted, Role: r.Name, Handoff: begins}, nil
	})
}

// Block records a blocking finding of a role. It is not lost to a drift: nothing is
// verified first.
func Block(ctx context.Context, s *session.Session, q ContextRequest, role, finding string) (handoff.State, error) {
	p, err := At(ctx, s, q)
	if err != nil {
		return handoff.State{}, err
	}
	finding = handoff.TruncateText(strings.Join(strings.Fields(belay.Visible(handoff.NormalizeText(finding))), " "),
		"it was cut; use a shorter one")
	if finding == "" {
		return handoff.State{}, belay.Refuse(belay.CodeUsage, `--finding "what must be fixed"`, "a blocking finding needs a text")
	}
	let, err := p.RefuseSecrets(q.Force, "the finding", finding)
	if err != nil {
		return handoff.State{}, err
	}
	if err := p.addOf(ctx, role, handoff.Event{Kind: handoff.EventBlocked, Note: finding, ForcedSecrets: let}); err != nil {
		return handoff.State{}, err
	}
	return p.StateOf(role)
}

// Handed is a handover with what whoever made it should know.
type Handed struct {
	Task belay.TaskID `json:"task_id"`
	Role string       `json:"role"`
	handoff.Handoff
	Notes []string `json:"notes"`
}

// Snapshot hands the tree over for a role. A tree in which nothing differs from where the
// work began is handed over only when empty says so. Errors: belay.CodeDrift when nobody had
// begun and the tree is not what was handed over before, when something was committed, or
// when a read-only role changed files; CodeBusy when another role is at work; CodeUsage for a
// tree without changes.
func Snapshot(ctx context.Context, s *session.Session, q ContextRequest, role string, empty bool) (Handed, error) {
	p, err := At(ctx, s, q)
	if err != nil {
		return Handed{}, err
	}
	if err := p.Rec.Context.CheckMayHandOver(role); err != nil {
		return Handed{}, err
	}
	r, err := p.StateOf(role)
	if err != nil {
		return Handed{}, err
	}
	if err := p.Unmoved(ctx); err != nil {
		return Handed{}, err
	}
	if !empty {
		if _, same, _, err := (handoff.Reader{Snaps: p.Session.Snaps}).CompareWithPresent(ctx,
			p.Rec.Context.Block.Base); err == nil && same {
			return Handed{}, nothingToHand(p.Rec.Task.ID, r.Name)
		}
	}
	info, err := p.taken(ctx, r.Name, "handed over by "+r.Name)
	if err != nil {
		return Handed{}, err
	}
	previous, base := p.Rec.Context.Expected(), p.Rec.Context.Block.Base
	if r.ReadOnly {
		if err := p.untouched(ctx, r.Name, belay.SnapshotID(first(string(previous), string(base))), info.ID); err != nil {
			return Handed{}, err
		}
	}
	h, err := p.delta(ctx, base, previous, info, q.Force)
	if err != nil {
		return Handed{}, err
	}
	if h.Files == 0 && !empty { // the index alone differs
		return Handed{}, cmp.Or(p.Session.Restores.Drop(ctx, info.ID), nothingToHand(p.Rec.Task.ID, r.Name))
	}
	err = p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		if err := c.CheckMayHandOver(role); err != nil {
			return handoff.Event{}, err
		}
		if c.Expected() != previous {
			return handoff.Event{}, belay.Refuse(belay.CodeBusy, "run belay context snapshot again",
				"someone else handed over %s in the meantime", c.Task)
		}
		h.PreviousRole = c.LastHandoffBy
		return handoff.Event{Kind: handoff.EventHandedOver, Role: r.Name, Handoff: &h, Masked: h.FromBase.Masked}, nil
	})
	if err != nil {
		return Handed{}, err
	}
	if _, err := p.exportRoles(ctx, nil); err != nil {
		return Handed{}, err
	}
	out := Handed{Task: p.Rec.Task.ID, Role: r.Name, Handoff: h, Notes: notes(h, info)}
	steered, err := p.Session.Snaps.ChangedGitFiles(ctx, h.Previous, h.Snapshot)
	if steered = slices.DeleteFunc(steered, func(n string) bool { return n == "index" }); len(steered) > 0 {
		out.Notes = append(out.Notes, "git's own files changed: "+belay.VisibleLine(strings.Join(steered, ", ")))
	}
	return out, err
}

func nothingToHand(task belay.TaskID, role string) error {
	return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay context snapshot %s --role %s --empty hands it over anyway", task, role),
		"%s has nothing to hand over: no file changed since %s started", role, task)
}

// delta reads what a handover consists of.
func (p *TaskContext) delta(ctx context.Context, base, previous belay.SnapshotID, info snapshot.Info, unmasked bool) (
	handoff.Handoff, error) {
	inScope, err := p.inScope()
	if err != nil {
		return handoff.Handoff{}, err
	}
	return handoff.DeltaReader{Snaps: p.Session.Snaps, Attach: p.Session.Journal.Attach, InScope: inScope,
		Unmasked: unmasked}.DescribeHandoff(ctx, base, previous, info)
}

func notes(h handoff.Handoff, info snapshot.Info) []string {
	out := []string{}
	if h.Files == 0 {
		out = append(out, "no changes since the task started")
	}
	if d := h.FromBase; d.Large {
		out = append(out, fmt.Sprintf("the diff is %d MB: check for unwanted files; it is stored in full and cut for display", d.Bytes>>20))
	}
	if n := h.FromBase.Masked; n > 0 {
		out = append(out, belay.CountOf(n, "secret")+" masked in the stored diff")
	}
	if n := len(h.OutOfScope); n > 0 {
		out = append(out, fmt.Sprintf("%s changed outside the task's scope: %s", belay.CountOf(n, "path"),
			belay.VisibleLine(strings.Join(h.OutOfScope[:min(n, 5)], ", "))))
	}
	if info.Partial {
		out = append(out, "not captured: "+info.UncapturedSummary())
	}
	return out
}

// untouched holds a read-only role to it.
func (p *TaskContext) untouched(ctx context.Context, role string, then, now belay.SnapshotID) error {
	inScope, err := p.inScope()
	if err != nil {
		return err
	}
	f, err := handoff.Reader{Snaps: p.Session.Snaps, InScope: inScope,
		IgnoreEnds: p.Session.Config.IgnoreLineEnds}.CompareSnapshots(ctx, then, now)
	if err != nil {
		return err
	}
	report := handoff.NameDifferences(f).Truncate()
	if !report.HasDrift() {
		return nil
	}
	err = p.Add(ctx, func(*handoff.Context) (handoff.Event, error) {
		return handoff.Event{Kind: handoff.EventDrifted, Role: role, Note: role + " is read-only",
			Drift: &handoff.Drift{Expected: then, Found: now, Report: report}}, nil
	})
	if err != nil {
		return err
	}
	return belay.Refuse(belay.CodeDrift,
		fmt.Sprintf("belay context diff %s --drift shows it; undo it with belay snapshot restore %s, then belay context "+
			"resolve-drift %s --note \"…\"", p.Rec.Task.ID, then.Short(), p.Rec.Task.ID),
		"%s is read-only but changed the tree: %s", role, report.Summary())
}

// Resolve accepts the tree as it stands for what was handed over, with a note of why.
func (p *TaskContext) Resolve(ctx context.Context, note string) (Handed, error) {
	note = handoff.TruncateText(handoff.NormalizeText(belay.Visible(note)), "the note was cut; use a shorter one")
	if note == "" {
		return Handed{}, belay.Refuse(belay.CodeUsage, `--note "what happened and why it is correct"`,
			"resolve-drift needs --note")
	}
	if p.Rec.Context.DriftCount() == 0 {
		return Handed{}, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay context verify %s", p.Rec.Task.ID), "%s has no drift",
			p.Rec.Task.ID)
	}
	let, err := p.RefuseSecrets(p.force, "the note", note)
	if err != nil {
		return Handed{}, err
	}
	info, err := p.taken(ctx, "", "accepted after a drift")
	if err != nil {
		return Handed{}, err
	}
	previous := p.Rec.Context.Expected()
	if _, err := p.Session.Snaps.LookUp(ctx, previous); err != nil {
		previous = "" // it is gone: that was the drift
	}
	base := p.Rec.Context.Block.Base
	if _, err := p.Session.Snaps.LookUp(ctx, base); err != nil {
		base = info.ID
	}
	h, err := p.delta(ctx, base, previous, info, p.force)
	if err != nil {
		return Handed{}, err
	}
	h.PreviousRole = p.Rec.Context.LastHandoffBy
	err = p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		return handoff.Event{Kind: handoff.EventResolved, Note: note, Handoff: &h, ForcedSecrets: let}, nil
	})
	if err != nil {
		return Handed{}, err
	}
	_, err = p.exportRoles(ctx, nil)
	return Handed{Task: p.Rec.Task.ID, Role: p.Rec.Context.LastHandoffBy, Handoff: h, Notes: notes(h, info)}, err
}

// Send gives the work back to a role after the last one handed over: the words say why, and
// secrets in them are masked. Attempt is the one of the task's loop that begins with it;
// anew says that the state before was put back. It is done once for each attempt.
func Send(ctx context.Context, s *session.Session, q ContextRequest, role, words string, back handoff.SentBack) error {
	p, err := At(ctx, s, q)
	if err != nil || p.Rec.Context.Attempt >= back.Attempt {
		return err
	}
	masked, n := handoff.MaskSecrets([]byte(belay.Visible(handoff.NormalizeText(words))))
	note := handoff.TruncateText(string(masked), "belay show "+string(q.Task)+" has the rest")
	return p.addOf(ctx, role, handoff.Event{Kind: handoff.EventSentBack, Note: note, SentBack: &back, Masked: n})
}

// Ran records how the agent of a role ended.
func Ran(ctx context.Context, s *session.Session, q ContextRequest, role string, run handoff.Run) error {
	p, err := At(ctx, s, q)
	if err != nil {
		return err
	}
	return p.addOf(ctx, role, handoff.Event{Kind: handoff.EventRan, Run: &run})
}
