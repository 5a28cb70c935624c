package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// ContractInput is a request and a change. Paths are slash paths from the root.
type ContractInput struct {
	Request belay.Request
	Words   string         // the text that the request was parsed from; "" if unknown
	Changes []belay.Change // all changes
	Files   []*syntax.File // the changed files before and after, as far as they were read
	Unread  []string       // changed files too large to read
	Paths   []string       // every file after the change
	// Read returns an unchanged file; false if it cannot or need not be read. Nil reads none.
	Read func(path string) ([]byte, bool)
}

// ContractResult is the results of a request's requirements. Findings are in the order of Met.
type ContractResult struct {
	Met      []belay.Met
	Findings []belay.Finding
}

// contractJudge checks a change against one request.
type contractJudge struct {
	in          ContractInput
	changed     map[string]*syntax.File
	differs     []string // changed paths in order, including unread ones
	before      *tree
	after       *tree
	countPair   *count.Pair // both sides, made when something is counted
	lines       *lineChanges
	findings    []belay.Finding
	counted     []string            // lists in which an ADD or REMOVE was counted
	pathsByWord map[string][]string // paths by the words of their file names, made when needed
	read        map[string][]byte   // unchanged files that were read; nil if one could not be
}

// Contract checks each requirement, and each thing that must stay, against the change. If a scanner
// fails on some text, there is a warning about that requirement.
func Contract(in ContractInput) ContractResult {
	j := &contractJudge{in: in, changed: map[string]*syntax.File{}, read: map[string][]byte{}}
	for _, f := range in.Files {
		j.changed[f.Path] = f
	}
	for _, c := range in.Changes {
		j.differs = append(j.differs, c.Path)
	}
	slices.Sort(j.differs)
	j.before, j.after = j.makeTrees()
	j.lines = newLineChanges(in.Files)
	var res ContractResult
	order := slices.Clone(in.Request.Requirements) // those that count lists first: the others leave these lists out
	slices.SortStableFunc(order, func(a, b belay.Requirement) int { return rank(a) - rank(b) })
	for _, r := range order {
		from := len(j.findings)
		res.Met = append(res.Met, j.classifyOutcome(j.judgeSafely(r), r, from))
	}
	for _, words := range in.Request.Preserve {
		for _, part := range splitThings(words) {
			r, from := belay.Requirement{Marker: belay.MarkPreserved, Text: part}, len(j.findings)
			if m := j.judgeSafely(r); m.Verdict != "" {
				res.Met = append(res.Met, j.classifyOutcome(m, r, from))
			}
		}
	}
	j.noteUnread()
	res.Findings = j.findings
	return res
}

func rank(r belay.Requirement) int {
	if r.Marker == belay.MarkAdd || r.Marker == belay.MarkRemove {
		return 0
	}
	return 1
}

// judgeSafely judges one requirement and recovers from panics.
func (j *contractJudge) judgeSafely(r belay.Requirement) (m belay.Met) {
	m = belay.Met{Marker: r.Marker, Text: r.Text}
	defer func() {
		if p := recover(); p != nil {
			m.Verdict = belay.MetUnknown
			j.addWarning("", 0, fmt.Sprintf("could not be checked: internal error (%v)", p), r)
		}
	}()
	j.setPlace(&r)
	if r.Count == nil && (r.Marker == belay.MarkAdd || r.Marker == belay.MarkRemove) && exactlyOne.MatchString(r.Text) {
		r.Count = new(1)
	}
	if keepVerb.MatchString(r.Text) { // with any marker, it removes nothing and adds nothing
		r.Marker, m.Marker = belay.MarkPreserved, belay.MarkPreserved
	}
	if r.Marker != belay.MarkPreserved && j.judgeExact(&m, r) {
		return m
	}
	if path := j.newTestFile(r); path != "" {
		m.Verdict, m.File, m.Evidence = belay.MetYes, path, []string{path + " is new"}
		return m
	}
	switch r.Marker {
	case belay.MarkAdd:
		j.judgeAdd(&m, r)
	case belay.MarkRemove:
		j.judgeRemove(&m, r)
	case belay.MarkPreserved:
		j.judgePreserve(&m, r)
	default:
		j.judgeModify(&m, r)
	}
	return m
}

// setPlace sets the file that a requirement is about if its text names exactly one.
func (j *contractJudge) setPlace(r *belay.Requirement) {
	if named := j.pathsNamedIn(r.Text); len(named) == 1 && count.LanguageOf(named[0]) != "" {
		r.File = named[0]
	}
}

// judgeByCount judges by counting. told is false if no list was found, or it could not be counted.
func (j *contractJudge) judgeByCount(m *belay.Met, r belay.Requirement) (res count.Result, told bool) {
	if !j.openPair() {
		return res, false
	}
	res, err := j.countPair.Check(r)
	if err != nil {
		return res, false
	}
	// An ambiguous text rejects nothing, nor does a number that counts something else.
	res.Certain = res.Certain && j.in.Request.Type != belay.Unclear && (r.Marker != belay.MarkAdd || countsWhatIsAdded(r))
	place := res.After
	if place == nil {
		place = res.Before
	}
	if place != nil {
		m.List, m.File, m.Line = place.Name, place.File, place.Line
	}
	m.Before, m.After = res.Counts.Before, res.Counts.After
	return res, m.Before != nil && m.After != nil && place != nil
}

// openPair makes the pair of both sides; false if it cannot.
func (j *contractJudge) openPair() bool {
	if j.countPair == nil {
		j.countPair, _ = count.Open(j.before, j.after) // nil after an error
	}
	return j.countPair != nil
}

// judgeAdd checks that there are more items than before.
func (j *contractJudge) judgeAdd(m *belay.Met, r belay.Requirement) {
	if r.Many() == 0 {
		j.judgeAddSome(m, r)
		return
	}
	res, told := j.judgeByCount(m, r)
	if !told || !res.Certain && res.Verdict == count.Fail {
		if wide := j.findListElsewhere(r); wide != nil { // a list in an unchanged file
			res, told = j.judgeByCount(m, *wide)
		}
	}
	switch {
	case !told:
		m.Verdict = belay.MetUnknown
		j.addWarning(m.File, m.Line, "could not be counted: "+firstMessage(res, "no matching list was found"), r, res.Candidates...)
	case res.Verdict == count.Fail && j.hasNetIncrease(r, res) ||
		told && res.Verdict == count.Fail &&
			*m.After-*m.Before+res.GrownElsewhere >= r.Many():
		m.Verdict = belay.MetYes
		j.noteCounts(*m)
	case res.Verdict == count.Fail && res.Certain && j.isProvenMissing(m, r):
		m.Verdict = belay.MetNot
		j.addError(res, r, fmt.Sprintf("add the %d that are missing and leave the existing ones unchanged", *m.Before+r.Many()-*m.After))
	case res.Verdict == count.Fail:
		m.Verdict = belay.MetUnknown
		j.addWarning(m.File, m.Line, "not certain which list this refers to: "+firstMessage(res, ""), r, res.Candidates...)
	case res.Verdict == count.Warn && len(res.Candidates) > 1:
		m.Verdict = belay.MetUnknown
		j.addWarning(m.File, m.Line, firstMessage(res, ""), r, res.Candidates...)
	case res.Verdict == count.Warn:
		m.Verdict = belay.MetMore
		j.addWarning(m.File, m.Line, firstMessage(res, "more than asked for"), r)
	default:
		m.Verdict = belay.MetYes
		j.noteCounts(*m)
	}
	if told {
		j.counted = append(j.counted, m.File+"\x00"+m.List)
	}
	j.noteCountFindings(res, r)
}

// countsExisting reports whether the number may count existing items: "the 8 flavors".
func countsExisting(r belay.Requirement, m *belay.Met) bool {
	return r.Many() == *m.Before && knownThings.MatchString(r.Text)
}

// hasNetIncrease reports whether a list grew as much as requested, except for items that the
// request removes: "add 3 drinks, drop the green tea". A removed item counts if the request to
// remove names it, its noun with a number, or the list itself.
func (j *contractJudge) hasNetIncrease(r belay.Requirement, res count.Result) bool {
	if len(res.Added) < r.Many() || len(res.Removed) == 0 {
		return false
	}
	var texts []string
	for _, q := range j.in.Request.Requirements {
		if q.Marker == belay.MarkRemove {
			texts = append(texts, q.Text)
		} else if m := insteadOf.FindStringSubmatch(q.Text); m != nil {
			texts = append(texts, m[1])
		}
	}
	for line := range strings.Lines(j.in.Words) {
		if m := insteadOf.FindStringSubmatch(line); m != nil {
			texts = append(texts, m[1])
		}
	}
	may := 0
	for _, text := range texts {
		words, named := subjectWords(text), 0
		for _, label := range res.Removed {
			if mentions(count.TopicWords(label), count.TopicWords(text)) {
				named++
			}
		}
		if n := firstNumber(text); named == 0 && n > 0 && mentions(subjectWords(r.Text), words) {
			named = n
		}
		may += named
	}
	return may >= len(res.Removed)
}

// isProvenMissing reports whether only the counted list can contain the addition.
func (j *contractJudge) isProvenMissing(m *belay.Met, r belay.Requirement) bool {
	if countsExisting(r, m) || ofKnownThings.MatchString(r.Text) || j.countNewFiles(r) >= r.Many() {
		return false
	}
	return j.isChanged(m.File) || !j.mayBeDoneElsewhere(r)
}

// judgeAddSome judges an ADD without a number: there must be something new. "A drink" in a changed
// list of the same length is a warning, because no number was stated.
func (j *contractJudge) judgeAddSome(m *belay.Met, r belay.Requirement) {
	var met belay.Met
	res, told := j.judgeByCount(&met, r)
	certain := told && res.Certain
	if certain && *met.After <= *met.Before && anotherOne.MatchString(r.Text) && j.isChanged(met.File) && j.countNewFiles(r) == 0 {
		*m = belay.Met{Marker: r.Marker, Text: r.Text, Verdict: belay.MetUnknown, Before: met.Before, After: met.After,
			List: met.List, File: met.File, Line: met.Line}
		j.addWarning(m.File, m.Line, firstMessage(res, ""), r)
		return
	}
	if certain && *met.After > *met.Before {
		m.Verdict, m.Before, m.After, m.List, m.File, m.Line = belay.MetYes, met.Before, met.After, met.List, met.File, met.Line
		j.counted = append(j.counted, m.File+"\x00"+m.List)
		return
	}
	if a, ok := j.findNewItem(r); ok {
		m.Verdict, m.File, m.Line = belay.MetYes, a.List.File, a.Line
		m.Evidence = []string{evidenceText(a.Label, place{a.List.File, a.Line})}
		j.warnDisplaced(a, r)
		return
	}
	switch {
	case j.lines.added == 0 && j.countCreated() == 0:
		m.Verdict = belay.MetNot
		j.addWarning("", 0, "nothing was added", r)
	case j.isMentioned(r, j.lines.addedStems):
		m.Verdict = belay.MetYes
	default:
		m.Verdict = belay.MetUnknown
	}
}

// asksForTests matches a requirement that asks for tests in a file without stating what they test.
var asksForTests = lazyregexp.New(`(?i)^\W*(?:(?:add|write|create|include) +)?(?:(?:a|an|some|unit) +)*tests?(?: +(?:it|this|that|them))?` +
	`(?: +for +(?:it|this|that|them))? +(?:in|to) +\S+\W*$`)

// newTestFile returns the new test file that such a requirement names, "" for none.
func (j *contractJudge) newTestFile(r belay.Requirement) string {
	named := j.pathsNamedIn(r.Text)
	if len(named) != 1 || !asksForTests.MatchString(r.Text) || !isTestPath(named[0]) {
		return ""
	}
	if f := j.changed[named[0]]; f == nil || f.Before != nil || strings.TrimSpace(string(f.After)) == "" {
		return ""
	}
	return named[0]
}

// judgeRemove checks that something was removed. Removing too much rejects if it is certain.
func (j *contractJudge) judgeRemove(m *belay.Met, r belay.Requirement) {
	if named := j.pathsNamedIn(r.Text); len(named) > 0 && j.isObject(r.Text, named[0]) {
		m.Verdict, m.File, m.Evidence = belay.MetYes, named[0], []string{named[0] + " is gone"}
		if j.after.has(named[0]) {
			m.Verdict = belay.MetNot
			j.addWarning(named[0], 0, "still there: "+named[0], r)
		}
		return
	}
	var met belay.Met
	res, told := j.judgeByCount(&met, r)
	if told && res.Certain {
		*m = met
		m.Marker, m.Text = r.Marker, r.Text
		j.counted = append(j.counted, m.File+"\x00"+m.List)
	}
	switch {
	case told && res.Certain && res.Verdict == count.Fail:
		m.Verdict = belay.MetNot
		j.addError(res, r, "restore what was removed beyond the request")
	case told && res.Certain && res.Verdict == count.Pass:
		m.Verdict = belay.MetYes
		j.noteCounts(*m)
	case j.isMentioned(r, j.lines.removedStems):
		m.Verdict = belay.MetYes
	case j.existsAfter(r):
		m.Verdict = belay.MetNot
		j.addWarning(m.File, m.Line, "still there: nothing matching was removed", r)
	default:
		m.Verdict = belay.MetUnknown
		j.addWarning(m.File, m.Line, "could not be checked: nothing matching was found", r)
	}
}

// judgePreserve checks that something stays: named files unchanged, a list not shorter. Without a
// name it is left to the checks of scope; Verdict is "" then.
func (j *contractJudge) judgePreserve(m *belay.Met, r belay.Requirement) {
	if kept := j.filesToKeep(r.Text); len(kept) > 0 {
		m.Verdict, m.File, m.Evidence = belay.MetYes, kept[0], []string{kept[0] + " unchanged"}
		for _, p := range kept {
			if j.isChanged(p) {
				m.Verdict, m.File = belay.MetNot, p
				j.addWarning(p, 1, "changed although it should stay unchanged", r)
			}
		}
		return
	}
	var met belay.Met
	res, told := j.judgeByCount(&met, r)
	if !told || !res.Certain {
		return
	}
	*m = met
	m.Marker, m.Text, m.Verdict = r.Marker, r.Text, belay.MetYes
	if res.Verdict == count.Fail {
		m.Verdict = belay.MetNot
		j.addError(res, r, "restore the missing ones")
		return
	}
	j.noteCounts(*m)
}

// judgeModify checks that what was to be changed, or fixed, was touched, and that its list has the
// same length. Tests and reviewers decide whether it is right.
func (j *contractJudge) judgeModify(m *belay.Met, r belay.Requirement) {
	m.Verdict = belay.MetYes
	if why, at := j.whyUntouched(r); why != "" {
		m.Verdict, m.File = belay.MetNot, at
		j.addWarning(at, 0, why, r)
		return
	}
	var met belay.Met
	res, told := j.judgeByCount(&met, r)
	if !told || !res.Certain || slices.Contains(j.counted, met.File+"\x00"+met.List) {
		return
	}
	m.Before, m.After, m.List, m.File, m.Line = met.Before, met.After, met.List, met.File, met.Line
	// A modification may add items, unless a number is stated; missing ones give a warning.
	if res.Verdict == count.Warn && (*met.After < *met.Before || r.Many() > 0) {
		m.Verdict = belay.MetMore
		j.addWarning(m.File, m.Line, firstMessage(res, "its list grew or shrank"), r)
	}
}

// noteUnread reports the changed files that were too large to count in.
func (j *contractJudge) noteUnread() {
	for _, p := range j.in.Unread[:min(len(j.in.Unread), 20)] {
		if count.LanguageOf(p) != "" {
			j.findings = append(j.findings, belay.Finding{
				Severity: belay.SeverityWarning, Category: belay.CategoryContract, File: p, Title: "too large to count",
			})
		}
	}
}

// firstMessage returns the first message of counting, or otherwise.
func firstMessage(res count.Result, otherwise string) string {
	if len(res.Findings) > 0 {
		return res.Findings[0].Message
	}
	return otherwise
}

func (j *contractJudge) addError(res count.Result, r belay.Requirement, try string) {
	f := res.Findings[0]
	j.findings = append(j.findings, belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryContract, Title: f.String(), File: f.File, Line: f.Line,
		Detail: askedForText(r), Recommendation: try,
	})
}

// addWarning adds a finding about a requirement that rejects nothing, with the possible lists if
// that is uncertain.
func (j *contractJudge) addWarning(file string, line int, title string, r belay.Requirement, lists ...count.ListChange) {
	detail := askedForText(r)
	if len(lists) > 0 {
		detail += "\npossible lists:"
		for _, l := range lists {
			detail += "\n- " + l.String()
		}
	}
	f := count.Finding{Message: title, File: file, Line: max(line, 1)}
	if file != "" && line == 0 {
		f.File = ""
	}
	j.findings = append(j.findings, belay.Finding{
		Severity: belay.SeverityWarning, Category: belay.CategoryContract, Title: f.String(), File: file, Line: line, Detail: detail,
	})
}

// noteCounts records the numbers of a requirement that was met.
func (j *contractJudge) noteCounts(m belay.Met) {
	noun := m.List[strings.LastIndex(m.List, ".")+1:]
	j.findings = append(j.findings, belay.Finding{
		Severity: belay.SeverityNote, Category: belay.CategoryContract, File: m.File, Line: m.Line,
		Title: count.Finding{Message: fmt.Sprintf("%s: %d before, %d after", noun, *m.Before, *m.After), File: m.File,
			Line: m.Line}.String(),
		Detail: string(m.Marker) + ": " + m.Text,
	})
}

// noteCountFindings adds other findings of counting: changed existing items, which are a warning if
// nothing was to be changed.
func (j *contractJudge) noteCountFindings(res count.Result, r belay.Requirement) {
	severity := belay.SeverityNote
	if res.Verdict == count.Pass && j.isAddOnly() {
		severity = belay.SeverityWarning
	}
	for _, f := range res.Findings {
		if f.Severity == "note" {
			j.findings = append(j.findings, belay.Finding{
				Severity: severity, Category: belay.CategoryContract, File: f.File, Line: f.Line, Title: f.String(),
				Detail: askedForText(r),
			})
		}
	}
}

// isAddOnly reports whether the request only adds, or keeps, things.
func (j *contractJudge) isAddOnly() bool {
	return !slices.ContainsFunc(j.in.Request.Requirements, func(r belay.Requirement) bool {
		return r.Marker != belay.MarkAdd && r.Marker != belay.MarkPreserved && r.Marker != belay.MarkNoChanges
	})
}

func askedForText(r belay.Requirement) string {
	return "asked for: " + string(r.Marker) + ": " + r.Text
}
