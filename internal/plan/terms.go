package plan

import (
	"path"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/intent"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// SplitWords splits text and identifiers (camelCase, snake_case, kebab-case) into lower-case words.
func SplitWords(text string) []string {
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

// stopWords are words that do not distinguish sections.
var stopWords = lazyregexp.Of(`the a an and or of to in on at for from with without by as is are be it its this that these those
	there here then than so not no yes
	new more another other others additional extra existing current same only just all any every each both some such also too still now
	add adds added remove removed delete drop modify change changed update fix fixed make made put use keep kept stay
	stays remain leave left
	should must can could would will may might please need needs want like do does done don't doesn't isn't aren't
	my our your his her their i you we they he she me us them what which who whose when where how why
	working work works broken wrong fails failing untouched unchanged touch alone`)

// genericWords are words for any part of a plan: they do not distinguish names.
var genericWords = lazyregexp.Of(`section sections screen screens page pages view views component components part parts block blocks
	area panel plan step phase item items
	index main layout container wrapper styles style test tests module`)

// KeyStems returns the stems of the words that are not stop words or numbers, each once, in their
// order.
func KeyStems(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range SplitWords(text) {
		if s := intent.Stem(w); len(w) > 1 && !stopWords.Has(w) && !isNumber(w) && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// NameStems returns the stems of a name without stop words and generic words, and own true. If no
// others are left it returns those, and false.
func NameStems(name string) (stems []string, own bool) {
	var all []string
	seen := map[string]bool{}
	for _, w := range SplitWords(name) {
		s := intent.Stem(w)
		if len(w) < 2 || isNumber(w) || seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
		if !stopWords.Has(w) && !genericWords.Has(w) {
			stems = append(stems, s)
		}
	}
	if len(stems) > 0 {
		return stems, true
	}
	return all, false
}

// HeadNoun returns the stem of a phrase's subject: the last significant word before a preposition;
// "" for none.
func HeadNoun(phrase string) string {
	last := ""
	for _, w := range strings.Fields(strings.ToLower(phrase)) {
		w = strings.Trim(w, ".,;:!?()[]\"'`“”‘’")
		if intent.IsPreposition(w) && last != "" {
			break
		}
		if s := KeyStems(w); len(s) > 0 && !genericWords.Has(w) && !intent.IsAuxiliary(w) && !intent.IsNegative(w) {
			if _, verb := intent.VerbSense(w); !verb || last == "" {
				last = s[len(s)-1]
			}
		}
	}
	return last
}

// CodeNames returns the identifiers in a text: FlavorGrid, dark_mode, `toggle`.
func CodeNames(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "`") {
		inQuotes := i%2 == 1
		for _, w := range strings.FieldsFunc(part, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' && r != '-'
		}) {
			w = strings.Trim(w, "-")
			if len(w) > 2 && (inQuotes && !strings.Contains(part, " ") || IsCodeName(w)) {
				out = append(out, w)
			}
		}
	}
	return out
}

// IsCodeName reports whether a word looks like an identifier, by its capitals or underscores.
func IsCodeName(w string) bool {
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

// FileStem returns a file's name up to its first dot, which may not be its first character.
func FileStem(file string) string {
	base := path.Base(file)
	if at := strings.IndexByte(base[min(1, len(base)):], '.'); at >= 0 {
		return base[:at+1]
	}
	return base
}

// Stems returns the stems of all words of a text.
func Stems(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range SplitWords(text) {
		out[intent.Stem(w)] = true
	}
	return out
}

// HasNumberedName reports whether a name like "step 3" is in plain, which SpacedWords returned.
func HasNumberedName(name, plain string) bool {
	return strings.ContainsAny(name, "0123456789") && strings.Contains(plain, SpacedWords(name))
}

// SpacedWords returns the words of a text with one space around each.
func SpacedWords(text string) string { return " " + strings.Join(SplitWords(text), " ") + " " }

// SpellOut returns the stems of a name, separated by spaces.
func SpellOut(name string) string {
	stems, _ := NameStems(name)
	return strings.Join(stems, " ")
}

// HasWord reports whether a text has a name that is not part of a longer word.
func HasWord(text, name string) bool {
	in := func(i int) bool {
		return i >= 0 && i < len(text) && (isWordStart(text[i]) || text[i] >= '0' && text[i] <= '9')
	}
	for from := 0; ; {
		k := strings.Index(text[from:], name)
		if k < 0 {
			return false
		}
		k += from
		if !in(k-1) && !in(k+len(name)) {
			return true
		}
		from = k + 1
	}
}
