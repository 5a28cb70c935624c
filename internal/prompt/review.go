package prompt

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// ReviewInput is the data of a reviewer's prompt. Nonce marks the start and the end of quoted data:
// it must be new for each prompt, so that no quoted text can contain it.
type ReviewInput struct {
	Task     belay.Task
	Reviewer belay.Reviewer
	Attempt  int
	Checks   []belay.CheckResult // results of belay's checks
	Baseline string
	Diff     string          // changes of the task; in a later cycle, changes since the last review
	Since    int             // the attempt at which the diff starts; 0 for the before snapshot
	Open     []belay.Finding // findings of that review
	Files    []string        // changed paths
	Spec     []Document      // the feature's documents
	Feature  string          // the feature, for a review of a feature; "" for a task's review
	Nonce    string

	Phase *PhaseReview // for a review of a phase; nil for work
}

// PhaseReview is the data of a phase reviewer's prompt. Kind is chain, handoff or final. Artefact
// is the reviewed documents; for handoff and final, the documents that the change is compared with.
type PhaseReview struct {
	Feature, Phase, Next, Needs, Kind string
	Round, Limit                      int
	Previous, Artefact                []Document
}

// Document is a text of the repository that a reviewer compares the change with.
type Document struct{ Path, Text string }

// Quoted returns path and text of the document, to be quoted as data.
func (d Document) Quoted() string {
	text, left := Cut(MaskVisible(d.Text), 1500, 48<<10)
	if left != "" {
		text += "\n(cut: " + left + "; read the rest in the checkout)"
	}
	return d.Path + "\n\n" + text
}

// reviewerRoles describe what the reviewer of each role checks.
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

// Review returns the prompt of a reviewer: what to check, the person's text, the results of the
// checks, the change, and the format of the answer. Everything from the repository or a program is
// between lines with the nonce.
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

// ReviewAgain returns the second prompt, after an answer that could not be read.
func ReviewAgain(first, wrong, answer, nonce string) string {
	text, left := Cut(MaskVisible(answer), MaxLines, MaxBytes)
	if left != "" {
		text += "\n(cut: " + left + ")"
	}
	return first + "\n# Your answer could not be read\n\n" + belay.VisibleLine(wrong) + "\n\nYour answer, as data:\n\n" +
		quoteData(nonce, text) + "\n\nAnswer again, with the JSON object and nothing else.\n"
}

// quoteData quotes a text between lines with the nonce, which it removes from the text.
func quoteData(nonce, text string) string {
	text = strings.ReplaceAll(strings.TrimRight(MaskVisible(text), "\n"), nonce, "…")
	return "<<<data " + nonce + "\n" + text + "\ndata " + nonce + ">>>"
}
