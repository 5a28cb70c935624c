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

// Verdict is what a requirement comes to.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
	Warn Verdict = "warn"
)

// Finding is one sentence about a requirement, and where it was seen.
type Finding struct {
	Severity string `json:"severity"` // error, warning or note
	Message  string `json:"message"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// String returns the finding with its place: "expected …, found …: src/FlavorGrid.tsx:14".
func (f Finding) String() string {
	if f.File == "" {
		return f.Message
	}
	return fmt.Sprintf("%s: %s:%d", f.Message, f.File, f.Line)
}

// Counts are the numbers of items before and after; nil for what cannot be told.
type Counts struct {
	Before *int `json:"before"`
	After  *int `json:"after"`
}

// Place is where a list is.
type Place struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// Asked is a list that a requirement may mean, and what became of it.
type Asked struct {
	Place
	Counts
}

// String names the list, where it is and its counts: "DRINKS (src/menu.ts:1): 6 before, 6 after".
func (a Asked) String() string {
	number := func(n *int) string {
		if n == nil {
			return "unknown"
		}
		return fmt.Sprint(*n)
	}
	return fmt.Sprintf("%s (%s:%d): %s before, %s after", a.Name, a.File, a.Line, number(a.Before), number(a.After))
}

// Result is what Check finds.
type Result struct {
	Verdict  Verdict   `json:"verdict"`
	Counts   Counts    `json:"counts"`
	Findings []Finding `json:"findings"`
	Before   *Place    `json:"list_before,omitempty"`
	After    *Place    `json:"list_after,omitempty"`
	// Gone and Came are what the items are called that the list had and has not, and the other
	// way round.
	Gone, Came []string `json:"-"`
	// Elsewhere says by how many items other lists of its kind grew, in files that changed: tests
	// and functions may be spread over several.
	Elsewhere int `json:"-"`
	// Question are the lists that came into question, the likeliest first, where it is not certain
	// which is meant; none where it is.
	Question []Asked `json:"in_question,omitempty"`
	// Certain says that a refusal may rest on this: the words fit one list, it was found
	// in both states, and both were counted.
	Certain bool `json:"certain"`
}

// Check judges one requirement by the state before and the state after. The error is of
// reading the trees, or belay.CodeNotFound for a file or list that neither state has.
func Check(before, after Tree, r belay.Requirement) (Result, error) {
	p, err := Open(before, after)
	if err != nil {
		return Result{}, err
	}
	return p.Check(r)
}

// Pair is a state before and one after, held against several requirements: what was read
// for one is there for the next. It is for one goroutine.
type Pair struct {
	before, after *world
	arrived       []Arrived // nil until it is asked for
}

// Open reads which paths both states have, and no file yet.
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

// Check is Check of the pair.
func (p *Pair) Check(r belay.Requirement) (Result, error) {
	if r.File != "" {
		r.File = path.Clean(strings.TrimPrefix(r.File, "./"))
		if !p.before.has(r.File) && !p.after.has(r.File) {
			return Result{}, belay.Refuse(belay.CodeNotFound, "give the file's path inside the compared folders",
				"%s does not exist before or after", r.File)
		}
	}
	j := &judge{before: p.before, after: p.after, r: r, w: Of(r)}
	if r.Marker == belay.MarkNoChanges {
		return j.unchanged(), nil
	}
	return j.run()
}

type judge struct {
	before, after *world
	r             belay.Requirement
	w             Topic
	differ        []string
}

// unchanged holds a file, or everything, to be what it was.
func (j *judge) unchanged() Result {
	paths := j.changed()
	if j.r.File != "" {
		a, b := j.before.raw(j.r.File), j.after.raw(j.r.File)
		paths = nil
		if a.exists != b.exists || !bytes.Equal(a.src, b.src) {
			paths = []string{j.r.File}
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

// least is the score below which no list is taken to be the one that is meant.
const least = 1.5

func (j *judge) run() (Result, error) {
	all := j.choose()
	if j.r.List != "" && (len(all) == 0 || all[0].score < 50) {
		return Result{}, belay.Refuse(belay.CodeNotFound, "belay count FILE shows the lists of a file", "there is no list %q", j.r.List)
	}
	if len(all) == 0 || all[0].score < least {
		res := j.unclear(all)
		if !res.Certain {
			res.Question = j.inQuestion(all)
		}
		return res, nil
	}
	res := j.judge(all[0])
	if res.Certain = j.certain(all); !res.Certain {
		res.Question = j.inQuestion(all)
	}
	res.Gone, res.Came = difference(all[0].itemsBefore, all[0].itemsAfter)
	res.Elsewhere = j.spread(all[0])
	if res.Verdict == Fail && !res.Certain && j.elsewise(res.Question) {
		// What was asked for is there in a list that may be meant: that is no proof of anything.
		res.Verdict = Warn
		res.Findings[0].Severity, res.Findings[0].Message = "warning", unsure+res.Findings[0].Message
	}
	// Two lists that fit as well as each other and disagree leave no verdict but a warning.
	for _, other := range all[1:min(len(all), 6)] {
		if all[0].score-other.score > 0.2 || all[0].after == other.after && all[0].after != nil {
			continue
		}
		if second := j.judge(other); res.Verdict == Pass && second.Verdict == Fail {
			res.Verdict = Warn
			res.Findings = append(res.Findings,
				j.finding("warning", "two lists match equally: "+second.Findings[0].Message, other))
		}
	}
	return res, nil
}

// mostAsked is how many lists are named where it is not certain which is meant.
const mostAsked = 4

// inQuestion returns the lists that the words may mean: those nearly as likely as the first, and
// where no words fit any, those whose items changed.
func (j *judge) inQuestion(all []*candidate) []Asked {
	var out []Asked
	for _, c := range all {
		l := c.after
		if l == nil {
			l = c.before
		}
		gone, came := difference(c.itemsBefore, c.itemsAfter)
		moved, behind := len(gone)+len(came) > 0, all[0].score-c.score
		fits := c.score >= least && (behind <= near || moved && behind <= far)
		if l == nil || !fits && (all[0].score >= least || !moved) {
			continue
		}
		a := Asked{Place: *placeOf(l), Counts: Counts{known(c.was), known(c.is)}}
		if c.before == nil {
			a.Before = new(int) // it is new
		}
		if out = append(out, a); len(out) == mostAsked {
			break
		}
	}
	return out
}

// unsure begins what is said where it is not certain which list is meant.
const unsure = "not certain which list this refers to: "

// elsewise reports whether one of the lists in question other than the first, or all of them
// together, became what was asked for.
func (j *judge) elsewise(lists []Asked) bool {
	if j.r.Marker != belay.MarkAdd && j.r.Marker != belay.MarkRemove || len(lists) < 2 {
		return false
	}
	sum := 0
	for i, l := range lists {
		if l.Before == nil || l.After == nil || l.Kind != lists[0].Kind { // one thing can be in lists of two kinds
			continue
		}
		n := *l.After - *l.Before
		if sum += n; i > 0 && max(n, -n) == j.r.Many() && j.r.Many() > 1 && j.met(n) { // by one, many a list grows
			return true
		}
	}
	return j.r.Many() > 1 && j.met(sum)
}

// met reports whether a list that grew by so much did what was asked for.
func (j *judge) met(grown int) bool {
	n := max(j.r.Many(), 1)
	switch j.r.Marker {
	case belay.MarkAdd:
		return grown >= n
	case belay.MarkRemove:
		return grown <= -n
	}
	return grown >= 0
}

// within reports whether a list is part of an item of another: a drink's tags are not drinks.
func within(l, of *List) bool {
	return l.File == of.File && l.Depth > of.Depth && l.Line >= of.Line && len(l.Path) > len(of.Path) &&
		prefix(append(slices.Clone(of.Path), of.Name), l.Path)
}

// unclear judges when no list fits the words: the one list that changed, if there is only
// one; when no list grew, nothing was added.
func (j *judge) unclear(all []*candidate) Result {
	var moved []*candidate
	for _, c := range all {
		gone, came := difference(c.itemsBefore, c.itemsAfter)
		if c.before != nil && c.before.Depth == 0 && len(gone)+len(came) > 0 {
			moved = append(moved, c)
		}
	}
	if len(moved) == 1 {
		res := j.judge(moved[0])
		res.Certain = moved[0].was.Known() && moved[0].is.Known() && j.converted(moved[0])
		res.Gone, res.Came = difference(moved[0].itemsBefore, moved[0].itemsAfter)
		return res
	}
	grew := false
	for _, c := range all {
		n, known := c.is.Less(c.was)
		grew = grew || n > 0 || !known
	}
	if j.r.Marker == belay.MarkAdd && len(all) > 0 && !grew && !slices.ContainsFunc(j.changed(), j.longer) {
		return Result{Verdict: Fail, Findings: []Finding{{"error",
			"nothing was added: no list of " + j.where() + " has more items than before", j.r.File, 1}}}
	}
	return Result{Verdict: Warn, Findings: []Finding{{"warning", "no matching list was found", j.r.File, 1}}}
}

func (j *judge) where() string {
	if j.r.File != "" {
		return j.r.File
	}
	return "the tree"
}

func (j *judge) finding(severity, message string, c *candidate) Finding {
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
	return &Place{l.Full(), string(l.Kind), l.File, l.Line}
}

func known(c Count) *int {
	if !c.Known() {
		return nil
	}
	n := c.N
	return &n
}

// judge compares a list before and after.
func (j *judge) judge(c *candidate) Result {
	res := Result{Before: placeOf(c.before), After: placeOf(c.after), Counts: Counts{known(c.was), known(c.is)}, Findings: []Finding{}}
	grown, told := c.is.Less(c.was)
	if !told {
		res.Verdict = Warn
		res.Findings = append(res.Findings,
			j.finding("warning", fmt.Sprintf("the number of %s cannot be counted from the source: %s before, %s after",
				j.noun(c), spell(c.was), spell(c.is)), c))
		return res
	}
	verdict, message := j.rule(c.was.N, c.is.N, grown, c)
	if verdict == Fail || len(c.is.Unknown) > 0 {
		if why, at, line := j.untold(c); why != "" {
			res.Verdict, res.Counts.After = Warn, nil
			res.Findings = append(res.Findings,
				Finding{"warning", fmt.Sprintf("the number of %s cannot be counted from the source: %s", j.noun(c), why), at, line})
			return res
		}
	}
	res.Verdict = verdict
	if message != "" {
		res.Findings = append(res.Findings,
			j.finding(map[Verdict]string{Pass: "note", Warn: "warning", Fail: "error"}[verdict], message, c))
	}
	if lost := j.disturbed(c); len(lost) > 0 {
		res.Findings = append(res.Findings,
			j.finding("note", fmt.Sprintf("%d of the existing %s changed or were removed: %s", len(lost), j.noun(c), few(lost)), c))
	}
	return res
}

// disturbed returns the items that an addition did not leave unchanged. That some went
// and none came is a removal, which the numbers show.
func (j *judge) disturbed(c *candidate) []string {
	if j.r.Marker != belay.MarkAdd {
		return nil
	}
	gone, came := difference(c.itemsBefore, c.itemsAfter)
	if len(came) == 0 {
		gone = nil
	}
	return append(gone, reworded(c.itemsBefore, c.itemsAfter)...)
}

func spell(c Count) string {
	if c.Known() {
		return fmt.Sprint(c.N)
	}
	return fmt.Sprintf("%d and %s", c.N, few(c.Unknown))
}

func few(labels []string) string {
	if len(labels) > 4 {
		return strings.Join(labels[:4], ", ") + fmt.Sprintf(" and %d more", len(labels)-4)
	}
	return strings.Join(labels, ", ")
}

// noun is what the items are called: as the requirement calls them, unless the code has a
// list of another name for them. "2 more drinks" in FLAVORS are flavors.
func (j *judge) noun(c *candidate) string {
	l := c.before
	if l == nil {
		l = c.after
	}
	asked, own := j.w.Noun, ""
	if l != nil {
		if words := Split(l.Name); len(words) > 0 {
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
	case Stem(own) == own || Stops.Has(own) || vague.Has(own) || slices.Contains(Stems(l.Name), Stem(asked)):
		return asked
	}
	return own
}

// vague are plurals that say nothing of what is in a list.
var vague = lazyregexp.Of("data children props args params values entries elements nodes options objects records rows columns " +
	"keys names results contents defaults")

// rule is what each marker asks of the numbers.
func (j *judge) rule(was, is, grown int, c *candidate) (Verdict, string) {
	noun, n := j.noun(c), j.r.Many()
	switch j.r.Marker {
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
