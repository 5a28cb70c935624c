package prompt

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// Gate is the question to a person at an open gate, as plain text for a terminal:
// why it is asked, every attempt with its reasons, and each option with the command
// that takes it. It is "" when no gate is open.
func Gate(s loop.State, t belay.Task) string {
	if s.Gate == nil {
		return ""
	}
	v := gateView{Task: t, Gate: *s.Gate, Stopped: s.Gate.Kind == loop.GateCancelled, Review: s.Gate.Kind == loop.GateReview}
	if s.Gate.Kind == loop.GateClarify {
		v.Doubts = Doubts(t.Request.Doubts)
		v.Gate.Why = "The words can be read in more than one way, and lead to different work."
	}
	for _, a := range s.Attempts {
		v.Attempts = append(v.Attempts, gateAttempt{N: a.N, Result: result(a), Reasons: lines(a)})
	}
	for i, o := range s.Gate.Options {
		v.Options = append(v.Options, option{
			Letter: string(rune('A' + i)), Name: o, Meaning: meaning(o, s), Words: words(o, *s.Gate),
			Command: fmt.Sprintf("belay gate decide %s %s", t.ID, o),
		})
		if o == loop.DecideApprove && !v.Review {
			v.Options[i].Command = fmt.Sprintf("belay task move %s --to approved --force", t.ID)
		}
	}
	return belay.Visible(render("gate", v)) + "\n"
}

type gateView struct {
	Task     belay.Task
	Gate     loop.Gate
	Attempts []gateAttempt
	Options  []option
	Stopped  bool
	Review   bool
	Doubts   string // what the words can mean, for a gate that asks that
}

type gateAttempt struct {
	N       int
	Result  string
	Reasons []string
}

type option struct {
	Letter  string
	Name    loop.Decision
	Meaning string
	Command string
	Words   string // what --message is for, "" when the option takes no words
}

// maxGateReasons is how many reasons of an attempt the question repeats.
const maxGateReasons = 5

// lines gives an attempt's reasons, one a line, or the note when it has none.
func lines(a loop.Attempt) []string {
	var list []string
	reasons := a.Reasons()
	for i, f := range reasons {
		if i == maxGateReasons {
			list = append(list, fmt.Sprintf("and %d more", len(reasons)-i))
			break
		}
		text := belay.Clip(reason(f), 300)
		list = append(list, text)
	}
	if len(list) == 0 && a.Note != "" && a.Verdict != belay.VerdictPass {
		text := belay.Clip(belay.VisibleLine(a.Note), 300)
		list = append(list, text)
	}
	return list
}

func meaning(d loop.Decision, s loop.State) string {
	switch d {
	case loop.DecideDebug:
		return "have the root cause looked for, then try again with it"
	case loop.DecideGuide:
		if b := s.Gate.Broken; b != "" && b != loop.CmdAttempt {
			return fmt.Sprintf("do the %s again", b.Noun())
		}
		if s.Gate.Kind == loop.GateClarify {
			return "say what is meant, in your words or by the number of a reading: the answer is put behind the words"
		}
		return "try again with your words"
	case loop.DecideAsItIs:
		return "run the words as they are written"
	case loop.DecideSkip:
		return putBack(s) + "record a known issue, go on"
	case loop.DecideAbort:
		return putBack(s) + "stop"
	case loop.DecideRecheck:
		return "you changed it by hand: judge it as it is now"
	case loop.DecideApprove:
		if s.Gate.Kind == loop.GateReview {
			return "accept it, without a review in the record"
		}
		return "accept it as it is, over its refusal, for the record with a reason"
	}
	return ""
}

func putBack(s loop.State) string {
	if s.Before == "" {
		return ""
	}
	return "put the state before back, "
}

func words(d loop.Decision, g loop.Gate) string {
	switch {
	case d != loop.DecideGuide:
		return ""
	case g.Broken != "" && g.Broken != loop.CmdAttempt:
		return "what you mended"
	case g.Kind == loop.GateClarify:
		return "what is meant"
	}
	return "what to do differently"
}
