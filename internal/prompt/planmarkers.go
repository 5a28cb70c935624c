package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// PlanMarkers are the markers of a task in a plan.
type PlanMarkers struct {
	Path  string   // of the plan, relative to the root; "" for none
	Lines []string // "12: landing/features: TASK-3 [ADD]: (2) drinks", in the order of the plan
}

// Text quotes the markers: a plan is a file of the repository.
func (m PlanMarkers) Text() string { return Block("text", strings.Join(m.Lines, "\n")) }

// NowFiles says which files for agents exist.
type NowFiles struct{ Task, Feedback, History, Summary, Diff, Findings bool }

// Any reports whether any of the files exists, other than those with the full text of what a prompt
// cuts.
func (n NowFiles) Any() bool { return n.Task || n.Feedback || n.History || n.Summary }

// Contract reports whether a request contains more than doubts.
func (v view) Contract() bool { return contractText(v.Task.Request) != "" }

// contractText formats a request without type and doubts; "" if nothing else is in it.
func contractText(r belay.Request) string {
	if len(r.Requirements)+len(r.Preserve)+len(r.Affected)+len(r.Bounds) == 0 {
		return ""
	}
	r.Doubts = nil
	_, lines, _ := strings.Cut(RequestText(r), "\n\n")
	return lines
}

// Meanings explains the markers that a request uses, one on each line.
func (v view) Meanings() []string {
	r, counted := v.Task.Request, false
	has := map[belay.Marker]bool{}
	for _, q := range r.Requirements {
		has[q.Marker] = true
		counted = counted || q.Count != nil && q.Marker == belay.MarkAdd
	}
	var out []string
	say := func(yes bool, format string, args ...any) {
		if yes {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	number := ""
	if counted {
		number = " A number counts the new ones."
	}
	say(has[belay.MarkAdd], "[ADD] creates something new next to the existing code. It does not convert or replace anything that "+
		"exists.%s", number)
	say(has[belay.MarkModify], "[MODIFY] changes what exists; it neither adds nor removes items.")
	say(has[belay.MarkFix], "[FIX] repairs what is wrong and keeps all other behavior.")
	say(has[belay.MarkRemove], "[REMOVE] deletes what it names and nothing else.")
	say(len(r.Preserve) > 0, "PRESERVE stays unchanged.")
	say(len(r.Affected) > 0, "AFFECTED names the files that the task refers to.")
	say(slices.ContainsFunc(r.Bounds, func(b belay.Bound) bool { return b.Only }), "CHANGE ONLY: a change anywhere else is rejected.")
	say(slices.ContainsFunc(r.Bounds, func(b belay.Bound) bool { return !b.Only }), "DO NOT TOUCH: a change there is rejected.")
	return out
}
