package intent

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

func fields(list string) iter.Seq[string] { return strings.FieldsSeq(list) }

// commonWords are words that are not typing errors of a verb.
var commonWords = lazyregexp.Of(`about above after again their there these those which while would could should other under every
	first where
	still since right might thing being order users pages tests table title state store style story
	sound sounds short shared clean night light issue issues event events model cover covers place places point points
	party parts ports times types value values words works world email lists links images users forms notes`)

// IsFiller reports a word to skip at the start of a clause.
var IsFiller = lazyregexp.Of(`please also and then so oh but just maybe perhaps hi hello hey ok okay well now next
	finally first firstly second
	secondly third thirdly additionally plus besides furthermore moreover ideally obviously honestly actually basically
	quickly kindly thanks
	morning afterwards lastly possibly simply therefore hence todo btw fyi urgent asap or & + really should-we thereby
	um uh uhm erm yeah yep yo alright hmm anyway anyways otherwise somehow meanwhile alternatively only first-of-all
	likewise similarly accordingly yes no-wait`).Has

// openers are phrases that introduce a request; the longest match is skipped. The value is true if
// a verb must follow, false for a thing or a sentence.
var openers = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, who := range []string{"you", "we", "i", "somebody", "someone", "anybody", "anyone", "one"} {
		for _, m := range []string{"can", "could", "would", "will", "should", "may", "might"} {
			out[m+" "+who] = true
		}
		for _, m := range []string{"should", "must", "need to", "have to", "want to", "would like to", "'d like to",
			"could", "ought to", "had better", "will", "might"} {
			out[who+" "+m] = true
		}
	}
	out["you can"], out["we can"] = true, true
	for _, s := range []string{
		"would you consider", "could you consider", "please consider", "consider", "make it possible to", "be so kind as to",
		"be so kind to", "be so good as to", "mind", "be able to", "is it possible to", "it is possible to", "it's possible to",
		"is possible to", "is there possibility to", "would it be possible to", "is it possible for you to", "i want to can",
		"we want to can", "i would like to can", "i want that you", "we want that you", "i would like that you", "i'd like that you",
		"i need that you", "i want you to", "i would like you to", "i'd like you to", "i need you to", "we'd like you to",
		"i'd like to", "we'd like to", "i'd love to", "we decided to", "we've decided to", "we have decided to", "we agreed to",
		"we chose to", "it was decided to", "is it hard to", "how hard would it be to", "is it difficult to", "would it be hard to",
		"is it much work to", "is it a lot of work to", "how difficult would it be to", "let's", "lets", "let us", "feel free to",
		"the idea is to", "the plan is to", "what i want is to", "your task is to", "your job is to", "the task is to", "need to",
		"want to", "would like to", "wanted to", "to", "go ahead and", "help me", "help us", "help me to", "we're going to",
		"i'm going to", "it's time to", "time to", "try to", "i was wondering if you could", "i wonder if you could",
		"do you think you could", "i'm wondering if you could", "any chance you could", "any chance to", "anyone up for",
		"anybody up for", "if you could", "if you can", "be great if you could", "we need you to", "i expect you to",
		"could you please", "any chance of you", "make certain that", "see to it that",
	} {
		out[s] = true
	}
	for _, who := range []string{"i", "we"} {
		for _, m := range []string{"'d love to have", " would love to have", "'d love to see", " would love to see",
			"'d like to see", " would like to see", "'d love", " really need", " still need", " urgently need",
			"'d need", " would need", " would appreciate", "'d appreciate", " could do with"} {
			out[who+m] = false
		}
	}
	for _, s := range []string{
		"make it so that", "make it so", "make sure that", "make sure", "ensure that", "ensure", "is it possible that", "i think",
		"i guess", "i suppose", "i believe", "i'd be happy about", "i'd be so happy about", "i would be happy about",
		"i'd be glad about", "i'd be happy with", "i'd like that", "i want that", "we want that", "i'd expect that",
		"the nicest thing would be", "what we want is", "what i want is", "what i would like is", "what we would like is",
		"what i would like to have is", "what we would like to have is", "what we need is", "what i need is",
		"what we keep missing is", "what i keep missing is", "what we miss is", "what i miss is", "what i'd like is",
		"what we'd like is", "what would help is", "what we're missing is", "what i'm missing is", "what would be nice is",
		"what would be great is", "what i want now is", "what we want now is", "what we need now is", "what i need now is",
		"what i'd like now is", "it would help if", "it would help a lot if", "it'd help if", "would help if", "i'd be happy if",
		"i'd be glad if", "i would be happy if", "next step is", "the next step is", "what's still missing is",
		"what is still missing is", "what's missing is", "what is missing is", "also missing is", "still missing is",
		"the only thing missing is", "the only thing that's missing is", "i miss", "we miss", "we're lacking", "we lack",
		"i'm missing", "what about having", "would it be possible to have", "is it possible to have", "it is possible to have",
		"it's possible to have", "is possible to have", "can be possible to have", "i'd like to have", "i would like to have",
		"we would like to have", "we'd like to have", "we want to have", "i want to have", "can we have", "could we have",
		"can we get", "could we get", "can i have", "can i get", "could i get", "could i have", "may i have", "how about",
		"what about", "is there a way to have", "i would like", "i'd like", "we'd like", "we would like", "i'd love",
		"i'd rather have", "i'd rather see", "i'd prefer", "i would prefer", "we'd prefer", "we'd rather have", "i prefer",
		"i would rather have", "need", "want", "would like", "wanted", "missing", "i need", "we need", "i want", "we want",
		"there should be", "there should also be", "there must be", "there has to be", "there needs to be", "should there be",
		"we are needing", "i am needing", "we're needing", "i'm needing", "we are wanting", "we are missing", "i am missing",
		"we could use", "i could use", "we could do with", "i wish", "we should have", "we must have", "i should like",
		"we're missing", "what's missing is", "we also need", "we also want", "i also want", "i also need", "would love",
		"i'd really like", "i'm looking for", "we're looking for", "looking for", "dear all", "hope you're well",
	} {
		out[s] = false
	}
	out["mind"], out["how about"], out["what about"] = true, true, true
	out["is there a way to"], out["is there any way to"], out["is there a possibility to"] = true, true, true
	return out
})

// ReadOpener finds the longest opener at the start. verb means that a verb follows, otherwise it
// asks for a thing.
func ReadOpener(low []string) (n int, verb bool) {
	if n, verb = readWouldBe(low); n > 0 {
		return n, verb
	}
	if len(low) > 2 && (low[0] == "i'd" || low[0] == "we'd") && proposalVerbs.Has(low[1]) {
		return 1, true // "I'd drop the box"
	}
	for n = min(9, len(low)); n >= 1; n-- {
		if v, ok := openers()[strings.Join(low[:n], " ")]; ok {
			return n, v
		}
	}
	return 0, false
}

// hedges are phrases that introduce a report, without meaning of their own.
var hedges = []string{"so the thing is that", "the thing is that", "the thing is", "thing is", "the problem is that",
	"the problem is", "the issue is that", "the issue is", "problem is", "what happens is that", "what happens is",
	"it looks as if", "it looks like", "it seems that", "it seems like", "it seems as if", "it turns out that",
	"it turns out", "it appears that", "it seems", "looks like", "looks as if", "seems like", "seems that", "turns out that", "turns out",
	"i noticed that", "i noticed", "we noticed that", "we noticed", "i just noticed that", "i just noticed",
	"i found out that", "i found that", "we found that", "i realised that", "i realized that", "apparently",
	"not sure if it's me but", "not sure why but", "for some reason",
	"quick heads-up that", "quick heads up that", "heads-up that", "heads up that", "a quick heads-up that",
	"just a heads-up that", "just wanted to let you know that", "just letting you know that",
	"wanted to let you know that", "i want to report that", "i'd like to report that", "i wanted to report that",
	"if nobody objects", "if nobody minds", "if it's ok", "if that's ok", "if you don't mind", "if you have time",
	"if there's time", "if there is time", "on another note", "on a different note", "apart from that", "besides that",
	"other than that", "separately", "unrelated to that",
	"while you're there", "while you're at it", "while you are at it", "while we're at it", "while at it",
	"while you're in there", "while you are there", "while i'm at it"}

// HedgeLength returns the number of words of a hedge at the start.
func HedgeLength(low []string) int {
	if n := quotedSpeakerLength(low); n > 0 {
		return n
	}
	line := strings.Join(low[:min(len(low), 7)], " ") + " "
	for _, h := range hedges {
		if strings.HasPrefix(line, h+" ") {
			return strings.Count(h, " ") + 1
		}
	}
	return 0
}

// persons are people who may ask for something.
var persons = lazyregexp.Of(`daughter son girlfriend boyfriend sister brother neighbour neighbor partner secretary
	director treasurer designer legal marketing boss client customer team security ops mother father wife husband friend
	accountant auditor lawyer colleague manager ceo cto sales qa tester teacher owner everybody everyone accounting
	management compliance`).Has

// proposalVerbs are verbs for what a person would do in the reader's place.
var proposalVerbs = lazyregexp.Of(`drop remove make move put add change rename use replace show hide cut kill merge split
	sort set swap delete lower raise`)

// IsAdditive reports words before a clause that introduce another concern.
func IsAdditive(low []string) bool {
	n := HedgeLength(low)
	return n > 0 && isOneOf(low[0], "on", "apart", "besides", "other", "separately", "unrelated", "while")
}

var pleasantWords = lazyregexp.Of(`nice great good cool helpful useful lovely handy perfect fine awesome ideal better
	welcome wonderful fantastic amazing super neat kindly kind sweet brilliant convenient practical`)

// readWouldBe finds "it would be so helpful to", "that'd be great if you could", "would be nice
// if": a wish follows.
func readWouldBe(low []string) (n int, verb bool) {
	i := 0
	if len(low) > 4 && isOneOf(low[0], "it", "that", "this") && low[1] == "would" {
		i = 2
	} else if len(low) > 4 && low[0] == "wouldn't" && low[1] == "it" {
		i = 2
	} else if len(low) > 3 && isOneOf(low[0], "would", "it'd", "that'd", "itd", "might", "could") {
		i = 1
	}
	if i == 0 || low[i] != "be" {
		return 0, false
	}
	i++
	for i < len(low) && isOneOf(low[i], "so", "really", "very", "super", "also", "quite", "pretty", "a", "most", "absolutely") {
		i++
	}
	if i+2 >= len(low) || !pleasantWords.Has(low[i]) && !isOneOf(low[i], "dream", "lifesaver", "help") {
		return 0, false
	}
	i++
	switch low[i] {
	case "to":
		if isOneOf(low[i+1], "have", "see", "get") {
			return i + 2, false
		}
		return i + 1, true
	case "if":
		if i+2 < len(low) && isOneOf(low[i+1], "you", "we", "i", "one", "people", "users") && isOneOf(low[i+2], "could", "can", "would") {
			return i + 3, true
		}
		return i + 1, false
	}
	return 0, false
}

var numbers = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "both": 2, "dozen": 12,
	"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "beide": 2, "beiden": 2, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5,
	"dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "ambos": 2, "dois": 2, "duas": 2, "três": 3, "quatro": 4, "tre": 3,
	"quattro": 4, "cinque": 5,
}

// ParseNumber parses a number in digits or as a word. A decimal, a version or a time is not a
// number.
func ParseNumber(w string) (int, bool) {
	if n, ok := numbers[w]; ok {
		return n, true
	}
	n, err := strconv.Atoi(w)
	if err != nil || w[0] == '+' || w[0] == '-' {
		return n, false
	}
	return n, len(w) == 1 || len(w) < 7 && w[0] != '0'
}

// IsSeveral reports a number of more than one.
func IsSeveral(w string) bool {
	n, ok := ParseNumber(w)
	return ok && n > 1
}

// IsUnit reports a word that makes the number before it a measure and not a count.
var IsUnit = lazyregexp.Of(`s sec secs second seconds ms min mins minute minutes h hr hrs hour hours day days week weeks
	month months year years
	kb mb gb tb kib mib gib bytes byte bits bit px pt em rem % percent degrees am pm o'clock hz khz mhz fps rpm km m cm
	mm mi miles kg g x times
	characters chars letters digits dots pixels euros dollars € $ £ volts v a ma mah w kw times-a retries attempts
	attempt replicas-max cores threads dpi
	points ticks epochs nm ct cents baud kbaud mbaud bps kbps mbps usd eur kilometres kilometers metres meters`).Has

// Classes of function words.
var (
	IsDeterminer = lazyregexp.Of(`the a an this that these those my our your his her its their all any some each every
	no another both such`).Has
	IsPronoun = lazyregexp.Of(`it this that them these those they one ones him her same so everything something anything`).Has
	IsSubject = lazyregexp.Of(`i you he she it we they that this these those who there everything nothing everybody
	everyone somebody someone nobody it's that's there's they're we're you're i'm i've we've you've i'd we'd`).Has
	IsPreposition = lazyregexp.Of(`in on at of for from to with without into onto by as than over under after before
	between through during per via about against across near below above behind inside outside around like towards upon within`).Has
	IsAuxiliary = lazyregexp.Of(`is are was were am be been being do does did has have had can could will would may
	might shall should must isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't couldn't won't
	wouldn't shouldn't mustn't ain't it's that's there's he's she's they're we're you're i'm i've we've you've i'd we'd
	something's everything's nothing's someone's somebody's nobody's everyone's it'll they'll you'll needn't what's who's here's i'll`).Has
	IsModal    = lazyregexp.Of(`should must shall ought may can could shouldn't mustn't can't couldn't might needs-to would`).Has
	IsNegative = lazyregexp.Of(`not no never don't doesn't didn't can't cannot couldn't won't wouldn't isn't aren't
	wasn't weren't hasn't haven't hadn't nothing nobody none neither nor without shouldn't mustn't ain't`).Has
	IsComparative = lazyregexp.Of(`bigger smaller larger wider narrower taller shorter longer thicker thinner darker
	lighter brighter rounder softer faster slower quicker snappier cleaner simpler tighter looser
		higher lower deeper louder quieter stronger weaker easier harder less fewer better nicer prettier earlier later
	newer older closer wider cheaper stricter safer clearer crisper bolder sharper smoother friendlier verbose sticky
		collapsible optional mandatory required configurable clickable responsive sortable nullable draggable resizable
	scrollable case-insensitive readable accessible immutable async asynchronous editable searchable lazy reusable
	idempotent green blue black white grey gray yellow orange purple transparent bold italic uppercase lowercase public
	private parallel consistent unique`).Has
	IsSubordinator = lazyregexp.Of(`because bc cuz coz cos since which who whose although though until unless whereas
	where whenever considering given so-that`).Has
)

// IsConjunction reports a word that joins another clause of the same kind.
func IsConjunction(w string) bool { return w == "and" || w == "but" || w == "or" || w == "then" }

// isOneOf reports whether a word is one of words.
func isOneOf(w string, words ...string) bool { return slices.Contains(words, w) }

// isAny reports whether a word is in one of the classes.
func isAny(w string, classes []func(string) bool) bool {
	return slices.ContainsFunc(classes, func(is func(string) bool) bool { return is(w) })
}

// hasEnding reports whether a word has one of the endings.
func hasEnding(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(w, end) })
}

// quotedSpeakerLength returns the length of an introduction that attributes the rest to one of
// persons: "our designer says", "the lawyer thinks that".
func quotedSpeakerLength(low []string) int {
	i := 0
	if len(low) > 3 && (IsDeterminer(low[0]) || low[0] == "one") {
		i = 1
	}
	if len(low) < i+4 || !persons(low[i]) {
		return 0
	}
	switch low[i+1] {
	case "says", "said", "thinks", "suggests", "suggested", "insists", "believes":
	default:
		return 0
	}
	if low[i+2] == "that" {
		return i + 3
	}
	return i + 2
}
