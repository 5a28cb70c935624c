package grammar

import (
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// ShouldFirst reports a clause whose subject was named before: "should be Monday".
func ShouldFirst(low []string) bool {
	return len(low) > 1 && (low[0] == "should" || low[0] == "must" || low[0] == "ought") && low[1] != "have"
}

// Over reports that everything is to begin anew.
func Over(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	if n := len(low); n > 1 && (low[0] == "start" || low[0] == "begin") && low[1] == "again" && (len(low) < 4 || words.Determiner(low[2]) && low[2] != "its" || words.Preposition(low[2])) {
		return true
	}
	if n := len(low); n > 3 && low[0] == "throw" && low[1] == "away" {
		for n > 4 && (words.Filler(low[n-1]) || low[n-1] == "please") {
			n--
		}
		if n < 7 && Definite(low[2]) && wholes[low[n-1]] {
			return true // "throw away the Xcode project please"
		}
	}
	if n := len(low); n > 2 && n < 6 && (low[0] == "scrap" || low[0] == "bin" || low[0] == "forget" || low[0] == "ditch" || low[0] == "scratch") && (low[1] == "the" || low[1] == "this" || low[1] == "that" || low[1] == "our") && wholes[low[n-1]] {
		return true // "scrap the flutter app"
	}
	if n := len(low); n > 3 && n < 6 && low[0] == "throw" && Definite(low[1]) && low[n-1] == "away" && (wholes[low[n-2]] || words.Product(low[n-2])) {
		return true // "throw the scraper away"
	}
	for _, p := range []string{" start over ", " starting over ", " start again from ", " start from scratch ", " start from zero ", " let's begin again ", " let's start again ", " start afresh ", " start anew ",
		" scrap everything ", " scrap it ", " scrap this ", " scrap that ", " scrap the whole ", " scrap all ", " throw this away ", " throw it away ", " throw all of this away ", " throw everything away ", " throw it all away ", " scratch all of ", " scratch everything ", " ditch everything ", " ditch all of ", " bin all of ", " scrap the current ", " scrap the existing ", " scrap the old ", " scrap what we have ", " scrap what's there ", " throw out everything ", " throw everything out ", " back to square one ", " from square one ", " wipe the repo ", " bin this ", " bin it and ", " forget what we have ", " throw away everything ", " bin everything ", " bin it all ", " wipe everything ", " forget everything ", " from a clean slate ", " clean slate ", " delete everything and ", " rebuild everything from scratch ", " rebuild it from scratch "} {
		if strings.Contains(line, p) && !strings.Contains(line, "starts over") {
			return true
		}
	}
	return false
}

// wholes are what a repository as a whole can be.
var wholes = map[string]bool{"app": true, "thing": true, "project": true, "site": true, "website": true, "prototype": true, "game": true, "bot": true, "shop": true, "codebase": true, "repo": true, "code": true, "dashboard": true, "homepage": true, "blog": true}

// ToVerb finds "X to V": somebody or something is to do something.
func ToVerb(low []string) int {
	for i := 1; i+1 < len(low) && i < 6; i++ {
		if low[i] == "to" && Imperative(low[i+1:]) > 0 && (low[0] == "the" || low[0] == "it" || words.Subject(low[0])) {
			return i + 1
		}
	}
	return 0
}

var Enough = map[string]bool{"needed": true, "required": true, "enough": true, "nice": true, "great": true, "good": true, "cool": true, "helpful": true, "useful": true, "lovely": true, "handy": true, "perfect": true, "fine": true, "awesome": true, "heaven": true, "gold": true, "bliss": true, "ideal": true, "sufficient": true, "better": true, "welcome": true, "appreciated": true, "brilliant": true, "wonderful": true, "fantastic": true, "amazing": true, "super": true, "neat": true, "sweet": true, "convenient": true, "practical": true, "excellent": true, "terrific": true}

// Wanting finds what others want: "doctors are wanting to see", "users keep asking for".
func Wanting(low []string) int {
	if low[0] == "why" || low[0] == "how" || low[0] == "what" || low[0] == "who" || low[0] == "when" {
		return 0
	}
	for i := 1; i+1 < len(low) && i < 7; i++ {
		next := low[i+1]
		switch low[i] {
		case "wants", "want", "wanting", "wish", "wishes":
			if !words.Negative(low[i-1]) && low[i-1] != "i" && !words.Tech(low[i-1]) && !words.Product(low[i-1]) {
				return i
			}
		case "asks", "asking", "asked", "ask", "waiting", "begging":
			if (next == "us" || next == "me") && i+2 < len(low) {
				next = low[i+2]
			}
			if low[i] == "asks" && (words.Product(low[i-1]) || words.Part(low[i-1]) || low[i-1] == "page" || low[i-1] == "form" || low[i-1] == "browser" || low[i-1] == "signup" || low[i-1] == "login" || low[i-1] == "installer" || low[i-1] == "wizard" || low[i-1] == "phone" || low[i-1] == "screen" || low[i-1] == "it") {
				continue // a form asks, and wants nothing
			}
			if next == "for" || next == "to" || low[i] == "asked" && (next == "if" || next == "whether") {
				return i
			}
		case "like", "love":
			if low[i-1] == "would" && (next == "to" || words.Determiner(next)) && !words.Subject(low[max(0, i-2)]) || strings.HasSuffix(low[i-1], "'d") && next == "to" {
				return i
			}
		}
	}
	return 0
}

// Modal finds what turns a statement into a wish, and its length.
func Modal(low []string) (at, n int) {
	for i := 1; i < len(low); i++ {
		switch w := low[i]; {
		case Reporting[w]:
			return 0, 0
		case w == "must" && low[i-1] == "a":
		case w == "should" || w == "must" || w == "shall" || w == "shouldn't" || w == "mustn't":
			return i, 1
		case (w == "have" || w == "need") && (low[i-1] == "wouldn't" || low[i-1] == "won't" || low[i-1] == "don't" || low[i-1] == "didn't" || low[i-1] == "not"):
		case (w == "has" || w == "have" || w == "needs" || w == "need" || w == "ought" || w == "want" || w == "wants") && i+1 < len(low) && low[i+1] == "to" && low[0] != "i" && (low[0] != "we" || w == "need" || w == "have") && !(w == "wants" && (words.Tech(low[i-1]) || words.Product(low[i-1]))):
			return i, 2
		case (w == "is" || w == "are") && i+3 < len(low) && low[i+1] == "to" && low[i+2] == "be":
			return i, 2 // "both templates are to be deleted"
		case (w == "can" || w == "may") && (i < 4 || i < 8 && i+1 < len(low) && (low[i+1] == "be" || low[i+1] == "go" && (i+2 == len(low) || low[i+2] == "too" || low[i+2] == "away"))):
			return i, 1
		case (w == "could" || w == "would" || w == "might") && i+2 < len(low) && low[i+1] == "be" && Compared(low[i+1:]) > 0:
			return i, 1
		case (w == "who" || w == "which") && i < 5 && i+1 < len(low):
			i++ // what follows tells of the subject
		case words.Subordinator(w) || w == "if" || w == "when" || w == "whether":
			return 0, 0
		}
	}
	return 0, 0
}

// Actors are subjects that gain something when they can do something.
var Actors = []string{"user", "users", "admin", "admins", "people", "customer", "customers", "guest", "guests", "member", "members", "moderator", "moderators", "patient", "patients",
	"i", "we", "you", "they", "everyone", "anyone", "visitor", "visitors", "player", "players", "editor", "editors", "someone", "it", "desk", "staff", "doctors", "doctor", "operator", "operators", "teacher", "teachers", "student", "students", "owner", "owners", "reader", "readers", "pupils", "parents", "kids", "children", "colleagues", "drivers", "volunteers", "trainers", "coaches", "employees", "nurses", "tenants", "friends", "families", "viewers", "listeners", "subscribers", "sellers", "buyers", "partners", "manager", "managers", "developers", "authors", "author", "client", "clients", "one", "somebody", "folks"}

// Told reports a clause that tells something and names nothing: it begins with who did
// it or when, or its verb is in the past.
func Told(low []string) bool {
	if words.Subject(low[0]) && low[0] != "this" && low[0] != "that" || Conditional(low[0]) || words.Subordinator(low[0]) || words.Auxiliary(low[0]) {
		return true
	}
	if len(low) > 1 && (low[0] == "both" || low[0] == "each" || low[0] == "neither" || low[0] == "all" || low[0] == "either") {
		if _, ok := words.Fails(low[1]); ok || words.Auxiliary(low[1]) {
			return true
		}
	}
	if low[0] == "this" && len(low) < 6 || low[0] == "with" {
		return true
	}
	if n := len(low); n > 1 && (reported[low[0]] || low[n-1] == "insists" || low[n-1] == "agrees" || low[n-1] == "approves") {
		return true
	}
	switch low[0] {
	case "probably", "presumably", "apparently",
		"getting", "seeing", "having", "receiving", "hitting", "got", "saw", "found", "yesterday", "last", "recently", "earlier", "today", "for", "at", "on", "in", "according", "of", "by", "once", "ago", "later", "from", "not", "than":
		return true
	}
	if len(low) == 1 && (low[0] == "earlier" || low[0] == "later") {
		return false // "earlier please"
	}
	if len(low) > 3 && Definite(low[0]) && strings.HasSuffix(low[2], "ed") && (low[3] == "me" || low[3] == "us" || low[3] == "him" || low[3] == "you") {
		return true // "the president called me"
	}
	for i := 1; i < len(low) && i < 6; i++ {
		if pastVerbs[low[i]] || strings.HasSuffix(low[i], "ed") && len(low[i]) > 4 && i+1 < len(low) && (words.Determiner(low[i+1]) || words.Pronoun(low[i+1]) || low[i+1] == "that") {
			return true
		}
	}
	return false
}

// Fleeting reports a time or a degree without a thing: "sometimes later", "faster than me".
func Fleeting(low []string) bool {
	switch low[0] {
	case "sometimes", "often", "usually", "mostly", "maybe", "later", "earlier", "faster", "slower", "always", "never":
		return len(low) < 4
	}
	return false
}

// reported are verbs in the past that a sentence begins with when it tells what was tried.
var reported = map[string]bool{"tried": true, "checked": true, "restarted": true, "reinstalled": true, "rebooted": true, "waited": true, "verified": true, "confirmed": true, "happened": true, "reproduced": true, "noticed": true, "worked": true, "googled": true}

var pastVerbs = map[string]bool{"brought": true, "ran": true, "got": true, "went": true, "said": true, "told": true, "came": true, "saw": true, "had": true, "took": true, "found": true, "thought": true, "wrote": true, "made": true, "gave": true, "knew": true, "lost": true, "sent": true, "spent": true, "met": true, "used": true, "tried": true, "noticed": true, "asked": true, "looked": true, "talked": true, "claimed": true}

// Now reports words that say how it is at present, before what is asked for: "right now
// photos have to be uploaded one at a time", "you can only export one page".
func Now(low []string) bool {
	if len(low) > 3 && low[0] == "today" && (low[1] == "we" || low[1] == "you" || low[1] == "users" || low[1] == "people" || low[1] == "the") {
		return true
	}
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" right now ", " at the moment ", " currently ", " today it only ", " now it only ", " today it just ", " today only ", " so far ", " at present ", " presently ", " as of now ", " until now ", " up to now ", " these days ", " you can only ", " we can only ", " i can only ", " one can only ", " users can only ", " people can only "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// Hardship reports what somebody is left to do: "you have to reload the page".
func Hardship(low []string) bool {
	if len(low) > 0 && low[0] == "so" {
		low = low[1:]
	}
	if len(low) < 4 || low[2] != "to" || low[1] != "have" && low[1] != "need" && low[1] != "has" && low[1] != "needs" {
		return false
	}
	switch low[0] {
	case "you", "i", "one", "users", "people", "customers", "everybody", "everyone", "they":
		return true
	}
	return false
}

// Idle reports words that go with a request and ask for nothing.
func Idle(low []string) bool {
	if n := len(low); n > 2 && (low[n-1] == "guess" || low[n-1] == "think" || low[n-1] == "suppose") && low[n-2] == "i" {
		return true
	}
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" thank", " cheers ", " very bad ", " so bad ", " really bad ", " so annoying ", " very annoying ", " so sad ", " terrible ", " unacceptable ", " ridiculous ", " regards ", " that's it ", " that's all ", " that is all ", " nothing fancy ", " no rush ", " great ", " asap ", " urgent ", " today ", " tomorrow ", " this week ", " before lunch ", " sorry ", " please and ", " good job ", " love ", " lol ", " haha ", " no hurry ", " if possible ", " same here ", " fyi ", " for now ", " hope ", " as soon as ", " dear ", " hello ", " hi ", " good morning ", " job log ", " ci says ", " up to you ", " your call ", " done ", " any ideas ", " any idea ", " no idea ", " help ", " what the ", " wtf ", " see above ", " see below ", " attached ", " output below ", " log below ", " trace below ", " not now ", " nice to have ", " low prio ", " high prio ", " screenshot below ", " screenshots below ", " see screenshot", " screenshot attached ", " happy to ", " its me ", " it's me ", " glad to ", " let me know ", " sent from my ", " nice day ", " good day ", " nice weekend "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}
