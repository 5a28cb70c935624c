package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"
)

// Queue is the task queue that every worker polls: work that any machine can do.
const Queue = "belay"

// BeginQueue is the task queue that a worker polls only while it has a free slot: work that brings it a task. Its name is no
// worker's (QueueOf).
const BeginQueue = Queue + "-begin"

// The names that workflows, activities, updates and queries go by. They are in histories that outlive a
// version of the program, and must not change.
const (
	WorkflowName = "belay.task"

	BeginName  = "belay.begin"
	AdoptName  = "belay.adopt"
	DoName     = "belay.do"
	DecideName = "belay.decide"
	WakeName   = "belay.wake"

	UpdateDecide = "decide"
	UpdateCancel = "cancel"
	SignalDecide = "decide" // of a feature to its tasks
	QueryStatus  = "status"
)

// The search attributes of a task, all keywords but the cost.
const (
	AttrRepository = "BelayRepository"
	AttrTask       = "BelayTask"
	AttrFeature    = "BelayFeature"
	AttrAgent      = "BelayAgent"
	AttrPhase      = "BelayPhase"   // loop.Phase, or quarantined
	AttrOutcome    = "BelayOutcome" // loop.Outcome; "" while the task is open
	AttrWorker     = "BelayWorker"
	AttrCost       = "BelayCost" // US dollars, as agents report it
)

// Setting is a key of the config file with a value that wins over the file's.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Input is a task as it was submitted.
type Input struct {
	ID       belay.TaskID `json:"id"`
	Remote   string       `json:"remote"` // the git remote: what git clone takes
	Branch   string       `json:"branch"` // the branch that the work is for
	Base     string       `json:"base"`   // the commit that the task starts from, in full
	Prose    string       `json:"prose"`
	Ask      string       `json:"ask,omitempty"` // of the prose, what says what is to be done; "" is all of it
	Agent    []string     `json:"agent"`
	Role     string       `json:"role,omitempty"` // the agent's name for the record
	Feature  string       `json:"feature,omitempty"`
	Expect   []string     `json:"expect,omitempty"` // files that must be among the changed ones
	Settings []Setting    `json:"settings,omitempty"`
	Shared   []string     `json:"shared,omitempty"` // globs (belay.Match) of ignored files that may go to the remote
	Author   string       `json:"author,omitempty"` // "Name <address>" of the commit of accepted work
	Lost     int          `json:"lost,omitempty"`   // workers that one command may lose before it is quarantined; 0 is 3

	LostAfter time.Duration `json:"lost_after_ns,omitempty"` // how long a worker may be silent; 0 is 20 s

	Listed *belay.Listed `json:"listed,omitempty"` // what its list says of it; nil for a task that is in none

	// From is where a task goes on whose history became too long for one run.
	From *Position `json:"from,omitempty"`
}

// Position is how far a task has come: all that one run of the workflow hands on to the next.
type Position struct {
	State  loop.State   `json:"state"`
	Policy belay.Policy `json:"policy"`
	Head   Head         `json:"head"`
	Worker string       `json:"worker"`
	Log    []Line       `json:"said"`
	Moves  int          `json:"moves"`
	Pushed bool         `json:"pushed"` // the remote has all of it
	Commit string       `json:"commit,omitempty"`
	Sent   int64        `json:"sent,omitempty"` // bytes of packs that workers pushed, but for those over HTTP

	Hold  bool      `json:"hold,omitempty"`  // its feature is cancelled
	Ahead *Decision `json:"ahead,omitempty"` // of its feature, for the next gate

	Team    string  `json:"team,omitempty"`    // whose limits count, as its worker says; "" is nobody's
	Slot    string  `json:"slot,omitempty"`    // the attempt that its team was asked for, by its command
	Counted float64 `json:"counted,omitempty"` // what its team knows of its cost, in US dollars

	Omitted *Omitted `json:"omitted,omitempty"` // what State has not; nil where it is whole
}

// Head is the end of a task's record: the number of its last entry, and that entry's hash.
type Head struct {
	Seq  int    `json:"seq"`
	Hash string `json:"hash"`
}

// Step is an event that was recorded, and what is known of the state that it led to.
type Step struct {
	Event loop.Event `json:"event"`
	Sum   string     `json:"sum"` // of the state, by Sum
	Time  time.Time  `json:"time"`

	// Of a state that is too large for the server, or follows one, the worker says what it is: the rules need all of it.
	State   *loop.State `json:"state,omitempty"`
	Omitted *Omitted    `json:"omitted,omitempty"` // what State has not; nil where it is whole
	More    int         `json:"more,omitempty"`    // findings that Event has not
}

// ActivityResult is what an activity says of a task: what was recorded since the entry that it was asked from.
type ActivityResult struct {
	Worker string       `json:"worker"` // whose machine has the working tree; its queue is QueueOf(Worker)
	Policy belay.Policy `json:"policy"`
	Steps  []Step       `json:"steps,omitempty"`
	Head   Head         `json:"head"`
	Notes  []string     `json:"notes,omitempty"`  // for people, one line each
	Sent   int64        `json:"sent,omitempty"`   // bytes of packs that were pushed with this
	Pushed bool         `json:"pushed"`           // the remote has the record up to Head, and the snapshots that it names
	Commit string       `json:"commit,omitempty"` // of accepted work, on BranchOf on the remote
	Team   string       `json:"team,omitempty"`   // whose limits count, by the worker's file; "" is nobody's
}

// Ask is what an activity is asked to do for a task.
type Ask struct {
	Task     Input         `json:"task"`
	Head     Head          `json:"head"`              // how far the workflow knows the record
	Partial  bool          `json:"partial,omitempty"` // the state that it knows is not whole
	Command  loop.Command  `json:"command,omitzero"`  // of DoName
	Decision loop.Event    `json:"decision,omitzero"` // of DecideName
	Review   Decision      `json:"review,omitzero"`   // of DecideName, in the place of Decision
	Beat     time.Duration `json:"beat,omitempty"`
	Slot     Slot          `json:"slot,omitzero"` // of SlotName
}

// Decision is a person's answer at a gate: a decision or, with a Verdict, a review of the work.
type Decision struct {
	Gate     int             `json:"gate,omitempty"` // its number; 0 is whichever is open
	Decision loop.Decision   `json:"decision"`
	Note     string          `json:"note,omitempty"` // of a review: all of it, in the form that app.CommentsText writes
	By       string          `json:"by,omitempty"`
	Category review.Category `json:"category,omitempty"` // of approve: why the rejection does not apply, where there is one
	Verdict  string          `json:"verdict,omitempty"`  // of a review: Approve or Reject
}

// The verdicts of a review.
const (
	Approve = "approve"
	Reject  = "reject"
)

// MaxNote is how long the text of a decision or a review may be, in bytes: it is in a history, which the server limits.
const MaxNote = 256 << 10

// Fits refuses a decision with more text than goes through the server, beside what is there already.
func (d Decision) Fits(there int) error {
	if n := there + len(d.Note) + len(d.By); n > MaxNote {
		return fmt.Errorf("the text has %s, and the limit is %s: put long material into a file", belay.Size(int64(n)), belay.Size(MaxNote))
	}
	return nil
}

// toEvent is the event that a decision leads to at a gate. Of a review it is what the rules need to know; the machine that
// has the work finds more places in its text.
//
// What it gives for payloads without a Category and a Verdict never changes: histories have those.
func (d Decision) toEvent(g loop.Gate) (loop.Event, error) {
	e := loop.Event{Kind: loop.EvDecided, Gate: g.Number, Decision: d.Decision, Note: d.Note, By: d.By}
	if d.Decision == loop.DecideApprove && d.Verdict == "" && d.Category != "" && g.Overrides() {
		why, err := review.Decide(d.Category, nil, d.Note)
		e.Note = why.String()
		return e, err
	}
	if d.Verdict == "" {
		return e, nil
	}
	doc, err := review.Parse([]byte(d.Note))
	if err != nil {
		return e, err
	}
	said, err := doc.Cycle()
	if err != nil {
		return e, err
	}
	if strings.TrimSpace(doc.Body()) == "" {
		return e, errors.New("the review is empty")
	}
	e = loop.Event{Kind: loop.EvVerdict, By: d.By}
	switch d.Verdict {
	case Approve:
		e.Verdict = belay.VerdictPass
	case Reject:
		e.Verdict = belay.VerdictFail
		e.Findings = review.Findings(d.By, said.Affected, doc.Body(), nil, true)
	}
	return e, nil // without a verdict the rules refuse it
}

// Resume is the decision that goes on with a task that was cancelled, or that no worker could do.
const Resume loop.Decision = "resume"

// Cancel is what a cancelled feature tells its tasks: stop the agent, save its work, wait.
const Cancel loop.Decision = "cancel"

// Line is something that happened to a task, for people.
type Line struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// Status is where a task stands.
type Status struct {
	Task     Input       `json:"task"`
	Phase    string      `json:"phase"` // loop.Phase, or PhaseQuarantined
	Outcome  string      `json:"outcome,omitempty"`
	Why      string      `json:"why,omitempty"`
	Worker   string      `json:"worker,omitempty"`
	Attempts int         `json:"attempts"`
	Retries  int         `json:"retries"`
	Moves    int         `json:"moves"` // how often it went on on another machine
	Gate     *loop.Gate  `json:"gate,omitempty"`
	Waits    string      `json:"waits,omitempty"` // for a slot: why
	Use      belay.Use   `json:"use"`
	Head     Head        `json:"head"`
	Unpushed bool        `json:"unpushed,omitempty"` // the remote has not all of the record
	Sent     int64       `json:"sent,omitempty"`     // bytes of packs that workers pushed, but for those over HTTP
	Lines    []Line      `json:"lines"`
	State    *loop.State `json:"state,omitempty"`
	Omitted  *Omitted    `json:"omitted,omitempty"` // what State has not, and the record has; nil where it is whole
}

// OmittedNote says what of the state is not here, and where it is; "" when all of it is here.
func (st Status) OmittedNote() string {
	switch {
	case st.Omitted == nil:
		return ""
	case st.Unpushed:
		return fmt.Sprintf("%s are only in the record, which worker %s has", st.Omitted, st.Worker)
	}
	return fmt.Sprintf("%s are only in the record, %s on the remote", st.Omitted, RecordRef(st.Task.ID))
}

// RefPrefix is where tasks are on a remote: the record of each in RecordRef, beside it its snapshots.
const RefPrefix = "refs/belay/fleet/"

// RecordRef names the ref of a task's record.
func RecordRef(id belay.TaskID) string { return RefPrefix + id.Key() + "/record" }

// PhaseWaiting says that the limits of its team keep a task from another attempt.
const PhaseWaiting = "waiting"

// PhaseQuarantined says that a command ended every worker that tried it.
const PhaseQuarantined = "quarantined"

// Result is how a task ended.
type Result struct {
	Outcome  loop.Outcome `json:"outcome"`
	Why      string       `json:"why,omitempty"`
	Attempts int          `json:"attempts"`
	Moves    int          `json:"moves"`
	Head     Head         `json:"head"`
	Branch   string       `json:"branch,omitempty"` // of the accepted work, on the remote
	Commit   string       `json:"commit,omitempty"`
	Cost     float64      `json:"cost,omitempty"`
}

// waitsForWorker is what a task waits for that no worker has.
const waitsForWorker = "for a worker with a free slot"

// QueueOf gives the task queue that one worker alone polls.
func QueueOf(worker string) string { return Queue + "/" + worker }

// WorkflowID names a task's workflow: one remote has one task of an id.
func WorkflowID(remote string, id belay.TaskID) string {
	return fmt.Sprintf("belay/%s/%s", RepositoryKey(remote), id.Key())
}

// RepositoryKey is a short name for a remote that holds in paths, refs and queries: the last part of its
// address and a hash of all of it.
func RepositoryKey(remote string) string {
	sum := sha256.Sum256([]byte(remote))
	name := strings.TrimSuffix(strings.TrimRight(remote, "/"), ".git")
	if i := strings.LastIndexAny(name, "/:"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			return '-'
		}
		return r
	}, name)
	return name[:min(len(name), 40)] + "-" + hex.EncodeToString(sum[:4])
}

// SlimEvent takes out of an event what no rule of the loop reads: long texts for people, which stay in the
// record. A history would be full of them.
func SlimEvent(e loop.Event) loop.Event {
	if len(e.Findings) == 0 {
		return e
	}
	list := slices.Clone(e.Findings)
	for i := range list {
		list[i].Detail, list[i].Recommendation = "", ""
	}
	e.Findings = list
	return e
}

// StateHash is a short name for a state, without what Slim takes out of events: two drivers that went through the
// same events have the same.
func StateHash(s loop.State) (string, error) {
	sum, _, err := stateHash(s)
	return sum, err
}

// stateHash is Sum, with the size of what it is of, in bytes of JSON.
func stateHash(s loop.State) (name string, size int, err error) {
	text, err := json.Marshal(slimState(s))
	if err != nil {
		return "", 0, fmt.Errorf("sum of a state: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), len(text), nil
}
