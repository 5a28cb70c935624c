package web

import (
	"cmp"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// diffComments are the comments on a task's work that a diff shows.
type diffComments struct {
	Commenting bool             // the diff is of a task, so lines can be commented on
	State      belay.SnapshotID // snapshot of the new side; "" for the current files
	Unsent     int              // number of unsent comments on the task
	Elsewhere  int              // number of those on other states
	byPlace    map[diffPlace][]app.Comment
}

// diffPlace is a line of one side of a file.
type diffPlace struct {
	path string
	old  bool
	line int
}

// remarks returns the comments on a task's work that belong to lines of a diff, none if the task
// cannot be read.
func (q *request) remarks(task string, d app.Diff) (diffComments, error) {
	id, err := belay.ParseTaskID(task)
	if err != nil {
		return diffComments{}, nil
	}
	rec, err := q.svc.Session.Load(id)
	if err != nil {
		return diffComments{}, nil
	}
	all, err := q.svc.Comments(id)
	if all == nil && err != nil {
		return diffComments{}, err
	}
	if d.To != "" {
		if err := q.svc.MarkViewed(id, d.To); err != nil {
			return diffComments{}, err
		}
	}
	// In the fleet, acceptance ends a task: a review does not reopen it.
	r := diffComments{Commenting: q.repo.Fleet == nil || rec.Open(), State: d.To, Unsent: len(all), byPlace: map[diffPlace][]app.Comment{}}
	for _, c := range all {
		if c.State != r.State || c.Old && c.From != d.From {
			r.Elsewhere++
			continue
		}
		p := diffPlace{c.Path, c.Old, c.End}
		r.byPlace[p] = append(r.byPlace[p], c)
	}
	return r, nil
}

// On returns the comments shown below a row of a file's diff.
func (r diffComments) On(path string, old, new int) []app.Comment {
	if len(r.byPlace) == 0 {
		return nil
	}
	var out []app.Comment
	if old > 0 {
		out = append(out, r.byPlace[diffPlace{path, true, old}]...)
	}
	if new > 0 {
		out = append(out, r.byPlace[diffPlace{path, false, new}]...)
	}
	return out
}

// ownReview has the person's unsent review of a task, and the recorded reviews.
type ownReview struct {
	ReviewGate     int // the gate that it answers, in the fleet
	Comments       []app.Comment
	CommentProblem string
	Reviewable     bool // there is work that can be rejected
	Approvable     bool // an approval accepts the work
	Cycles         []app.Review
	Looked         belay.SnapshotID // the snapshot viewed last, if there is a newer one
}

func (q *request) ownReview(r *session.Record, t *FleetTask) ownReview {
	s := r.State
	o := ownReview{Reviewable: loop.IsReviewable(s)}
	if t != nil { // the server's state may be newer than the copy of the record
		s = t.State
		o.ReviewGate, o.Reviewable = t.Gate, t.Gate > 0 && len(t.Decisions) > 0 && t.Problem == "" && loop.IsReviewable(s)
	}
	o.Approvable = o.Reviewable && s.Gate != nil && s.Gate.Kind == loop.GateReview
	if o.Looked = q.svc.LastViewed(r.Task.ID); o.Looked == latestState(r) {
		o.Looked = ""
	}
	var err error
	if o.Comments, err = q.svc.Comments(r.Task.ID); err != nil {
		o.CommentProblem = err.Error()
	}
	if o.Cycles, err = app.ListReviews(q.svc, r.Task.ID); err != nil {
		o.CommentProblem = err.Error()
	}
	return o
}

// comment adds or removes a comment on a line, and shows the diff or the task again.
func (q *request) comment(id belay.TaskID) error {
	back := url.Values{}
	for _, name := range []string{"from", "to", "view", "task", "skip", "files"} {
		if v := q.formValue(name); v != "" {
			back.Set(name, v)
		}
	}
	if p := q.formValue("only"); p != "" {
		back.Set("path", p)
	}
	to := q.address("diff?%s", back.Encode())
	if q.PostFormValue("from") == "" {
		to = q.address("task/%s#review", id)
	}
	if gone := q.PostFormValue("remove"); gone != "" {
		if err := q.svc.RemoveComments(id, gone); err != nil {
			return err
		}
		return q.redirect(to)
	}
	from, end, _ := strings.Cut(q.PostFormValue("line"), "-")
	c := app.Comment{Path: q.formValue("path"), Old: q.PostFormValue("side") == "old", Text: q.PostFormValue("text"),
		From: belay.SnapshotID(q.PostFormValue("base")), State: belay.SnapshotID(q.PostFormValue("state"))}
	c.Line, _ = strconv.Atoi(strings.TrimSpace(from))
	c.End, _ = strconv.Atoi(strings.TrimSpace(end))
	c, err := q.svc.AddComment(id, c)
	if err != nil {
		return err
	}
	return q.redirect(to + "#comment-" + c.ID)
}

// formValue decodes a form field that was written with query.
func (q *request) formValue(name string) string {
	text, err := url.QueryUnescape(q.PostFormValue(name))
	if err != nil {
		return ""
	}
	return text
}

// review sends the comments as one review with the terminal's command, and continues the task.
func (q *request) review(id belay.TaskID) error {
	verdict := q.PostFormValue("verdict")
	if verdict != app.Approve && verdict != app.Reject {
		return belay.Refuse(belay.CodeUsage, "reject or approve", "choose whether the work is accepted")
	}
	r, err := q.svc.Session.Load(id)
	if err != nil {
		return err
	}
	all, err := q.svc.Comments(id)
	if err != nil {
		return err
	}
	text, err := app.CommentsText(q.PostFormValue("words"), all, latestState(r))
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		if text = "Approved."; verdict == app.Reject {
			return belay.Refuse(belay.CodeUsage, "comment on a line, or write what is to change", "the review is empty")
		}
	}
	var sent []string
	for _, c := range all {
		sent = append(sent, c.ID)
	}
	if q.repo.Fleet != nil {
		return q.sendReview(id, verdict, text, sent)
	}
	file, err := os.CreateTemp("", "belay-review-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(text)
	if err := cmp.Or(err, file.Close()); err != nil {
		return err
	}
	args := []string{"review", "record", string(id), "--verdict=" + verdict, "--file=" + file.Name()}
	if q.s.User != "" {
		args = append(args, "--reviewer="+q.s.User)
	}
	if err := q.s.Act(q.Context(), q.repo.Root, nil, args...); err != nil {
		return err
	}
	if err := q.svc.RemoveComments(id, sent...); err != nil {
		return err
	}
	if err := q.continueTask(id, len(r.State.Attempts)); err != nil {
		return err
	}
	return q.redirect(q.address("task/%s", id))
}

// continueTask resumes a task that continues after a review, unless it is driven by hand or another
// run continues it.
func (q *request) continueTask(id belay.TaskID, attempts int) error {
	r, err := q.svc.Session.Load(id)
	if err != nil {
		return err
	}
	if r.State.Pending == nil || r.State.Gate != nil || len(r.Task.Agent) == 0 {
		return nil
	}
	begun := func() bool {
		r, err := q.svc.Session.Load(id)
		return err == nil && (r.State.Gate != nil || len(r.State.Attempts) > attempts && r.State.Phase == loop.PhaseAttempt)
	}
	if err := q.s.Act(q.Context(), q.repo.Root, begun, "run", "--resume="+string(id), "--quiet"); err != nil && !begun() &&
		belay.CodeOf(err) != belay.CodeBusy {
		return err
	}
	return nil
}

// latestState returns the snapshot of the newest attempt's work.
func latestState(r *session.Record) (id belay.SnapshotID) {
	for _, a := range r.State.Attempts {
		id = cmp.Or(a.Snapshot, id)
	}
	return id
}
