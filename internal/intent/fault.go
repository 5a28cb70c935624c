package intent

import (
	"slices"
	"strings"
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
	strength, by = wrongness(low)
	if n, _ := Strip(low); strength == Plain && narrated(low[min(n, len(low)):]) {
		strength = Faint
	}
	return strength, by
}

// narrated reports what somebody did or lived through, where no program kept them from anything:
// "he has shouted at me twice", "we just never asked".
func narrated(rest []string) bool {
	if len(rest) < 3 || !oneOf(rest[0], "i", "we", "he", "she", "i'm", "we're") {
		return false
	}
	for _, w := range rest {
		switch w {
		case "can't", "couldn't", "can", "could", "unable", "get", "got", "gets", "getting", "see", "seeing", "saw",
			"receive", "received", "receiving", "lose", "lost", "losing", "charged", "out", "end", "ended", "find",
			"found", "have", "notice", "noticed", "am", "are", "type", "click", "press", "open", "enter":
			if w != "have" || rest[1] == "have" && len(rest) > 2 && (Several(rest[2]) || rest[2] == "no") {
				return false
			}
		}
	}
	return true
}

func wrongness(low []string) (strength int, by string) {
	n, s := Strip(low)
	rest := low[n:]
	switch {
	case status(low):
		return Plain, low[0]
	case len(low) > 4 && low[0] == "since" && slices.Contains(low[2:], "no") && !Finite(low):
		return Plain, "since … no" // "since the update no push on Android"
	case !s.Opener && len(rest) > 1 && Said(rest):
		return Plain, rest[len(rest)-1]
	case unable(rest):
		return Plain, rest[0]
	case s.Opener || len(rest) == 0 || asks(rest):
		return Fine, ""
	case rest[0] == "why":
		return Faint, "why"
	case len(rest) > 2 && oneOf(rest[0], "this", "that", "it") && rest[1] == "was" && !slices.Contains(rest, "since") &&
		!slices.Contains(rest, "working"):
		return Fine, ""
	case trespass(rest):
		return Plain, "can"
	case len(rest) > 4 && rest[0] == "it" && rest[1] == "says":
		return Faint, "says"
	case slices.Contains(rest, "empty") &&
		slices.ContainsFunc(rest[:min(4, len(rest))], func(w string) bool { return oneOf(w, "repo", "repository", "folder", "directory") }):
		return Fine, ""
	case felt(rest), len(rest) > 3 && rest[len(rest)-1] == "fault":
		return Fine, ""
	case ruled(rest) || NoWay(rest):
		return Fine, ""
	case status(rest):
		return Plain, rest[0]
	}
	if by := reported(rest); by != "" {
		return Plain, by
	}
	if at := wishAt(rest); at >= 0 {
		rest = rest[:at]
	}
	return complained(rest)
}

// complained finds what is wrong in the words of a statement, in front of what is wished for.
func complained(rest []string) (strength int, by string) {
	if strings.Contains(" "+strings.Join(rest, " ")+" ", " not so ") {
		return Faint, "not so" // "my eyes are not so young any more"
	}
	if by := mistaken(rest); by != "" {
		return Faint, by
	}
	line := " " + strings.Join(rest, " ") + " "
	for _, p := range plainly {
		if strings.Contains(line, p) && !(p == " an error " && (Articled(rest[0]) || errorThing(rest))) {
			return Plain, strings.TrimSpace(p)
		}
	}
	if s, by := told(rest); s > Fine {
		return s, by
	}
	switch {
	case longerThan(rest):
		return Plain, "than it did"
	case hoursOff(rest):
		return Plain, "off"
	case instead(rest):
		return Plain, "instead of"
	case existing(rest):
		return Faint, rest[0]
	}
	return faintly(rest, line)
}

// errorThing reports an error that is part of a thing's name: "an error state".
func errorThing(rest []string) bool {
	i := slices.Index(rest, "error")
	return i > 0 && i+1 < len(rest) && Named(rest, i)
}

// unable reports that nobody can do or gets something.
func unable(rest []string) bool {
	if len(rest) < 3 || !oneOf(rest[0], "nobody", "hardly", "noone") && !(rest[0] == "no" && rest[1] == "one") {
		return false
	}
	return slices.ContainsFunc(rest[1:min(len(rest), 6)],
		func(w string) bool { return w == "can" || w == "gets" || w == "sees" || w == "receives" })
}

// asks reports a clause that says what somebody wants or uses, what may go, what the
// repository is: whatever bad word is in it, it complains of nothing.
func asks(rest []string) bool {
	n := len(rest)
	if n < 5 && oneOf(rest[0], "repo", "repository") || n < 6 && n > 1 && rest[1] == "repo" {
		return true
	}
	if oneOf(rest[0], "we", "i", "nobody") && slices.ContainsFunc(rest, func(w string) bool {
		return oneOf(w, "need", "needs", "use", "uses", "want", "wants", "like", "reads") ||
			rest[0] == "nobody" && oneOf(w, "has", "likes", "remembers", "visits", "opens", "buys")
	}) {
		return true
	}
	if n > 3 && rest[0] == "we" && rest[1] == "don't" && !oneOf(rest[2], "get", "see", "receive") {
		return true // "we don't track anybody any more"
	}
	if i := slices.Index(rest, "would"); oneOf(rest[0], "a", "an") && i > 1 && i < 8 {
		return true // "a button would take the rest off my desk"
	}
	if i := Wanting(rest); i > 0 && i < 4 && rest[i] != "asked" && !Negative(rest[i-1]) {
		return true // "legal wants the box unchecked"
	}
	if i := slices.Index(rest, "can"); i > 0 && i+1 < n && rest[i+1] == "go" && n-i < 4 {
		return true // "the label can go away"
	}
	return strings.HasPrefix(rest[0], "-") && n > 1 && !Finite(rest) // "--color always|never"
}

// ruled reports a clause that says how it is to be: who may only do what, who sees it, what
// there is to be no more of.
func ruled(rest []string) bool {
	n := len(rest)
	if _, value := Value(rest[0]); value && n > 3 && rest[n-1] == "enough" && Auxiliary(rest[1]) {
		return true // "8 would be early enough"
	}
	if n > 3 && rest[n-1] == "only" && !slices.ContainsFunc(rest, WrongSenses) && !slices.ContainsFunc(rest, Negative) {
		return true // "deleted comments stay visible to admins only"
	}
	if i := slices.Index(rest, "may"); i > 0 && i < 4 && i+1 < n && oneOf(rest[i+1], "no", "not", "only") {
		return true
	}
	return rest[0] == "no" && (rest[n-1] == "more" || rest[n-1] == "anymore")
}

// reported reads "there is a problem with …", "is it normal that …".
func reported(rest []string) string {
	if len(rest) < 5 {
		return ""
	}
	switch rest[0] {
	case "there", "there's":
		for i, w := range rest[1:min(len(rest), 6)] {
			if oneOf(w, "issue", "problem", "bug", "error", "mistake", "glitch") && rest[i] != "no" {
				return w
			}
		}
	case "is":
		if rest[1] != "it" && rest[1] != "this" {
			return ""
		}
		switch rest[2] {
		case "normal", "intended", "expected", "supposed", "intentional", "correct", "wanted":
			return strings.Join(rest[:3], " ")
		}
	}
	return ""
}

// person reports a word for somebody who does something.
func person(w string) bool { return slices.Contains(Actors, w) && w != "it" }

// told finds the word that says that something is wrong: a bad word, a verb of failing, a
// negation of what should work, a state that should not last.
func told(rest []string) (int, string) {
	for i, w := range rest {
		if oneOf(w, "instead", "rather") {
			break
		}
		if w == "wrong" && i > 2 && oneOf(rest[0], "a", "an") && oneOf(rest[i-1], "got", "get") {
			continue // "a sheet of the ones they got wrong"
		}
		if w == "with" && i > 1 && i+1 < len(rest) && Status(rest[i+1:]) && rest[i+1] != "404" {
			return Plain, rest[i+1] // "started to answer with 502"
		}
		if w == "itself" && i > 1 && selfish(rest[:i]) {
			return Plain, w
		}
		if WrongSenses(w) && !Named(rest, i) {
			return Plain, w
		}
		if end, ok := Fails(w); ok && failingHere(rest, i, end) {
			if i > 0 && i < 4 && humanly(w) && (person(rest[i-1]) || oneOf(rest[0], "i", "we")) {
				return Faint, w // "people forget to log their hours": no program does
			}
			return Plain, w
		}
		if s := denied(rest, i); s > Fine {
			return s, w
		}
	}
	for i := 1; i+1 < len(rest); i++ {
		if oneOf(rest[i], "stayed", "remained", "stays", "stay", "remains") && Persists[rest[i+1]] &&
			!Modal(rest[i-1]) && rest[i-1] != "to" && Imperative(rest) == 0 {
			return Faint, rest[i]
		}
	}
	return Fine, ""
}

// longerThan reports a step back: "listing takes 30x longer than it did in 4.1".
func longerThan(rest []string) bool {
	i := slices.Index(rest, "than")
	if i < 2 || i+1 >= len(rest) || Imperative(rest) > 0 || !oneOf(rest[i-1], "longer", "slower", "bigger", "more") {
		return false
	}
	return rest[i+1] == "before" || rest[i+1] == "in" ||
		i+2 < len(rest) && oneOf(rest[i+1], "it", "they") && oneOf(rest[i+2], "did", "was", "used", "were")
}

// hoursOff reports "the timestamps are an hour off".
func hoursOff(rest []string) bool {
	i := slices.Index(rest, "off")
	return i > 3 && Unit(rest[i-1]) && Finite(rest) && Auxiliary(rest[i-3]) && !Modal(rest[i-3])
}

// felt reports how somebody feels about it: "customers are complaining", "my wife is not amused".
func felt(rest []string) bool {
	n := len(rest)
	if n < 3 || n > 9 {
		return false
	}
	for i, w := range rest {
		switch w {
		case "amused", "happy", "unhappy", "angry", "mad", "sad", "furious", "annoyed", "upset", "thrilled",
			"complaining", "mortified", "pleased", "worried", "frustrated", "disappointed", "desperate":
			return i > 1 && !Determiner(rest[i-1]) && !slices.ContainsFunc(rest[:i], Modal)
		}
	}
	return false
}

// trespass reports that somebody gets at what is not theirs: "I can open the prescriptions of
// other people".
func trespass(rest []string) bool {
	i := slices.Index(rest, "can")
	if i < 1 || i > 5 || i+3 >= len(rest) {
		return false
	}
	switch rest[i+1] {
	case "see", "open", "read", "download", "edit", "delete", "change", "view", "access", "print":
	default:
		return false
	}
	line := " " + strings.Join(rest[i+2:], " ") + " "
	for _, p := range []string{" other people", " of others ", " other users", " other customers", " each other's ",
		" someone else", " somebody else", " everybody else", " another user", " another company", " other patients",
		" other members", " strangers"} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// mistaken reports people who take one thing for another: "the teachers are forever marking
// the wrong class". The product lets them, and does not fail.
func mistaken(rest []string) string {
	i := slices.IndexFunc(rest[:min(3, len(rest))], func(w string) bool { return slices.Contains(Actors, w) && w != "it" })
	if i < 0 {
		return ""
	}
	for _, w := range rest[i+1 : min(len(rest), i+5)] {
		b, end := Base(w, func(b string) bool {
			switch b {
			case "mark", "book", "pick", "choose", "click", "press", "enter", "select", "order", "confuse", "type", "mix":
				return true
			}
			return false
		})
		if b != "" && end != "ed" {
			return w
		}
		if !Auxiliary(w) && !Adverb(w) && !oneOf(w, "always", "forever", "keep", "often", "still", "sometimes") || Modal(w) || Negative(w) {
			return ""
		}
	}
	return ""
}

// selfish reports a verb of what no program should do of its own: "is closing itself".
func selfish(before []string) bool {
	b, _ := Base(before[len(before)-1], func(b string) bool {
		switch b {
		case "close", "shut", "restart", "reboot", "quit", "switch", "stop", "delete", "reset", "turn", "minimise",
			"minimize", "unsubscribe":
			return true
		}
		return false
	})
	return b != "" && Finite(before)
}

// humanly reports what goes wrong with people and with no program.
func humanly(w string) bool {
	switch w {
	case "forget", "forgot", "forgetting", "miss", "missed", "ignore", "complain", "complained", "confuse", "overlook",
		"jump", "bounce", "die":
		return true
	}
	return false
}

var (
	faulty = map[string]bool{"bad": true, "wrong": true, "weird": true, "strange": true, "blank": true, "broken": true,
		"duplicate": true, "duplicated": true, "double": true, "slow": true, "inconsistent": true, "unreadable": true, "garbled": true,
		"infinite": true, "stale": true, "leftover": true, "poor": true, "misplaced": true, "incorrect": true,
		"invalid": true, "ugly": true, "odd": true, "random": true, "endless": true, "uninitialised": true,
		"uninitialized": true, "flickering": true, "off-by-one": true}
	loads = map[string]bool{"cpu": true, "memory": true, "load": true, "latency": true, "contrast": true,
		"ram": true, "disk": true, "usage": true, "fps": true}
	troubles = map[string]bool{"problem": true, "problems": true, "issue": true, "issues": true, "error": true,
		"errors": true, "failure": true, "failures": true, "loop": true, "glitch": true, "glitches": true,
		"artifact": true, "artifacts": true,
		"artefacts": true, "mismatch": true, "conflict": true, "conflicts": true, "leftover": true, "leftovers": true,
		"trouble": true, "timeouts": true, "exception": true, "exceptions": true, "condition": false}
)

// plainly are phrases that only a complaint has.
var plainly = []string{
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

// tooMuch are what something can be too much of.
var tooMuch = map[string]bool{"small": true, "big": true, "large": true, "slow": true, "fast": true, "long": true,
	"short": true, "dark": true, "bright": true, "loud": true, "quiet": true, "narrow": true, "wide": true, "thin": true, "thick": true,
	"high": true, "low": true, "close": true, "late": true, "early": true, "many": true, "much": true, "few": true,
	"strict": true, "hard": true, "heavy": true, "noisy": true, "verbose": true, "often": true, "tiny": true, "tight": true}

// attribute reports a word behind an article that says of what sort the thing behind it is.
func attribute(low []string, i int) bool {
	if i == 0 || i+1 >= len(low) || Auxiliary(low[i+1]) || !Determiner(low[i-1]) && !Preposition(low[i-1]) {
		return false
	}
	return oneOf(low[i], "old", "red", "late", "early", "odd", "unchecked", "visible", "exposed", "empty", "missing")
}

// faintly finds what may be a complaint if nothing is asked.
func faintly(low []string, line string) (int, string) {
	if Imperative(low) > 0 {
		return Fine, ""
	}
	_, verb := Predicate(low)
	for i, w := range low {
		if w == "off" && i > 0 && AnyVerb(low[i-1]) && i > 1 && Modal(low[i-2]) {
			continue // "you can tick off"
		}
		if i == 0 || !verb || !Soft(w) || attribute(low, i) {
			continue
		}
		if i+1 == len(low) || !Named(low, i) {
			return Faint, w
		}
	}
	if i := slices.Index(low, "too"); i > 0 && i+1 < len(low) && !verb && (Comparative(low[i+1]+"er") || tooMuch[low[i+1]]) {
		return Plain, "too"
	}
	for _, p := range []string{" keeps ", " although ", " since the ", " since we ", " goes on ", " is too ",
		" are too ", " far too ", " way too ", " much too ", " gets too ", " too slow ", " too big ", " too small ",
		" hard to ", " not so ", " complained ", " complain ", " should have ", " but it ", " used to ", " fell over ",
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
