package task

import (
	"fmt"
	"math"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/belay"
)

// The names of a team's limits on the server. They are in histories.
const (
	LimitsName   = "belay.limits"
	SlotName     = "belay.slot" // the activity that asks for a slot
	SignalLimits = "limits"     // LimitEvent, of a task to its team
	SignalSlot   = "slot"       // Slot, of a team to its task
	QueryLedger  = "ledger"
)

// Limits are what a team may use, as the file of its workers says.
type Limits struct {
	Team        string                 `json:"team"`
	CostPerDay  float64                `json:"cost_per_day,omitempty"` // US dollars in a day of UTC; 0 is no limit
	UnknownCost float64                `json:"unknown_cost,omitempty"` // what an attempt counts whose agent reports no cost
	Agents      map[string]AgentLimits `json:"agents,omitempty"`       // by name; * is each other agent
}

// AgentLimits are those of one agent's attempts; 0 is no limit.
type AgentLimits struct {
	AtOnce  int `json:"at_once,omitempty"`
	PerHour int `json:"per_hour,omitempty"` // begun in any hour
}

func (l Limits) agentLimits(agent string) AgentLimits {
	if a, ok := l.Agents[agent]; ok {
		return a
	}
	return l.Agents["*"]
}

// Slot is the right to have an agent make one attempt, which a task waits for or has.
type Slot struct {
	Workflow string     `json:"workflow"`
	Ticket   string     `json:"ticket"` // of the attempt, in its workflow
	Agent    string     `json:"agent"`
	Since    time.Time  `json:"since"`
	Granted  bool       `json:"granted"`
	Why      string     `json:"why,omitempty"` // why it waits
	Kind     waitReason `json:"kind,omitempty"`
}

func (s Slot) isSame(o Slot) bool { return s.Workflow == o.Workflow && s.Ticket == o.Ticket }

// waitReason says which limit a slot waits for.
type waitReason int

const (
	waitsForNothing waitReason = iota
	waitsForBudget
	waitsForOthers
	waitsForHour
)

// AttemptStart is the begin of an attempt.
type AttemptStart struct {
	Agent string    `json:"agent"`
	Time  time.Time `json:"time"`
}

// LimitKind is what happened to a slot.
type LimitKind string

// What a task tells its team. Spent is of what reviews cost, after the attempt.
const (
	LimitAsk   LimitKind = "ask"
	LimitDone  LimitKind = "done"
	LimitGone  LimitKind = "gone" // the task does not exist any more
	LimitSpent LimitKind = "spent"
	LimitTick  LimitKind = "tick"
)

// LimitEvent is something that a team's limits depend on.
type LimitEvent struct {
	Kind   LimitKind `json:"kind"`
	Slot   Slot      `json:"slot"`
	Limits *Limits   `json:"limits,omitempty"` // as the asking worker has them
	Cost   float64   `json:"cost,omitempty"`   // US dollars
	Known  bool      `json:"known,omitempty"`  // Cost is all of it
}

// Ledger is what a team has used, and who waits.
type Ledger struct {
	Limits  Limits         `json:"limits"`
	Day     string         `json:"day"`   // that Spent is of: 2026-11-28, in UTC
	Spent   float64        `json:"spent"` // US dollars
	Running []Slot         `json:"running"`
	Waiting []Slot         `json:"waiting"` // the longest first
	Starts  []AttemptStart `json:"starts"`  // of the last hour
}

// Apply takes an event. It gives what is so afterwards, and the slots whose tasks have to be told: granted, or waiting for
// another reason than before. The same events at the same times give the same.
//
// An attempt under way counts as UnknownCost, and so does one that ended without its agent saying what it cost: a budget
// cannot be passed by agents that say nothing.
func (l Ledger) Apply(e LimitEvent, now time.Time) (Ledger, []Slot) {
	l = l.withoutPast(now)
	if e.Limits != nil {
		l.Limits = *e.Limits
	}
	var tell []Slot
	mine := func(s Slot) bool { return s.isSame(e.Slot) }
	switch e.Kind {
	case LimitAsk:
		if i := slices.IndexFunc(l.Running, mine); i >= 0 {
			tell = append(tell, l.Running[i]) // the answer was lost
		} else if !slices.ContainsFunc(l.Waiting, mine) {
			s := e.Slot
			s.Since, s.Granted, s.Why = now, false, ""
			l.Waiting = append(l.Waiting, s)
		}
	case LimitDone, LimitGone:
		if slices.ContainsFunc(l.Running, mine) {
			cost := addableCost(e.Cost)
			if !e.Known {
				cost = max(cost, l.Limits.UnknownCost)
			}
			l.Spent += cost
		}
		l.Running = slices.DeleteFunc(l.Running, mine)
		l.Waiting = slices.DeleteFunc(l.Waiting, mine)
	case LimitSpent:
		l.Spent += addableCost(e.Cost)
	}
	waiting := l.Waiting
	l.Waiting = nil
	for _, s := range waiting {
		kind, why := l.waitReason(s.Agent)
		if kind == waitsForNothing {
			s.Granted, s.Why, s.Kind, s.Since = true, "", waitsForNothing, now
			l.Running, l.Starts = append(l.Running, s), append(l.Starts, AttemptStart{s.Agent, now})
			tell = append(tell, s)
			continue
		}
		if told := s.Why != "" && s.Kind == kind; !told {
			s.Kind, s.Why = kind, why
			tell = append(tell, s)
		}
		l.Waiting = append(l.Waiting, s)
	}
	return l, tell
}

// addableCost is a cost as it can be added up.
func addableCost(cost float64) float64 {
	if math.IsNaN(cost) || math.IsInf(cost, 0) || cost < 0 {
		return 0
	}
	return cost
}

// withoutPast leaves out what is past, in new slices.
func (l Ledger) withoutPast(now time.Time) Ledger {
	l.Running, l.Waiting = slices.Clone(l.Running), slices.Clone(l.Waiting)
	l.Starts = slices.DeleteFunc(slices.Clone(l.Starts), func(s AttemptStart) bool { return now.Sub(s.Time) >= time.Hour })
	if day := now.UTC().Format(time.DateOnly); l.Day != day {
		l.Day, l.Spent = day, 0
	}
	return l
}

// waitReason says which limit keeps an agent from another attempt, and in words.
func (l Ledger) waitReason(agent string) (waitReason, string) {
	if most := l.Limits.CostPerDay; most > 0 {
		under := float64(len(l.Running)) * l.Limits.UnknownCost
		switch {
		case l.Spent >= most:
			return waitsForBudget, fmt.Sprintf("budget of team %s for today is used, %s of %s", l.Limits.Team, belay.Dollars(l.Spent),
				belay.Dollars(most))
		case l.Spent+under >= most:
			return waitsForBudget, fmt.Sprintf("budget of team %s for today: %s used, %s reserved for %s under way, of %s", l.Limits.Team,
				belay.Dollars(l.Spent), belay.Dollars(under), belay.CountOf(len(l.Running), "attempt"), belay.Dollars(most))
		}
	}
	a, running, begun := l.Limits.agentLimits(agent), 0, 0
	for _, s := range l.Running {
		if s.Agent == agent {
			running++
		}
	}
	for _, s := range l.Starts {
		if s.Agent == agent {
			begun++
		}
	}
	switch {
	case a.AtOnce > 0 && running >= a.AtOnce:
		return waitsForOthers, fmt.Sprintf("team %s has %d of %d attempts of %s under way", l.Limits.Team, running, a.AtOnce, agent)
	case a.PerHour > 0 && begun >= a.PerHour:
		return waitsForHour, fmt.Sprintf("team %s began %d of %d attempts of %s in this hour", l.Limits.Team, begun, a.PerHour, agent)
	}
	return waitsForNothing, ""
}

// NextTurn is when a window turns, for which something waits or is kept; false for never.
func (l Ledger) NextTurn(now time.Time) (time.Time, bool) {
	now = now.UTC()
	var at time.Time
	sooner := func(t time.Time) {
		if at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if l.Spent > 0 || len(l.Waiting) > 0 {
		sooner(time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC))
	}
	for _, s := range l.Starts {
		sooner(s.Time.Add(time.Hour))
	}
	if len(l.Running) > 0 {
		sooner(now.Add(time.Hour)) // to see whether the tasks are still there
	}
	return at, !at.IsZero()
}

// LimitsWorkflowID names the workflow of a team's limits.
func LimitsWorkflowID(team string) string { return "belay/limits/" + team }

// LimitsWorkflow grants the slots of one team. It ends when nothing is under way, waits or counts any more; the next task that
// asks starts it again.
func LimitsWorkflow(ctx workflow.Context, l Ledger) error {
	if err := workflow.SetQueryHandler(ctx, QueryLedger, func() (Ledger, error) { return l, nil }); err != nil {
		return err
	}
	events := workflow.GetSignalChannel(ctx, SignalLimits)
	handle := func(e LimitEvent) {
		todo := []LimitEvent{e}
		for len(todo) > 0 {
			var tell []Slot
			l, tell = l.Apply(todo[0], workflow.Now(ctx))
			todo = todo[1:]
			for _, s := range tell {
				if !notifyTask(ctx, s) {
					todo = append(todo, LimitEvent{Kind: LimitGone, Slot: s, Known: true}) // it has not begun
				}
			}
		}
	}
	var checked time.Time
	for {
		var e LimitEvent
		wait := time.Hour
		at, counts := l.NextTurn(workflow.Now(ctx))
		if counts {
			wait = max(at.Sub(workflow.Now(ctx)), time.Second)
		}
		ok, _ := events.ReceiveWithTimeout(ctx, wait, &e)
		switch {
		case ok:
			handle(e)
		case ctx.Err() != nil:
			return ctx.Err()
		case !counts:
			return nil // a signal that comes now has the server ask this once more
		default:
			handle(LimitEvent{Kind: LimitTick})
		}
		if now := workflow.Now(ctx); now.Sub(checked) >= time.Hour {
			checked = now
			for _, s := range slices.Clone(l.Running) { // a task that was terminated does not say so
				if now.Sub(s.Since) >= time.Hour && !notifyTask(ctx, s) {
					handle(LimitEvent{Kind: LimitGone, Slot: s})
				}
			}
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			for events.ReceiveAsync(&e) {
				handle(e)
			}
			return workflow.NewContinueAsNewError(ctx, LimitsName, l)
		}
	}
}

// notifyTask tells a task about its slot; false when there is no such task.
func notifyTask(ctx workflow.Context, s Slot) bool {
	return workflow.SignalExternalWorkflow(ctx, s.Workflow, "", SignalSlot, s).Get(ctx, nil) == nil
}
