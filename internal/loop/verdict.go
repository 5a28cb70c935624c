package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// onVerdict handles a review of work that was checked and is still in the tree: at a gate,
// while the record is being closed, or after. A rejection leads to the next attempt, an
// approval closes the gate that waits for it.
func (m *machine) onVerdict() error {
	switch {
	case m.event.Verdict != belay.VerdictPass && m.event.Verdict != belay.VerdictFail:
		return newRefusal(ErrEvent, belay.CodeCannot, "", "a review without a verdict")
	case !IsReviewable(m.state):
		return m.notNowError("the working tree has no checked work")
	case m.event.Verdict == belay.VerdictPass:
		return m.onApproved()
	}
	return m.onRejected()
}

// IsReviewable reports whether a review of the last attempt can have an effect: it was checked, and
// its result was not rolled back.
func IsReviewable(s State) bool {
	a := s.Current()
	if a == nil || a.Snapshot == "" || a.Verdict == "" {
		return false
	}
	switch s.Phase {
	case PhaseGate:
		if s.Parked != nil {
			return s.Ending == OutcomePassed
		}
		return slices.Contains([]GateKind{GateReview, GateRetries, GateLimit, GateUnknown, GateQuestion, GateRecheck}, s.Gate.Kind)
	case PhaseClosing:
		return s.Ending == OutcomePassed
	}
	return s.Outcome == OutcomePassed
}

// onRejected starts the next attempt, which fixes the findings of the review and those that had
// rejected the work before, unless a person has overridden those. A person who rejects at a gate
// has decided, so neither the retries nor the mode stop it. Only the limit of all attempts does,
// and a finding that rejects a third time, which another attempt would not fix.
func (m *machine) onRejected() error {
	a := m.lastAttempt()
	known := map[string]bool{}
	reasons := a.Reasons()
	if m.state.Outcome == OutcomePassed || m.state.Ending == OutcomePassed {
		reasons = nil
	}
	for _, f := range reasons {
		known[signature(f)] = true
	}
	for _, f := range m.event.Findings {
		if !known[signature(f)] {
			reasons = append(reasons, f)
		}
	}
	refused := Attempt{Verdict: belay.VerdictFail, Findings: reasons}
	if len(refused.Reasons()) == 0 {
		return newRefusal(ErrEvent, belay.CodeCannot, "", "a rejection without a reason")
	}
	argued := m.state.Gate != nil && m.state.Gate.Kind == GateLimit
	m.reopen()
	a.Verdict, a.Findings, a.Review, a.Reviewer, a.Approved = belay.VerdictFail, reasons, m.event.Report, m.event.By, nil
	if a.Reviewer == "" {
		a.Reviewer = "a reviewer"
	}
	why := m.hardLimit()
	if why == "" && !argued {
		why = m.repeatedFinding()
	}
	if why != "" {
		m.openGate(GateLimit, why, "")
		return nil
	}
	back, reason := m.needsRollback()
	if m.event.RollBack {
		back, reason = true, "the reviewer asked to start over"
	}
	if !back {
		a.Then = ThenRepair
	}
	m.planAttempt(Next{Prompt: PromptRepair}, back, reason)
	return nil
}

// reopen reverts that the task was ending or waiting.
func (m *machine) reopen() {
	m.state.Outcome, m.state.Ending, m.state.Why = OutcomeNone, OutcomeNone, ""
	m.state.Pending, m.state.Parked, m.state.Next, m.state.Gate = nil, nil, nil, nil
	m.state.Rechecking = false
}

// onApproved counts a person's approval, and accepts the work after the last required one.
func (m *machine) onApproved() error {
	if m.state.Phase != PhaseGate || m.state.Gate.Kind != GateReview {
		return m.notNowError("no gate waits for a review")
	}
	left := m.missingApprovals()
	if len(left) > 0 && !slices.Contains(left, m.event.By) {
		return newRefusal(ErrDecision, belay.CodeUsage, "--reviewer "+left[0], "waiting for the review by %s, not %s",
			strings.Join(left, ", "), m.event.By)
	}
	a := m.lastAttempt()
	a.Approved = append(slices.Clone(a.Approved), m.event.By)
	if left = m.missingApprovals(); len(left) > 0 {
		m.openReviewGate(left)
		return nil
	}
	m.setThen(ThenAccepted)
	m.closeTask(OutcomePassed, withReason(fmt.Sprintf("attempt %d was approved by %s", a.N, strings.Join(a.Approved, ", ")), m.event.Note))
	return nil
}

// missingApprovals returns the persons who have not approved the last attempt.
func (m *machine) missingApprovals() []string { return MissingApprovals(m.policy, m.state) }

// MissingApprovals returns the persons of the policy who have not approved the last attempt.
func MissingApprovals(p belay.Policy, s State) (left []string) {
	a := s.Current()
	if a == nil {
		return nil
	}
	for _, name := range p.Persons {
		if !slices.Contains(a.Approved, name) {
			left = append(left, name)
		}
	}
	return left
}

// onPassed continues after a pass: with a person's review if the policy wants one, else with
// the end.
func (m *machine) onPassed() {
	if left := m.missingApprovals(); len(left) > 0 {
		m.openReviewGate(left)
		return
	}
	m.setThen(ThenAccepted)
	m.closeTask(OutcomePassed, fmt.Sprintf("attempt %d was accepted", m.lastAttempt().N))
}

func (m *machine) openReviewGate(left []string) {
	m.openGate(GateReview, fmt.Sprintf("attempt %d passed and waits for a review by %s", m.lastAttempt().N, strings.Join(left, ", ")), "")
}

// onSubmitted submits accepted work to a person for a new decision.
func (m *machine) onSubmitted() error {
	if !IsReviewable(m.state) || m.lastAttempt().Verdict != belay.VerdictPass || m.state.Phase == PhaseGate {
		return m.notNowError("the working tree has no accepted work")
	}
	m.reopen()
	m.lastAttempt().Approved = nil
	left := m.missingApprovals()
	if len(left) == 0 {
		left = []string{"a person"}
	}
	m.openReviewGate(left)
	return nil
}

// onOverruled accepts work despite a person's rejection before the next attempt has started, which
// the caller must check. At a gate, a decision does this.
func (m *machine) onOverruled() error {
	if strings.TrimSpace(m.event.Note) == "" {
		return newRefusal(ErrDecision, belay.CodeUsage, `add --note "why it may be accepted"`, "accepting rejected work needs a reason")
	}
	if !IsOverrulable(m.state) {
		return m.notNowError("there is no pending rejection")
	}
	if m.state.Phase == PhaseAttempt {
		m.state.Attempts = m.state.Attempts[:len(m.state.Attempts)-1]
		m.state.Allowed-- // the attempt after a rejection had raised it
	}
	m.reopen()
	m.state.Parking = false
	m.lastAttempt().Then = ThenAccepted
	m.closeTask(OutcomePassed, withReason("accepted over the review by "+m.lastAttempt().Reviewer, m.event.Note))
	return nil
}

// IsOverrulable reports whether the pending command follows a person's rejection: until it has
// started, the rejection can be overruled.
func IsOverrulable(s State) bool {
	n := len(s.Attempts)
	switch {
	case s.Phase == PhaseAttempt && n > 1 && s.Attempts[n-1].Ended == "":
		return s.Attempts[n-2].Reviewer != "" && s.Attempts[n-2].Then == ThenRepair
	case s.Phase == PhaseRestore && n > 0 && s.Ending == OutcomeNone:
		return s.Attempts[n-1].Reviewer != ""
	}
	return false
}
