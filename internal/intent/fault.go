package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Strengths of a complaint. A plain one is a fault whatever else is asked for; a faint one can be
// just the reason for a request.
const (
	Fine = iota
	Faint
	Plain
)

// ComplaintStrength returns how strongly a clause complains about the present state, and by which
// words.
func ComplaintStrength(low []string) (strength int, by string) {
	n, s := ReadPrefix(low)
	rest := low[n:]
	switch {
	case len(low) > 4 && low[0] == "since" && slices.Contains(low[2:], "no") && !HasFiniteVerb(low):
		return Plain, "since … no" // "since the update no push on Android"
	case !s.HasOpener && len(rest) > 1 && IsVerblessComplaint(rest):
		return Plain, rest[len(rest)-1]
	case s.HasOpener || len(rest) == 0 || isNeed(rest):
		return Fine, ""
	case rest[0] == "why":
		return Faint, "why"
	case len(rest) > 2 && isOneOf(rest[0], "this", "that", "it") && rest[1] == "was" && !slices.Contains(rest, "since") &&
		!slices.Contains(rest, "working"):
		return Fine, ""
	case len(rest) > 4 && rest[0] == "it" && rest[1] == "says":
		return Faint, "says"
	}
	if at := wishStart(rest); at >= 0 {
		rest = rest[:at]
	}
	return findComplaint(rest)
}

// findComplaint looks for a fault in the words of a statement, before any wish.
func findComplaint(rest []string) (strength int, by string) {
	line := " " + strings.Join(rest, " ") + " "
	if strings.Contains(line, " not so ") {
		return Faint, "not so" // "my eyes are not so young any more"
	}
	for _, p := range plainComplaints {
		if strings.Contains(line, p) && !(p == " an error " && IntroducesNew(rest[0])) {
			return Plain, strings.TrimSpace(p)
		}
	}
	if s, by := findFault(rest); s > Fine {
		return s, by
	}
	return findFaintComplaint(rest, line)
}

// isNeed reports a statement of what somebody needs, uses or wants, or no longer does. It is no
// complaint, whatever words it contains.
func isNeed(rest []string) bool {
	return isOneOf(rest[0], "we", "i", "nobody") && slices.ContainsFunc(rest, func(w string) bool {
		return isOneOf(w, "need", "needs", "use", "uses", "want", "wants", "like", "reads")
	})
}

// findFault finds the word that reports a fault: a word for something bad, a verb of failing, a
// negation of what should work, a state that should not last.
func findFault(rest []string) (int, string) {
	for i, w := range rest {
		if isOneOf(w, "instead", "rather") {
			break
		}
		if IsWrongWord(w) && !IsPartOfName(rest, i) {
			return Plain, w
		}
		if end, ok := FailingForm(w); ok && isFailingPredicate(rest, i, end) {
			return Plain, w
		}
		if s := readDenial(rest, i); s > Fine {
			return s, w
		}
	}
	for i := 1; i+1 < len(rest); i++ {
		if isOneOf(rest[i], "stayed", "remained", "stays", "stay", "remains") && IsPersistentState.Has(rest[i+1]) &&
			!IsModal(rest[i-1]) && rest[i-1] != "to" && ImperativeLength(rest) == 0 {
			return Faint, rest[i]
		}
	}
	return Fine, ""
}

var (
	faultWords = lazyregexp.Of(`bad wrong weird strange blank broken duplicate duplicated double slow inconsistent unreadable
		garbled infinite stale leftover poor misplaced incorrect invalid ugly odd random endless uninitialised uninitialized
		flickering off-by-one`)
	loadNouns    = lazyregexp.Of("cpu memory load latency contrast ram disk usage fps")
	troubleNouns = lazyregexp.Of(`problem problems issue issues error errors failure failures loop glitch glitches artifact
		artifacts artefacts mismatch conflict conflicts leftover leftovers trouble timeouts exception exceptions`)
)

// plainComplaints are phrases that occur only in complaints.
var plainComplaints = []string{
	" greyed out ", " grayed out ", " not receiving ", " not getting ", " not able to ", " am not seeing ",
	" keeps saying ", " keeps crashing ", " keeps asking ", " not working ", " stopped working ", " stops working ",
	" quit working ", " even when ", " even if ", " even after ", " no longer ", " any more ", " anymore ",
	" off by one ", " off by a ", " is off by ", " are off by ", " runs off ", " off the screen ", " off screen ",
	" throws ", " threw ", " out of order ", " out of sync ", " out of memory ", " random order ",
	" cut off ", " goes on playing ", " again and again ", " for ever ", " forever ", " for no reason ",
	" out of nowhere ", " all of a sudden ", " every single time ", " non stop ", " all the time ", " times out ",
	" time out ", " timing out ", " timed out ", " runs out ", " falls over ",
	" does nothing ", " do nothing ", " did nothing ", " nothing happens ", " has no effect ", " have no effect ",
	" blows up ", " goes to nan ", " goes blank ", " goes black ", " goes wrong ", " gets lost ", " get lost ",
	" is lost ", " are lost ", " getting lost ", " gets stuck ", " come twice ", " comes twice ", " arrive twice ",
	" arrives twice ", " sent twice ", " shown twice ", " paid twice ", " charged twice ", " counted twice ",
	" appears twice ", " appear twice ", " shows up twice ", " runs twice ", " called twice ", " fires twice ", " wrong now ",
	" shows up on every ", " by guessing ", " without permission ", " without being logged in ", " without logging in ",
	" without auth ", " without any check ", " lint errors ", " type errors ", " eslint errors ", " compile errors ",
	" compiler errors ", " broken link ", " dead link ", " never taken ", " doing it wrong ", " gone for ",
	" inside walls ", " too late ", " in random ", " thrown out ", " kicked out ", " logged out ", " walk through ",
	" has an old ", " have an old ", " has the old ", " has the wrong ", " has a wrong ", " stack overflow ",
	" memory leak ", " null pointer ", " nullpointer ", " out of bounds ", " redirect loop ", " infinite loop ",
	" endless loop ", " security hole ", " race between ", " red on main ", " merge conflict ", " never ends ",
	" never stops ", " comes back empty ", " come back empty ", " does the same thing ", " takes ages ", " take ages ",
	" takes forever ", " spins forever ", " for ages ", " race condition ", " still says ", " still shows ",
	" still get ", " still gets ", " still points ", " makes no sense ", " is missing ", " are missing ", " is gone ",
	" are gone ", " went missing ", " gives an error ", " throws an error ", " an error ", " error message ", " fails ",
	" failing ", " behind the ", " on top of prices ", " overlapping ", " is empty ", " are empty ", " even though ",
	" gets deleted ", " get deleted ", " red since ", " upside down ", " has a mistake ", " a mistake in ",
	" comes back after every ", " comes back every ", " comes back each ", " keeps coming back ",
}

// excessNouns are words that make a complaint behind "too".
var excessNouns = lazyregexp.Of(`
	small big large slow fast long short dark bright loud quiet narrow wide thin thick high low close late early many much few strict
	hard heavy noisy verbose often tiny tight`)

// isAttribute reports whether a word behind an article describes the thing that follows.
func isAttribute(low []string, i int) bool {
	if i == 0 || i+1 >= len(low) || IsAuxiliary(low[i+1]) || !IsDeterminer(low[i-1]) && !IsPreposition(low[i-1]) {
		return false
	}
	return isOneOf(low[i], "old", "red", "late", "early", "odd", "unchecked", "visible", "exposed", "empty", "missing")
}

// findFaintComplaint finds what may be a complaint if the message asks for nothing else.
func findFaintComplaint(low []string, line string) (int, string) {
	if ImperativeLength(low) > 0 {
		return Fine, ""
	}
	_, verb := PredicateAt(low)
	for i, w := range low {
		if i == 0 || !verb || !IsSoftFault(w) || isAttribute(low, i) {
			continue
		}
		if i+1 == len(low) || !IsPartOfName(low, i) {
			return Faint, w
		}
	}
	if i := slices.Index(low, "too"); i > 0 && i+1 < len(low) && !verb && (IsComparative(low[i+1]+"er") || excessNouns.Has(low[i+1])) {
		return Plain, "too"
	}
	for _, p := range []string{" keeps ", " although ", " since the ", " since we ", " goes on ", " is too ",
		" are too ", " far too ", " way too ", " much too ", " gets too ", " too slow ", " too big ", " too small ",
		" hard to ", " complained ", " complain ", " should have ", " but it ", " used to ", " fell over ",
		" went down ", " is down ", " takes too ", " it takes ", " still ", " ends after ", " end after ", " twice ",
		" only shows ", " only works ", " ignores "} {
		if strings.Contains(line, p) && verb {
			return Faint, strings.TrimSpace(p)
		}
	}
	if i := slices.Index(low, "not"); i > 0 && slices.Index(low, "but") > i && verb {
		return Plain, "not … but"
	}
	return Fine, ""
}
