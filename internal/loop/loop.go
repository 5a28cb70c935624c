package loop

import (
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Phase says what the task is waiting for.
type Phase string

// The phases. Every phase but new, gate and closed has exactly one command
// outstanding.
const (
	PhaseNew      Phase = "new"      // nothing has happened
	PhaseSnapshot Phase = "snapshot" // the state before is being held
	PhaseBaseline Phase = "baseline" // tests run on the state before
	PhaseAttempt  Phase = "attempt"  // the agent works
	PhaseCapture  Phase = "capture"  // what it left is being held
	PhaseCheck    Phase = "check"    // facts are being gathered
	PhaseReview   Phase = "review"   // a reviewer reads
	PhaseRestore  Phase = "restore"  // the state before is put back
	PhaseDebug    Phase = "debug"    // a debugger looks for the root cause
	PhaseGate     Phase = "gate"     // a person decides
	PhaseClosing  Phase = "closing"  // the record is being closed
	PhaseClosed   Phase = "closed"   // done; Outcome says how
)

// Outcome is how a task ended.
type Outcome string

// The outcomes; OutcomeNone while the task is open.
const (
	OutcomeNone    Outcome = ""
	OutcomePassed  Outcome = "passed"
	OutcomeSkipped Outcome = "skipped" // refused work put back, recorded as a known issue
	OutcomeAborted Outcome = "aborted" // a person gave up; put back
	OutcomeFailed  Outcome = "failed"  // the loop gave up; put back
)

// CommandKind is a kind of command for the driver.
type CommandKind string

// The commands. Each is safe to do again with the same id.
const (
	CmdSnapshot CommandKind = "snapshot" // hold the present as the state before
	CmdBaseline CommandKind = "baseline" // run the tests on the state before
	CmdAttempt  CommandKind = "attempt"  // run the agent
	CmdCapture  CommandKind = "capture"  // hold what the attempt left (after, or stall)
	CmdCheck    CommandKind = "check"    // judge the capture by facts
	CmdReview   CommandKind = "review"   // have the capture reviewed
	CmdRestore  CommandKind = "restore"  // put the state before back, after a rescue
	CmdDebug    CommandKind = "debug"    // ask the debugger for the root cause
	CmdClose    CommandKind = "close"    // finish the record
)

// PromptKind is the kind of prompt that an attempt starts with.
type PromptKind string

// The prompts.
const (
	PromptFull     PromptKind = "full"     // the task, first attempt
	PromptRetry    PromptKind = "retry"    // tree rolled back: task, all feedback, last diff
	PromptRepair   PromptKind = "repair"   // tree kept: what to fix, and the task
	PromptContinue PromptKind = "continue" // tree kept: the attempt before was interrupted or lost
	PromptStall    PromptKind = "stall"    // tree kept: the attempt before went round in circles
)

// Command is one thing for the driver to do. Its ID depends only on the state that issued it:
// running the command again under the same ID must have no second effect.
type Command struct {
	ID      string      `json:"id"`
	Kind    CommandKind `json:"kind"`
	Attempt int         `json:"attempt,omitempty"`
	Prompt  PromptKind  `json:"prompt,omitempty"`  // for attempt
	Capture belay.Kind  `json:"capture,omitempty"` // for capture: after or stall
	// for restore: the state to put back; for baseline, check, review, debug: what to look at
	Target belay.SnapshotID `json:"target,omitempty"`
	Why    string           `json:"why,omitempty"`     // one line for people and the record
	Wait   time.Duration    `json:"wait_ns,omitempty"` // for attempt: how long to wait first

	Session belay.AgentSession `json:"session,omitzero"` // for attempt: the agent's session to continue
}

// Ended says how an agent's process ended.
type Ended string

// How an attempt ends.
const (
	EndedExit    Ended = "exit"    // by itself, with Exit
	EndedTimeout Ended = "timeout" // at the attempt's time limit
	EndedStopped Ended = "stopped" // by a person: cancelled
	EndedStalled Ended = "stalled" // by belay, going round in circles
	EndedLimit   Ended = "limit"   // by belay, at a limit of cost or tokens
	EndedLost    Ended = "lost"    // with the machine or the shim; no result
)

// EventKind is a kind of event that can happen to a task.
type EventKind string

// The events. Results carry the id of the command they answer.
const (
	EvStarted   EventKind = "started"   // the task begins
	EvSnapshot  EventKind = "snapshot"  // result: Snapshot
	EvBaseline  EventKind = "baseline"  // result: Note says what was found or why nothing
	EvAttempted EventKind = "attempted" // result: Ended exit or timeout
	EvCaptured  EventKind = "captured"  // result: Snapshot
	EvChecked   EventKind = "checked"   // result: Verdict, Findings
	EvReviewed  EventKind = "reviewed"  // result: Verdict, Findings
	EvRestored  EventKind = "restored"  // result: Snapshot is the rescue
	EvDebugged  EventKind = "debugged"  // result: Note is the root cause
	EvClosed    EventKind = "closed"    // result
	EvStalled   EventKind = "stalled"   // result of an attempt that was ended for going in circles
	EvLimited   EventKind = "limited"   // result of an attempt that was ended at a limit: Note names it
	EvLost      EventKind = "lost"      // result of an attempt that died with its runner
	EvBroken    EventKind = "broken"    // result of any command that could not be done: Note says why
	EvCancelled EventKind = "cancelled" // a person stopped the run
	EvResumed   EventKind = "resumed"   // a person runs it on after a cancel
	EvUnclear   EventKind = "unclear"   // the words can be read in several ways, and a person is to say which: Note says them
	EvDecided   EventKind = "decided"   // a person decided at the gate
	EvVerdict   EventKind = "verdict"   // somebody reviewed the work: Verdict, Findings, Report, By
	EvSubmitted EventKind = "submitted" // accepted work is put before a person
	EvOverruled EventKind = "overruled" // a person accepts work over a rejection: Note says why
	EvRetested  EventKind = "retested"  // the task has another test command, and it ran on the state before: Note, Report
)

// Decision is a person's answer at a gate.
type Decision string

// The decisions.
const (
	DecideDebug   Decision = "diagnose" // find the root cause, then try again with it
	DecideGuide   Decision = "guide"    // try again with these words
	DecideRetry   Decision = "retry"    // try again as it is
	DecideSkip    Decision = "skip"     // put back, record a known issue, go on
	DecideAbort   Decision = "abort"    // put back and stop
	DecideRecheck Decision = "recheck"  // I changed it by hand: judge it
	DecideAsItIs  Decision = "as-it-is" // run words that are in doubt as they are written
	DecideApprove Decision = "approve"  // accept the work over its refusal; the words say why
)

// Event is something that happened. Which fields count depends on Kind.
type Event struct {
	Kind      EventKind        `json:"kind"`
	Command   string           `json:"command,omitempty"` // the id of the command this answers
	Snapshot  belay.SnapshotID `json:"snapshot,omitempty"`
	Ended     Ended            `json:"ended,omitempty"`
	Exit      int              `json:"exit,omitempty"`
	Transient bool             `json:"transient,omitempty"`  // attempted: the agent failed for a reason that passes, like a rate limit
	Blocked   string           `json:"blocked,omitempty"`    // attempted: why the agent could not work; a person has to change that
	Same      bool             `json:"same,omitempty"`       // captured: the attempt left the same files as the one before
	Elapsed   time.Duration    `json:"elapsed_ns,omitempty"` // of the attempt
	belay.Use                  // what the agent, the reviewer or the debugger used
	Log       string           `json:"log,omitempty"`  // attachment with the output
	Sent      string           `json:"sent,omitempty"` // attachment with the prompt that the agent was sent
	Verdict   belay.Verdict    `json:"verdict,omitempty"`
	Findings  []belay.Finding  `json:"findings,omitempty"` // those that refuse, and questions; warnings stay in the report
	Report    string           `json:"report,omitempty"`   // attachment with the whole report
	Kept      []string         `json:"kept,omitempty"`     // restored: paths left alone, with the reason
	Note      string           `json:"note,omitempty"`
	Pointer   string           `json:"pointer,omitempty"` // verdict: the review cycle
	RollBack  bool             `json:"back,omitempty"`    // verdict: what is rejected is put back, not fixed
	Gate      int              `json:"gate,omitempty"`    // decided: the number of the gate it answers
	Decision  Decision         `json:"decision,omitempty"`
	By        string           `json:"by,omitempty"` // decided, cancelled: who
	// FeatureRetries is how many retries the whole feature has used, this task's
	// excluded, and FeatureLimit the most it may use (0: none). They arrive with
	// checked and reviewed events.
	FeatureRetries int `json:"feature_retries,omitempty"`
	FeatureLimit   int `json:"feature_limit,omitempty"`

	Session belay.AgentSession `json:"session,omitzero"` // results of an attempt: the agent's session
}

// GateKind is the reason for which a person is asked.
type GateKind string

// The reasons for a gate.
const (
	GateRetries   GateKind = "retries"   // automatic retries used up
	GateLimit     GateKind = "limit"     // a limit named in Why was reached
	GateUnknown   GateKind = "unknown"   // the work could not be judged
	GateBroken    GateKind = "broken"    // a command could not be done
	GateLost      GateKind = "lost"      // attempts kept getting lost
	GateCancelled GateKind = "cancelled" // a person stopped the run
	GateClarify   GateKind = "clarify"   // the task's words can be read in more than one way
	GateQuestion  GateKind = "question"  // the work is right or wrong by its purpose, which a person knows
	GateRecheck   GateKind = "recheck"   // what a person had judged again was refused again
	GateReview    GateKind = "review"    // what passed waits for a person's review
)

// Gate is an open question to a person.
type Gate struct {
	Number  int         `json:"number"` // counts from 1 within the task
	Kind    GateKind    `json:"kind"`
	Why     string      `json:"why"`              // one line
	Options []Decision  `json:"options"`          // what Step accepts now
	Broken  CommandKind `json:"broken,omitempty"` // for GateBroken: what could not be done
}

// Attempt is the record of one attempt.
type Attempt struct {
	N         int           `json:"n"`
	Prompt    PromptKind    `json:"prompt"`
	Ended     Ended         `json:"ended,omitempty"`
	Exit      int           `json:"exit,omitempty"`
	Transient bool          `json:"transient,omitempty"` // the agent failed for a reason that passes
	Blocked   string        `json:"blocked,omitempty"`   // why the agent could not work
	Elapsed   time.Duration `json:"elapsed_ns,omitempty"`
	belay.Use
	Log      string           `json:"log,omitempty"`
	Sent     string           `json:"sent,omitempty"`     // attachment with the prompt
	Snapshot belay.SnapshotID `json:"snapshot,omitempty"` // what it left
	Verdict  belay.Verdict    `json:"verdict,omitempty"`
	Report   string           `json:"report,omitempty"`
	Findings []belay.Finding  `json:"findings,omitempty"`
	Then     string           `json:"then,omitempty"`   // accepted, repair, rollback, gate, …
	Rescue   belay.SnapshotID `json:"rescue,omitempty"` // the rescue of the rollback that followed
	Kept     []string         `json:"kept,omitempty"`
	Guidance string           `json:"guidance,omitempty"` // a person's or a debugger's words this attempt started with
	Review   string           `json:"review,omitempty"`   // attachment with the reviewer's whole report
	Reviewer string           `json:"reviewer,omitempty"` // who rejected it at a gate or after
	Approved []string         `json:"approved,omitempty"` // the persons who approved it
	Note     string           `json:"note,omitempty"`     // one line: why it stalled, was lost, broke or could not be judged

	Session belay.AgentSession `json:"session,omitzero"` // the agent's, which a later attempt may continue
}

// What followed an attempt, as Attempt.Then says it.
const (
	ThenAccepted = "accepted" // it passed
	ThenRepair   = "repair"   // again, on the kept tree
	ThenRollback = "rollback" // again, after the state before was put back
	ThenContinue = "continue" // again on the kept tree: it was stopped, lost or could not be run
	ThenRecover  = "recover"  // again on the kept tree, told that it went round in circles
	ThenDebug    = "debug"    // the debugger looked into it
	ThenRecheck  = "recheck"  // a person had its tree judged again
	ThenGate     = "gate"     // a person is asked
	ThenSkipped  = "skipped"  // put back, recorded as a known issue
	ThenAborted  = "aborted"  // put back, given up by a person
	ThenFailed   = "failed"   // put back, given up by the loop
)

// Next is an attempt that is decided but not started, because the tree is being restored, or
// the run was stopped before it. Its record does not exist yet, so nothing is counted for it.
type Next struct {
	Prompt   PromptKind    `json:"prompt"`
	Auto     bool          `json:"auto,omitempty"` // an automatic retry: it uses one of Policy.Retries
	Guidance string        `json:"guidance,omitempty"`
	Wait     time.Duration `json:"wait_ns,omitempty"`
	Review   bool          `json:"review,omitempty"` // it follows a review that refused and uses no retry
}

// State is the state of a task. The zero State is treated as PhaseNew. States are values: Step
// never changes its argument.
type State struct {
	Phase     Phase            `json:"phase"`
	Seq       int              `json:"seq"` // events applied; makes command ids
	Outcome   Outcome          `json:"outcome,omitempty"`
	Why       string           `json:"why,omitempty"` // of the outcome
	Pending   *Command         `json:"pending,omitempty"`
	Before    belay.SnapshotID `json:"before,omitempty"`
	Attempts  []Attempt        `json:"attempts,omitempty"`
	Allowed   int              `json:"allowed,omitempty"`   // attempts allowed so far: 1 + retries + what people granted
	Retries   int              `json:"retries,omitempty"`   // automatic retries used
	Reviewed  int              `json:"reviewed,omitempty"`  // attempts after a review that refused, which used no retry
	Rollbacks int              `json:"rollbacks,omitempty"` // restores done [000 rollback_count]
	Stalls    int              `json:"stalls,omitempty"`
	Losts     int              `json:"losts,omitempty"`
	Elapsed   time.Duration    `json:"elapsed_ns,omitempty"` // of all attempts
	belay.Use                  // of all attempts, reviews and searches for a cause
	Gates     int              `json:"gates,omitempty"`
	Gate      *Gate            `json:"gate,omitempty"`
	Parking   bool             `json:"parking,omitempty"` // cancelled while a command was under way: park after it
	Ending    Outcome          `json:"ending,omitempty"`  // the outcome being closed with
	Decisions []Decided        `json:"decisions,omitempty"`
	Answer    string           `json:"answer,omitempty"` // what a person said is meant, before the task began

	// Parked is the command held at a gate: what a resume after a cancel, or a guide
	// after a broken command, goes on with. It has no ID until it is issued again.
	Parked     *Command `json:"parked,omitempty"`
	Next       *Next    `json:"next,omitempty"`
	Rechecking bool     `json:"rechecking,omitempty"` // the verdict under way was asked for by a person

	// Granted is what was used when an attempt began although a limit was reached: a
	// person wanted it, and it may use as much again.
	Granted *belay.Use `json:"granted,omitempty"`

	Baseline string `json:"baseline,omitempty"` // what the tests on the state before said

	BaselineReport string `json:"baseline_report,omitempty"` // sha256 of the attachment with all of it
}

// Decided is one answer a person gave, for the record.
type Decided struct {
	Gate     int      `json:"gate"`
	Decision Decision `json:"decision"`
	Note     string   `json:"note,omitempty"`
	By       string   `json:"by,omitempty"`
}
