// Package phase decides which phase of a feature may follow which. Check is a function of its input, and Feature folds
// the entries of a feature's record. It reads no file and records nothing.
package phase

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Phase is a step of a feature, from an idea to what can be merged.
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

// Parse reads the name of a phase. Errors: belay.CodeUsage.
func Parse(s string) (Phase, error) {
	if p := Phase(s); slices.Contains(All, p) {
		return p, nil
	}
	return "", belay.Refuse(belay.CodeUsage, "use one of "+join(All), "%q is not a phase", s)
}

// Paths are the phases that a feature goes through in each mode. How often reviewers may reject in it is belay.Modes.
var Paths = map[string][]Phase{
	"hotfix":   {Specify, Implement, Verify, Finish},
	"quick":    {Specify, CreatePlan, CreateTasks, Implement, Verify, Finish},
	"standard": {Specify, Design, CreatePlan, CreateTasks, Implement, Verify, Finish},
	"full":     All,
}

// ModeNames are the modes, from the one with the fewest phases to the one with all.
var ModeNames = []string{"hotfix", "quick", "standard", "full"}

// State is what is known of the artefact of a phase.
type State string

// The states. The code is the artefact of implement, and the verdict that of verify: they are missing until the phase
// is completed.
const (
	Missing  State = "missing"
	Empty    State = "empty"    // nothing but white space
	Present  State = "present"  // not reviewed, or changed since its review
	Reviewed State = "reviewed" // the reviewers approved these very bytes
	None     State = "none"     // the layout has no such artefact
)

// States are those that an artefact of a layout can be in.
var States = []State{Missing, Empty, Present, Reviewed}

// needs are the artefacts without which a phase is blocked, whatever the mode.
var needs = map[Phase]Phase{Implement: Specify, CreateTasks: CreatePlan}

// PhaseState is where one phase of a feature is.
type PhaseState struct {
	Artefact State
	Begun    bool
	Done     bool
	Concerns int // what reviewers still said against it when it was completed at the limit
}

// Input asks whether a phase may begin. Phases that are not in the map are missing and not begun.
type Input struct {
	Phase    Phase
	Mode     string
	Phases   map[Phase]PhaseState
	Finished bool // the feature is
}

// Kind says what an answer means.
type Kind string

// The kinds of answers.
const (
	OK    Kind = "ok"
	Warn  Kind = "warn"  // allowed; a person should know
	Block Kind = "block" // not allowed
)

// Answer is what Check says. Begun is set where the phase itself was started and not completed: somebody has to choose
// between continuing, starting afresh and reviewing what is there.
type Answer struct {
	Allowed bool    `json:"allowed"`
	Type    Kind    `json:"type"`
	Message string  `json:"message"`
	Begun   bool    `json:"begun,omitempty"`
	Lacks   Phase   `json:"lacks,omitempty"`   // the phase that has to be done first
	Skipped []Phase `json:"skipped,omitempty"` // phases of the mode that were not completed
}

// Check says whether a phase may begin.
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

// blocked looks for an artefact without which the phase cannot work.
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

// needed is the phase that this one cannot do without in any mode: the one of needs, or the last one before it that the
// layout has.
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

// previous is the phase before this one, of those that the mode and the layout have.
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

// Next is the phase that a feature does next: one that was begun and not completed, else the first one of its mode that
// is not done and has nothing done after it. "" when there is none.
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
