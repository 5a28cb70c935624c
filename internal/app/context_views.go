package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/session"
)

// ContextView is a context with all of its details.
type ContextView struct {
	Version    int                          `json:"version"`
	Task       belay.TaskID                 `json:"task_id"`
	Created    time.Time                    `json:"created_at"`
	By         string                       `json:"created_by"`
	SHA        string                       `json:"block_sha256"`
	Manifest   string                       `json:"manifest_sha256"`
	Immutable  handoff.Block                `json:"immutable"`
	Base       belay.SnapshotID             `json:"base"`
	Dirty      bool                         `json:"dirty_at_start"`
	Roles      []handoff.State              `json:"coordination"`
	AtWork     string                       `json:"at_work,omitempty"`
	QA         []handoff.ProofOf            `json:"initial_results"`
	Evidence   []handoff.Evidence           `json:"evidence"`
	Drifts     []handoff.DriftOf            `json:"drift"`
	DriftCount int                          `json:"drift_count"`
	Exports    map[string]handoff.ExportRef `json:"exports"`
	History    []handoff.PastBlock          `json:"history,omitempty"`
	Audit      Audit                        `json:"audit"`
	Warnings   []string                     `json:"warnings"`
	Followed   []handoff.FollowedCitation   `json:"stale_citations,omitempty"`
}

// Audit names who wrote last, and counts all updates.
type Audit struct {
	Updated time.Time `json:"updated_at"`
	By      string    `json:"updated_by"`
	Updates int       `json:"updates"`
	Forced  int       `json:"secrets_let_in"`
}

// View reads a task's context. Warnings list what is outdated: another HEAD, another text of the
// task, cited rules that changed.
func (p *TaskContext) View(ctx context.Context) (v ContextView, err error) {
	c := &p.Rec.Context
	v = ContextView{Version: handoff.Version, Task: p.Rec.Task.ID, Created: c.Created, By: c.By, SHA: c.Block.Block,
		Manifest: c.Block.Manifest, Base: c.Block.Base,
		Dirty: c.Block.Dirty, Roles: c.Roles, AtWork: c.ActiveRole, QA: emptyNotNull(c.Proofs), Evidence: emptyNotNull(c.Evidence),
		Drifts: emptyNotNull(c.Drifts), DriftCount: c.DriftCount(), Exports: c.Exports,
		History: c.History, Audit: Audit{c.UpdatedAt, c.UpdatedBy, c.Updates, c.ForcedSecrets}, Warnings: []string{}}
	if v.Immutable, err = p.Block(); err != nil {
		return v, err
	}
	err = p.findStale(ctx, &v)
	return v, err
}

// emptyNotNull returns an empty list for nil, because JSON readers expect [] and not null.
func emptyNotNull[T any](list []T) []T { return append([]T{}, list...) }

// findStale adds warnings about outdated parts of the block.
func (p *TaskContext) findStale(ctx context.Context, v *ContextView) error {
	refs, err := p.Session.Repo.Refs(ctx)
	if err != nil {
		return err
	}
	head, err := p.Session.Repo.Head(ctx, refs)
	if err != nil {
		return err
	}
	if head.OID != v.Immutable.Git.Head {
		v.Warnings = append(v.Warnings,
			fmt.Sprintf("the context was made at %s, HEAD is %s now", shortID(v.Immutable.Git.Head), shortID(head.OID)))
	}
	if err := p.CheckCurrent(); err != nil {
		v.Warnings = append(v.Warnings, err.Error()+": belay context rebuild "+string(v.Task))
	}
	followed, err := p.FollowCitations(ctx, v.Immutable.Citations)
	if err != nil {
		return err
	}
	for _, f := range followed {
		if f.Change == handoff.Same {
			continue
		}
		v.Followed = append(v.Followed, f)
		switch name := f.Was.File + "#" + f.Was.Section; f.Change {
		case handoff.Moved:
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s is unchanged and moved to %s %s", name, f.Now.File, f.Now.Lines))
		case handoff.Changed:
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s changed: belay context rebuild %s", name, v.Task))
		default:
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s is gone: belay context rebuild %s", name, v.Task))
		}
	}
	return nil
}

func shortID(oid string) string {
	if oid == "" {
		return "no commit"
	}
	return oid[:min(10, len(oid))]
}

// RoleLine is a role in a short status.
type RoleLine struct {
	Role      string           `json:"role"`
	Status    handoff.Status   `json:"status"`
	Blocking  int              `json:"blocking"`
	Snapshot  belay.SnapshotID `json:"snapshot,omitempty"`
	Files     int              `json:"files_changed"`
	Completed time.Time        `json:"completed_at,omitzero"`
	Drift     int              `json:"drift_budget"`
}

// ContextStatus is a context's status. It is computed without reading files of the tree.
type ContextStatus struct {
	Task     belay.TaskID `json:"task_id"`
	Exists   bool         `json:"there"`
	Purged   bool         `json:"purged,omitempty"`
	AtWork   string       `json:"at_work,omitempty"`
	Next     string       `json:"next,omitempty"` // the role that may start
	Why      string       `json:"why,omitempty"`  // why no role may start
	Roles    []RoleLine   `json:"roles"`
	Drift    int          `json:"drift_count"`
	Updated  time.Time    `json:"updated_at,omitzero"`
	Rebuilds int          `json:"rebuilds"`
}

// ReadContextStatus returns the status of a task's context; a missing context is no error.
func ReadContextStatus(sess *session.Session, task belay.TaskID) (ContextStatus, error) {
	r, err := sess.Load(task)
	if err != nil {
		return ContextStatus{}, err
	}
	c := &r.Context
	c.Task = r.Task.ID
	s := ContextStatus{Task: r.Task.ID, Exists: c.IsSet(), Purged: c.Deleted, Roles: []RoleLine{}, AtWork: c.ActiveRole,
		Drift: c.DriftCount(), Updated: c.UpdatedAt, Rebuilds: len(c.History)}
	if !s.Exists {
		return s, nil
	}
	for _, one := range c.Roles {
		l := RoleLine{Role: one.Name, Status: one.Status, Blocking: len(one.Blocking), Completed: one.Completed, Drift: one.Drift}
		if one.Snapshot != nil {
			l.Snapshot, l.Files = one.Snapshot.Snapshot, one.Snapshot.Files
		}
		s.Roles = append(s.Roles, l)
		if s.Next == "" && c.ActiveRole == "" && one.Status != handoff.Done {
			if err := c.CheckMayStart(one.Name); err == nil {
				s.Next = one.Name
			} else if s.Why == "" {
				s.Why = err.Error()
			}
		}
	}
	if s.Next != "" {
		s.Why = ""
	}
	return s, nil
}

// DiffRequest asks for the changes of a role: from the base, or since the previous role. With Drift
// it asks for the differences that the last failed verification found.
type DiffRequest struct {
	Role        string
	Incremental bool
	Drift       bool
}

// RoleDiff is the requested diff.
type RoleDiff struct {
	Task     belay.TaskID     `json:"task_id"`
	Role     string           `json:"role,omitempty"`
	Type     string           `json:"type"`
	From     belay.SnapshotID `json:"from"`
	To       belay.SnapshotID `json:"to"`
	Recorded *handoff.Diff    `json:"diff,omitempty"` // as recorded; nil for a drift
	Report   *handoff.Report  `json:"report,omitempty"`
}

// Diff finds the diff and returns a function that prints it. Error: belay.CodeNotFound when there is none.
func (p *TaskContext) Diff(ctx context.Context, q DiffRequest) (RoleDiff, func(io.Writer) error, error) {
	c := &p.Rec.Context
	out := RoleDiff{Task: p.Rec.Task.ID, Type: "from_base"}
	if q.Drift {
		return p.driftDiff(ctx, out)
	}
	role := q.Role
	if role == "" {
		role = c.LastHandoffBy
	}
	if role == "" {
		return out, nil, belay.Refuse(belay.CodeNotFound, fmt.Sprintf("belay context snapshot %s --role …", out.Task),
			"%s has no handover", out.Task)
	}
	s, err := c.RoleState(role)
	if err != nil {
		return out, nil, err
	}
	if s.Snapshot == nil {
		return out, nil, belay.Refuse(belay.CodeNotFound,
			fmt.Sprintf("belay context snapshot %s --role %s", out.Task, s.Name), "%s has not handed over anything", s.Name)
	}
	kept := s.Snapshot.FromBase
	out.Role, out.From, out.To = s.Name, c.Block.Base, s.Snapshot.Snapshot
	if q.Incremental {
		out.Type, out.From, kept = "incremental", s.Snapshot.Previous, s.Snapshot.Incremental
	}
	out.Recorded = &kept
	return out, func(w io.Writer) error { return p.printDiff(kept, w) }, nil
}

// printDiff prints a recorded diff.
func (p *TaskContext) printDiff(d handoff.Diff, w io.Writer) error {
	text, err := p.ReadAttachment(d.Attachment, d.Gzip)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func (p *TaskContext) driftDiff(ctx context.Context, out RoleDiff) (RoleDiff, func(io.Writer) error, error) {
	list := p.Rec.Context.Drifts
	if len(list) == 0 {
		return out, nil, belay.Refuse(belay.CodeNotFound, fmt.Sprintf("belay context verify %s", out.Task),
			"no failed verification of %s", out.Task)
	}
	d := list[len(list)-1]
	out.Type, out.From, out.To, out.Report = "drift", d.Expected, d.Found, &d.Report
	if d.Found == "" {
		return out, func(io.Writer) error { return nil }, nil
	}
	return out, func(w io.Writer) error {
		var text bytes.Buffer
		if err := p.Session.Snaps.Patch(ctx, d.Expected, d.Found, nil, &text); err != nil {
			return err
		}
		shown, _ := handoff.MaskSecrets(text.Bytes()) // because agents can call this, too
		_, err := w.Write(shown)
		return err
	}, nil
}
