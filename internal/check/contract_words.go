package check

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// splitThings splits text about what must stay into the things that it names.
func splitThings(words string) []string {
	var out []string
	for p := range strings.SplitSeq(thingSeparator.ReplaceAllString(words, "\x00"), "\x00") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

var thingSeparator = lazyregexp.New(`(?i)\s*(?:[,;]|\band\b|\bor\b|\bund\b|\bet\b|\by\b|&)\s*`)

// Small numbers in words, from two on, for patterns.
const (
	toTen    = "two|three|four|five|six|seven|eight|nine|ten"
	toTwelve = toTen + "|eleven|twelve"
)

var (
	keepVerb    = lazyregexp.New(`(?i)^\s*(?:please\s+)?(?:keep|leave|retain|preserve|maintain|don.?t (?:touch|change|remove))\b`)
	exactlyOne  = lazyregexp.New(`(?i)^\s*(?:please\s+)?\pL+\s+(?:(?:just|only|exactly)\s+)?1\s+\pL`)
	anotherOne  = lazyregexp.New(`(?i)^\s*(?:please\s+)?\pL+\s+(?:an?|one|another|one more|a new)\s+\pL`)
	knownThings = lazyregexp.New(`(?i)\b(?:the|all|these|those|our|your|existing|current)\s+(?:the\s+|existing\s+|` +
		`current\s+)*(?:\d+|` + toTwelve + `)\b`)
)

var (
	// insteadOf matches words after which the removed thing is named.
	insteadOf = lazyregexp.New(`(?i)\b(?:instead of|in place of|rather than|replacing|in exchange for|` +
		`(?:and|,|but)\s+(?:remove|delete|drop)s?)\s+(.+)`)
	// ofKnownThings matches a number of existing things to which something is added: "a hint to the
	// 2 arguments".
	ofKnownThings = lazyregexp.New(`(?i)\b(?:to|for|of|in|on|from|with|across|between)\s+(?:the|all|both|these|those|our|` +
		`its)\s+(?:\d+|` + toTwelve + `)\b`)
	numeral = lazyregexp.New(`(?i)\b(\d{1,4}|` + toTen + `)\b`)
)

// firstNumber returns the first number of a text, 0 for none.
func firstNumber(text string) int {
	word := strings.ToLower(numeral.FindString(text))
	if i := slices.Index(strings.Split(toTen, "|"), word); i >= 0 {
		return i + 2
	}
	n, _ := strconv.Atoi(word)
	return n
}

// requestWords are words of requirements that name no thing.
var requestWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`make let get give put set use want need please can could would should
		create write build introduce implement include insert append extend support provide allow enable show display
		update refine improve rework rewrite rename tweak adjust tune polish refactor simplify clean convert turn switch replace move
		repair mend resolve solve correct debug working work broken break breaks crash crashes fail fails failing bug issue problem error
		delete drop strip kill disable hide get rid old legacy unused
		less more better nicer faster slower bigger smaller shorter longer easier generic proper correctly right good bad nice clean simple
		everywhere anywhere also too again still now then when some any one my our your their me us you they he she
		app code project repo repository thing stuff way bit side part place time user`) {
		words[w] = true
	}
	return words
})

// subjectWords returns the words that name what a requirement is about.
func subjectWords(text string) []string {
	return slices.DeleteFunc(count.TopicWords(text), func(w string) bool { return requestWords()[w] || len(w) < 3 })
}

// mentions reports whether one of words, or a form of it, is in among.
func mentions(among, words []string) bool {
	for _, w := range words {
		if slices.ContainsFunc(among, func(a string) bool { return count.IsRelated(a, w) }) {
			return true
		}
	}
	return false
}

// filesNamedBy returns the files, of either side, with one of the words in their names.
func (j *contractJudge) filesNamedBy(words []string) []string {
	if j.pathsByWord == nil {
		j.pathsByWord = map[string][]string{}
		for _, list := range [][]string{j.before.paths, j.after.paths} {
			for _, p := range list {
				for _, w := range count.TopicWords(strings.TrimSuffix(path.Base(p), path.Ext(p))) {
					if have := j.pathsByWord[w]; len(have) == 0 || have[len(have)-1] != p {
						j.pathsByWord[w] = append(have, p)
					}
				}
			}
		}
	}
	var out []string
	for w, list := range j.pathsByWord {
		if mentions([]string{w}, words) {
			out = append(out, list...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isChanged reports whether a path was changed.
func (j *contractJudge) isChanged(p string) bool {
	_, yes := slices.BinarySearch(j.differs, p)
	return yes
}

// has reports whether a side has a path.
func (t *tree) has(p string) bool {
	_, yes := slices.BinarySearch(t.paths, p)
	return yes
}

// pathsNamedIn returns the paths in a text: complete, by suffix, or by a unique file name.
func (j *contractJudge) pathsNamedIn(text string) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, "`'\"“”‘’()[]{}<>,;:!?.")
		word = strings.TrimPrefix(word, "./")
		if !strings.ContainsAny(word, "./") || len(word) < 3 {
			continue
		}
		var hits []string
		for _, list := range [][]string{j.after.paths, j.before.paths} {
			for _, p := range list {
				if (p == word || strings.HasSuffix(p, "/"+word)) && !slices.Contains(hits, p) {
					hits = append(hits, p)
				}
			}
		}
		if len(hits) == 1 && !slices.Contains(out, hits[0]) {
			out = append(out, hits[0])
		}
	}
	return out
}

// isObject reports whether a path is what a requirement is about, and not only its place: "remove
// src/old.ts", not "remove the banner from src/App.tsx".
func (j *contractJudge) isObject(text, p string) bool {
	at := strings.Index(text, path.Base(p))
	return at >= 0 && !placePreposition.MatchString(text[:at])
}

var placePreposition = lazyregexp.New(`(?i)\b(?:from|in|of|on|inside|within|at|to|aus|von|im|dans|de|en)\b`)

// filesToKeep returns the files in text about what must stay: by path, or all that have every one
// of the words in their names. Words for tests mean the test files.
func (j *contractJudge) filesToKeep(text string) []string {
	if named := j.pathsNamedIn(text); len(named) > 0 {
		return named
	}
	words := subjectWords(text)
	if len(words) == 0 {
		return nil
	}
	if len(words) == 1 && (words[0] == "test" || words[0] == "spec") {
		return slices.DeleteFunc(slices.Clone(j.before.paths), func(p string) bool { return !isTestPath(p) })
	}
	if strings.ContainsAny(text, "0123456789") {
		return nil // a number of things is a list
	}
	var out []string
	for _, p := range j.filesNamedBy(words) {
		if !j.before.has(p) {
			continue
		}
		all := count.TopicWords(p)
		if !slices.ContainsFunc(words, func(w string) bool { return !mentions(all, []string{w}) }) {
			out = append(out, p)
		}
	}
	if len(out) > mostUnchanged {
		return nil
	}
	return out
}

// lineChanges is the added and removed lines, as words and as text.
type lineChanges struct {
	added                    int
	addedStems, removedStems map[string]bool // stems in added and removed lines, and in paths of added and removed files
	proseRemoved             bool            // a sentence was removed
}

func newLineChanges(files []*syntax.File) *lineChanges {
	l := &lineChanges{addedStems: map[string]bool{}, removedStems: map[string]bool{}}
	for _, f := range files {
		text := isTextFile(f.Path)
		for line := range linesIn(f.Before, syntax.AddedLines(f.After, f.Before)) {
			l.proseRemoved = l.proseRemoved || text || sentenceInCode.Match(line)
			addTopicWords(l.removedStems, string(line))
		}
		for line := range linesIn(f.After, f.AddedLines()) {
			l.added++
			addTopicWords(l.addedStems, string(line))
		}
		if f.Before == nil {
			addTopicWords(l.addedStems, f.Path)
		}
		if f.After == nil {
			addTopicWords(l.removedStems, f.Path)
		}
	}
	return l
}

// linesIn returns the lines of a text that are in a set, up to the read limit.
func linesIn(text []byte, set syntax.Lines) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		n := 0
		for line := range bytes.Lines(text[:min(len(text), maxCounted)]) {
			if n++; set.Has(n) && !yield(line) {
				return
			}
		}
	}
}

func addTopicWords(set map[string]bool, text string) {
	for _, w := range count.TopicWords(text) {
		set[w] = true
	}
}

// sentenceInCode matches text for people in a line of code: two words in quotes, or between tags.
var sentenceInCode = lazyregexp.New(
	"[\"'`>][^\"'`<>{}]*\\pL{2,}[,.!?]?\\s+[^\"'`<>{}]*\\pL{2,}|^\\s*\\pL[\\pL'’,-]*(?:\\s+[\\pL'’,.!?-]+){2,}\\s*$")

func isTextFile(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".po", ".strings", ".ftl", ".properties":
		return true
	}
	return false
}

// isMentioned reports whether the added or removed lines are about a requirement.
func (j *contractJudge) isMentioned(r belay.Requirement, words map[string]bool) bool {
	for _, w := range subjectWords(r.Text) {
		if words[w] {
			return true
		}
		for have := range words {
			if count.IsRelated(have, w) {
				return true
			}
		}
	}
	return false
}

// existsAfter reports whether something of that name exists after the change: a file, or a word in
// a changed one.
func (j *contractJudge) existsAfter(r belay.Requirement) bool {
	words := subjectWords(r.Text)
	if slices.ContainsFunc(j.filesNamedBy(words), j.after.has) {
		return true
	}
	for _, f := range j.in.Files {
		low := bytes.ToLower(f.After[:min(len(f.After), maxCounted)])
		for _, w := range words {
			if bytes.Contains(low, []byte(w)) {
				return true
			}
		}
	}
	return false
}

// copyWords are words for text that is shown to people.
var copyWords = []string{"copy", "wording", "tagline", "headline", "slogan", "prose", "copywriting", "caption", "blurb", "tone"}

// whyUntouched returns that nothing a requirement is about was changed, and its place; "" if
// something was, or if that is unknown.
func (j *contractJudge) whyUntouched(r belay.Requirement) (why, at string) {
	if named := j.pathsNamedIn(r.Text); len(named) > 0 {
		for _, p := range named {
			if j.isChanged(p) {
				return "", ""
			}
		}
		return named[0] + " untouched", named[0]
	}
	words := subjectWords(r.Text)
	for _, w := range copyWords {
		if slices.Contains(words, w) {
			if j.lines.proseRemoved || len(j.in.Unread) > 0 {
				return "", ""
			}
			return w + " untouched: no existing sentence changed", ""
		}
	}
	if len(words) == 0 || len(j.in.Unread) > 0 || j.isMentioned(r, j.lines.addedStems) || j.isMentioned(r, j.lines.removedStems) {
		return "", ""
	}
	for _, p := range j.differs {
		if mentions(count.TopicWords(p), words) {
			return "", ""
		}
	}
	for _, p := range j.filesNamedBy(words) { // a file that matches all of it, not only one word
		all := count.TopicWords(p)
		if !slices.ContainsFunc(words, func(w string) bool { return !mentions(all, []string{w}) }) {
			return p + " untouched, and no other change matches", p
		}
	}
	return "", ""
}

// CountSharedWords returns how many of the words that name the subject of text are in other.
func CountSharedWords(text, other string) int {
	n, among := 0, count.TopicWords(other)
	for _, w := range subjectWords(text) {
		if mentions(among, []string{w}) {
			n++
		}
	}
	return n
}

// NamesPath reports whether a text names a path: complete, by suffix, or by its file name.
func NamesPath(text, p string) bool {
	return slices.ContainsFunc(splitTerms(text), func(t requestTerm) bool {
		w := strings.TrimSuffix(strings.TrimPrefix(t.text, "./"), "/")
		return strings.ContainsAny(w, "./") && len(w) > 2 &&
			(strings.EqualFold(w, p) || len(p) > len(w) && strings.EqualFold(p[len(p)-len(w)-1:], "/"+w))
	})
}
