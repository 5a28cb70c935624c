package task

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// describeEvent describes an event in a line; "" for events of no interest to people. more counts
// the findings that were left out of it.
func describeEvent(before, after loop.State, e loop.Event, more int) string {
	said := eventLine(before, after, e, more)
	if g := after.Gate; g != nil && (before.Gate == nil || before.Gate.Number != g.Number) {
		waits := fmt.Sprintf("waits for a person at gate %d: %s", g.Number, g.Why)
		if said != "" {
			said += "; "
		}
		return said + waits
	}
	return said
}

func eventLine(before, after loop.State, e loop.Event, more int) string {
	n := len(before.Attempts)
	switch e.Kind {
	case loop.EvStarted:
		return "started"
	case loop.EvBaseline:
		return strings.TrimSpace("baseline: " + e.Note)
	case loop.EvAttempted:
		return fmt.Sprintf("attempt %d ended: %s %d", n, e.Ended, e.Exit)
	case loop.EvChecked, loop.EvReviewed:
		return fmt.Sprintf("attempt %d %s: %s%s", n, e.Kind, e.Verdict, findingTitles(e.Findings, more))
	case loop.EvRestored:
		return "rolled back"
	case loop.EvDecided:
		return fmt.Sprintf("decided: %s, by %s", e.Decision, e.By)
	case loop.EvVerdict:
		return fmt.Sprintf("reviewed: %s, by %s%s", e.Verdict, e.By, findingTitles(e.Findings, more))
	case loop.EvClosed:
		return fmt.Sprintf("closed: %s", after.Outcome)
	case loop.EvBroken, loop.EvLost, loop.EvStalled, loop.EvLimited, loop.EvCancelled, loop.EvUnclear:
		return strings.TrimSpace(string(e.Kind) + " " + e.Note)
	}
	return ""
}

// findingTitles names the first findings and counts the rest; more counts those that are not in the
// list.
func findingTitles(all []belay.Finding, more int) string {
	const most = 3
	var names []string
	for _, f := range all[:min(len(all), most)] {
		names = append(names, f.Title)
	}
	if more += len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	if names == nil {
		return ""
	}
	return " (" + belay.VisibleLine(strings.Join(names, "; ")) + ")"
}
