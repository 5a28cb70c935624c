package check

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// editVerbs are verbs with an object that a request wants changed.
	editVerbs = lazyregexp.Of(`add append put insert write create change update edit modify remove delete replace bump
	set fix document mention note list
		correct reword extend drop move rename tidy clean improve refresh rewrite revise adjust sync regenerate restore
		harden secure pin simplify split merge convert migrate reformat format lint enable disable shorten`)
	locationWords = lazyregexp.Of(`to in into from of within inside`)
	articles      = lazyregexp.Of(`the our my your a file new top-level root existing both`)
)

// Permits reports whether a request asks to change a path: by name, as the object of a requirement
// or as the place of an addition, or by a folder that ends in "/". "As described in AGENTS.md" does
// not ask for that, and neither does "don't touch AGENTS.md".
func Permits(req belay.Request, words, p string) bool {
	return slices.ContainsFunc(req.Requirements, func(r belay.Requirement) bool {
		w := splitTerms(fullClause(r.Text, words))
		i := 0
		for i < len(w) && openingWords.Has(strings.ToLower(w[i].text)) {
			i++
		}
		if i >= len(w) || !editVerbs.Has(strings.ToLower(w[i].text)) || isForbidding(w) {
			return false
		}
		for k := i + 1; k < len(w); k++ {
			folder := strings.TrimPrefix(w[k].text, "./")
			if (NamesPath("`"+w[k].text+"`", p) || strings.HasSuffix(folder, "/") && strings.HasPrefix(p, folder)) &&
				isObjectOrPlace(w[i:k]) {
				return true
			}
		}
		return false
	})
}

func isForbidding(w []requestTerm) bool {
	return slices.ContainsFunc(w, func(t requestTerm) bool {
		low := strings.ToLower(t.text)
		return slices.Contains([]string{"not", "don't", "don’t", "without", "never", "except"}, low)
	})
}

// isObjectOrPlace reports whether the path after the words is the object of their verb, or its
// place.
func isObjectOrPlace(w []requestTerm) bool {
	for k := len(w) - 1; k > 0; k-- {
		low := strings.ToLower(w[k].text)
		switch {
		case articles.Has(low), low == "and", low == ",", strings.ContainsAny(w[k].text, "./") && !w[k].mark && k == len(w)-2:
			continue
		case locationWords.Has(low):
			return !participle.MatchString(strings.ToLower(w[k-1].text)) &&
				!slices.Contains([]string{"as", "according", "see", "described", "defined", "it", "says"}, strings.ToLower(w[k-1].text))
		}
		return false
	}
	return true
}
