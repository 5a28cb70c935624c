package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// resultCommands maps each result to the kind of command that it answers. EvBroken answers
// any.
var resultCommands = map[EventKind]CommandKind{
	EvSnapshot:  CmdSnapshot,
	EvBaseline:  CmdBaseline,
	EvAttempted: CmdAttempt,
	EvStalled:   CmdAttempt,
	EvLimited:   CmdAttempt,
	EvLost:      CmdAttempt,
	EvCaptured:  CmdCapture,
	EvChecked:   CmdCheck,
	EvReviewed:  CmdReview,
	EvRestored:  CmdRestore,
	EvDebugged:  CmdDebug,
	EvClosed:    CmdClose,
}

// onResult handles the answer to the pending command.
func (m *machine) onResult() error {
	if err := m.checkAnswer(); err != nil {
		return err
	}
	pending := *m.state.Pending
	m.state.Pending = nil
	m.state.Use = m.state.Plus(m.event.Use)
	switch m.event.Kind {
	case EvSnapshot:
		m.state.Before = m.event.Snapshot
		m.onSnapshot()
	case EvBaseline:
		m.state.Baseline, m.state.BaselineReport = m.event.Note, m.event.Report
		m.startAttempt()
	case EvAttempted, EvStalled, EvLimited, EvLost:
		m.onEnded()
	case EvCaptured:
		m.onCaptured()
	case EvChecked, EvReviewed:
		m.onJudged()
	case EvRestored:
		m.onRestored()
	case EvDebugged:
		m.onDebugged()
	case EvClosed:
		m.state.Phase, m.state.Outcome, m.state.Ending = PhaseClosed, m.state.Ending, OutcomeNone
	case EvBroken:
		m.onBroken(pending)
	}
	return nil
}

// onRetested records the results of another test command on the before snapshot. Nothing else
// changes: verdicts stay, and the pending command continues.
func (m *machine) onRetested() error {
	if m.state.Before == "" || m.state.Phase == PhaseBaseline {
		return m.notNowError("there is no baseline to replace")
	}
	m.state.Baseline, m.state.BaselineReport = m.event.Note, m.event.Report
	return nil
}

// checkAnswer checks that the event answers the pending command and has the fields it needs.
func (m *machine) checkAnswer() error {
	e, c := m.event, m.state.Pending
	switch {
	case c == nil:
		return newRefusal(ErrStale, belay.CodeUsage, "belay status", "%q was answered, but nothing is running", e.Command)
	case e.Command != c.ID:
		return newRefusal(ErrStale, belay.CodeUsage, "belay status", "%q was answered, but %s is running", e.Command, c.ID)
	case e.Kind != EvBroken && resultCommands[e.Kind] != c.Kind:
		return newRefusal(ErrNotNow, belay.CodeCannot, "", "%q does not answer %s", e.Kind, c.ID)
	case e.Snapshot == "" && (e.Kind == EvSnapshot || e.Kind == EvCaptured):
		return newRefusal(ErrEvent, belay.CodeCannot, "", "%s was answered without a snapshot", c.ID)
	case e.Kind == EvAttempted && e.Ended != EndedExit && e.Ended != EndedTimeout:
		return newRefusal(ErrEvent, belay.CodeCannot, "", "%s was answered with an attempt that ended %q", c.ID, e.Ended)
	}
	return nil
}

// onSnapshot continues after the first snapshot: with the baseline if the policy wants one,
// else with attempt 1.
func (m *machine) onSnapshot() {
	if m.policy.Baseline {
		m.issue(Command{Kind: CmdBaseline, Target: m.state.Before, Why: "run the tests for the baseline"})
		return
	}
	m.startAttempt()
}

// onEnded records how the attempt ended and issues the capture of its result first, so that no work
// of an agent is lost, whatever is decided about it.
func (m *machine) onEnded() {
	a, kind := m.lastAttempt(), belay.KindAfter
	m.addUse(a)
	switch m.event.Kind {
	case EvStalled:
		a.Ended, kind = EndedStalled, belay.KindStall
		m.state.Stalls++
	case EvLimited:
		a.Ended = EndedLimit
	case EvLost:
		a.Ended = EndedLost
		m.state.Losts++
	case EvCancelled:
		a.Ended = EndedStopped
	default:
		a.Ended = m.event.Ended
	}
	a.Exit, a.Log, a.Sent, a.Session, a.Transient, a.Blocked = m.event.Exit, m.event.Log, m.event.Sent, m.event.Session,
		m.event.Transient, m.event.Blocked
	m.issue(Command{Kind: CmdCapture, Attempt: a.N, Capture: kind, Why: fmt.Sprintf("save the work of attempt %d", a.N)})
}

// addUse adds the time and the use of the attempt to its record.
func (m *machine) addUse(a *Attempt) {
	a.Elapsed = addDuration(0, m.event.Elapsed)
	a.Use = belay.Use{}.Plus(m.event.Use)
	a.Note = m.event.Note
	m.state.Elapsed = addDuration(m.state.Elapsed, m.event.Elapsed)
}

// Exit codes of a shell for a command that is not executable, or not found (POSIX, 2.8.2 Exit
// Status for Commands).
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

func (m *machine) onCaptured() {
	a := m.lastAttempt()
	a.Snapshot = m.event.Snapshot
	switch {
	case m.state.Rechecking:
		// The old verdict does not apply to the new tree.
		a.Verdict, a.Findings, a.Report, a.Review, a.Reviewer, a.Approved, a.Note = "", nil, "", "", "", nil, ""
		m.issueCheck()
	case a.Ended == EndedStopped:
		m.onStopped()
	case a.Ended == EndedLost:
		m.onLost()
	case a.Ended == EndedStalled:
		m.onStalled()
	case a.Ended == EndedLimit: // unfinished: nothing to check
		m.openGate(GateLimit, a.Note, "")
	case a.Ended == EndedExit && (a.Exit == exitCannotRun || a.Exit == exitNotFound):
		m.openGate(GateBroken, fmt.Sprintf("the agent's command could not be run (exit %d)", a.Exit), CmdAttempt)
	case a.Ended == EndedExit && a.Exit != 0 && !slices.Contains(m.policy.AcceptExit, a.Exit):
		if a.Blocked != "" {
			m.onBlocked()
			return
		}
		m.onAgentFailed()
	default:
		m.issueCheck()
	}
}

// onBlocked asks a person about an agent that could not work: another attempt would end the
// same way.
func (m *machine) onBlocked() {
	a := m.lastAttempt()
	a.Note = ""
	m.openGate(GateBroken, withReason("the agent could not work", a.Blocked), CmdAttempt)
}

// saysNothingChanged reports whether a finding states that nothing was changed.
func saysNothingChanged(findings []belay.Finding) bool {
	return slices.ContainsFunc(findings, func(f belay.Finding) bool { return f.Category == belay.CategoryEmpty })
}

func (m *machine) issueCheck() {
	a := m.lastAttempt()
	m.issue(Command{Kind: CmdCheck, Attempt: a.N, Target: a.Snapshot, Why: fmt.Sprintf("check attempt %d", a.N)})
}

// onJudged handles a verdict of the checks or of the reviewers. Anything except pass and fail is
// unknown: a missing verdict is never a pass, and causes no retry.
func (m *machine) onJudged() {
	a := m.lastAttempt()
	a.Verdict, a.Findings = m.event.Verdict, cloneList(m.event.Findings)
	reason := m.event.Kind == EvReviewed || m.event.Verdict != belay.VerdictPass // warnings are no reason
	if m.event.Note != "" && reason && !a.Transient {                            // else keep the agent's message as the reason
		a.Note = m.event.Note
	}
	if m.event.Kind == EvReviewed {
		a.Review = m.event.Report
	} else {
		a.Report = m.event.Report
	}
	switch {
	case a.Verdict == belay.VerdictPass && m.policy.Review && m.event.Kind == EvChecked:
		m.issue(Command{Kind: CmdReview, Attempt: a.N, Target: a.Snapshot, Why: fmt.Sprintf("review attempt %d", a.N)})
	case a.Verdict == belay.VerdictPass:
		m.onPassed()
	case a.Verdict == belay.VerdictFail && a.Blocked != "" && saysNothingChanged(a.Findings):
		a.Verdict, a.Findings = "", nil
		m.onBlocked()
	case a.Verdict == belay.VerdictFail && a.Transient && saysNothingChanged(a.Findings):
		m.onAgentFailed()
	case a.Verdict == belay.VerdictFail:
		m.onRefused()
	case a.OnlyAsks():
		m.onQuestions()
	default:
		a.Verdict = belay.VerdictUnknown
		m.openGate(GateUnknown, withReason("the work could not be checked", m.event.Note), "")
	}
}

// setThen records what followed the last attempt. A recheck stays visible.
func (m *machine) setThen(what string) {
	if len(m.state.Attempts) > 0 && !m.state.Rechecking {
		m.lastAttempt().Then = what
	}
}

func (m *machine) onRestored() {
	m.state.Rollbacks++
	if len(m.state.Attempts) > 0 {
		m.lastAttempt().Rescue, m.lastAttempt().Kept = m.event.Snapshot, cloneList(m.event.Kept)
	}
	if m.state.Ending != OutcomeNone {
		m.issueClose()
		return
	}
	m.startAttempt()
}

// onDebugged grants an attempt that starts with the root cause.
func (m *machine) onDebugged() {
	m.planAttempt(Next{Prompt: PromptRepair, Guidance: m.event.Note}, m.policy.Retry != belay.RetryRepair, "the diagnosis named a cause")
}

// onBroken asks a person what to do about a failed command.
func (m *machine) onBroken(c Command) {
	if c.Kind == CmdAttempt {
		m.addUse(m.lastAttempt())
	} else {
		c.ID = ""
		m.state.Parked = &c
	}
	m.openGate(GateBroken, withReason(fmt.Sprintf("the %s failed", c.Kind.Noun()), m.event.Note), c.Kind)
}

// withReason joins what happened and a person's reason for it on one line.
func withReason(what, why string) string {
	why = strings.Join(strings.Fields(why), " ")
	if why == "" {
		return what
	}
	return what + ": " + why
}
