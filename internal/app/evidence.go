package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/testreport"
)

// keepMasked attaches a text with its secrets masked. If secrets are forced it is attached unchanged, and let has their
// fingerprints.
func (p *TaskContext) keepMasked(data []byte, what string) (k handoff.AttachmentRef, masked int, let []string, err error) {
	if p.force {
		if let, err = p.RefuseSecrets(true, what, string(data)); err != nil {
			return k, 0, nil, err
		}
	} else {
		data, masked = handoff.MaskSecrets(data)
	}
	keeper := handoff.NewAttachmentWriter(p.Session.Journal.Attach)
	_, err = keeper.Write(data)
	k, cerr := keeper.Close(err)
	return k, masked, let, errors.Join(err, cerr)
}

// ProofRequest records the result of a role's tests and linters. Status is pass, fail or unknown; "" reads it from the
// log, as belay report read does.
type ProofRequest struct {
	Role   string
	Dir    string // From is relative to it
	From   string
	Status string
}

// RecordQA attaches a test log. Errors: belay.CodeUsage when the task changed after the block was
// made, CodeNotFound without the file, and CheckUnchanged's.
func (p *TaskContext) RecordQA(ctx context.Context, q ProofRequest) (handoff.Proof, error) {
	r, err := p.StateOf(q.Role)
	if err != nil {
		return handoff.Proof{}, err
	}
	if err := p.CheckCurrent(); err != nil {
		return handoff.Proof{}, err
	}
	data, err := ReadInput(q.Dir, q.From)
	if err != nil {
		return handoff.Proof{}, err
	}
	if err := p.CheckUnchanged(ctx); err != nil {
		return handoff.Proof{}, err
	}
	proof := handoff.Proof{Path: handoff.PathText(q.From), Block: p.Rec.Context.Block.Block}
	if proof.Status, proof.Summary, err = testStatus(data, q.Status); err != nil {
		return proof, err
	}
	k, masked, let, err := p.keepMasked(data, q.From)
	if err != nil {
		return proof, err
	}
	proof.Attachment, proof.Gzip, proof.Bytes, proof.Masked = k.SHA, k.Gzip, k.Bytes, masked
	return proof, p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		return handoff.Event{Kind: handoff.EventTested, Role: r.Name, Proof: &proof, ForcedSecrets: let, Masked: masked}, c.CheckNoDrift()
	})
}

// testStatus returns the given status, or else the one that the log shows, with a summary of the log.
func testStatus(data []byte, told string) (status, summary string, err error) {
	switch told {
	case "pass", "fail", "unknown", "":
	default:
		return "", "", belay.Refuse(belay.CodeUsage, "use pass, fail or unknown", "%q is not a test result", told)
	}
	status = "unknown"
	if report, err := testreport.Read(bytes.NewReader(data), ""); err == nil && report.Total > 0 {
		summary = report.String()
		switch {
		case report.Failed+report.Errors > 0:
			status = "fail"
		case report.Sound() == nil:
			status = "pass"
		}
	}
	if told != "" {
		status = told
	}
	return status, summary, nil
}

// AttachRequest attaches a file, or lines of it, for later roles. Lines is "" or a range such as 10-20.
type AttachRequest struct {
	Type  string
	Dir   string
	Path  string
	Lines string
}

// Attach stores the text under an ID; exports name the ID and do not contain the text.
func (p *TaskContext) Attach(ctx context.Context, q AttachRequest) (handoff.Evidence, error) {
	data, err := ReadInput(q.Dir, q.Path)
	if err != nil {
		return handoff.Evidence{}, err
	}
	e := handoff.Evidence{Type: belay.VisibleLine(q.Type), Path: handoff.PathText(q.Path)}
	if e.Type == "" {
		e.Type = "evidence"
	}
	if q.Lines != "" {
		if data, e.Lines, err = excerpt(data, q.Lines); err != nil {
			return e, err
		}
	}
	e.SHA = handoff.Hash(data)
	k, masked, let, err := p.keepMasked(data, q.Path)
	if err != nil {
		return e, err
	}
	e.Attachment, e.Gzip, e.Bytes, e.Masked = k.SHA, k.Gzip, k.Bytes, masked
	err = p.Add(ctx, func(c *handoff.Context) (handoff.Event, error) {
		e.ID = fmt.Sprintf("E%d", len(c.Evidence)+1)
		one := e
		return handoff.Event{Kind: handoff.EventAttached, Evidence: &one, ForcedSecrets: let, Masked: masked}, c.CheckExists()
	})
	return e, err
}

// excerpt returns lines of a text; the first line is 1.
func excerpt(data []byte, span string) (text []byte, lines string, err error) {
	var from, to int
	if n, _ := fmt.Sscanf(strings.TrimPrefix(strings.ReplaceAll(span, "-L", "-"), "L"), "%d-%d", &from, &to); n != 2 {
		to = from
	}
	all := strings.SplitAfter(string(handoff.Normalise(data)), "\n")
	if from < 1 || to < from || to > len(all) || all[to-1] == "" {
		return nil, "", belay.Refuse(belay.CodeUsage, "use a range like 10-20, counted from 1", "no lines %s", belay.VisibleLine(span))
	}
	return []byte(strings.Join(all[from-1:to], "")), fmt.Sprintf("L%d-L%d", from, to), nil
}

// Log returns the last test log of a role.
func (p *TaskContext) Log(role string) (handoff.ProofOf, []byte, error) {
	s, err := p.StateOf(role)
	if err != nil {
		return handoff.ProofOf{}, nil, err
	}
	for _, proof := range slices.Backward(p.Rec.Context.Proofs) {
		if proof.Role == s.Name {
			data, err := p.ReadAttachment(proof.Attachment, proof.Gzip)
			return proof, data, err
		}
	}
	return handoff.ProofOf{}, nil,
		belay.Refuse(belay.CodeNotFound,
			fmt.Sprintf("belay context record-qa %s --role %s --from FILE", p.Rec.Task.ID, s.Name), "%s has no recorded tests", s.Name)
}

// Evidence returns the text attached under an ID.
func (p *TaskContext) Evidence(id string) (handoff.Evidence, []byte, error) {
	for _, e := range p.Rec.Context.Evidence {
		if strings.EqualFold(e.ID, id) {
			data, err := p.ReadAttachment(e.Attachment, e.Gzip)
			return e, data, err
		}
	}
	return handoff.Evidence{}, nil,
		belay.Refuse(belay.CodeNotFound, fmt.Sprintf("belay context get %s lists them", p.Rec.Task.ID), "%s has no evidence %q",
			p.Rec.Task.ID, id)
}
