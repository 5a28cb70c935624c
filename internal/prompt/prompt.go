package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// PromptInput is the data of a prompt. State is the state that issued the attempt (or debug)
// command, so its last attempt is the one that starts.
type PromptInput struct {
	Task      belay.Task
	State     loop.State
	Kind      loop.PromptKind // "" is full; Debug ignores it
	LastDiff  string          // git's diff of the last attempt; may be empty
	Kept      []string        // paths that a rollback did not touch, each with its reason
	History   []string        // one line for each earlier task
	Stuck     StuckOn         // for a stall
	Plan      PlanMarkers     // the plan's markers of the task
	Now       NowFiles        // the files for agents that exist
	FullFiles FullFiles       // the files with the full text of what is cut
}

// StuckOn is the part of the work at which an agent stalled.
type StuckOn struct {
	Requirement *belay.Requirement // nil if unknown
	Section     string             // of a plan; "" for none
}

// Advice returns how to continue with a requirement of this kind after a stall.
func (s StuckOn) Advice() string {
	if s.Requirement == nil {
		return ""
	}
	return map[belay.Marker]string{
		belay.MarkAdd:    "Leave the existing code unchanged and add the new code next to it.",
		belay.MarkModify: "Read its current state once, then rewrite the whole part instead of patching it line by line.",
		belay.MarkFix:    "Find the cause before the next change: reproduce the failure and read its output.",
		belay.MarkRemove: "Delete it, then delete everything that still refers to it.",
	}[s.Requirement.Marker]
}

// promptSections are the sections of each kind of prompt, in order. The first attempt begins with
// the person's text; the others begin with what is different this time.
var promptSections = map[loop.PromptKind][]string{
	loop.PromptFull: {"prose", "contract", "plan", "words", "baseline", "history", "rules", "guidelines", "judged", "now", "finish"},
	loop.PromptRetry: {"retry", "words", "task", "contract", "plan", "attempts", "changed", "diff", "kept",
		"baseline", "history", "rules", "guidelines", "judged", "now", "finish"},
	loop.PromptRepair: {"repair", "words", "attempts", "changed", "diff", "task", "contract", "plan", "baseline",
		"history", "rules", "guidelines", "judged", "now", "finish"},
	loop.PromptContinue: {"continue", "words", "task", "contract", "plan", "attempts", "diff", "baseline", "history",
		"rules", "guidelines", "judged", "now", "finish"},
	loop.PromptStall: {"stall", "words", "task", "contract", "plan", "attempts", "diff", "baseline", "history", "rules",
		"guidelines", "judged", "now", "finish"},
}

// Prompt returns the prompt of an attempt, in Markdown. It contains the person's task verbatim, the
// requirements read from it, the plan's markers, every reason for a rejection so far, the number of
// this attempt and of how many, part of the last diff, the paths that a rollback did not touch, a
// person's guidance, the files that may change, and how the work will be checked. An unknown kind
// is treated as full.
func Prompt(in PromptInput) string {
	names, ok := promptSections[in.Kind]
	if !ok {
		names = promptSections[loop.PromptFull]
	}
	v := newView(in)
	action := "implement"
	if in.Kind == loop.PromptRepair {
		action = "fix"
	}
	v.Guidelines = belay.GuidelinesFor(in.Task.Guidelines, action, "implementer", in.Task.Role)
	return renderSections(v, names...)
}

// Debug returns the prompt of a debugger: find the root cause in a copy of the last attempt's tree,
// change nothing that counts, answer in a few sentences.
func Debug(in PromptInput) string {
	v := newView(in)
	v.Guidelines = belay.GuidelinesFor(in.Task.Guidelines, "debug", "debugger", in.Task.Role)
	return renderSections(v, "debug", "task", "contract", "plan", "attempts", "diff", "baseline", "history", "guidelines", "judged")
}

// view is the data of the prompt templates.
type view struct {
	PromptInput
	N, Of      int           // this attempt, and the maximum
	Earlier    []pastAttempt // the previous attempts
	Last       pastAttempt   // the last of them, zero for the first attempt
	HasDetails bool          // a previous attempt has reasons, a note or guidance
	Guidance   string
	Tests      string // the test command that checks the work, "" for none
	Changed    string // the part of the last diff that failing tests cover

	Guidelines []belay.Guideline // those that apply to this agent and action
}

// pastAttempt is an attempt that has ended.
type pastAttempt struct {
	N        int
	Verdict  string // how it ended, in belay's words
	Result   string // Verdict, and what happened to its changes
	Reasons  string // findings as text of unknown origin
	Note     string
	Guidance string
	Count    int
	Newest   bool
	Asks     bool // only questions kept it from being accepted
}

// DiffBlock quotes the last diff.
func (v view) DiffBlock() string { return withFilePointer(Block("diff", v.LastDiff), v.FullFiles.Diff) }

// ChangedBlock quotes the part of the diff that failing tests cover.
func (v view) ChangedBlock() string {
	return withFilePointer(Block("diff", v.Changed), v.FullFiles.Diff)
}

func newView(in PromptInput) view {
	gone, now := splitAttempts(in.State)
	v := view{PromptInput: in, N: len(gone) + 1, Of: max(in.State.Allowed, 1)}
	if now != nil {
		v.N, v.Guidance = now.N, now.Guidance
	}
	if most := in.Task.Policy.MaxAttempts; most > 0 {
		v.Of = min(v.Of, most)
	}
	v.Of = max(v.Of, v.N)
	for i := range gone {
		v.Earlier = append(v.Earlier, newPastAttempt(gone, i, i == len(gone)-1))
	}
	if n := len(gone); n > 0 {
		v.Last = v.Earlier[n-1]
		if in.Kind == loop.PromptStall {
			v.Earlier[n-1].Note = "" // the prompt begins with it
		}
	}
	for _, e := range v.Earlier {
		v.HasDetails = v.HasDetails || e.Reasons != "" || e.Note != "" || e.Guidance != ""
	}
	if n := len(v.Earlier); n > 0 {
		v.Earlier[n-1].Reasons = withFilePointer(v.Earlier[n-1].Reasons, in.FullFiles.Findings)
		v.Changed = relatedDiff(gone[n-1].Reasons(), in.LastDiff, true)
	}
	if t := in.Task.Checks; t.Tests.Set() && !slices.Contains(t.Skip, "tests") {
		v.Tests = t.Tests.String()
	}
	return v
}

// splitAttempts separates the attempts that have ended from the one that starts.
func splitAttempts(s loop.State) (gone []loop.Attempt, now *loop.Attempt) {
	last := s.Current()
	if last == nil || last.Ended != "" || last.Verdict != "" || last.Then != "" {
		return s.Attempts, nil
	}
	return s.Attempts[:len(s.Attempts)-1], last
}

// newPastAttempt describes attempt i of a list. detailed is for the newest attempt only: details of
// older ones are about a tree that no longer exists.
func newPastAttempt(list []loop.Attempt, i int, detailed bool) pastAttempt {
	a := list[i]
	again := loop.State{Attempts: list[:i+1]}.Repeated()
	reasons := a.Reasons()
	return pastAttempt{
		N: a.N, Verdict: verdictText(a), Result: resultText(a), Reasons: fitFindings(reasons, again, detailed),
		Note: a.Note, Guidance: a.Guidance, Count: len(reasons), Newest: detailed, Asks: a.OnlyAsks(),
	}
}

// resultText returns how an attempt ended and what happened to its changes.
func resultText(a loop.Attempt) string {
	switch a.Then {
	case loop.ThenRollback, loop.ThenSkipped, loop.ThenAborted, loop.ThenFailed:
		return verdictText(a) + "; its changes were rolled back"
	case loop.ThenRepair, loop.ThenContinue, loop.ThenRecover:
		return verdictText(a) + "; its changes were kept"
	}
	return verdictText(a)
}

func verdictText(a loop.Attempt) string {
	switch a.Verdict {
	case belay.VerdictPass:
		return "passed"
	case belay.VerdictFail:
		if a.Ended == loop.EndedTimeout {
			return "ran out of time and was rejected"
		}
		return "was rejected"
	case belay.VerdictUnknown:
		if a.OnlyAsks() {
			return "needs a person's approval"
		}
		return "could not be checked"
	}
	switch a.Ended {
	case loop.EndedLost:
		return "was lost: the process that ran it died, nothing was found wrong with the work"
	case loop.EndedStopped:
		return "was stopped by a person before it finished"
	case loop.EndedStalled:
		return "was stopped for repeating the same tool calls"
	case loop.EndedExit, loop.EndedTimeout:
		return "ended and was not checked"
	}
	if a.Then != "" {
		return "could not be run"
	}
	return "is running"
}

// EndText returns how an agent's process ended, for tables: "exit 1", "timeout".
func EndText(a loop.Attempt) string {
	if a.Ended == loop.EndedExit {
		return fmt.Sprintf("exit %d", a.Exit)
	}
	if a.Ended == "" {
		return "-"
	}
	return strings.TrimSpace(belay.VisibleLine(string(a.Ended)))
}
