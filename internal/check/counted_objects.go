package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// otherCountedWords are words before a number that counts something other than what is added: "in
// two places", "these three cases".
var otherCountedWords = []string{
	"about", "across", "after", "against", "at", "before", "between", "by", "for", "from", "in", "inside", "of", "on", "over", "per",
	"than", "these", "those", "through", "under", "until", "with", "within",
}

// addVerbStems are the stems of verbs that create their object.
var addVerbStems = []string{
	"add", "append", "build", "built", "contain", "cover", "creat", "defin", "declar", "design", "develop", "draft", "draw", "expos",
	"extend", "generat", "get", "implement", "includ", "insert", "introduc", "make", "need", "place", "prepar", "produc", "provid", "put",
	"register", "require", "seed", "show", "suggest", "suppl", "support", "want", "write", "wrot",
}

// countsWhatIsAdded reports whether the number of a requirement may count what is added. It is
// false only if the words before it contradict that: the number follows a preposition, or the verb
// does not add ("rejected five requests"). "Both" is never a number of new things.
func countsWhatIsAdded(r belay.Requirement) bool {
	if r.Count == nil || *r.Count < 2 {
		return true
	}
	words := strings.Fields(strings.ToLower(r.Text))
	for i, w := range words {
		words[i] = strings.Trim(w, ",;:.()[]{}\"`*_")
	}
	n := *r.Count
	written := strconv.Itoa(n)
	if small := strings.Split(toTwelve, "|"); n-2 < len(small) {
		written = small[n-2]
	}
	at := slices.IndexFunc(words, func(w string) bool { return w == strconv.Itoa(n) || w == written })
	switch {
	case at < 0:
		return !slices.Contains(words, "both")
	case at == 0 || at+1 < len(words) && slices.Contains([]string{"more", "new", "additional", "further", "extra", "other"}, words[at+1]):
		return true
	}
	before := words[at-1]
	if slices.Contains(otherCountedWords, before) {
		return false
	}
	done := strings.HasSuffix(before, "ed") || strings.HasSuffix(before, "es") || strings.HasSuffix(before, "s")
	return !done || slices.ContainsFunc(addVerbStems, func(stem string) bool { return strings.HasPrefix(before, stem) })
}
