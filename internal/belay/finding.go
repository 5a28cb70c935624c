package belay

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Severity is how much a finding counts. SeverityError rejects an attempt. SeverityQuestion is for
// what may be right or wrong depending on its purpose: it does not reject, and only a person's
// approval accepts it.
type Severity string

// Severities, most severe first.
const (
	SeverityError    Severity = "error"
	SeverityQuestion Severity = "question"
	SeverityWarning  Severity = "warning"
	SeverityNote     Severity = "note"
)

// Category is the kind of a finding; the retry rules use it.
type Category string

// Categories.
const (
	CategoryScope       Category = "scope"       // a file outside the task's files, or an expected one missing
	CategoryProtected   Category = "protected"   // a protected path changed
	CategoryTests       Category = "tests"       // a test fails
	CategoryIntegrity   Category = "integrity"   // tests deleted, skipped or weakened
	CategorySecret      Category = "secret"      // a secret in the change
	CategorySize        Category = "size"        // the diff is large, binary or generated
	CategoryPlaceholder Category = "placeholder" // code that was omitted or is still to be written
	CategoryAgent       Category = "agent"       // the agent ended in error: its work was not checked
	CategoryEmpty       Category = "empty"       // the attempt changed nothing
	CategoryRules       Category = "rules"       // instruction files or belay's own files changed
	CategoryLint        Category = "lint"        // a linter's remark
	CategoryStyle       Category = "style"       // a declaration lacks documentation or types
	CategoryReview      Category = "review"      // a reviewer's finding
	CategoryContract    Category = "contract"    // a requirement of the task is not met
	CategoryGit         Category = "git"         // git's own state changed, or uncommitted work was lost
	CategoryRecord      Category = "record"      // belay's data of the task was changed during the attempt
)

// Finding is one reason, in a form that an agent or a person can act on. File is a slash path from
// the repository's root, Line and EndLine count from 1 and are 0 if the finding has no place.
type Finding struct {
	Check          string   `json:"check"`
	Severity       Severity `json:"severity"`
	Category       Category `json:"category"`
	Title          string   `json:"title"`
	Detail         string   `json:"detail,omitempty"`
	File           string   `json:"file,omitempty"`
	Line           int      `json:"line,omitempty"`
	EndLine        int      `json:"end_line,omitempty"`
	Recommendation string   `json:"recommendation,omitempty"`
	// a shell line that reproduces it: for a test, only that test if its runner is known
	Reproduce string `json:"reproduce,omitempty"`
	Signature string `json:"signature"`
}

// Sign sets Signature: 16 hex digits over check, category, file and title with numbers and white
// space folded, so that a finding keeps its signature when the code around it moves. The title of a
// test is its name: case_1 is not case_2.
func (f Finding) Sign() Finding {
	h := sha256.New()
	title := f.Title
	if f.Category != CategoryTests {
		title = foldDigits(title)
	}
	for _, part := range []string{f.Check, string(f.Category), f.File, title} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	f.Signature = hex.EncodeToString(h.Sum(nil))[:16]
	return f
}

func foldDigits(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			r = '0'
		case unicode.IsSpace(r):
			r = ' '
		}
		if (r == '0' || r == ' ') && r == last {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// Verdict is whether a change may be accepted.
type Verdict string

// Verdicts. VerdictUnknown is never a pass: the check could not decide.
const (
	VerdictPass    Verdict = "pass"
	VerdictFail    Verdict = "fail"
	VerdictUnknown Verdict = "unknown"
)

// CheckResult is the result of one check. Why is set if the check could not run or did not finish;
// its verdict is then VerdictUnknown. A check that was skipped (by request, or because there is
// nothing to check) has Skipped set and the reason in Why.
type CheckResult struct {
	Check    string    `json:"check"`
	Verdict  Verdict   `json:"verdict"`
	Skipped  bool      `json:"skipped,omitempty"`
	Asks     bool      `json:"asks,omitempty"` // unknown only because a person must answer its questions
	Summary  string    `json:"summary"`
	Why      string    `json:"why,omitempty"`
	Millis   int64     `json:"millis"`
	Findings []Finding `json:"findings,omitempty"`
	Log      string    `json:"log,omitempty"` // SHA-256 of the attachment with the program's output

	Tests *TestCount `json:"tests,omitempty"` // for a run of tests
	Met   []Met      `json:"met,omitempty"`   // for the contract: the result of each requirement

	Review *Reviewed `json:"review,omitempty"` // for a review: the reviewer's answer
}

// Reviewed is a reviewer's answer. Score is from 0 to 100, Threshold the minimum of a pass;
// Recommendation is approve or reject.
type Reviewed struct {
	Reviewer       string           `json:"reviewer"`
	Score          int              `json:"score"`
	Threshold      int              `json:"threshold"`
	Recommendation string           `json:"recommendation"`
	Summary        string           `json:"summary,omitempty"`
	Alignment      []Aligned        `json:"alignment"` // file_scope, logic_fidelity, constraints, tests
	Findings       []ReviewerRemark `json:"findings"`
}

// Aligned is one of the four questions of a review. By is the source of the answer: belay measured
// it, or the reviewer stated it, or nobody: then Passed is nil.
type Aligned struct {
	Check  string `json:"check"`
	Passed *bool  `json:"passed"`
	By     string `json:"by"` // belay, reviewer, nobody
	Reason string `json:"reason,omitempty"`
}

// ReviewerRemark is a finding as the reviewer wrote it.
type ReviewerRemark struct {
	Severity       string `json:"severity"` // critical, major, minor or note
	Category       string `json:"category,omitempty"`
	Title          string `json:"title"`
	Detail         string `json:"detail,omitempty"`
	File           string `json:"file,omitempty"`
	Line           int    `json:"line,omitempty"`
	EndLine        int    `json:"end_line,omitempty"`
	Recommendation string `json:"recommendation,omitempty"`
}

// Met is the result of one requirement. Before and After are the number of items in its list, nil
// if they were not counted; List, File and Line are the place of the list, or of what shows or
// contradicts the requirement. Evidence is what shows it, with its place ("Half, calc.go:12");
// Missing are the things it names that were not found.
type Met struct {
	Marker  Marker `json:"marker"`
	Text    string `json:"text"`
	Verdict string `json:"verdict"` // shown, contradicted, not shown

	Evidence []string `json:"evidence,omitempty"`
	Missing  []string `json:"missing,omitempty"`

	Before *int   `json:"before,omitempty"`
	After  *int   `json:"after,omitempty"`
	List   string `json:"list,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
}

// Verdicts on one requirement. A requirement that was not found is not met, but only a
// contradiction rejects. MetMore is only used while counting, never in a result.
const (
	MetYes     = "shown"        // there is evidence for it
	MetNot     = "contradicted" // the tree proves the opposite
	MetMore    = "more"         // shown, and more than requested
	MetUnknown = "not shown"
)

// TestCount counts tests. Total is the sum of Passed, Failed, Errors and Skipped. Of the failed
// ones, New did not fail before the task, Known did, and Flaky passed when run again; Fixed failed
// before the task and pass now, Gone failed before and did not run now.
type TestCount struct {
	Total   int `json:"total"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Errors  int `json:"errors"` // failed before or outside a test
	Skipped int `json:"skipped"`
	New     int `json:"new"`
	Known   int `json:"known"`
	Flaky   int `json:"flaky"`
	Fixed   int `json:"fixed"`
	Gone    int `json:"gone"`

	// Of those that passed before the task, if names or numbers identify them.
	NewlySkipped int `json:"newly_skipped"`
	Missing      int `json:"missing"` // did not run now
	Renamed      int `json:"renamed"` // did not run now, and a new test passes in their place
}

// Report is the results of all checks for one change. Time is when they began, Millis how long they
// took together; Task is empty for a check without a task.
type Report struct {
	Task    TaskID        `json:"task,omitempty"`
	Time    time.Time     `json:"time,omitzero"`
	Before  SnapshotID    `json:"before,omitempty"`
	After   SnapshotID    `json:"after,omitempty"`
	Verdict Verdict       `json:"verdict"`
	Checks  []CheckResult `json:"checks"`
	Millis  int64         `json:"millis"`
}

// Judge combines results into one verdict: fail if any check failed, else unknown if any is
// unknown, else pass. Skipped checks do not count; without any check it is unknown.
func Judge(results []CheckResult) Verdict {
	v, asked := VerdictPass, false
	for _, r := range results {
		if r.Skipped {
			continue
		}
		asked = true
		switch r.Verdict {
		case VerdictFail:
			return VerdictFail
		case VerdictUnknown:
			v = VerdictUnknown
		}
	}
	if !asked {
		return VerdictUnknown
	}
	return v
}

// Findings returns every finding of the report, in the order of the checks.
func (r Report) Findings() []Finding {
	var all []Finding
	for _, c := range r.Checks {
		all = append(all, c.Findings...)
	}
	return all
}

// Errors returns the findings that reject the attempt.
func (r Report) Errors() []Finding { return r.of(SeverityError) }

// Questions returns the findings that a person must decide on.
func (r Report) Questions() []Finding { return r.of(SeverityQuestion) }

func (r Report) of(s Severity) (list []Finding) {
	for _, f := range r.Findings() {
		if f.Severity == s {
			list = append(list, f)
		}
	}
	return list
}

// Asks reports whether only questions keep the verdict from being a pass.
func (r Report) Asks() bool {
	return r.Verdict == VerdictUnknown && len(r.Checks) > 0 && !slices.ContainsFunc(r.Checks, func(c CheckResult) bool {
		return !c.Skipped && c.Verdict != VerdictPass && !c.Asks
	})
}
