package grammar

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Manner reports the object of a verb like "show" or "send" with how it is to be shown or
// sent: in which order, unit, format or words. What is shown is there; how it is shown
// changes: "show distances in miles", "send the reports as pdf", "list the newest first". A
// thing with an indefinite article is new whatever is said of it.
func Manner(o []string) bool {
	if i := slices.IndexFunc(o, func(w string) bool { return w == "when" || w == "if" || w == "while" || w == "for" || w == "because" }); i > 0 {
		o = o[:i] // for whom and when says nothing of how
	}
	for len(o) > 1 && (words.Filler(o[len(o)-1])) && o[len(o)-1] != "only" && o[len(o)-1] != "first" {
		o = o[:len(o)-1]
	}
	if len(o) < 2 || Articled(o[0]) || words.Pronoun(o[0]) || o[0] == "who" || o[0] == "what" || o[0] == "which" || o[0] == "how" || o[0] == "where" || words.Preposition(o[0]) || slices.Contains(o, "too") || slices.Contains(o, "next") || slices.Contains(o, "beside") || slices.Contains(o, "alongside") || slices.Contains(o, "besides") {
		return false
	}
	last := o[len(o)-1]
	if last == "first" || last == "last" || last == "full" && o[len(o)-2] == "in" {
		return true
	}
	_, many := Value(o[0])
	if i := slices.Index(o, "per"); many && i > 0 {
		return true // "20 items per page"
	}
	for i := 1; i+1 < len(o); i++ {
		switch o[i] {
		case "as":
			return o[i+1] != "well" && o[i+1] != "soon" && o[i+1] != "a" && o[i+1] != "an"
		case "in":
			return slices.ContainsFunc(o[i+1:], Format)
		case "with", "without", "including", "excluding":
			return len(o)-i == 2 && (o[0] == "all" || Definite(o[0]) || strings.HasSuffix(o[i-1], "s") && i == 1) // "prices with VAT"
		}
	}
	return false
}

// Format reports a word for how something is written, counted or coloured.
func Format(w string) bool {
	switch strings.TrimSuffix(w, "s") {
	case "format", "zone", "timezone", "time", "case", "mile", "kilometre", "kilometer", "metre", "meter", "km", "minute", "hour", "second", "day", "week", "utc", "bold", "italic", "cap", "capital", "uppercase", "lowercase", "colour", "color",
		"order", "percent", "euro", "dollar", "celsius", "fahrenheit", "json", "yaml", "markdown", "html", "xml", "csv", "pdf", "font", "size", "style", "full", "red", "green", "blue", "grey", "gray", "black", "white", "english", "german", "french", "spanish", "digit", "word", "letter", "decimal", "column", "row", "unit", "gram", "ounce", "cup", "litre", "liter", "pound", "kg", "cent", "inch", "inche", "feet", "celcius", "currency", "language", "layout", "metric":
		return true
	}
	return strings.Contains(w, "/") && len(w) > 2 || w == "24h" || w == "12h"
}

// Stream reports where a program's messages go.
func Stream(w string) bool {
	switch w {
	case "a", "the", "stdout", "stderr", "console", "syslog", "journald", "file", "disk":
		return true
	}
	return strings.Contains(w, "/")
}

// Presents reports a verb whose object is there and is shown, written or sent somehow.
func Presents(verb string) bool {
	switch verb {
	case "show", "display", "print", "list", "render", "log", "write", "send", "save", "store", "output", "present", "read", "load", "open":
		return true
	}
	return false
}

// Destined reports several things, or a thing that is there, and where they are to go or
// come from, by an address, a path or a name: "write logs to /var/log/app", "send the mails
// from noreply@acme.org". "With the new key" is another one in place of what is used now.
func Destined(o []string) bool {
	if len(o) < 3 || Articled(o[0]) || slices.Contains(o, "too") {
		return false
	}
	for i := 1; i+1 < len(o); i++ {
		switch o[i] {
		case "to", "from", "into":
			return i < 4 && strings.ContainsAny(o[i+1], "./@_")
		case "with", "by":
			return i+3 < len(o) && (o[i+1] == "the" || o[i+1] == "our") && o[i+2] == "new"
		}
	}
	return false
}

// Relaxed reports what is allowed beyond what is allowed now: more of it, longer, none at
// all, other characters in it. It changes a rule that is there.
func Relaxed(o []string) bool {
	if slices.Contains(o, "to") && !slices.Contains(o, "up") && !slices.Contains(o, "contain") {
		return false
	}
	for i, w := range o {
		switch w {
		case "more", "longer", "newlines", "numbers", "symbols", "slashes", "larger", "bigger", "shorter", "several", "multiple", "empty", "duplicate", "blank", "contain", "negative", "decimals", "characters", "letters", "digits", "dots", "spaces", "hyphens", "dashes", "umlauts", "emojis", "uppercase", "lowercase", "apostrophes":
			return true
		case "up":
			return i+1 < len(o) && o[i+1] == "to"
		case "any", "no":
			return i == 0
		}
	}
	return false
}
