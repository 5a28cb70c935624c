package belay

import (
	"slices"
	"strings"
)

// Guideline is a project rule that is added to the prompts of certain agents. Agents and Actions
// are the conditions; an empty list is no condition. Higher Priority comes first.
type Guideline struct {
	ID          string   `json:"id"`
	Name        string   `json:"name,omitempty"`        // a title for people and prompts
	Description string   `json:"description,omitempty"` // its purpose, for people
	Enabled     bool     `json:"enabled"`
	Category    string   `json:"category,omitempty"`
	Priority    int      `json:"priority"`
	Agents      []string `json:"agents,omitempty"`  // implementer, reviewer, debugger, or an agent's name
	Actions     []string `json:"actions,omitempty"` // implement, fix, review, debug, or any word
	Instruction string   `json:"instruction"`

	Type          string `json:"type,omitempty"`           // one of GuidelineTypes; "" is a constraint
	RequireReview bool   `json:"require_review,omitempty"` // work under this guideline is accepted only after a review
}

// Types of guidelines: a constraint must be followed, an advice may be.
const (
	GuidelineConstraint = "constraint"
	GuidelineAdvice     = "advice"
)

// GuidelineTypes are the values of Guideline.Type.
var GuidelineTypes = []string{GuidelineConstraint, GuidelineAdvice}

// PromptText returns the guideline as part of a prompt: its name, if any, and the instruction.
func (g Guideline) PromptText() string {
	text := g.Instruction
	if g.Name != "" {
		text = g.Name + ": " + text
	}
	if g.Type == GuidelineAdvice {
		text = "Advice. " + text
	}
	return text
}

// Reviewable returns the guidelines that require a review of an agent's work: those that apply to
// it while it implements or fixes something.
func Reviewable(list []Guideline, agents ...string) []Guideline {
	agents = append([]string{"implementer"}, agents...)
	var out []Guideline
	for _, action := range []string{"implement", "fix"} {
		for _, g := range GuidelinesFor(list, action, agents...) {
			if g.RequireReview && !slices.ContainsFunc(out, func(o Guideline) bool { return o.ID == g.ID }) {
				out = append(out, g)
			}
		}
	}
	return out
}

// AppliesTo reports whether the guideline is for any of these agents doing action.
func (g Guideline) AppliesTo(action string, agents ...string) bool {
	if !g.Enabled || len(g.Actions) > 0 && !anyFold(g.Actions, action) {
		return false
	}
	return len(g.Agents) == 0 || anyFold(g.Agents, agents...)
}

func anyFold(list []string, words ...string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return w != "" && strings.EqualFold(l, w) })
	})
}

// GuidelinesFor returns the guidelines that apply, by priority and then by ID.
func GuidelinesFor(list []Guideline, action string, agents ...string) []Guideline {
	out := slices.DeleteFunc(slices.Clone(list), func(g Guideline) bool { return !g.AppliesTo(action, agents...) })
	slices.SortStableFunc(out, func(a, b Guideline) int {
		if a.Priority != b.Priority {
			return b.Priority - a.Priority
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// BuiltIn returns belay's own guidelines. Belay enforces them itself: the text only informs agents.
func BuiltIn() []Guideline {
	return []Guideline{
		{
			ID: "snapshot-protocol", Enabled: true, Category: "audit", Priority: 850,
			Name: "State snapshots", Description: "Each attempt has a snapshot from before and one from after it; rejected work " +
				"is rolled back or fixed.",
			Actions: []string{"implement", "code", "fix", "refactor", "test"},
			Instruction: "A snapshot was taken before you began, and another is taken when you finish. Rejected work is rolled back or " +
				"returned to you to fix. Do not take, restore or delete snapshots yourself, and leave refs/belay and .git/belay alone.",
		},
		{
			ID: "spec-based-review", Enabled: true, Category: "context", Priority: 800, RequireReview: true,
			Name:        "Review against the task",
			Description: "Reviewers compare the change with the request before they judge its quality.",
			Agents:      []string{"reviewer"}, Actions: []string{"review"},
			Instruction: "Compare the change with the task's text before you judge its quality: everything requested, " +
				"nothing else, as requested. Name what fails; never fix it.",
		},
	}
}
