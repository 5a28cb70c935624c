package count

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// SplitWords splits text and names into words: camelCase, snake_case, kebab-case.
func SplitWords(text string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			if r == '\'' || r == '’' {
				if i+1 < len(runes) && (runes[i+1] == 's' || runes[i+1] == 'S') {
					flush()
					continue
				}
			}
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && len(word) > 0:
			lowerBefore := unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])
			lowerAfter := i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])
			if lowerAfter && i+2 == len(runes) && runes[i+1] == 's' { // URLs
				lowerAfter = false
			}
			if lowerBefore || lowerAfter {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return out
}

var irregular = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "mice": "mouse", "criteria": "criterion",
	"indices": "index", "matrices": "matrix", "media": "medium", "shelves": "shelf", "leaves": "leaf", "knives": "knife", "lives": "life",
	"flavour": "flavor", "flavours": "flavor", "colour": "color", "colours": "color", "faqs": "faq", "movies": "movie", "cookies": "cookie",
	"ties": "tie", "pies": "pie", "status": "status", "statuses": "status", "aliases": "alias", "buses": "bus",
	"lenses": "lens", "news": "news",
	"caches": "cache", "axes": "axis", "analyses": "analysis", "series": "series", "recipes": "recipe", "dependencies": "dependency",
}

func hasEnding(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(w, end) })
}

// Stem returns the singular of a word.
func Stem(w string) string {
	if s, ok := irregular[w]; ok {
		return s
	}
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && hasEnding(w, "ches", "shes", "sses", "xes", "zzes"):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !hasEnding(w, "ss", "us", "is"):
		return w[:len(w)-1]
	}
	return w
}

// Stems returns the words of a text, each in the singular.
func Stems(text string) []string {
	words := SplitWords(text)
	for i, w := range words {
		words[i] = Stem(w)
	}
	return words
}

// TopicWords returns the content words of a text, in the singular and in lower case, names split
// into their parts: no articles, numbers or verbs of requesting.
func TopicWords(text string) []string {
	var out []string
	for _, s := range Stems(text) {
		if _, err := strconv.Atoi(s); err != nil && !IsStopWord.Has(s) && len(s) > 1 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// IsRelated reports whether two stems are forms of one word: route and routing, ship and shipping.
func IsRelated(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 4 || len(b)-len(a) > 4 {
		return false
	}
	base := strings.TrimSuffix(a, "e")
	if !strings.HasPrefix(b, base) {
		return false
	}
	switch rest := b[len(base):]; strings.TrimPrefix(rest, base[len(base)-1:]) {
	case "", "e", "ing", "ed", "er", "or", "ion", "s", "es", "al", "ment", "y":
		return true
	}
	return false
}

// IsStopWord matches words without a subject.
var IsStopWord = lazyregexp.Of(`the a an to of in into on for from and or with without by at as is are be it its this that these those there
	new more another additional extra existing current keep keeping kept stay stays remain remains everyone everything
	already listed all every
	add added adding remove removed preserve preserved modify change changed fix no not only just must should exactly
	please same other others rest
	list lists item items array file while which who whose what untouched unchanged
	two three four five six seven eight nine ten one eleven twelve`)

var numberWords = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12,
}

var topicWord = lazyregexp.New(`--[\w-]+|[.#:@]?[A-Za-z_$][\w$-]*`)
