package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// onRefused continues after a failed verdict: with an automatic retry, or by asking a person.
func (m *machine) onRefused() {
	a := m.lastAttempt()
	if m.state.Rechecking {
		m.openGate(GateRecheck, fmt.Sprintf("attempt %d was rejected again on recheck", a.N), "")
		return
	}
	reviewed := m.policy.ReviewRetries && a.Review != "" && a.Reviewer == ""
	free := reviewed && m.countRefusals() < m.policy.Reviews
	why, stop := m.hardLimit(), GateLimit
	if why == "" && reviewed {
		why = m.reviewDeadlock()
	}
	if why == "" && !free && len(m.state.Attempts) >= m.state.Allowed {
		why, stop = fmt.Sprintf("attempt %d was rejected; %d of %d automatic retries used (retries)",
			a.N, m.state.Retries, max(0, m.policy.Retries)), GateRetries
		if m.state.Retries == 0 {
			why = fmt.Sprintf("attempt %d was rejected; automatic retries are off (retries 0)", a.N)
		}
	}
	if why == "" {
		if why = m.reviewDeadlock(); why == "" {
			why = m.softLimit(true)
		}
	}
	if why != "" {
		m.openGate(stop, why+m.fewerRefusalsText(), "")
		return
	}
	back, reason := m.needsRollback()
	next := Next{Prompt: PromptRepair, Auto: true, Review: free}
	if a.AgentFailed() {
		next = Next{Prompt: PromptContinue, Auto: true}
	}
	if !back {
		a.Then = ThenRepair
		if a.AgentFailed() {
			a.Then = ThenContinue
		}
	}
	m.planAttempt(next, back, reason)
}

// onQuestions continues after work that only questions keep from being accepted. The agent gets
// each question once, with its work kept, and may revert the work in question; then a person is
// asked.
func (m *machine) onQuestions() {
	a := m.lastAttempt()
	again := len(m.state.Repeated()) == len(a.Reasons())
	if m.state.Rechecking || again || m.hardLimit() != "" || m.softLimit(true) != "" || len(m.state.Attempts) >= m.state.Allowed {
		var titles []string
		for _, f := range a.Reasons() {
			titles = append(titles, f.Title)
		}
		m.openGate(GateQuestion, fmt.Sprintf("attempt %d needs your approval: %s", a.N, strings.Join(titles, "; ")), "")
		return
	}
	m.setThen(ThenRepair)
	m.planAttempt(Next{Prompt: PromptRepair, Auto: true}, false, "")
}

// onAgentFailed continues after the capture of an attempt with an agent that ended in error.
// It did not report that it was done, so there is nothing to check.
func (m *machine) onAgentFailed() {
	a := m.lastAttempt()
	a.Verdict = belay.VerdictFail
	a.Findings = []belay.Finding{belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryAgent,
		Title: withReason(fmt.Sprintf("the agent failed (exit %d), so its work was not checked", a.Exit), a.Note),
	}.Sign()}
	if a.Transient && !m.state.Rechecking {
		m.retryLater()
		return
	}
	if m.event.Same && len(m.state.Repeated()) > 0 { // a third attempt would fail in the same way
		m.openGate(GateBroken, withReason("the agent failed twice in the same way and left the same files", a.Note), CmdAttempt)
		return
	}
	m.onRefused()
}

// retryLater continues after an agent that failed for a temporary reason: with another
// attempt, later, which uses no automatic retry.
func (m *machine) retryLater() {
	if why := m.attemptLimit(); why != "" {
		m.openGate(GateLimit, why, "")
		return
	}
	wait, ok := m.backOff()
	if !ok {
		m.openGate(GateBroken, withReason(fmt.Sprintf("the agent failed %d times in a row", maxWaits+1), m.lastAttempt().Note), CmdAttempt)
		return
	}
	back, reason := m.needsRollback()
	if !back {
		m.setThen(ThenContinue)
	}
	m.planAttempt(Next{Prompt: PromptContinue, Wait: wait}, back, reason)
}

// AgentFailed reports whether the attempt was rejected because its agent ended in error.
func (a Attempt) AgentFailed() bool {
	return a.Verdict == belay.VerdictFail && len(a.Findings) == 1 && a.Findings[0].Category == belay.CategoryAgent
}

// The first and the longest wait after an agent failed for a temporary reason, like a rate limit.
// Each failure in a row doubles the wait; after maxWaits of them a person is asked.
const (
	firstWait   = 15 * time.Second
	longestWait = 10 * time.Minute
	maxWaits    = 8
)

// backOff returns how long to wait before the next attempt; ok is false after maxWaits waits.
func (m *machine) backOff() (wait time.Duration, ok bool) {
	wait, ok = firstWait, true
	row := 0
	for _, a := range slices.Backward(m.state.Attempts[:len(m.state.Attempts)-1]) {
		if !a.AgentFailed() || !a.Transient {
			break
		}
		wait = min(2*wait, longestWait)
		row++
	}
	return wait, row < maxWaits
}

// rollbackCauses maps a finding's category to the reason why it leads to a rollback.
var rollbackCauses = map[belay.Category]string{
	belay.CategoryRecord:    "belay's record was changed",
	belay.CategoryScope:     "out-of-scope or missing files",
	belay.CategoryProtected: "a protected path was changed",
	belay.CategorySecret:    "a secret in the change",
	belay.CategoryIntegrity: "weakened tests",
	belay.CategoryRules:     "agent instructions were changed",
	belay.CategoryGit:       "git's own state was changed",
}

// needsRollback reports whether a new attempt starts from the before snapshot, and why.
func (m *machine) needsRollback() (bool, string) {
	for _, f := range m.state.Reasons() {
		if f.Category == belay.CategoryRecord { // with any policy: no file of such an attempt can be trusted
			return true, rollbackCauses[f.Category]
		}
	}
	switch m.policy.Retry {
	case belay.RetryRollback:
		return true, "retry policy"
	case belay.RetryRepair:
		return false, ""
	}
	for _, f := range m.state.Reasons() {
		if why := rollbackCauses[f.Category]; why != "" && f.Severity != belay.SeverityQuestion {
			return true, why
		}
	}
	for _, f := range m.state.Repeated() {
		refuses := f.Severity != belay.SeverityQuestion && f.Category != belay.CategoryEmpty && f.Category != belay.CategoryAgent
		if refuses { // other findings do not reject the work itself
			return true, "the same finding came back"
		}
	}
	return false, ""
}

// hardLimit names the limit that not even a person can exceed, if it is reached.
func (m *machine) hardLimit() string {
	if hasNoAttempts(m.policy, m.state) {
		return fmt.Sprintf("attempts %d reached (limits.attempts)", m.policy.MaxAttempts)
	}
	return ""
}

// softLimit names the limit that stops the loop from continuing on its own. The feature's
// limit applies to automatic retries only.
func (m *machine) softLimit(auto bool) string {
	switch {
	case m.policy.WallTime > 0 && m.state.Elapsed >= m.policy.WallTime:
		return fmt.Sprintf("wall time %s reached (limits.wall_time)", m.policy.WallTime)
	case usedUp(m.policy, belay.Use{}, m.state.Use) != "":
		return usedUp(m.policy, belay.Use{}, m.state.Use)
	case auto && m.event.FeatureLimit > 0 && m.event.FeatureRetries+m.state.Retries+m.state.Reviewed >= m.event.FeatureLimit:
		return fmt.Sprintf("feature retries %d reached (limits.feature_retries)", m.event.FeatureLimit)
	}
	return ""
}

// ReachedLimit names the limit that the current attempt reaches when its agent has used this
// much, "" for none. If a person continued the task beyond a limit, only the use since then
// counts.
func ReachedLimit(p belay.Policy, s State, used belay.Use) string {
	var granted belay.Use
	if s.Granted != nil {
		granted = *s.Granted
	}
	return usedUp(p, granted, s.Plus(used))
}

// usedUp names the limit of cost or tokens that is reached by the use beyond granted. It tolerates
// an error of a billionth: ten times 0.1 is below 1 in binary.
func usedUp(p belay.Policy, granted, used belay.Use) string {
	switch {
	case p.Cost > 0 && used.Cost-granted.Cost >= p.Cost*(1-1e-9):
		return fmt.Sprintf("cost %s reached (limits.cost): %s used", belay.Dollars(p.Cost), used.CostText())
	case p.Tokens > 0 && used.TokenSum()-granted.TokenSum() >= p.Tokens:
		return fmt.Sprintf("%s tokens reached (limits.tokens): %s used", belay.Thousands(p.Tokens), used.TokensText())
	}
	return ""
}

// reviewDeadlock returns why reviews make no progress: reviewers have rejected as often as allowed,
// or one of their findings has rejected three attempts in a row. Another attempt would only repeat
// the argument. A person's rejections at a gate are not counted, because a person is already
// involved.
func (m *machine) reviewDeadlock() string {
	if m.lastAttempt().Review == "" {
		return ""
	}
	if why := m.repeatedFinding(); why != "" {
		return why
	}
	if n := m.countRefusals(); m.policy.Reviews > 0 && n >= m.policy.Reviews {
		return m.refusalsText(n)
	}
	return ""
}

// countRefusals counts the attempts that configured reviewers rejected.
func (m *machine) countRefusals() int {
	n, _ := m.state.Reviews()
	return n
}

func (m *machine) refusalsText(n int) string {
	return fmt.Sprintf("reviewers rejected %d of %d times (mode)", n, m.policy.Reviews)
}

// fewerRefusalsText returns how often the reviewers rejected, for a task that stops before they
// reached the mode's number.
func (m *machine) fewerRefusalsText() string {
	n := m.countRefusals()
	if !m.policy.Review || m.policy.Reviews == 0 || n >= m.policy.Reviews {
		return ""
	}
	return "; before that, " + m.refusalsText(n)
}

// repeatedFinding names a review finding that rejected each of the last three rejected attempts. It
// returns the current text, because the finding's place may have moved.
func (m *machine) repeatedFinding() string {
	same := map[string]int{}
	var newest []belay.Finding
	for _, one := range m.state.Attempts {
		if one.Verdict != belay.VerdictFail {
			continue
		}
		was := same
		same, newest = map[string]int{}, nil
		if one.Review == "" && one.Reviewer == "" {
			continue
		}
		newest = one.Reasons()
		for _, f := range newest {
			sign := signature(f)
			same[sign] = was[sign] + 1
		}
	}
	for _, f := range newest {
		if same[signature(f)] >= 3 {
			return fmt.Sprintf("the same finding blocked three attempts in a row: %s", f.Title)
		}
	}
	return ""
}

func (m *machine) attemptLimit() string {
	if why := m.hardLimit(); why != "" {
		return why
	}
	return m.softLimit(false)
}

// onStopped continues after the capture of an attempt that a person stopped.
func (m *machine) onStopped() {
	if hasNoAttempts(m.policy, m.state) {
		m.openGate(GateCancelled, "a person stopped the run", "")
		m.setThen(ThenGate)
		return
	}
	if why := usedUp(m.policy, belay.Use{}, m.state.Use); why != "" && m.state.Granted == nil {
		m.openGate(GateLimit, why, "")
		return
	}
	m.setThen(ThenContinue)
	m.planAttempt(Next{Prompt: PromptContinue}, m.policy.Retry == belay.RetryRollback, "retry policy")
}

// onLost continues after the capture of an attempt that died with its shim.
func (m *machine) onLost() {
	if m.state.Losts > m.policy.Lost {
		m.openGate(GateLost, fmt.Sprintf("an attempt was lost for the %s time; only %d are restarted automatically",
			ordinal(m.state.Losts), max(0, m.policy.Lost)), "")
		return
	}
	if why := m.attemptLimit(); why != "" {
		m.openGate(GateLimit, why, "")
		return
	}
	m.setThen(ThenContinue)
	m.planAttempt(Next{Prompt: PromptContinue}, m.policy.Retry != belay.RetryRepair, "the attempt was lost")
}

// onStalled continues after the capture of a stalled attempt: with the kept tree, and a prompt that
// names the repeated calls; too many stalls fail the task.
func (m *machine) onStalled() {
	a := m.lastAttempt()
	if m.state.Stalls > m.policy.Stalls {
		m.setThen(ThenFailed)
		m.closeTask(OutcomeFailed,
			withReason(fmt.Sprintf("attempt %d kept repeating the same tool calls: the %s stall, and only %d may be retried",
				a.N, ordinal(m.state.Stalls), max(0, m.policy.Stalls)), a.Note))
		return
	}
	if why := m.attemptLimit(); why != "" {
		m.openGate(GateLimit, why, "")
		return
	}
	m.setThen(ThenRecover)
	m.planAttempt(Next{Prompt: PromptStall}, false, "")
}

func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
