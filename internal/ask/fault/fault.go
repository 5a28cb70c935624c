// Package fault says how much a clause complains about how things are now, and by which
// words: a verb of failing, a negation of what should work, a word that calls something bad,
// what is said by itself and should not be. It touches no file, process, clock or network.
package fault

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Strengths of a complaint. A plain one is reported as wrong whatever else is asked; a
// faint one may be only the reason of what is asked.
const (
	Fine = iota
	Faint
	Plain
)

// Wrong says how much a clause complains about how things are now, and by which words.
func Wrong(low []string) (strength int, by string) {
	n, s := grammar.Strip(low)
	rest := low[n:]
	if status(low) {
		return Plain, low[0]
	}
	if !s.Opener && len(rest) > 1 && Said(rest) {
		return Plain, rest[len(rest)-1]
	}
	if len(rest) > 2 && (rest[0] == "nobody" || rest[0] == "hardly" || rest[0] == "noone" || rest[0] == "no" && rest[1] == "one") && slices.ContainsFunc(rest[1:min(len(rest), 6)], func(w string) bool { return w == "can" || w == "gets" || w == "sees" || w == "receives" }) {
		return Plain, rest[0]
	}
	if s.Opener || len(rest) == 0 || len(rest) < 5 && (rest[0] == "repo" || rest[0] == "repository") || len(rest) < 6 && len(rest) > 1 && rest[1] == "repo" {
		return Fine, ""
	}
	if (rest[0] == "we" || rest[0] == "i" || rest[0] == "nobody") && slices.ContainsFunc(rest, func(w string) bool {
		return w == "need" || w == "needs" || w == "use" || w == "uses" || w == "want" || w == "wants" || w == "like" || w == "reads"
	}) {
		return Fine, ""
	}
	if i := grammar.Wanting(rest); i > 0 && i < 4 && rest[i] != "asked" && !words.Negative(rest[i-1]) {
		return Fine, "" // "legal wants the box unchecked"
	}
	if n := len(rest); n > 3 && rest[n-1] == "only" && !slices.ContainsFunc(rest, words.Wrong) && !slices.ContainsFunc(rest, words.Negative) {
		return Fine, "" // "deleted comments stay visible to admins only": how it is to be
	}
	if rest[0] == "why" {
		return Faint, "why"
	}
	if i := slices.Index(rest, "may"); i > 0 && i < 4 && i+1 < len(rest) && (rest[i+1] == "no" || rest[i+1] == "not" || rest[i+1] == "only") || NoWay(rest) {
		return Fine, ""
	}
	if rest[0] == "no" && (rest[len(rest)-1] == "more" || rest[len(rest)-1] == "anymore") {
		return Fine, ""
	}
	if status(low) || status(rest) {
		return Plain, rest[0]
	}
	if len(rest) > 4 && (rest[0] == "there" || rest[0] == "there's") {
		for i, w := range rest[:min(len(rest), 6)] {
			if i > 0 && (w == "issue" || w == "problem" || w == "bug" || w == "error" || w == "mistake" || w == "glitch") && rest[i-1] != "no" {
				return Plain, w
			}
		}
	}
	if len(rest) > 4 && rest[0] == "is" && (rest[1] == "it" || rest[1] == "this") {
		switch rest[2] {
		case "normal", "intended", "expected", "supposed", "intentional", "correct", "wanted":
			return Plain, strings.Join(rest[:3], " ")
		}
	}
	if at := wishAt(rest); at >= 0 {
		rest = rest[:at]
	}
	line := " " + strings.Join(rest, " ") + " "
	for _, p := range plainly {
		if strings.Contains(line, p) {
			return Plain, strings.TrimSpace(p)
		}
	}
	for i, w := range rest {
		if w == "instead" || w == "rather" {
			break
		}
		if words.Wrong(w) && !Named(rest, i) {
			return Plain, w
		}
		if end, ok := words.Fails(w); ok && failingHere(rest, i, end) {
			return Plain, w
		}
		if s := denied(rest, i); s > Fine {
			return s, w
		}
	}
	for i := 1; i+1 < len(rest); i++ {
		if (rest[i] == "stays" || rest[i] == "stay" || rest[i] == "remains") && grammar.Persists[rest[i+1]] && !words.Modal(rest[i-1]) && rest[i-1] != "to" && grammar.Imperative(rest) == 0 {
			return Faint, rest[i]
		}
	}
	if instead(rest) {
		return Plain, "instead of"
	}
	if existing(rest) {
		return Faint, rest[0]
	}
	return faintly(rest, line)
}

// Trouble reports a fragment that names something bad: its head is a word like "problem" or
// "loop", or it begins with a word that finds fault: "bad contrast on the buttons", "z-index
// problem with the modal".
func Trouble(low []string) bool {
	if len(low) < 2 || grammar.Articled(low[0]) || words.Determiner(low[0]) {
		return false
	}
	if faulty[low[0]] && !words.Preposition(low[1]) {
		return true
	}
	if (low[0] == "race" || low[0] == "nil" || low[0] == "null" || low[0] == "nullpointer") && (words.Preposition(low[1]) || low[0] != "race") {
		return true // "race in TestPool", "nil deref in parse()"
	}
	if (low[0] == "high" || low[0] == "low") && (loads[low[1]]) {
		return true
	}
	for i, w := range low {
		if troubles[w] && (i+1 == len(low) || words.Preposition(low[i+1]) || grammar.Conditional(low[i+1])) {
			return i > 0
		}
		if words.Preposition(w) {
			return i == 1 && low[0] == "off-by-one"
		}
	}
	return false
}

var (
	faulty = map[string]bool{"bad": true, "wrong": true, "weird": true, "strange": true, "blank": true, "broken": true, "duplicate": true, "duplicated": true, "double": true, "slow": true, "inconsistent": true, "unreadable": true, "garbled": true,
		"infinite": true, "stale": true, "leftover": true, "poor": true, "misplaced": true, "incorrect": true, "invalid": true, "ugly": true, "odd": true, "random": true, "endless": true, "uninitialised": true, "uninitialized": true, "flickering": true, "off-by-one": true}
	loads    = map[string]bool{"cpu": true, "memory": true, "load": true, "latency": true, "contrast": true, "ram": true, "disk": true, "usage": true, "fps": true}
	troubles = map[string]bool{"problem": true, "problems": true, "issue": true, "issues": true, "error": true, "errors": true, "failure": true, "failures": true, "loop": true, "glitch": true, "glitches": true, "artifact": true, "artifacts": true,
		"artefacts": true, "mismatch": true, "conflict": true, "conflicts": true, "leftover": true, "leftovers": true, "trouble": true, "exception": true, "exceptions": true, "condition": false}
)

// Said reports a thing and, without a verb, what is wrong with it: "two moods not working",
// "the export broken", "margins off".
func Said(low []string) bool {
	n := len(low)
	if n < 2 || n > 7 || words.Preposition(low[0]) || words.Subject(low[0]) || words.Subordinator(low[0]) || grammar.Conditional(low[0]) || low[0] == "no" || low[0] == "not" || grammar.Imperative(low) > 0 && !(n == 2 && grammar.Nounish[low[0]]) || slices.ContainsFunc(low, func(w string) bool { return words.Auxiliary(w) || grammar.Conditional(w) || w == "," }) {
		return false
	}
	for n > 2 && (words.Filler(low[n-1]) || low[n-1] == "again" || low[n-1] == "!") {
		n--
	}
	last, prev := low[n-1], low[n-2]
	switch {
	case prev == "not" || prev == "n't" || prev == "never":
		_, end := words.Base(last, func(string) bool { return true })
		return n > 2 && (last == "working" || last == "loading" || last == "switching" || last == "showing" || strings.HasSuffix(last, "ing") || end == "ed" || last == "there")
	case last == "off":
		return measures[strings.TrimSuffix(prev, "s")]
	case last == "missing" || last == "gone" || last == "down" || last == "stuck" || last == "dead":
		return true
	}
	_, adverb := words.Number(last)
	return !adverb && words.Wrong(last) && last != "duplicate" && last != "bug" && last != "bugs" && !words.Determiner(prev) && !words.Preposition(prev)
}

// measures are what can be off, which no switch turns off.
var measures = map[string]bool{"margin": true, "spacing": true, "alignment": true, "padding": true, "color": true, "colour": true, "layout": true, "timing": true, "number": true, "total": true, "sum": true, "date": true, "price": true, "size": true, "font": true, "count": true,
	"position": true, "proportion": true, "tax": true, "rounding": true, "balance": true, "contrast": true, "hover": true, "icon": true}

// existing reports what there is, what somebody gets or what anybody can do: "there's a
// gap between …", "I get an empty page", "anyone can read …". Said by itself it reports
// something that should not be.
func existing(low []string) bool {
	if len(low) < 4 {
		return false
	}
	switch low[0] {
	case "there's":
		return low[1] != "no" && low[1] != "nothing"
	case "there":
		return (low[1] == "is" || low[1] == "are") && low[2] != "no" && low[2] != "nothing"
	case "i", "we", "you", "users", "customers":
		return (low[1] == "get" || low[1] == "see" || low[1] == "receive") && (words.Determiner(low[2]) || words.Soft(low[2]) || words.Wrong(low[2]))
	case "anyone", "anybody", "everyone", "everybody":
		return low[1] == "can"
	case "any":
		return low[2] == "can"
	}
	return false
}

// Status reports a number by which a server says that it failed.
func Status(low []string) bool {
	switch low[0] {
	case "400", "401", "403", "404", "405", "408", "409", "413", "415", "422", "429", "500", "501", "502", "503", "504":
		return true
	}
	return false
}

// Outcome reports what comes of a few steps where nothing good does: "nothing", "white
// screen", "413", "error".
func Outcome(low []string) bool {
	if len(low) == 0 || len(low) > 4 {
		return false
	}
	if Status(low) || low[0] == "nothing" || low[0] == "crash" || low[0] == "boom" {
		return true
	}
	switch low[len(low)-1] {
	case "crash", "error", "timeout", "exception", "freeze", "panic", "404", "500":
		return true
	case "screen", "page":
		return len(low) > 1 && (low[len(low)-2] == "white" || low[len(low)-2] == "black" || low[len(low)-2] == "blank" || low[len(low)-2] == "empty")
	}
	return false
}

// NoWay reports that something cannot be done because there is nothing to do it with.
func NoWay(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" no way to ", " can't find a way ", " don't see a way ", " no option to ", " no button to ", " no possibility to ", " no easy way ", " there isn't a way "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// status reports a fragment that begins with an error's number or with what is missing:
// "500 on /api/users", "missing semicolon in line 12".
func status(low []string) bool {
	if len(low) < 2 {
		return false
	}
	if Status(low[:1]) {
		return words.Preposition(low[1]) || grammar.Conditional(low[1]) || low[1] == "error" || low[1] == "errors"
	}
	switch low[0] {
	case "missing":
		return !words.Determiner(low[1])
	}
	return false
}

// instead reports how something is now and what is meant in its place: "it starts at 59
// instead of 60". A wish says it the other way round.
func instead(low []string) bool {
	i := slices.Index(low, "instead")
	at, ok := grammar.Predicate(low)
	for k := 1; !ok && k < i; k++ { // "the cron runs at 2 instead of 3"
		b, end := words.Base(low[k], grammar.AnyVerb)
		at, ok = k, b != "" && end == "s" && !words.Determiner(low[k-1])
	}
	if i < 2 || i+1 >= len(low) || low[i+1] != "of" || !ok || at == 0 || at > i || words.Modal(low[at]) || grammar.Imperative(low) > 0 {
		return false
	}
	m, n := grammar.Modal(low)
	return m+n == 0 && low[at] != "needs" && low[at] != "need" && low[at] != "want" && low[at] != "wants"
}

// wishAt is where a clause turns from what is to what should be.
func wishAt(low []string) int {
	for i, w := range low {
		if grammar.Reporting[w] && i > 0 {
			return -1 // what somebody or a program says must be
		}
		if (w == "should" || w == "must" || w == "shall" || w == "shouldn't" || w == "mustn't") && i > 0 {
			return 0
		}
		if (w == "could" || w == "would" || w == "might") && i > 0 && i+2 < len(low) && low[i+1] == "be" && grammar.Compared(low[i+1:]) > 0 {
			return 0
		}
		if (w == "has" || w == "have" || w == "needs" || w == "need") && i+1 < len(low) && low[i+1] == "to" {
			return 0
		}
	}
	return -1
}

// plainly are phrases that only a complaint has.
var plainly = []string{
	" greyed out ", " grayed out ", " not receiving ", " not getting ", " not able to ", " am not seeing ", " keeps saying ", " keeps crashing ", " keeps asking ", " not working ", " no longer ", " any more ", " anymore ", " off by one ", " off by a ", " is off by ", " are off by ", " runs off ", " off the screen ", " off screen ", " throws ", " threw ", " out of order ", " out of sync ", " out of memory ", " random order ",
	" cut off ", " goes on playing ", " again and again ", " for ever ", " forever ", " for no reason ", " out of nowhere ", " all of a sudden ", " every single time ", " non stop ", " all the time ", " times out ", " time out ", " timing out ", " timed out ", " runs out ", " falls over ",
	" does nothing ", " do nothing ", " did nothing ", " nothing happens ", " has no effect ", " have no effect ", " blows up ", " goes to nan ", " goes blank ", " goes black ", " goes wrong ", " gets lost ", " get lost ", " is lost ", " are lost ", " getting lost ", " gets stuck ", " come twice ", " comes twice ", " arrive twice ", " arrives twice ", " sent twice ", " shown twice ", " paid twice ", " charged twice ", " counted twice ", " appears twice ", " appear twice ", " shows up twice ", " runs twice ", " called twice ", " fires twice ", " wrong now ",
	" shows up on every ", " by guessing ", " without permission ", " without being logged in ", " without logging in ", " without auth ", " without any check ", " lint errors ", " type errors ", " eslint errors ", " compile errors ", " compiler errors ", " broken link ", " dead link ", " never taken ", " doing it wrong ", " gone for ", " inside walls ", " too late ", " in random ", " thrown out ", " kicked out ", " logged out ", " walk through ", " has an old ", " have an old ", " has the old ", " has the wrong ", " has a wrong ", " stack overflow ", " memory leak ", " null pointer ", " nullpointer ", " out of bounds ", " redirect loop ", " infinite loop ", " endless loop ", " security hole ", " race between ", " red on main ", " merge conflict ", " never ends ", " never stops ", " comes back empty ", " come back empty ", " does the same thing ", " takes ages ", " take ages ", " takes forever ", " spins forever ", " for ages ", " race condition ", " still says ", " still shows ", " still get ", " still gets ", " still points ", " makes no sense ", " is missing ", " are missing ", " is gone ", " are gone ", " went missing ", " gives an error ", " throws an error ", " an error ", " error message ", " fails ", " failing ", " behind the ", " on top of prices ", " overlapping ", " is empty ", " are empty ", " even though ", " gets deleted ", " get deleted ", " red since ",
}

// Named reports a bad word that is part of a thing's name: "the bug tracker", "crash
// reports", "dead letter queue", "duplicate items".
func Named(low []string, i int) bool {
	w := low[i]
	if i > 0 && (low[i-1] == "no" || low[i-1] == "without" || low[i-1] == "any") {
		return true
	}
	if i+1 < len(low) && w != "blank" && w != "infinite" {
		switch low[i+1] {
		case "report", "reports", "reporter", "reporting", "tracker", "letter", "code", "codes", "handler", "handling", "detection", "page", "boundary", "log", "logs", "template", "check", "checks", "screen", "test", "tests", "items", "down", "sharing", "state", "class", "classes":
			return true
		}
		if (w == "duplicate" || w == "duplicates" || w == "stale" || w == "old" || w == "slow" || w == "infinite") && !words.Auxiliary(low[i+1]) && grammar.Imperative(low) > 0 {
			return true
		}
	}
	return grammar.Imperative(low) > 0
}

// failingHere reports a verb of failing that is the predicate, not the wish or a noun.
func failingHere(low []string, i int, end string) bool {
	if i == 0 {
		return end == "s" || end == "ed" && len(low) > 1 || len(low) == 1
	}
	prev := low[i-1]
	if prev == "be" {
		return false // "can be dropped"
	}
	switch end {
	case "ing":
		return words.Auxiliary(prev) || prev == "keeps" || prev == "keep" || prev == "starts" || prev == "not"
	case "":
		return !words.Determiner(prev) && !words.Preposition(prev) && prev != "to" && prev != "," && prev != "and" && grammar.Imperative(low) == 0
	}
	return !words.Determiner(prev) && grammar.Imperative(low) == 0 && !(end == "s" && words.Preposition(prev))
}

// denied reads a negation of what should work: "does not close", "can't save", "is
// not showing nothing", "never taken off", "not the row I selected but …".
func denied(low []string, i int) int {
	w := low[i]
	if i+1 >= len(low) {
		if w == "nothing" && i > 1 && strings.HasSuffix(low[i-1], "s") && !words.Determiner(low[i-1]) {
			return Plain
		}
		return Fine
	}
	next := low[i+1]
	switch w {
	case "don't", "never", "do":
		if i == 0 || w == "do" && next != "not" {
			return Fine
		}
	case "doesn't", "can't", "won't", "isn't", "aren't", "couldn't", "hasn't", "haven't", "didn't", "wasn't":
	case "not":
		if i == 0 || !words.Auxiliary(low[i-1]) {
			return Fine
		}
		if _, ok := words.Number(next); ok {
			return Fine
		}
	case "nobody", "nothing":
		if i > 0 && strings.HasSuffix(low[i-1], "s") {
			return Plain // "prints nothing"
		}
		if i == 0 && grammar.Finite(low) && w == "nothing" {
			return Plain
		}
		return Fine
	default:
		return Fine
	}
	if grammar.Imperative(low) > 0 || i > 0 && (low[0] == "we" || low[0] == "i") && Past[w] {
		return Fine
	}
	if low[len(low)-1] == "yet" {
		return Fine
	}
	for j := max(0, i-3); j <= min(i+2, len(low)-1); j++ {
		switch low[j] {
		case "so", "very", "really", "that", "ideal", "great", "nice", "pretty", "optimal", "know", "understand", "want", "need", "care", "think", "mind", "sure", "like", "use", "remember", "i'm", "expect", "knows", "wants", "yet", "believe":
			return Fine
		}
	}
	return Plain
}

var Past = map[string]bool{"didn't": true, "wasn't": true, "haven't": true, "couldn't": true, "hadn't": true, "not": true}

// tooMuch are what something can be too much of.
var tooMuch = map[string]bool{"small": true, "big": true, "large": true, "slow": true, "fast": true, "long": true, "short": true, "dark": true, "bright": true, "loud": true, "quiet": true, "narrow": true, "wide": true, "thin": true, "thick": true,
	"high": true, "low": true, "close": true, "late": true, "early": true, "many": true, "much": true, "few": true, "strict": true, "hard": true, "heavy": true, "noisy": true, "verbose": true, "often": true, "tiny": true, "tight": true}

// faintly finds what may be a complaint if nothing is asked.
func faintly(low []string, line string) (int, string) {
	if grammar.Imperative(low) > 0 {
		return Fine, ""
	}
	_, verb := grammar.Predicate(low)
	for i, w := range low {
		attribute := (w == "old" || w == "red" || w == "late" || w == "early" || w == "odd" || w == "unchecked" || w == "visible" || w == "exposed" || w == "empty" || w == "missing") && i > 0 && (words.Determiner(low[i-1]) || words.Preposition(low[i-1])) && i+1 < len(low) && !words.Auxiliary(low[i+1])
		if words.Soft(w) && !attribute && verb && i > 0 && (i+1 == len(low) || !Named(low, i)) {
			return Faint, w
		}
	}
	if i := slices.Index(low, "too"); i > 0 && i+1 < len(low) && !verb && (words.Comparative(low[i+1]+"er") || tooMuch[low[i+1]]) {
		return Plain, "too"
	}
	for _, p := range []string{" keeps ", " although ", " since the ", " since we ", " goes on ", " is too ", " are too ", " far too ", " way too ", " much too ", " gets too ", " too slow ", " too big ", " too small ", " hard to ", " not so ", " complained ", " complain ", " should have ", " but it ", " used to ", " fell over ", " went down ", " is down ", " takes too ", " it takes ", " still ", " ends after ", " end after ", " twice ", " only shows ", " only works ", " ignores "} {
		if strings.Contains(line, p) && verb {
			return Faint, strings.TrimSpace(p)
		}
	}
	if i := slices.Index(low, "not"); i > 0 && slices.Index(low, "but") > i && verb {
		return Plain, "not … but"
	}
	return Fine, ""
}
