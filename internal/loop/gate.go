package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Options gives the decisions that Step accepts in this state, in the order they
// are shown; none when no gate is open. Skip and abort are always among them.
func Options(p belay.Policy, s State) []Decision {
	if s.Phase != PhaseGate || s.Gate == nil {
		return nil
	}
	if s.Gate.Kind == GateClarify {
		return []Decision{DecideGuide, DecideAsItIs, DecideSkip, DecideAbort}
	}
	var options []Decision
	room := s.Before != "" && !exhausted(p, s)
	if room && s.Gate.Kind != GateBroken && s.Gate.Kind != GateReview && len(s.Attempts) > 0 {
		options = append(options, DecideDebug)
	}
	if room || s.Gate.Kind == GateBroken && s.Gate.Broken != CmdAttempt {
		options = append(options, DecideGuide, DecideRetry)
	}
	options = append(options, DecideSkip, DecideAbort)
	if s.Before != "" && len(s.Attempts) > 0 { // a recheck needs a record to write its verdict on
		options = append(options, DecideRecheck)
	}
	if approvable(s) {
		options = append(options, DecideApprove)
	}
	return options
}

// approvable reports whether there is work in the tree that a person may accept: it was
// judged, and nothing was put back since. Refused work, that is, or what waits for his
// review.
func approvable(s State) bool {
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

// exhausted reports whether not even a person can have another attempt.
func exhausted(p belay.Policy, s State) bool {
	return p.MaxAttempts > 0 && len(s.Attempts) >= p.MaxAttempts
}

// debugBefore is what records of earlier versions call DecideDebug.
const debugBefore Decision = "debug"

// ask opens a gate.
func (m *machine) ask(kind GateKind, why string, broken CommandKind) {
	if kind != GateCancelled { // what was to follow still does
		m.then(ThenGate)
	}
	m.s.Gates++
	m.s.Phase, m.s.Pending, m.s.Parking = PhaseGate, nil, false
	m.s.Gate = &Gate{Number: m.s.Gates, Kind: kind, Why: why, Broken: broken}
	m.s.Gate.Options = Options(m.p, m.s)
	if kind != GateBroken && kind != GateCancelled { // those go on with the command that is held
		m.s.Rechecking = false
	}
}

func (m *machine) decided() error {
	if m.s.Phase != PhaseGate {
		return m.notNow("no gate is open")
	}
	if m.e.Decision == debugBefore {
		m.e.Decision = DecideDebug
	}
	gate, e := *m.s.Gate, m.e
	options := Options(m.p, m.s)
	switch {
	case e.Gate != gate.Number:
		return refuse(ErrDecision, belay.CodeUsage, "belay status", "gate %d was answered, but gate %d is open", e.Gate, gate.Number)
	case !slices.Contains(options, e.Decision):
		return refuse(ErrDecision, belay.CodeUsage, "one of: "+listed(options), "gate %d does not offer %q", gate.Number, e.Decision)
	case e.Decision == DecideGuide && strings.TrimSpace(e.Note) == "":
		return refuse(ErrDecision, belay.CodeUsage, `add --message "what to do differently"`, "guide needs instructions for the agent")
	case e.Decision == DecideApprove && gate.Overrides() && strings.TrimSpace(e.Note) == "":
		return refuse(ErrDecision, belay.CodeUsage, "belay task move TASK --to approved --force",
			"accepting rejected work needs a reason")
	}
	m.s.Decisions = append(m.s.Decisions, Decided{Gate: gate.Number, Decision: e.Decision, Note: e.Note, By: e.By})
	m.decide(gate)
	return nil
}

func (m *machine) decide(gate Gate) {
	switch m.e.Decision {
	case DecideRetry:
		m.e.Note = "" // what somebody says of it is for the record
		fallthrough
	case DecideGuide:
		m.guide(gate)
		return
	}
	m.s.Parked, m.s.Next, m.s.Rechecking = nil, nil, false
	m.s.Ending, m.s.Why = OutcomeNone, ""
	switch m.e.Decision {
	case DecideAsItIs:
		m.e.Note = "" // what somebody says of it is for the record: it is no answer
		m.clear()
	case DecideDebug:
		a := m.last()
		a.Then = ThenDebug
		m.grant()
		m.issue(Command{Kind: CmdDebug, Attempt: a.N, Target: a.Snapshot, Why: fmt.Sprintf("find out why attempt %d failed", a.N)})
	case DecideRecheck:
		a := m.last()
		a.Then = ThenRecheck
		m.s.Rechecking = true
		m.issue(Command{Kind: CmdCapture, Attempt: a.N, Capture: belay.KindAfter, Why: fmt.Sprintf("check attempt %d again", a.N)})
	case DecideApprove:
		m.then(ThenAccepted)
		how := "accepted despite the rejection at "
		if !gate.Overrides() {
			how = "approved at "
		}
		m.end(OutcomePassed, because(how+gateName(gate), m.e.Note))
	case DecideSkip:
		m.then(ThenSkipped)
		m.end(OutcomeSkipped, because("skipped at "+gateName(gate), m.e.Note))
	case DecideAbort:
		m.then(ThenAborted)
		m.end(OutcomeAborted, because("aborted at "+gateName(gate), m.e.Note))
	}
}

// guide goes on with a person's words: with the command that is held when it leads
// to an attempt or broke, else with a new attempt.
func (m *machine) guide(gate Gate) {
	held := m.s.Parked
	switch {
	case gate.Kind == GateClarify:
		m.clear()
	case gate.Broken == CmdAttempt:
		a := m.last()
		a.Then = ThenContinue
		m.again(Next{Prompt: a.Prompt, Guidance: joined(a.Guidance, m.e.Note)}, false, "")
	case held != nil && leadsToAttempt(m.s, held.Kind):
		next := Next{Prompt: PromptFull}
		if m.s.Next != nil {
			next = *m.s.Next
		}
		next.Auto, next.Review, next.Guidance = false, false, joined(next.Guidance, m.e.Note)
		m.s.Next = &next
		m.proceed()
	case gate.Kind == GateBroken:
		m.proceed()
	default:
		m.s.Parked, m.s.Next, m.s.Rechecking = nil, nil, false
		m.s.Ending, m.s.Why = OutcomeNone, ""
		back, reason := m.rollsBack()
		prompt, then := m.keptPrompt()
		m.then(then)
		m.again(Next{Prompt: prompt, Guidance: m.e.Note}, back, reason)
	}
}

// leadsToAttempt reports whether an attempt follows a command without a verdict in
// between, so that words given now are words for that attempt.
func leadsToAttempt(s State, kind CommandKind) bool {
	switch kind {
	case CmdSnapshot, CmdBaseline, CmdAttempt:
		return true
	case CmdRestore:
		return s.Ending == OutcomeNone
	}
	return false
}

// keptPrompt chooses the words for an attempt on the tree as the last one left it.
func (m *machine) keptPrompt() (PromptKind, string) {
	if a := m.last(); a.Verdict == "" {
		switch a.Ended {
		case EndedStalled:
			return PromptStall, ThenRecover
		case EndedStopped, EndedLost, EndedLimit:
			return PromptContinue, ThenContinue
		}
	}
	return PromptRepair, ThenRepair
}

// proceed issues the command that is held, under a new id.
func (m *machine) proceed() {
	c := *m.s.Parked
	if c.Kind == CmdAttempt {
		m.start()
		return
	}
	m.issue(c)
}

func joined(words ...string) string {
	var said []string
	for _, w := range words {
		if strings.TrimSpace(w) != "" {
			said = append(said, w)
		}
	}
	return strings.Join(said, "\n\n")
}

func listed(options []Decision) string {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}

func gateName(g Gate) string { return fmt.Sprintf("gate %d (%s)", g.Number, g.Kind) }
