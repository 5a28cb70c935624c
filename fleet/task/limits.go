package task

import (
	"fmt"
	"math"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/belay"
)

// Names of the workflow of a team's limits, its activity, signals and query. They are in histories.
const (
	LimitsName   = "belay.limits"
	SlotName     = "belay.slot" // the activity that asks for a slot
	SignalLimits = "limits"     // LimitEvent, from a task to its team
	SignalSlot   = "slot"       // Slot, from a team to its task
	QueryLedger  = "ledger"
)

// Limits are a team's limits, from the file of its workers.
type Limits struct {
	Team        string                 `json:"team"`
	CostPerDay  float64                `json:"cost_per_day,omitempty"` // US dollars in a day of UTC; 0 is no limit
	UnknownCost float64                `json:"unknown_cost,omitempty"` // counted for an attempt of an agent that reports no cost
	Agents      map[string]AgentLimits `json:"agents,omitempty"`       // by name; * applies to all others
}

// AgentLimits are the limits of one agent's attempts; 0 is no limit.
type AgentLimits struct {
	AtOnce  int `json:"at_once,omitempty"`
	PerHour int `json:"per_hour,omitempty"` // started in any hour
}

func (l Limits) agentLimits(agent string) AgentLimits {
	if a, ok := l.Agents[agent]; ok {
		return a
	}
	return l.Agents["*"]
}

// Slot is the right to one attempt of an agent, granted to a task or awaited by it.
type Slot struct {
	Workflow string     `json:"workflow"`
	Ticket   string     `json:"ticket"` // the attempt's command ID
	Agent    string     `json:"agent"`
	Since    time.Time  `json:"since"`
	Granted  bool       `json:"granted"`
	Why      string     `json:"why,omitempty"` // why it waits
	Kind     waitReason `json:"kind,omitempty"`
}

func (s Slot) isSame(o Slot) bool { return s.Workflow == o.Workflow && s.Ticket == o.Ticket }

// waitReason is the limit that a slot waits for.
type waitReason int

const (
	waitsForNothing waitReason = iota
	waitsForBudget
	waitsForOthers
	waitsForHour
)

// AttemptStart is the start of an attempt.
type AttemptStart struct {
	Agent string    `json:"agent"`
	Time  time.Time `json:"time"`
}

// LimitKind is the kind of a LimitEvent.
type LimitKind string

// Kinds of events. LimitSpent reports the cost of reviews after the last attempt.
const (
	LimitAsk   LimitKind = "ask"
	LimitDone  LimitKind = "done"
	LimitGone  LimitKind = "gone" // the task no longer exists
	LimitSpent LimitKind = "spent"
	LimitTick  LimitKind = "tick"
)

// LimitEvent changes the ledger of a team.
type LimitEvent struct {
	Kind   LimitKind `json:"kind"`
	Slot   Slot      `json:"slot"`
	Limits *Limits   `json:"limits,omitempty"` // from the asking worker's file
	Cost   float64   `json:"cost,omitempty"`   // US dollars
	Known  bool      `json:"known,omitempty"`  // Cost is complete
}

// Ledger is what a team has used, and which tasks wait.
type Ledger struct {
	Limits  Limits         `json:"limits"`
	Day     string         `json:"day"`   // of Spent: 2026-11-28, in UTC
	Spent   float64        `json:"spent"` // US dollars
	Running []Slot         `json:"running"`
	Waiting []Slot         `json:"waiting"` // in order of arrival
	Starts  []AttemptStart `json:"starts"`  // in the last hour
}

// Apply applies an event. It returns the new ledger and the slots of which the tasks must be
// notified: granted, or waiting for another reason than before. The same events at the same times
// give the same result.
//
// A running attempt counts as UnknownCost, and so does an ended one of unknown cost: agents that
// report no cost cannot exceed a budget.
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

// addableCost returns 0 for a cost that cannot be added: negative, infinite or NaN.
func addableCost(cost float64) float64 {
	if math.IsNaN(cost) || math.IsInf(cost, 0) || cost < 0 {
		return 0
	}
	return cost
}

// withoutPast drops the starts of more than an hour ago and the cost of an earlier day, in new
// slices.
func (l Ledger) withoutPast(now time.Time) Ledger {
	l.Running, l.Waiting = slices.Clone(l.Running), slices.Clone(l.Waiting)
	l.Starts = slices.DeleteFunc(slices.Clone(l.Starts), func(s AttemptStart) bool { return now.Sub(s.Time) >= time.Hour })
	if day := now.UTC().Format(time.DateOnly); l.Day != day {
		l.Day, l.Spent = day, 0
	}
	return l
}

// waitReason returns the limit that keeps an agent from another attempt, with a text for people.
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

// NextTurn returns when the ledger next changes by itself or needs a check; false for never.
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
		sooner(now.Add(time.Hour)) // to check whether the tasks still exist
	}
	return at, !at.IsZero()
}

// LimitsWorkflowID names the workflow of a team's limits.
func LimitsWorkflowID(team string) string { return "belay/limits/" + team }

// LimitsWorkflow grants the slots of one team. It ends when nothing runs, waits or counts; the next
// task that asks starts it again.
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
					todo = append(todo, LimitEvent{Kind: LimitGone, Slot: s, Known: true}) // it has not started, so it cost nothing
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
			return nil // if a signal comes now, the server repeats this workflow task
		default:
			handle(LimitEvent{Kind: LimitTick})
		}
		if now := workflow.Now(ctx); now.Sub(checked) >= time.Hour {
			checked = now
			for _, s := range slices.Clone(l.Running) { // a terminated task does not report its end
				if now.Sub(s.Since) >= time.Hour && !notifyTask(ctx, s) {
					handle(LimitEvent{Kind: LimitGone, Slot: s})
				}
			}
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			for {
				var e LimitEvent // a reused one would keep the fields that the next event omits
				if !events.ReceiveAsync(&e) {
					return workflow.NewContinueAsNewError(ctx, LimitsName, l)
				}
				handle(e)
			}
		}
	}
}

// notifyTask sends a slot to its task; false if there is no such task.
func notifyTask(ctx workflow.Context, s Slot) bool {
	return workflow.SignalExternalWorkflow(ctx, s.Workflow, "", SignalSlot, s).Get(ctx, nil) == nil
}
