package machine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

const limitsFile = `teams:
  - name: search
    remotes: [https://git.example.com/search/]
    cost_per_day: 12
    unknown_cost: 0.50
    agents:
      claude: {at_once: 4, per_hour: 30}
      "*": {at_once: 8}
  - name: others
    remotes: ["*"]
`

func TestParseLimits(t *testing.T) {
	t.Parallel()
	teams, err := ParseLimits([]byte(limitsFile))
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{Teams: teams}
	l := m.limitsFor("https://git.example.com/search/app.git")
	if l == nil || l.Team != "search" || l.CostPerDay != 12 || l.UnknownCost != 0.5 || l.Agents["claude"].PerHour != 30 || l.Agents["*"].AtOnce != 8 {
		t.Errorf("%+v", l)
	}
	if got := m.teamOf("https://git.example.com/searching/app.git"); got != "others" {
		t.Error(got)
	}
	if got := new(Machine).teamOf("x"); got != "" {
		t.Error(got)
	}
	for text, want := range map[string]string{
		"teams: [{name: a, remotes: [x], cost_per_day: 1}]":                     "unknown_cost",
		"teams: [{name: a, remotes: [x], cost_per_day: -1}]":                    "not negative",
		"teams: [{name: a, remotes: [x], cost_per_day: .nan}]":                  "not negative",
		"teams: [{name: a, remotes: [x], cost_per_day: .inf, unknown_cost: 1}]": "not negative",
		"teams: [{name: a/b, remotes: [x]}]":                                    "the name",
		"teams: [{name: a}]":                                                    "no remotes",
		"teams: [{name: a, remotes: [x]}, {name: a, remotes: [y]}]":             "twice",
		"teams: [{name: a, remotes: [x], agents: {claude: {at_once: -1}}}]":     "claude",
		"teams: [{name: a, remotes: [x], agents: {claude: {at_onec: 1}}}]":      "at_onec",
		"teams: [{name: a, remotes: [x], cost_per_week: 1}]":                    "cost_per_week",
		"teams: 7":                       "the file of limits",
		"[":                              "the file of limits",
		strings.Repeat("#", MaxLimits+1): "larger",
	} {
		if _, err := ParseLimits([]byte(text)); belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, expected %s", text, err, want)
		}
	}
	if teams, err := ParseLimits(nil); err != nil || len(teams) != 0 {
		t.Errorf("an empty file: %v, %v", teams, err)
	}
}

// FuzzParseLimits: a file is rejected with a reason, or each of its teams has usable limits.
func FuzzParseLimits(f *testing.F) {
	f.Add([]byte(limitsFile))
	f.Add([]byte("teams: [{name: a, remotes: [x], cost_per_day: 1e400}]"))
	f.Add([]byte("a: &a [*a]\nteams: *a"))
	f.Fuzz(func(t *testing.T, text []byte) {
		teams, err := ParseLimits(text)
		if err != nil {
			if belay.CodeOf(err) != belay.CodeUsage || strings.ContainsAny(err.Error(), "\x00\x1b\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		m := &Machine{Teams: teams}
		for _, team := range teams {
			if l := m.limitsFor(strings.TrimSuffix(team.Remotes[0], "/") + "/x"); l != nil && l.CostPerDay > 0 && l.UnknownCost <= 0 {
				t.Fatalf("%+v", l)
			}
		}
	})
}

// server records signals.
type server struct {
	Lister
	to   string
	slot task.Slot
	e    task.LimitEvent

	fails error
	down  int // how often the server is still unavailable
}

func (s *server) SignalWorkflow(_ context.Context, id, _, _ string, arg any) error {
	if e, ok := arg.(task.LimitEvent); ok {
		s.to, s.e = id, e
		if id == "belay/limits/idle" {
			return serviceerror.NewNotFound("nothing is under way")
		}
		if s.down--; s.down >= 0 {
			return serviceerror.NewUnavailable("connection refused")
		}
		return s.fails
	}
	s.to, s.slot = id, arg.(task.Slot)
	return nil
}

func (s *server) SignalWithStartWorkflow(_ context.Context, id, _ string, arg any, _ client.StartWorkflowOptions, _ any, _ ...any) (
	client.WorkflowRun, error) {
	s.to, s.e = id, arg.(task.LimitEvent)
	return nil, nil
}

// The team is the one in the worker's file, whatever the task states.
func TestSlotIsOfTheTeam(t *testing.T) {
	t.Parallel()
	teams, err := ParseLimits([]byte(limitsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		teams []Team
		want  string
	}{{teams, "belay/limits/search"}, {nil, "w"}} {
		s := &server{}
		m := New(Machine{Trusted: []string{"*"}, Teams: c.teams, Server: s}, 1)
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(m.Slot)
		q := task.Ask{Task: task.Input{ID: "T1", Remote: "https://git.example.com/search/app.git"},
			Slot: task.Slot{Workflow: "w", Ticket: "a1", Agent: "claude"}}
		if _, err := env.ExecuteActivity(m.Slot, q); err != nil {
			t.Fatal(err)
		}
		if s.to != c.want || c.teams == nil && !s.slot.Granted || c.teams != nil && (s.e.Kind != task.LimitAsk || s.e.Limits.CostPerDay != 12) {
			t.Errorf("%+v", s)
		}
	}
}

// TestAnnounce: a worker's limits reach each team that has running or waiting attempts, once the
// server is there.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	s := &server{down: 1}
	m := New(Machine{Teams: []Team{{Name: "idle"}, {Name: "search", CostPerDay: 3}}, Server: s}, 1)
	if err := m.Announce(t.Context()); err != nil || s.to != "belay/limits/search" || s.e.Kind != task.LimitTick || s.e.Limits.CostPerDay != 3 {
		t.Errorf("%v: %+v", err, s)
	}
	s.fails = errors.New("the server is down")
	if err := m.Announce(t.Context()); !errors.Is(err, s.fails) {
		t.Error(err)
	}
}
