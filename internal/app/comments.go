package app

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/review"
)

// Comment is a person's comment on lines of a task's work, kept until it is sent as part of a review.
type Comment struct {
	ID    string           `json:"id"`
	Path  string           `json:"path"`
	Old   bool             `json:"old,omitempty"` // the lines are those of the before snapshot
	Line  int              `json:"line"`          // from 1
	End   int              `json:"end"`           // the last line; Line for a single one
	Text  string           `json:"text"`          // Markdown
	From  belay.SnapshotID `json:"from"`          // the snapshot compared with; Old lines are in it
	State belay.SnapshotID `json:"state"`         // the snapshot with the other lines; "" for the current files
	Time  time.Time        `json:"time"`
}

// Limits of comments: the length of one in bytes, and how many a task has.
const (
	maxComment  = 32 << 10
	maxComments = 500
)

func (s *Service) commentsDir(task belay.TaskID) string {
	return s.Session.Scratch("comments", task.Key())
}

// Comments returns the unsent comments on a task's work, sorted by file and line. The error names those that could not
// be read; the others are returned.
func (s *Service) Comments(task belay.TaskID) ([]Comment, error) {
	dir := s.commentsDir(task)
	entries, err := fsroot.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Comment
	var bad []error
	for _, e := range entries {
		id, ours := strings.CutSuffix(e.Name(), ".json")
		if !ours {
			continue // left by a killed writer
		}
		text, err := fsroot.ReadFile(filepath.Join(dir, e.Name()), 2*maxComment+4096)
		c := Comment{}
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("read the comment in %s: %w", filepath.Join(dir, e.Name()), err))
			continue
		}
		c.ID = id
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Comment) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID))
	})
	return all, errors.Join(bad...)
}

// AddComment stores a comment until it is sent or removed. CodeUsage when it has no text, has no file, or is too long.
func (s *Service) AddComment(task belay.TaskID, c Comment) (Comment, error) {
	if _, err := s.Session.Load(task); err != nil {
		return c, err
	}
	c.Text = strings.TrimSpace(strings.ReplaceAll(c.Text, "\r\n", "\n"))
	c.End = max(c.Line, c.End)
	for _, id := range []*belay.SnapshotID{&c.From, &c.State} {
		if _, err := belay.ParseSnapshotID(string(*id)); err != nil {
			*id = ""
		}
	}
	have, _ := s.Comments(task) // an unreadable comment must not prevent a new one
	switch {
	case c.Text == "":
		return c, belay.Refuse(belay.CodeUsage, "write what is to change", "the comment is empty")
	case len(c.Text) > maxComment:
		return c, belay.Refuse(belay.CodeUsage, "put long material into a file", "the comment has more than %s", belay.Size(maxComment))
	case c.Path == "" || c.Line < 1:
		return c, belay.Refuse(belay.CodeUsage, "choose a line of a changed file", "the comment has no line")
	case len(have) >= maxComments:
		return c, belay.Refuse(belay.CodeUsage, "send the review", "%s has %d comments that were not sent", task, len(have))
	}
	dir, err := s.Session.Snaps.Worktree.MakeScratchDir("comments", task.Key())
	if err != nil {
		return c, err
	}
	name := make([]byte, 8)
	_, _ = rand.Read(name) // never fails
	c.ID, c.Time = hex.EncodeToString(name), time.Now().UTC().Truncate(time.Millisecond)
	text, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	return c, fsroot.AtomicWrite(filepath.Join(dir, c.ID+".json"), fsroot.AtomicOptions{Synced: true}, text)
}

// RemoveComments deletes comments. An id that does not exist is no error.
func (s *Service) RemoveComments(task belay.TaskID, ids ...string) error {
	var failed []error
	for _, id := range ids {
		if raw, err := hex.DecodeString(id); err != nil || len(raw) != 8 {
			failed = append(failed, belay.Refuse(belay.CodeUsage, "belay show "+string(task), "no comment %q", belay.VisibleLine(id)))
			continue
		}
		if err := fsroot.Remove(filepath.Join(s.commentsDir(task), id+".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// LastViewed returns the snapshot of a task's work that a person viewed last, "" for none.
func (s *Service) LastViewed(task belay.TaskID) belay.SnapshotID {
	text, _ := fsroot.ReadFile(s.Session.Scratch("looked", task.Key()), 64) // a lost value only shows more than necessary
	id, err := belay.ParseSnapshotID(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return id
}

// MarkViewed records that a person has viewed a snapshot of a task's work.
func (s *Service) MarkViewed(task belay.TaskID, state belay.SnapshotID) error {
	if s.LastViewed(task) == state {
		return nil
	}
	dir, err := s.Session.Snaps.Worktree.MakeScratchDir("looked")
	if err != nil {
		return err
	}
	return fsroot.AtomicWrite(filepath.Join(dir, task.Key()), fsroot.AtomicOptions{}, []byte(state+"\n"))
}

// CommentsText returns a review in the form that RecordReview accepts: words, then a section for
// each comment, with the places in the front matter. now is the snapshot in the tree. Lines of
// other snapshots are named only in the text, because the line numbers may differ now.
func CommentsText(words string, comments []Comment, now belay.SnapshotID) (string, error) {
	var places []review.Affected
	var body strings.Builder
	if words = strings.TrimSpace(words); words != "" {
		fmt.Fprintf(&body, "%s\n", words)
	}
	for _, c := range comments {
		lines := review.FormatLines(c.Line, c.End)
		at, where := review.Affected{Path: c.Path}, fmt.Sprintf("`%s`", c.Path)
		switch {
		case c.Old:
			where += fmt.Sprintf(", line %s before the change", lines)
		case c.State != "" && c.State != now:
			where += fmt.Sprintf(", line %s of an earlier attempt (snapshot %s)", lines, c.State.Short())
		default:
			at.Lines, where = lines, fmt.Sprintf("`%s:%s`", c.Path, lines)
		}
		if !slices.Contains(places, at) {
			places = append(places, at)
		}
		fmt.Fprintf(&body, "\n### %s\n\n%s\n", where, c.Text)
	}
	return review.DraftText(places, strings.TrimLeft(body.String(), "\n"))
}
