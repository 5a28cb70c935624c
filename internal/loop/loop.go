package loop

import (
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Phase is what the task is waiting for.
type Phase string

// Phases. Every phase except new, gate and closed has exactly one pending command.
const (
	PhaseNew      Phase = "new"      // not started
	PhaseSnapshot Phase = "snapshot" // the before snapshot is taken
	PhaseBaseline Phase = "baseline" // the tests run on the before snapshot
	PhaseAttempt  Phase = "attempt"  // the agent runs
	PhaseCapture  Phase = "capture"  // the after snapshot is taken
	PhaseCheck    Phase = "check"    // the checks run
	PhaseReview   Phase = "review"   // reviewers run
	PhaseRestore  Phase = "restore"  // the before snapshot is restored
	PhaseDebug    Phase = "debug"    // the debugger looks for the root cause
	PhaseGate     Phase = "gate"     // a person must decide
	PhaseClosing  Phase = "closing"  // the record is being closed
	PhaseClosed   Phase = "closed"   // ended, with an Outcome
)

// Outcome is how a task ended.
type Outcome string

// Outcomes; OutcomeNone while the task is open.
const (
	OutcomeNone    Outcome = ""
	OutcomePassed  Outcome = "passed"
	OutcomeSkipped Outcome = "skipped" // rolled back, recorded as a known issue
	OutcomeAborted Outcome = "aborted" // rolled back, a person gave up
	OutcomeFailed  Outcome = "failed"  // rolled back, the loop gave up
)

// CommandKind is a kind of command for the driver.
type CommandKind string

// Commands. Each may be repeated with the same ID.
const (
	CmdSnapshot CommandKind = "snapshot" // take the before snapshot
	CmdBaseline CommandKind = "baseline" // run the tests on the before snapshot
	CmdAttempt  CommandKind = "attempt"  // run the agent
	CmdCapture  CommandKind = "capture"  // take a snapshot of the attempt's result (after, or stall)
	CmdCheck    CommandKind = "check"    // run the checks on the capture
	CmdReview   CommandKind = "review"   // run the reviewers on the capture
	CmdRestore  CommandKind = "restore"  // take a rescue snapshot and restore the before snapshot
	CmdDebug    CommandKind = "debug"    // ask the debugger for the root cause
	CmdClose    CommandKind = "close"    // finish the record
)

// PromptKind is the kind of prompt that an attempt starts with.
type PromptKind string

// Kinds of prompts.
const (
	PromptFull     PromptKind = "full"     // the task, first attempt
	PromptRetry    PromptKind = "retry"    // tree rolled back: task, all feedback, last diff
	PromptRepair   PromptKind = "repair"   // tree kept: what to fix, and the task
	PromptContinue PromptKind = "continue" // tree kept: the previous attempt was interrupted or lost
	PromptStall    PromptKind = "stall"    // tree kept: the previous attempt stalled
)

// Command is one step for the driver. Its ID depends only on the state that issued it: running the
// command again under the same ID must have no second effect.
type Command struct {
	ID      string      `json:"id"`
	Kind    CommandKind `json:"kind"`
	Attempt int         `json:"attempt,omitempty"`
	Prompt  PromptKind  `json:"prompt,omitempty"`  // for attempt
	Capture belay.Kind  `json:"capture,omitempty"` // for capture: after or stall
	// for restore: the snapshot to restore; for baseline, check, review, debug: the snapshot to
	// examine
	Target belay.SnapshotID `json:"target,omitempty"`
	Why    string           `json:"why,omitempty"`     // one line for people and the record
	Wait   time.Duration    `json:"wait_ns,omitempty"` // for attempt: how long to wait first

	Session belay.AgentSession `json:"session,omitzero"` // for attempt: the agent's session to continue
}

// Ended is how an agent's process ended.
type Ended string

// The ways in which an attempt ends.
const (
	EndedExit    Ended = "exit"    // the agent exited with Exit
	EndedTimeout Ended = "timeout" // the attempt's time limit
	EndedStopped Ended = "stopped" // stopped by a person
	EndedStalled Ended = "stalled" // stopped by belay because of a stall
	EndedLimit   Ended = "limit"   // stopped by belay at a limit of cost or tokens
	EndedLost    Ended = "lost"    // the machine or the shim died; no result
)

// EventKind is a kind of event that can happen to a task.
type EventKind string

// Events. Results carry the ID of the command that they answer.
const (
	EvStarted   EventKind = "started"   // the task begins
	EvSnapshot  EventKind = "snapshot"  // result: Snapshot
	EvBaseline  EventKind = "baseline"  // result: Note summarizes the tests or the reason for none
	EvAttempted EventKind = "attempted" // result: Ended exit or timeout
	EvCaptured  EventKind = "captured"  // result: Snapshot
	EvChecked   EventKind = "checked"   // result: Verdict, Findings
	EvReviewed  EventKind = "reviewed"  // result: Verdict, Findings
	EvRestored  EventKind = "restored"  // result: Snapshot is the rescue
	EvDebugged  EventKind = "debugged"  // result: Note is the root cause
	EvClosed    EventKind = "closed"    // result
	EvStalled   EventKind = "stalled"   // result of an attempt that was stopped for a stall
	EvLimited   EventKind = "limited"   // result of an attempt that was stopped at a limit: Note names it
	EvLost      EventKind = "lost"      // result of an attempt that died with its shim
	EvBroken    EventKind = "broken"    // result of any command that failed: Note says why
	EvCancelled EventKind = "cancelled" // a person stopped the run
	EvResumed   EventKind = "resumed"   // a person continues a stopped run
	EvUnclear   EventKind = "unclear"   // the task is ambiguous and a person must explain it: Note lists the ambiguities
	EvDecided   EventKind = "decided"   // a person decided at the gate
	EvVerdict   EventKind = "verdict"   // a review of the work: Verdict, Findings, Report, By
	EvSubmitted EventKind = "submitted" // accepted work is submitted to a person
	EvOverruled EventKind = "overruled" // a person accepts rejected work: Note says why
	EvRetested  EventKind = "retested"  // the task has another test command, which ran on the before snapshot: Note, Report
)

// Decision is a person's answer at a gate.
type Decision string

// Decisions.
const (
	DecideDebug   Decision = "diagnose" // find the root cause, then retry with it
	DecideGuide   Decision = "guide"    // retry with these instructions
	DecideRetry   Decision = "retry"    // retry without instructions
	DecideSkip    Decision = "skip"     // roll back, record a known issue, continue
	DecideAbort   Decision = "abort"    // roll back and stop
	DecideRecheck Decision = "recheck"  // check a person's own edits
	DecideAsItIs  Decision = "as-it-is" // run an ambiguous task as written
	DecideApprove Decision = "approve"  // accept the work despite its rejection, for the reason given
)

// Event is something that happened to a task. Kind determines which fields are used.
type Event struct {
	Kind      EventKind        `json:"kind"`
	Command   string           `json:"command,omitempty"` // the ID of the command that it answers
	Snapshot  belay.SnapshotID `json:"snapshot,omitempty"`
	Ended     Ended            `json:"ended,omitempty"`
	Exit      int              `json:"exit,omitempty"`
	Transient bool             `json:"transient,omitempty"`  // attempted: the agent failed for a temporary reason, like a rate limit
	Blocked   string           `json:"blocked,omitempty"`    // attempted: why the agent could not work until a person changes something
	Rules     int              `json:"rules,omitempty"`      // decided: DecisionRules; 0 in records and histories of earlier versions
	Same      bool             `json:"same,omitempty"`       // captured: the attempt left the same files as the one before
	Elapsed   time.Duration    `json:"elapsed_ns,omitempty"` // of the attempt
	belay.Use                  // what the agent, the reviewer or the debugger used
	Log       string           `json:"log,omitempty"`  // attachment with the output
	Sent      string           `json:"sent,omitempty"` // attachment with the prompt that the agent was sent
	Verdict   belay.Verdict    `json:"verdict,omitempty"`
	Findings  []belay.Finding  `json:"findings,omitempty"` // rejecting findings and questions; warnings are only in the report
	Report    string           `json:"report,omitempty"`   // attachment with the complete report
	Kept      []string         `json:"kept,omitempty"`     // restored: paths left alone, with the reason
	Note      string           `json:"note,omitempty"`
	Pointer   string           `json:"pointer,omitempty"` // verdict: the review cycle
	RollBack  bool             `json:"back,omitempty"`    // verdict: roll back rejected work instead of fixing it
	Gate      int              `json:"gate,omitempty"`    // decided: the number of the gate it answers
	Decision  Decision         `json:"decision,omitempty"`
	By        string           `json:"by,omitempty"` // decided, cancelled: by whom
	// FeatureRetries is the number of retries of the feature's other tasks, and FeatureLimit the
	// maximum for the feature (0: none). They are part of checked and reviewed events.
	FeatureRetries int `json:"feature_retries,omitempty"`
	FeatureLimit   int `json:"feature_limit,omitempty"`

	Session belay.AgentSession `json:"session,omitzero"` // results of an attempt: the agent's session
}

// GateKind is the reason why a person is asked.
type GateKind string

// Kinds of gates.
const (
	GateRetries   GateKind = "retries"   // automatic retries used up
	GateLimit     GateKind = "limit"     // a limit named in Why was reached
	GateUnknown   GateKind = "unknown"   // the work could not be checked
	GateBroken    GateKind = "broken"    // a command failed
	GateLost      GateKind = "lost"      // attempts were lost repeatedly
	GateCancelled GateKind = "cancelled" // a person stopped the run
	GateClarify   GateKind = "clarify"   // the task is ambiguous
	GateQuestion  GateKind = "question"  // only a person knows whether the work serves its purpose
	GateRecheck   GateKind = "recheck"   // rejected again after a person's recheck
	GateReview    GateKind = "review"    // work that passed waits for a person's review
)

// Gate is an open question to a person.
type Gate struct {
	Number  int         `json:"number"` // counts from 1 within the task
	Kind    GateKind    `json:"kind"`
	Why     string      `json:"why"`              // the reason, on one line
	Options []Decision  `json:"options"`          // decisions that Step accepts now
	Broken  CommandKind `json:"broken,omitempty"` // for GateBroken: the command that failed
}

// Attempt is the record of one attempt.
type Attempt struct {
	N         int           `json:"n"`
	Prompt    PromptKind    `json:"prompt"`
	Ended     Ended         `json:"ended,omitempty"`
	Exit      int           `json:"exit,omitempty"`
	Transient bool          `json:"transient,omitempty"` // the agent failed for a temporary reason
	Blocked   string        `json:"blocked,omitempty"`   // why the agent could not work
	Elapsed   time.Duration `json:"elapsed_ns,omitempty"`
	belay.Use
	Log      string           `json:"log,omitempty"`
	Sent     string           `json:"sent,omitempty"`     // attachment with the prompt
	Snapshot belay.SnapshotID `json:"snapshot,omitempty"` // its result
	Verdict  belay.Verdict    `json:"verdict,omitempty"`
	Report   string           `json:"report,omitempty"`
	Findings []belay.Finding  `json:"findings,omitempty"`
	Then     string           `json:"then,omitempty"`   // accepted, repair, rollback, gate, …
	Rescue   belay.SnapshotID `json:"rescue,omitempty"` // rescue snapshot of the rollback that followed
	Kept     []string         `json:"kept,omitempty"`
	Guidance string           `json:"guidance,omitempty"` // instructions of a person or a debugger for this attempt
	Review   string           `json:"review,omitempty"`   // attachment with the complete report of the reviewers
	Reviewer string           `json:"reviewer,omitempty"` // the person who rejected it at a gate or later
	Approved []string         `json:"approved,omitempty"` // the persons who approved it
	Note     string           `json:"note,omitempty"`     // one line: why it stalled, was lost, broke or could not be checked

	Session belay.AgentSession `json:"session,omitzero"` // the agent's, which a later attempt may continue
}

// Values of Attempt.Then: what followed an attempt.
const (
	ThenAccepted = "accepted" // it passed
	ThenRepair   = "repair"   // another attempt on the kept tree
	ThenRollback = "rollback" // another attempt after a rollback
	ThenContinue = "continue" // another attempt on the kept tree: it was stopped, lost or could not be run
	ThenRecover  = "recover"  // another attempt on the kept tree, after a stall
	ThenDebug    = "debug"    // the debugger looked for the cause
	ThenRecheck  = "recheck"  // a person had its tree checked again
	ThenGate     = "gate"     // a person is asked
	ThenSkipped  = "skipped"  // rolled back, recorded as a known issue
	ThenAborted  = "aborted"  // rolled back, a person gave up
	ThenFailed   = "failed"   // rolled back, the loop gave up
)

// DecisionRules is the version of the rules by which a decision is applied. From 1 on, instructions
// for a broken command are kept for the next attempt, and a recheck ends with it. Recorded decisions
// are applied by the rules that they were made under.
const DecisionRules = 1

// Next is an attempt that was decided but not started, because the tree is being restored, or the
// run was stopped before it. It has no record yet and is not counted. Without a prompt it is not
// decided: there is guidance for it, in case there is one.
type Next struct {
	Prompt   PromptKind    `json:"prompt"`
	Auto     bool          `json:"auto,omitempty"` // an automatic retry: uses one of Policy.Retries
	Guidance string        `json:"guidance,omitempty"`
	Wait     time.Duration `json:"wait_ns,omitempty"`
	Review   bool          `json:"review,omitempty"` // it follows a rejecting review and uses no retry
}

// State is the state of a task. The zero State counts as PhaseNew. States are values: Step never
// changes its argument.
type State struct {
	Phase     Phase            `json:"phase"`
	Seq       int              `json:"seq"` // events applied; part of command IDs
	Outcome   Outcome          `json:"outcome,omitempty"`
	Why       string           `json:"why,omitempty"` // reason of the outcome
	Pending   *Command         `json:"pending,omitempty"`
	Before    belay.SnapshotID `json:"before,omitempty"`
	Attempts  []Attempt        `json:"attempts,omitempty"`
	Allowed   int              `json:"allowed,omitempty"`   // attempts allowed so far: 1 + retries + those that people added
	Retries   int              `json:"retries,omitempty"`   // automatic retries used
	Reviewed  int              `json:"reviewed,omitempty"`  // attempts after a rejecting review, which used no retry
	Rollbacks int              `json:"rollbacks,omitempty"` // restores done
	Stalls    int              `json:"stalls,omitempty"`
	Losts     int              `json:"losts,omitempty"`
	Elapsed   time.Duration    `json:"elapsed_ns,omitempty"` // of all attempts
	belay.Use                  // of all attempts, reviews and diagnoses
	Gates     int              `json:"gates,omitempty"`
	Gate      *Gate            `json:"gate,omitempty"`
	Parking   bool             `json:"parking,omitempty"` // stopped during a command: pause after it
	Ending    Outcome          `json:"ending,omitempty"`  // the outcome while the task is being closed
	Decisions []Decided        `json:"decisions,omitempty"`
	Answer    string           `json:"answer,omitempty"` // a person's explanation of an ambiguous task

	// Parked is the command that waits at a gate: a resume after a stop, or a guide after a failed
	// command, continues with it. It has no ID until it is issued again.
	Parked     *Command `json:"parked,omitempty"`
	Next       *Next    `json:"next,omitempty"`
	Rechecking bool     `json:"rechecking,omitempty"` // a person asked for the current check

	// Granted is the use when an attempt began although a limit was reached: a person continued the
	// task, so it may use as much again.
	Granted *belay.Use `json:"granted,omitempty"`

	Baseline string `json:"baseline,omitempty"` // summary of the tests on the before snapshot

	BaselineReport string `json:"baseline_report,omitempty"` // SHA-256 of the attachment with their results
}

// Decided is a person's answer at a gate, for the record.
type Decided struct {
	Gate     int      `json:"gate"`
	Decision Decision `json:"decision"`
	Note     string   `json:"note,omitempty"`
	By       string   `json:"by,omitempty"`
}
