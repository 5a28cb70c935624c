package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Category is the reason for which a rejection does not count.
type Category string

// The categories.
const (
	PreExisting   Category = "pre_existing_failure"
	WrongContext  Category = "wrong_context"
	CrossScope    Category = "cross_scope"
	Environmental Category = "infra_environmental"
	Custom        Category = "custom"
)

// Categories returns all categories.
func Categories() []Category {
	return []Category{PreExisting, WrongContext, CrossScope, Environmental, Custom}
}

// Description describes a category in a few words.
func (c Category) Description() string {
	return map[Category]string{
		PreExisting:   "it fails without the change as well",
		WrongContext:  "the finding is about another feature or task",
		CrossScope:    "what it asks for is outside the task, or a task of its own",
		Environmental: "the machine or the environment is to blame",
		Custom:        "something else",
	}[c]
}

// Question is one of the five questions. The answer When leads to Category.
type Question struct {
	Key      string // name of the answer in records, and of the flag
	Text     string
	When     bool
	Category Category
}

// Questions returns the questions in their order. The first answer that leads to a category
// decides.
func Questions() []Question {
	return []Question{
		{"pre_existing", "does it also fail without the change?", true, PreExisting},
		{"right_task", "is the finding about this feature and this task?", false, WrongContext},
		{"in_scope", "is the requested fix within the task's scope?", false, CrossScope},
		{"environmental", "is the machine or the environment the cause, not the code?", true, Environmental},
		{"follow_up", "should it be a task of its own instead?", true, CrossScope},
	}
}

// Decision is a person's reason for accepting rejected work: the category, the answers that it
// follows from (empty if it was given directly), and an explanation.
type Decision struct {
	Category Category        `json:"category" yaml:"category"`
	Note     string          `json:"note" yaml:"note"`
	Answers  map[string]bool `json:"answers,omitempty" yaml:"answers,omitempty"`
}

// DeriveCategory returns the category that follows from the answers; Custom if none leads to
// another one.
func DeriveCategory(answers map[string]bool) Category {
	for _, q := range Questions() {
		if a, answered := answers[q.Key]; answered && a == q.When {
			return q.Category
		}
	}
	return Custom
}

// Decide checks a decision. An empty category is derived from the answers. Errors (CodeUsage): the
// category is unknown or contradicts the answers, or there is no note, which every override needs:
// without a reason it is of no use later.
func Decide(category Category, answers map[string]bool, note string) (Decision, error) {
	d := Decision{Category: category, Note: strings.TrimSpace(note), Answers: answers}
	if d.Category == "" {
		if len(answers) == 0 {
			return d, belay.Refuse(belay.CodeUsage, "give --category "+CategoryNames(), "an override needs a category")
		}
		d.Category = DeriveCategory(answers)
	}
	switch {
	case !slices.Contains(Categories(), d.Category):
		return d, belay.Refuse(belay.CodeUsage, "one of "+CategoryNames(), "%q is not a category", string(d.Category))
	case len(answers) > 0 && d.Category != Custom && DeriveCategory(answers) != d.Category:
		return d, belay.Refuse(belay.CodeUsage, "omit --category, or change the answers",
			"the answers mean %s, not %s", DeriveCategory(answers), d.Category)
	case d.Note == "":
		return d, belay.Refuse(belay.CodeUsage, `add --note "why it may be accepted"`, "an override needs a reason")
	}
	return d, nil
}

// CategoryNames lists the categories on one line.
func CategoryNames() string {
	var names []string
	for _, c := range Categories() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// String formats the decision on one line for the record: category, note, answers.
func (d Decision) String() string {
	s := fmt.Sprintf("%s: %s", d.Category, strings.Join(strings.Fields(d.Note), " "))
	var given []string
	for _, q := range Questions() {
		if a, ok := d.Answers[q.Key]; ok {
			given = append(given, q.Key+"="+map[bool]string{true: "yes", false: "no"}[a])
		}
	}
	if len(given) > 0 {
		s += " (" + strings.Join(given, ", ") + ")"
	}
	return s
}

// ParseDecision parses a line that String formatted. ok is false for another text.
func ParseDecision(line string) (d Decision, ok bool) {
	category, rest, ok := strings.Cut(line, ": ")
	d.Category = Category(category)
	if !ok || !slices.Contains(Categories(), d.Category) || strings.TrimSpace(rest) == "" {
		return Decision{}, false
	}
	d.Note = rest
	open := strings.LastIndex(rest, " (")
	if open <= 0 || !strings.HasSuffix(rest, ")") {
		return d, true
	}
	answers := map[string]bool{}
	for part := range strings.SplitSeq(rest[open+2:len(rest)-1], ", ") {
		key, said, _ := strings.Cut(part, "=")
		known := slices.ContainsFunc(Questions(), func(q Question) bool { return q.Key == key })
		if !known || said != "yes" && said != "no" {
			return d, true // the parenthesis is part of the note
		}
		answers[key] = said == "yes"
	}
	d.Note, d.Answers = rest[:open], answers
	return d, true
}
