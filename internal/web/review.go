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

// diffComments are the comments on a task's work that stand in a diff.
type diffComments struct {
	Commenting bool             // the diff is of a task: its lines can be commented on
	State      belay.SnapshotID // whose lines the new side has; "" for the files as they are
	Unsent     int              // comments on the task, here and elsewhere
	Elsewhere  int              // those that are on other states
	byPlace    map[diffPlace][]app.Comment
}

// diffPlace is a line of one side of a file.
type diffPlace struct {
	path string
	old  bool
	line int
}

// remarks gives the comments on a task's work that are on the lines of a diff. A task that cannot be read has none.
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
	// In the fleet a task ends with its acceptance: no review opens it again.
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

// On gives the comments that are shown below a row of a file's diff.
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

// ownReview is what the page shows of the person's review of a task, and of those that were recorded.
type ownReview struct {
	ReviewGate     int // that it answers, in the fleet
	Comments       []app.Comment
	CommentProblem string
	Reviewable     bool // work is there that a rejection leads on from
	Approvable     bool // an approval accepts it
	Cycles         []app.Review
	Looked         belay.SnapshotID // a state that the person has looked at, where a newer one is there
}

func (q *request) ownReview(r *session.Record, t *FleetTask) ownReview {
	s := r.State
	o := ownReview{Reviewable: loop.IsReviewable(s)}
	if t != nil { // the server says where it stands, also before its record is here
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

// comment keeps a comment on a line, or takes one away, and shows the diff or the task again.
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

// formValue is the value of a form's field that the page wrote with query.
func (q *request) formValue(name string) string {
	text, err := url.QueryUnescape(q.PostFormValue(name))
	if err != nil {
		return ""
	}
	return text
}

// review sends the comments as one review, by the command of the terminal, and has the task go on by it.
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

// continueTask runs a task that a review had continue, unless it is driven by hand or another run continues it.
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

// latestState is the state that the newest attempt left.
func latestState(r *session.Record) (id belay.SnapshotID) {
	for _, a := range r.State.Attempts {
		id = cmp.Or(a.Snapshot, id)
	}
	return id
}
