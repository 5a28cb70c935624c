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

// sureScore is the least score of a list that is certain if no other list contradicts it; nearScore
// is the distance within which another one can.
const (
	sureScore = 3.5
	nearScore = 3
	farScore  = 7 // nearScore for lists that changed
)

// isCertain reports whether the first list is certain enough to reject work: it is the same list
// before and after, both were counted, and no other list that the words can mean did what was asked
// for.
func (j *judge) isCertain(all []*candidate) bool {
	c := all[0]
	if c.before == nil || c.after == nil || !c.countBefore.IsKnown() || !c.countAfter.IsKnown() {
		return false
	}
	if noun := j.itemNoun(c); !strings.ContainsFunc(noun, unicode.IsLetter) {
		return false // a symbol is not a counted thing: "all 3206 tests pass ✅"
	}
	return j.isConverted(c) || j.isSameList(c) && !j.grewElsewhere(c, all[1:]) && !j.isDocumentOnly(c)
}

// isDocumentOnly reports whether a list of a document that the request does not name may only
// describe what was added: it got items and lost none, and the other files got at least as many
// lines. A changelog has one entry for three options.
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

// isSameList reports whether the words name a list, and it is the same before and after.
func (j *judge) isSameList(c *candidate) bool {
	gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
	if j.isUnlikely(c, came) {
		return false
	}
	enough := sureScore
	if len(gone) > 0 && len(came) > 0 {
		enough = 2 // exactly this list was edited
	}
	if j.requirement.List == "" && c.score < enough {
		return false
	}
	return c.before.Name == c.after.Name || sharedPart(c.itemsBefore, c.itemsAfter) >= 0.5
}

// grewElsewhere reports whether one of the other lists that the words can mean did what was asked
// for.
func (j *judge) grewElsewhere(c *candidate, others []*candidate) bool {
	grown := c.countAfter.N - c.countBefore.N // sum over all lists that the words fit, because the addition may be spread over them
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
			return true // it may be the one that is meant
		}
		if j.grewInstead(other, n, known) && c.score-other.score <= 7 {
			return true // likewise one that grew by exactly the requested number
		}
	}
	return false
}

// grewInstead reports whether another list that the words mention grew by exactly the number to
// add.
func (j *judge) grewInstead(other *candidate, grown int, known bool) bool {
	return known && j.requirement.Marker == belay.MarkAdd && grown > 1 && grown == j.requirement.Many() && other.score >= 0
}

// grownBeside returns by how much lists of the same kind as c's grew in other places of the change.
// It is 0 for kinds that have one list for all their items; only declarations and calls are spread
// over several.
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

// isConverted reports whether items of a list were replaced by as many others, in a change that
// added nothing anywhere: then nothing was added, whichever list was meant.
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

// isUnlikely reports whether nobody would ask for more of a list's items: changed numbers,
// selectors of one rule, a single call.
func (j *judge) isUnlikely(c *candidate, came []string) bool {
	if eachWord.MatchString(j.requirement.Text) { // "an emoji to each name" does not ask for more names
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

// isKeyed reports whether a list is the value of a key in c's object, like other lists there: what
// is to be added to the object may mean that list.
func (j *judge) isKeyed(c, other *candidate) bool {
	l, of := other.after, c.after
	return l.File == of.File && of.Kind == Object && l.Kind == Object && len(l.Path) == len(of.Path)+1 &&
		hasPrefix(append(slices.Clone(of.Path), of.Name), l.Path)
}

// mayHaveThings reports whether a request can name a list's items by any noun; for other kinds,
// such as fields and functions, it names the kind.
func mayHaveThings(k ListKind) bool {
	switch k {
	case Array, Object, Elements, Rows, Enum, Bullets, Calls:
		return true
	}
	return false
}

// isMeasure reports whether a noun is no thing, or a unit of measurement.
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

// fileGrew reports whether something was, or may have been, added to a file: it is new, unreadable,
// has more lines, or a list of it is new or has more items.
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
		if n[place{l.FullName(), l.Kind}] < 0 && depthPenalty(l) < 0.9 { // deeper lists belong to replaced items
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

// countSeparators counts separators of items, keys, attributes and arguments outside of strings:
// more of them mean that something was added within a line.
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
