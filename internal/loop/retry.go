package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// refused follows a failed verdict: an automatic retry, or a person is asked.
func (m *machine) refused() {
	a := m.last()
	if m.s.Rechecking {
		m.ask(GateRecheck, fmt.Sprintf("attempt %d was rejected again on recheck", a.N), "")
		return
	}
	reviewed := m.p.ReviewRetries && a.Review != "" && a.Reviewer == ""
	free := reviewed && m.refusals() < m.p.Reviews
	why, stop := m.hardLimit(), GateLimit
	if why == "" && reviewed {
		why = m.arguing()
	}
	if why == "" && !free && len(m.s.Attempts) >= m.s.Allowed {
		why, stop = fmt.Sprintf("attempt %d was rejected; %d of %d automatic retries used (retries)",
			a.N, m.s.Retries, max(0, m.p.Retries)), GateRetries
		if m.s.Retries == 0 {
			why = fmt.Sprintf("attempt %d was rejected; automatic retries are off (retries 0)", a.N)
		}
	}
	if why == "" {
		if why = m.arguing(); why == "" {
			why = m.softLimit(true)
		}
	}
	if why != "" {
		m.ask(stop, why+m.short(), "")
		return
	}
	back, reason := m.rollsBack()
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
	m.again(next, back, reason)
}

// questioned follows work that nothing but questions keeps from being accepted. The agent
// hears of each once, with its work kept, and may take it back; then a person is asked.
func (m *machine) questioned() {
	a := m.last()
	again := len(m.s.Repeated()) == len(a.Reasons())
	if m.s.Rechecking || again || m.hardLimit() != "" || m.softLimit(true) != "" || len(m.s.Attempts) >= m.s.Allowed {
		var titles []string
		for _, f := range a.Reasons() {
			titles = append(titles, f.Title)
		}
		m.ask(GateQuestion, fmt.Sprintf("attempt %d needs your approval: %s", a.N, strings.Join(titles, "; ")), "")
		return
	}
	m.then(ThenRepair)
	m.again(Next{Prompt: PromptRepair, Auto: true}, false, "")
}

// failed follows the capture of what an agent left that ended in error. It did not say that
// it was done, so there is nothing to judge.
func (m *machine) failed() {
	a := m.last()
	a.Verdict = belay.VerdictFail
	a.Findings = []belay.Finding{belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryAgent,
		Title: because(fmt.Sprintf("the agent failed (exit %d), so its work was not checked", a.Exit), a.Note),
	}.Sign()}
	if a.Transient && !m.s.Rechecking {
		m.waits()
		return
	}
	if m.e.Same && len(m.s.Repeated()) > 0 { // a third time would cost the same and do the same
		m.ask(GateBroken, because("the agent failed twice in the same way and left the same files", a.Note), CmdAttempt)
		return
	}
	m.refused()
}

// waits follows an agent that failed for a reason that passes: another attempt, later, which uses no automatic retry.
func (m *machine) waits() {
	if why := m.limit(); why != "" {
		m.ask(GateLimit, why, "")
		return
	}
	wait, ok := m.backOff()
	if !ok {
		m.ask(GateBroken, because(fmt.Sprintf("the agent failed %d times in a row", mostWaits+1), m.last().Note), CmdAttempt)
		return
	}
	back, reason := m.rollsBack()
	if !back {
		m.then(ThenContinue)
	}
	m.again(Next{Prompt: PromptContinue, Wait: wait}, back, reason)
}

// AgentFailed reports whether the attempt was refused because its agent ended in error.
func (a Attempt) AgentFailed() bool {
	return a.Verdict == belay.VerdictFail && len(a.Findings) == 1 && a.Findings[0].Category == belay.CategoryAgent
}

// The first wait after an agent that failed for a reason that passes, like a rate limit,
// and the longest. Each failure in a row doubles it, and after mostWaits of them a person is asked.
const (
	firstWait   = 15 * time.Second
	longestWait = 10 * time.Minute
	mostWaits   = 8
)

// backOff is how long to wait before the next attempt; ok is false when that was done often enough.
func (m *machine) backOff() (wait time.Duration, ok bool) {
	wait, ok = firstWait, true
	row := 0
	for _, a := range slices.Backward(m.s.Attempts[:len(m.s.Attempts)-1]) {
		if !a.AgentFailed() || !a.Transient {
			break
		}
		wait = min(2*wait, longestWait)
		row++
	}
	return wait, row < mostWaits
}

// causes says why a finding of a category leads to a rollback.
var causes = map[belay.Category]string{
	belay.CategoryRecord:    "belay's record was changed",
	belay.CategoryScope:     "out-of-scope or missing files",
	belay.CategoryProtected: "a protected path was changed",
	belay.CategorySecret:    "a secret in the change",
	belay.CategoryIntegrity: "weakened tests",
	belay.CategoryRules:     "agent instructions were changed",
	belay.CategoryGit:       "git's own state was changed",
}

// rollsBack reports whether a new attempt starts from the state before, and why.
func (m *machine) rollsBack() (bool, string) {
	for _, f := range m.s.Reasons() {
		if f.Category == belay.CategoryRecord { // whatever the policy: nothing such an attempt left can be relied on
			return true, causes[f.Category]
		}
	}
	switch m.p.Retry {
	case belay.RetryRollback:
		return true, "retry policy"
	case belay.RetryRepair:
		return false, ""
	}
	for _, f := range m.s.Reasons() {
		if why := causes[f.Category]; why != "" && f.Severity != belay.SeverityQuestion {
			return true, why
		}
	}
	for _, f := range m.s.Repeated() {
		refuses := f.Severity != belay.SeverityQuestion && f.Category != belay.CategoryEmpty && f.Category != belay.CategoryAgent
		if refuses { // else nothing of the work was refused
			return true, "the same finding came back"
		}
	}
	return false, ""
}

// hardLimit names the limit that not even a person can go past, if it is reached.
func (m *machine) hardLimit() string {
	if exhausted(m.p, m.s) {
		return fmt.Sprintf("attempts %d reached (limits.attempts)", m.p.MaxAttempts)
	}
	return ""
}

// softLimit names the limit that keeps the loop from going on by itself. The
// feature's limit is about automatic retries alone.
func (m *machine) softLimit(auto bool) string {
	switch {
	case m.p.WallTime > 0 && m.s.Elapsed >= m.p.WallTime:
		return fmt.Sprintf("wall time %s reached (limits.wall_time)", m.p.WallTime)
	case spentAll(m.p, belay.Use{}, m.s.Use) != "":
		return spentAll(m.p, belay.Use{}, m.s.Use)
	case auto && m.e.FeatureLimit > 0 && m.e.FeatureRetries+m.s.Retries+m.s.Reviewed >= m.e.FeatureLimit:
		return fmt.Sprintf("feature retries %d reached (limits.feature_retries)", m.e.FeatureLimit)
	}
	return ""
}

// Reached names the limit that the attempt under way reaches when its agent has used this
// much, "" for none. Of a task that a person let go on past a limit, only what was used
// since counts.
func Reached(p belay.Policy, s State, used belay.Use) string {
	var granted belay.Use
	if s.Granted != nil {
		granted = *s.Granted
	}
	return spentAll(p, granted, s.Plus(used))
}

// spentAll names the limit of cost or tokens that is reached by what was used beyond what
// was granted. A billionth of the limit may be missing: ten times 0.1 is below 1 in binary.
func spentAll(p belay.Policy, granted, used belay.Use) string {
	switch {
	case p.Cost > 0 && used.Cost-granted.Cost >= p.Cost*(1-1e-9):
		return fmt.Sprintf("cost %s reached (limits.cost): %s used", belay.Dollars(p.Cost), used.CostText())
	case p.Tokens > 0 && used.TokenSum()-granted.TokenSum() >= p.Tokens:
		return fmt.Sprintf("%s tokens reached (limits.tokens): %s used", belay.Thousands(p.Tokens), used.TokensText())
	}
	return ""
}

// arguing says that a review goes round: reviewers have refused as often as they may,
// or one finding of theirs has refused three attempts in a row. Going on would only
// have the same argument again. A person's rejections at a gate are not counted: the
// count is there to bring in a person.
func (m *machine) arguing() string {
	if m.last().Review == "" {
		return ""
	}
	if why := m.sameThrice(); why != "" {
		return why
	}
	if n := m.refusals(); m.p.Reviews > 0 && n >= m.p.Reviews {
		return m.refusedTimes(n)
	}
	return ""
}

// refusals counts the attempts that configured reviewers refused.
func (m *machine) refusals() int {
	n, _ := m.s.Reviews()
	return n
}

func (m *machine) refusedTimes(n int) string {
	return fmt.Sprintf("reviewers rejected %d of %d times (mode)", n, m.p.Reviews)
}

// short says, of what stops a task whose reviewers might refuse more often, how often they
// did: why the mode's number was not reached.
func (m *machine) short() string {
	n := m.refusals()
	if !m.p.Review || m.p.Reviews == 0 || n >= m.p.Reviews {
		return ""
	}
	return "; before that, " + m.refusedTimes(n)
}

// sameThrice names a finding of a review that has refused the last three attempts that
// were refused, in the words it has now: the place may have moved.
func (m *machine) sameThrice() string {
	same := map[string]int{}
	var newest []belay.Finding
	for _, one := range m.s.Attempts {
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

func (m *machine) limit() string {
	if why := m.hardLimit(); why != "" {
		return why
	}
	return m.softLimit(false)
}

// stopped follows the capture of an attempt that a person stopped.
func (m *machine) stopped() {
	if exhausted(m.p, m.s) {
		m.ask(GateCancelled, "a person stopped the run", "")
		m.then(ThenGate)
		return
	}
	if why := spentAll(m.p, belay.Use{}, m.s.Use); why != "" && m.s.Granted == nil {
		m.ask(GateLimit, why, "")
		return
	}
	m.then(ThenContinue)
	m.again(Next{Prompt: PromptContinue}, m.p.Retry == belay.RetryRollback, "retry policy")
}

// lost follows the capture of what an attempt left that died with its runner.
func (m *machine) lost() {
	if m.s.Losts > m.p.Lost {
		m.ask(GateLost, fmt.Sprintf("an attempt was lost for the %s time; only %d are restarted automatically",
			ordinal(m.s.Losts), max(0, m.p.Lost)), "")
		return
	}
	if why := m.limit(); why != "" {
		m.ask(GateLimit, why, "")
		return
	}
	m.then(ThenContinue)
	m.again(Next{Prompt: PromptContinue}, m.p.Retry != belay.RetryRepair, "the attempt was lost")
}

// stalled follows the stall snapshot: told about it, the agent goes on with the kept
// tree; one stall too many fails the task.
func (m *machine) stalled() {
	a := m.last()
	if m.s.Stalls > m.p.Stalls {
		m.then(ThenFailed)
		m.end(OutcomeFailed, because(fmt.Sprintf("attempt %d kept repeating the same tool calls: the %s stall, and only %d may be retried",
			a.N, ordinal(m.s.Stalls), max(0, m.p.Stalls)), a.Note))
		return
	}
	if why := m.limit(); why != "" {
		m.ask(GateLimit, why, "")
		return
	}
	m.then(ThenRecover)
	m.again(Next{Prompt: PromptStall}, false, "")
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
