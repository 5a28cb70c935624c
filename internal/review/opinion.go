package review

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Most is the maximum size of an answer, in bytes.
const Most = 1 << 20

const mostFindings = 200

// Opinion is a reviewer's answer. Score is 0 to 100.
type Opinion struct {
	Score          int                       `json:"score"`
	Alignment      map[string]AlignmentClaim `json:"alignment"`
	Findings       []Finding                 `json:"findings"`
	Recommendation string                    `json:"recommendation"`
	Summary        string                    `json:"summary,omitempty"`
}

// AlignmentClaim is the answer to a question of the alignment. Only logic_fidelity is the
// reviewer's to answer; belay measures file_scope, constraints and tests, and ignores claims about
// them.
type AlignmentClaim struct {
	Passed bool   `json:"passed"`
	Reason string `json:"reason,omitempty"`
}

// LogicFidelity asks whether the change does what the task says.
const LogicFidelity = "logic_fidelity"

// MeasuredClaims are the claims that belay measures, with the names of its checks.
var MeasuredClaims = map[string]string{"file_scope": "scope", "constraints": "protect", "tests": "tests"}

// Finding is one finding of a reviewer, as recorded.
type Finding belay.ReviewerRemark

var severities = map[string]belay.Severity{
	"critical": belay.SeverityError, "major": belay.SeverityError, "minor": belay.SeverityWarning, "note": belay.SeverityNote,
}

// The recommendations.
const (
	Approve = "approve"
	Reject  = "reject"
)

// Problems lists the errors in an answer, for the reviewer to fix.
type Problems []string

func (p Problems) Error() string { return strings.Join(p, "; ") }

// ParseOpinion finds the answer in a reviewer's output: the entire text, or else the last JSON
// object in it that is an answer. The error is a Problems.
func ParseOpinion(text []byte) (Opinion, error) {
	if len(text) > Most {
		return Opinion{}, Problems{fmt.Sprintf("the answer is longer than %d KiB", Most>>10)}
	}
	var first error
	for _, c := range candidates(text) {
		o, err := readOpinion(c)
		if err == nil {
			return o, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = Problems{"the answer contains no JSON object"}
	}
	return Opinion{}, first
}

// maxTries limits how often an object is tried to be read, at the beginning and at the end of a text.
const maxTries = 1000

// candidates returns the JSON objects in the text, at most 8, the last one first.
func candidates(text []byte) [][]byte {
	if whole := bytes.TrimSpace(text); len(whole) > 0 && whole[0] == '{' && json.Valid(whole) {
		return [][]byte{whole}
	}
	var starts []int
	for i, c := range text {
		if c == '{' {
			starts = append(starts, i)
		}
	}
	var found [][]byte
	for i, tries, end := 0, 0, 0; i < len(starts); i++ {
		if starts[i] < end {
			continue
		}
		if tries++; tries == maxTries {
			i = max(i, len(starts)-maxTries) // the answer is at the end
		}
		dec := json.NewDecoder(bytes.NewReader(text[starts[i]:]))
		var raw json.RawMessage
		if dec.Decode(&raw) == nil {
			found = append(found, raw)
			end = starts[i] + int(dec.InputOffset())
		}
	}
	slices.Reverse(found)
	return found[:min(len(found), 8)]
}

// readOpinion decodes and validates one object.
func readOpinion(text []byte) (Opinion, error) {
	var raw struct {
		Score          *float64                  `json:"score"`
		Alignment      map[string]AlignmentClaim `json:"alignment"`
		Findings       *[]Finding                `json:"findings"`
		Recommendation *string                   `json:"recommendation"`
		Summary        string                    `json:"summary"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return Opinion{}, Problems{"the JSON does not have the requested form: " + err.Error()}
	}
	var wrong Problems
	o := Opinion{Alignment: raw.Alignment, Summary: raw.Summary}
	switch {
	case raw.Score == nil:
		wrong = append(wrong, "score is missing")
	case *raw.Score < 0 || *raw.Score > 100 || *raw.Score != float64(int(*raw.Score)):
		wrong = append(wrong, "score is not a whole number from 0 to 100")
	default:
		o.Score = int(*raw.Score)
	}
	if _, ok := raw.Alignment[LogicFidelity]; !ok {
		wrong = append(wrong, "alignment.logic_fidelity is missing")
	}
	if raw.Findings == nil {
		wrong = append(wrong, "findings is missing; give [] when there are none")
	} else {
		o.Findings = *raw.Findings
		wrong = append(wrong, invalidFindings(o.Findings)...)
	}
	if raw.Recommendation == nil {
		wrong = append(wrong, "recommendation is missing")
	} else if o.Recommendation = parseRecommendation(*raw.Recommendation); o.Recommendation == "" {
		wrong = append(wrong, "recommendation is neither approve nor reject")
	}
	if len(wrong) > 0 {
		return Opinion{}, wrong
	}
	return o, nil
}

// invalidFindings returns the errors in findings, at most 20.
func invalidFindings(list []Finding) (wrong []string) {
	if len(list) > mostFindings {
		return []string{fmt.Sprintf("there are more than %d findings", mostFindings)}
	}
	for i, f := range list {
		at := fmt.Sprintf("findings[%d]", i)
		if _, ok := severities[strings.ToLower(f.Severity)]; !ok {
			wrong = append(wrong, at+".severity is not critical, major, minor or note")
		}
		if strings.TrimSpace(f.Title) == "" {
			wrong = append(wrong, at+".title is missing")
		}
		if f.Line < 0 || f.EndLine < 0 || f.EndLine > 0 && f.EndLine < f.Line {
			wrong = append(wrong, at+": its lines are not a range")
		}
		if f.File != "" && (path.IsAbs(f.File) || strings.HasPrefix(path.Clean(f.File), "..")) {
			wrong = append(wrong, at+".file is not a path from the repository's root")
		}
	}
	return wrong[:min(len(wrong), 20)]
}

// parseRecommendation parses the first word: APPROVE, reject - because…; "" for another one.
func parseRecommendation(s string) string {
	word := strings.ToLower(strings.TrimSpace(s))
	for _, r := range []string{Approve, Reject} {
		if rest, ok := strings.CutPrefix(word, r); ok &&
			(rest == "" || strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz") == rest || rest == "d" || rest == "ed") {
			return r
		}
	}
	return ""
}

// Reviewer is what a reviewer's answer is judged by.
type Reviewer struct {
	Name         string
	Threshold    int             // the lowest score that passes
	CheckResults map[string]bool // results of belay's checks by name; those that did not run are missing
	UnmetText    string          // title for a failed logic_fidelity; "" for the default
}

// Judge returns the verdict and the findings of an answer. The verdict is fail if the reviewer
// rejects, the score is below the threshold, the change does not do what the task says, or a
// finding is critical or major; each of these is a finding.
func (r Reviewer) Judge(o Opinion) (belay.Verdict, []belay.Finding) {
	var out []belay.Finding
	add := func(severity belay.Severity, title, detail string) {
		out = append(out, belay.Finding{Check: "review", Severity: severity, Category: belay.CategoryReview, Title: title, Detail: detail})
	}
	for _, f := range o.Findings {
		out = append(out, f.finding(r.Name))
	}
	refused := slices.ContainsFunc(out, func(f belay.Finding) bool { return f.Severity == belay.SeverityError })
	if claim := o.Alignment[LogicFidelity]; !claim.Passed {
		add(belay.SeverityError, cmp.Or(r.UnmetText, "the change does not do what the task says"), clipText(claim.Reason))
		refused = true
	}
	if o.Score < r.Threshold {
		// With other blocking findings the score adds nothing, and a finding that returns in every
		// review would look like a repeated argument.
		severity := belay.SeverityError
		if refused {
			severity = belay.SeverityWarning
		}
		add(severity, fmt.Sprintf("%s scores the work below %d of 100", r.Name, r.Threshold),
			fmt.Sprintf("its score is %d. %s", o.Score, clipText(o.Summary)))
		refused = true
	}
	if o.Recommendation == Reject && !refused {
		add(belay.SeverityError, r.Name+" rejects the work", clipText(o.Summary))
	}
	for _, name := range []string{"file_scope", "constraints", "tests"} {
		claim, claimed := o.Alignment[name]
		measured, known := r.CheckResults[MeasuredClaims[name]]
		if claimed && known && claim.Passed != measured {
			add(belay.SeverityNote, r.Name+" was wrong about "+name,
				"it said "+passedText(claim.Passed)+", belay measured "+passedText(measured)+". "+clipText(claim.Reason))
		}
	}
	verdict := belay.VerdictPass
	for i := range out {
		out[i] = out[i].Sign()
		if out[i].Severity == belay.SeverityError {
			verdict = belay.VerdictFail
		}
	}
	return verdict, out
}

// Data returns an answer for the record. belay answers the questions that it measured; the
// reviewer's answer counts for the others.
func (r Reviewer) Data(o Opinion) *belay.Reviewed {
	out := &belay.Reviewed{Reviewer: r.Name, Score: o.Score, Threshold: r.Threshold, Recommendation: o.Recommendation,
		Summary: clipText(o.Summary), Findings: []belay.ReviewerRemark{}}
	for _, name := range []string{"file_scope", LogicFidelity, "constraints", "tests"} {
		claim, claimed := o.Alignment[name]
		a := belay.Aligned{Check: name, Passed: &claim.Passed, By: "reviewer", Reason: clipText(claim.Reason)}
		measured, known := r.CheckResults[MeasuredClaims[name]]
		switch {
		case known:
			a.Passed, a.By = &measured, "belay"
		case !claimed:
			a.Passed, a.By = nil, "nobody"
		}
		out.Alignment = append(out.Alignment, a)
	}
	for _, f := range o.Findings {
		out.Findings = append(out.Findings,
			belay.ReviewerRemark{Severity: strings.ToLower(f.Severity), Category: clipText(f.Category),
				Title: clipText(f.Title), Detail: clipText(f.Detail),
				File: clipText(f.File), Line: f.Line, EndLine: f.EndLine, Recommendation: clipText(f.Recommendation)})
	}
	return out
}

func passedText(ok bool) string {
	if ok {
		return "passed"
	}
	return "failed"
}

func (f Finding) finding(by string) belay.Finding {
	detail := clipText(f.Detail)
	if c := strings.TrimSpace(f.Category); c != "" {
		detail = strings.TrimSpace("(" + clipText(c) + ") " + detail)
	}
	g := belay.Finding{
		Check: "review", Severity: severities[strings.ToLower(f.Severity)], Category: belay.CategoryReview,
		Title: clipText(strings.Join(strings.Fields(f.Title), " ")), Detail: strings.TrimSpace(detail + "\nfound by " + by),
		Line: f.Line, EndLine: f.EndLine, Recommendation: clipText(f.Recommendation),
	}
	if f.File != "" {
		g.File = path.Clean(f.File)
	}
	return g
}

// MergeFindings merges the findings of several reviewers: those with the same signature become one,
// with the worst severity and all details.
func MergeFindings(lists ...[]belay.Finding) []belay.Finding {
	var out []belay.Finding
	at := map[string]int{}
	for _, list := range lists {
		for _, f := range list {
			i, seen := at[f.Signature]
			if !seen {
				at[f.Signature] = len(out)
				out = append(out, f)
				continue
			}
			if isWorse(f.Severity, out[i].Severity) {
				out[i].Severity = f.Severity
			}
			if !strings.Contains(out[i].Detail, f.Detail) {
				out[i].Detail = strings.TrimSpace(out[i].Detail + "\n" + f.Detail)
			}
		}
	}
	return out
}

var severityRanks = []belay.Severity{belay.SeverityError, belay.SeverityQuestion, belay.SeverityWarning, belay.SeverityNote}

func isWorse(a, b belay.Severity) bool {
	return slices.Index(severityRanks, a) < slices.Index(severityRanks, b)
}
