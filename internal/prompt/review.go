package prompt

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// ReviewInput is the data of a reviewer's prompt. Nonce marks where quoted data starts and
// ends: it must be new for each prompt, so that no quoted text can contain it.
type ReviewInput struct {
	Task     belay.Task
	Reviewer belay.Reviewer
	Attempt  int
	Checks   []belay.CheckResult // what belay measured
	Baseline string
	Diff     string          // what the task changed; in a later cycle, what changed since the last review
	Since    int             // the attempt whose review the diff starts from, 0 for the state before
	Open     []belay.Finding // what that review found
	Files    []string        // the paths that changed
	Spec     []Document      // what the feature's documents say
	Feature  string          // the feature that is reviewed as a whole, "" for a task's review
	Nonce    string

	Phase *PhaseReview // what a phase of a feature produced is reviewed; nil for work
}

// PhaseReview is the data of a phase reviewer's prompt. Kind is chain, handoff or final.
// Artefact is what is reviewed; for handoff and final it is what the change is compared with.
type PhaseReview struct {
	Feature, Phase, Next, Needs, Kind string
	Round, Limit                      int
	Previous, Artefact                []Document
}

// Document is a text of the repository that a reviewer compares the change with.
type Document struct{ Path, Text string }

// Quoted returns the document as data.
func (d Document) Quoted() string {
	text, left := Cut(MaskVisible(d.Text), 1500, 48<<10)
	if left != "" {
		text += "\n(cut: " + left + "; read the rest in the checkout)"
	}
	return d.Path + "\n\n" + text
}

// reviewerRoles describe what a reviewer of each role checks.
var reviewerRoles = map[string]string{
	"spec":     "whether the change does what the task asks for: all of it and nothing else",
	"quality":  "whether the change is correct and maintainable: errors, edge cases, naming, structure, tests that prove something",
	"security": "whether the change introduces a vulnerability:  injection, paths, secrets, rights, unsafe input, dependencies",
	"debugger": "whether the cause of the failure was fixed, not its symptom",
}

// reviewView is the data of the templates.
type reviewView struct {
	ReviewInput
	RoleText  string
	Facts     string
	OpenText  string
	FileList  string
	Threshold int

	Guidelines []belay.Guideline
}

// Review returns the prompt of a reviewer: what to check, the person's text, the results of
// the checks, the change, and the form of the answer. Everything from the repository or a
// program is between lines with the nonce.
func Review(in ReviewInput) string {
	v := reviewView{ReviewInput: in, RoleText: reviewerRoles[in.Reviewer.Role], Threshold: in.Reviewer.Threshold,
		OpenText: Findings(in.Open)}
	if v.RoleText == "" {
		if v.RoleText = strings.TrimSpace(belay.VisibleLine(in.Reviewer.Role)); v.RoleText == "" {
			v.RoleText = reviewerRoles["spec"]
		}
	}
	v.Guidelines = belay.GuidelinesFor(in.Task.Guidelines, "review", "reviewer", in.Reviewer.Name)
	for _, g := range belay.Reviewable(in.Task.Guidelines, in.Task.Role) {
		v.Guidelines = slices.DeleteFunc(v.Guidelines, func(o belay.Guideline) bool { return o.ID == g.ID })
		g.Instruction = strings.TrimRight(g.Instruction, " ") + " (The work had to follow this rule: violating it is a critical finding.)"
		v.Guidelines = append(v.Guidelines, g)
	}
	var facts strings.Builder
	for _, c := range in.Checks {
		verdict := string(c.Verdict)
		if c.Skipped {
			verdict = "skipped"
		}
		facts.WriteString(c.Check + ": " + verdict + ", " + belay.VisibleLine(c.Summary) + "\n")
		facts.WriteString(RequirementsText(c.Met))
		for _, f := range c.Findings[:min(len(c.Findings), 30)] {
			writeFinding(&facts, f, "", 0)
		}
	}
	v.Facts = facts.String()
	v.FileList = strings.Join(in.Files[:min(len(in.Files), 500)], "\n")
	if in.Phase != nil {
		parts := []string{"phase", "guidelines", "phase_documents", "review_open", "review_change", "review_answer"}
		if in.Diff == "" {
			parts = slices.Delete(parts, 4, 5)
		}
		if len(in.Checks) > 0 {
			parts = slices.Insert(parts, 3, "review_facts")
		}
		return renderSections(v, parts...)
	}
	return renderSections(v, "review", "review_task", "guidelines", "review_spec", "review_facts", "review_open",
		"review_change", "review_answer")
}

// ReviewAgain returns the second prompt, after a first answer that could not be read.
func ReviewAgain(first, wrong, answer, nonce string) string {
	text, left := Cut(MaskVisible(answer), MaxLines, MaxBytes)
	if left != "" {
		text += "\n(cut: " + left + ")"
	}
	return first + "\n# Your answer could not be read\n\n" + belay.VisibleLine(wrong) + "\n\nYour answer, as data:\n\n" +
		quoteData(nonce, text) + "\n\nAnswer again, with the JSON object and nothing else.\n"
}

// quoteData puts a text between lines that it cannot contain.
func quoteData(nonce, text string) string {
	text = strings.ReplaceAll(strings.TrimRight(MaskVisible(text), "\n"), nonce, "…")
	return "<<<data " + nonce + "\n" + text + "\ndata " + nonce + ">>>"
}
