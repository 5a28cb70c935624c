package count

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Verdict is the result for a requirement.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
	Warn Verdict = "warn"
)

// Finding is a statement about a requirement, with a position.
type Finding struct {
	Severity string `json:"severity"` // error, warning or note
	Message  string `json:"message"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// String returns the finding with its position: "expected …, found …: src/FlavorGrid.tsx:14".
func (f Finding) String() string {
	if f.File == "" {
		return f.Message
	}
	return fmt.Sprintf("%s: %s:%d", f.Message, f.File, f.Line)
}

// Counts are the numbers of items before and after, nil if unknown.
type Counts struct {
	Before *int `json:"before"`
	After  *int `json:"after"`
}

// Place is the position of a list.
type Place struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// ListChange is a list that a requirement can mean, with its counts.
type ListChange struct {
	Place
	Counts
}

// String returns the list's name, position and counts: "DRINKS (src/menu.ts:1): 6 before, 6 after".
func (a ListChange) String() string {
	number := func(n *int) string {
		if n == nil {
			return "unknown"
		}
		return fmt.Sprint(*n)
	}
	return fmt.Sprintf("%s (%s:%d): %s before, %s after", a.Name, a.File, a.Line, number(a.Before), number(a.After))
}

// Result is the result of Check.
type Result struct {
	Verdict  Verdict   `json:"verdict"`
	Counts   Counts    `json:"counts"`
	Findings []Finding `json:"findings"`
	Before   *Place    `json:"list_before,omitempty"`
	After    *Place    `json:"list_after,omitempty"`
	// Removed and Added are the labels of items that the list lost and got.
	Removed, Added []string `json:"-"`
	// GrownElsewhere is by how many items other lists of the same kind grew in changed files: tests
	// and functions may be spread over several.
	GrownElsewhere int `json:"-"`
	// Candidates are the lists that may be meant, the likeliest first; empty if Certain.
	Candidates []ListChange `json:"in_question,omitempty"`
	// Certain means that the result is reliable enough to reject work: the words fit one list, it
	// was found in both states, and both were counted.
	Certain bool `json:"certain"`
}

// Check evaluates one requirement on the states before and after. The error is one of listing the
// trees, or belay.CodeNotFound for a file or list that neither state has.
func Check(before, after Tree, r belay.Requirement) (Result, error) {
	p, err := Open(before, after)
	if err != nil {
		return Result{}, err
	}
	return p.Check(r)
}

// Pair is a state before and one after, to evaluate several requirements on. Files that were read
// for one are kept for the next. It is not safe for concurrent use.
type Pair struct {
	before, after *lazyTree
	newItems      []NewItem // nil until NewItems is called
}

// Open lists the paths of both states, and reads no file yet.
func Open(before, after Tree) (*Pair, error) {
	b, err := newWorld(before)
	if err != nil {
		return nil, fmt.Errorf("reading the files before: %w", err)
	}
	a, err := newWorld(after)
	if err != nil {
		return nil, fmt.Errorf("reading the files after: %w", err)
	}
	return &Pair{before: b, after: a}, nil
}

// Check evaluates one requirement on the pair; see the function Check.
func (p *Pair) Check(r belay.Requirement) (Result, error) {
	if r.File != "" {
		r.File = path.Clean(strings.TrimPrefix(r.File, "./"))
		if !p.before.has(r.File) && !p.after.has(r.File) {
			return Result{}, belay.Refuse(belay.CodeNotFound, "give the file's path inside the compared folders",
				"%s does not exist before or after", r.File)
		}
	}
	j := &judge{before: p.before, after: p.after, requirement: r, topic: NewTopic(r)}
	if r.Marker == belay.MarkNoChanges {
		return j.checkUnchanged(), nil
	}
	return j.run()
}

type judge struct {
	before, after *lazyTree
	requirement   belay.Requirement
	topic         Topic
	changed       []string
}

// checkUnchanged reports changes of a file, or of any file.
func (j *judge) checkUnchanged() Result {
	paths := j.changedPaths()
	if j.requirement.File != "" {
		a, b := j.before.load(j.requirement.File), j.after.load(j.requirement.File)
		paths = nil
		if a.failed || b.failed {
			return Result{Verdict: Warn, Findings: []Finding{{"warning", "cannot be read, so it may have changed", j.requirement.File, 1}}}
		}
		if a.exists != b.exists || !bytes.Equal(a.src, b.src) {
			paths = []string{j.requirement.File}
		}
	}
	res := Result{Verdict: Pass, Findings: []Finding{}}
	for _, p := range paths {
		res.Verdict = Warn
		res.Findings = append(res.Findings, Finding{"warning", "changed although no changes were requested", p, 1})
		if len(res.Findings) == 50 {
			break
		}
	}
	return res
}

// minScore is the least score of a list that can be the one that is meant.
const minScore = 1.5

func (j *judge) run() (Result, error) {
	all := j.choose()
	if j.requirement.List != "" && (len(all) == 0 || all[0].score < 50) {
		return Result{}, belay.Refuse(belay.CodeNotFound, "belay count FILE shows the lists of a file",
			"there is no list %q", j.requirement.List)
	}
	if len(all) == 0 || all[0].score < minScore {
		res := j.judgeUnclear(all)
		if !res.Certain {
			res.Candidates = j.listCandidates(all)
		}
		return res, nil
	}
	res := j.compareCounts(all[0])
	if res.Certain = j.isCertain(all); !res.Certain {
		res.Candidates = j.listCandidates(all)
	}
	res.Removed, res.Added = diffLabels(all[0].itemsBefore, all[0].itemsAfter)
	res.GrownElsewhere = j.grownBeside(all[0])
	if res.Verdict == Fail && !res.Certain && j.isMetElsewhere(res.Candidates) {
		// A list that may be meant has the requested change, so this is no proof of a failure.
		res.Verdict = Warn
		res.Findings[0].Severity, res.Findings[0].Message = "warning", unsurePrefix+res.Findings[0].Message
	}
	// If two lists fit equally and disagree, the verdict is only a warning.
	for _, other := range all[1:min(len(all), 6)] {
		if all[0].score-other.score > 0.2 || all[0].after == other.after && all[0].after != nil {
			continue
		}
		if second := j.compareCounts(other); res.Verdict == Pass && second.Verdict == Fail {
			res.Verdict = Warn
			res.Findings = append(res.Findings,
				j.newFinding("warning", "two lists match equally: "+second.Findings[0].Message, other))
		}
	}
	return res, nil
}

// maxCandidates is how many lists are named if it is not certain which one is meant.
const maxCandidates = 4

// listCandidates returns the lists that the words can mean: those nearly as likely as the first or,
// if the words fit none, those with changed items.
func (j *judge) listCandidates(all []*candidate) []ListChange {
	var out []ListChange
	for _, c := range all {
		l := c.after
		if l == nil {
			l = c.before
		}
		gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
		moved, behind := len(gone)+len(came) > 0, all[0].score-c.score
		fits := c.score >= minScore && (behind <= nearScore || moved && behind <= farScore)
		if l == nil || !fits && (all[0].score >= minScore || !moved) {
			continue
		}
		a := ListChange{Place: *placeOf(l), Counts: Counts{knownNumber(c.countBefore), knownNumber(c.countAfter)}}
		if c.before == nil {
			a.Before = new(int) // it is new
		}
		if out = append(out, a); len(out) == maxCandidates {
			break
		}
	}
	return out
}

// unsurePrefix begins a message if it is not certain which list is meant.
const unsurePrefix = "not certain which list this refers to: "

// isMetElsewhere reports whether a candidate other than the first, or all of them together, changed
// as requested.
func (j *judge) isMetElsewhere(lists []ListChange) bool {
	if j.requirement.Marker != belay.MarkAdd && j.requirement.Marker != belay.MarkRemove || len(lists) < 2 {
		return false
	}
	sum := 0
	for i, l := range lists {
		if l.Before == nil || l.After == nil || l.Kind != lists[0].Kind { // the same thing can be in lists of two kinds
			continue
		}
		n := *l.After - *l.Before
		// Many lists grow by one, so that is no evidence.
		if sum += n; i > 0 && max(n, -n) == j.requirement.Many() && j.requirement.Many() > 1 && j.isMet(n) {
			return true
		}
	}
	return j.requirement.Many() > 1 && j.isMet(sum)
}

// isMet reports whether a list that grew by so many items changed as requested.
func (j *judge) isMet(grown int) bool {
	n := max(j.requirement.Many(), 1)
	switch j.requirement.Marker {
	case belay.MarkAdd:
		return grown >= n
	case belay.MarkRemove:
		return grown <= -n
	}
	return grown >= 0
}

// isWithin reports whether a list is part of an item of another: a drink's tags are not drinks.
func isWithin(l, of *List) bool {
	return l.File == of.File && l.Depth > of.Depth && l.Line >= of.Line && len(l.Path) > len(of.Path) &&
		hasPrefix(append(slices.Clone(of.Path), of.Name), l.Path)
}

// judgeUnclear evaluates a requirement if the words fit no list: by the only changed list, if there
// is one; if no list grew, nothing was added.
func (j *judge) judgeUnclear(all []*candidate) Result {
	var moved []*candidate
	for _, c := range all {
		gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
		if c.before != nil && c.before.Depth == 0 && len(gone)+len(came) > 0 {
			moved = append(moved, c)
		}
	}
	if len(moved) == 1 {
		res := j.compareCounts(moved[0])
		res.Certain = moved[0].countBefore.IsKnown() && moved[0].countAfter.IsKnown() && j.isConverted(moved[0])
		res.Removed, res.Added = diffLabels(moved[0].itemsBefore, moved[0].itemsAfter)
		return res
	}
	grew := false
	for _, c := range all {
		n, known := c.countAfter.Minus(c.countBefore)
		grew = grew || n > 0 || !known
	}
	if j.requirement.Marker == belay.MarkAdd && len(all) > 0 && !grew && !slices.ContainsFunc(j.changedPaths(), j.fileIsLonger) {
		return Result{Verdict: Fail, Findings: []Finding{{"error",
			"nothing was added: no list of " + j.searchedPlace() + " has more items than before", j.requirement.File, 1}}}
	}
	return Result{Verdict: Warn, Findings: []Finding{{"warning", "no matching list was found", j.requirement.File, 1}}}
}

func (j *judge) searchedPlace() string {
	if j.requirement.File != "" {
		return j.requirement.File
	}
	return "the tree"
}

func (j *judge) newFinding(severity, message string, c *candidate) Finding {
	l := c.after
	if l == nil {
		l = c.before
	}
	return Finding{severity, message, l.File, l.Line}
}

func placeOf(l *List) *Place {
	if l == nil {
		return nil
	}
	return &Place{l.FullName(), string(l.Kind), l.File, l.Line}
}

func knownNumber(c Count) *int {
	if !c.IsKnown() {
		return nil
	}
	n := c.N
	return &n
}

// compareCounts compares a list before and after.
func (j *judge) compareCounts(c *candidate) Result {
	res := Result{Before: placeOf(c.before), After: placeOf(c.after),
		Counts: Counts{knownNumber(c.countBefore), knownNumber(c.countAfter)}, Findings: []Finding{}}
	grown, told := c.countAfter.Minus(c.countBefore)
	if !told {
		res.Verdict = Warn
		res.Findings = append(res.Findings,
			j.newFinding("warning", fmt.Sprintf("the number of %s cannot be counted from the source: %s before, %s after",
				j.itemNoun(c), countText(c.countBefore), countText(c.countAfter)), c))
		return res
	}
	verdict, message := j.applyMarker(c.countBefore.N, c.countAfter.N, grown, c)
	if verdict == Fail || len(c.countAfter.Unknown) > 0 {
		if why, at, line := j.uncountableReason(c); why != "" {
			res.Verdict, res.Counts.After = Warn, nil
			res.Findings = append(res.Findings,
				Finding{"warning", fmt.Sprintf("the number of %s cannot be counted from the source: %s", j.itemNoun(c), why), at, line})
			return res
		}
	}
	res.Verdict = verdict
	if message != "" {
		res.Findings = append(res.Findings,
			j.newFinding(map[Verdict]string{Pass: "note", Warn: "warning", Fail: "error"}[verdict], message, c))
	}
	if lost := j.disturbedItems(c); len(lost) > 0 {
		res.Findings = append(res.Findings,
			j.newFinding("note", fmt.Sprintf("%d of the existing %s changed or were removed: %s", len(lost), j.itemNoun(c),
				fewLabels(lost)), c))
	}
	return res
}

// disturbedItems returns the existing items that an addition removed or changed. If items were only
// removed, the numbers already show it.
func (j *judge) disturbedItems(c *candidate) []string {
	if j.requirement.Marker != belay.MarkAdd {
		return nil
	}
	gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
	if len(came) == 0 {
		gone = nil
	}
	return append(gone, rewordedLabels(c.itemsBefore, c.itemsAfter)...)
}

func countText(c Count) string {
	if c.IsKnown() {
		return fmt.Sprint(c.N)
	}
	return fmt.Sprintf("%d and %s", c.N, fewLabels(c.Unknown))
}

func fewLabels(labels []string) string {
	if len(labels) > 4 {
		return strings.Join(labels[:4], ", ") + fmt.Sprintf(" and %d more", len(labels)-4)
	}
	return strings.Join(labels, ", ")
}

// itemNoun returns the noun for the items: the requirement's, unless the code's list has another.
// "2 more drinks" in FLAVORS are flavors.
func (j *judge) itemNoun(c *candidate) string {
	l := c.before
	if l == nil {
		l = c.after
	}
	asked, own := j.topic.Noun, ""
	if l != nil {
		if words := SplitWords(l.Name); len(words) > 0 {
			own = words[len(words)-1]
		}
	}
	switch {
	case asked == "" || asked == "items":
		if own == "" {
			return "items"
		}
		return own
	case l == nil || l.Kind != Array && l.Kind != Object && l.Kind != Enum:
		return asked
	case Stem(own) == own || IsStopWord.Has(own) || vagueNouns.Has(own) || slices.Contains(Stems(l.Name), Stem(asked)):
		return asked
	}
	return own
}

// vagueNouns are plurals that do not describe the content of a list.
var vagueNouns = lazyregexp.Of("data children props args params values entries elements nodes options objects records rows columns " +
	"keys names results contents defaults")

// applyMarker evaluates the numbers by the requirement's marker.
func (j *judge) applyMarker(was, is, grown int, c *candidate) (Verdict, string) {
	noun, n := j.itemNoun(c), j.requirement.Many()
	switch j.requirement.Marker {
	case belay.MarkAdd:
		want := fmt.Sprintf("expected %d %s (%d + %d), found %d", was+n, noun, was, n, is)
		switch {
		case n > 0 && grown < n:
			return Fail, want
		case n > 0 && grown > n:
			return Warn, want
		case n == 0 && grown < 0:
			return Fail, fmt.Sprintf("%s should be added, but there are fewer: %d before, %d after", noun, was, is)
		case n == 0 && grown == 0:
			return Warn, fmt.Sprintf("%s should be added, but the number is unchanged: %d", noun, was)
		}
	case belay.MarkRemove:
		want := fmt.Sprintf("expected %d %s (%d - %d), found %d", was-n, noun, was, n, is)
		switch {
		case n > 0 && -grown > n:
			return Fail, want
		case n > 0 && -grown < n:
			return Warn, want
		case n == 0 && grown >= 0:
			return Warn, fmt.Sprintf("%s should be removed, but there are not fewer: %d before, %d after", noun, was, is)
		}
	case belay.MarkPreserved:
		if grown < 0 {
			return Fail, fmt.Sprintf("%s should be preserved: %d before, %d after", noun, was, is)
		}
	case belay.MarkModify, belay.MarkFix:
		if grown != 0 {
			return Warn, fmt.Sprintf("%s should be changed without adding or removing any: %d before, %d after", noun, was, is)
		}
	}
	return Pass, ""
}
