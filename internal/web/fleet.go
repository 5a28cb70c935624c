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

// Fleet is what is known of a repository whose tasks run on other machines, beyond their records, of which Repository.Open
// opens a copy.
type Fleet interface {
	// Tasks gives the tasks that the server or the remote has, and what is wrong with either, a sentence each.
	Tasks() (list []FleetTask, problems []string)
	// Task gives one as it is now; ok is false for one that nobody knows.
	Task(ctx context.Context, id belay.TaskID) (t FleetTask, ok bool)
	// Decide sends a person's answer to the task. CodeBusy, with who decided what, when somebody else was first; CodeUsage
	// when the task refuses it. It returns once the task's record has the answer.
	Decide(ctx context.Context, id belay.TaskID, a Answer) error
	// Features gives the features that the server has: those that are open, and the latest of the others.
	Features() []FleetFeature
	// Feature gives one as it is now, by its key; ok is false for one that nobody knows.
	Feature(ctx context.Context, key string) (f FleetFeature, ok bool)
	// DecideFeature sends a person's answer to a feature, with the errors of Decide.
	DecideFeature(ctx context.Context, key string, a Answer) error
	// Mark tells one state of what Tasks gives from another, in hexadecimal digits.
	Mark() string
}

// Answer is what a person answers at a gate: a decision or, with a Verdict, a review.
type Answer struct {
	Gate     int
	Decision loop.Decision
	Category review.Category // of approve, where the work was rejected: why that does not apply
	Words    string          // instructions, a reason, or the text of a review as app.CommentsText writes it
	Verdict  string          // app.Approve or app.Reject
	By       string
}

// FleetFeature is a feature as the fleet's server knows it.
type FleetFeature struct {
	Key      string // in addresses
	Name     string
	Phase    string       // running, or a loop.Phase; "" when the server does not answer
	Outcome  loop.Outcome // while Phase is not ""
	Tasks    int          // how many there are, and
	Merged   int          // how many of them are merged
	Branch   string
	Commit   string // of the branch on the remote; "" before the first merge
	Cost     float64
	Gates    []FleetGate
	Parts    []FleetPart // in the order of the list
	Notes    []string
	Happened []FleetLine
}

// FleetGate is a question about a feature, or about one of its tasks.
type FleetGate struct {
	Number    int
	Task      belay.TaskID // "" for the whole feature
	Why       string
	Decisions []loop.Decision
}

// FleetPart is a task of a feature.
type FleetPart struct {
	Task   belay.TaskID // of its last try
	Begun  bool         // it has a page
	Title  string
	Stage  string         // waiting, running, accepted, merging, gate, merged or dropped
	Phase  string         // loop.Phase, while it runs
	Waits  string         // why a person is asked about the task itself, while it runs
	Why    string         // why it is at a gate, or was dropped
	After  []belay.TaskID // that have to be merged before it begins
	Commit string         // of its accepted work
	Cost   float64        // US dollars
}

// FleetTask is a task as the fleet's server knows it.
type FleetTask struct {
	ID        belay.TaskID
	Title     string
	Worker    string       // whose machine has its files
	Phase     string       // loop.Phase, or a state of the fleet's; "" when the server does not answer
	Outcome   loop.Outcome // while Phase is not ""
	Waits     string       // why a person is asked; "" when nobody is
	Gate      int          // the number of the gate; 0 where it waits for another reason
	Decisions []loop.Decision
	State     loop.State // that the question is about
	Notes     []string   // what people should know of it, a sentence each
	Problem   string     // why the record that is shown is not to be believed, or there is none
	Happened  []FleetLine
}

// FleetLine is something that happened to a task.
type FleetLine struct {
	Time time.Time
	Text string
}

// Resume is the decision that continues a task that was cancelled, or that no worker could do.
const Resume loop.Decision = "resume"

// mark is app.Service.Mark, with what the fleet knows.
func (r Repository) mark(s *app.Service, task belay.TaskID) (string, error) {
	m, err := s.RecordsStamp(task)
	if err != nil || r.Fleet == nil {
		return m, err
	}
	h := fnv.New64a()
	fmt.Fprintln(h, m, r.Fleet.Mark())
	return fmt.Sprintf("%x", h.Sum64()), nil
}

// onlyLocal refuses a page that needs the files, or the work, of this machine.
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

// rows gives the lines of tasks, with what the fleet knows of them, and the tasks that only the fleet knows.
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

// addFleetTask adds what the fleet knows of a task. The trees and merges of its record are those of another machine.
func (r *taskRow) addFleetTask(t FleetTask) {
	r.Worker, r.Notes, r.Tree, r.Unmerged = t.Worker, t.Notes, "", false
	r.Problem = cmp.Or(r.Problem, t.Problem)
	if t.Phase != "" {
		r.Phase, r.Outcome, r.Waits = t.Phase, t.Outcome, t.Waits
	}
}

// gateQuestion is the question that a task waits with, and its answers.
type gateQuestion struct {
	Number  int
	Why     string
	Choices []choice
	Over    bool // rejected work can be accepted, with a reason
	Unclear bool // it is about what the request means
}

// Reasons are those that rejected work may be accepted for.
func (gateQuestion) Reasons() []review.Category { return review.Categories() }

// newGateQuestion is the question of a task; nil when it has none. t is what the fleet knows, nil on the machine of the task.
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

// remoteTask shows a task that has no record here.
func (q *request) remoteTask(t FleetTask) error {
	return q.show("afar", string(t.ID)+" "+t.Title, struct {
		ID    belay.TaskID
		Title string
		Fleet FleetTask
		Asks  *gateQuestion
	}{t.ID, t.Title, t, newGateQuestion(nil, &t)})
}

// answer sends an answer to the task, wherever it is.
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

// sendReview sends a review, with the comments on lines that were kept here, to the task, wherever it is.
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

// refuseFilesNow refuses a comparison with files as they are now, of which there are none here.
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
