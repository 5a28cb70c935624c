package intent

import "strings"

// Section is what the text under a label is for.
type Section int

// A ticket's parts. Open is everything without a label that says otherwise.
const (
	Open     Section = iota
	Problem          // what is wrong now
	Expected         // what should happen: the other side of a problem
	Around           // steps, environment, reasons: never a requirement of its own
	Title            // says again what the rest says
	Outside          // what is not to be done
)

var sectionHeadings = map[string]Section{
	"describe the bug": Problem, "bug": Problem, "the bug": Problem, "problem": Problem, "actual": Problem, "actual behavior": Problem,
	"actual behaviour": Problem, "actual result": Problem, "actual results": Problem, "current behavior": Problem,
	"current behaviour": Problem,
	"what happens":      Problem, "what happened": Problem, "observed": Problem, "bug report": Problem,
	"symptom": Problem, "symptoms": Problem,
	"issue": Problem, "defect": Problem, "observed behaviour": Problem, "observed behavior": Problem, "bug description": Problem,
	"expected": Expected, "expected behavior": Expected, "expected behaviour": Expected, "expected result": Expected,
	"expected results":   Expected,
	"what should happen": Expected, "desired behaviour": Expected, "desired behavior": Expected, "since": Around,
	"seen in": Around, "seen on": Around, "affects": Around, "affected version": Around, "affected versions": Around,
	"customer": Around, "what did you expect": Expected, "what did you expect to happen": Expected,
	"what do you expect": Expected, "what did you do": Around, "what did you see instead": Problem,
	"what actually happened": Problem, "what do you see": Problem, "what did you see": Problem,
	"what went wrong": Problem, "what i expected": Expected, "should be": Expected,
	"steps to reproduce": Around, "to reproduce": Around, "steps": Around, "repro": Around, "reproduction": Around, "repro steps": Around,
	"how to reproduce": Around, "environment": Around, "device": Around, "version": Around, "versions": Around,
	"os": Around, "browser": Around,
	"priority": Around, "severity": Around, "type": Around, "reporter": Around, "reported by": Around, "date": Around, "labels": Around,
	"label": Around, "component": Around, "assignee": Around, "due": Around, "why": Around, "motivation": Around, "background": Around,
	"context": Around, "additional context": Around, "reason": Around, "logs": Around, "log": Around,
	"screenshots": Around, "attachments": Around,
	"estimate": Around, "sprint": Around, "status": Around, "epic": Around, "frequency": Around, "impact": Around, "platform": Around,
	"job log": Around, "output": Around, "from": Around, "to": Around, "cc": Around, "sent": Around, "id": Around, "smartphone": Around,
	"desktop": Around, "user story": Open, "story": Open, "root cause": Around, "notes": Open, "note": Open,
	"title": Title, "summary": Title, "subject": Title, "re": Title, "betreff": Title,
	"not in scope": Outside, "out of scope": Outside, "non-goals": Outside, "not part of this": Outside,
	"don't touch": Outside, "do not touch": Outside, "please don't touch": Outside, "leave alone": Outside,
	"not to be changed": Outside, "must not change": Outside, "hands off": Outside, "untouched": Outside, "constraints": Open,
	"description": Open, "feature request": Open, "request": Open, "proposal": Open, "proposed solution": Open, "solution": Open,
	"describe the solution you'd like": Open, "acceptance criteria": Open, "requirements": Open, "todo": Open, "task": Open, "tasks": Open,
	"scope": Open, "goal": Title, "goals": Title, "objective": Title, "result": Problem, "results": Problem,
	"outcome": Problem, "got": Problem, "observed result": Problem, "received": Problem, "we get": Problem,
	"wish": Open, "change": Open, "changes": Open, "what": Open, "done when": Open,
	"is your feature request related to a problem": Around, "describe alternatives you've considered": Around, "alternatives": Around,
}

// Label is a heading as the sections are looked up.
func Label(s string) string {
	return strings.ToLower(strings.Trim(PlainWord(s), " \t*_:#?!."))
}

// Known reports whether a label is one of a ticket's.
func Known(s string) bool {
	_, ok := sectionHeadings[Label(s)]
	return ok
}

// Section says what the block is for, by the label it stands under.
func (b Block) Section() Section {
	s, known := sectionHeadings[b.Label]
	if known || b.Kind != Item {
		return s
	}
	for _, w := range []string{"noticed", "problems", "issues", "bugs", "broken", "wrong", "doesn't work", "found",
		"not working", "defects", "errors"} {
		if strings.Contains(b.Label, w) {
			return Problem
		}
	}
	return Open
}
