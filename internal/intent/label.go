package intent

import "strings"

// Section is the purpose of the text under a label.
type Section int

// The sections of a ticket. Open is everything without a known label.
const (
	Open          Section = iota
	Problem               // what is wrong
	Expected              // what should happen, the counterpart of a problem
	Circumstances         // steps, environment, reasons: never a requirement
	Title                 // repeats the rest
	OutOfScope            // what must not be done
)

var sectionHeadings = splitPhrases(map[Section]string{
	Open: `user story|story|notes|note|constraints|description|feature request|request|proposal|proposed solution|` +
		`solution|describe the solution you'd like|acceptance criteria|requirements|todo|task|tasks|scope|wish|change|` +
		`changes|what|done when`,
	Problem: `describe the bug|bug|the bug|problem|actual|actual behavior|actual behaviour|actual result|actual results|` +
		`current behavior|current behaviour|what happens|what happened|observed|bug report|symptom|symptoms|issue|defect|` +
		`observed behaviour|observed behavior|bug description|what did you see instead|what actually happened|` +
		`what do you see|what did you see|what went wrong|result|results|outcome|got|observed result|received|we get`,
	Expected: `expected|expected behavior|expected behaviour|expected result|expected results|what should happen|` +
		`desired behaviour|desired behavior|what did you expect|what did you expect to happen|what do you expect|` +
		`what i expected|should be`,
	Circumstances: `since|seen in|seen on|affects|affected version|affected versions|customer|what did you do|` +
		`steps to reproduce|to reproduce|steps|repro|reproduction|repro steps|how to reproduce|environment|device|` +
		`version|versions|os|browser|priority|severity|type|reporter|reported by|date|labels|label|component|assignee|` +
		`due|why|motivation|background|context|additional context|reason|logs|log|screenshots|attachments|estimate|` +
		`sprint|status|epic|frequency|impact|platform|job log|output|from|to|cc|sent|id|smartphone|desktop|root cause|` +
		`is your feature request related to a problem|describe alternatives you've considered|alternatives`,
	Title: `title|summary|subject|re|betreff|goal|goals|objective`,
	OutOfScope: `not in scope|out of scope|non-goals|not part of this|don't touch|do not touch|please don't touch|` +
		`leave alone|not to be changed|must not change|hands off|untouched`,
})

// NormalizeLabel returns a heading in the form that sectionHeadings uses.
func NormalizeLabel(s string) string {
	return strings.ToLower(strings.Trim(PlainWord(s), " \t*_:#?!."))
}

// IsKnownLabel reports whether a label is a section of a ticket.
func IsKnownLabel(s string) bool {
	_, ok := sectionHeadings()[NormalizeLabel(s)]
	return ok
}

// Section returns the purpose of the block, by its label.
func (b Block) Section() Section {
	return sectionHeadings()[b.Label]
}
