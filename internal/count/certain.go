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

// sure is the score from which on a list is the one that is meant, when nothing speaks
// against it; near is how close another one has to come to speak against it.
const (
	sure = 3.5
	near = 3
	far  = 7 // as near counts for lists that changed
)

// certain reports whether the first of the lists is the one, beyond what a refusal may rest
// on: it is the same list before and after, both were counted, and no other list that the
// words may mean did what was asked for.
func (j *judge) certain(all []*candidate) bool {
	c := all[0]
	if c.before == nil || c.after == nil || !c.was.Known() || !c.is.Known() {
		return false
	}
	if noun := j.noun(c); !strings.ContainsFunc(noun, unicode.IsLetter) {
		return false // a sign is no thing that is counted: "all 3206 tests pass ✅"
	}
	return j.converted(c) || j.same(c) && !j.elsewhere(c, all[1:]) && !j.told(c)
}

// told reports whether a list of a document that the request does not name may only tell of what was added: it got items
// and lost none, and the other files got at least as many lines. A changelog has one entry for three options.
func (j *judge) told(c *candidate) bool {
	gone, came := difference(c.itemsBefore, c.itemsAfter)
	if j.r.File != "" || j.r.Marker != belay.MarkAdd || len(gone) > 0 || len(came) == 0 || Language(c.after.File) != "markdown" {
		return false
	}
	grown := 0
	for _, p := range j.changed() {
		if p != c.after.File {
			grown += max(lineCount(j.after.raw(p).src)-lineCount(j.before.raw(p).src), 0)
		}
	}
	return grown > 0 && grown >= j.r.Many()
}

// same reports whether a list is the one of the words, and the same before and after.
func (j *judge) same(c *candidate) bool {
	gone, came := difference(c.itemsBefore, c.itemsAfter)
	if j.unlike(c, came) {
		return false
	}
	enough := sure
	if len(gone) > 0 && len(came) > 0 {
		enough = 2 // somebody worked on exactly this list
	}
	if j.r.List == "" && c.score < enough {
		return false
	}
	return c.before.Name == c.after.Name || shared(c.itemsBefore, c.itemsAfter) >= 0.5
}

// elsewhere reports whether one of the other lists that the words may mean did what was asked for.
func (j *judge) elsewhere(c *candidate, others []*candidate) bool {
	grown := c.is.N - c.was.N // of all lists that the words fit: what was asked for may be spread over them
	for _, other := range others {
		if other.after == nil || other.after == c.after {
			continue
		}
		n, known := other.is.Less(other.was)
		if fits := other.score >= least && c.score-other.score <= far; known && n > 0 && fits && !within(other.after, c.after) {
			if grown += n; j.r.Marker == belay.MarkAdd && j.met(grown) && !j.met(c.is.N-c.was.N) {
				return true
			}
		}
		if j.keyed(c, other) && known && j.met(n) {
			return true
		}
		if within(other.after, c.after) {
			continue
		}
		close := c.score-other.score <= near && other.score >= least
		if close && (!known || j.met(n) && !j.met(c.is.N-c.was.N)) {
			return true // it may be what is meant
		}
		if j.instead(other, n, known) && c.score-other.score <= 7 {
			return true // so may something that grew by exactly what was asked for
		}
	}
	return false
}

// instead reports whether another list of which the words speak grew by exactly what was to
// be added.
func (j *judge) instead(other *candidate, grown int, known bool) bool {
	return known && j.r.Marker == belay.MarkAdd && grown > 1 && grown == j.r.Many() && other.score >= 0
}

// spread counts by how much lists of the same kind as c's grew besides it in what changed. Things
// that have a list of their own are in that one: only what is declared or called wherever it
// is needed is spread.
func (j *judge) spread(c *candidate) int {
	l := c.after
	if l == nil || things(l.Kind) && l.Kind != Calls {
		return 0
	}
	sum := func(w *world, p string) (n int) {
		for _, other := range w.file(p).lists {
			if families[other.Kind] == families[l.Kind] || other.Kind == l.Kind {
				if other.Kind == Array || other.Kind == Object || other.Kind == Elements || other.Kind == Rows || other.Kind == Bullets {
					continue
				}
				n += len(other.Items)
			}
		}
		return n
	}
	grown := -(len(c.itemsAfter) - len(c.itemsBefore))
	for _, p := range j.changed() {
		if Language(p) != "" {
			grown += sum(j.after, p) - sum(j.before, p)
		}
	}
	return max(grown, 0)
}

// converted reports whether a list got other items in the place of as many, in a change that
// added nothing anywhere: then what was to be added is not there, whichever list was meant.
func (j *judge) converted(c *candidate) bool {
	if j.r.Marker != belay.MarkAdd || j.r.Many() == 0 || measured(j.w.Noun) {
		return false
	}
	if c.before == nil || c.after == nil || !things(c.before.Kind) {
		return false
	}
	gone, came := difference(c.itemsBefore, c.itemsAfter)
	if len(came) < j.r.Many() || len(gone) < len(came) || slices.ContainsFunc(came, numeric) || j.unlike(c, came) {
		return false
	}
	return !slices.ContainsFunc(j.changed(), j.grew)
}

// unlike reports whether a list's items are hardly what somebody asks for more of: numbers
// that are others now, selectors that share a rule, a single call.
func (j *judge) unlike(c *candidate, came []string) bool {
	if each.MatchString(j.r.Text) { // "an emoji to each name" asks for no more names
		return true
	}
	switch c.after.Kind {
	case Calls:
		return c.was.N <= 1
	case Rules:
		return Stem(j.w.Noun) == "selector"
	}
	return len(came) > 0 && len(c.itemsBefore) == len(c.itemsAfter) &&
		!slices.ContainsFunc(came, func(label string) bool { return !numeric(label) })
}

var each = lazyregexp.New(`(?i)\b(?:each|every|per)\b`)

// keyed reports whether a list stands under a key of an object, as its other lists do: what
// is to be added to the object may be meant for one of them.
func (j *judge) keyed(c, other *candidate) bool {
	l, of := other.after, c.after
	return l.File == of.File && of.Kind == Object && l.Kind == Object && len(l.Path) == len(of.Path)+1 &&
		prefix(append(slices.Clone(of.Path), of.Name), l.Path)
}

// things reports whether a list's items may be things that somebody asks for in so many
// words; what is declared of one thing, or done in it, is asked for by its kind.
func things(k ListKind) bool {
	switch k {
	case Array, Object, Elements, Rows, Enum, Bullets, Calls:
		return true
	}
	return false
}

// measured reports whether a noun is not a thing at all, or one that numbers are measured in.
func measured(noun string) bool {
	switch strings.TrimRight(noun, "s.") {
	case "item", "", "px", "pixel", "rem", "em", "percent", "%", "second", "sec", "minute", "min", "hour", "day",
		"week", "month", "year", "millisecond", "m",
		"byte", "kb", "mb", "gb", "line", "space", "point", "pt", "retrie", "retry", "attempt", "time", "level",
		"degree", "cent", "dollar", "euro":
		return true
	}
	return false
}

func numeric(label string) bool {
	_, err := strconv.ParseFloat(strings.Trim(label, `'"`), 64)
	return err == nil
}

// grew reports whether something was added to a file, or may have been: it is new, cannot be
// read, has more lines, or a list of it has more items or was not there before.
func (j *judge) grew(p string) bool {
	was, is := j.before.file(p), j.after.file(p)
	if j.longer(p) || structure(is.src) > structure(was.src) {
		return true
	}
	type place struct {
		path string
		kind ListKind
	}
	n := map[place]int{}
	for _, l := range was.lists {
		n[place{l.Full(), l.Kind}] += len(l.Items)
	}
	for _, l := range is.lists {
		n[place{l.Full(), l.Kind}] -= len(l.Items)
	}
	for _, l := range is.lists {
		if n[place{l.Full(), l.Kind}] < 0 && depth(l) < 0.9 { // in items that were exchanged lie other lists
			return true
		}
	}
	return false
}

// longer reports whether a file is new, has more lines, or cannot be read.
func (j *judge) longer(p string) bool {
	was, is := j.before.raw(p), j.after.raw(p)
	if !is.exists {
		return j.after.has(p) || !was.exists
	}
	return !was.exists || lineCount(is.src) > lineCount(was.src)
}

// structure counts the signs that part items, keys, attributes and arguments, strings left
// out: something was added to a line where there are more of them.
func structure(src []byte) int {
	n := 0
	for _, c := range quotes.ReplaceAllString(string(src), "") {
		if strings.ContainsRune(",:=<([{|", c) {
			n++
		}
	}
	return n
}

var quotes = lazyregexp.New("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`[^`]*`")

func lineCount(src []byte) int { return bytes.Count(bytes.TrimSpace(src), []byte("\n")) }
