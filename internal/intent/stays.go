package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// addKept records what a clause wants left unchanged, in the message's own words.
func (p *parse) addKept(a Act) {
	clause := a.Clause.Text(p.Text, Span{From: 0, To: len(a.Clause.Tokens)})
	for _, s := range a.Keeps {
		what := strings.Trim(a.Clause.Text(p.Text, s), "*_ ")
		if what == "" {
			what = p.antecedent(a)
		}
		if p.isEmptyKeep(a, what) {
			continue
		}
		if what == "" || slices.Contains(p.Preserve, what) {
			continue
		}
		p.Preserve = append(p.Preserve, what)
		p.addEvidence(clause, "left as it is: "+what)
	}
}

// isEmptyKeep reports words that resemble a request to leave something unchanged but ask for
// nothing: they close a list, or describe a fault.
func (p *parse) isEmptyKeep(a Act, what string) bool {
	what = strings.ToLower(what)
	if p.Fresh && (what == "nothing else" || what == "nothing more") || IsMissedThing(strings.Fields(what)) {
		return true // in a request for something new it ends the list
	}
	if n := len(p.Requirements); n > 0 && p.Requirements[n-1].Marker == belay.MarkFix && strings.HasPrefix(what, "same ") {
		return true // "same save, same PC": describes a test
	}
	none := strings.HasPrefix(what, "no ") && a.Clause.Join != "" && !slices.Contains(a.Clause.Lower(), "please")
	return none && p.onlyReportsFault() // "no error no nothing"
}

// onlyReportsFault reports whether the message describes a fault and makes no request.
func (p *parse) onlyReportsFault() bool {
	wrong := false
	for _, b := range p.Acts {
		switch b.Kind {
		case Request, RepairIt:
			return false
		case Complaint, Material:
			wrong = true
		}
	}
	return wrong
}

// antecedent returns what "it" means in "leave it": the subject of the sentence, or the last thing
// named before.
func (p *parse) antecedent(a Act) string {
	for _, b := range p.Acts {
		if b.Clause.Sentence != a.Clause.Sentence || b.Kind != Background && (b.Kind != Complaint || b.Strength == Plain) {
			continue
		}
		low := b.Clause.Lower()
		if i := slices.IndexFunc(low, IsAuxiliary); i > 0 && !IsSubject(low[0]) && low[0] != "but" {
			return b.Clause.Text(p.Text, Span{From: 0, To: i})
		}
	}
	for _, b := range slices.Backward(p.Acts) {
		if b.Clause.Sentence > a.Clause.Sentence || b.Clause.Sentence < a.Clause.Sentence-1 || b.Clause.Line != a.Clause.Line ||
			b.Core == a.Core {
			continue
		}
		if s, ok := LastNounPhrase(b.Clause.Lower()); ok {
			return b.Clause.Text(p.Text, s)
		}
	}
	return ""
}
