package loop

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

var (
	once     = belay.Policy{}
	standard = belay.DefaultPolicy()
	rollback = with(func(p *belay.Policy) { p.Retry = belay.RetryRollback })
	repair   = with(func(p *belay.Policy) { p.Retry = belay.RetryRepair })
	reviewed = with(func(p *belay.Policy) { p.Review = true })
	one      = with(func(p *belay.Policy) { p.Retries = 1 })
)

func with(change func(*belay.Policy)) belay.Policy {
	p := belay.DefaultPolicy()
	change(&p)
	return p
}

// toCheck is the common start of all stories, up to the first verdict.
const toCheck = "snapshot attempt1/full capture/after check "

var stories = []struct {
	name   string
	policy belay.Policy
	story  string
	want   string
}{
	{"passes at once", once, "ok ok ok ok ok", toCheck + "close =passed"},
	{"baseline first", with(func(p *belay.Policy) { p.Baseline = true }), "ok ok ok ok ok ok", "snapshot baseline attempt1/full capture/after check close =passed"},
	{"review after a pass", reviewed, "ok ok ok ok ok ok", toCheck + "review close =passed"},
	{"review refuses", reviewed, "ok ok ok ok fail:review ok ok ok ok ok", toCheck + "review attempt2/repair capture/after check review close =passed"},
	{"review cannot tell", reviewed, "ok ok ok ok unknown", toCheck + "review ?unknown"},
	{"a timeout is judged", once, "ok timeout ok ok ok", toCheck + "close =passed"},
	{"an agent that ended in error is not judged", once, "ok exit=1 ok", "snapshot attempt1/full capture/after ?retries"},
	{"and is started again on what it left", standard, "ok exit=1 ok", "snapshot attempt1/full capture/after attempt2/continue"},
	{"or after a rollback", rollback, "ok exit=1 ok ok", "snapshot attempt1/full capture/after restore attempt2/retry"},
	{"until the retries are used up", one, "ok exit=1 ok exit=1 ok", "snapshot attempt1/full capture/after attempt2/continue capture/after ?retries"},
	{"an exit status that was accepted is judged", with(func(p *belay.Policy) { p.AcceptExit = []int{3, 1} }), "ok exit=1 ok ok ok", toCheck + "close =passed"},

	{"repairs", standard, "ok ok ok fail", toCheck + "attempt2/repair"},
	{"an empty attempt is repaired", standard, "ok ok ok fail:empty:e ok ok fail:empty:e", toCheck + "attempt2/repair capture/after check attempt3/repair"},
	{"rolls back for scope", standard, "ok ok ok fail:scope ok", toCheck + "restore attempt2/retry"},
	{"rolls back for protected", standard, "ok ok ok fail:protected ok", toCheck + "restore attempt2/retry"},
	{"rolls back for secrets", standard, "ok ok ok fail:secret ok", toCheck + "restore attempt2/retry"},
	{"rolls back for integrity", standard, "ok ok ok fail:integrity ok", toCheck + "restore attempt2/retry"},
	{"rolls back for rules", standard, "ok ok ok fail:rules ok", toCheck + "restore attempt2/retry"},
	{"rolls back what came back", standard, "ok ok ok fail:tests:same ok ok fail:tests:same", toCheck + "attempt2/repair capture/after check restore"},
	{"a lost attempt does not hide what came back", repair, "ok ok ok fail:tests:same lost ok ok ok fail:tests:same", toCheck + "attempt2/repair capture/after attempt3/continue capture/after check attempt4/repair"},
	{"forced rollback", rollback, "ok ok ok fail ok", toCheck + "restore attempt2/retry"},
	{"forced repair", repair, "ok ok ok fail:scope", toCheck + "attempt2/repair"},
	{"retries used up", one, "ok ok ok fail ok ok fail", toCheck + "attempt2/repair capture/after check ?retries"},
	{"no retries at all", once, "ok ok ok fail", toCheck + "?retries"},
	{"review failures use retries too", with(func(p *belay.Policy) { p.Review, p.Retries = true, 1 }), "ok ok ok ok fail ok ok ok fail", toCheck + "review attempt2/repair capture/after check review ?retries"},
	{"unknown is never a retry", standard, "ok ok ok unknown", toCheck + "?unknown"},
	{"a question goes back to the agent once", standard, "ok ok ok ask:deleted ok ok ask:deleted", toCheck + "attempt2/repair capture/after check ?question"},
	{"a question that the agent takes back", standard, "ok ok ok ask:deleted ok ok ok ok", toCheck + "attempt2/repair capture/after check close =passed"},
	{"another question goes back too", standard, "ok ok ok ask:deleted ok ok ask:other ok ok ask:other", toCheck + "attempt2/repair capture/after check attempt3/repair capture/after check ?question"},
	{"a question without retries", once, "ok ok ok ask:deleted", toCheck + "?question"},
	{"a question after a recheck", once, "ok ok ok ask:deleted recheck ok ask:other", toCheck + "?question capture/after check ?question"},
	{"a question never rolls back", rollback, "ok ok ok ask:deleted", toCheck + "attempt2/repair"},
	{"a question, then worse", standard, "ok ok ok ask:deleted ok ok fail:scope", toCheck + "attempt2/repair capture/after check restore"},
	{"no verdict is unknown", standard, "ok ok ok none", toCheck + "?unknown"},

	{"attempts limit", with(func(p *belay.Policy) { p.MaxAttempts = 1 }), "ok ok ok fail", toCheck + "?limit"},
	{"wall time limit", with(func(p *belay.Policy) { p.WallTime = 3600e9 }), "ok ok@30m ok fail ok@30m ok fail", toCheck + "attempt2/repair capture/after check ?limit"},
	{"cost limit counts checks", with(func(p *belay.Policy) { p.Cost = 2 }), "ok ok$1.5 ok fail$0.5", toCheck + "?limit"},
	{"a limit in flight is captured, not judged, and a person is asked", with(func(p *belay.Policy) { p.Cost = 2 }), "ok limited$2.5 ok guide ok$1 ok ok",
		"snapshot attempt1/full capture/after ?limit attempt2/continue capture/after check close"},
	{"a limit in flight, put back", with(func(p *belay.Policy) { p.Cost = 2 }), "ok limited$2.5 ok abort ok ok", "snapshot attempt1/full capture/after ?limit restore close =aborted"},
	{"stopped at the limit: a person is asked before it goes on", with(func(p *belay.Policy) { p.Cost = 2 }), "ok cancel$2.5 ok guide", "snapshot attempt1/full capture/after ?limit attempt2/continue"},
	{"a pass at the limit passes", with(func(p *belay.Policy) { p.Cost = 2 }), "ok ok$5 ok ok ok", toCheck + "close =passed"},
	{"feature retries limit", standard, "ok ok ok fail#4/5 ok ok fail#4/5", toCheck + "attempt2/repair capture/after check ?limit"},
	{"guidance goes past soft limits", with(func(p *belay.Policy) { p.Cost = 2 }), "ok ok$5 ok fail guide ok$1 ok fail", toCheck + "?limit attempt2/repair capture/after check ?limit"},

	{"stall keeps the tree", standard, "ok stall ok ok", "snapshot attempt1/full capture/stall attempt2/stall capture/after"},
	{"third stall fails", standard, "ok stall ok stall ok stall ok ok ok", "snapshot attempt1/full capture/stall attempt2/stall capture/stall attempt3/stall capture/stall restore close =failed"},
	{"no recovery allowed", once, "ok stall ok ok ok", "snapshot attempt1/full capture/stall restore close =failed"},
	{"stall at the attempts limit", with(func(p *belay.Policy) { p.MaxAttempts = 1 }), "ok stall ok", "snapshot attempt1/full capture/stall ?limit"},
	{"stalls eat no retries", one, "ok stall ok ok ok fail ok ok fail", "snapshot attempt1/full capture/stall attempt2/stall capture/after check attempt3/repair capture/after check ?retries"},

	{"lost is made again from the start", standard, "ok lost ok ok", "snapshot attempt1/full capture/after restore attempt2/retry"},
	{"lost goes on with repair", repair, "ok lost ok", "snapshot attempt1/full capture/after attempt2/continue"},
	{"lost too often", repair, "ok lost ok lost ok lost ok", "snapshot attempt1/full capture/after attempt2/continue capture/after attempt3/continue capture/after ?lost"},
	{"losses eat no retries", with(func(p *belay.Policy) { p.Retries, p.Retry = 1, belay.RetryRepair }), "ok lost ok ok ok fail ok ok fail", "snapshot attempt1/full capture/after attempt2/continue capture/after check attempt3/repair capture/after check ?retries"},
	{"lost regardless of the feature's retries", repair, "ok lost ok#5/5", "snapshot attempt1/full capture/after attempt2/continue"},
	{"lost at the wall time", with(func(p *belay.Policy) { p.WallTime = 60e9 }), "ok lost@2m ok", "snapshot attempt1/full capture/after ?limit"},

	{"command not found", standard, "ok exit=127 ok", "snapshot attempt1/full capture/after ?broken"},
	{"command not executable", standard, "ok exit=126 ok guide", "snapshot attempt1/full capture/after ?broken attempt2/full"},

	{"an attempt after a blocked recheck", standard, "ok blocked ok fail:empty recheck ok fail:empty guide stall ok", toCheck +
		"?broken capture/after check ?broken attempt2/full capture/stall attempt3/stall"},
	{"broken snapshot aborts without restore", standard, "broken abort ok", "snapshot ?broken close =aborted"},
	{"broken snapshot again", standard, "broken guide ok", "snapshot ?broken snapshot attempt1/full"},
	{"broken baseline again", with(func(p *belay.Policy) { p.Baseline = true }), "ok broken guide ok", "snapshot baseline ?broken baseline attempt1/full"},
	{"broken attempt again", standard, "ok broken guide", "snapshot attempt1/full ?broken attempt2/full"},
	{"broken capture again", standard, "ok ok broken guide ok", "snapshot attempt1/full capture/after ?broken capture/after check"},
	{"broken stall capture again", standard, "ok stall broken guide ok", "snapshot attempt1/full capture/stall ?broken capture/stall attempt2/stall"},
	{"broken check again", standard, "ok ok ok broken guide ok ok", toCheck + "?broken check close =passed"},
	{"broken review again", reviewed, "ok ok ok ok broken guide ok ok", toCheck + "review ?broken review close =passed"},
	{"broken rollback again", rollback, "ok ok ok fail broken guide ok", toCheck + "restore ?broken restore attempt2/retry"},
	{"broken debug again", once, "ok ok ok fail debug broken guide ok ok", toCheck + "?retries debug ?broken debug restore attempt2/retry"},
	{"broken close again", once, "ok ok ok ok broken guide ok", toCheck + "close ?broken close =passed"},
	{"broken close aborted", once, "ok ok ok ok broken abort ok ok", toCheck + "close ?broken restore close =aborted"},
	{"broken ending again", once, "ok ok ok fail abort broken guide ok ok", toCheck + "?retries restore ?broken restore close =aborted"},
	{"broken ending, other ending", once, "ok ok ok fail abort broken skip ok ok", toCheck + "?retries restore ?broken restore close =skipped"},
	{"broken ending, judged again", once, "ok ok ok fail abort broken recheck ok ok ok", toCheck + "?retries restore ?broken capture/after check close =passed"},
	{"broken check judged again", standard, "ok ok ok broken recheck ok ok", toCheck + "?broken capture/after check close"},
	{"broken close skipped without before", standard, "broken abort broken skip ok", "snapshot ?broken close ?broken close =skipped"},

	{"cancelled attempt resumes on the kept tree", standard, "ok cancel ok resume", "snapshot attempt1/full capture/after ?cancelled attempt2/continue"},
	{"cancelled attempt rolls back by policy", rollback, "ok cancel ok resume ok", "snapshot attempt1/full capture/after ?cancelled restore attempt2/retry"},
	{"cancelled attempt resumed before its capture", standard, "ok cancel resume ok", "snapshot attempt1/full capture/after - attempt2/continue"},
	{"cancelled check parks the retry", standard, "ok ok ok cancel fail resume", toCheck + "- ?cancelled attempt2/repair"},
	{"cancelled check parks the rollback", standard, "ok ok ok cancel fail:scope resume ok", toCheck + "- ?cancelled restore attempt2/retry"},
	{"cancelled check parks the close", standard, "ok ok ok cancel ok resume ok", toCheck + "- ?cancelled close =passed"},
	{"cancelled capture parks the check", standard, "ok ok cancel ok resume ok", "snapshot attempt1/full capture/after - ?cancelled check close"},
	{"cancelled snapshot parks the attempt", standard, "cancel ok resume", "snapshot - ?cancelled attempt1/full"},
	{"cancelled snapshot parks the baseline", with(func(p *belay.Policy) { p.Baseline = true }), "cancel ok resume ok", "snapshot - ?cancelled baseline attempt1/full"},
	{"cancelled rollback parks the attempt", rollback, "ok ok ok fail cancel ok resume", toCheck + "restore - ?cancelled attempt2/retry"},
	{"cancelled debug parks the rollback", once, "ok ok ok fail debug cancel ok resume ok", toCheck + "?retries debug - ?cancelled restore attempt2/retry"},
	{"cancelled before the gate opens", once, "ok ok ok cancel fail", toCheck + "- ?retries"},
	{"cancelled and broken", standard, "ok ok ok cancel broken", toCheck + "- ?broken"},
	{"cancelled at a gate stays", once, "ok ok ok fail cancel abort", toCheck + "?retries - restore"},
	{"cancelled while closing finishes", once, "ok ok ok ok cancel ok", toCheck + "close - =passed"},
	{"cancelled while putting back finishes", once, "ok ok ok fail skip cancel ok cancel ok", toCheck + "?retries restore - close - =skipped"},
	{"stopped baseline", with(func(p *belay.Policy) { p.Baseline = true }), "ok stop resume ok", "snapshot baseline ?cancelled baseline attempt1/full"},
	{"stopped baseline, then given up", with(func(p *belay.Policy) { p.Baseline = true }), "ok stop abort ok ok", "snapshot baseline ?cancelled restore close =aborted"},
	{"stopped check", standard, "ok ok ok stop resume ok", toCheck + "?cancelled check close"},
	{"stopped check, then guided", standard, "ok ok ok stop guide", toCheck + "?cancelled attempt2/repair"},
	{"stopped debug", once, "ok ok ok fail debug stop resume ok", toCheck + "?retries debug ?cancelled debug restore"},
	{"cancelled twice", standard, "ok ok ok cancel cancel ok", toCheck + "- - ?cancelled"},
	{"cancelled stall parks the ending", once, "ok stall cancel ok resume ok ok", "snapshot attempt1/full capture/stall - ?cancelled restore close =failed"},
	{"cancelled, then guided instead of failed", once, "ok stall cancel ok guide", "snapshot attempt1/full capture/stall - ?cancelled attempt2/stall"},
	{"cancelled in the last attempt", with(func(p *belay.Policy) { p.MaxAttempts = 1 }), "ok cancel ok resume recheck ok ok ok", "snapshot attempt1/full capture/after ?cancelled ?limit capture/after check close =passed"},
	{"cancelled, then guided", standard, "ok ok cancel ok guide", "snapshot attempt1/full capture/after - ?cancelled attempt2/repair"},
	{"cancelled before the attempt, then guided", standard, "cancel ok guide", "snapshot - ?cancelled attempt1/full"},
	{"cancelled recheck goes on as a recheck", once, "ok ok ok fail recheck cancel ok resume fail", toCheck + "?retries capture/after - ?cancelled check ?recheck"},
	{"cancelled and aborted", standard, "ok cancel ok abort ok ok", "snapshot attempt1/full capture/after ?cancelled restore close =aborted"},
	{"resumed where nothing stopped", standard, "ok resume", "snapshot attempt1/full !notnow"},
	{"resumed at another gate", once, "ok ok ok fail resume", toCheck + "?retries !notnow"},

	{"debug rolls back", standard, "ok ok ok unknown debug ok ok", toCheck + "?unknown debug restore attempt2/retry"},
	{"debug keeps with repair", with(func(p *belay.Policy) { p.Retries, p.Retry = 0, belay.RetryRepair }), "ok ok ok fail debug ok", toCheck + "?retries debug attempt2/repair"},
	{"guide keeps the tree", once, "ok ok ok fail guide ok ok fail", toCheck + "?retries attempt2/repair capture/after check ?retries"},
	{"guide rolls back", once, "ok ok ok fail:scope guide ok", toCheck + "?retries restore attempt2/retry"},
	{"guide leaves the retries", standard, "ok ok ok unknown guide ok ok fail ok ok fail ok ok fail ok ok fail", toCheck + "?unknown attempt2/repair capture/after check attempt3/repair capture/after check attempt4/repair capture/after check attempt5/repair capture/after check ?retries"},
	{"recheck passes", once, "ok ok ok fail recheck ok ok ok", toCheck + "?retries capture/after check close =passed"},
	{"recheck is reviewed", reviewed, "ok ok ok unknown recheck ok ok ok ok", toCheck + "?unknown capture/after check review close =passed"},
	{"recheck fails without retry", standard, "ok ok ok unknown recheck ok fail", toCheck + "?unknown capture/after check ?recheck"},
	{"recheck after which a person guides", standard, "ok ok ok unknown recheck ok fail guide", toCheck + "?unknown capture/after check ?recheck attempt2/repair"},
	{"recheck unknown", standard, "ok ok ok unknown recheck ok unknown", toCheck + "?unknown capture/after check ?unknown"},
	{"recheck broken is still a recheck", standard, "ok ok ok unknown recheck broken guide ok broken guide fail", toCheck + "?unknown capture/after ?broken capture/after check ?broken check ?recheck"},
	{"skip", once, "ok ok ok fail skip ok ok", toCheck + "?retries restore close =skipped"},
	{"abort", once, "ok ok ok fail abort ok ok", toCheck + "?retries restore close =aborted"},
	{"closed is closed", once, "ok ok ok ok ok cancel resume abort start broken", toCheck + "close =passed !notnow !notnow !notnow !notnow !notnow"},
	{"started twice", once, "start", "snapshot !notnow"},
	{"no gate to decide at", once, "ok abort", "snapshot attempt1/full !notnow"},
}

func TestStories(t *testing.T) {
	t.Parallel()
	for _, c := range stories {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, trace := tell(t, c.policy, c.story)
			if got := strings.Join(trace, " "); got != strings.TrimSpace(c.want) {
				t.Errorf("%s\n got %s\nwant %s", c.story, got, c.want)
			}
		})
	}
}
