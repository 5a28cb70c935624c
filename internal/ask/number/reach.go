package number

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// reached is a number further on in the clause: of all the things that the deed reaches ("in all
// three views"), or of what a modal asks for ("a long press should offer two shortcuts").
func reached(a deed.Act, m belay.Marker) *int {
	low := a.C.Low()
	for i := 1; i+1 < len(low); i++ {
		w := low[i]
		if words.Subordinator(w) || w == "if" || w == "when" || w == "not" || w == "instead" || w == "except" || w == "like" || w == "than" {
			return nil
		}
		n, ok := words.Number(w)
		if !ok || n < 2 || !plural(low[i+1:]) || valuing(low, i) {
			continue
		}
		if w == "both" && !slices.Contains(low[i+1:min(i+4, len(low))], "and") || low[i-1] == "all" || of(low, i) && low[i-1] == "and" {
			return &n
		}
		if m != belay.MarkFix && wished(low, i) || low[i-1] == "are" && i > 1 && low[i-2] == "there" {
			return &n
		}
		if ordinal(low[i-1]) && i > 1 && low[i-2] == "the" && w[0] > '9' {
			return &n
		}
		if m == belay.MarkFix && opens(low, i) && told(low[i+1:]) {
			return &n
		}
		if m != belay.MarkFix && i > 1 && held(low, i) && among(low[i-2]) {
			return &n
		}
	}
	return nil
}

// of reports "three of the …".
func of(low []string, i int) bool {
	return i+2 < len(low) && low[i+1] == "of" && words.Determiner(low[i+2])
}

// held reports a determiner in front of a number: "the four levels", "our three sites".
func held(low []string, i int) bool {
	switch low[i-1] {
	case "the", "these", "those", "our", "my", "its", "their", "all", "your":
		return true
	}
	return false
}

// among reports a word behind which all of something are reached.
func among(w string) bool {
	switch w {
	case "for", "on", "in", "of", "across", "from", "to", "with":
		return true
	}
	return false
}

// ordinal reports a word that chooses from a row: "the first two rows".
func ordinal(w string) bool { return w == "first" || w == "last" || w == "next" }

// opens reports a place where the subject of a clause can begin, behind what is said of time and
// place: "since yesterday three tests fail".
func opens(low []string, i int) bool {
	switch low[i-1] {
	case ",", "and", "that", "yesterday", "today", "now", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return true
	case "the", "our", "these", "those", "my", "a":
		return i < 6 && !slices.ContainsFunc(low[:i-1], words.Auxiliary) && (i < 2 || !words.Preposition(low[i-2]))
	}
	return false
}

// told reports a noun in the plural and a verb that says something of it.
func told(low []string) bool {
	for i := 1; i < len(low) && i < 8; i++ {
		if words.Subordinator(low[i]) || low[i] == "," {
			return false
		}
		if words.Auxiliary(low[i]) || words.Negative(low[i]) {
			return true
		}
		if words.Wrong(low[i]) || words.Soft(low[i]) {
			return true
		}
		if strings.HasSuffix(low[i-1], "s") {
			return !words.Preposition(low[i]) && !words.Conjunction(low[i]) && !strings.ContainsAny(low[i], ":;(=")
		}
	}
	return false
}

// wished reports a number in the object of what a modal asks for: "should offer two shortcuts",
// "should like the following two additions".
func wished(low []string, i int) bool {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		if words.Modal(low[k]) {
			return i-k > 1
		}
		switch low[k] {
		case "needs", "need", "gets", "get", "lacks", "lack", "misses", "missing", "wants", "deserves":
			return true
		}
		if words.Preposition(low[k]) {
			return false
		}
	}
	return false
}

// plural reports words that begin with the name of several things: "wrong tiles in".
func plural(low []string) bool {
	for i, w := range low {
		if i > 3 || words.Unit(w) || words.Auxiliary(w) || words.Preposition(w) && w != "of" || words.Conjunction(w) || strings.ContainsAny(w, ",;:()/") {
			return false
		}
		if w == "of" {
			return i == 0
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") || w == "people" || w == "children" || w == "data" || w == "indices" {
			return true
		}
	}
	return false
}

// valuing reports a number that is a value: a year, a rate ("50 hits a page"), the new one of
// two ("50 rows, not 500"), a part of a name ("c++ 20").
func valuing(low []string, i int) bool {
	w := low[i]
	digits := w[0] >= '0' && w[0] <= '9'
	if !digits {
		return false
	}
	if len(w) == 4 && (strings.HasPrefix(w, "20") || strings.HasPrefix(w, "19")) {
		return true
	}
	if i > 0 && (strings.HasSuffix(low[i-1], "+") || low[i-1] == "of") {
		return true
	}
	rest := low[i+1:]
	if len(rest) > 2 && (rest[1] == "a" || rest[1] == "an") && !words.Preposition(rest[0]) {
		return true
	}
	for k := 1; k+1 < len(rest) && k < 4; k++ {
		if _, ok := words.Number(rest[k+1]); ok && (rest[k] == "not" || rest[k] == "than") {
			return true
		}
	}
	return false
}

// name reports a digit that tells one thing from others of its kind: "robot 7 went", "cell 14
// uses".
func name(low []string, i, from int, m belay.Marker) bool {
	if i == 0 || i != from+1 || m != belay.MarkFix || low[i][0] < '0' || low[i][0] > '9' {
		return false
	}
	w := low[i-1]
	return !words.Determiner(w) && !words.Preposition(w) && !words.Filler(w) && !words.Auxiliary(w) && !strings.HasSuffix(w, "s")
}
