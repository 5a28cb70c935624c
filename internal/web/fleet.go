package web

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/session"
)

// Fleet has what is known about the tasks of a repository that run on other machines, besides the
// copies of their records that Repository.Open opens.
type Fleet interface {
	// Tasks returns the tasks that the server or the remote has, and the problems of either, a
	// sentence each.
	Tasks() (list []FleetTask, problems []string)
	// Task returns the current state of a task; ok is false for an unknown one.
	Task(ctx context.Context, id belay.TaskID) (t FleetTask, ok bool)
	// Decide sends a person's answer to the task, and returns once the task's record has it.
	// CodeBusy, with the earlier answer, if someone else was first; CodeUsage if the task rejects
	// it.
	Decide(ctx context.Context, id belay.TaskID, a Answer) error
	// Features returns the server's features: the open ones, and the latest of the others.
	Features() []FleetFeature
	// Feature returns the current state of a feature by its key; ok is false for an unknown one.
	Feature(ctx context.Context, key string) (f FleetFeature, ok bool)
	// DecideFeature sends a person's answer to a feature, with the errors of Decide.
	DecideFeature(ctx context.Context, key string, a Answer) error
	// Mark returns hexadecimal digits that change when the result of Tasks changes.
	Mark() string
}

// Answer is a person's answer at a gate: a decision or, with a Verdict, a review.
type Answer struct {
	Gate     int
	Decision loop.Decision
	Category review.Category // for approve: why the rejection does not apply
	Words    string          // instructions, a reason, or the text of a review in the form of app.CommentsText
	Verdict  string          // app.Approve or app.Reject
	By       string
}

// FleetFeature is a feature in the fleet's server.
type FleetFeature struct {
	Key      string // its key in addresses
	Name     string
	Phase    string       // running, or a loop.Phase; "" if the server does not answer
	Outcome  loop.Outcome // valid unless Phase is ""
	Tasks    int          // number of tasks
	Merged   int          // number of merged tasks
	Branch   string
	Commit   string // head of the branch on the remote; "" before the first merge
	Cost     float64
	Gates    []FleetGate
	Parts    []FleetPart // in the order of the task list
	Notes    []string
	Happened []FleetLine
}

// FleetGate is a question about a feature, or about one of its tasks.
type FleetGate struct {
	Number    int
	Task      belay.TaskID // "": about the feature
	Why       string
	Decisions []loop.Decision
}

// FleetPart is a task of a feature.
type FleetPart struct {
	Task   belay.TaskID // the last try's task
	Begun  bool         // it has started, so it has a page
	Title  string
	Stage  string         // waiting, running, accepted, merging, gate, merged or dropped
	Phase  string         // loop.Phase of a running task
	Waits  string         // the question of a running task to a person
	Why    string         // why it is at a gate or was dropped
	After  []belay.TaskID // tasks that have to be merged first
	Commit string         // the commit of its accepted work
	Cost   float64        // US dollars
}

// FleetTask is a task in the fleet's server.
type FleetTask struct {
	ID        belay.TaskID
	Title     string
	Worker    string       // the worker that has its files
	Phase     string       // loop.Phase, or a state of the fleet; "" if the server does not answer
	Outcome   loop.Outcome // valid unless Phase is ""
	Waits     string       // the question to a person; "" for none
	Gate      int          // number of the gate; 0 if it waits for another reason
	Decisions []loop.Decision
	State     loop.State // the state that the question is about
	Notes     []string   // notes for people, a sentence each
	Problem   string     // why the shown record is unreliable or missing
	Happened  []FleetLine
}

// FleetLine is one event of a task.
type FleetLine struct {
	Time time.Time
	Text string
}

// Resume is the decision that continues a cancelled task, or one that no worker could run.
const Resume loop.Decision = "resume"

// mark returns app.Service.RecordsStamp, combined with the fleet's mark.
func (r Repository) mark(s *app.Service, task belay.TaskID) (string, error) {
	m, err := s.RecordsStamp(task)
	if err != nil || r.Fleet == nil {
		return m, err
	}
	h := fnv.New64a()
	fmt.Fprintln(h, m, r.Fleet.Mark())
	return fmt.Sprintf("%x", h.Sum64()), nil
}

// onlyLocal returns a page that fails in a fleet, because it needs the files or processes of the
// task's machine.
func (s *Server) onlyLocal(page func(*request) error) func(*request) error {
	return func(q *request) error {
		if q.repo.Fleet != nil {
			return belay.Refuse(belay.CodeNotFound, "belay ui on that machine",
				"this page needs the files, which are on another machine")
		}
		return page(q)
	}
}

// taskRow is a task in a list.
type taskRow struct {
	app.TaskLine
	Worker string
	Notes  []string
}

// rows returns the tasks with the fleet's data added, and the tasks that only the fleet has.
func (q *request) rows(lines []app.TaskLine) (rows []taskRow, problems []string) {
	known := map[string]FleetTask{}
	var fleet []FleetTask
	if q.repo.Fleet != nil {
		fleet, problems = q.repo.Fleet.Tasks()
	}
	for _, t := range fleet {
		known[t.ID.Key()] = t
	}
	for _, l := range lines {
		r := taskRow{TaskLine: l}
		if t, ok := known[l.ID.Key()]; ok {
			r.addFleetTask(t)
			delete(known, l.ID.Key())
		}
		rows = append(rows, r)
	}
	for _, t := range fleet {
		if _, is := known[t.ID.Key()]; is {
			r := taskRow{TaskLine: app.TaskLine{ID: t.ID, Title: t.Title}}
			r.addFleetTask(t)
			rows = append(rows, r)
		}
	}
	return rows, problems
}

// addFleetTask adds the fleet's data about a task. The worktree and merge in its record are on
// another machine.
func (r *taskRow) addFleetTask(t FleetTask) {
	r.Worker, r.Notes, r.Tree, r.Unmerged = t.Worker, t.Notes, "", false
	r.Problem = cmp.Or(r.Problem, t.Problem)
	if t.Phase != "" {
		r.Phase, r.Outcome, r.Waits = t.Phase, t.Outcome, t.Waits
	}
}

// gateQuestion is the question of a task at a gate, and the possible answers.
type gateQuestion struct {
	Number  int
	Why     string
	Choices []choice
	Over    bool // rejected work can be accepted with a reason
	Unclear bool // it is about an ambiguous request
}

// Reasons returns the categories of reasons for accepting rejected work.
func (gateQuestion) Reasons() []review.Category { return review.Categories() }

// newGateQuestion returns the question of a task, nil if it has none. t is the fleet's data, nil
// without a fleet.
func newGateQuestion(r *session.Record, t *FleetTask) *gateQuestion {
	var s loop.State
	if r != nil {
		s = r.State
	}
	a := &gateQuestion{}
	var options []loop.Decision
	switch {
	case t != nil && t.Phase != "":
		if t.Waits == "" {
			return nil
		}
		s, a.Number, a.Why, options = t.State, t.Gate, t.Waits, t.Decisions
		a.Unclear = s.Gate != nil && s.Gate.Kind == loop.GateClarify
	case s.Gate == nil:
		return nil
	default:
		a.Number, a.Why, a.Unclear = s.Gate.Number, s.Gate.Why, s.Gate.Kind == loop.GateClarify
		if t == nil {
			options = s.Gate.Options
		}
	}
	for _, o := range options {
		if o == loop.DecideApprove && s.Gate != nil && s.Gate.Overrides() {
			a.Over = true
			continue
		}
		c := choice{Decision: o, Key: "e", Meaning: "continue where it was stopped"}
		if o != Resume {
			c = choice{Decision: o, Key: prompt.Key(o), Meaning: prompt.Meaning(o, s), Final: endsTaskBy(o)}
		}
		a.Choices = append(a.Choices, c)
	}
	return a
}

// remoteTask shows a task without a record on this machine.
func (q *request) remoteTask(t FleetTask) error {
	return q.show("afar", string(t.ID)+" "+t.Title, struct {
		ID    belay.TaskID
		Title string
		Fleet FleetTask
		Asks  *gateQuestion
	}{t.ID, t.Title, t, newGateQuestion(nil, &t)})
}

// answer sends an answer to a task of the fleet.
func (q *request) answer(id belay.TaskID, a Answer) error {
	t, ok := q.repo.Fleet.Task(q.Context(), id)
	if !ok {
		return belay.Refuse(belay.CodeNotFound, "belay-fleet list", "no task %s", id)
	}
	if endsTaskBy(a.Decision) && q.PostFormValue("sure") == "" {
		return q.confirm(confirmation{Of: string(id), Title: t.Title, Then: endsTask}, a)
	}
	if err := q.repo.Fleet.Decide(q.Context(), id, a); err != nil {
		return err
	}
	return q.redirect(q.address("task/%s", id))
}

// sendReview sends a review, with the comments on lines that were stored here, to a task of the
// fleet.
func (q *request) sendReview(id belay.TaskID, verdict, text string, sent []string) error {
	gate, _ := strconv.Atoi(q.PostFormValue("gate"))
	if err := q.repo.Fleet.Decide(q.Context(), id, Answer{Gate: gate, Verdict: verdict, Words: text, By: q.s.User}); err != nil {
		return err
	}
	if err := q.svc.RemoveComments(id, sent...); err != nil {
		return err
	}
	return q.redirect(q.address("task/%s", id))
}

// refuseFilesNow rejects a comparison with current files in a fleet, where they do not exist.
func (q *request) refuseFilesNow(from, to string) error {
	if q.repo.Fleet == nil || to != "" {
		return nil
	}
	if id, err := belay.ParseTaskID(from); err == nil {
		if r, err := q.svc.Session.Load(id); err == nil && latestState(r) != "" {
			return nil
		}
	}
	return belay.Refuse(belay.CodeCannot, "choose two snapshots on a task's page", "%s has no other state here to compare with",
		belay.VisibleLine(from))
}

// endsTaskBy reports whether a decision ends the task.
func endsTaskBy(d loop.Decision) bool { return d == loop.DecideAbort || d == loop.DecideSkip }
