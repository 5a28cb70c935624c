// Package object says what the words behind a verb tell of the thing it is done to: where it is to
// be, how much of it there is, which of several it is, whether anything sets it off. It answers
// about rows of words and knows nothing of the verb. It touches no file, process, clock or network.
package object

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Placed reports something asked for in a place: "the weather on the start page".
func Placed(o []string) bool {
	for i := 2; i+1 < len(o); i++ {
		if last := o[len(o)-1]; i+3 == len(o) || i+2 == len(o) {
			if last == "left" || last == "right" || last == "top" || last == "bottom" || last == "middle" || last == "centre" || last == "center" {
				return false // where it is to be, and not in what
			}
		}
		if (o[i] == "on" || o[i] == "in" || o[i] == "at") && (o[i+1] == "the" || o[i+1] == "every" || o[i+1] == "each" || o[i+1] == "our" || o[i+1] == "my") {
			return true
		}
	}
	return false
}

// Gone reports a thing that somebody wants to be there no more: "the confetti gone", "the teaser
// gone from the homepage".
func Gone(o []string) bool {
	for i := 1; i < min(len(o), 7); i++ {
		if (o[i] == "gone" || o[i] == "removed" || o[i] == "deleted") && (i+1 == len(o) || o[i+1] == "from" || o[i+1] == "please" || o[i+1] == "completely") {
			return true
		}
	}
	return false
}

// Possibility reports "the possibility to sort", "an option for both": something nobody can do
// yet, whatever the article.
func Possibility(o []string) bool {
	for i, w := range o[:min(3, len(o)-1)] {
		switch w {
		case "possibility", "option", "ability", "chance", "opportunity", "way":
			return o[i+1] == "to" || o[i+1] == "of" || o[i+1] == "for"
		}
	}
	return false
}

// Much reports what something has more or less of, and does not get for the first time.
func Much(w string) bool {
	switch w {
	case "space", "contrast", "padding", "room", "margin", "time", "memory", "light", "width", "height", "detail", "weight", "attention", "structure":
		return true
	}
	return false
}

// FromTo reads "from weekly to daily backups".
func FromTo(rest []string) bool {
	if i := slices.Index(rest, "from"); i > 2 && i+3 < len(rest)+1 && i+2 < len(rest) && rest[i+2] == "to" && len(rest)-i < 6 && (rest[i-1] == "goes" || rest[i-1] == "changes" || rest[i-1] == "moves" || rest[i-1] == "switches") {
		return true // "the avatar goes from square to round"
	}
	i := slices.Index(rest, "to")
	return i > 1 && i < 4 && i+1 < len(rest) && len(rest) < 8 && !grammar.AnyVerb(rest[i+1])
}

// Level reports how much a program logs.
func Level(w string) bool {
	switch w {
	case "debug", "info", "warn", "warning", "error", "trace", "verbose", "fatal":
		return true
	}
	return false
}

// SomeOf reports that only some of several things are meant, and not which: "some of the
// pages".
func SomeOf(o []string) bool {
	if len(o) < 3 || len(o) > 5 || o[1] != "of" {
		return false
	}
	switch o[0] {
	case "some", "half", "most", "part", "several", "many":
		return true
	}
	return false
}

// StopsDoing reports "stop showing the popup": something it does on purpose.
func StopsDoing(o []string) bool {
	if len(o) < 2 {
		return false
	}
	_, fails := words.Fails(o[0])
	_, end := words.Base(o[0], grammar.AnyVerb)
	return (end == "ing" || strings.HasPrefix(o[0], "re-") && strings.HasSuffix(o[0], "ing")) && !fails
}

// Sooner are words for when and how often, against when and how often it is now.
var Sooner = map[string]bool{"earlier": true, "later": true, "sooner": true, "faster": true, "slower": true, "often": true, "rarely": true, "frequently": true, "longer": true, "shorter": true}

// Extent are what a thing that is there has some number of: "two decimals".
var Extent = map[string]bool{"decimals": true, "decimal": true, "digits": true, "characters": true, "chars": true, "letters": true, "places": true, "pixels": true, "px": true, "columns": true, "rows": true, "lines": true, "seconds": true, "minutes": true, "replicas": true, "retries": true, "percent": true}

// Setting are nouns that a value follows.
var Setting = map[string]bool{"level": true, "mode": true, "format": true, "type": true, "color": true, "colour": true, "size": true, "language": true, "timezone": true, "theme": true, "engine": true, "encoding": true,
	"version": true, "unit": true, "currency": true, "port": true, "host": true, "name": true, "title": true, "order": true, "region": true, "strategy": true, "policy": true, "width": true, "height": true}

func Target(w string) bool { return grammar.Numeric(w) || w == "\"" || strings.ContainsAny(w, "./_") }

// Recorded are verbs whose passive asks for something that is not there yet: "the old name
// should be mentioned".
var Recorded = map[string]bool{"mention": true, "log": true, "track": true, "record": true, "notify": true, "archive": true, "save": true, "cache": true, "validate": true, "store": true, "check": true, "count": true, "measure": true, "audit": true, "retry": true, "highlight": true}

// Participle reports a verb in -ing or -ed: "needs renaming".
func Participle(w string) (modify, ok bool) {
	b, end := words.Base(w, grammar.AnyVerb)
	sense, _ := words.Verb(b)
	return sense == words.Modify && end != "" && end != "s", end != ""
}

// Untold reports a thing that is to become another, and not which: "change the date in the lab
// report".
func Untold(o []string) bool {
	if len(o) < 2 || !grammar.Definite(o[0]) {
		return false
	}
	for i, w := range o {
		switch w {
		case "to", "into", "from", "so", "by", "with", "back", "how", "instead", "accordingly", "that", "as", "like", "for", "\"", "order", "when", "every", "all", "everywhere", "where", "which":
			return false
		}
		if i > 0 && (grammar.Compared([]string{"x", w}) > 0 || grammar.Numeric(w) || strings.ContainsAny(w, "./_->→=:") || w == "and") {
			return false
		}
	}
	return true
}

// Further reports that something is done to one thing more: "publish the pressure too".
func Further(o []string) bool {
	n := len(o)
	return n > 1 && (o[n-1] == "too" || o[n-1] == "also" || o[n-1] == "well" && o[n-2] == "as")
}
