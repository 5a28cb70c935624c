package loop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// abstract returns what determines a state's future, without the counters.
func abstract(s State) string {
	var b strings.Builder
	fmt.Fprint(&b, s.Phase, " ", s.Outcome, " ", s.Ending, " parking=", s.Parking, " recheck=", s.Rechecking,
		" left=", s.Allowed-len(s.Attempts), " attempts=", min(len(s.Attempts), 4), " stalls=", min(s.Stalls, 3), " losts=", min(s.Losts, 3))
	if s.Gate != nil {
		fmt.Fprint(&b, " gate=", s.Gate.Kind, s.Gate.Broken, s.Gate.Options)
	}
	if s.Parked != nil {
		fmt.Fprint(&b, " parked=", s.Parked.Kind)
	}
	if s.Next != nil {
		fmt.Fprint(&b, " next=", s.Next.Prompt, s.Next.Auto)
	}
	if a := s.Current(); a != nil {
		fmt.Fprint(&b, " ended=", a.Ended, a.Exit, " verdict=", a.Verdict, min(len(a.Findings), 1), len(a.Approved), IsOverrulable(s))
	}
	return b.String()
}

// moves returns every event worth trying in s, including rejected ones.
func moves(s State) []Event {
	base := Event{Snapshot: "s", Gate: s.Gates, Note: "words"}
	if s.Pending != nil {
		base.Command = s.Pending.ID
	}
	var list []Event
	add := func(kind EventKind, change func(*Event)) {
		e := base
		e.Kind = kind
		if change != nil {
			change(&e)
		}
		list = append(list, e)
	}
	for _, kind := range allEvents {
		switch kind {
		case EvAttempted:
			for _, exit := range []int{0, 127} {
				add(kind, func(e *Event) { e.Ended, e.Exit = EndedExit, exit })
			}
		case EvChecked, EvReviewed:
			for _, v := range []belay.Verdict{belay.VerdictPass, belay.VerdictUnknown} {
				add(kind, func(e *Event) { e.Verdict = v })
			}
			for _, c := range []belay.Category{belay.CategoryTests, belay.CategoryScope} {
				add(kind, func(e *Event) {
					e.Verdict, e.Findings = belay.VerdictFail, []belay.Finding{{Category: c, Title: string(c)}}
				})
			}
		case EvVerdict:
			for _, by := range []string{"ana", "bo", "nobody"} {
				add(kind, func(e *Event) { e.By, e.Verdict = by, belay.VerdictPass })
			}
			for _, back := range []bool{false, true} {
				add(kind, func(e *Event) {
					e.By, e.RollBack, e.Verdict, e.Findings = "ana", back, belay.VerdictFail, []belay.Finding{{Category: belay.CategoryReview, Title: "again"}}
				})
			}
		case EvDecided:
			for _, d := range allDecisions {
				add(kind, func(e *Event) { e.Decision = d })
			}
		default:
			add(kind, nil)
		}
	}
	return list
}

// explore visits every abstract state of a policy and returns one state for each, and the kinds of
// event accepted in each phase.
func explore(p belay.Policy) (map[string]State, map[Phase]map[EventKind]bool) {
	seen, accepted := map[string]State{"": {}}, map[Phase]map[EventKind]bool{}
	for queue := []State{{}}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for _, e := range moves(s) {
			if p.Persons == nil && (e.Kind == EvVerdict || e.Kind == EvSubmitted || e.Kind == EvOverruled) {
				continue // combinations are too many states; each is visited on its own
			}
			next, _, err := Step(p, s, e)
			if err != nil {
				continue
			}
			if accepted[s.Phase] == nil {
				accepted[s.Phase] = map[EventKind]bool{}
			}
			accepted[s.Phase][e.Kind] = true
			if len(next.Attempts) > 5 {
				continue // a person may continue forever
			}
			if key := abstract(next); seen[key].Phase == "" {
				seen[key] = next
				queue = append(queue, next)
			}
		}
	}
	return seen, accepted
}

var small = belay.Policy{Retries: 1, Retry: belay.RetryAuto, MaxAttempts: 4, Stalls: 1, Lost: 1, Baseline: true, Review: true}

// persons is a policy with two persons who review, and little else.
var persons = belay.Policy{Retry: belay.RetryAuto, MaxAttempts: 2, Persons: []string{"ana", "bo"}}

// Shared by two tests: one checks these states, the other the events accepted in them.
var (
	walked      = sync.OnceValues(func() (map[string]State, map[Phase]map[EventKind]bool) { return explore(small) })
	walkedByTwo = sync.OnceValues(func() (map[string]State, map[Phase]map[EventKind]bool) { return explore(persons) })
)

func TestEverythingIsReached(t *testing.T) {
	t.Parallel()
	seen, _ := walked()
	more, _ := walkedByTwo()
	t.Logf("%d and %d abstract states", len(seen), len(more))
	for name, s := range more {
		tidy(t, s)
		endable(t, persons, s)
		seen["persons "+name] = s
	}
	reached := map[string]bool{}
	for name, s := range seen {
		if !strings.HasPrefix(name, "persons ") {
			endable(t, small, s)
		}
		reached[string(s.Phase)] = true
		if s.Gate != nil {
			reached["gate "+string(s.Gate.Kind)+" "+string(s.Gate.Broken)] = true
		}
		if s.Outcome != "" {
			reached["outcome "+string(s.Outcome)] = true
		}
		if s.Parked != nil && s.Gate.Kind == GateCancelled {
			reached["parked "+string(s.Parked.Kind)] = true
		}
		if c := s.Pending; c != nil && c.Kind == CmdAttempt {
			reached["prompt "+string(c.Prompt)] = true
		}
		tidy(t, s)
	}
	want := []string{
		"", "attempt", "baseline", "capture", "check", "closed", "closing", "debug", "gate", "restore", "review", "snapshot",
		"gate broken attempt", "gate broken baseline", "gate broken capture", "gate broken check", "gate broken close",
		"gate broken debug", "gate broken restore", "gate broken review", "gate broken snapshot",
		"gate cancelled ", "gate clarify ", "gate limit ", "gate lost ", "gate recheck ", "gate retries ", "gate review ", "gate unknown ",
		"outcome aborted", "outcome failed", "outcome passed", "outcome skipped",
		"parked attempt", "parked baseline", "parked check", "parked close", "parked restore", "parked review",
		"prompt continue", "prompt full", "prompt repair", "prompt retry", "prompt stall",
	}
	slices.Sort(want)
	got := slices.Sorted(maps.Keys(reached))
	if !slices.Equal(got, want) {
		t.Errorf("reached\n%q\nwant\n%q", got, want)
	}
}

func TestAcceptedEvents(t *testing.T) {
	t.Parallel()
	_, accepted := walked()
	_, more := walkedByTwo()
	for phase, kinds := range more {
		if accepted[phase] == nil {
			accepted[phase] = map[EventKind]bool{}
		}
		maps.Copy(accepted[phase], kinds)
	}
	want := map[Phase]string{
		"":            "started unclear",
		PhaseSnapshot: "broken cancelled resumed snapshot",
		PhaseBaseline: "baseline broken cancelled resumed",
		PhaseAttempt:  "attempted broken cancelled limited lost overruled retested stalled",
		PhaseCapture:  "broken cancelled captured resumed retested",
		PhaseCheck:    "broken cancelled checked resumed retested",
		PhaseReview:   "broken cancelled resumed retested reviewed",
		PhaseRestore:  "broken cancelled overruled restored resumed retested",
		PhaseDebug:    "broken cancelled debugged resumed retested",
		PhaseGate:     "cancelled decided resumed retested verdict",
		PhaseClosing:  "broken cancelled closed retested submitted verdict",
		PhaseClosed:   "submitted verdict",
	}
	for phase, list := range want {
		var got []string
		for kind := range accepted[phase] {
			got = append(got, string(kind))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != list {
			t.Errorf("%q accepts %q, want %q", phase, got, list)
		}
	}
	if len(accepted) != len(want) {
		t.Errorf("phases that accept something: %v", slices.Collect(maps.Keys(accepted)))
	}
}
