package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// PromptInput is what a prompt is made from. State is the state that issued the
// attempt (or debug) command, so its newest record is the attempt that starts.
type PromptInput struct {
	Task     belay.Task
	State    loop.State
	Kind     loop.PromptKind // "" is full; Debug ignores it
	LastDiff string          // what the last attempt changed, as git shows it; may be empty
	Kept     []string        // paths a rollback left alone, each with its reason
	History  []string        // one line for each earlier task
	Stuck    StuckOn         // for a stall
	Plan     Marked          // the plan's markers of the task
	Now      Now             // the files for agents that are there
	Whole    Whole           // where what is cut is in full
}

// StuckOn is what an agent that went round in circles was at.
type StuckOn struct {
	On      *belay.Requirement // nil when that cannot be told
	Section string             // of a plan, "" for none
}

// Way is how to go about a requirement of a kind on which somebody got stuck.
func (s StuckOn) Way() string {
	if s.On == nil {
		return ""
	}
	return map[belay.Marker]string{
		belay.MarkAdd:    "Leave the existing code unchanged and add the new code next to it.",
		belay.MarkModify: "Read its current state once, then rewrite the whole part instead of patching it line by line.",
		belay.MarkFix:    "Find the cause before the next change: reproduce the failure and read its output.",
		belay.MarkRemove: "Delete it, then delete everything that still refers to it.",
	}[s.On.Marker]
}

// prompts lists what each kind of prompt says, in order. A first attempt reads the
// person's words before anything of ours; the others read first what is different
// this time.
var prompts = map[loop.PromptKind][]string{
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

// Prompt is the text an attempt starts with, in Markdown. It holds the person's task
// word for word, what was read from it and what the plan marks, every reason an attempt was rejected for so far, which attempt this
// is of how many, the last diff in part, what was kept, a person's words, the files
// that may change, and how the work will be judged. An unknown kind is full.
func Prompt(in PromptInput) string {
	names, ok := prompts[in.Kind]
	if !ok {
		names = prompts[loop.PromptFull]
	}
	v := viewOf(in)
	action := "implement"
	if in.Kind == loop.PromptRepair {
		action = "fix"
	}
	v.Guidelines = belay.GuidelinesFor(in.Task.Guidelines, action, "implementer", in.Task.Role)
	return sections(v, names...)
}

// Debug is the text a debugger starts with: find the root cause in a copy of what the
// last attempt left, change nothing that counts, answer in a few sentences.
func Debug(in PromptInput) string {
	v := viewOf(in)
	v.Guidelines = belay.GuidelinesFor(in.Task.Guidelines, "debug", "debugger", in.Task.Role)
	return sections(v, "debug", "task", "contract", "plan", "attempts", "diff", "baseline", "history", "guidelines", "judged")
}

// view is what the prompt templates see.
type view struct {
	PromptInput
	N, Of    int        // this attempt, and how many there can be
	Earlier  []goneView // the attempts before
	Last     goneView   // the newest of them, zero for the first attempt
	Telling  bool       // the attempts before have more to tell than that they were
	Guidance string
	Tests    string // the test command that judges, "" when none does
	Changed  string // of the last diff, what the failing tests are about

	Guidelines []belay.Guideline // house rules that hold here
}

// goneView is an attempt that is over.
type goneView struct {
	N        int
	Verdict  string // how it ended, ours
	Result   string // the same and what became of its changes
	Reasons  string // findings as text, theirs
	Note     string
	Guidance string
	Count    int
	Newest   bool
	Asks     bool // nothing but questions kept it from being accepted
}

// DiffBlock quotes the last diff.
func (v view) DiffBlock() string { return pointed(Block("diff", v.LastDiff), v.Whole.Diff) }

// ChangedBlock quotes the part of it that failing tests are about.
func (v view) ChangedBlock() string { return pointed(Block("diff", v.Changed), v.Whole.Diff) }

func viewOf(in PromptInput) view {
	gone, now := split(in.State)
	v := view{PromptInput: in, N: len(gone) + 1, Of: max(in.State.Allowed, 1)}
	if now != nil {
		v.N, v.Guidance = now.N, now.Guidance
	}
	if most := in.Task.Policy.MaxAttempts; most > 0 {
		v.Of = min(v.Of, most)
	}
	v.Of = max(v.Of, v.N)
	for i := range gone {
		v.Earlier = append(v.Earlier, goneOf(gone, i, i == len(gone)-1))
	}
	if n := len(gone); n > 0 {
		v.Last = v.Earlier[n-1]
		if in.Kind == loop.PromptStall {
			v.Earlier[n-1].Note = "" // the prompt opens with it
		}
	}
	for _, e := range v.Earlier {
		v.Telling = v.Telling || e.Reasons != "" || e.Note != "" || e.Guidance != ""
	}
	if n := len(v.Earlier); n > 0 {
		v.Earlier[n-1].Reasons = pointed(v.Earlier[n-1].Reasons, in.Whole.Findings)
		v.Changed = beside(gone[n-1].Reasons(), in.LastDiff, true)
	}
	if t := in.Task.Checks; t.Tests.Set() && !slices.Contains(t.Skip, "tests") {
		v.Tests = t.Tests.String()
	}
	return v
}

// split separates the attempts that are over from the one that starts.
func split(s loop.State) (gone []loop.Attempt, now *loop.Attempt) {
	last := s.Current()
	if last == nil || last.Ended != "" || last.Verdict != "" || last.Then != "" {
		return s.Attempts, nil
	}
	return s.Attempts[:len(s.Attempts)-1], last
}

// goneOf describes attempt i of a list. Only the newest attempt's details are quoted:
// older ones are about a tree that is gone.
func goneOf(list []loop.Attempt, i int, detailed bool) goneView {
	a := list[i]
	again := loop.State{Attempts: list[:i+1]}.Repeated()
	reasons := a.Reasons()
	return goneView{
		N: a.N, Verdict: judgement(a), Result: result(a), Reasons: fitting(reasons, again, detailed),
		Note: a.Note, Guidance: a.Guidance, Count: len(reasons), Newest: detailed, Asks: a.Asks(),
	}
}

// result says how an attempt ended and what became of its changes.
func result(a loop.Attempt) string {
	switch a.Then {
	case loop.ThenRollback, loop.ThenSkipped, loop.ThenAborted, loop.ThenFailed:
		return judgement(a) + "; its changes were rolled back"
	case loop.ThenRepair, loop.ThenContinue, loop.ThenRecover:
		return judgement(a) + "; its changes were kept"
	}
	return judgement(a)
}

func judgement(a loop.Attempt) string {
	switch a.Verdict {
	case belay.VerdictPass:
		return "passed"
	case belay.VerdictFail:
		if a.Ended == loop.EndedTimeout {
			return "ran out of time and was rejected"
		}
		return "was rejected"
	case belay.VerdictUnknown:
		if a.Asks() {
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

// How names how an agent's process ended, for tables: "exit 1", "timeout".
func How(a loop.Attempt) string {
	if a.Ended == loop.EndedExit {
		return fmt.Sprintf("exit %d", a.Exit)
	}
	if a.Ended == "" {
		return "-"
	}
	return strings.TrimSpace(belay.VisibleLine(string(a.Ended)))
}
