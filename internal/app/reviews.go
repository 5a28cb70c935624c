package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// Review is a review cycle, from the record, its file, or both.
type Review struct {
	Cycle    int               `json:"cycle"`
	Verdict  string            `json:"verdict"`
	Reviewer string            `json:"reviewer,omitempty"`
	Time     time.Time         `json:"time,omitzero"`
	Pointer  string            `json:"pointer"`
	Path     string            `json:"path"`
	Affected []review.Affected `json:"affected_files,omitempty"`
	Resolved bool              `json:"resolved"`
	Recorded bool              `json:"recorded"`          // in the task's record, so that its verdict counts
	Problem  string            `json:"problem,omitempty"` // why the file could not be read
	Body     string            `json:"body,omitempty"`
}

// ListReviews lists a task's reviews, from its record and its files.
func ListReviews(s *Service, task belay.TaskID) ([]Review, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	shelf, err := runner.OpenReviewCycles(s.Session, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = shelf.Close() }()
	entries, err := shelf.List()
	if err != nil {
		return nil, err
	}
	there := map[int]bool{}
	out := []Review{}
	for _, e := range entries {
		there[e.Number] = true
		out = append(out, knownReview(r, shelf, e))
	}
	for _, n := range r.Notes { // recorded, but its file is missing
		if n.Kind == "review" && n.Review != nil && !there[n.Review.Cycle] {
			there[n.Review.Cycle] = true
			out = append(out, knownReview(r, shelf, shelf.Read(n.Review.Cycle)))
		}
	}
	return out, nil
}

// knownReview combines the record and the file of a cycle. The record's verdict takes precedence.
func knownReview(r *session.Record, shelf *review.CycleFolder, e review.CycleEntry) Review {
	v := Review{Cycle: e.Number, Verdict: e.Cycle.Verdict, Reviewer: e.Cycle.Reviewer, Time: e.Cycle.Time, Path: shelf.Path(e.Number),
		Pointer: review.PointerTo(r.Task.Feature, string(r.Task.ID), e.Number).String(), Affected: e.Cycle.Affected,
		Resolved: !e.Cycle.Resolved.IsZero()}
	if e.Err != nil {
		v.Problem = e.Err.Error()
	} else {
		v.Body = e.Document.Body()
	}
	for _, n := range r.Notes {
		if n.Review == nil || n.Review.Cycle != e.Number {
			continue
		}
		switch n.Kind {
		case "review":
			v.Recorded, v.Verdict, v.Resolved = true, n.Review.Verdict, false
			v.Reviewer = cmp.Or(n.Review.Reviewer, v.Reviewer)
		case "review-resolved":
			v.Resolved = true
		}
	}
	return v
}

// GetReview returns cycle n of a task. CodeNotFound if it is neither in the record nor a file.
func GetReview(s *Service, task belay.TaskID, n int) (Review, error) {
	all, err := ListReviews(s, task)
	if err != nil {
		return Review{}, err
	}
	for _, v := range all {
		if v.Cycle == n {
			return v, nil
		}
	}
	return Review{}, belay.Refuse(belay.CodeNotFound, "belay review list "+string(task), "%s has no review %d", task, n)
}

const maxReviewFile = 16 << 20

// ReadPointer reads the file that a pointer names: a cycle file, or the feedback that older records
// point to. path is relative to the top of the repository or, for older feedback, to the git
// folder.
func ReadPointer(s *Service, pointer string) (path, text string, err error) {
	p, err := review.ParsePointer(pointer)
	if err != nil {
		return "", "", err
	}
	type place struct{ top, path string }
	home, err := runner.HomeRoot(s.Session.Repo)
	if err != nil {
		return "", "", err
	}
	places := []place{{home, p.Path()}}
	if p.Legacy {
		for _, dir := range []string{"belay/feedback", "spec-kitty/feedback"} {
			places = append(places, place{s.Session.Repo.Common, filepath.ToSlash(filepath.Join(dir, p.Feature, p.Task, p.Name))})
		}
	}
	for _, at := range places {
		text, err := readWithin(at.top, at.path)
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return at.path, text, err
		}
	}
	return "", "", belay.Refuse(belay.CodeNotFound, "belay review list TASK", "%s points to nothing", p)
}

// readWithin reads a file. It follows no link to a place outside of top.
func readWithin(top, path string) (string, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxReviewFile {
		return "", belay.Refuse(belay.CodeCannot, "check it by hand", "%s is not a review file", path)
	}
	text, err := fsroot.ReadIn(root, path, maxReviewFile)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(text), nil
}

// ResolveReviews records that the requests of review cycles are done, also in their files.
func ResolveReviews(ctx context.Context, s *Service, task belay.TaskID, cycles []int) ([]Review, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	shelf, err := runner.OpenReviewCycles(s.Session, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = shelf.Close() }()
	var entries []review.CycleEntry
	for _, n := range cycles { // check all before anything is written
		e := shelf.Read(n)
		if e.Err != nil {
			return nil, e.Err
		}
		if v := knownReview(r, shelf, e); !v.Recorded {
			return nil, belay.Refuse(belay.CodeNotFound, "belay review list "+string(task),
				"review %d of %s is not in the record", n, task)
		}
		entries = append(entries, e)
	}
	var out []Review
	for _, e := range entries {
		v := knownReview(r, shelf, e)
		if !v.Resolved {
			note := session.Note{Kind: "review-resolved", Text: fmt.Sprintf("review %d is resolved", e.Number),
				Review: &review.RecordedReview{Cycle: e.Number, Verdict: v.Verdict, Reviewer: v.Reviewer, Pointer: v.Pointer}}
			if err := s.Session.AddNote(ctx, r, note); err != nil {
				return out, err
			}
		}
		if e.Cycle.Resolved.IsZero() {
			was := e.Document.Bytes()
			if err := e.Document.Set("resolved_at", time.Now().UTC().Truncate(time.Second)); err != nil {
				return out, err
			}
			if err := shelf.Replace(e.Number, was, e.Document); err != nil {
				return out, err
			}
		}
		out = append(out, knownReview(r, shelf, shelf.Read(e.Number)))
	}
	return out, nil
}
