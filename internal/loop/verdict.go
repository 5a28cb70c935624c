package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// verdict takes a review that somebody gave of work that was judged and still stands in
// the tree: at a gate, while the record is being closed, or after. A rejection leads to
// the next attempt, an approval closes the gate that waits for it.
func (m *machine) verdict() error {
	switch {
	case m.e.Verdict != belay.VerdictPass && m.e.Verdict != belay.VerdictFail:
		return refuse(ErrEvent, belay.CodeCannot, "", "a review without a verdict")
	case !Reviewable(m.s):
		return m.notNow("the working tree has no checked work")
	case m.e.Verdict == belay.VerdictPass:
		return m.approved()
	}
	return m.rejected()
}

// Reviewable reports whether somebody's review of the last attempt can change what
// happens: it was judged, and what it left was not put back.
func Reviewable(s State) bool {
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

// rejected has the last attempt's work fixed for what a review found, and for what had
// refused it already, unless somebody has accepted it over that since. Whoever rejects at a gate is the person who would be asked, so
// neither the retries nor the mode stop it: only the limit of all attempts does, and a
// finding that refuses a third time, which another attempt would not end.
func (m *machine) rejected() error {
	a := m.last()
	known := map[string]bool{}
	reasons := a.Reasons()
	if m.s.Outcome == OutcomePassed || m.s.Ending == OutcomePassed {
		reasons = nil
	}
	for _, f := range reasons {
		known[signature(f)] = true
	}
	for _, f := range m.e.Findings {
		if !known[signature(f)] {
			reasons = append(reasons, f)
		}
	}
	refused := Attempt{Verdict: belay.VerdictFail, Findings: reasons}
	if len(refused.Reasons()) == 0 {
		return refuse(ErrEvent, belay.CodeCannot, "", "a rejection without a reason")
	}
	argued := m.s.Gate != nil && m.s.Gate.Kind == GateLimit
	m.reopen()
	a.Verdict, a.Findings, a.Review, a.Reviewer, a.Approved = belay.VerdictFail, reasons, m.e.Report, m.e.By, nil
	if a.Reviewer == "" {
		a.Reviewer = "a reviewer"
	}
	why := m.hardLimit()
	if why == "" && !argued {
		why = m.sameThrice()
	}
	if why != "" {
		m.ask(GateLimit, why, "")
		return nil
	}
	back, reason := m.rollsBack()
	if m.e.Back {
		back, reason = true, "the reviewer asked to start over"
	}
	if !back {
		a.Then = ThenRepair
	}
	m.again(Next{Prompt: PromptRepair}, back, reason)
	return nil
}

// reopen takes back that the task was ending, or waited.
func (m *machine) reopen() {
	m.s.Outcome, m.s.Ending, m.s.Why = OutcomeNone, OutcomeNone, ""
	m.s.Pending, m.s.Parked, m.s.Next, m.s.Gate = nil, nil, nil, nil
	m.s.Rechecking = false
}

// approved counts a person's approval, and accepts the work with the last one that was
// wanted.
func (m *machine) approved() error {
	if m.s.Phase != PhaseGate || m.s.Gate.Kind != GateReview {
		return m.notNow("no gate waits for a review")
	}
	left := m.awaited()
	if len(left) > 0 && !slices.Contains(left, m.e.By) {
		return refuse(ErrDecision, belay.CodeUsage, "--reviewer "+left[0], "waiting for the review by %s, not %s",
			strings.Join(left, ", "), m.e.By)
	}
	a := m.last()
	a.Approved = append(slices.Clone(a.Approved), m.e.By)
	if left = m.awaited(); len(left) > 0 {
		m.askReview(left)
		return nil
	}
	m.then(ThenAccepted)
	m.end(OutcomePassed, because(fmt.Sprintf("attempt %d was approved by %s", a.N, strings.Join(a.Approved, ", ")), m.e.Note))
	return nil
}

// awaited gives the persons whose approval of the last attempt is still missing.
func (m *machine) awaited() []string { return Awaited(m.p, m.s) }

// Awaited gives the persons of the policy who have not approved the last attempt.
func Awaited(p belay.Policy, s State) (left []string) {
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

// passed follows a pass: a person's review where one is wanted, else the end.
func (m *machine) passed() {
	if left := m.awaited(); len(left) > 0 {
		m.askReview(left)
		return
	}
	m.then(ThenAccepted)
	m.end(OutcomePassed, fmt.Sprintf("attempt %d was accepted", m.last().N))
}

func (m *machine) askReview(left []string) {
	m.ask(GateReview, fmt.Sprintf("attempt %d passed and waits for a review by %s", m.last().N, strings.Join(left, ", ")), "")
}

// submitted puts accepted work before a person: whoever reviews it decides anew.
func (m *machine) submitted() error {
	if !Reviewable(m.s) || m.last().Verdict != belay.VerdictPass || m.s.Phase == PhaseGate {
		return m.notNow("the working tree has no accepted work")
	}
	m.reopen()
	m.last().Approved = nil
	left := m.awaited()
	if len(left) == 0 {
		left = []string{"a person"}
	}
	m.askReview(left)
	return nil
}

// overruled accepts work over a person's rejection before the attempt that follows it
// has begun; whoever sends it knows that it has not. At a gate it is a decision.
func (m *machine) overruled() error {
	if strings.TrimSpace(m.e.Note) == "" {
		return refuse(ErrDecision, belay.CodeUsage, `add --note "why it may be accepted"`, "accepting rejected work needs a reason")
	}
	if !Overrulable(m.s) {
		return m.notNow("there is no pending rejection")
	}
	if m.s.Phase == PhaseAttempt {
		m.s.Attempts = m.s.Attempts[:len(m.s.Attempts)-1]
		m.s.Allowed-- // a rejection's attempt brings its own allowance
	}
	m.reopen()
	m.s.Parking = false
	m.last().Then = ThenAccepted
	m.end(OutcomePassed, because("accepted over the review by "+m.last().Reviewer, m.e.Note))
	return nil
}

// Overrulable reports whether the command that is pending begins what a person's
// rejection led to, so that until it has begun the rejection can be overruled.
func Overrulable(s State) bool {
	n := len(s.Attempts)
	switch {
	case s.Phase == PhaseAttempt && n > 1 && s.Attempts[n-1].Ended == "":
		return s.Attempts[n-2].Reviewer != "" && s.Attempts[n-2].Then == ThenRepair
	case s.Phase == PhaseRestore && n > 0 && s.Ending == OutcomeNone:
		return s.Attempts[n-1].Reviewer != ""
	}
	return false
}
