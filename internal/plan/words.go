package plan

import (
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/ask/named"
	asked "github.com/belay-dev/belay/internal/ask/words"
)

// parts cuts text and names into words: camelCase, snake_case, kebab-case.
func parts(text string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	prev := ' '
	for _, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || unicode.IsUpper(r) && unicode.IsLower(prev) {
			flush()
		}
		if letter {
			word = append(word, r)
		}
		prev = r
	}
	flush()
	return out
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// small are words that tell no section from another.
var small = set(`the a an and or of to in on at for from with without by as is are be it its this that these those there here then than so not no yes
	new more another other others additional extra existing current same only just all any every each both some such also too still now
	add adds added remove removed delete drop modify change changed update fix fixed make made put use keep kept stay stays remain leave left
	should must can could would will may might please need needs want like do does done don't doesn't isn't aren't
	my our your his her their i you we they he she me us them what which who whose when where how why
	working work works broken wrong fails failing untouched unchanged touch alone`)

// generic are words for any part of a plan: a name is made by the others in it.
var generic = set(`section sections screen screens page pages view views component components part parts block blocks area panel plan step phase item items
	index main layout container wrapper styles style test tests module`)

// signs gives the stems of the words that tell something, each once, in their order.
func signs(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range parts(text) {
		if s := named.Stem(w); len(w) > 1 && !small[w] && !number(w) && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// proper gives the stems of a name without the words for any part, unless there are no
// others: own says that there are.
func proper(name string) (stems []string, own bool) {
	var all []string
	seen := map[string]bool{}
	for _, w := range parts(name) {
		s := named.Stem(w)
		if len(w) < 2 || number(w) || seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
		if !small[w] && !generic[w] {
			stems = append(stems, s)
		}
	}
	if len(stems) > 0 {
		return stems, true
	}
	return all, false
}

// noun is the stem of what a phrase is about: the last word that tells something before
// a preposition; "" for none.
func noun(phrase string) string {
	last := ""
	for _, w := range strings.Fields(strings.ToLower(phrase)) {
		w = strings.Trim(w, ".,;:!?()[]\"'`“”‘’")
		if asked.Preposition(w) && last != "" {
			break
		}
		if s := signs(w); len(s) > 0 && !generic[w] && !asked.Auxiliary(w) && !asked.Negative(w) {
			if _, verb := asked.Verb(w); !verb || last == "" {
				last = s[len(s)-1]
			}
		}
	}
	return last
}

// symbols gives the names in a text that are written as code writes them: FlavorGrid,
// dark_mode, `toggle`.
func symbols(text string) []string {
	var out []string
	inQuotes := false
	for i, part := range strings.Split(text, "`") {
		inQuotes = i%2 == 1
		for _, w := range strings.FieldsFunc(part, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' && r != '-'
		}) {
			w = strings.Trim(w, "-")
			if len(w) > 2 && (inQuotes && !strings.Contains(part, " ") || coded(w)) {
				out = append(out, w)
			}
		}
	}
	return out
}

// coded tells a name of code from a word by its capitals or underscores.
func coded(w string) bool {
	if strings.Contains(strings.Trim(w, "_"), "_") {
		return true
	}
	lower := false
	for _, r := range w {
		if unicode.IsUpper(r) && lower {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}
