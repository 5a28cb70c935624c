package concern

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// detail reports a sentence that says of the thing asked for in the one before how much, of
// which kind or in which form it is wanted, and asks for nothing else: "Five tries a minute
// should do.", "It should follow the system.", "Semicolons, UTF-8 with BOM."
func detail(a, last deed.Act, marker belay.Marker) bool {
	if marker == belay.MarkFix && a.Verb == "from now on" && !a.Also && a.C.Line == last.C.Line && a.C.Sent-last.C.Sent < 2 && slices.Contains(a.C.Low(), "becomes") {
		return true // "Bold becomes <b>": what comes of it
	}
	if a.Also || a.C.Line != last.C.Line || a.C.Block.Kind != prose.Para || a.C.Topic != "" || marker == belay.MarkFix || marker == belay.MarkRemove {
		return false
	}
	low := a.C.Low()
	n, _ := grammar.Strip(low)
	rest := low[n:]
	if Suffices(rest) || value(rest, marker) || ideal(a, rest) && a.C.Sent-last.C.Sent < 2 {
		return true
	}
	if marker == belay.MarkAdd && a.Verb == "a thing named" && a.Marker == belay.MarkModify && a.C.Join == "," && a.C.Sent == last.C.Sent && last.Verb != "a thing named" && !a.C.Group && grammar.Valued(rest) && !grammar.Old(rest) {
		return true // "export to AVIF, default quality 60": of what is new
	}
	if a.C.Sent != last.C.Sent+1 || len(rest) == 0 {
		return false
	}
	switch {
	case marker == belay.MarkAdd && a.Pronoun && deed.IsWish(a.Verb) && a.C.Join == "":
		return rest[0] == "it" || rest[0] == "they" || rest[0] == "this" || rest[0] == "that"
	case strings.HasPrefix(a.Verb, "wants ") && marker == belay.MarkAdd && a.C.Join == "" && a.Obj+1 == len(low) && strings.HasSuffix(low[a.Obj], "s"):
		return true // "the ministry wants semicolons"
	case marker == belay.MarkAdd && (low[0] == "maybe" || low[0] == "perhaps") && a.Verb == "a thing named" && a.C.Close == "?":
		return true // "maybe a red dot?"
	case marker == belay.MarkAdd && a.C.Join == "" && low[len(low)-1] == "it" && (low[0] == "only" || low[0] == "nobody" || low[0] == "everybody") && grammar.Finite(rest):
		return true // "Only teachers may see it."
	case renamed(a) && last.Verb == "rename":
		return true
	case a.Verb != "a thing named":
		return false
	}
	if len(rest) > 3 && rest[0] == "one" && (slices.Contains(rest, "per") || slices.Contains(rest, "each")) {
		return true // "one file per kind"
	}
	if len(rest) > 2 && len(rest) < 7 && (rest[0] == "a" || rest[0] == "an" || rest[0] == "just") && marker == belay.MarkAdd && slices.ContainsFunc(rest[1:3], func(w string) bool {
		switch w {
		case "simple", "plain", "basic", "small", "short", "tiny", "little", "minimal", "normal", "quick":
			return true
		}
		return false
	}) {
		return true // "A simple table."
	}
	if rest[0] == "the" && len(rest) > 1 && (rest[1] == "one" || rest[1] == "ones") {
		return true // "The one from the design system."
	}
	if marker == belay.MarkAdd && words.Several(rest[0]) && len(rest) < 4 && a.C.Join == "" && a.C.Frag {
		return true // "Three flats, same date."
	}
	return marker == belay.MarkAdd && last.C.Topic == "" && len(rest) < 8 && (restrictive(rest) || form(a))
}

// Suffices reports that so much or so little of something will do: "titles are enough",
// "five tries should do", "a plain list is fine".
func Suffices(low []string) bool {
	n := len(low)
	for n > 2 && words.Filler(low[n-1]) || n > 4 && low[n-2] == "for" && (low[n-1] == "us" || low[n-1] == "me") {
		n--
		if low[n-1] == "for" {
			n--
		}
	}
	if n < 2 || low[0] == "that" && n < 4 {
		return false
	}
	switch low[n-1] {
	case "suffice", "suffices":
		return true
	case "do":
		return low[n-2] == "should" || low[n-2] == "will" || low[n-2] == "would" || low[n-2] == "could" || low[n-2] == "already" || low[n-2] == "might"
	case "enough", "plenty", "sufficient", "okay", "fine":
		return words.Auxiliary(low[n-2]) && !words.Negative(low[n-2]) || n > 3 && (low[n-2] == "totally" || low[n-2] == "more-than" || low[n-2] == "perfectly")
	}
	return false
}

// ideal reports which kind of the thing would be best: "Polyglot format would be ideal".
func ideal(a deed.Act, rest []string) bool {
	return a.Verb == "would be" && len(rest) > 0 && !grammar.Articled(rest[0]) && a.C.Join == ""
}

// value reports a clause that only gives the new thing a number to begin or to end with:
// "start at 100 ms", "give up after five", "expire after a day".
func value(rest []string, marker belay.Marker) bool {
	if marker != belay.MarkAdd || len(rest) < 3 || len(rest) > 6 {
		return false
	}
	at := 1
	if rest[0] == "give" && rest[1] == "up" {
		at = 2
	}
	switch rest[0] {
	case "start", "begin", "stop", "give", "expire", "wait", "end", "cap":
	default:
		return false
	}
	if at+1 >= len(rest) {
		return false
	}
	if rest[at] != "at" && rest[at] != "after" && rest[at] != "with" && rest[at] != "from" {
		return false
	}
	_, ok := grammar.Value(rest[at+1])
	return ok
}

// renamed reports the new name of one of several things: ""Home" becomes "Overview"".
func renamed(a deed.Act) bool {
	low := a.C.Low()
	return a.Verb == "from now on" && len(low) > 2 && low[0] == "\""
}

// restrictive reports a fragment that narrows what was named before: "titles only", "the one
// from the design system", "edge cases especially".
func restrictive(rest []string) bool {
	for len(rest) > 1 && (words.Filler(rest[len(rest)-1]) && rest[len(rest)-1] != "only" || rest[len(rest)-1] == "please") {
		rest = rest[:len(rest)-1]
	}
	n := len(rest)
	if n < 2 {
		return false
	}
	if rest[0] == "one" && (rest[1] == "per" || rest[1] == "for") {
		return true
	}
	return rest[n-1] == "only" || slices.ContainsFunc(rest, func(w string) bool {
		switch w {
		case "especially", "preferably", "particularly", "mainly", "mostly":
			return true
		}
		return false
	})
}

// form reports one of several short words for how the thing before is to be: "Weekly,
// grouped."
func form(a deed.Act) bool {
	low := a.C.Low()
	return a.C.Frag && a.C.Join == "," && !a.C.Group && len(low) < 4 && !words.Determiner(low[0]) && !slices.Contains(low, "please")
}
