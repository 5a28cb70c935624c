package loop

import "strings"

// unclear opens a gate before anything has been done: the task's words can be read in more
// than one way, and a person is to say which. It is asked once.
func (m *machine) unclear() error {
	switch {
	case m.s.Phase != "" && m.s.Phase != PhaseNew:
		return m.notNow("the task has already started")
	case len(m.s.Decisions) > 0:
		return m.notNow("a person has already answered")
	}
	m.ask(GateClarify, m.e.Note, "")
	return nil
}

// clear takes a person's word for what is meant: the task is as new, and has an answer.
func (m *machine) clear() {
	m.s.Phase, m.s.Gate = "", nil
	m.s.Answer = strings.TrimSpace(m.e.Note)
}
