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

// Queue is the task queue that every worker polls, for work that any machine can do.
const Queue = "belay"

// BeginQueue is the task queue that a worker polls only while it has a free slot, for work that
// brings it a task. No worker's queue (QueueOf) has this name.
const BeginQueue = Queue + "-begin"

// Names of workflows, activities, updates and queries. They are in histories that outlive a version
// of the program, and must not change.
const (
	WorkflowName = "belay.task"

	BeginName  = "belay.begin"
	AdoptName  = "belay.adopt"
	DoName     = "belay.do"
	DecideName = "belay.decide"
	WakeName   = "belay.wake"

	UpdateDecide = "decide"
	UpdateCancel = "cancel"
	SignalDecide = "decide" // from a feature to its tasks
	QueryStatus  = "status"
)

// Search attributes of a task, all keywords except the cost.
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

// Setting overrides a key of the config file.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Input is a task as it was submitted.
type Input struct {
	ID       belay.TaskID `json:"id"`
	Remote   string       `json:"remote"` // the git remote, as git clone takes it
	Branch   string       `json:"branch"` // the branch that the work is for
	Base     string       `json:"base"`   // the commit that the task starts from, in full
	Prose    string       `json:"prose"`
	Ask      string       `json:"ask,omitempty"` // the part of the prose that is the request; "" is all of it
	Agent    []string     `json:"agent"`
	Role     string       `json:"role,omitempty"` // the agent's name for the record
	Feature  string       `json:"feature,omitempty"`
	Expect   []string     `json:"expect,omitempty"` // files that the task must change
	Settings []Setting    `json:"settings,omitempty"`
	Shared   []string     `json:"shared,omitempty"` // globs (belay.Match) of ignored files that may be pushed
	Author   string       `json:"author,omitempty"` // "Name <address>" of the commit of accepted work
	Lost     int          `json:"lost,omitempty"`   // lost workers after which a command is quarantined; 0 is 3

	LostAfter time.Duration `json:"lost_after_ns,omitempty"` // how long a worker may be silent; 0 is 20 s

	Listed *belay.Listed `json:"listed,omitempty"` // from its list; nil for a task that is in none

	// From is the position at which a run continues after the previous run's history became too
	// long.
	From *Position `json:"from,omitempty"`
}

// Position is the progress of a task: all that one run of the workflow passes to the next.
type Position struct {
	State  loop.State   `json:"state"`
	Policy belay.Policy `json:"policy"`
	Head   Head         `json:"head"`
	Worker string       `json:"worker"`
	Log    []Line       `json:"said"`
	Moves  int          `json:"moves"`
	Pushed bool         `json:"pushed"` // the remote has the complete record
	Commit string       `json:"commit,omitempty"`
	Sent   int64        `json:"sent,omitempty"` // bytes of packs that workers pushed, except over HTTP

	Hold  bool      `json:"hold,omitempty"`  // its feature is cancelled
	Ahead *Decision `json:"ahead,omitempty"` // decision of its feature, for the next gate

	Team    string  `json:"team,omitempty"`    // the team of its worker, of which the limits apply; "" is none
	Slot    string  `json:"slot,omitempty"`    // the command ID of the attempt that its team was asked for
	Counted float64 `json:"counted,omitempty"` // cost that its team knows of, in US dollars

	Omitted *Omitted `json:"omitted,omitempty"` // what State lacks; nil if it is complete
}

// Head is the end of a task's record: the number and hash of its last entry.
type Head struct {
	Seq  int    `json:"seq"`
	Hash string `json:"hash"`
}

// Step is a recorded event, with the hash of the state after it.
type Step struct {
	Event loop.Event `json:"event"`
	Sum   string     `json:"sum"` // StateHash of the state
	Time  time.Time  `json:"time"`

	// State is set by the worker if the state, or the one before it, is too large for the server:
	// the rules cannot compute it from a part.
	State   *loop.State `json:"state,omitempty"`
	Omitted *Omitted    `json:"omitted,omitempty"` // what State lacks; nil if it is complete
	More    int         `json:"more,omitempty"`    // findings left out of Event
}

// ActivityResult is the result of an activity: what was recorded after Ask.Head.
type ActivityResult struct {
	Worker string       `json:"worker"` // the worker that has the working tree; its queue is QueueOf(Worker)
	Policy belay.Policy `json:"policy"`
	Steps  []Step       `json:"steps,omitempty"`
	Head   Head         `json:"head"`
	Notes  []string     `json:"notes,omitempty"`  // for people, one line each
	Sent   int64        `json:"sent,omitempty"`   // bytes of packs that this activity pushed
	Pushed bool         `json:"pushed"`           // the remote has the record up to Head, with its snapshots
	Commit string       `json:"commit,omitempty"` // accepted work, on BranchOf on the remote
	Team   string       `json:"team,omitempty"`   // the team in the worker's file; "" is none
}

// Ask is the input of an activity.
type Ask struct {
	Task     Input         `json:"task"`
	Head     Head          `json:"head"`              // the last entry that the workflow knows
	Partial  bool          `json:"partial,omitempty"` // the workflow has only a part of the state
	Command  loop.Command  `json:"command,omitzero"`  // for DoName
	Decision loop.Event    `json:"decision,omitzero"` // for DecideName
	Review   Decision      `json:"review,omitzero"`   // for DecideName, instead of Decision
	Beat     time.Duration `json:"beat,omitempty"`
	Slot     Slot          `json:"slot,omitzero"` // for SlotName
}

// Decision is a person's answer at a gate: a decision or, with a Verdict, a review of the work.
type Decision struct {
	Gate     int             `json:"gate,omitempty"` // its number; 0 is the open one
	Decision loop.Decision   `json:"decision"`
	Note     string          `json:"note,omitempty"` // for a review: its full text, as app.CommentsText writes it
	By       string          `json:"by,omitempty"`
	Category review.Category `json:"category,omitempty"` // for approve of rejected work: why the rejection does not apply
	Verdict  string          `json:"verdict,omitempty"`  // for a review: Approve or Reject
}

// Verdicts of a review.
const (
	Approve = "approve"
	Reject  = "reject"
)

// MaxNote limits the text of a decision or a review, in bytes: it is in a history, of which the
// server limits the size.
const MaxNote = 256 << 10

// Fits rejects a decision with more text than the server takes. there is the size of the text that
// is already in the history.
func (d Decision) Fits(there int) error {
	if n := there + len(d.Note) + len(d.By); n > MaxNote {
		return fmt.Errorf("the text has %s, and the limit is %s: put long material into a file", belay.Size(int64(n)), belay.Size(MaxNote))
	}
	return nil
}

// toEvent returns the event of a decision at a gate. For a review it has what the rules need; the
// worker with the working tree finds more places in the text.
//
// The event of a payload without a Category and a Verdict must never change: such payloads are in
// histories.
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
	return e, nil // the rules reject it without a verdict
}

// Resume is the decision that continues a task that was cancelled, or that no worker could do.
const Resume loop.Decision = "resume"

// Cancel is what a cancelled feature signals to its tasks: stop the agent, save its work, wait.
const Cancel loop.Decision = "cancel"

// Line is something that happened to a task, for people.
type Line struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// Status is the current state of a task.
type Status struct {
	Task     Input       `json:"task"`
	Phase    string      `json:"phase"` // loop.Phase, or PhaseQuarantined
	Outcome  string      `json:"outcome,omitempty"`
	Why      string      `json:"why,omitempty"`
	Worker   string      `json:"worker,omitempty"`
	Attempts int         `json:"attempts"`
	Retries  int         `json:"retries"`
	Moves    int         `json:"moves"` // how often it continued on another machine
	Gate     *loop.Gate  `json:"gate,omitempty"`
	Waits    string      `json:"waits,omitempty"` // why it waits for a slot or a worker
	Use      belay.Use   `json:"use"`
	Head     Head        `json:"head"`
	Unpushed bool        `json:"unpushed,omitempty"` // the remote lacks a part of the record
	Sent     int64       `json:"sent,omitempty"`     // bytes of packs that workers pushed, except over HTTP
	Lines    []Line      `json:"lines"`
	State    *loop.State `json:"state,omitempty"`
	Omitted  *Omitted    `json:"omitted,omitempty"` // what State lacks and the record has; nil if it is complete
}

// OmittedNote states what is missing from the state, and where it is; "" if nothing is.
func (st Status) OmittedNote() string {
	switch {
	case st.Omitted == nil:
		return ""
	case st.Unpushed:
		return fmt.Sprintf("%s are only in the record, which worker %s has", st.Omitted, st.Worker)
	}
	return fmt.Sprintf("%s are only in the record, %s on the remote", st.Omitted, RecordRef(st.Task.ID))
}

// RefPrefix is the prefix of tasks' refs on a remote: the record of each is RecordRef, its
// snapshots are beside it.
const RefPrefix = "refs/belay/fleet/"

// RecordRef names the ref of a task's record.
func RecordRef(id belay.TaskID) string { return RefPrefix + id.Key() + "/record" }

// PhaseWaiting is the phase of a task that waits for the limits of its team.
const PhaseWaiting = "waiting"

// PhaseQuarantined is the phase of a task that waits for a person: several workers were lost with
// its command, a command cannot be retried, or somebody cancelled it before its agent began.
const PhaseQuarantined = "quarantined"

// Result is how a task ended.
type Result struct {
	Outcome  loop.Outcome `json:"outcome"`
	Why      string       `json:"why,omitempty"`
	Attempts int          `json:"attempts"`
	Moves    int          `json:"moves"`
	Head     Head         `json:"head"`
	Branch   string       `json:"branch,omitempty"` // with the accepted work, on the remote
	Commit   string       `json:"commit,omitempty"`
	Cost     float64      `json:"cost,omitempty"`
}

// waitsForWorker is Status.Waits of a task without a worker.
const waitsForWorker = "for a worker with a free slot"

// QueueOf returns the task queue that only this worker polls.
func QueueOf(worker string) string { return Queue + "/" + worker }

// WorkflowID names a task's workflow: an ID is unique within a remote.
func WorkflowID(remote string, id belay.TaskID) string {
	return fmt.Sprintf("belay/%s/%s", RepositoryKey(remote), id.Key())
}

// RepositoryKey is a short name for a remote that is valid in paths, refs and queries: the last
// part of its address and a hash of the address.
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

// SlimEvent removes the texts that no rule of the loop reads from an event: they are long, a
// history would be full of them, and the record has them.
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

// StateHash is a hash of a state without what SlimEvent removes: the same events give the same hash
// in the workflow and on a machine.
func StateHash(s loop.State) (string, error) {
	sum, _, err := stateHash(s)
	return sum, err
}

// stateHash is StateHash, with the size of the state in bytes of JSON.
func stateHash(s loop.State) (name string, size int, err error) {
	text, err := json.Marshal(slimState(s))
	if err != nil {
		return "", 0, fmt.Errorf("sum of a state: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), len(text), nil
}
