package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Options returns the decisions that Step accepts in this state, in the order in which they
// are shown; none when no gate is open. Skip and abort are always among them.
func Options(p belay.Policy, s State) []Decision {
	if s.Phase != PhaseGate || s.Gate == nil {
		return nil
	}
	if s.Gate.Kind == GateClarify {
		return []Decision{DecideGuide, DecideAsItIs, DecideSkip, DecideAbort}
	}
	var options []Decision
	room := s.Before != "" && !hasNoAttempts(p, s)
	if room && s.Gate.Kind != GateBroken && s.Gate.Kind != GateReview && len(s.Attempts) > 0 {
		options = append(options, DecideDebug)
	}
	if room || s.Gate.Kind == GateBroken && s.Gate.Broken != CmdAttempt {
		options = append(options, DecideGuide, DecideRetry)
	}
	options = append(options, DecideSkip, DecideAbort)
	if s.Before != "" && len(s.Attempts) > 0 { // the verdict of a recheck is stored in an attempt
		options = append(options, DecideRecheck)
	}
	if isApprovable(s) {
		options = append(options, DecideApprove)
	}
	return options
}

// isApprovable reports whether the tree contains work that a person may accept: work that was
// rejected or waits for a review, and was not rolled back.
func isApprovable(s State) bool {
	switch s.Gate.Kind {
	case GateReview:
		return true
	case GateRetries, GateLimit, GateUnknown, GateQuestion, GateRecheck:
	default:
		return false
	}
	last := s.Current()
	return last != nil && (last.Verdict == belay.VerdictFail || last.Verdict == belay.VerdictUnknown)
}

// hasNoAttempts reports whether not even a person can start another attempt.
func hasNoAttempts(p belay.Policy, s State) bool {
	return p.MaxAttempts > 0 && len(s.Attempts) >= p.MaxAttempts
}

// debugBefore is the name of DecideDebug in records of earlier versions.
const debugBefore Decision = "debug"

// openGate opens a gate.
func (m *machine) openGate(kind GateKind, why string, broken CommandKind) {
	if kind != GateCancelled { // after a stop, the planned step still follows
		m.setThen(ThenGate)
	}
	m.state.Gates++
	m.state.Phase, m.state.Pending, m.state.Parking = PhaseGate, nil, false
	m.state.Gate = &Gate{Number: m.state.Gates, Kind: kind, Why: why, Broken: broken}
	m.state.Gate.Options = Options(m.policy, m.state)
	if kind != GateBroken && kind != GateCancelled { // those continue with the parked command
		m.state.Rechecking = false
	}
}

func (m *machine) onDecided() error {
	if m.state.Phase != PhaseGate {
		return m.notNowError("no gate is open")
	}
	if m.event.Decision == debugBefore {
		m.event.Decision = DecideDebug
	}
	gate, e := *m.state.Gate, m.event
	options := Options(m.policy, m.state)
	switch {
	case e.Gate != gate.Number:
		return newRefusal(ErrDecision, belay.CodeUsage, "belay status", "gate %d was answered, but gate %d is open", e.Gate, gate.Number)
	case !slices.Contains(options, e.Decision):
		return newRefusal(ErrDecision, belay.CodeUsage, "one of: "+listOptions(options), "gate %d does not offer %q", gate.Number,
			e.Decision)
	case e.Decision == DecideGuide && strings.TrimSpace(e.Note) == "":
		return newRefusal(ErrDecision, belay.CodeUsage, `add --message "what to do differently"`, "guide needs instructions for the agent")
	case e.Decision == DecideApprove && gate.Overrides() && strings.TrimSpace(e.Note) == "":
		return newRefusal(ErrDecision, belay.CodeUsage, "belay task move TASK --to approved --force",
			"accepting rejected work needs a reason")
	}
	m.state.Decisions = append(m.state.Decisions, Decided{Gate: gate.Number, Decision: e.Decision, Note: e.Note, By: e.By})
	m.applyDecision(gate)
	return nil
}

func (m *machine) applyDecision(gate Gate) {
	switch m.event.Decision {
	case DecideRetry:
		m.event.Note = "" // the note is for the record only
		fallthrough
	case DecideGuide:
		m.applyGuidance(gate)
		return
	}
	given := m.state.Next
	m.state.Parked, m.state.Next, m.state.Rechecking = nil, nil, false
	m.state.Ending, m.state.Why = OutcomeNone, ""
	if d := m.event.Decision; m.event.Rules > 0 && given != nil && given.Guidance != "" && (d == DecideDebug || d == DecideRecheck) {
		m.state.Next = &Next{Guidance: given.Guidance}
	}
	switch m.event.Decision {
	case DecideAsItIs:
		m.event.Note = "" // the note is for the record only: it is no answer
		m.clearAttempts()
	case DecideDebug:
		a := m.lastAttempt()
		a.Then = ThenDebug
		m.grantUse()
		m.issue(Command{Kind: CmdDebug, Attempt: a.N, Target: a.Snapshot, Why: fmt.Sprintf("find out why attempt %d failed", a.N)})
	case DecideRecheck:
		a := m.lastAttempt()
		a.Then = ThenRecheck
		m.state.Rechecking = true
		m.issue(Command{Kind: CmdCapture, Attempt: a.N, Capture: belay.KindAfter, Why: fmt.Sprintf("check attempt %d again", a.N)})
	case DecideApprove:
		m.setThen(ThenAccepted)
		how := "accepted despite the rejection at "
		if !gate.Overrides() {
			how = "approved at "
		}
		m.closeTask(OutcomePassed, withReason(how+gateName(gate), m.event.Note))
	case DecideSkip:
		m.setThen(ThenSkipped)
		m.closeTask(OutcomeSkipped, withReason("skipped at "+gateName(gate), m.event.Note))
	case DecideAbort:
		m.setThen(ThenAborted)
		m.closeTask(OutcomeAborted, withReason("aborted at "+gateName(gate), m.event.Note))
	}
}

// applyGuidance continues with a person's guidance: with the parked command if that leads to an
// attempt or failed, else with a new attempt.
func (m *machine) applyGuidance(gate Gate) {
	held := m.state.Parked
	switch {
	case gate.Kind == GateClarify:
		m.clearAttempts()
	case gate.Broken == CmdAttempt:
		m.state.Rechecking = m.state.Rechecking && m.event.Rules == 0
		a := m.lastAttempt()
		a.Then = ThenContinue
		m.planAttempt(Next{Prompt: a.Prompt, Guidance: joinText(a.Guidance, m.event.Note)}, false, "")
	case held != nil && leadsToAttempt(m.state, held.Kind):
		next := Next{Prompt: PromptFull}
		if m.state.Next != nil {
			next = *m.state.Next
		}
		next.Auto, next.Review, next.Guidance = false, false, joinText(next.Guidance, m.event.Note)
		m.state.Next = &next
		m.issueParked()
	case gate.Kind == GateBroken:
		if m.event.Rules > 0 && m.event.Note != "" && m.state.Ending == OutcomeNone { // for the next attempt, if there is one
			next := Next{Guidance: m.event.Note}
			if m.state.Next != nil {
				next.Guidance = joinText(m.state.Next.Guidance, next.Guidance)
			}
			m.state.Next = &next
		}
		m.issueParked()
	default:
		m.state.Parked, m.state.Rechecking = nil, false
		m.state.Ending, m.state.Why = OutcomeNone, ""
		back, reason := m.needsRollback()
		prompt, then := m.keptTreePrompt()
		m.setThen(then)
		m.planAttempt(Next{Prompt: prompt, Guidance: m.event.Note}, back, reason)
	}
}

// leadsToAttempt reports whether an attempt follows a command without a verdict in between, so
// that guidance given now is for that attempt.
func leadsToAttempt(s State, kind CommandKind) bool {
	switch kind {
	case CmdSnapshot, CmdBaseline, CmdAttempt:
		return true
	case CmdRestore:
		return s.Ending == OutcomeNone
	}
	return false
}

// keptTreePrompt chooses the prompt for an attempt on the tree that the last one left.
func (m *machine) keptTreePrompt() (PromptKind, string) {
	if a := m.lastAttempt(); a.Verdict == "" {
		switch a.Ended {
		case EndedStalled:
			return PromptStall, ThenRecover
		case EndedStopped, EndedLost, EndedLimit:
			return PromptContinue, ThenContinue
		}
	}
	return PromptRepair, ThenRepair
}

// issueParked issues the parked command under a new ID.
func (m *machine) issueParked() {
	c := *m.state.Parked
	if c.Kind == CmdAttempt {
		m.startAttempt()
		return
	}
	m.issue(c)
}

func joinText(words ...string) string {
	var said []string
	for _, w := range words {
		if strings.TrimSpace(w) != "" {
			said = append(said, w)
		}
	}
	return strings.Join(said, "\n\n")
}

func listOptions(options []Decision) string {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}

func gateName(g Gate) string { return fmt.Sprintf("gate %d (%s)", g.Number, g.Kind) }
