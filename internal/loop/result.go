package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// answers says which kind of command each result answers. EvBroken answers any.
var answers = map[EventKind]CommandKind{
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

// result takes the answer to the pending command.
func (m *machine) result() error {
	if err := m.answered(); err != nil {
		return err
	}
	pending := *m.s.Pending
	m.s.Pending = nil
	m.s.Use = m.s.Plus(m.e.Use)
	switch m.e.Kind {
	case EvSnapshot:
		m.s.Before = m.e.Snapshot
		m.begin()
	case EvBaseline:
		m.s.Baseline, m.s.BaselineReport = m.e.Note, m.e.Report
		m.start()
	case EvAttempted, EvStalled, EvLimited, EvLost:
		m.ended()
	case EvCaptured:
		m.captured()
	case EvChecked, EvReviewed:
		m.judged()
	case EvRestored:
		m.restored()
	case EvDebugged:
		m.debugged()
	case EvClosed:
		m.s.Phase, m.s.Outcome, m.s.Ending = PhaseClosed, m.s.Ending, OutcomeNone
	case EvBroken:
		m.broken(pending)
	}
	return nil
}

// retested takes what another test command says of the state before. Nothing else changes:
// what was judged stays judged, and what is under way goes on.
func (m *machine) retested() error {
	if m.s.Before == "" || m.s.Phase == PhaseBaseline {
		return m.notNow("there is no baseline to replace")
	}
	m.s.Baseline, m.s.BaselineReport = m.e.Note, m.e.Report
	return nil
}

// answered checks that the event answers the pending command with what it needs.
func (m *machine) answered() error {
	e, c := m.e, m.s.Pending
	switch {
	case c == nil:
		return refuse(ErrStale, belay.CodeUsage, "belay status", "%q was answered, but nothing is running", e.Command)
	case e.Command != c.ID:
		return refuse(ErrStale, belay.CodeUsage, "belay status", "%q was answered, but %s is running", e.Command, c.ID)
	case e.Kind != EvBroken && answers[e.Kind] != c.Kind:
		return refuse(ErrNotNow, belay.CodeCannot, "", "%q does not answer %s", e.Kind, c.ID)
	case e.Snapshot == "" && (e.Kind == EvSnapshot || e.Kind == EvCaptured):
		return refuse(ErrEvent, belay.CodeCannot, "", "%s was answered without a snapshot", c.ID)
	case e.Kind == EvAttempted && e.Ended != EndedExit && e.Ended != EndedTimeout:
		return refuse(ErrEvent, belay.CodeCannot, "", "%s was answered with an attempt that ended %q", c.ID, e.Ended)
	}
	return nil
}

// begin follows the snapshot: the baseline if the policy wants one, then attempt 1.
func (m *machine) begin() {
	if m.p.Baseline {
		m.issue(Command{Kind: CmdBaseline, Target: m.s.Before, Why: "run the tests for the baseline"})
		return
	}
	m.start()
}

// ended records how the attempt ended and has what it left held before anything
// else, so that no work of an agent is lost whatever is decided about it.
func (m *machine) ended() {
	a, kind := m.last(), belay.KindAfter
	m.spent(a)
	switch m.e.Kind {
	case EvStalled:
		a.Ended, kind = EndedStalled, belay.KindStall
		m.s.Stalls++
	case EvLimited:
		a.Ended = EndedLimit
	case EvLost:
		a.Ended = EndedLost
		m.s.Losts++
	case EvCancelled:
		a.Ended = EndedStopped
	default:
		a.Ended = m.e.Ended
	}
	a.Exit, a.Log, a.Sent, a.Session, a.Transient, a.Blocked = m.e.Exit, m.e.Log, m.e.Sent, m.e.Session, m.e.Transient, m.e.Blocked
	m.issue(Command{Kind: CmdCapture, Attempt: a.N, Capture: kind, Why: fmt.Sprintf("save the work of attempt %d", a.N)})
}

// spent books the time of the attempt, and what it used, on its record.
func (m *machine) spent(a *Attempt) {
	a.Elapsed = later(0, m.e.Elapsed)
	a.Use = belay.Use{}.Plus(m.e.Use)
	a.Note = m.e.Note
	m.s.Elapsed = later(m.s.Elapsed, m.e.Elapsed)
}

// The exit codes with which a shell says that a command was not executable, or not
// found (POSIX, 2.8.2 Exit Status for Commands).
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

func (m *machine) captured() {
	a := m.last()
	a.Snapshot = m.e.Snapshot
	switch {
	case m.s.Rechecking:
		// What was said about the tree before is not true of this one.
		a.Verdict, a.Findings, a.Report, a.Review, a.Reviewer, a.Approved, a.Note = "", nil, "", "", "", nil, ""
		m.check()
	case a.Ended == EndedStopped:
		m.stopped()
	case a.Ended == EndedLost:
		m.lost()
	case a.Ended == EndedStalled:
		m.stalled()
	case a.Ended == EndedLimit: // it was not done: there is nothing to judge
		m.ask(GateLimit, a.Note, "")
	case a.Ended == EndedExit && (a.Exit == exitCannotRun || a.Exit == exitNotFound):
		m.ask(GateBroken, fmt.Sprintf("the agent's command could not be run (exit %d)", a.Exit), CmdAttempt)
	case a.Ended == EndedExit && a.Exit != 0 && !slices.Contains(m.p.AcceptExit, a.Exit):
		if a.Blocked != "" {
			m.blocked()
			return
		}
		m.failed()
	default:
		m.check()
	}
}

// blocked asks a person about an agent that could not work: another attempt would end the same way.
func (m *machine) blocked() {
	a := m.last()
	a.Note = ""
	m.ask(GateBroken, because("the agent could not work", a.Blocked), CmdAttempt)
}

// nothing reports whether a finding says that nothing was changed.
func nothing(findings []belay.Finding) bool {
	return slices.ContainsFunc(findings, func(f belay.Finding) bool { return f.Category == belay.CategoryEmpty })
}

func (m *machine) check() {
	a := m.last()
	m.issue(Command{Kind: CmdCheck, Attempt: a.N, Target: a.Snapshot, Why: fmt.Sprintf("check attempt %d", a.N)})
}

// judged takes a verdict of the checks or of the reviewer. Whatever is neither pass
// nor fail is unknown: no verdict is never a pass, and never a retry of its own.
func (m *machine) judged() {
	a := m.last()
	a.Verdict, a.Findings = m.e.Verdict, held(m.e.Findings)
	reason := m.e.Kind == EvReviewed || m.e.Verdict != belay.VerdictPass // warnings are none
	if m.e.Note != "" && reason && !a.Transient {                        // else the agent's own word is the reason
		a.Note = m.e.Note
	}
	if m.e.Kind == EvReviewed {
		a.Review = m.e.Report
	} else {
		a.Report = m.e.Report
	}
	switch {
	case a.Verdict == belay.VerdictPass && m.p.Review && m.e.Kind == EvChecked:
		m.issue(Command{Kind: CmdReview, Attempt: a.N, Target: a.Snapshot, Why: fmt.Sprintf("review attempt %d", a.N)})
	case a.Verdict == belay.VerdictPass:
		m.passed()
	case a.Verdict == belay.VerdictFail && a.Blocked != "" && nothing(a.Findings):
		a.Verdict, a.Findings = "", nil
		m.blocked()
	case a.Verdict == belay.VerdictFail && a.Transient && nothing(a.Findings):
		m.failed()
	case a.Verdict == belay.VerdictFail:
		m.refused()
	case a.Asks():
		m.questioned()
	default:
		a.Verdict = belay.VerdictUnknown
		m.ask(GateUnknown, because("the work could not be checked", m.e.Note), "")
	}
}

// then says what followed the last attempt. A recheck stays visible.
func (m *machine) then(what string) {
	if len(m.s.Attempts) > 0 && !m.s.Rechecking {
		m.last().Then = what
	}
}

func (m *machine) restored() {
	m.s.Rollbacks++
	if len(m.s.Attempts) > 0 {
		m.last().Rescue, m.last().Kept = m.e.Snapshot, held(m.e.Kept)
	}
	if m.s.Ending != OutcomeNone {
		m.closing()
		return
	}
	m.start()
}

// debugged grants an attempt that starts with the root cause.
func (m *machine) debugged() {
	m.again(Next{Prompt: PromptRepair, Guidance: m.e.Note}, m.p.Retry != belay.RetryRepair, "the diagnosis named a cause")
}

// broken asks a person what to do about a command that could not be done.
func (m *machine) broken(c Command) {
	if c.Kind == CmdAttempt {
		m.spent(m.last())
	} else {
		c.ID = ""
		m.s.Parked = &c
	}
	m.ask(GateBroken, because(fmt.Sprintf("the %s failed", c.Kind.Noun()), m.e.Note), c.Kind)
}

// because joins what happened and somebody's reason for it to one line.
func because(what, why string) string {
	why = strings.Join(strings.Fields(why), " ")
	if why == "" {
		return what
	}
	return what + ": " + why
}
