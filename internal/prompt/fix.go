package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// FixInput is the data of a fix prompt. Files are the excerpts of each file that a finding names.
type FixInput struct {
	Task          belay.Task
	Attempt       int             // the attempt with these findings
	Findings      []belay.Finding // the findings to fix
	Repeated      []belay.Finding // those that rejected the previous attempt too
	OtherFindings []belay.Finding // a reviewer's findings that do not block
	By            string          // the person who rejected it; "" for none
	Files         []FixFile
	Reproduce     string    // a command that shows the failure; "" for none
	Tokens        int       // maximum tokens of the prompt; 0 for no limit
	Diff          string    // git's diff of the attempt; the prompt has the parts that failing tests cover
	FullFiles     FullFiles // the files with the full text of what is cut
	Full          int       // tokens of the full prompt; 0 if unknown
}

// FixFile is one file. Code is numbered lines; if it is empty, Missing says why.
type FixFile struct {
	Path    string
	Code    []string
	Short   []string // shorter excerpts, used if Code would make the prompt too long
	Missing string
}

// Fix is a fix prompt with its size in tokens.
type Fix struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	Full   int    `json:"full_tokens,omitempty"` // of the full prompt
	Cut    bool   `json:"cut,omitempty"`         // something was left out to stay within the limit
}

// Tokens estimates the number of tokens of a text: one for four bytes, rounded up.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// Share returns the size of the fix prompt as a fraction of the full one; 0 if unknown.
func (f Fix) Share() float64 {
	if f.Full == 0 {
		return 0
	}
	return float64(f.Tokens) / float64(f.Full)
}

// fixView is the data of the templates.
type fixView struct {
	FixInput
	Reasons   string
	OtherText string
	Changed   string // the parts of the diff that failing tests cover
	NoDiff    bool   // Changed was left out
	More      int    // findings that were left out
}

// FixPrompt returns the prompt to fix findings and nothing else: the findings, the current code
// that they are about, how to see the failure, and what not to change. It is self-contained: an
// agent that knows nothing of the task can act on it. To stay within Tokens it leaves out code,
// file by file from the end and naming each file, then the diff, details of findings, and at last
// findings.
func FixPrompt(in FixInput) Fix {
	in.Findings = mergeOverlapping(markRepeated(in.Findings, in.Repeated))
	if whole := fixWithin(in); in.Full == 0 || whole.Share() <= goodShare {
		return whole
	}
	in.Files = slices.Clone(in.Files)
	for i, f := range in.Files {
		if len(f.Short) > 0 {
			in.Files[i].Code = f.Short
		}
	}
	return fixWithin(in)
}

// goodShare is the maximum size that a fix prompt should have, as a fraction of the full one.
const goodShare = 0.25

// fixWithin renders the prompt and leaves out what does not fit.
func fixWithin(in FixInput) Fix {
	related, total := relatedDiff(in.Findings, in.Diff, false), len(in.Findings)
	details, files, changed := maxDetailLines, slices.Clone(in.Files), related
	for cut := false; ; cut = true {
		v := fixView{FixInput: in}
		v.Files = slices.Clone(files)
		var b strings.Builder
		for _, f := range withoutRepeatedCommands(in.Findings) {
			writeFinding(&b, f, "", details)
		}
		v.Reasons = b.String()
		b.Reset()
		for _, f := range in.OtherFindings {
			writeFinding(&b, f, "", details)
		}
		v.OtherText = b.String()
		v.Reasons = withFilePointer(v.Reasons, in.FullFiles.Findings)
		v.Changed = withFilePointer(Block("diff", changed), in.FullFiles.Diff)
		v.NoDiff, v.More = changed != related, total-len(in.Findings)
		text := renderSections(v, "fix", "fix_contract", "fix_findings", "fix_beside", "fix_changed", "fix_code", "fix_end")
		n := Tokens(text)
		if in.Tokens <= 0 || n <= in.Tokens {
			return Fix{Text: text, Tokens: n, Full: in.Full, Cut: cut}
		}
		switch i := lastWithCode(files); {
		case i >= 0:
			files[i] = FixFile{Path: files[i].Path, Missing: leftOutText}
		case changed != "":
			changed = ""
		case details > 0:
			details = details / 2
		case len(in.Findings) > 1:
			in.Findings = in.Findings[:len(in.Findings)-1]
		default:
			return Fix{Text: text, Tokens: n, Full: in.Full, Cut: cut}
		}
	}
}

const leftOutText = "left out to save space: read it yourself"

func lastWithCode(files []FixFile) int {
	for i := len(files) - 1; i >= 0; i-- {
		if len(files[i].Code) > 0 {
			return i
		}
	}
	return -1
}

// repeatedMark marks a finding that the previous repair did not fix.
const repeatedMark = " [came back unchanged]"

// markRepeated marks the findings that rejected the previous attempt too.
func markRepeated(list, again []belay.Finding) []belay.Finding {
	came := map[string]bool{}
	for _, f := range again {
		came[f.Sign().Signature] = true
	}
	list = slices.Clone(list)
	for i, f := range list {
		if came[f.Sign().Signature] {
			list[i].Title += repeatedMark
		}
	}
	return list
}

// mergeOverlapping merges findings of the same file, severity and category with overlapping
// lines: one cause is reported once, with all titles.
func mergeOverlapping(list []belay.Finding) []belay.Finding {
	var out []belay.Finding
next:
	for _, f := range list {
		for i := range out {
			o := &out[i]
			alike := o.File == f.File && o.Category == f.Category && o.Severity == f.Severity
			if !alike || f.File == "" || f.Line == 0 || !overlap(*o, f) {
				continue
			}
			if !strings.Contains(o.Title, f.Title) {
				o.Title += "; " + f.Title
			}
			if f.Detail != "" && !strings.Contains(o.Detail, f.Detail) {
				o.Detail = strings.TrimSpace(o.Detail + "\n" + f.Detail)
			}
			if f.Recommendation != "" && !strings.Contains(o.Recommendation, f.Recommendation) {
				o.Recommendation = strings.TrimSpace(o.Recommendation + "\n" + f.Recommendation)
			}
			o.EndLine = max(o.EndLine, o.Line, f.Line, f.EndLine)
			o.Line = min(o.Line, f.Line)
			continue next
		}
		out = append(out, f)
	}
	return out
}

func overlap(a, b belay.Finding) bool {
	return a.Line <= max(b.Line, b.EndLine) && b.Line <= max(a.Line, a.EndLine)
}

// Text joins the excerpts of a file.
func (f FixFile) Text() string { return strings.Join(f.Code, "…\n") }

// Note compares the size of a fix prompt with the full one, on one line for people.
func (f Fix) Note() string {
	s := fmt.Sprintf("about %d tokens", f.Tokens)
	if f.Full > 0 {
		s += fmt.Sprintf(", %d %% of the full prompt's %d", int(100*f.Share()+0.5), f.Full)
		if f.Share() > goodShare {
			s += ": more than the quarter that it should be"
		}
	}
	if f.Cut {
		s += "; shortened to fit the limit"
	}
	return s
}
