package loop

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestSessionContinues: an attempt on the kept tree continues the agent's session; after a
// rollback, a stall, or a permanent failure of the agent a new one is started.
func TestSessionContinues(t *testing.T) {
	t.Parallel()
	mine := belay.AgentSession{Agent: "codex", ID: "s1"}
	for story, want := range map[string]belay.AgentSession{
		"ok ok ok":                          {},
		"ok ok ok fail":                     mine,
		"ok ok ok fail:scope ok":            {},
		"ok stall ok":                       {},
		"ok cancel ok resume":               mine,
		"ok exit=7 ok":                      {},
		"ok ok ok fail ok ok fail":          mine,
		"ok ok ok fail:scope ok ok ok fail": mine,
	} {
		s := State{}
		for _, word := range strings.Fields("start " + story) {
			e := event(t, s, word)
			if s.Pending != nil && s.Pending.Kind == CmdAttempt {
				e.Session = mine
			}
			next, _, err := Step(standard, s, e)
			if err != nil {
				t.Fatalf("%s: %s: %v", story, word, err)
			}
			s = next
		}
		if s.Pending == nil || s.Pending.Kind != CmdAttempt && story != "ok ok ok" {
			t.Fatalf("%s: no attempt is started: %+v", story, s.Pending)
		}
		if got := s.Pending.Session; got != want {
			t.Errorf("%s: %+v, want %+v", story, got, want)
		}
	}
}
