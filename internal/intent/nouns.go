package intent

import (
	"path"
	"slices"
	"strings"
)

// nouns are the words of a message that can name a file.
type nouns struct {
	literals     map[string]bool // paths, names and identifiers as written, lower case
	wordStems    map[string]bool // stems of the words of requirements
	text         string          // the message without its prohibitions, lower case
	preserved    map[string]bool // names and paths in what must stay, lower case
	pasted       string          // crashes and logs, unchanged
	pastedLower  string          // the same in lower case
	prefixes     *prefixSet
	partCache    map[string]bool // results of hasPart; valid once all words are recorded
	literalPaths []string        // those of literals with a folder, line or pattern
	endings      map[string]bool // extensions of literals: ".go"
}

// isMentionedAlone reports whether the message also mentions the only matched part of a file's name
// without the words of the other file's name: "the paywall" and "the paywall banner".
func (n nouns) isMentionedAlone(got, other []string) bool {
	if len(got) != 1 {
		return false
	}
	all := strings.Fields(n.text)
	near := func(i int) bool { return i >= 0 && i < len(all) && slices.Contains(other, Stem(all[i])) }
	for i, w := range all {
		if Stem(w) == got[0] && !near(i-1) && !near(i+1) && i > 0 && isArticle(all[i-1]) {
			return true
		}
	}
	return false
}

// isStory reports a clause about people and the past, which names no file.
func isStory(low []string) bool {
	people := false
	for _, w := range low {
		switch w {
		case "was", "were", "had", "used", "did", "built", "came", "went", "got", "moved", "talked", "met", "told", "asked":
			return true
		case "we", "i", "my", "our", "us", "me", "he", "she", "they", "people", "everybody", "somebody", "nobody":
			people = true
		}
	}
	return people
}

// saysFine reports a clause that finds no fault with a thing: "dev is fine".
func saysFine(low []string) bool {
	n := len(low)
	return n > 2 && n < 8 && isOneOf(low[n-1], "fine", "ok", "okay", "good", "works")
}

// addRoute records the subject of a route or a command, the first part that is not a version or the
// like: /v1/ping, /shifts/{id}, /remind.
func (n nouns) addRoute(low string) {
	if low == "" || low[0] != '/' && low[0] != '!' || strings.Contains(low, ".") {
		return
	}
	for part := range strings.SplitSeq(low[1:], "/") {
		if len(part) > 3 && part != "rest" && !strings.ContainsAny(part, "{}<>:*") {
			n.wordStems[Stem(part)] = true
			return
		}
	}
}

// addCompound records two words as one: "spell checker" and spellcheck, "plot widget" and
// plotwidget.
func (n nouns) addCompound(a, b string) {
	if len(a) > 2 && len(b) > 2 && !IsNameless(a) && !IsNameless(b) {
		n.wordStems[Stem(a+b)] = true
		n.wordStems[Stem(a+strings.TrimSuffix(Stem(b), "er"))] = true
	}
}

// addNoun records a word that can be part of a file's name. Function words and verbs that occur in
// any sentence are not: "two moods not working" is about moods.
func (n nouns) addNoun(w string) {
	if !IsNameless(w) {
		n.wordStems[Stem(w)] = true
	}
}

// isFileName reports a word that is a file's name with its extension.
func isFileName(files []string, word string) bool {
	word, _, _ = strings.Cut(word, ":")
	if !strings.Contains(word, ".") || len(word) < 4 {
		return false
	}
	return slices.ContainsFunc(files, func(f string) bool { return strings.EqualFold(path.Base(f), path.Base(word)) })
}

// CountFilesNamed counts the files with a name that ends in a noun, without tests.
func CountFilesNamed(noun string, files []string) (n int) {
	for _, f := range files {
		all := splitName(fileStem(path.Base(f)))
		if len(all) > 0 && Stem(all[len(all)-1]) == Stem(noun) && !isTestFile(f) {
			n++
		}
	}
	return n
}
