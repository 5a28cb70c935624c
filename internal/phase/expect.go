package phase

// Sits is the reviewer of a completed phase.
type Sits string

// The reviewers of phases.
const (
	Chain   Sits = "chain"   // is the artefact sufficient for the next phase?
	Handoff Sits = "handoff" // is every task done, so that it can be verified?
	Final   Sits = "final"   // does the implementation do what the specification asks for, and nothing more?
)

// Expectation is what a phase has to produce for the next one.
type Expectation struct {
	Phase    Phase  `json:"phase"`
	Produces string `json:"produces"`
	Next     Phase  `json:"next"`
	Needs    string `json:"needs"`
	Sits     Sits   `json:"reviewer"`
}

// Expectations are what reviewers judge by, in the order of the phases.
var Expectations = []Expectation{
	{Brainstorm, "notes", Specify, "a clear statement of the problem; the options that were explored; what the user wants", Chain},
	{Specify, "specification", Design,
		"every requirement; acceptance criteria for each; what is in scope and what is not", Chain},
	{Design, "design", CreatePlan, "the components; their interfaces; what they depend on; the risks", Chain},
	{CreatePlan, "plan", CreateTasks, "steps in an order that respects their dependencies; every item of the design covered", Chain},
	{CreateTasks, "task list", Implement, "small tasks, each done within 15 minutes; acceptance criteria for each", Chain},
	{Implement, "code", Verify, "every task addressed; tests that exist and pass; no obvious fault", Handoff},
	{Verify, "verdict", Finish, "quality confirmed; the implementation matches the specification; ready to merge", Final},
}

// ExpectationOf returns the expectation of a phase, with the next phase of the mode; has reports
// which phases the layout has. It is the zero value for finish, the last phase.
func ExpectationOf(p Phase, mode string, has func(Phase) bool) Expectation {
	for _, e := range Expectations {
		if e.Phase != p {
			continue
		}
		for _, q := range Paths[mode] {
			if before(p, q) && (has(q) || !before(q, Implement)) {
				e.Next = q
				break
			}
		}
		return e
	}
	return Expectation{}
}
