package loop

import "strings"

// onUnclear opens a gate before the first command: the task's text is ambiguous, and a person must
// explain it. It does so once.
func (m *machine) onUnclear() error {
	switch {
	case m.state.Phase != "" && m.state.Phase != PhaseNew:
		return m.notNowError("the task has already started")
	case len(m.state.Decisions) > 0:
		return m.notNowError("a person has already answered")
	}
	m.openGate(GateClarify, m.event.Note, "")
	return nil
}

// clearAttempts accepts a person's answer to that question: the task is new again, and has an
// answer.
func (m *machine) clearAttempts() {
	m.state.Phase, m.state.Gate = "", nil
	m.state.Answer = strings.TrimSpace(m.event.Note)
}
