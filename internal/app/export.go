package app

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/session"
)

// Part is what one role is given.
type Part struct {
	handoff.ExportRef
	Text  []byte   `json:"-"`
	Files []string `json:"files"` // where it was written for agents
}

// Export makes what roles are given of the context as it stands, all when role is "", and
// writes it for agents. Nothing is recorded when nothing changed. Errors: those of Cited.
func (p *Place) Export(ctx context.Context, role string) ([]Part, error) {
	if err := p.Cited(ctx); err != nil {
		return nil, err
	}
	var names []string
	if role != "" {
		s, err := p.Rec.Context.Of(role)
		if err != nil {
			return nil, err
		}
		names = []string{s.Name}
	}
	refs, err := p.export(ctx, names)
	if err != nil {
		return nil, err
	}
	var out []Part
	for _, ref := range refs {
		text, err := p.Text(ref.Attachment, false)
		if err != nil {
			return out, err
		}
		part := Part{ExportRef: ref, Text: text, Files: []string{}}
		part.Files = append(part.Files, p.Session.ContextFiles(p.Rec.Task.ID, ref.Role)...)
		out = append(out, part)
	}
	return out, nil
}

// export makes the parts of some roles, all without names, records what is new, and
// writes the files.
func (p *Place) export(ctx context.Context, names []string) ([]handoff.ExportRef, error) {
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
		sha, text, err := p.keep(handoff.ExportFor(s.Role, b, p.Rec.Context, changes))
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
			return handoff.Event{Kind: handoff.Exported, Exports: fresh}, c.Exists()
		})
		if err != nil {
			return nil, err
		}
	}
	return all, p.write(all)
}

// write writes the parts where agents find them: in the git folder, and in .belay/now
// where that is ignored.
func (p *Place) write(refs []handoff.ExportRef) error {
	for _, ref := range refs {
		text, err := p.Text(ref.Attachment, false)
		if err != nil {
			return err
		}
		if _, err := p.Session.WriteContext(p.Rec, ref.Role); err != nil {
			return err
		}
		if err := p.Session.WriteNow(session.NowName(p.Rec.Task.ID, ref.Role), string(text)); err != nil {
			return err
		}
	}
	return nil
}

// Manifest gives what the block and the exports were made of.
func (p *Place) Manifest() ([]byte, error) {
	var m handoff.Manifest
	if err := p.Into(p.Rec.Context.Block.Manifest, &m); err != nil {
		return nil, err
	}
	for _, s := range p.Rec.Context.Roles {
		if ref, given := p.Rec.Context.Exports[s.Name]; given {
			m.Exports = append(m.Exports, ref)
		}
	}
	return handoff.Canonical(m)
}

// Purge ends a context: the files for agents go, the record keeps what it names. With
// snapshots those that roles handed over are forgotten. It can be done twice. Of a task whose
// record is gone it removes what is left. Error: belay.CodeNotFound when there is nothing.
func Purge(ctx context.Context, s *session.Session, q Request, snapshots bool) (forgotten int, err error) {
	p, err := at(ctx, s, q)
	if belay.CodeOf(err) == belay.CodeNotFound {
		p, err = orphan(s, q.Task, err)
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
	return p.forget(ctx)
}

// orphan is the place of a context whose record was deleted, by the files that are left of it;
// none without any.
func orphan(s *session.Session, task belay.TaskID, none error) (*Place, error) {
	if _, err := s.Load(task); err == nil {
		return nil, none // it is something else that was not found
	}
	roles, err := Roles(s.Config)
	if err != nil {
		return nil, err
	}
	p := &Place{Session: s, Rec: &session.Record{Task: belay.Task{ID: task}}}
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

// forget drops the snapshots that the context names, but the one that the loop needs.
func (p *Place) forget(ctx context.Context) (int, error) {
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
