package prompt

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/secret"
)

// Pull is the content of a pull request about one task, or a feature's tasks. Its texts are from
// the records, with secrets masked; the method Markdown escapes them.
type Pull struct {
	Title   string     `json:"title"`
	Feature string     `json:"feature,omitempty"`
	Tasks   []PullTask `json:"tasks"`
	Belay   string     `json:"belay"` // belay's version
}

// PullTask is one task in a pull request.
type PullTask struct {
	ID       belay.TaskID  `json:"task_id"`
	Title    string        `json:"title"`
	Origin   *belay.Origin `json:"origin,omitempty"`
	Status   string        `json:"standing"` // accepted, waits at gate 2: …
	Accepted bool          `json:"accepted"`
	Request  string        `json:"asked"`

	Changes      []PullChange  `json:"changes"`
	Requirements []belay.Met   `json:"requirements"`
	Attempts     []PullAttempt `json:"attempts"`
	Checks       []PullCheck   `json:"checks"`
	Tests        *PullTests    `json:"tests,omitempty"` // nil if they did not run
	Reviews      []PullReview  `json:"reviews"`
	Overrides    []Override    `json:"overrides"`
	Decisions    []Decision    `json:"decisions"`
	Rollbacks    int           `json:"rollbacks"`
	Retries      int           `json:"retries"`
	Used         string        `json:"used"`
	Agents       []PullAgent   `json:"agents"`
	Started      time.Time     `json:"started"`
	Provenance   Provenance    `json:"provenance"`
}

// PullChange is a changed file and the purpose of the change.
type PullChange struct {
	belay.Change
	Purpose string `json:"purpose"`
}

// PullAttempt is an attempt, with the reasons why it was not accepted.
type PullAttempt struct {
	N        int      `json:"n"`
	Start    string   `json:"start"` // kind of prompt: full, retry, repair …
	Ended    string   `json:"ended"`
	Seconds  float64  `json:"seconds"`
	Used     string   `json:"used"`
	Verdict  string   `json:"verdict"`
	Then     string   `json:"then"`
	Reasons  []string `json:"reasons"`
	Guidance string   `json:"guidance,omitempty"` // that it started with, from a person or a debugger
	Note     string   `json:"note,omitempty"`
}

// PullCheck is a check's result on one line.
type PullCheck struct {
	Check   string `json:"check"`
	Result  string `json:"result"` // pass, warn, fail, asks, unknown, skipped
	Summary string `json:"summary"`
}

// PullTests compares the tests with those before the task.
type PullTests struct {
	Before string          `json:"before,omitempty"` // their result before the task
	Now    belay.TestCount `json:"now"`
}

// PullReview is a reviewer's answer to one attempt.
type PullReview struct {
	Attempt        int             `json:"attempt"`
	Reviewer       string          `json:"reviewer"`
	Score          int             `json:"score"`
	Threshold      int             `json:"threshold"`
	Recommendation string          `json:"recommendation"`
	Alignment      []belay.Aligned `json:"alignment"`
}

// Override is a rejection despite which a person accepted the work.
type Override struct {
	Attempt  int       `json:"attempt"`
	By       string    `json:"by,omitempty"`
	Category string    `json:"category"`
	Note     string    `json:"note"`
	Time     time.Time `json:"time"`
}

// Decision is a person's answer at a gate.
type Decision struct {
	Gate     int    `json:"gate"`
	Decision string `json:"decision"`
	By       string `json:"by,omitempty"`
	Note     string `json:"note,omitempty"`
}

// PullAgent is a program that worked on the task, with its version and the models in its output.
type PullAgent struct {
	Role    string   `json:"role"`
	Command string   `json:"command"` // name without arguments
	Models  []string `json:"models"`
	Version string   `json:"version,omitempty"`
}

// Provenance binds the text to the record: the trees before the task and as accepted, and number
// and hash of the record's last entry.
type Provenance struct {
	Before  string `json:"before,omitempty"` // git's ID of the tree
	After   string `json:"after,omitempty"`
	Head    string `json:"head"`
	Entries int    `json:"entries"`
}

// PullTemplate returns a template with the sections of Markdown, for pull requests of work without
// a record.
func PullTemplate() string {
	var b strings.Builder
	b.WriteString("<!-- Of work that belay supervised, `belay pr TASK` fills this in from the record. -->\n")
	for _, s := range [][2]string{
		{"Task", "ID, title, and the document that it comes from"},
		{"Request", "what was asked, word for word"},
		{"Changes", "| File | Added | Removed | Purpose |\n|---|---:|---:|---|\n| | | | |"},
		{"Intended and actual", "| Intended | Actual |\n|---|---|\n| | |"},
		{"Attempts", "what was tried and rejected, and why"},
		{"Checks", "| Check | Result | Found |\n|---|---|---|\n| | | |"},
		{"Tests", "passed and failed before, and now"},
		{"Review", "reviewers, scores, open questions"},
		{"Overrides and decisions", "who accepted work despite a rejection, and why"},
		{"Debugging trace", "retries, rollbacks, root causes"},
		{"Cost and agents", "cost, tokens, agents with model and version"},
		{"Provenance", "trees before and after, head of the record"},
	} {
		text := s[1]
		if !strings.HasPrefix(text, "|") {
			text = "<!-- " + text + " -->"
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", s[0], text)
	}
	return b.String()
}

// Limits of texts in a pull request; the record has the full texts.
const (
	maxRequest = 6000
	maxReason  = 600
)

// Markdown returns the pull request for a forge, within most UTF-16 units; 0 for no limit. cut is
// true if something was left out; each such place says where to find it.
func (p Pull) Markdown(most int) (text string, cut bool) {
	var parts []part
	for _, t := range p.Tasks {
		parts = append(parts, t.parts(len(p.Tasks) > 1, p.Belay)...)
	}
	if len(p.Tasks) > 1 {
		parts = append([]part{p.overview()}, parts...)
	}
	if most == 0 {
		most = math.MaxInt
	}
	text, cut = fitParts(parts, most, "Shortened to the forge's limit. All of it: `belay pr "+cmp.Or(p.Feature,
		string(p.Tasks[0].ID))+" --limit 0`")
	return secret.Mask(text), cut
}

func (p Pull) overview() part {
	o := part{head: "## " + Inline(p.Title) + "\n\n| Task | Result | Files | Attempts | Used |\n|---|---|---|---|---|",
		more: "belay task list", rank: 1}
	for _, t := range p.Tasks {
		o.items = append(o.items, tableRow(string(t.ID)+" "+t.Title, t.Status, fmt.Sprint(len(t.Changes)),
			fmt.Sprint(len(t.Attempts)), t.Used))
	}
	return o
}

func tableRow(cells ...string) string {
	for i := range cells {
		cells[i] = Inline(cells[i])
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// parts returns the sections of one task. The ranks are highest for sections that repeat the record
// or the diff.
func (t PullTask) parts(several bool, version string) []part {
	show := "belay show " + string(t.ID)
	top := "###"
	if several {
		top = "####"
	}
	head := ""
	if several {
		head = "### " + Inline(string(t.ID)+" "+t.Title) + "\n\n"
	}
	list := []part{
		{head: head + top + " Task\n", items: t.referenceLines(), more: show, rank: 2},
		{head: top + " Request\n", items: quoteLines(t.Request), more: show, rank: 5},
		t.changesPart(top),
		t.alignmentPart(top, show),
		t.attemptsPart(top, show),
		{head: top + " Checks\n\n| Check | Result | Found |\n|---|---|---|", items: t.checkLines(), more: show, rank: 4},
		{head: top + " Tests\n", items: t.testLines(), more: show, rank: 3},
		{head: top + " Review\n\n| Attempt | Reviewer | Score | Recommends | Questions |\n|---|---|---|---|---|", items: t.reviewLines(),
			more: show, rank: 4},
		{head: top + " Overrides and decisions\n", items: t.overrideLines(), more: show, rank: 2},
		{head: top + " Debugging trace\n", items: t.problemLines(), more: "belay log " + string(t.ID), rank: 7},
		{head: top + " Cost and agents\n", items: t.costLines(), more: show, rank: 3},
		{head: top + " Provenance\n", items: t.provenanceLines(version), more: show, rank: 1},
	}
	return slices.DeleteFunc(list, func(p part) bool { return len(p.items) == 0 })
}

func item(name, text string) string { return "- **" + name + ":** " + text }

func (t PullTask) referenceLines() []string {
	out := []string{item("Task", "`"+string(t.ID)+"` "+Inline(t.Title))}
	if o := t.Origin; o != nil {
		out = append(out, item("From", Path(o.File)+" "+Inline(o.ID)))
	}
	return append(out, item("Result", Inline(t.Status)), item("Attempts", fmt.Sprint(len(t.Attempts))),
		item("Retries", fmt.Sprint(t.Retries)), item("Rollbacks", fmt.Sprint(t.Rollbacks)))
}

// quoteLines quotes a text in Markdown, line by line.
func quoteLines(text string) (out []string) {
	text, all := sentencesOrWords(strings.ReplaceAll(text, "\r\n", "\n"), maxRequest)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			out = append(out, ">")
			continue
		}
		if kept, whole := sentencesOrWords(line, maxReason*4); !whole {
			line, all = kept, false
		}
		indent := min(len(line)-len(strings.TrimLeft(line, " ")), 12)
		out = append(out, "> "+strings.Repeat("&nbsp;", indent)+Inline(line)+"  ")
	}
	if !all {
		out = append(out, ">", "> (shortened; `belay show` has all of it)")
	}
	return out
}

func (t PullTask) changesPart(top string) part {
	p := part{head: top + " Changes\n\n| File | Added | Removed | Purpose |\n|---|---:|---:|---|", rank: 8,
		more: fmt.Sprintf("belay diff %s --name-only", t.ID)}
	for _, c := range t.Changes {
		added, removed := fmt.Sprintf("+%d", c.Added), fmt.Sprintf("-%d", c.Deleted)
		if c.Binary {
			added, removed = "binary", ""
		}
		what := map[string]string{"A": "new: ", "D": "removed: ", "T": "type changed: "}[c.Status]
		p.items = append(p.items, fmt.Sprintf("| %s | %s | %s | %s |", Path(c.Path), added, removed, what+oneLine(c.Purpose, 200)))
	}
	return p
}

// oneLine returns a text of unknown origin on one line, truncated after a sentence.
func oneLine(text string, most int) string {
	kept, all := Sentences(text, most)
	switch {
	case all:
		return Inline(kept)
	case kept == "":
		return "(a text of " + belay.CountOf(len(text), "byte") + ", in the record)"
	}
	return Inline(kept) + " (…)"
}

func (t PullTask) alignmentPart(top, show string) part {
	p := part{head: top + " Intended and actual\n\n| Intended | Actual |\n|---|---|", more: show, rank: 4}
	for _, m := range t.Requirements {
		actual := m.Verdict
		if len(m.Evidence) > 0 {
			actual += ": " + strings.Join(m.Evidence, ", ")
		}
		if len(m.Missing) > 0 {
			actual += "; not found: " + strings.Join(m.Missing, ", ")
		}
		if m.Before != nil && m.After != nil {
			actual += fmt.Sprintf("; %d before, %d now", *m.Before, *m.After)
		}
		p.items = append(p.items, "| "+Inline(string(m.Marker))+": "+oneLine(m.Text, maxReason)+" | "+oneLine(actual, maxReason)+" |")
	}
	return p
}

func (t PullTask) attemptsPart(top, show string) part {
	p := part{head: top +
		" Attempts\n\n| Attempt | Start | Ended | Time | Used | Verdict | Then | Why |\n|---|---|---|---|---|---|---|---|",
		more: show, rank: 6}
	for _, a := range t.Attempts {
		var why []string
		for _, r := range a.Reasons[:min(len(a.Reasons), 5)] {
			why = append(why, oneLine(r, maxReason))
		}
		if n := len(a.Reasons) - 5; n > 0 {
			why = append(why, fmt.Sprintf("%d more", n))
		}
		if a.Note != "" && len(why) == 0 {
			why = append(why, oneLine(a.Note, maxReason))
		}
		took := Duration(time.Duration(a.Seconds * float64(time.Second)))
		p.items = append(p.items, fmt.Sprintf("| %d | %s | %s | %s | %s | %s | %s | %s |", a.N, Inline(a.Start), Inline(a.Ended), took,
			Inline(a.Used), Inline(a.Verdict), Inline(a.Then), strings.Join(why, "<br>")))
	}
	return p
}

func (t PullTask) checkLines() (out []string) {
	var skipped []string
	for _, c := range t.Checks {
		if c.Result == "skipped" {
			skipped = append(skipped, Inline(c.Check))
			continue
		}
		out = append(out, fmt.Sprintf("| %s | %s | %s |", Inline(c.Check), Inline(c.Result), oneLine(c.Summary, maxReason)))
	}
	if len(skipped) > 0 {
		out = append(out, "| "+strings.Join(skipped, ", ")+" | skipped | |")
	}
	return out
}

// testLines compares the tests now with those before the task.
func (t PullTask) testLines() []string {
	if t.Tests == nil {
		return nil
	}
	out := []string{item("tests", Inline(t.Tests.String()))}
	for _, n := range []struct {
		count int
		what  string
	}{{t.Tests.Now.New, "fail now and did not before"}, {t.Tests.Now.Known, "failed before the task, and still fail"},
		{t.Tests.Now.Fixed, "failed before the task, and pass now"}, {t.Tests.Now.Flaky, "failed once, and passed when run again"},
		{t.Tests.Now.NewlySkipped, "passed before, and are skipped now"}, {t.Tests.Now.Missing, "passed before, and did not run now"}} {
		if n.count > 0 {
			out = append(out, fmt.Sprintf("- %d %s", n.count, n.what))
		}
	}
	return out
}

// String returns the tests on one line: "297 tests: 297 passed; now 299 passed, 0 failed".
func (t PullTests) String() string {
	now := fmt.Sprintf("%d passed, %d failed", t.Now.Passed, t.Now.Failed+t.Now.Errors)
	if t.Now.Skipped > 0 {
		now += fmt.Sprintf(", %d skipped", t.Now.Skipped)
	}
	if t.Before == "" {
		return now + "; no baseline from before the task"
	}
	return t.Before + "; now " + now
}

func (t PullTask) reviewLines() (out []string) {
	for _, r := range t.Reviews {
		var asked []string
		for _, a := range r.Alignment {
			word := "not answered"
			if a.Passed != nil {
				word = map[bool]string{true: "pass", false: "fail"}[*a.Passed]
			}
			asked = append(asked, Inline(a.Check+" "+word))
		}
		out = append(out, fmt.Sprintf("| %d | %s | %d/100 (at least %d) | %s | %s |", r.Attempt, Inline(r.Reviewer), r.Score, r.Threshold,
			Inline(r.Recommendation), strings.Join(asked, "<br>")))
	}
	return out
}

func (t PullTask) overrideLines() (out []string) {
	for _, o := range t.Overrides {
		out = append(out, fmt.Sprintf("- Attempt %d was accepted despite its rejection%s, %s: **%s**: %s", o.Attempt, byWhom(o.By),
			o.Time.UTC().Format("2006-01-02 15:04"), Inline(o.Category), oneLine(o.Note, maxReason)))
	}
	for _, d := range t.Decisions {
		text := fmt.Sprintf("- Gate %d: **%s**%s", d.Gate, Inline(d.Decision), byWhom(d.By))
		if d.Note != "" && d.Decision != string(loop.DecideApprove) {
			text += ": " + oneLine(d.Note, maxReason)
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return []string{"- None."}
	}
	return out
}

func byWhom(who string) string {
	if who == "" {
		return ""
	}
	return " by " + Inline(who)
}

// problemLines returns for each attempt what went wrong and what was done about it.
func (t PullTask) problemLines() (out []string) {
	for _, a := range t.Attempts {
		var steps []string
		if a.Guidance != "" {
			steps = append(steps, "started with: "+oneLine(a.Guidance, maxReason))
		}
		if a.Note != "" {
			steps = append(steps, oneLine(a.Note, maxReason))
		}
		if what := followUps[a.Then]; what != "" {
			steps = append(steps, what)
		}
		if len(steps) > 0 {
			out = append(out, fmt.Sprintf("- Attempt %d: %s", a.N, strings.Join(steps, "; ")))
		}
	}
	if len(out) == 0 {
		return []string{"- No retry was needed."}
	}
	return out
}

// followUps describe what followed an attempt that was not accepted.
var followUps = map[string]string{
	loop.ThenRepair: "repaired in the same tree", loop.ThenRollback: "rolled back and tried again",
	loop.ThenContinue: "continued in the same tree", loop.ThenRecover: "stopped for repeating itself, and continued",
	loop.ThenDebug: "diagnosed before the next attempt", loop.ThenRecheck: "checked again after a person's edits",
	loop.ThenGate: "a person was asked", loop.ThenSkipped: "rolled back and recorded as a known issue",
	loop.ThenAborted: "rolled back and ended by a person", loop.ThenFailed: "rolled back and ended",
}

func (t PullTask) costLines() []string {
	out := []string{item("Used", Inline(t.Used))}
	for _, a := range t.Agents {
		text := Path(a.Command)
		if a.Version != "" {
			text += " " + Inline(a.Version)
		}
		if len(a.Models) > 0 {
			text += ", model " + Inline(strings.Join(a.Models, ", "))
		}
		role := a.Role
		if role == a.Command {
			role = "agent"
		}
		out = append(out, item(Inline(strings.ToUpper(role[:1])+role[1:]), text))
	}
	return out
}

func (t PullTask) provenanceLines(version string) (out []string) {
	if t.Provenance.Before != "" {
		out = append(out, item("Files before", "tree `"+t.Provenance.Before+"`"))
	}
	if t.Provenance.After != "" {
		what := "Files accepted"
		if !t.Accepted {
			what = "Files of the last attempt, not accepted"
		}
		out = append(out, item(what, "tree `"+t.Provenance.After+"`"))
	}
	id := string(t.ID)
	return append(out, item("Record", fmt.Sprintf("entry %d, SHA-256 `%s`", t.Provenance.Entries, t.Provenance.Head)),
		item("Written by", "belay "+Inline(version)),
		item("To check", "`belay log "+id+"` has the whole record, `belay log --verify "+id+"` checks it"))
}

// Trailers of a commit that belay makes, one on each line at the end of the message.
const (
	TrailerTask   = "Belay-Task"
	TrailerBefore = "Belay-Before"
	TrailerAfter  = "Belay-After"
	TrailerRecord = "Belay-Record"
)

// CommitMessage returns the pull request as a commit message: a subject, a few lines, and the
// trailers of each task.
func (p Pull) CommitMessage() string {
	var b strings.Builder
	b.WriteString(PlainLine(p.Title, 72) + "\n\n")
	var trailers []string
	for _, t := range p.Tasks {
		if len(p.Tasks) > 1 {
			b.WriteString(wrapLine(string(t.ID)+": "+PlainLine(t.Title, 200), ""))
		}
		for _, line := range t.plainLines() {
			b.WriteString(wrapLine(line, "  "))
		}
		b.WriteString("\n")
		trailers = append(trailers, TrailerTask+": "+string(t.ID))
		if t.Provenance.Before != "" {
			trailers = append(trailers, TrailerBefore+": "+t.Provenance.Before)
		}
		if t.Provenance.After != "" {
			trailers = append(trailers, TrailerAfter+": "+t.Provenance.After)
		}
		trailers = append(trailers, fmt.Sprintf("%s: %s %d", TrailerRecord, t.Provenance.Head, t.Provenance.Entries))
	}
	return secret.Mask(b.String() + strings.Join(trailers, "\n") + "\n")
}

// plainLines describes a task in a few lines of plain text. They contain nothing that agents wrote:
// forges search commit messages for mentions and for words that close issues.
func (t PullTask) plainLines() []string {
	out := []string{fmt.Sprintf("Result: %s", PlainLine(t.Status, 300))}
	for _, c := range t.Checks {
		if c.Result != "skipped" {
			out = append(out, fmt.Sprintf("Check %s: %s", PlainLine(c.Check, 80), PlainLine(c.Result, 80)))
		}
	}
	if t.Tests != nil {
		out = append(out, "Tests: "+PlainLine(t.Tests.String(), 300))
	}
	for _, r := range t.Reviews {
		out = append(out, fmt.Sprintf("Review of attempt %d: %d/100, %s", r.Attempt, r.Score, PlainLine(r.Recommendation, 80)))
	}
	for _, o := range t.Overrides {
		out = append(out, fmt.Sprintf("Override of attempt %d%s: %s: %s", o.Attempt, PlainLine(byWhom(o.By), 100),
			PlainLine(o.Category, 80),
			PlainLine(o.Note, 300)))
	}
	return out
}

// PlainLine returns a text on one line of a commit message, without mentions.
func PlainLine(text string, most int) string {
	text = strings.Join(strings.Fields(belay.VisibleLine(secret.Mask(text))), " ")
	text = strings.NewReplacer(`\n`, " ", "@", "(at)").Replace(text)
	return belay.Clip(text, most)
}

// wrapLine wraps a line between words at 72 characters.
func wrapLine(line, indent string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(line) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case width+1+n > 72:
			b.WriteString("\n" + indent)
			width = len(indent)
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String() + "\n"
}
