package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/session"
)

// HandoverCheck is the result of a verification. Expected is the snapshot of the last handover, ""
// for none. Found is a snapshot of the current tree if it differs.
type HandoverCheck struct {
	Task     belay.TaskID     `json:"task_id"`
	OK       bool             `json:"ok"`
	Expected belay.SnapshotID `json:"expected,omitempty"`
	By       string           `json:"handed_over_by,omitempty"`
	AtWork   string           `json:"at_work,omitempty"`
	Found    belay.SnapshotID `json:"found,omitempty"`
	Drift    int              `json:"drift_count"`
	handoff.Report
	Kinds []handoff.DriftKind `json:"kinds"`
}

// VerifyRequest asks whether the tree equals the last handover and, for a role, whether it may
// start.
type VerifyRequest struct {
	ContextRequest
	Role           string
	IgnoreLineEnds bool
}

// VerifyHandover compares the tree with the last handover. A difference is recorded with a snapshot
// of the current tree and raises the drift count. Errors: belay.CodeDrift with the differences in
// the result; for a role, those of CheckMayStart and CheckCitations.
func VerifyHandover(ctx context.Context, s *session.Session, q VerifyRequest) (HandoverCheck, error) {
	p, err := openContext(ctx, s, q.ContextRequest)
	if err != nil {
		if v, broken := checkRecordEdited(s, q.Task, err); broken {
			return v, driftError(v)
		}
		return HandoverCheck{}, err
	}
	c := &p.Rec.Context
	if err := c.CheckExists(); err != nil {
		return HandoverCheck{}, err
	}
	if q.Role != "" {
		if err := c.CheckMayStart(q.Role); err != nil && belay.CodeOf(err) != belay.CodeDrift {
			return HandoverCheck{Task: p.Rec.Task.ID}, err
		}
		if err := p.CheckCitations(ctx); err != nil {
			return HandoverCheck{Task: p.Rec.Task.ID}, err
		}
	}
	return p.verify(ctx, q.IgnoreLineEnds)
}

// checkRecordEdited reports a record that was edited by someone else. Nothing can be appended to
// such a record, so the drift is reported and not counted. unread is the error of reading it.
func checkRecordEdited(s *session.Session, task belay.TaskID, unread error) (HandoverCheck, bool) {
	if belay.CodeOf(unread) == belay.CodeNotFound {
		return HandoverCheck{}, false
	}
	proof, err := s.Journal.Verify(task, nil)
	if err != nil || proof.OK {
		return HandoverCheck{}, false
	}
	v := HandoverCheck{Task: task, Kinds: []handoff.DriftKind{handoff.RecordEdited}}
	for _, problem := range proof.Problems {
		v.Differences = append(v.Differences, handoff.Difference{Kind: handoff.RecordEdited, Was: "as written", Is: problem})
	}
	return v, true
}

// verify compares, records the drift, and returns belay.CodeDrift for it.
func (p *TaskContext) verify(ctx context.Context, ignoreEnds bool) (HandoverCheck, error) {
	defer p.Session.Repo.ShareReader()() // use one git process for all objects
	c := &p.Rec.Context
	v := HandoverCheck{Task: p.Rec.Task.ID, Expected: c.Expected(), By: c.LastHandoffBy, AtWork: c.ActiveRole, Drift: c.DriftCount()}
	if v.Expected == "" && c.ActiveRole != "" {
		v.Expected = c.Block.Base // a role at work must not commit
	}
	own, err := p.checkOwnFiles(ctx, v.Expected)
	if err != nil {
		return v, err
	}
	v.Report.Differences = append([]handoff.Difference{}, own...)
	if v.Expected != "" && !isHandoffMissing(own) {
		if err := p.compare(ctx, &v, ignoreEnds); err != nil {
			return v, err
		}
	}
	v.Kinds = append([]handoff.DriftKind{}, v.Report.Kinds()...)
	if v.OK = !v.Report.HasDrift(); v.OK {
		return v, nil
	}
	v.Report = v.Report.Truncate()
	err = p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		role := firstNonEmpty(c.LastHandoffBy, c.ActiveRole, c.Roles[0].Name)
		return handoff.Event{Kind: handoff.EventDrifted, Role: role,
			Drift: &handoff.Drift{Expected: v.Expected, Found: v.Found, Report: v.Report}}, nil
	})
	if err != nil {
		return v, err
	}
	v.Drift = p.Rec.Context.DriftCount()
	return v, driftError(v)
}

func isHandoffMissing(list []handoff.Difference) bool {
	return slices.ContainsFunc(list, func(d handoff.Difference) bool { return d.Kind == handoff.HandoffMissing })
}

func driftError(v HandoverCheck) error {
	what := "the tree of %s is not what %s handed over: %s"
	by := v.By
	if by == "" {
		by = "belay"
	}
	if v.Expected == "" { // belay's own files were edited
		return belay.Refuse(belay.CodeDrift, fmt.Sprintf("see belay log --verify %s", v.Task), what,
			v.Task, by, v.Report.Summary())
	}
	return belay.Refuse(belay.CodeDrift,
		fmt.Sprintf(
			`see belay context diff %s --drift; undo it with belay snapshot restore %s, `+
				`or accept it with belay context resolve-drift %s --note "…"`, v.Task, v.Expected.Short(), v.Task),
		what, v.Task, by, v.Report.Summary())
}

// compare lists the differences between the tree and the expected state. While a role is at work it
// may change files: only changes to the repository count.
func (p *TaskContext) compare(ctx context.Context, v *HandoverCheck, ignoreEnds bool) error {
	inScope, err := p.inScope()
	if err != nil {
		return err
	}
	r := handoff.Reader{Snaps: p.Session.Snaps, InScope: inScope, IgnoreEnds: ignoreEnds || p.Session.Config.IgnoreLineEnds}
	f, same, stored, err := r.CompareWithPresent(ctx, v.Expected)
	if err != nil || same {
		return err
	}
	working := v.AtWork != ""
	if !stored {
		if working {
			v.Report.Differences = append(v.Report.Differences, repositoryWide(handoff.NameDifferences(f))...)
			return nil
		}
		if v.Found, err = p.snapshotDrift(ctx, r); err != nil {
			return err
		}
		if f, err = r.CompareSnapshots(ctx, v.Expected, v.Found); err != nil {
			return err
		}
	}
	named := handoff.NameDifferences(f)
	if working {
		named.Differences = repositoryWide(named)
	}
	v.Report.Differences = append(v.Report.Differences, named.Differences...)
	return nil
}

// snapshotDrift takes a snapshot of the tree, unless the last recorded drift is the same.
func (p *TaskContext) snapshotDrift(ctx context.Context, r handoff.Reader) (belay.SnapshotID, error) {
	if list := p.Rec.Context.Drifts; len(list) > 0 && list[len(list)-1].Found != "" {
		before := list[len(list)-1].Found
		if _, same, _, err := r.CompareWithPresent(ctx, before); err == nil && same {
			return before, nil
		}
	}
	info, err := p.takeSnapshot(ctx, "", "differs from the handover")
	return info.ID, err
}

// repositoryWide returns the differences in the repository, not in files. Stashes are omitted,
// because a role may use them while at work.
func repositoryWide(r handoff.Report) []handoff.Difference {
	kinds := []handoff.DriftKind{handoff.HeadMoved, handoff.Committed, handoff.Reset, handoff.Amended, handoff.Switched,
		handoff.Operation}
	return slices.DeleteFunc(slices.Clone(r.Differences), func(d handoff.Difference) bool { return !slices.Contains(kinds, d.Kind) })
}

// checkOwnFiles checks belay's own files: that the record still has the entry noted in the
// snapshot, the attachments, and the files written for agents.
func (p *TaskContext) checkOwnFiles(ctx context.Context, expected belay.SnapshotID) (out []handoff.Difference, err error) {
	current := p.Rec.Context.Attachments()
	proof, err := p.Session.Journal.Verify(p.Rec.Task.ID, func(data json.RawMessage) []string {
		return slices.DeleteFunc(handoff.AttachmentsOf(data), func(sha string) bool { return !slices.Contains(current, sha) })
	})
	if err != nil {
		return nil, err
	}
	for _, problem := range proof.Broken() {
		kind := handoff.RecordEdited
		if strings.Contains(problem, "attachment") {
			kind = handoff.AttachmentChanged
		}
		out = append(out, handoff.Difference{Kind: kind, Was: "as written", Is: problem})
	}
	if expected != "" {
		info, err := p.Session.Snaps.LookUp(ctx, expected)
		switch {
		case belay.CodeOf(err) == belay.CodeNotFound:
			out = append(out, handoff.Difference{Kind: handoff.HandoffMissing, Was: string(expected), Is: "it was deleted"})
		case err != nil:
			return nil, err
		case info.Journal != "" && info.Task.Key() == p.Rec.Task.ID.Key() && !p.hasEntry(info.Journal):
			out = append(out, handoff.Difference{Kind: handoff.RecordEdited,
				Was: "with the entry that the snapshot names", Is: "rewritten"})
		}
	}
	for _, path := range p.Session.EditedContext(p.Rec) {
		out = append(out, handoff.Difference{Kind: handoff.BelayFileEdited, Was: "as belay wrote it", Is: "edited: " + path})
	}
	return out, nil
}

// hasEntry reports whether the record has an entry with this hash.
func (p *TaskContext) hasEntry(hash string) bool {
	return slices.ContainsFunc(p.Rec.Log.Entries, func(e journal.Entry) bool { return e.Hash == hash })
}
