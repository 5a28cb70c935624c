package object

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Valued reports a thing that is there with what it is to be: a place, a value, a state; topic says that it stands under one.
func Valued(rest []string, topic bool) bool {
	last := rest[len(rest)-1]
	if i := slices.Index(rest, "in"); rest[0] == "default" && len(rest) > 2 || i > 0 && i+1 < len(rest) && i < 3 && (strings.HasSuffix(rest[i-1], "s") && grammar.Format(last) || i+2 == len(rest) && (words.Comparative(last) || last == "red" || last == "caps")) && !grammar.Articled(rest[0]) {
		return true // "default language German", "buttons in the brand colour"
	}
	switch {
	case last == "only" || rest[0] == "only" && len(rest) > 1, topic && grammar.Numeric(rest[0]), rest[0] == "from" && (grammar.Old(rest) || FromTo(rest)), rest[0] == "new" && len(rest) == 2 && grammar.Attribute(last), rest[0] == "new" && len(rest) > 3 && grammar.Attribute(strings.TrimSuffix(rest[1], "s")) && rest[2] == "for",
		len(rest) > 2 && len(rest) < 6 && rest[1] == "as" && strings.HasSuffix(rest[0], "s"):
		return true
	case grammar.Articled(rest[0]):
		return false
	case slices.Index(rest, "from") > 0 && strings.HasSuffix(rest[slices.Index(rest, "from")-1], "s") && grammar.Definite(rest[min(slices.Index(rest, "from")+1, len(rest)-1)]):
		return true // "colours from the theme"
	case slices.Index(rest, "only") > 0 && slices.Index(rest, "only")+1 < len(rest) && grammar.Conditional(rest[slices.Index(rest, "only")+1]):
		return true // "colours only if stdout is a tty"
	case slices.Index(rest, "without") > 0:
		return true // "cards without shadow"
	case predicated(rest):
		return true
	case len(rest) > 2 && len(rest) < 5 && Setting[rest[len(rest)-2]] && (Level(last) || grammar.Numeric(last) || grammar.Format(last)):
		return true // "log level warn"
	case topic && len(rest) > 1 && len(rest) < 5 && Setting[rest[len(rest)-2]] && !words.Preposition(last): // "log level warning"
		return true
	case topic && len(rest) == 1 && words.Comparative(last):
		return true // "the buttons: green"
	case last == "left", last == "right", last == "top", last == "bottom", last == "middle", last == "centre", last == "center":
		return true
	case len(rest) > 2 && last == "default" && rest[len(rest)-2] == "by", topic && slices.Index(rest, "as") > 0:
		return true
	}
	if i := slices.Index(rest, "per"); i > 1 && i < 4 && grammar.Numeric(rest[0]) {
		return true // "50 rows per page"
	}
	return grammar.Stated(rest) || grammar.Bounded(rest) || grammar.Switched(rest) || grammar.Towards(rest)
}

// predicated reports a thing with what is to be said of it: "magic link valid for 30 minutes",
// "login only with email".
func predicated(rest []string) bool {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case "valid", "visible", "available", "required", "allowed", "enabled", "disabled", "mandatory", "optional", "forbidden":
			return !slices.ContainsFunc(rest[:i], words.Preposition)
		case "only":
			if i+1 < len(rest) && words.Preposition(rest[i+1]) {
				return true
			}
		}
	}
	return false
}
