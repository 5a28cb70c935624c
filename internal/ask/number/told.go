package number

import (
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Them reports an object that is a pronoun for several things: "delete them", "drop those",
// "cut them".
func Them(object []string) bool {
	for i, w := range object {
		if i > 2 {
			return false
		}
		switch w {
		case "them", "'em", "em":
			return true
		case "those", "these":
			return i+1 == len(object) || words.Preposition(object[i+1]) || words.Conjunction(object[i+1]) || object[i+1] == "," || words.Filler(object[i+1])
		}
	}
	return false
}

// Told is the number of things that a clause tells of: what it begins with ("6 keys have no
// translation"), or what there is ("app.json has three permissions left over"). Nil where it
// tells of none, or of numbers that say something else.
func Told(low []string) *int {
	for i, w := range low {
		if words.Subordinator(w) || w == "if" || w == "when" {
			return nil
		}
		n, ok := words.Number(w)
		if !ok || n < 2 || !plural(low[i+1:]) || valuing(low, i) || !counts(low, i, max(0, i-1), belay.MarkModify) {
			continue
		}
		return &n
	}
	return nil
}

// Summed is the number that the things before come to: "both are replaced by the watcher".
func Summed(low []string) *int {
	if len(low) > 2 && low[0] == "all" {
		low = low[1:]
	}
	if len(low) < 2 || !words.Auxiliary(low[1]) && low[1] != "of" {
		return nil
	}
	if n, ok := words.Number(low[0]); ok && n > 1 && (low[0] == "both" || low[0][0] > '9') {
		return &n
	}
	return nil
}
