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

// UpdateRequest changes what a role records about itself.
type UpdateRequest struct {
	ContextRequest
	Role          string
	Status        string
	Session       string
	QALog         string
	ClearFindings bool
}

// UpdateRole records the change. Everything but ClearFindings verifies the tree first. Errors:
// belay.CodeDrift, those of CheckMayStart and CheckCitations, CodeUsage, CodeRefused for secrets.
func UpdateRole(ctx context.Context, s *session.Session, q UpdateRequest) (handoff.State, error) {
	p, err := OpenPlace(ctx, s, q.ContextRequest)
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
		if err := p.addRoleEvent(ctx, q.Role, handoff.Event{Kind: handoff.EventCleared}); err != nil {
			return handoff.State{}, err
		}
	}
	if set.Status == handoff.InProgress {
		if err := p.startRole(ctx, q.Role); err != nil {
			return handoff.State{}, err
		}
		set.Status = ""
	}
	if set != (handoff.StateUpdate{}) {
		if err := p.setRole(ctx, q.Role, set, let); err != nil {
			return handoff.State{}, err
		}
	}
	return p.StateOf(q.Role)
}

// OpenPlace opens the context of a task, and fails when there is none.
func OpenPlace(ctx context.Context, s *session.Session, q ContextRequest) (*TaskContext, error) {
	p, err := openContext(ctx, s, q)
	if err != nil {
		return nil, err
	}
	return p, p.Rec.Context.CheckExists()
}

// StateOf returns the state of a role.
func (p *TaskContext) StateOf(role string) (handoff.State, error) {
	s, err := p.Rec.Context.RoleState(role)
	if err != nil {
		return handoff.State{}, err
	}
	return *s, nil
}

// addRoleEvent records an event of a role.
func (p *TaskContext) addRoleEvent(ctx context.Context, role string, e handoff.Event) error {
	return p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		r, err := c.RoleState(role)
		if err != nil {
			return handoff.Event{}, err
		}
		e.Role = r.Name
		return e, nil
	})
}

func (p *TaskContext) setRole(ctx context.Context, role string, set handoff.StateUpdate, let []string) error {
	if _, err := p.Rec.Context.RoleState(role); err != nil {
		return err
	}
	if err := p.CheckUnchanged(ctx); err != nil {
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

// CheckUnchanged verifies the tree before a change. It fails at once while a drift is open.
func (p *TaskContext) CheckUnchanged(ctx context.Context) error {
	if err := p.Rec.Context.CheckNoDrift(); err != nil {
		return err
	}
	_, err := p.verify(ctx, false)
	return err
}

// startRole starts a role. The first one starts from the current tree.
func (p *TaskContext) startRole(ctx context.Context, role string) error {
	if err := p.Rec.Context.CheckMayStart(role); err != nil {
		return err
	}
	r, _ := p.Rec.Context.RoleState(role)
	if p.Rec.Context.ActiveRole == r.Name {
		return nil
	}
	if err := p.CheckCitations(ctx); err != nil {
		return err
	}
	if err := p.CheckUnchanged(ctx); err != nil {
		return err
	}
	var begins *handoff.Handoff
	if p.Rec.Context.LastHandoff == nil {
		reader := handoff.Reader{Snaps: p.Session.Snaps}
		if _, same, _, err := reader.CompareWithPresent(ctx, p.Rec.Context.Block.Base); err != nil || !same {
			info, err := p.takeSnapshot(ctx, r.Name, "where "+r.Name+" begins")
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

// BlockRole records a blocking finding of a role. It does not verify the tree, so that a drift
// cannot lose the finding.
func BlockRole(ctx context.Context, s *session.Session, q ContextRequest, role, finding string) (handoff.State, error) {
	p, err := OpenPlace(ctx, s, q)
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
	if err := p.addRoleEvent(ctx, role, handoff.Event{Kind: handoff.EventBlocked, Note: finding, ForcedSecrets: let}); err != nil {
		return handoff.State{}, err
	}
	return p.StateOf(role)
}

// HandoverResult is a handover with notes for its author.
type HandoverResult struct {
	Task belay.TaskID `json:"task_id"`
	Role string       `json:"role"`
	handoff.Handoff
	Notes []string `json:"notes"`
}

// HandOver hands the tree over for a role. A tree without changes since the task started is handed
// over only with empty set. Errors: belay.CodeDrift when no role is at work and the tree differs
// from the last handover, when something was committed, or when a read-only role changed files;
// CodeBusy when another role is at work; CodeUsage for a tree without changes.
func HandOver(ctx context.Context, s *session.Session, q ContextRequest, role string, empty bool) (HandoverResult, error) {
	p, err := OpenPlace(ctx, s, q)
	if err != nil {
		return HandoverResult{}, err
	}
	if err := p.Rec.Context.CheckMayHandOver(role); err != nil {
		return HandoverResult{}, err
	}
	r, err := p.StateOf(role)
	if err != nil {
		return HandoverResult{}, err
	}
	if err := p.CheckUnchanged(ctx); err != nil {
		return HandoverResult{}, err
	}
	if !empty {
		if _, same, _, err := (handoff.Reader{Snaps: p.Session.Snaps}).CompareWithPresent(ctx,
			p.Rec.Context.Block.Base); err == nil && same {
			return HandoverResult{}, noChangesError(p.Rec.Task.ID, r.Name)
		}
	}
	info, err := p.takeSnapshot(ctx, r.Name, "handed over by "+r.Name)
	if err != nil {
		return HandoverResult{}, err
	}
	previous, base := p.Rec.Context.Expected(), p.Rec.Context.Block.Base
	if r.ReadOnly {
		if err := p.checkReadOnly(ctx, r.Name, belay.SnapshotID(firstNonEmpty(string(previous), string(base))), info.ID); err != nil {
			return HandoverResult{}, err
		}
	}
	h, err := p.readDelta(ctx, base, previous, info, q.Force)
	if err != nil {
		return HandoverResult{}, err
	}
	if h.Files == 0 && !empty { // only the index differs
		return HandoverResult{}, cmp.Or(p.Session.Restores.Drop(ctx, info.ID), noChangesError(p.Rec.Task.ID, r.Name))
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
		return HandoverResult{}, err
	}
	if _, err := p.exportRoles(ctx, nil); err != nil {
		return HandoverResult{}, err
	}
	out := HandoverResult{Task: p.Rec.Task.ID, Role: r.Name, Handoff: h, Notes: handoverNotes(h, info)}
	steered, err := p.Session.Snaps.ChangedGitFiles(ctx, h.Previous, h.Snapshot)
	if steered = slices.DeleteFunc(steered, func(n string) bool { return n == "index" }); len(steered) > 0 {
		out.Notes = append(out.Notes, "git's own files changed: "+belay.VisibleLine(strings.Join(steered, ", ")))
	}
	return out, err
}

func noChangesError(task belay.TaskID, role string) error {
	return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay context snapshot %s --role %s --empty hands it over anyway", task, role),
		"%s has nothing to hand over: no file changed since %s started", role, task)
}

// readDelta reads the content of a handover.
func (p *TaskContext) readDelta(ctx context.Context, base, previous belay.SnapshotID, info snapshot.Info,
	unmasked bool) (
	handoff.Handoff, error) {
	inScope, err := p.inScope()
	if err != nil {
		return handoff.Handoff{}, err
	}
	return handoff.DeltaReader{Snaps: p.Session.Snaps, Attach: p.Session.Journal.Attach, InScope: inScope,
		Unmasked: unmasked}.DescribeHandoff(ctx, base, previous, info)
}

func handoverNotes(h handoff.Handoff, info snapshot.Info) []string {
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

// checkReadOnly fails if a read-only role changed the tree.
func (p *TaskContext) checkReadOnly(ctx context.Context, role string, then, now belay.SnapshotID) error {
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

// ResolveDrift accepts the current tree in place of the last handover, with a note that gives the
// reason.
func (p *TaskContext) ResolveDrift(ctx context.Context, note string) (HandoverResult, error) {
	note = handoff.TruncateText(handoff.NormalizeText(belay.Visible(note)), "the note was cut; use a shorter one")
	if note == "" {
		return HandoverResult{}, belay.Refuse(belay.CodeUsage, `--note "what happened and why it is correct"`,
			"resolve-drift needs --note")
	}
	if p.Rec.Context.DriftCount() == 0 {
		return HandoverResult{}, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay context verify %s", p.Rec.Task.ID), "%s has no drift",
			p.Rec.Task.ID)
	}
	let, err := p.RefuseSecrets(p.force, "the note", note)
	if err != nil {
		return HandoverResult{}, err
	}
	info, err := p.takeSnapshot(ctx, "", "accepted after a drift")
	if err != nil {
		return HandoverResult{}, err
	}
	previous := p.Rec.Context.Expected()
	if _, err := p.Session.Snaps.LookUp(ctx, previous); err != nil {
		previous = "" // its snapshot is missing: that was the drift
	}
	base := p.Rec.Context.Block.Base
	if _, err := p.Session.Snaps.LookUp(ctx, base); err != nil {
		base = info.ID
	}
	h, err := p.readDelta(ctx, base, previous, info, p.force)
	if err != nil {
		return HandoverResult{}, err
	}
	h.PreviousRole = p.Rec.Context.LastHandoffBy
	err = p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		return handoff.Event{Kind: handoff.EventResolved, Note: note, Handoff: &h, ForcedSecrets: let}, nil
	})
	if err != nil {
		return HandoverResult{}, err
	}
	_, err = p.exportRoles(ctx, nil)
	return HandoverResult{Task: p.Rec.Task.ID, Role: p.Rec.Context.LastHandoffBy, Handoff: h, Notes: handoverNotes(h, info)}, err
}

// SendBack returns the work to a role after the last handover. words give the reason; secrets in
// them are masked. back has the number of the task's attempt that starts with it, and whether the
// tree was rolled back. It is done once for each attempt.
func SendBack(ctx context.Context, s *session.Session, q ContextRequest, role, words string, back handoff.SentBack) error {
	p, err := OpenPlace(ctx, s, q)
	if err != nil || p.Rec.Context.Attempt >= back.Attempt {
		return err
	}
	masked, n := handoff.MaskSecrets([]byte(belay.Visible(handoff.NormalizeText(words))))
	note := handoff.TruncateText(string(masked), "belay show "+string(q.Task)+" has the rest")
	return p.addRoleEvent(ctx, role, handoff.Event{Kind: handoff.EventSentBack, Note: note, SentBack: &back, Masked: n})
}

// RecordRun records how the agent of a role ended.
func RecordRun(ctx context.Context, s *session.Session, q ContextRequest, role string, run handoff.Run) error {
	p, err := OpenPlace(ctx, s, q)
	if err != nil {
		return err
	}
	return p.addRoleEvent(ctx, role, handoff.Event{Kind: handoff.EventRan, Run: &run})
}
