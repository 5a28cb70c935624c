package belay

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Severity orders findings. SeverityError rejects an attempt. SeverityQuestion is for what
// only its purpose makes right or wrong: it does not reject, and nothing but a person's
// approval accepts it.
type Severity string

// The severities, most severe first.
const (
	SeverityError    Severity = "error"
	SeverityQuestion Severity = "question"
	SeverityWarning  Severity = "warning"
	SeverityNote     Severity = "note"
)

// Category groups findings by what is at stake; the retry rules read it.
type Category string

// The categories.
const (
	CategoryScope       Category = "scope"       // a file outside the task's files, or an expected one missing
	CategoryProtected   Category = "protected"   // a protected path changed
	CategoryTests       Category = "tests"       // a test fails
	CategoryIntegrity   Category = "integrity"   // tests deleted, skipped or weakened
	CategorySecret      Category = "secret"      // a secret in the change
	CategorySize        Category = "size"        // the diff is large, binary or generated
	CategoryPlaceholder Category = "placeholder" // code left out, or left to be written
	CategoryAgent       Category = "agent"       // the agent ended in error: its work was not judged
	CategoryEmpty       Category = "empty"       // the attempt changed nothing
	CategoryRules       Category = "rules"       // instruction files or belay's own files changed
	CategoryLint        Category = "lint"        // a linter's remark
	CategoryStyle       Category = "style"       // a declaration lacks documentation or types
	CategoryReview      Category = "review"      // a reviewer's finding
	CategoryContract    Category = "contract"    // a requirement of the task is not met
	CategoryGit         Category = "git"         // git's own state changed, or uncommitted work is gone
	CategoryRecord      Category = "record"      // what belay keeps of the task was changed during the attempt
)

// Finding is one reason, stated so that an agent or a person can act on it.
// File is a slash path from the repository's root, Line and EndLine count from 1
// and are 0 when the finding has no place.
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
	// a shell line that shows it: for a test, that test alone where its runner is known
	Reproduce string `json:"reproduce,omitempty"`
	Signature string `json:"signature"`
}

// Sign fills Signature: 16 hex digits over check, category, file and title with
// numbers and white space folded, so that a finding keeps its signature when the
// code around it moves. The title of a test is its name: case_1 is not case_2.
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

// Verdict is the answer to "may this be accepted".
type Verdict string

// The verdicts. VerdictUnknown is never a pass: the question could not be answered.
const (
	VerdictPass    Verdict = "pass"
	VerdictFail    Verdict = "fail"
	VerdictUnknown Verdict = "unknown"
)

// CheckResult is what one check found. Why is set when the check could not run or
// did not finish; such a check's verdict is VerdictUnknown. A skipped check (asked
// for, or with nothing to look at) says so in Why and has Skipped set.
type CheckResult struct {
	Check    string    `json:"check"`
	Verdict  Verdict   `json:"verdict"`
	Skipped  bool      `json:"skipped,omitempty"`
	Asks     bool      `json:"asks,omitempty"` // unknown only because a person has to decide on its questions
	Summary  string    `json:"summary"`
	Why      string    `json:"why,omitempty"`
	Millis   int64     `json:"millis"`
	Findings []Finding `json:"findings,omitempty"`
	Log      string    `json:"log,omitempty"` // sha256 of the attachment with the program's output

	Tests *TestCount `json:"tests,omitempty"` // for a run of tests
	Met   []Met      `json:"met,omitempty"`   // for the contract: what became of each requirement

	Review *Reviewed `json:"review,omitempty"` // for a review: what the reviewer answered
}

// Reviewed is a reviewer's answer. Score is from 0 to 100, Threshold the least that passes;
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

// Aligned is one of the four questions of a review. By says whose answer it is: belay
// measured it, or the reviewer said so, or nobody: then Passed is nil.
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

// Met is what became of one requirement. Before and After are how many items its list had
// and has, nil where nothing was counted; List, File and Line are where the list stands, or
// what shows or contradicts the requirement. Evidence says what shows it, with its place
// ("Half, calc.go:12"); Missing are the things it names that could not be shown.
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

// The verdicts on one requirement. A requirement that could not be shown is not met, and
// nothing but a contradiction rejects. MetMore is for what counts: a result never has it.
const (
	MetYes     = "shown"        // there is evidence of it
	MetNot     = "contradicted" // the tree proves that it is not so
	MetMore    = "more"         // shown, and more than was asked for
	MetUnknown = "not shown"
)

// TestCount counts tests. Total is the sum of Passed, Failed, Errors and Skipped. Of
// those that failed, New did so for the first time, Known did before the task too, and
// Flaky passed when run again; Fixed failed before the task and pass now, Gone failed before
// and did not run now.
type TestCount struct {
	Total   int `json:"total"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Errors  int `json:"errors"` // broke before or outside a test
	Skipped int `json:"skipped"`
	New     int `json:"new"`
	Known   int `json:"known"`
	Flaky   int `json:"flaky"`
	Fixed   int `json:"fixed"`
	Gone    int `json:"gone"`

	// Of those that passed before the task, where names or figures tell.
	NewlySkipped int `json:"newly_skipped"`
	Missing      int `json:"missing"` // did not run now
	Renamed      int `json:"renamed"` // did not run now, and a new test passes in their place
}

// Report is what all checks found about one change. Time is when they began, Millis how
// long they took all together; Task is empty for a check without a task.
type Report struct {
	Task    TaskID        `json:"task,omitempty"`
	Time    time.Time     `json:"time,omitzero"`
	Before  SnapshotID    `json:"before,omitempty"`
	After   SnapshotID    `json:"after,omitempty"`
	Verdict Verdict       `json:"verdict"`
	Checks  []CheckResult `json:"checks"`
	Millis  int64         `json:"millis"`
}

// Judge folds results to one verdict: fail if any check failed, else unknown if any
// could not tell, else pass. Skipped checks count for nothing; no check at all is
// unknown.
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

// Questions returns the findings that a person has to decide on.
func (r Report) Questions() []Finding { return r.of(SeverityQuestion) }

func (r Report) of(s Severity) (list []Finding) {
	for _, f := range r.Findings() {
		if f.Severity == s {
			list = append(list, f)
		}
	}
	return list
}

// Asks reports whether nothing but questions keeps the verdict from being a pass.
func (r Report) Asks() bool {
	return r.Verdict == VerdictUnknown && len(r.Checks) > 0 && !slices.ContainsFunc(r.Checks, func(c CheckResult) bool {
		return !c.Skipped && c.Verdict != VerdictPass && !c.Asks
	})
}
