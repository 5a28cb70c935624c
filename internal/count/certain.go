package count

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// sureScore is the score from which on a list is the one that is meant, when nothing speaks
// against it; near is how close another one has to come to speak against it.
const (
	sureScore = 3.5
	nearScore = 3
	farScore  = 7 // as near counts for lists that changed
)

// isCertain reports whether the first of the lists is the one, beyond what a refusal may rest
// on: it is the same list before and after, both were counted, and no other list that the
// words may mean did what was asked for.
func (j *judge) isCertain(all []*candidate) bool {
	c := all[0]
	if c.before == nil || c.after == nil || !c.countBefore.IsKnown() || !c.countAfter.IsKnown() {
		return false
	}
	if noun := j.itemNoun(c); !strings.ContainsFunc(noun, unicode.IsLetter) {
		return false // a sign is no thing that is counted: "all 3206 tests pass ✅"
	}
	return j.isConverted(c) || j.isSameList(c) && !j.grewElsewhere(c, all[1:]) && !j.isDocumentOnly(c)
}

// isDocumentOnly reports whether a list of a document that the request does not name may only tell of what was added: it got items
// and lost none, and the other files got at least as many lines. A changelog has one entry for three options.
func (j *judge) isDocumentOnly(c *candidate) bool {
	gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
	if j.requirement.File != "" || j.requirement.Marker != belay.MarkAdd || len(gone) > 0 || len(came) == 0 ||
		LanguageOf(c.after.File) != "markdown" {
		return false
	}
	grown := 0
	for _, p := range j.changedPaths() {
		if p != c.after.File {
			grown += max(lineCount(j.after.load(p).src)-lineCount(j.before.load(p).src), 0)
		}
	}
	return grown > 0 && grown >= j.requirement.Many()
}

// isSameList reports whether a list is the one of the words, and the same before and after.
func (j *judge) isSameList(c *candidate) bool {
	gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
	if j.isUnlikely(c, came) {
		return false
	}
	enough := sureScore
	if len(gone) > 0 && len(came) > 0 {
		enough = 2 // somebody worked on exactly this list
	}
	if j.requirement.List == "" && c.score < enough {
		return false
	}
	return c.before.Name == c.after.Name || sharedPart(c.itemsBefore, c.itemsAfter) >= 0.5
}

// grewElsewhere reports whether one of the other lists that the words may mean did what was asked for.
func (j *judge) grewElsewhere(c *candidate, others []*candidate) bool {
	grown := c.countAfter.N - c.countBefore.N // of all lists that the words fit: what was asked for may be spread over them
	for _, other := range others {
		if other.after == nil || other.after == c.after {
			continue
		}
		n, known := other.countAfter.Minus(other.countBefore)
		if fits := other.score >= minScore && c.score-other.score <= farScore; known && n > 0 && fits && !isWithin(other.after, c.after) {
			if grown += n; j.requirement.Marker == belay.MarkAdd && j.isMet(grown) && !j.isMet(c.countAfter.N-c.countBefore.N) {
				return true
			}
		}
		if j.isKeyed(c, other) && known && j.isMet(n) {
			return true
		}
		if isWithin(other.after, c.after) {
			continue
		}
		close := c.score-other.score <= nearScore && other.score >= minScore
		if close && (!known || j.isMet(n) && !j.isMet(c.countAfter.N-c.countBefore.N)) {
			return true // it may be what is meant
		}
		if j.grewInstead(other, n, known) && c.score-other.score <= 7 {
			return true // so may something that grew by exactly what was asked for
		}
	}
	return false
}

// grewInstead reports whether another list of which the words speak grew by exactly what was to
// be added.
func (j *judge) grewInstead(other *candidate, grown int, known bool) bool {
	return known && j.requirement.Marker == belay.MarkAdd && grown > 1 && grown == j.requirement.Many() && other.score >= 0
}

// grownBeside counts by how much lists of the same kind as c's grew besides it in what changed. Things
// that have a list of their own are in that one: only what is declared or called wherever it
// is needed is spread.
func (j *judge) grownBeside(c *candidate) int {
	l := c.after
	if l == nil || mayHaveThings(l.Kind) && l.Kind != Calls {
		return 0
	}
	sum := func(w *lazyTree, p string) (n int) {
		for _, other := range w.scan(p).lists {
			if kindFamilies[other.Kind] == kindFamilies[l.Kind] || other.Kind == l.Kind {
				if other.Kind == Array || other.Kind == Object || other.Kind == Elements || other.Kind == Rows || other.Kind == Bullets {
					continue
				}
				n += len(other.Items)
			}
		}
		return n
	}
	grown := -(len(c.itemsAfter) - len(c.itemsBefore))
	for _, p := range j.changedPaths() {
		if LanguageOf(p) != "" {
			grown += sum(j.after, p) - sum(j.before, p)
		}
	}
	return max(grown, 0)
}

// isConverted reports whether a list got other items in the place of as many, in a change that
// added nothing anywhere: then what was to be added is not there, whichever list was meant.
func (j *judge) isConverted(c *candidate) bool {
	if j.requirement.Marker != belay.MarkAdd || j.requirement.Many() == 0 || isMeasure(j.topic.Noun) {
		return false
	}
	if c.before == nil || c.after == nil || !mayHaveThings(c.before.Kind) {
		return false
	}
	gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
	if len(came) < j.requirement.Many() || len(gone) < len(came) || slices.ContainsFunc(came, isNumeric) || j.isUnlikely(c, came) {
		return false
	}
	return !slices.ContainsFunc(j.changedPaths(), j.fileGrew)
}

// isUnlikely reports whether a list's items are hardly what somebody asks for more of: numbers
// that are others now, selectors that share a rule, a single call.
func (j *judge) isUnlikely(c *candidate, came []string) bool {
	if eachWord.MatchString(j.requirement.Text) { // "an emoji to each name" asks for no more names
		return true
	}
	switch c.after.Kind {
	case Calls:
		return c.countBefore.N <= 1
	case Rules:
		return Stem(j.topic.Noun) == "selector"
	}
	return len(came) > 0 && len(c.itemsBefore) == len(c.itemsAfter) &&
		!slices.ContainsFunc(came, func(label string) bool { return !isNumeric(label) })
}

var eachWord = lazyregexp.New(`(?i)\b(?:each|every|per)\b`)

// isKeyed reports whether a list stands under a key of an object, as its other lists do: what
// is to be added to the object may be meant for one of them.
func (j *judge) isKeyed(c, other *candidate) bool {
	l, of := other.after, c.after
	return l.File == of.File && of.Kind == Object && l.Kind == Object && len(l.Path) == len(of.Path)+1 &&
		hasPrefix(append(slices.Clone(of.Path), of.Name), l.Path)
}

// mayHaveThings reports whether a list's items may be things that somebody asks for in so many
// words; what is declared of one thing, or done in it, is asked for by its kind.
func mayHaveThings(k ListKind) bool {
	switch k {
	case Array, Object, Elements, Rows, Enum, Bullets, Calls:
		return true
	}
	return false
}

// isMeasure reports whether a noun is not a thing at all, or one that numbers are measured in.
func isMeasure(noun string) bool {
	switch strings.TrimRight(noun, "s.") {
	case "item", "", "px", "pixel", "rem", "em", "percent", "%", "second", "sec", "minute", "min", "hour", "day",
		"week", "month", "year", "millisecond", "m",
		"byte", "kb", "mb", "gb", "line", "space", "point", "pt", "retrie", "retry", "attempt", "time", "level",
		"degree", "cent", "dollar", "euro":
		return true
	}
	return false
}

func isNumeric(label string) bool {
	_, err := strconv.ParseFloat(strings.Trim(label, `'"`), 64)
	return err == nil
}

// fileGrew reports whether something was added to a file, or may have been: it is new, cannot be
// read, has more lines, or a list of it has more items or was not there before.
func (j *judge) fileGrew(p string) bool {
	was, is := j.before.scan(p), j.after.scan(p)
	if j.fileIsLonger(p) || countSeparators(is.src) > countSeparators(was.src) {
		return true
	}
	type place struct {
		path string
		kind ListKind
	}
	n := map[place]int{}
	for _, l := range was.lists {
		n[place{l.FullName(), l.Kind}] += len(l.Items)
	}
	for _, l := range is.lists {
		n[place{l.FullName(), l.Kind}] -= len(l.Items)
	}
	for _, l := range is.lists {
		if n[place{l.FullName(), l.Kind}] < 0 && depthPenalty(l) < 0.9 { // in items that were exchanged lie other lists
			return true
		}
	}
	return false
}

// fileIsLonger reports whether a file is new, has more lines, or cannot be read.
func (j *judge) fileIsLonger(p string) bool {
	was, is := j.before.load(p), j.after.load(p)
	if !is.exists {
		return j.after.has(p) || !was.exists
	}
	return !was.exists || lineCount(is.src) > lineCount(was.src)
}

// countSeparators counts the signs that part items, keys, attributes and arguments, strings left
// out: something was added to a line where there are more of them.
func countSeparators(src []byte) int {
	n := 0
	for _, c := range quotedText.ReplaceAllString(string(src), "") {
		if strings.ContainsRune(",:=<([{|", c) {
			n++
		}
	}
	return n
}

var quotedText = lazyregexp.New("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`[^`]*`")

func lineCount(src []byte) int { return bytes.Count(bytes.TrimSpace(src), []byte("\n")) }
