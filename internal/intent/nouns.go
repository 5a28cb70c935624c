package intent

import (
	"path"
	"slices"
	"strings"
)

// nouns are the words of a message that can name a file.
type nouns struct {
	literals     map[string]bool // paths, names and identifiers, as they are written, lower case
	wordStems    map[string]bool // stems of the words of requirements
	text         string          // the parts of the message that are no prohibition, lower case
	preserved    map[string]bool // names and paths said in what is to stay, lower case
	pasted       string          // crashes and logs, as they are
	pastedLower  string          // the same in lower case
	prefixes     *prefixSet
	partCache    map[string]bool // parts of files' names that were asked for, once the words are noted
	literalPaths []string        // of literal, those with a folder or a line
	endings      map[string]bool // of literal: ".go"
}

// isMentionedAlone reports that what a file is called after is said once more without the words that
// another file's name has beside it: "the paywall" and "the paywall banner".
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

// isStory reports a clause about people and what was: it names no file.
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

// saysFine reports a clause that says that nothing is wrong with a thing: "dev is fine".
func saysFine(low []string) bool {
	n := len(low)
	return n > 2 && n < 8 && isOneOf(low[n-1], "fine", "ok", "okay", "good", "works")
}

// addRoute notes what the path of an address or a command is about, its first part behind versions
// and the like: /v1/ping, /shifts/{id}, /remind.
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

// addCompound notes two words as one, as a file is called: "spell checker" and spellcheck, "plot widget"
// and plotwidget.
func (n nouns) addCompound(a, b string) {
	if len(a) > 2 && len(b) > 2 && !IsNameless(a) && !IsNameless(b) {
		n.wordStems[Stem(a+b)] = true
		n.wordStems[Stem(a+strings.TrimSuffix(Stem(b), "er"))] = true
	}
}

// addNoun notes a word that a file may be called after. Words of grammar and verbs that are in
// every sentence name none: "two moods not working" is about moods.
func (n nouns) addNoun(w string) {
	if !IsNameless(w) {
		n.wordStems[Stem(w)] = true
	}
}

// isFileName reports a word that is the name of a file with its ending.
func isFileName(files []string, word string) bool {
	word, _, _ = strings.Cut(word, ":")
	if !strings.Contains(word, ".") || len(word) < 4 {
		return false
	}
	return slices.ContainsFunc(files, func(f string) bool { return strings.EqualFold(path.Base(f), path.Base(word)) })
}

// CountFilesNamed counts the files whose name ends in a noun, tests left out.
func CountFilesNamed(noun string, files []string) (n int) {
	for _, f := range files {
		all := splitName(fileStem(path.Base(f)))
		if len(all) > 0 && Stem(all[len(all)-1]) == Stem(noun) && !isTestFile(f) {
			n++
		}
	}
	return n
}
