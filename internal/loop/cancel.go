package loop

import (
	"github.com/belay-dev/belay/internal/belay"
)

// cancelled takes a person's stop. The agent's work is captured first; any other
// command is left to finish and the run parks behind it. What already puts the tree
// back for good or closes the record is finished: half an ending helps nobody.
func (m *machine) cancelled() error {
	e, c := m.e, m.s.Pending
	switch {
	case m.s.Phase == PhaseNew || m.s.Phase == "":
		return m.notNow("the task has not started")
	case e.Command != "" && (c == nil || e.Command != c.ID):
		return refuse(ErrStale, belay.CodeUsage, "belay status", "%q was stopped, but it is not running", e.Command)
	case c == nil || m.s.Ending != OutcomeNone:
		return nil
	case c.Kind == CmdAttempt:
		m.s.Use = m.s.Plus(e.Use)
		m.ended()
	}
	m.s.Parking = true
	return nil
}

// park holds c at a gate until a person runs the task on.
func (m *machine) park(c Command) {
	m.ask(GateCancelled, "a person stopped the run; next step: "+string(c.Kind), "")
	c.ID = ""
	m.s.Parked = &c
}

// resumed runs a stopped task on, exactly where it was. Before the command under way
// has finished it takes the stop back.
func (m *machine) resumed() error {
	switch {
	case m.s.Parking:
		m.s.Parking = false
	case m.s.Phase != PhaseGate || m.s.Gate.Kind != GateCancelled:
		return m.notNow("the run is not stopped")
	case m.s.Parked != nil:
		m.proceed()
	case exhausted(m.p, m.s): // stopped in the last attempt it may have
		m.ask(GateLimit, m.hardLimit(), "")
	default:
		m.stopped()
	}
	return nil
}
