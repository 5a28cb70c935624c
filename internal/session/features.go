package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/phase"
	"github.com/belay-dev/belay/internal/tasklist"
)

// FeatureRecord is a feature, read from its journal.
type FeatureRecord struct {
	Feature *phase.Feature
	Log     journal.Log
}

// ForFeatures returns a session with the records of features instead of those of tasks.
func (s *Session) ForFeatures() *Session {
	other := *s
	other.Journal, other.Anchors = s.Journal.Features(), s.Anchors.ForFeatures()
	return &other
}

// Features reads every feature, in order of creation. One that cannot be read is passed to bad and
// left out.
func (s *Session) Features(bad func(belay.TaskID, error)) ([]*FeatureRecord, error) {
	ids, err := s.Journal.Features().Tasks()
	if err != nil {
		return nil, err
	}
	var all []*FeatureRecord
	for _, id := range ids {
		r, err := s.LoadFeature(id)
		if err != nil {
			bad(id, err)
			continue
		}
		all = append(all, r)
	}
	return all, nil
}

// LoadFeature reads the record of a feature by the record's ID. Errors are those of Load.
func (s *Session) LoadFeature(id belay.TaskID) (*FeatureRecord, error) {
	at := s.ForFeatures()
	log, err := at.Journal.Read(id)
	if err != nil {
		return nil, at.explainMissing(id, err)
	}
	if err := at.checkNotCut(id, log); err != nil {
		return nil, belay.Refuse(belay.CodeCannot, "belay log --verify; belay feature accept-record "+string(id), "%s", ErrorLine(err))
	}
	var events []phase.Numbered
	for _, e := range log.Entries {
		n := phase.Numbered{Seq: e.Seq, Time: e.Time}
		if err := json.Unmarshal(e.Data, &n.Event); err != nil {
			return nil, fmt.Errorf("read entry %d of %s: %w", e.Seq, id, err)
		}
		events = append(events, n)
	}
	f, err := phase.Fold(events)
	if err != nil {
		return nil, err
	}
	f.ID = id
	return &FeatureRecord{Feature: f, Log: log}, nil
}

// CreateFeature creates the record of a feature, under the next free ID.
func (s *Session) CreateFeature(ctx context.Context, e phase.Event) (*FeatureRecord, error) {
	at := s.ForFeatures()
	ids, err := at.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	gone, err := at.MissingRecords()
	if err != nil {
		return nil, err
	}
	for _, st := range gone {
		ids = append(ids, belay.TaskID(st.Task))
	}
	top := 0
	for _, id := range ids {
		n := 0
		if _, err := fmt.Sscanf(id.Key(), "f%d", &n); err == nil {
			top = max(top, n)
		}
	}
	id := belay.TaskID(fmt.Sprintf("F%d", top+1))
	head, err := at.Journal.Create(ctx, id, string(e.Kind), e)
	if err != nil {
		return nil, err
	}
	at.rememberFeature(id, head, true)
	return s.LoadFeature(id)
}

// AddToFeature adds an event to the record and reads it again. *journal.MovedError: another process
// added one first, so decide again.
func (s *Session) AddToFeature(ctx context.Context, r *FeatureRecord, e phase.Event) error {
	at := s.ForFeatures()
	head, err := at.Journal.Append(ctx, r.Feature.ID, r.Log.Head, string(e.Kind), e)
	if err != nil {
		return err
	}
	at.rememberFeature(r.Feature.ID, head, e.Kind != phase.EvFinished)
	fresh, err := s.LoadFeature(r.Feature.ID)
	if err == nil {
		*r = *fresh
	}
	return err
}

// AcceptFeature accepts the readable part of a feature's record although it does not match its
// anchor, and records that. The anchor of a missing record is deleted. It returns what was wrong.
// Errors: belay.CodeUsage if nothing was, belay.CodeNotFound.
func (s *Session) AcceptFeature(ctx context.Context, id belay.TaskID) (what string, err error) {
	at := s.ForFeatures()
	_, wrong := s.LoadFeature(id)
	if wrong == nil {
		return "", belay.Refuse(belay.CodeUsage, "belay log --verify", "the record of %s is intact", id)
	}
	what = ErrorLine(wrong)
	log, err := at.Journal.Read(id)
	switch belay.CodeOf(err) {
	case belay.CodeNotFound:
		if _, known := at.Anchors.Read(string(id)); known {
			return what, at.Anchors.Forget(string(id))
		}
		return "", err
	case belay.CodeCannot:
		if len(log.Entries) == 0 {
			return "", err
		}
		if err := at.Journal.Replace(ctx, log); err != nil {
			return "", err
		}
	case "":
	default:
		return "", err
	}
	head, err := at.Journal.Append(ctx, id, log.Head, string(phase.EvAccepted), phase.Event{Kind: phase.EvAccepted, Note: what})
	if err == nil {
		at.rememberFeature(id, head, true)
	}
	return what, err
}

func (s *Session) rememberFeature(id belay.TaskID, head journal.Head, open bool) {
	if s.Anchors.Problem() == nil {
		_ = s.Anchors.Write(Anchor{Task: string(id), Open: open, Seq: head.Seq, Hash: head.Hash})
	}
}

// ReplaceText replaces a file of a worktree atomically with the result of change, and returns both
// texts. If another program saves the file at the same moment, change is called again with that
// text. Errors: belay.CodeCannot.
func (s *Session) ReplaceText(tree *fsroot.Root, path string, change func([]byte) ([]byte, error)) (was, is []byte, err error) {
	err = s.withTempFolder(func(tmp string) (err error) {
		var saved *fsroot.SavedError
		for range 3 {
			if was, is, err = tasklist.Rewrite(tree, tmp, path, change); !errors.As(err, &saved) {
				return err
			}
		}
		return belay.Refuse(belay.CodeCannot, "run the command again", "%s is being written by another program", belay.VisibleLine(path))
	})
	return was, is, err
}

// FeatureAttachments returns the attachments that an entry of a feature's record names.
func FeatureAttachments(data json.RawMessage) (shas []string) {
	var e phase.Event
	if json.Unmarshal(data, &e) != nil {
		return nil
	}
	if e.Review != nil {
		shas = append(shas, e.Review.Text, e.Review.Report)
	}
	if e.Status != nil {
		shas = append(shas, e.Status.Was, e.Status.Is)
	}
	return slices.DeleteFunc(shas, func(sha string) bool { return strings.TrimSpace(sha) == "" })
}
