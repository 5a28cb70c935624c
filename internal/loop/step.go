package loop

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Step applies one event and returns the next state and the new command, if there is one. It never
// changes s. It returns at most one command, which equals the new state's Pending. A pending
// command that is still running is not returned again, so a restarted driver must run s.Pending.
//
// An error means that the event was rejected and the state is unchanged. Every error is a
// *belay.Error; errors.Is distinguishes ErrStale, ErrNotNow, ErrDecision, ErrEvent and ErrState.
func Step(p belay.Policy, s State, e Event) (State, []Command, error) {
	if err := validate(s); err != nil {
		return s, nil, err
	}
	m := &machine{policy: p, state: s.clone(), event: e}
	m.state.Seq++
	if err := m.apply(); err != nil {
		return s, nil, err
	}
	if !m.issued {
		return m.state, nil, nil
	}
	return m.state, []Command{*m.state.Pending}, nil
}

// machine is one call of Step: the policy, the changing state, and the event.
type machine struct {
	policy belay.Policy
	state  State
	event  Event
	issued bool
}

func (m *machine) apply() error {
	switch {
	case m.state.Phase == PhaseClosed && m.event.Kind != EvVerdict && m.event.Kind != EvSubmitted:
		return m.notNowError("the task is closed")
	case resultCommands[m.event.Kind] != "" || m.event.Kind == EvBroken:
		return m.onResult()
	}
	switch m.event.Kind {
	case EvStarted:
		if m.state.Phase != "" && m.state.Phase != PhaseNew {
			return m.notNowError("the task has already started")
		}
		m.state.Allowed = 1 + max(0, m.policy.Retries)
		m.issue(Command{Kind: CmdSnapshot, Why: "take a snapshot"})
		return nil
	case EvUnclear:
		return m.onUnclear()
	case EvCancelled:
		return m.onCancelled()
	case EvResumed:
		return m.onResumed()
	case EvDecided:
		return m.onDecided()
	case EvVerdict:
		return m.onVerdict()
	case EvSubmitted:
		return m.onSubmitted()
	case EvOverruled:
		return m.onOverruled()
	case EvRetested:
		return m.onRetested()
	}
	return newRefusal(ErrEvent, belay.CodeCannot, "", "%q is not an event", m.event.Kind)
}

// issue makes c the pending command, or parks it when a person stopped the run.
func (m *machine) issue(c Command) {
	if m.state.Parking {
		m.park(c)
		return
	}
	c.ID = fmt.Sprintf("%d-%s", m.state.Seq, c.Kind)
	m.state.Phase, m.state.Pending = commandPhases[c.Kind], &c
	m.state.Gate, m.state.Parked = nil, nil
	m.issued = true
}

// startAttempt starts the attempt in Next, or the first one. It is counted here and not when it was
// decided, so an attempt that was parked and then abandoned is not counted. An attempt that is no
// automatic retry raises Allowed, so that Allowed minus the attempts is the number of remaining
// automatic retries.
func (m *machine) startAttempt() {
	next := Next{Prompt: PromptFull}
	if m.state.Next != nil {
		next = *m.state.Next
	}
	n := len(m.state.Attempts) + 1
	c := Command{Kind: CmdAttempt, Attempt: n, Prompt: next.Prompt, Why: fmt.Sprintf("attempt %d (%s)", n, next.Prompt),
		Wait: next.Wait, Session: m.state.sessionToContinue(next.Prompt)}
	if m.state.Parking {
		m.park(c)
		return
	}
	switch {
	case next.Review:
		m.state.Reviewed++
		m.state.Allowed++
	case next.Auto:
		m.state.Retries++
	case n > 1:
		m.state.Allowed++
	}
	m.grantUse()
	m.state.Attempts = append(m.state.Attempts, Attempt{N: n, Prompt: next.Prompt, Guidance: next.Guidance})
	m.state.Next = nil
	m.issue(c)
}

// sessionToContinue returns the agent's session that the next attempt continues: that of the last
// one, if its tree is kept. After a permanent failure of the agent a new session is started,
// because the session may be the cause; also after a stall.
func (s State) sessionToContinue(prompt PromptKind) belay.AgentSession {
	a := s.Current()
	if a == nil || prompt != PromptRepair && prompt != PromptContinue || a.AgentFailed() && !a.Transient {
		return belay.AgentSession{}
	}
	return a.Session
}

// grantUse lets a task that has reached a limit use as much again, because a person continued it:
// the loop never exceeds a limit on its own.
func (m *machine) grantUse() {
	if usedUp(m.policy, belay.Use{}, m.state.Use) != "" {
		granted := m.state.Use
		m.state.Granted = &granted
	}
}

// planAttempt plans another attempt, after a rollback or on the kept tree. It gets guidance that was
// given before.
func (m *machine) planAttempt(next Next, rollback bool, why string) {
	if m.state.Next != nil {
		next.Guidance = joinText(m.state.Next.Guidance, next.Guidance)
	}
	if !rollback {
		m.state.Next = &next
		m.startAttempt()
		return
	}
	next.Prompt = PromptRetry
	m.state.Next = &next
	m.lastAttempt().Then = ThenRollback
	m.issue(Command{Kind: CmdRestore, Attempt: len(m.state.Attempts), Target: m.state.Before, Why: why})
}

// closeTask closes the task. Only a pass keeps the tree, and a task that failed before its snapshot
// has nothing to restore.
func (m *machine) closeTask(o Outcome, why string) {
	m.state.Ending, m.state.Why = o, why
	m.state.Next, m.state.Parked, m.state.Rechecking = nil, nil, false
	if o == OutcomePassed || m.state.Before == "" {
		m.issueClose()
		return
	}
	m.issue(Command{Kind: CmdRestore, Attempt: len(m.state.Attempts), Target: m.state.Before, Why: why})
}

func (m *machine) issueClose() {
	m.issue(Command{Kind: CmdClose, Attempt: len(m.state.Attempts), Why: string(m.state.Ending)})
}

// lastAttempt returns the newest attempt's record, which this step may change.
func (m *machine) lastAttempt() *Attempt { return &m.state.Attempts[len(m.state.Attempts)-1] }

func (m *machine) notNowError(why string) error {
	return newRefusal(ErrNotNow, belay.CodeUsage, "belay status", "%s: %q is not possible", why, m.event.Kind)
}

// clone copies everything that a step changes in place. Findings, Kept and Options are only
// replaced, so they may be shared.
func (s State) clone() State {
	s.Pending, s.Parked = clonePointer(s.Pending), clonePointer(s.Parked)
	s.Gate, s.Next = clonePointer(s.Gate), clonePointer(s.Next)
	s.Attempts, s.Decisions = slices.Clone(s.Attempts), slices.Clone(s.Decisions)
	return s
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// cloneList copies an event's list. An empty one becomes nil, as after a round trip through
// JSON.
func cloneList[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// addDuration adds durations from events of other programs: a negative one counts as zero, and the
// sum saturates.
func addDuration(sum, more time.Duration) time.Duration {
	if more <= 0 {
		return sum
	}
	if sum > math.MaxInt64-more {
		return math.MaxInt64
	}
	return sum + more
}
