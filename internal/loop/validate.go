package loop

import (
	"errors"

	"github.com/belay-dev/belay/internal/belay"
)

// Reasons for which Step rejects an event. Each is wrapped in a *belay.Error with a message that
// names the command, the phase or the gate; use errors.Is.
var (
	// ErrStale: the result answers a command that is not pending, usually because another process
	// answered it first. Code usage.
	ErrStale = errors.New("the result is stale")
	// ErrNotNow: the event cannot happen in this phase. Code usage, or cannot if a result of the
	// wrong kind answers the right command.
	ErrNotNow = errors.New("not possible now")
	// ErrDecision: the decision is not among the options, answers another gate, or lacks a required
	// text. Code usage.
	ErrDecision = errors.New("the decision was not accepted")
	// ErrEvent: the event lacks a required field, or its kind is unknown. Code cannot: trying again
	// with the same event never helps.
	ErrEvent = errors.New("the event is incomplete")
	// ErrState: Step cannot have made the state. Code cannot.
	ErrState = errors.New("the record is damaged")
)

func newRefusal(reason error, code belay.Code, try, format string, args ...any) error {
	e := belay.Refuse(code, try, format, args...)
	e.Err = reason
	return e
}

// validate returns what is wrong with a state that was read from a record. All other code may then
// assume that the attempt, gate or command of its phase exists.
func validate(s State) error {
	damaged := func(what string) error {
		return newRefusal(ErrState, belay.CodeCannot, "belay log --verify", "phase %q %s", s.Phase, what)
	}
	switch kind, waits := phaseCommand(s.Phase); {
	case !isPhase(s.Phase):
		return damaged("does not exist")
	case waits && (s.Pending == nil || s.Pending.Kind != kind):
		return damaged("has no command")
	case !waits && s.Pending != nil:
		return damaged("has an unexpected command")
	case (s.Phase == PhaseGate) != (s.Gate != nil):
		return damaged("does not match its gate")
	case waits && !canStart(s, kind):
		return damaged("has nothing to work on")
	case waits && kind == CmdAttempt && len(s.Attempts) == 0:
		return damaged("has no record of the attempt")
	case s.Phase == PhaseGate && !canAsk(s):
		return damaged("cannot continue from its gate")
	}
	return nil
}

// canStart reports whether the state has what a command of this kind needs.
func canStart(s State, kind CommandKind) bool {
	switch kind {
	case CmdSnapshot:
		return true
	case CmdClose:
		return s.Ending != OutcomeNone
	case CmdBaseline, CmdAttempt:
		return s.Before != ""
	case CmdRestore:
		return s.Before != "" && (s.Ending != OutcomeNone || s.Next != nil)
	}
	return s.Before != "" && len(s.Attempts) > 0
}

func canAsk(s State) bool {
	if s.Parked != nil && !canStart(s, s.Parked.Kind) {
		return false
	}
	switch {
	case s.Gate.Kind == GateClarify:
		return s.Before == "" && len(s.Attempts) == 0
	case s.Gate.Kind != GateBroken:
		return s.Before != "" && (len(s.Attempts) > 0 || s.Parked != nil && leadsToAttempt(s, s.Parked.Kind))
	case s.Gate.Broken == CmdAttempt:
		return s.Before != "" && len(s.Attempts) > 0
	}
	return s.Parked != nil && s.Parked.Kind == s.Gate.Broken
}

func isPhase(p Phase) bool {
	_, waits := phaseCommand(p)
	return waits || p == PhaseNew || p == "" || p == PhaseGate || p == PhaseClosed
}

// phaseCommand returns the kind of command that is pending in a phase, if any is.
func phaseCommand(p Phase) (CommandKind, bool) {
	for kind, phase := range commandPhases {
		if phase == p {
			return kind, true
		}
	}
	return "", false
}

var commandPhases = map[CommandKind]Phase{
	CmdSnapshot: PhaseSnapshot,
	CmdBaseline: PhaseBaseline,
	CmdAttempt:  PhaseAttempt,
	CmdCapture:  PhaseCapture,
	CmdCheck:    PhaseCheck,
	CmdReview:   PhaseReview,
	CmdRestore:  PhaseRestore,
	CmdDebug:    PhaseDebug,
	CmdClose:    PhaseClosing,
}
