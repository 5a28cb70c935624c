package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.yaml.in/yaml/v4"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

// Team is a team in a file of limits.
type Team struct {
	Name        string               `yaml:"name"`
	Remotes     []string             `yaml:"remotes"`      // addresses, or prefixes that end with /; * is all
	CostPerDay  float64              `yaml:"cost_per_day"` // US dollars
	UnknownCost float64              `yaml:"unknown_cost"`
	Agents      map[string]TeamAgent `yaml:"agents"`
}

// TeamAgent are the limits of one agent.
type TeamAgent struct {
	AtOnce  int `yaml:"at_once"`
	PerHour int `yaml:"per_hour"`
}

// MaxLimits is the size limit of a file of limits, in bytes.
const MaxLimits = 1 << 20

// ParseLimits parses a file of limits strictly. If several teams list a remote, the first one
// counts. Errors have CodeUsage.
func ParseLimits(text []byte) ([]Team, error) {
	var file struct {
		Teams []Team `yaml:"teams"`
	}
	if len(text) > MaxLimits {
		return nil, belay.Refuse(belay.CodeUsage, "shorten it", "the file of limits is larger than %d KiB", MaxLimits>>10)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, belay.Refuse(belay.CodeUsage, "correct it", "the file of limits: %s", belay.VisibleLine(err.Error()))
	}
	seen := map[string]bool{}
	for _, t := range file.Teams {
		if why := t.problem(); why != "" {
			return nil, belay.Refuse(belay.CodeUsage, "correct it", "the file of limits: team %q: %s", t.Name, why)
		}
		if seen[t.Name] {
			return nil, belay.Refuse(belay.CodeUsage, "name it once", "the file of limits has team %q twice", t.Name)
		}
		seen[t.Name] = true
	}
	return file.Teams, nil
}

func (t Team) problem() string {
	id, err := belay.ParseTaskID(t.Name) // it becomes part of a workflow's ID
	amount := func(f float64) bool { return f >= 0 && !math.IsInf(f, 0) }
	switch {
	case err != nil || string(id) != t.Name:
		return "the name may have letters, digits, dots, - and _"
	case len(t.Remotes) == 0:
		return "it has no remotes"
	case !amount(t.CostPerDay) || !amount(t.UnknownCost):
		return "a cost is a number of US dollars, and not negative"
	case t.CostPerDay > 0 && t.UnknownCost == 0:
		return "cost_per_day needs unknown_cost: what an attempt counts when its agent does not say what it cost"
	}
	for name, a := range t.Agents {
		if name == "" || a.AtOnce < 0 || a.PerHour < 0 {
			return fmt.Sprintf("the limits of agent %q are negative, or it has no name", name)
		}
	}
	return ""
}

// limitsFor returns the limits that apply to a remote; nil for none.
func (m *Machine) limitsFor(url string) *task.Limits {
	for _, t := range m.Teams {
		if !containsRemote(t.Remotes, url) {
			continue
		}
		return t.toLimits()
	}
	return nil
}

func (t Team) toLimits() *task.Limits {
	l := task.Limits{Team: t.Name, CostPerDay: t.CostPerDay, UnknownCost: t.UnknownCost, Agents: map[string]task.AgentLimits{}}
	for name, a := range t.Agents {
		l.Agents[name] = task.AgentLimits(a)
	}
	return &l
}

// Announce sends the limits of this machine's file to the teams that have running or waiting
// attempts, so that they are applied to those that wait. It waits as long as the server is down.
func (m *Machine) Announce(ctx context.Context) error {
	for _, t := range m.Teams {
		if err := m.announceTeam(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) announceTeam(ctx context.Context, t Team) error {
	for {
		err := m.Server.SignalWorkflow(ctx, task.LimitsWorkflowID(t.Name), "", task.SignalLimits,
			task.LimitEvent{Kind: task.LimitTick, Limits: t.toLimits()})
		var none *serviceerror.NotFound
		var down *serviceerror.Unavailable
		switch {
		case errors.As(err, &none):
			return nil
		case !errors.As(err, &down):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func (m *Machine) teamOf(url string) string {
	if l := m.limitsFor(url); l != nil {
		return l.Team
	}
	return ""
}

// Slot asks the team of a task for a slot, with the limits in this worker's file. The answer goes
// to the task's workflow. If the file has no limits for the remote any more, the slot is granted.
func (m *Machine) Slot(ctx context.Context, q task.Ask) error {
	defer heartbeatEvery(ctx, q.Beat)()
	if err := m.checkTrusted(q.Task); err != nil {
		return nonRetryable(err)
	}
	s := q.Slot
	l := m.limitsFor(q.Task.Remote)
	if l == nil {
		s.Granted = true
		return m.Server.SignalWorkflow(ctx, s.Workflow, "", task.SignalSlot, s)
	}
	_, err := m.Server.SignalWithStartWorkflow(ctx, task.LimitsWorkflowID(l.Team), task.SignalLimits,
		task.LimitEvent{Kind: task.LimitAsk, Slot: s, Limits: l}, client.StartWorkflowOptions{TaskQueue: task.Queue}, task.LimitsName,
		task.Ledger{Limits: *l})
	return err
}
