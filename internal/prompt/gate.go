package prompt

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// Gate returns the question to a person at an open gate, as plain text for a terminal: the reason,
// every attempt with its findings, and each option with its command. It is "" if no gate is open.
func Gate(s loop.State, t belay.Task) string {
	if s.Gate == nil {
		return ""
	}
	v := gateView{Task: t, Gate: *s.Gate, Stopped: s.Gate.Kind == loop.GateCancelled, Review: s.Gate.Kind == loop.GateReview}
	if s.Gate.Kind == loop.GateClarify {
		v.Doubts = DoubtsText(t.Request.Doubts)
		v.Gate.Why = "The task is ambiguous: its readings lead to different work."
	}
	if a := s.Current(); s.Gate.Broken == loop.CmdAttempt && a.Log != "" {
		v.Failed = a.N
	}
	for _, a := range s.Attempts {
		v.Attempts = append(v.Attempts, gateAttempt{N: a.N, Result: resultText(a), Reasons: reasonLines(a)})
	}
	for _, o := range s.Gate.Options {
		v.Options = append(v.Options, option{Key: Key(o), Name: fmt.Sprintf("%-8s", o), Meaning: Meaning(o, s)})
		command := fmt.Sprintf("belay decide %s %s", t.ID, o)
		if what := meaningText(o, *s.Gate); what != "" {
			command += fmt.Sprintf(" --message %q", what)
		}
		if v.Command == "" || o == likelyDecision(*s.Gate) {
			v.Command = command
		}
	}
	return belay.Visible(render("gate", v)) + "\n"
}

type gateView struct {
	Task     belay.Task
	Gate     loop.Gate
	Attempts []gateAttempt
	Options  []option
	Command  string // an example: a command that chooses one of the options
	Stopped  bool
	Review   bool
	Failed   int    // the attempt at which the agent failed; 0 for none
	Doubts   string // the possible readings, for a gate that asks for one
}

type gateAttempt struct {
	N       int
	Result  string
	Reasons []string
}

type option struct {
	Key     string
	Name    string
	Meaning string
}

// likelyDecision returns a person's most likely decision, for the example.
func likelyDecision(g loop.Gate) loop.Decision {
	switch g.Kind {
	case loop.GateBroken:
		return loop.DecideRetry
	case loop.GateQuestion:
		return loop.DecideApprove
	}
	return loop.DecideGuide
}

// decisionKeys are the keys for decisions at a terminal: a letter of each name.
var decisionKeys = map[loop.Decision]string{loop.DecideGuide: "g", loop.DecideRetry: "t", loop.DecideDebug: "d", loop.DecideAsItIs: "i",
	loop.DecideRecheck: "r", loop.DecideApprove: "a", loop.DecideSkip: "s", loop.DecideAbort: "x"}

// Key returns the key for a decision at a terminal.
func Key(d loop.Decision) string { return decisionKeys[d] }

// maxGateReasons limits the reasons of an attempt that the question repeats.
const maxGateReasons = 5

// reasonLines returns an attempt's reasons, one on each line, or its note if it has none.
func reasonLines(a loop.Attempt) []string {
	var list []string
	reasons := a.Reasons()
	for i, f := range reasons {
		if i == maxGateReasons {
			list = append(list, fmt.Sprintf("and %d more", len(reasons)-i))
			break
		}
		list = append(list, belay.Clip(Reason(f), 300))
	}
	if len(list) == 0 && a.Note != "" && a.Verdict != belay.VerdictPass {
		list = append(list, belay.Clip(belay.VisibleLine(a.Note), 300))
	}
	return list
}

// Meaning describes the effect of a decision at the open gate in a few words.
func Meaning(d loop.Decision, s loop.State) string {
	switch d {
	case loop.DecideDebug:
		return "an agent looks for the root cause, then retries"
	case loop.DecideGuide:
		if b := s.Gate.Broken; b != "" && b != loop.CmdAttempt {
			return fmt.Sprintf("retry the %s", b.Noun())
		}
		if s.Gate.Kind == loop.GateClarify {
			return "say what you mean, in your own words or by the number of a reading; the answer is added to the task"
		}
		return "retry with your instructions"
	case loop.DecideRetry:
		return "retry without instructions"
	case loop.DecideAsItIs:
		return "run the task as written"
	case loop.DecideSkip:
		return rollbackText(s) + "record a known issue and continue"
	case loop.DecideAbort:
		return rollbackText(s) + "stop"
	case loop.DecideRecheck:
		return "check your own edits"
	case loop.DecideApprove:
		switch s.Gate.Kind {
		case loop.GateReview:
			return "accept it without a recorded review"
		case loop.GateQuestion:
			return "accept it, with what was asked about"
		}
		return "accept it despite the rejection, with a reason for the record"
	}
	return ""
}

func rollbackText(s loop.State) string {
	if s.Before == "" {
		return ""
	}
	return "roll back, "
}

func meaningText(d loop.Decision, g loop.Gate) string {
	switch {
	case d != loop.DecideGuide:
		return ""
	case g.Broken != "" && g.Broken != loop.CmdAttempt:
		return "what you fixed"
	case g.Kind == loop.GateClarify:
		return "what you mean"
	}
	return "what to do differently"
}
