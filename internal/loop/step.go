package loop

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Step applies one event and gives the next state and the command to do, if a new
// one is to be done. It never changes s. At most one command comes back and it
// equals the new state's Pending; a pending command that is still under way is not
// given again, which is why a driver that starts anew does s.Pending.
//
// An error means the event was refused and the state is as it was. Every error is a
// *belay.Error; errors.Is tells ErrStale, ErrNotNow, ErrDecision, ErrEvent and
// ErrState apart.
func Step(p belay.Policy, s State, e Event) (State, []Command, error) {
	if err := sound(s); err != nil {
		return s, nil, err
	}
	m := &machine{p: p, s: s.clone(), e: e}
	m.s.Seq++
	if err := m.apply(); err != nil {
		return s, nil, err
	}
	if !m.issued {
		return m.s, nil, nil
	}
	return m.s, []Command{*m.s.Pending}, nil
}

// machine is one step being made: the policy, the state it works on, and the event.
type machine struct {
	p      belay.Policy
	s      State
	e      Event
	issued bool
}

func (m *machine) apply() error {
	switch {
	case m.s.Phase == PhaseClosed && m.e.Kind != EvVerdict && m.e.Kind != EvSubmitted:
		return m.notNow("the task is closed")
	case answers[m.e.Kind] != "" || m.e.Kind == EvBroken:
		return m.result()
	}
	switch m.e.Kind {
	case EvStarted:
		if m.s.Phase != "" && m.s.Phase != PhaseNew {
			return m.notNow("the task has already started")
		}
		m.s.Allowed = 1 + max(0, m.p.Retries)
		m.issue(Command{Kind: CmdSnapshot, Why: "take a snapshot"})
		return nil
	case EvUnclear:
		return m.unclear()
	case EvCancelled:
		return m.cancelled()
	case EvResumed:
		return m.resumed()
	case EvDecided:
		return m.decided()
	case EvVerdict:
		return m.verdict()
	case EvSubmitted:
		return m.submitted()
	case EvOverruled:
		return m.overruled()
	case EvRetested:
		return m.retested()
	}
	return refuse(ErrEvent, belay.CodeCannot, "", "%q is not an event", m.e.Kind)
}

// issue makes c the pending command, or parks it when a person stopped the run.
func (m *machine) issue(c Command) {
	if m.s.Parking {
		m.park(c)
		return
	}
	c.ID = fmt.Sprintf("%d-%s", m.s.Seq, c.Kind)
	m.s.Phase, m.s.Pending = phaseOf[c.Kind], &c
	m.s.Gate, m.s.Parked = nil, nil
	m.issued = true
}

// start begins the attempt that Next describes, or the first one. What it costs is
// counted here and not when it was decided, so an attempt that was parked and then
// given up costs nothing. An attempt that is no automatic retry brings its own
// allowance: Allowed stays ahead of the attempts by the automatic retries left.
func (m *machine) start() {
	next := Next{Prompt: PromptFull}
	if m.s.Next != nil {
		next = *m.s.Next
	}
	n := len(m.s.Attempts) + 1
	c := Command{Kind: CmdAttempt, Attempt: n, Prompt: next.Prompt, Why: fmt.Sprintf("attempt %d (%s)", n, next.Prompt),
		Wait: next.Wait, Session: m.s.continues(next.Prompt)}
	if m.s.Parking {
		m.park(c)
		return
	}
	switch {
	case next.Review:
		m.s.Reviewed++
		m.s.Allowed++
	case next.Auto:
		m.s.Retries++
	case n > 1:
		m.s.Allowed++
	}
	m.grant()
	m.s.Attempts = append(m.s.Attempts, Attempt{N: n, Prompt: next.Prompt, Guidance: next.Guidance})
	m.s.Next = nil
	m.issue(c)
}

// continues gives the agent's session that the next attempt continues: that of the last one, when its tree is kept.
// An agent that failed, for a reason that does not pass, starts a new one: the session itself may be the reason. So
// does one that went round in circles.
func (s State) continues(prompt PromptKind) belay.AgentSession {
	a := s.Current()
	if a == nil || prompt != PromptRepair && prompt != PromptContinue || a.AgentFailed() && !a.Transient {
		return belay.AgentSession{}
	}
	return a.Session
}

// grant lets what a person wants of a task that has reached a limit use as much again:
// nothing goes on past one by itself.
func (m *machine) grant() {
	if spentAll(m.p, belay.Use{}, m.s.Use) != "" {
		granted := m.s.Use
		m.s.Granted = &granted
	}
}

// again decides on another attempt, after a rollback or on the kept tree.
func (m *machine) again(next Next, rollback bool, why string) {
	if !rollback {
		m.s.Next = &next
		m.start()
		return
	}
	next.Prompt = PromptRetry
	m.s.Next = &next
	m.last().Then = ThenRollback
	m.issue(Command{Kind: CmdRestore, Attempt: len(m.s.Attempts), Target: m.s.Before, Why: why})
}

// end closes the task. Only a pass keeps the tree, and a task that broke before its
// snapshot has nothing to put back.
func (m *machine) end(o Outcome, why string) {
	m.s.Ending, m.s.Why = o, why
	m.s.Next, m.s.Parked, m.s.Rechecking = nil, nil, false
	if o == OutcomePassed || m.s.Before == "" {
		m.closing()
		return
	}
	m.issue(Command{Kind: CmdRestore, Attempt: len(m.s.Attempts), Target: m.s.Before, Why: why})
}

func (m *machine) closing() {
	m.issue(Command{Kind: CmdClose, Attempt: len(m.s.Attempts), Why: string(m.s.Ending)})
}

// last is the newest attempt's record, in the copy that this step may change.
func (m *machine) last() *Attempt { return &m.s.Attempts[len(m.s.Attempts)-1] }

func (m *machine) notNow(why string) error {
	return refuse(ErrNotNow, belay.CodeUsage, "belay status", "%s: %q is not possible", why, m.e.Kind)
}

// clone copies whatever a step changes in place. Findings, Kept and Options are
// only ever replaced, so they may be shared.
func (s State) clone() State {
	s.Pending, s.Parked = copyOf(s.Pending), copyOf(s.Parked)
	s.Gate, s.Next = copyOf(s.Gate), copyOf(s.Next)
	s.Attempts, s.Decisions = slices.Clone(s.Attempts), slices.Clone(s.Decisions)
	return s
}

func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// held is a copy of an event's list; an empty one is nil, as it is after a round
// trip through JSON.
func held[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// later adds what an event reports. It comes from programs that are not ours: what is
// negative counts nothing, and a sum stops at the top.
func later(sum, more time.Duration) time.Duration {
	if more <= 0 {
		return sum
	}
	if sum > math.MaxInt64-more {
		return math.MaxInt64
	}
	return sum + more
}
