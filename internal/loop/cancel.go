package loop

import (
	"github.com/belay-dev/belay/internal/belay"
)

// onCancelled stops the run for a person. The agent's work is captured first; a command that was
// itself stopped is parked; any other command is finished, and then the run pauses. A rollback that
// ends the task and the closing of the record are finished, because a half-ended task is of no use.
func (m *machine) onCancelled() error {
	e, c := m.event, m.state.Pending
	switch {
	case m.state.Phase == PhaseNew || m.state.Phase == "":
		return m.notNowError("the task has not started")
	case e.Command != "" && (c == nil || e.Command != c.ID):
		return newRefusal(ErrStale, belay.CodeUsage, "belay status", "%q was stopped, but it is not running", e.Command)
	case c == nil || m.state.Ending != OutcomeNone:
		return nil
	case c.Kind == CmdAttempt:
		m.state.Use = m.state.Plus(e.Use)
		m.onEnded()
	case e.Ended == EndedStopped && CanStop(c.Kind):
		m.park(*c)
		return nil
	}
	m.state.Parking = true
	return nil
}

// CanStop reports whether a command of this kind can be stopped before it has a result: it only
// looks at the work, and is done again when the task is resumed.
func CanStop(kind CommandKind) bool {
	return kind == CmdBaseline || kind == CmdCheck || kind == CmdReview || kind == CmdDebug
}

// park keeps c at a gate until a person resumes the task.
func (m *machine) park(c Command) {
	m.openGate(GateCancelled, "a person stopped the run; next step: "+string(c.Kind), "")
	c.ID = ""
	m.state.Parked = &c
}

// onResumed continues a stopped task where it stopped. If the current command has not finished, it
// revokes the stop.
func (m *machine) onResumed() error {
	switch {
	case m.state.Parking:
		m.state.Parking = false
	case m.state.Phase != PhaseGate || m.state.Gate.Kind != GateCancelled:
		return m.notNowError("the run is not stopped")
	case m.state.Parked != nil:
		m.issueParked()
	case hasNoAttempts(m.policy, m.state): // stopped in its last allowed attempt
		m.openGate(GateLimit, m.hardLimit(), "")
	default:
		m.onStopped()
	}
	return nil
}
