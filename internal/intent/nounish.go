package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// knownWordClasses are the classes of known words.
var knownWordClasses = []func(string) bool{
	IsAnyVerb, IsFiller, IsPreposition, IsDeterminer, IsAuxiliary, IsNegative, IsSubject, IsConditional, IsSubordinator,
	IsComparative, IsAdverb,
}

// IsUnknownVerb reports a word in the position of a verb that is in no list: before "it", "the …"
// or a quoted thing, without a finite verb behind it.
func IsUnknownVerb(low []string) bool {
	w := low[0]
	if len(low) < 2 || len(w) < 4 || neverVerbs.Has(w) || strings.ContainsAny(w, "./_\"") {
		return false
	}
	if strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return false
	}
	if _, number := ParseNumber(w); number || isAny(w, knownWordClasses) {
		return false
	}
	switch low[1] {
	case "a", "an":
		return !HasFiniteVerb(low) && len(low) > 2 && len(w) > 4 && !strings.HasSuffix(w, "ed")
	case "it", "them", "the", "all", "both", "our", "my", "its", "their", "these", "those":
		return !HasFiniteVerb(low)
	}
	return false
}

var neverVerbs = lazyregexp.Of(`
	half what where when which whole same only even also like once else more most less than such given behind want know think hope
	love hate need exercise enterprise otherwise promise size noise rise wise premise prize precise concise see plus because guess
	thank here there today error regarding despite while till expected hello dear find please believe fail mind meet note remains
	attach attached besides except versus throughout quite rather just maybe across beyond`)

// IsNounish are verbs that are just as often nouns; the following words decide.
var IsNounish = lazyregexp.Of(`
	support log list report show display design change fix cut drop update limit cache search filter link export import
	download upload print count order sort sync release tag watch play load record preview schedule document benchmark
	prefix gate monitor retry backup mail email post answer port place set cap scale poll alert start use look review check
	run point call mock hook offer supply split return register measure patch address group shift speed transfer exchange
	border center centre color colour bold underline default stop lint shuffle balance cover trash retire open clear store
	render ping track cross clean draft trigger ask rank author transform require mark describe merge attempt read apply
	double standup build extract light highlight format process ` + nounOrVerb)

// nounOrVerb are verbs that are just as often nouns, also with an -s.
const nounOrVerb = `sum label caption seed stub wire sketch name title pick match push pull loop escape mask hash
	buffer batch queue space anchor dock float outline shade
	tint fade blur cast override clone copy duplicate lock delay advance fold mute route forward proxy floor shard
	bundle ship crop trim pad slim thin
	nest tune mirror abstract refresh dump bin toss wipe flash blink beep zoom pan drag swipe tap pause resume block
	ban favourite favorite bookmark
	archive share invite comment mention stream watermark stamp focus flush index snapshot audit refund charge bill
	sign trace profile sample forecast
	cluster score scan scroll toggle reward reply quote pin star survey number surface broadcast book reserve undo
	redo rate secure inherit stagger bind
	cancel suppress parse slow dim inset stretch squeeze approve square reject prune prefer choose backfill reboot`

// isNounPair reports whether the first word forms a compound with the noun behind it, and is not a
// verb with that as its object.
func isNounPair(low []string) bool {
	next := low[1]
	if isOneOf(low[0], "slow", "double", "duplicate") && !IsDeterminer(next) && !IsPronoun(next) && next != "down" {
		return true // "duplicate entries after sync"
	}
	if low[0] == "merge" && strings.HasPrefix(next, "conflict") {
		return true
	}
	if len(low) == 2 && strings.HasSuffix(next, "ing") && len(next) > 5 {
		return true // "image cropping"
	}
	if strings.HasSuffix(next, "s") {
		return false // a single thing needs an article to be an object, several do not
	}
	if len(low) == 2 && (IsPart(next) || IsProduct(next) || kindNouns.Has(next)) {
		return true // "release script"
	}
	thing := IsPart(next) || isOneOf(next, "box", "bar", "area", "panel", "icon", "page")
	return thing && isShowVerb(low[0]) // "search box in the header"
}

// isSetting reports a thing and the value it should have.
func isSetting(low []string) bool {
	next := low[1]
	switch {
	case next == "off":
		return len(low) == 2 || IsPreposition(low[2]) || IsConditional(low[2]) // "display off after 10 s"
	case IsNumeric(next) && !isOneOf(low[0], "limit", "set", "use"):
		return len(low) == 2 || IsPreposition(low[2]) || IsUnit(low[2]) // "zoom 12 by default"
	}
	return false
}

func nounishVerb(low []string) int {
	next := low[1]
	switch {
	case isNounPair(low) || isSetting(low):
		return 0
	case low[0] == "link" && next == "to" && len(low) > 4 && isOneOf(low[len(low)-2], "is", "are"):
		return 0 // "link to imprint is dead"
	case isOneOf(next, "first", "last", "too", "instead", "now", "then", "only"):
		return 0
	case isOneOf(next, "of", "for", "in", "on", "at", "from", "and", ",", "or", "no", ":", "is", "+"):
		return 0
	case IsAuxiliary(next) || IsNegative(next):
		return 0
	case IsPreposition(next) && next != "to" && HasFiniteVerb(low):
		return 0 // "search with two terms finds nothing"
	case IsDeterminer(next) || IsPronoun(next) || next == "\"" || IsPreposition(next):
		return 1
	case HasFiniteVerb(low):
		return 0
	}
	return 1
}

func isShowVerb(w string) bool {
	sense, _ := VerbSense(w)
	return sense == Show
}

// kindNouns end a compound, which is no verb: "dry-run mode".
var kindNouns = lazyregexp.Of(`mode flag option switch button support view page script step menu field feature`)
