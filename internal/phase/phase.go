// Package phase decides which phase of a feature may follow which. Check is a function of its input, and Feature folds
// the entries of a feature's record. It reads no file and records nothing.
package phase

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Phase is a step of a feature, from the idea to the merge.
type Phase string

// The phases, in their order.
const (
	Brainstorm  Phase = "brainstorm"
	Specify     Phase = "specify"
	Design      Phase = "design"
	CreatePlan  Phase = "create-plan"
	CreateTasks Phase = "create-tasks"
	Implement   Phase = "implement"
	Verify      Phase = "verify"
	Finish      Phase = "finish"
)

// All are the phases in their order.
var All = []Phase{Brainstorm, Specify, Design, CreatePlan, CreateTasks, Implement, Verify, Finish}

// Parse parses the name of a phase. Errors: belay.CodeUsage.
func Parse(s string) (Phase, error) {
	if p := Phase(s); slices.Contains(All, p) {
		return p, nil
	}
	return "", belay.Refuse(belay.CodeUsage, "use one of "+join(All), "%q is not a phase", s)
}

// Paths are the phases of each mode. How often reviewers may reject in a mode is in belay.Modes.
var Paths = map[string][]Phase{
	"hotfix":   {Specify, Implement, Verify, Finish},
	"quick":    {Specify, CreatePlan, CreateTasks, Implement, Verify, Finish},
	"standard": {Specify, Design, CreatePlan, CreateTasks, Implement, Verify, Finish},
	"full":     All,
}

// ModeNames are the modes, by number of phases.
var ModeNames = []string{"hotfix", "quick", "standard", "full"}

// State is the state of a phase's artefact.
type State string

// The states. The artefact of implement is the code, and that of verify the verdict; they are
// missing until the phase is completed.
const (
	Missing  State = "missing"
	Empty    State = "empty"    // only white space
	Present  State = "present"  // not reviewed, or changed since then
	Reviewed State = "reviewed" // reviewers approved exactly this content
	None     State = "none"     // the layout has no artefact for the phase
)

// States are the states of an artefact that the layout has.
var States = []State{Missing, Empty, Present, Reviewed}

// needs maps phases to the phase with the artefact that they need in every mode.
var needs = map[Phase]Phase{Implement: Specify, CreateTasks: CreatePlan}

// PhaseState is the state of one phase of a feature.
type PhaseState struct {
	Artefact State
	Begun    bool
	Done     bool
	Concerns int // findings that were open when it was completed at the limit
}

// Input is the question whether a phase may begin. Phases that are not in the map are missing and
// not begun.
type Input struct {
	Phase    Phase
	Mode     string
	Phases   map[Phase]PhaseState
	Finished bool // the feature has ended
}

// Kind is the kind of an answer.
type Kind string

// The kinds of answers.
const (
	OK    Kind = "ok"
	Warn  Kind = "warn"  // allowed, with a warning for a person
	Block Kind = "block" // not allowed
)

// Answer is the result of Check. Begun means that the phase itself was started and not completed: a
// person has to choose between continuing it, restarting it, and reviewing the existing artefact.
type Answer struct {
	Allowed bool    `json:"allowed"`
	Type    Kind    `json:"type"`
	Message string  `json:"message"`
	Begun   bool    `json:"begun,omitempty"`
	Lacks   Phase   `json:"lacks,omitempty"`   // the phase to complete first
	Skipped []Phase `json:"skipped,omitempty"` // phases of the mode that are not completed
}

// Check returns whether a phase may begin.
func Check(in Input) Answer {
	path, known := Paths[in.Mode]
	switch {
	case !known:
		return block("", "%q is not a mode", in.Mode)
	case !slices.Contains(All, in.Phase):
		return block("", "%q is not a phase", in.Phase)
	case in.Finished:
		return block("", "the feature is finished")
	}
	if a, blocked := in.blocked(path); blocked {
		return a
	}
	a := Answer{Allowed: true, Type: OK}
	var said []string
	own := in.Phases[in.Phase]
	switch {
	case own.Done:
		said = append(said, fmt.Sprintf("%s is completed already: starting it again makes what follows it out of date", in.Phase))
	case own.Begun:
		a.Begun = true
		said = append(said, fmt.Sprintf("%s was started and not completed", in.Phase))
	}
	for _, p := range path {
		s := in.of(p)
		switch {
		case s.Artefact == None || p == in.Phase:
		case before(p, in.Phase) && !s.Done:
			a.Skipped = append(a.Skipped, p)
		case s.Begun && !s.Done:
			said = append(said, fmt.Sprintf("%s was started and not completed", p))
		}
	}
	if len(a.Skipped) > 0 {
		said = append(said, fmt.Sprintf("skips %s", join(a.Skipped)))
	}
	if prev := in.previous(path); prev != "" {
		s := in.of(prev)
		if s.Concerns > 0 {
			said = append(said, fmt.Sprintf("%s was completed with %s", prev, belay.CountOf(s.Concerns, "open concern")))
		}
		if in.Mode == "full" && s.Artefact == Present {
			said = append(said, fmt.Sprintf("what %s produced is not reviewed", prev))
		}
	}
	if len(said) > 0 {
		a.Type, a.Message = Warn, strings.Join(said, "; ")
	}
	return a
}

// blocked reports whether an artefact that the phase needs is missing or empty.
func (in Input) blocked(path []Phase) (Answer, bool) {
	prev := in.previous(path)
	for _, p := range []Phase{in.needed(), prev} {
		if p == "" {
			continue
		}
		why := fmt.Sprintf("%s needs what %s produces", in.Phase, p)
		switch s := in.of(p); {
		case s.Artefact == Missing:
			return block(p, "%s: it is missing", why), true
		case s.Artefact == Empty:
			return block(p, "%s: it is empty", why), true
		}
	}
	return Answer{}, false
}

func (in Input) of(p Phase) PhaseState {
	s := in.Phases[p]
	if s.Artefact == "" {
		s.Artefact = Missing
	}
	return s
}

// needed returns the phase with the artefact that this one needs in every mode: the one in needs,
// or the last phase before that for which the layout has an artefact.
func (in Input) needed() Phase {
	p, any := needs[in.Phase]
	if !any {
		return ""
	}
	for i := slices.Index(All, p); i >= 0; i-- {
		if in.of(All[i]).Artefact != None {
			return All[i]
		}
	}
	return ""
}

// previous returns the phase before this one that is in the mode and for which the layout has an
// artefact.
func (in Input) previous(path []Phase) Phase {
	prev := Phase("")
	for _, p := range path {
		if before(p, in.Phase) && in.of(p).Artefact != None {
			prev = p
		}
	}
	return prev
}

func before(p, q Phase) bool { return slices.Index(All, p) < slices.Index(All, q) }

func block(lacks Phase, format string, args ...any) Answer {
	return Answer{Type: Block, Message: fmt.Sprintf(format, args...), Lacks: lacks}
}

func join(list []Phase) string {
	var out []string
	for _, p := range list {
		out = append(out, string(p))
	}
	return strings.Join(out, ", ")
}

// Next returns the next phase of a feature: an open one, or else the first one of its mode behind
// the last completed phase. "" if there is none.
func Next(mode string, phases map[Phase]PhaseState) Phase {
	path := Paths[mode]
	for _, p := range All {
		if s := phases[p]; s.Begun && !s.Done {
			return p
		}
	}
	last := -1
	for i, p := range All {
		if phases[p].Done {
			last = i
		}
	}
	for _, p := range path {
		if slices.Index(All, p) > last && phases[p].Artefact != None {
			return p
		}
	}
	return ""
}
