package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// declarative reads a sentence with a subject: what should be, what can be done, what
// is. Only the first two ask for something.
func (a act) declarative(rest []string, s said) act {
	a.pronoun = words.Pronoun(rest[0]) && rest[0] != "everything" && rest[0] != "all"
	if words.Auxiliary(rest[0]) && a.c.join != "" && !strings.Contains(rest[0], "'") {
		return a // it says more of what was named before
	}
	if i, k := modal(rest); i > 0 && i+k < len(rest) {
		return a.should(rest, i, i+k)
	}
	if i := wanting(rest); i > 0 {
		a.deed, a.marker, a.verb = request, belay.MarkAdd, strings.Join(rest[i:min(i+2, len(rest))], " ")
		return a
	}
	if i := slices.Index(rest, "would"); i > 0 && i+2 < len(rest) && rest[i+1] == "be" && !words.Preposition(rest[0]) && !conditional(rest[0]) && indefinite(rest) && enough[rest[i+2]] {
		a.deed, a.marker, a.verb, a.core.to = request, belay.MarkAdd, "would be "+rest[i+2], a.core.from+i
		return a
	}
	for i := 1; i < len(rest); i++ {
		if (rest[i] == "needs" || rest[i] == "need" || rest[i] == "lacks" || rest[i] == "want" || rest[i] == "wants") && i+1 < len(rest) && i < 7 && rest[i+1] != "to" && rest[i-1] != "not" && rest[i-1] != "i" && !words.Negative(rest[i-1]) && !words.Auxiliary(rest[i+1]) {
			a.deed, a.marker, a.verb = request, belay.MarkAdd, rest[i]
			a.obj = a.core.from + i + 1
			if end, ok := participle(rest[i+1]); ok && end {
				a.marker = belay.MarkModify
			}
			return a
		}
	}
	if belongs := slices.Index(rest, "belongs"); belongs > 0 {
		a.deed, a.marker, a.verb = request, belay.MarkModify, "belongs"
		return a
	}
	if old(rest) && a.c.close != "?" {
		a.deed, a.marker, a.verb = request, belay.MarkModify, "not"
		return a
	}
	if s.opener && s.want { // "it would be nice if the map remembered …"
		return a.capability(rest)
	}
	if (a.c.block.Kind == prose.Item || a.c.group) && !words.Auxiliary(rest[0]) {
		return a.stated(rest)
	}
	if a.c.close == "?" && s.opener {
		return a.capability(rest)
	}
	return a
}

var enough = map[string]bool{"enough": true, "nice": true, "great": true, "good": true, "cool": true, "helpful": true, "useful": true, "lovely": true, "handy": true, "perfect": true, "fine": true, "awesome": true, "ideal": true, "sufficient": true, "better": true, "welcome": true, "appreciated": true}

// wanting finds what others want: "doctors are wanting to see", "users keep asking for".
func wanting(low []string) int {
	if low[0] == "why" || low[0] == "how" || low[0] == "what" || low[0] == "who" || low[0] == "when" {
		return 0
	}
	for i := 1; i+1 < len(low) && i < 7; i++ {
		next := low[i+1]
		switch low[i] {
		case "wants", "want", "wanting", "wish", "wishes":
			if !words.Negative(low[i-1]) && low[i-1] != "i" {
				return i
			}
		case "asking", "asked", "ask", "waiting", "begging":
			if next == "for" || next == "to" {
				return i
			}
		case "like", "love":
			if low[i-1] == "would" && next == "to" || strings.HasSuffix(low[i-1], "'d") && next == "to" {
				return i
			}
		}
	}
	return 0
}

// stated reads a sentence in a list of what is wanted: "a button extends the session".
func (a act) stated(rest []string) act {
	i, ok := predicate(rest)
	if !ok || past[rest[i]] || rest[i] == "was" || rest[i] == "were" || rest[0] == "i" || rest[0] == "we" {
		return a
	}
	a.deed, a.marker, a.verb = request, belay.MarkAdd, rest[i]
	if old(rest) || compared(rest[i:]) > 0 || rest[i] == "is" || rest[i] == "are" {
		a.marker = belay.MarkModify
	}
	return a
}

func (a act) capability(rest []string) act {
	a.deed, a.marker, a.verb = request, belay.MarkAdd, "it would be good"
	if compared(rest) > 0 || old(rest) {
		a.marker = belay.MarkModify
	}
	if i, ok := predicate(rest); ok {
		if b, _ := words.Base(rest[i], anyVerb); b != "" {
			if sense, _ := words.Verb(b); sense == words.Modify {
				a.marker = belay.MarkModify
			}
		}
	}
	return a
}

// modal finds what turns a statement into a wish, and its length.
func modal(low []string) (at, n int) {
	for i := 1; i < len(low); i++ {
		switch w := low[i]; {
		case reporting[w]:
			return 0, 0
		case w == "should" || w == "must" || w == "shall" || w == "shouldn't" || w == "mustn't":
			return i, 1
		case (w == "has" || w == "have" || w == "needs" || w == "need" || w == "ought" || w == "want" || w == "wants") && i+1 < len(low) && low[i+1] == "to" && low[0] != "i" && (low[0] != "we" || w == "need" || w == "have"):
			return i, 2
		case (w == "can" || w == "may") && i < 4:
			return i, 1
		case words.Subordinator(w) || w == "if" || w == "when":
			return 0, 0
		}
	}
	return 0, 0
}

// actors are subjects that gain something when they can do something.
var actors = []string{"user", "users", "admin", "admins", "people", "customer", "customers", "guest", "guests", "member", "members", "moderator", "moderators", "patient", "patients",
	"i", "we", "you", "they", "everyone", "anyone", "visitor", "visitors", "player", "players", "editor", "editors", "someone", "it", "desk", "staff", "doctors", "doctor", "operator", "operators", "teacher", "teachers", "student", "students", "owner", "owners", "reader", "readers", "manager", "managers", "developers", "authors", "author", "client", "clients", "one", "somebody", "folks"}

// should reads what stands behind a modal.
func (a act) should(low []string, at, next int) act {
	a.deed, a.marker, a.verb = request, belay.MarkModify, strings.Join(low[at:next], " ")
	for next < len(low) && (adverb(low[next]) || low[next] == "also" || low[next] == "just" || low[next] == "instead" || low[next] == "always" || low[next] == "not" || low[next] == "only" || low[next] == "automatically") {
		a.also = a.also || low[next] == "also"
		next++
	}
	if next >= len(low) {
		a.deed = expected
		return a
	}
	can := low[at] == "can" || low[at] == "may"
	actor := slices.Contains(actors, low[at-1])
	o := low[next:]
	line := strings.Join(o, " ") + " "
	a.obj = a.core.from + next
	switch {
	case can && !(a.c.block.Kind == prose.Item || a.c.group || actor && low[0] != "i" && low[0] != "you" && low[0] != "we"):
		a.deed = ground
		return a
	case strings.HasPrefix(line, "be able to ") || strings.HasPrefix(line, "be possible to ") || can:
		a.marker = belay.MarkAdd
	case strings.HasPrefix(line, "be allowed") || strings.HasPrefix(line, "become"):
	case o[0] == "be" && len(o) > 1:
		a.marker = passive(o[1:])
	case o[0] == "have" && len(o) > 1:
		a.marker = belay.MarkAdd
		if compared(o) > 0 || words.Determiner(o[1]) && !indefinite(o[1:]) {
			a.marker = belay.MarkModify
		}
	case old(low):
	default:
		a.marker = a.promised(o, actor)
	}
	if low[at] == "shouldn't" || low[at] == "mustn't" || slices.Contains(low[at:next], "not") {
		a.marker = belay.MarkModify
	}
	return a
}

// promised is what "X should V" asks for: by the verb, and by who X is.
func (a act) promised(o []string, actor bool) belay.Marker {
	b, _ := words.Base(o[0], anyVerb)
	sense, _ := words.Verb(b)
	if s, n := words.Phrase(o); n > 0 {
		sense = s
	}
	switch sense {
	case words.Add, words.Capable, words.Give:
		if b != "build" {
			return belay.MarkAdd
		}
	case words.Show:
		if compared(o) == 0 {
			return belay.MarkAdd
		}
	case words.Remove:
		if a.pronoun {
			return belay.MarkModify
		}
	}
	if actor && !a.pronoun || a.also && sense == words.None {
		return belay.MarkAdd
	}
	return belay.MarkModify
}

// passive reads "should be removed", "must be fixed", "should be bigger".
func passive(o []string) belay.Marker {
	b, end := words.Base(o[0], anyVerb)
	if end != "ed" && b != "put" {
		return belay.MarkModify
	}
	switch sense, _ := words.Verb(b); sense {
	case words.Remove:
		return belay.MarkRemove
	case words.Fix:
		return belay.MarkFix
	case words.Add:
		return belay.MarkAdd
	}
	return belay.MarkModify
}

// participle reports a verb in -ing or -ed: "needs renaming".
func participle(w string) (modify, ok bool) {
	b, end := words.Base(w, anyVerb)
	sense, _ := words.Verb(b)
	return sense == words.Modify && end != "" && end != "s", end != ""
}

func adverb(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ly") && w != "reply" && w != "apply" && w != "only"
}

// fragment reads a clause without a verb: "dark mode", "header smaller", "typo in the
// receipt mail", "batch 64".
func (a act) fragment(rest []string, s said) act {
	if a.c.block.Kind != prose.Item && !a.c.group && (len(rest) == 1 && !a.also || idle(rest)) && !slices.Contains(rest, "only") {
		if len(rest) == 1 && rest[0] == "\"" || len(rest) != 1 || !s.please {
			return a
		}
	}
	if told(rest) || !a.c.frag && a.c.block.Kind != prose.Item && !a.c.group && !a.also && a.c.join != "and" && a.c.join != "+" && compared(rest) == 0 && !valued(rest) && !old(rest) && !articled(rest[0]) && !strings.HasPrefix(rest[0], "-") && !moreThings(rest) && !slices.Contains(rest, "too") {
		return a
	}
	a.deed, a.verb = request, "a thing named"
	if b, end := words.Base(rest[0], anyVerb); end == "ing" && b != "" && len(rest) > 1 {
		a.verb = rest[0]
		switch sense, _ := words.Verb(b); sense {
		case words.Modify:
			a.marker = belay.MarkModify
		case words.Fix:
			a.marker = belay.MarkFix
		case words.Remove:
			a.marker = belay.MarkRemove
		default:
			a.marker = belay.MarkAdd
		}
		return a
	}
	a.marker = belay.MarkAdd
	last := rest[len(rest)-1]
	if (last == "first" || last == "last") && len(rest) < 4 && a.c.join == "," {
		a.deed = ground // "newest first": how to do what is asked
		return a
	}
	more := moreThings(rest)
	switch {
	case last == "only" || rest[0] == "only" && len(rest) > 1,
		(last == "left" || last == "right" || last == "top" || last == "bottom" || last == "middle" || last == "centre" || last == "center") && !articled(rest[0]):
		a.marker = belay.MarkModify
	case more, rest[0] == "a", rest[0] == "an", rest[0] == "another", rest[0] == "new", last == "too" && a.c.join == "":
		a.made = true
	case old(rest), compared(rest) > 0, valued(rest), slices.Contains(rest, "→"):
		a.marker = belay.MarkModify
	default:
		a.made = indefinite(rest)
	}
	return a
}

// articled reports a word that introduces a thing not known yet.
func articled(w string) bool {
	return w == "a" || w == "an" || w == "another" || w == "new" || w == "some"
}

// told reports a clause that tells something and names nothing: it begins with who did
// it or when, or its verb is in the past.
func told(low []string) bool {
	if words.Subject(low[0]) && low[0] != "this" && low[0] != "that" || conditional(low[0]) || words.Subordinator(low[0]) || words.Auxiliary(low[0]) {
		return true
	}
	if len(low) > 1 && (low[0] == "both" || low[0] == "each" || low[0] == "neither" || low[0] == "all" || low[0] == "either") {
		if _, ok := words.Fails(low[1]); ok || words.Auxiliary(low[1]) {
			return true
		}
	}
	switch low[0] {
	case "getting", "seeing", "having", "receiving", "hitting", "got", "saw", "found", "yesterday", "last", "recently", "earlier", "today", "for", "at", "on", "in", "according", "of", "by", "once", "ago", "later", "from", "not", "than":
		return true
	}
	for i := 1; i < len(low) && i < 6; i++ {
		if pastVerbs[low[i]] || strings.HasSuffix(low[i], "ed") && len(low[i]) > 4 && i+1 < len(low) && (words.Determiner(low[i+1]) || words.Pronoun(low[i+1]) || low[i+1] == "that") {
			return true
		}
	}
	return false
}

var pastVerbs = map[string]bool{"brought": true, "ran": true, "got": true, "went": true, "said": true, "told": true, "came": true, "saw": true, "had": true, "took": true, "found": true, "thought": true, "wrote": true, "made": true, "gave": true, "knew": true, "lost": true, "sent": true, "spent": true, "met": true, "used": true, "tried": true, "noticed": true, "asked": true, "looked": true, "talked": true, "claimed": true}

// moreThings reports "five more slots", "one more page".
func moreThings(low []string) bool {
	i := slices.Index(low, "more")
	if i < 1 {
		return false
	}
	_, ok := words.Number(low[i-1])
	return ok || low[i-1] == "some" || low[i-1] == "a-few"
}

// valued reports a thing that is there with a value it should have: "batch 64", "http
// check every 30s", "fonts everywhere".
func valued(low []string) bool {
	for i := 1; i < len(low); i++ {
		if _, ok := value(low[i]); ok && (i == len(low)-1 || words.Unit(low[i+1])) && (low[i-1] == "at" || low[i-1] == "to" || low[i-1] == "every" || low[i-1] == "after" || low[i-1] == "within" || low[i-1] == "under" || i == len(low)-1 && !words.Preposition(low[i-1])) {
			return low[0] != "a" && low[0] != "an"
		}
	}
	return slices.Contains(low, "everywhere") || slices.Contains(low, "by-default")
}

// idle reports words that go with a request and ask for nothing.
func idle(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" thank", " cheers ", " regards ", " that's it ", " that's all ", " that is all ", " nothing fancy ", " no rush ", " great ", " asap ", " urgent ", " today ", " tomorrow ", " this week ", " before lunch ", " sorry ", " please and ", " good job ", " love ", " lol ", " haha ", " no hurry ", " if possible ", " same here ", " fyi ", " for now ", " hope ", " as soon as ", " dear ", " hello ", " hi ", " good morning ", " job log ", " ci says ", " up to you ", " your call ", " done ", " any ideas ", " any idea ", " no idea ", " help ", " what the ", " wtf ", " see above ", " see below ", " attached ", " nice to have ", " low prio ", " high prio "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}
