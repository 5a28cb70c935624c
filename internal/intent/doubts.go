package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// gap is what a message leaves out.
type gap int

const (
	anything gap = iota // what to do, or to what
	earlier             // something mentioned or done before
	which               // which of several things
	wrong               // what is wrong with a thing
	what                // what to do with a thing
	become              // what a thing should become
	middle              // a part of a long message
)

// gaps maps the grammar's texts for something left out, where it has no readings, to their gap. The
// texts are cues as well, with a learned weight each, so they must not change.
var gaps = map[string]gap{
	"what was done before is meant, which this message does not name":                         earlier,
	"what is meant was said or done before, and this message does not name it":                earlier,
	"what it is done to was said before, and this message does not name it":                   earlier,
	"which other one is meant is not said":                                                    which,
	"which one is meant is not said":                                                          which,
	"which ones are meant, and what is to be done, is not said":                               which,
	"which thing is meant, and what is to be done with it, is not said":                       which,
	"which of the files of that name is meant is not said":                                    which,
	"what is wrong with it is not said":                                                       wrong,
	"what is to be done with it is not said":                                                  what,
	"what is to be done with is not said":                                                     what,
	"what it is to become is not said":                                                        become,
	"what is wanted is not said":                                                              anything,
	"what is to be done, or to which thing, is not said, or can be read in more than one way": anything,
}

// readings are the readings of words with each gap: at least two that differ, so that a person can
// choose one, or see what is missing.
var readings = map[gap][]string{
	anything: {"something that is there is to be changed: say what, and how it should be",
		"something new is to be added beside what is there: say what"},
	earlier: {"what the last task or commit did is meant", "something else is meant, which these words do not name: name it"},
	which:   {"all of them are meant", "one of them is meant: say which"},
	wrong: {"it fails or gives a wrong result: say what happens, and what should happen",
		"nothing fails, it should look or work differently: say how"},
	what:   {"it is to be changed: say what it should become", "it is to be removed", "it is not there yet and is to be added"},
	become: {"how it looks or reads is to change: say to what", "what it does is to change: say to what"},
	middle: {"its middle is pasted material, as it was taken for", "its middle asks for something as well: say it in fewer words"},
}

// undoVerbs are verbs that revert earlier work; there are several readings of which work.
var undoVerbs = lazyregexp.Of("undo revert restore reverse")

// completeDoubts gives each doubt at least two readings that lead to different work. Where the
// grammar only states what is missing, they are those of the gap, or the files of the repository
// that can be meant.
func (p *parse) completeDoubts(list []belay.Doubt) []belay.Doubt {
	out := []belay.Doubt{}
	for _, d := range list {
		if len(d.Readings) < 2 {
			d.Readings = p.doubtReadings(d)
		}
		out = append(out, d)
	}
	return out
}

func (p *parse) doubtReadings(d belay.Doubt) []string {
	kind := anything
	if len(d.Readings) > 0 {
		kind = gaps[d.Readings[0]]
	}
	low := strings.FieldsFunc(strings.ToLower(d.Words), func(r rune) bool { return strings.ContainsRune(" \t\n,.!?:;\"'()", r) })
	switch {
	case kind == earlier && len(low) > 0 && undoVerbs.Has(low[0]):
		return []string{"the changes that are not committed are taken back", "the last commit is taken back",
			"what an earlier task did is taken back: say which"}
	case kind == which:
		if files := p.candidateFiles(low); len(files) > 1 {
			return files
		}
	}
	return slices.Clone(readings[kind])
}

// maxCandidates is how many files a doubt names; more are no longer a choice.
const maxCandidates = 5

// candidateFiles returns the files that a word of a doubt can mean.
func (p *parse) candidateFiles(low []string) []string {
	var out []string
	if len(low) > 0 {
		if _, verb := VerbSense(low[0]); verb {
			low = low[1:] // "list the orders"
		}
	}
	for _, f := range p.Files {
		stem, _, _ := strings.Cut(strings.ToLower(path.Base(f)), ".")
		if slices.ContainsFunc(low, func(w string) bool { return len(w) > 2 && (stem == w || stem+"s" == w || stem == w+"s") }) {
			out = append(out, f+" is meant")
		}
	}
	if len(out) > maxCandidates {
		return nil
	}
	return out
}

// ApplyAnswer merges a person's answer to doubts into the request. in.Text is both, the message and
// the answer behind it. The doubts are resolved; the requirements are those of the clear words and
// of the answer.
func ApplyAnswer(in Input, said, answer string) belay.Request {
	whole, _ := Parse(in)
	first, _ := Parse(Input{Text: said, PlanExists: in.PlanExists, Files: in.Files})
	second, _ := Parse(Input{Text: answer, PlanExists: in.PlanExists, Files: in.Files})
	req := whole
	switch reading := chosenReading(first.Doubts, answer); {
	case reading != "":
		req.Requirements = append(slices.Clone(first.Requirements), answeredRequirement(first.Doubts, said, reading))
	case len(second.Requirements) > 0 && second.Type != belay.Unclear:
		req.Requirements = slices.Clone(first.Requirements)
		for _, r := range second.Requirements {
			if w, _, _ := strings.Cut(strings.ToLower(r.Text), " "); IsPronoun(w) {
				r.Text = doubtWords(first.Doubts, said) + ": " + r.Text // "it crashes" is about the words in doubt
			}
			req.Requirements = append(req.Requirements, r)
		}
	case whole.Type != belay.Unclear && len(whole.Requirements) > 0:
		return whole
	default:
		req.Requirements = append(slices.Clone(first.Requirements),
			answeredRequirement(first.Doubts, said, strings.TrimRight(strings.Join(strings.Fields(answer), " "), ".!")))
	}
	req.Doubts, req.Type = []belay.Doubt{}, requestTypeOf(req.Requirements)
	if second.Type == belay.Fresh {
		req.Type = belay.Fresh
	}
	return req
}

// chosenReading returns the reading that an answer names: by its number if there is one doubt, or
// by words that only one reading has. "" for any other answer.
func chosenReading(doubts []belay.Doubt, answer string) string {
	answer = strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(answer), " "), ".!"))
	if answer == "" {
		return ""
	}
	var found []string
	for _, d := range doubts {
		for i, r := range d.Readings {
			if len(doubts) == 1 && answer == string(rune('1'+i)) || strings.Contains(" "+strings.ToLower(r)+" ", " "+answer+" ") {
				found = append(found, r)
			}
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// doubtWords returns the words of the first doubt that has some, or the start of the message.
func doubtWords(doubts []belay.Doubt, said string) string {
	for _, d := range doubts {
		if d.Words != "" {
			return strings.Join(strings.Fields(d.Words), " ")
		}
	}
	return messageStart(said)
}

// answeredRequirement returns the requirement for the words in doubt with the chosen reading.
func answeredRequirement(doubts []belay.Doubt, said, reading string) belay.Requirement {
	m, low := belay.MarkModify, " "+strings.ToLower(reading)
	for _, is := range []struct {
		marker belay.Marker
		words  []string
	}{
		{belay.MarkRemove, []string{" delete", " remove", " taken back"}},
		{belay.MarkAdd, []string{" add", " beside ", " new ", " another "}},
		{belay.MarkFix, []string{" fails", " wrong ", " broken"}},
	} {
		if slices.ContainsFunc(is.words, func(w string) bool { return strings.Contains(low, w) }) {
			m = is.marker
			break
		}
	}
	return belay.Requirement{Marker: m, Text: doubtWords(doubts, said) + ": " + reading}
}

// requestTypeOf returns the type of a request by its requirements, if there is no doubt.
func requestTypeOf(list []belay.Requirement) belay.RequestType {
	if slices.ContainsFunc(list, func(r belay.Requirement) bool { return r.Marker != belay.MarkFix }) {
		return belay.Mutation
	}
	return belay.Bugfix
}
