package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// StartsOver reports whether the message wants to start again from nothing.
func StartsOver(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" start over ", " starting over ", " start again from ", " start from scratch ",
		" start from zero ", " let's begin again ", " let's start again ", " start afresh ", " start anew ",
		" scrap everything ", " scrap it ", " scrap this ", " scrap that ", " scrap the whole ", " scrap all ",
		" throw this away ", " throw it away ", " throw all of this away ", " throw everything away ",
		" throw it all away ", " scratch all of ", " scratch everything ", " ditch everything ", " ditch all of ",
		" bin all of ", " scrap the current ", " scrap the existing ", " scrap the old ", " scrap what we have ",
		" scrap what's there ", " throw out everything ", " throw everything out ", " back to square one ",
		" from square one ", " wipe the repo ", " bin this ", " bin it and ", " forget what we have ",
		" throw away everything ", " bin everything ", " bin it all ", " wipe everything ", " forget everything ",
		" from a clean slate ", " clean slate ", " delete everything and ", " rebuild everything from scratch ",
		" rebuild it from scratch "} {
		if strings.Contains(line, p) && !strings.Contains(line, "starts over") {
			return true
		}
	}
	return false
}

// isBinding reports a verb at i that, with "to" behind it, states what has to be, unless the
// subject is "I" or "we".
func isBinding(low []string, i int) bool {
	if isOneOf(low[0], "i", "we") || low[i] == "wants" && IsProduct(low[i-1]) {
		return false
	}
	return isOneOf(low[i], "has", "have", "needs", "need", "ought", "want", "wants")
}

// endsWish reports what can follow "can" in a wish late in a statement: "be", and "go" at the end.
func endsWish(rest []string) bool {
	return len(rest) > 0 && (rest[0] == "be" || rest[0] == "go" && len(rest) == 1)
}

// ModalAt returns the position and length of the verb that turns a statement into a wish.
func ModalAt(low []string) (at, n int) {
	for i := 1; i < len(low); i++ {
		switch w := low[i]; {
		case IsReportingVerb.Has(w):
			return 0, 0
		case w == "must" && low[i-1] == "a":
		case isOneOf(w, "should", "must", "shouldn't"):
			return i, 1
		case isOneOf(w, "have", "need") && isOneOf(low[i-1], "wouldn't", "won't", "don't", "didn't", "not"):
		case i+1 < len(low) && low[i+1] == "to" && isBinding(low, i):
			return i, 2
		case isOneOf(w, "can", "may") && (i < 4 || i < 8 && endsWish(low[i+1:])):
			return i, 1
		case IsSubordinator(w) || isOneOf(w, "if", "when", "whether"):
			return 0, 0
		}
	}
	return 0, 0
}

// Actors are subjects that benefit if they can do something.
var Actors = []string{"user", "users", "admin", "admins", "people", "customer", "customers", "guest", "guests",
	"member", "members", "moderator", "moderators", "patient", "patients",
	"i", "we", "you", "they", "everyone", "anyone", "visitor", "visitors", "player", "players", "editor", "editors",
	"someone", "it", "desk", "staff", "doctors", "doctor", "operator", "operators", "teacher", "teachers", "student",
	"students", "owner", "owners", "reader", "readers", "pupils", "parents", "kids", "children", "colleagues",
	"drivers", "volunteers", "trainers", "coaches", "employees", "nurses", "tenants", "friends", "families", "viewers",
	"listeners", "subscribers", "sellers", "buyers", "partners", "manager", "managers", "developers", "authors",
	"author", "client", "clients", "one", "somebody", "folks"}

// IsNarrative reports a clause that recounts something and names nothing: it begins with a person
// or a time, or its verb is in the past.
func IsNarrative(low []string) bool {
	if IsSubject(low[0]) && !isOneOf(low[0], "this", "that") || IsConditional(low[0]) || IsSubordinator(low[0]) || IsAuxiliary(low[0]) {
		return true
	}
	if low[0] == "this" && len(low) < 6 || low[0] == "with" {
		return true
	}
	switch low[0] {
	case "probably", "presumably", "apparently",
		"getting", "seeing", "having", "receiving", "hitting", "got", "saw", "found", "yesterday", "last", "recently",
		"earlier", "today", "for", "at", "on", "in", "according", "of", "by", "once", "ago", "later", "from", "not", "than":
		return true
	}
	for i := 1; i < len(low) && i < 6; i++ {
		past := strings.HasSuffix(low[i], "ed") && len(low[i]) > 4
		object := i+1 < len(low) && (IsDeterminer(low[i+1]) || IsPronoun(low[i+1]))
		if pastVerbs.Has(low[i]) || past && object {
			return true
		}
	}
	return false
}

var pastVerbs = lazyregexp.Of(`
	brought ran got went said told came saw had took found thought wrote made gave knew lost sent spent met used tried noticed asked
	looked talked claimed`)

// SaysPresent reports words that describe the present state before a request: "right now photos
// have to be uploaded one at a time", "you can only export one page".
func SaysPresent(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" right now ", " at the moment ", " currently ", " today it only ", " now it only ",
		" today it just ", " today only ", " so far ", " at present ", " presently ", " as of now ", " until now ",
		" up to now ", " these days ", " you can only ", " we can only ", " i can only ", " one can only ",
		" users can only ", " people can only "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// AsksNothing reports words that accompany a request and ask for nothing.
func AsksNothing(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" thank", " cheers ", " very bad ", " so bad ", " really bad ", " so annoying ",
		" very annoying ", " so sad ", " terrible ", " unacceptable ", " ridiculous ", " regards ", " that's it ",
		" that's all ", " that is all ", " nothing fancy ", " no rush ", " great ", " asap ", " urgent ", " today ",
		" tomorrow ", " this week ", " before lunch ", " sorry ", " please and ", " good job ", " love ", " lol ",
		" haha ", " no hurry ", " if possible ", " same here ", " fyi ", " for now ", " hope ", " as soon as ",
		" dear ", " hello ", " hi ", " good morning ", " job log ", " ci says ", " up to you ", " your call ", " done ",
		" any ideas ", " any idea ", " no idea ", " help ", " what the ", " wtf ", " see above ", " see below ",
		" attached ", " output below ", " log below ", " trace below ", " not now ", " nice to have ", " low prio ",
		" high prio ", " screenshot below ", " screenshots below ", " see screenshot", " screenshot attached ",
		" happy to ", " its me ", " it's me ", " glad to ", " let me know ", " sent from my ", " nice day ",
		" good day ", " nice weekend "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}
