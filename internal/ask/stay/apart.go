package stay

import (
	"slices"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Tail reports words that, behind the name of a thing and a colon or a comma, leave it alone:
// "(public API:) hands off", "(the footer:) don't touch please".
func Tail(low []string) bool {
	for len(low) > 1 && (words.Filler(low[len(low)-1]) || low[len(low)-1] == "!" || low[len(low)-1] == ",") {
		low = low[:len(low)-1]
	}
	for len(low) > 1 && (words.Filler(low[0]) || low[0] == "to" && low[1] == "be") {
		low = low[1:]
	}
	if len(low) == 0 || len(low) > 5 {
		return false
	}
	return tails()[strings.Join(low, " ")]
}

var tails = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for p := range strings.SplitSeq("hands off|don't touch|do not touch|don't touch it|don't touch that|don't touch them|don't touch those|do not touch it|never touch|no touching|not to be touched|not to be changed|don't change|do not change|don't change it|don't change them|no change|no changes|"+
		"leave alone|leave it alone|leave them alone|leave that alone|leave it|leave them|leave as is|leave it as is|leave as it is|leave them as they are|leave it as it is|leave be|leave it be|left alone|let it be|"+
		"keep as is|keep as it is|keep it as is|keep it as it is|keep them as they are|as is|as it is|as they are|as before|as today|as now|unchanged|untouched|stays|stay|stays as is|stays as it is|stay as they are|remains|remain|"+
		"off limits|off-limits|taboo|frozen|sacred|same as before|same as now|the same as before|the same as now|out of scope|not in scope|not part of this|not my problem|don't mess with it|don't even look at it|not this time", "|") {
		out[p] = true
	}
	return out
})

// nominal reports that words name a thing and say nothing of it.
func nominal(low []string) bool {
	if len(low) == 0 || len(low) > 9 || words.Subject(low[0]) && low[0] != "everything" && low[0] != "this" && low[0] != "these" && low[0] != "those" && low[0] != "that" || words.Pronoun(low[0]) && len(low) == 1 && low[0] != "everything" {
		return false
	}
	if slices.ContainsFunc(low, func(w string) bool { return words.Auxiliary(w) || w == "," || w == ":" }) || words.Conjunction(low[0]) || grammar.Conditional(low[0]) || words.Preposition(low[0]) || low[0] == "no" || low[0] == "always" || low[0] == "still" || low[0] == "again" || low[0] == "exactly" {
		return false
	}
	return grammar.Imperative(low) == 0 || len(low) < 4 && (aspects[low[len(low)-1]] || grammar.Nounish[low[0]] && len(low) == 1)
}

// aspects are nouns for how a thing is or works: a verb in front of one is part of its name,
// as in "sort order".
var aspects = map[string]bool{"behaviour": true, "behavior": true, "order": true, "format": true, "layout": true, "logic": true, "output": true, "size": true, "sizes": true, "colour": true, "colours": true, "color": true, "colors": true, "name": true, "names": true, "path": true, "paths": true, "url": true, "urls": true, "schema": true, "style": true, "speed": true,
	"position": true, "buttons": true, "button": true, "handling": true, "limits": true, "limit": true, "rules": true, "codes": true, "code": true, "keys": true, "page": true, "flow": true, "format-string": true, "messages": true, "semantics": true, "api": true, "job": true, "step": true, "steps": true, "endpoint": true, "endpoints": true, "screen": true, "screens": true, "text": true, "texts": true}

// Parted reads a thing and, behind a colon or a comma, that it is to be left: "everything below
// the fold: don't touch".
func Parted(low []string) (grammar.Span, bool) {
	for i := 1; i+1 < len(low); i++ {
		if low[i] == ":" || low[i] == "," {
			n, _ := grammar.Strip(low)
			if n >= i || !Tail(low[i+1:]) {
				return grammar.Span{}, false
			}
			to := i
			if at, ok := grammar.Predicate(low[n:i]); ok && at > 0 && grammar.Definite(low[n]) {
				to = n + at // "the API belongs to another team, don't touch"
			}
			return grammar.Span{From: n, To: to}, nominal(low[n:to])
		}
	}
	return grammar.Span{}, false
}

// fronted reads a thing that stands in front of an order to leave it: "the apply job you
// don't touch", "adults I don't want changed".
func fronted(low []string) (grammar.Span, bool) {
	for i := 1; i+1 < len(low); i++ {
		if low[i] == "," || low[i] == ":" {
			return grammar.Span{}, false
		}
		k := 0
		switch low[i] {
		case "you", "we", "i", "nobody", "please", "i'd", "we'd":
			k = 1
		case "don't", "do":
		default:
			continue
		}
		if leaves(low[i+k:], low[i]) && nominal(low[:i]) {
			return grammar.Span{From: 0, To: i}, true
		}
	}
	return grammar.Span{}, false
}

// leaves reports an order to leave alone without an object of its own, said by who.
func leaves(low []string, who string) bool {
	for len(low) > 1 && (words.Filler(low[len(low)-1]) || low[len(low)-1] == "!" || low[len(low)-1] == "either" || low[len(low)-1] == "anyway") {
		low = low[:len(low)-1]
	}
	if len(low) == 0 {
		return false
	}
	if who == "nobody" {
		return len(low) == 1 && touches(low[0])
	}
	n := 0
	switch {
	case low[0] == "don't" || low[0] == "won't" || low[0] == "mustn't" || low[0] == "shouldn't" || low[0] == "never":
		n = 1
	case len(low) > 1 && low[1] == "not" && (low[0] == "do" || low[0] == "must" || low[0] == "should" || low[0] == "may" || low[0] == "will"):
		n = 2
	case who == "i'd" || who == "we'd" || who == "you" || who == "we" || who == "i" || who == "please":
		if low[0] == "like" && len(low) > 2 && low[1] == "as" {
			return true // "the rest I like as it is"
		}
		if len(low) == 1 && low[0] == "leave" && (who == "we" || who == "you" || who == "i'd") {
			return true
		}
		if who != "please" && (low[0] == "want" || low[0] == "like") && len(low) > 2 {
			return low[1] == "left" || low[1] == "kept" && (low[2] == "as" || low[2] == "the")
		}
		return len(low) > 1 && (low[0] == "leave" || low[0] == "keep") && (low[1] == "as" || low[1] == "alone" || low[1] == "untouched" || low[1] == "unchanged" || low[1] == "be")
	}
	if n == 0 || n >= len(low) {
		return false
	}
	if touches(low[n]) {
		return n+1 == len(low) || low[n+1] == "at" || low[n+1] == "ever"
	}
	if low[n] == "want" && len(low) > n+1 {
		last := low[len(low)-1]
		return touched(last) && len(low)-n < 5
	}
	return false
}

// rather reads "I'd rather you left the text as it is", "I'd rather the marts kept their
// order": what is to be left or kept.
func rather(low []string) (grammar.Span, bool) {
	i := slices.Index(low[:min(4, len(low))], "rather")
	if i < 1 || i+3 > len(low) || low[0] != "i'd" && low[0] != "we'd" && low[i-1] != "would" {
		return grammar.Span{}, false
	}
	for j := i + 1; j < len(low); j++ {
		switch low[j] {
		case "left", "kept", "leave", "keep":
			s := Object(low, j+1)
			return s, s.To > s.From
		case "stayed", "remained", "stay":
			return grammar.Span{From: i + 1, To: j}, j > i+1
		case "didn't", "not":
			if j+1 < len(low) && touches(low[j+1]) {
				if j+2 >= len(low) {
					return grammar.Span{From: i + 1, To: j}, j > i+1 && !words.Subject(low[i+1])
				}
				s := Object(low, j+2)
				return s, s.To > s.From
			}
		}
	}
	return grammar.Span{}, false
}

// asNow reads a thing and, without a verb, that it is as it was: "sort order the same as ever",
// "zoom behaviour as today", "output format identical".
func asNow(low []string) (grammar.Span, bool) {
	end := len(low)
	for end > 1 && (words.Filler(low[end-1]) || low[end-1] == ",") && low[end-1] != "now" {
		end--
	}
	line := strings.Join(low[:end], " ")
	for _, p := range []string{"the same as ever", "the same as always", "the same as before", "the same as now", "the same as today", "same as ever", "same as always", "same as before", "same as today", "exactly as today", "exactly as now", "exactly as before", "as today", "as now", "as ever", "as always", "as usual", "like before", "like today", "as at present", "as currently", "identical", "the same", "intact", "unmodified", "as-is"} {
		if head, ok := strings.CutSuffix(line, " "+p); ok {
			to := strings.Count(head, " ") + 1
			return grammar.Span{From: 0, To: to}, nominal(low[:to]) && low[0] != "same" && !(p == "the same" && slices.Contains(low[:to], "and"))
		}
	}
	return grammar.Span{}, false
}

// meanwhile reads what is to stay as it is while something is done: "format it while the comments
// survive", "make it lock free with the public interface untouched".
func meanwhile(low []string, n int) (grammar.Span, bool) {
	for i := n + 1; i+2 < len(low); i++ {
		if low[i] == "such" && low[i+1] == "that" || i+4 < len(low) && low[i] == "as" && low[i+1] == "long" && low[i+2] == "as" {
			from := i + 2
			if low[i] == "as" {
				from++
			}
			s, ok := Subject(low[from:])
			return grammar.Span{From: s.From + from, To: s.To + from}, ok && s.To > s.From // "as long as the API stays the same"
		}
		if low[i] != "while" && low[i] != "with" {
			continue
		}
		rest := low[i+1:]
		last := rest[len(rest)-1]
		if low[i] == "while" && (last == "survive" || last == "survives") && nominal(rest[:len(rest)-1]) {
			return grammar.Span{From: i + 1, To: len(low) - 1}, true
		}
		if (last == "unchanged" || last == "untouched" || last == "intact") && nominal(rest[:len(rest)-1]) {
			return grammar.Span{From: i + 1, To: len(low) - 1}, true
		}
	}
	return grammar.Span{}, false
}
