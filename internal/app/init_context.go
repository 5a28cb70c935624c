package app

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// InitRequest asks for a new context of a task. Base is the snapshot that the work starts from; ""
// is the task's before snapshot.
type InitRequest struct {
	ContextRequest
	Area, Priority   string
	Base             belay.SnapshotID
	WithoutStandards bool
	Roles            []handoff.Role // nil: the config's roles
}

// InitResult is a new block, with notes for its author.
type InitResult struct {
	Task     belay.TaskID        `json:"task_id"`
	Block    handoff.Block       `json:"immutable"`
	SHA      string              `json:"block_sha256"`
	Manifest string              `json:"manifest_sha256"`
	Base     belay.SnapshotID    `json:"base"`
	Sources  []handoff.Source    `json:"sources"`
	Exports  []handoff.ExportRef `json:"exports"`
	Changes  []string            `json:"changes,omitempty"` // the differences from the block before a rebuild
	Notes    []string            `json:"notes"`
}

// InitContext makes the context of a task in progress. Errors: belay.CodeUsage when there is one already, when the task
// has not started or has ended, when it has no description, or when no standard can be cited; CodeRefused for secrets.
func InitContext(ctx context.Context, s *session.Session, q InitRequest) (InitResult, error) {
	p, err := openContext(ctx, s, q.ContextRequest)
	if err != nil {
		return InitResult{}, err
	}
	if err := p.Rec.Context.CheckMayBegin(); err != nil {
		return InitResult{}, err
	}
	if !p.Rec.Open() {
		return InitResult{}, endedError(p.Rec, fmt.Sprintf("belay show %s", q.Task))
	}
	if p.Rec.State.Before == "" {
		return InitResult{}, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay task start %s", q.Task),
			"%s has not started", q.Task)
	}
	base, err := p.baseSnapshot(ctx, q.Base)
	if err != nil {
		return InitResult{}, err
	}
	m, ref, let, err := p.makeBlock(ctx, base, q)
	if err != nil {
		return InitResult{}, err
	}
	if ref.Dirty, err = p.isDirty(ctx, base); err != nil {
		return m, err
	}
	if ref.Dirty {
		m.Notes = append(m.Notes, "the working tree has uncommitted changes; they are part of the base, not of any role's work")
	}
	if base.Partial {
		m.Notes = append(m.Notes, "not captured and not checked: "+base.UncapturedSummary())
	}
	ref.Base, m.Base = base.ID, base.ID
	if len(q.Roles) > 0 {
		ref.Roles = q.Roles
	}
	err = p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		return handoff.Event{Kind: handoff.EventInit, Block: &ref, ForcedSecrets: let}, c.CheckMayBegin()
	})
	if err != nil {
		return m, err
	}
	m.Exports, err = p.exportRoles(ctx, nil)
	return m, err
}

// baseSnapshot returns the snapshot that the work starts from.
func (p *TaskContext) baseSnapshot(ctx context.Context, given belay.SnapshotID) (snapshot.Info, error) {
	if given == "" {
		given = p.Rec.State.Before
	}
	if given == "" {
		return p.takeSnapshot(ctx, "", "before the first role starts")
	}
	return p.Session.Snaps.Get(ctx, given)
}

// makeBlock reads the sources, makes a block, checks it and stores it.
func (p *TaskContext) makeBlock(ctx context.Context, from snapshot.Info, q InitRequest) (InitResult, handoff.BlockRef, []string, error) {
	m := InitResult{Task: p.Rec.Task.ID, Notes: []string{}, Exports: []handoff.ExportRef{}}
	g, err := p.gatherSources(ctx, from, q.Area, q.Priority)
	if err != nil {
		return m, handoff.BlockRef{}, nil, err
	}
	words := []string{g.sources.Task.Prose, g.sources.Task.Title}
	words = append(words, g.sources.Acceptance...)
	for _, c := range g.sources.Standards.Citations {
		words = append(words, c.Requirement)
	}
	let, err := p.RefuseSecrets(q.Force, "the task or a cited rule", words...)
	if err != nil {
		return m, handoff.BlockRef{}, nil, err
	}
	var ref handoff.BlockRef
	if m.Block, ref, err = p.storeBlock(g, q.WithoutStandards); err != nil {
		return m, ref, nil, err
	}
	m.SHA, m.Manifest, m.Sources = ref.Block, ref.Manifest, g.manifest
	m.Notes = append(m.Notes, g.sources.Standards.Warnings...)
	if len(m.Block.Task.Description) < len(handoff.NormalizeText(p.Rec.Task.Prose)) {
		m.Notes = append(m.Notes, fmt.Sprintf("the description was cut at %d bytes, with a pointer to the full text", handoff.MaxText))
	}
	return m, ref, let, nil
}

// RebuildContext makes the block again from the current sources. The previous block and the roles'
// work stay in the history. Unless dry is set, a block that differs is recorded.
func RebuildContext(ctx context.Context, s *session.Session, q InitRequest, dry bool) (InitResult, error) {
	p, err := openContext(ctx, s, q.ContextRequest)
	if err != nil {
		return InitResult{}, err
	}
	if err := p.Rec.Context.CheckExists(); err != nil {
		return InitResult{}, err
	}
	was, err := p.Block()
	if err != nil {
		return InitResult{}, err
	}
	q.Area, q.Priority = firstNonEmpty(q.Area, was.Task.Area), firstNonEmpty(q.Priority, was.Task.Priority)
	q.WithoutStandards = q.WithoutStandards || p.Rec.Context.Block.WithoutStandards
	now, err := p.takeSnapshot(ctx, "", "sources of the context")
	if err != nil {
		return InitResult{}, err
	}
	m, ref, let, err := p.makeBlock(ctx, now, q)
	if err != nil {
		return m, err
	}
	if len(p.Rec.Task.Roles) > 0 { // the task started with these
		ref.Roles = p.Rec.Context.Block.Roles
	}
	if was.Git.SHA != m.Block.Git.SHA && m.Block.Git.Source != "" && was.Task.Description == m.Block.Task.Description {
		note := m.Block.Git.Source + " changed after the task was recorded from it; the task keeps the recorded text"
		m.Notes = append(m.Notes, note)
	}
	m.Base, m.Changes = p.Rec.Context.Block.Base, m.Block.DifferencesFrom(was)
	if dry || ref.Block == p.Rec.Context.Block.Block && sameRoles(ref.Roles, p.Rec.Context.Block.Roles) {
		return m, nil
	}
	ref.Changes = m.Changes
	err = p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		return handoff.Event{Kind: handoff.EventRebuilt, Block: &ref, ForcedSecrets: let}, c.CheckExists()
	})
	if err != nil {
		return m, err
	}
	m.Exports, err = p.exportRoles(ctx, nil)
	return m, err
}

func sameRoles(a, b []handoff.Role) bool {
	return fmt.Sprint(a) == fmt.Sprint(b)
}
