package app

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/session"
)

// RoleExport is one role's part of the context.
type RoleExport struct {
	handoff.ExportRef
	Text  []byte   `json:"-"`
	Files []string `json:"files"` // the files written for agents
}

// Export writes the export of a role, or of all roles for "", from the current context to the
// agents' files. It records nothing when nothing changed. Errors include CheckCitations'.
func (p *TaskContext) Export(ctx context.Context, role string) ([]RoleExport, error) {
	if err := p.CheckCitations(ctx); err != nil {
		return nil, err
	}
	var names []string
	if role != "" {
		s, err := p.Rec.Context.RoleState(role)
		if err != nil {
			return nil, err
		}
		names = []string{s.Name}
	}
	refs, err := p.exportRoles(ctx, names)
	if err != nil {
		return nil, err
	}
	var out []RoleExport
	for _, ref := range refs {
		text, err := p.ReadAttachment(ref.Attachment, false)
		if err != nil {
			return out, err
		}
		part := RoleExport{ExportRef: ref, Text: text, Files: []string{}}
		part.Files = append(part.Files, p.Session.ContextFiles(p.Rec.Task.ID, ref.Role)...)
		out = append(out, part)
	}
	return out, nil
}

// exportRoles makes the exports of the role names[0], or of all roles without names, records those
// that changed, and writes the files.
func (p *TaskContext) exportRoles(ctx context.Context, names []string) ([]handoff.ExportRef, error) {
	b, err := p.Block()
	if err != nil {
		return nil, err
	}
	changes, err := p.Changes()
	if err != nil {
		return nil, err
	}
	var all, fresh []handoff.ExportRef
	for _, s := range p.Rec.Context.Roles {
		if len(names) > 0 && s.Name != names[0] {
			continue
		}
		sha, text, err := p.attachJSON(handoff.ExportFor(s.Role, b, p.Rec.Context, changes))
		if err != nil {
			return nil, err
		}
		ref := handoff.ExportRef{Role: s.Name, Attachment: sha, Bytes: len(text), Tokens: handoff.Tokens(len(text))}
		all = append(all, ref)
		if p.Rec.Context.Exports[s.Name] != ref {
			fresh = append(fresh, ref)
		}
	}
	if len(fresh) > 0 {
		err := p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
			return handoff.Event{Kind: handoff.EventExported, Exports: fresh}, c.CheckExists()
		})
		if err != nil {
			return nil, err
		}
	}
	return all, p.writeExports(all)
}

// writeExports writes exports to the files that agents read: in the git folder, and in .belay/now
// if git ignores that.
func (p *TaskContext) writeExports(refs []handoff.ExportRef) error {
	for _, ref := range refs {
		text, err := p.ReadAttachment(ref.Attachment, false)
		if err != nil {
			return err
		}
		if _, err := p.Session.WriteContext(p.Rec, ref.Role); err != nil {
			return err
		}
		if err := p.Session.WriteNow(session.ContextFileName(p.Rec.Task.ID, ref.Role), string(text)); err != nil {
			return err
		}
	}
	return nil
}

// Manifest returns the list of sources of the block and the exports.
func (p *TaskContext) Manifest() ([]byte, error) {
	var m handoff.Manifest
	if err := p.ReadJSON(p.Rec.Context.Block.Manifest, &m); err != nil {
		return nil, err
	}
	for _, s := range p.Rec.Context.Roles {
		if ref, given := p.Rec.Context.Exports[s.Name]; given {
			m.Exports = append(m.Exports, ref)
		}
	}
	return handoff.CanonicalJSON(m)
}

// PurgeContext ends a context and deletes the agents' files, but keeps the attachments of the
// record. With snapshots it also deletes the snapshots of handovers. It can be repeated. If the
// task's record is missing, it deletes the remaining files. Error: belay.CodeNotFound when there is
// nothing to delete.
func PurgeContext(ctx context.Context, s *session.Session, q ContextRequest, snapshots bool) (forgotten int, err error) {
	p, err := openContext(ctx, s, q)
	if belay.CodeOf(err) == belay.CodeNotFound {
		p, err = orphanedContext(s, q.Task, err)
	}
	if err != nil {
		return 0, err
	}
	if err := p.Session.PurgeContext(ctx, p.Rec, p.by); err != nil {
		return 0, err
	}
	if !snapshots {
		return 0, nil
	}
	return p.dropSnapshots(ctx)
}

// orphanedContext returns the context of a task without a record if files of it remain, and
// otherwise the error none.
func orphanedContext(s *session.Session, task belay.TaskID, none error) (*TaskContext, error) {
	if _, err := s.Load(task); err == nil {
		return nil, none // the error has another cause
	}
	roles, err := Roles(s.Config)
	if err != nil {
		return nil, err
	}
	p := &TaskContext{Session: s, Rec: &session.Record{Task: belay.Task{ID: task}}}
	there := false
	for _, r := range roles {
		p.Rec.Context.Roles = append(p.Rec.Context.Roles, handoff.State{Role: r})
		there = there || len(s.ContextFiles(task, r.Name)) > 0
	}
	if !there {
		return nil, none
	}
	return p, nil
}

// dropSnapshots deletes the task's handoff snapshots, except the one that the loop needs.
func (p *TaskContext) dropSnapshots(ctx context.Context) (int, error) {
	list, err := p.Session.Snaps.List(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, s := range list {
		if s.Task.Key() != p.Rec.Task.ID.Key() || s.Kind != "handoff" || s.ID == p.Rec.State.Before {
			continue
		}
		if err := p.Session.Restores.Drop(ctx, s.ID); err != nil {
			return n, fmt.Errorf("forget %s: %w", s.ID, err)
		}
		n++
	}
	return n, nil
}
