package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// An addition may be a new item with the requested name: "add support for MDX" and a key "Mdx" in a
// table of languages. Such an item is evidence. If its list did not grow, an existing item was
// removed for it.

var (
	// objectEnd matches where a text stops naming what is to be added, and continues with where,
	// how or why.
	objectEnd = lazyregexp.New(`(?i)\s(?:to|in|into|inside|within|from|on|at|as|with|when|where|while|so|that|which|because|since|by|via|` +
		`if|unless|without|instead|using|like)\s|\s\(|[;:,.](?:\s|$)|\s[-–—]+\s`)
	// genericWords are words for any addition, which do not identify it.
	genericWords = lazyregexp.Of("support entry definition missing basic initial proper full correct")
	// replacingVerb matches requests to remove or change existing things.
	replacingVerb = lazyregexp.New(`(?i)\b(?:replac|instead|renam|remov|drop|delet|swap|substitut|chang|updat|mov|` +
		`refactor|switch|migrat|upgrad|` +
		`rewrit|rework|split|merg|convert|turn)`)
)

// newItems returns the new items of the lists in changed files.
func (j *contractJudge) newItems() []count.NewItem {
	if !j.openPair() {
		return nil
	}
	return j.countPair.NewItems()
}

// objectWords returns the words that name what a requirement adds.
func objectWords(text string) []string {
	text = strings.TrimSpace(text)
	if _, rest, ok := strings.Cut(text, " "); ok { // the verb
		text = rest
	}
	if at := objectEnd.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	return slices.DeleteFunc(subjectWords(text), genericWords.Has)
}

// findNewItem returns the new item that fulfils a requirement: its name has some of the words for
// what is to be added, and its list matches the others. ok is false if there is none.
func (j *contractJudge) findNewItem(r belay.Requirement) (best count.NewItem, ok bool) {
	words := objectWords(r.Text)
	most := 0
	for _, a := range j.newItems() {
		label, own := count.TopicWords(a.Label), 0
		if slices.ContainsFunc(words, func(w string) bool {
			return !mentions(label, []string{w}) && !mentions(a.TopicWords, []string{w})
		}) {
			continue
		}
		for _, w := range words {
			if mentions(label, []string{w}) && !mentions(a.TopicWords, []string{w}) {
				own++
			}
		}
		if own > most {
			best, most, ok = a, own, true
		}
	}
	return best, ok
}

// findNewItemNamed returns the new item with this label, or with name as one of several words of
// it.
func (j *contractJudge) findNewItemNamed(name string) (count.NewItem, bool) {
	words, key := count.Stems(name), foldName(name)
	for _, a := range j.newItems() {
		if foldName(a.Label) == key {
			return a, true
		}
	}
	for _, a := range j.newItems() {
		label := count.Stems(a.Label)
		other := slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(label, w) })
		if len(words) > 0 && !other && strings.Contains(foldName(a.Label), key) {
			return a, true
		}
	}
	return count.NewItem{}, false
}

// warnDisplaced warns if a list got a requested item and did not grow: others were removed for it,
// and the request does not mention that.
func (j *contractJudge) warnDisplaced(a count.NewItem, r belay.Requirement) {
	title, _, _ := strings.Cut(j.in.Words, "\n")
	if a.Before == nil || *a.After > *a.Before || len(a.Removed) == 0 || replacingVerb.MatchString(r.Text+" "+title) ||
		slices.ContainsFunc(a.Removed, func(label string) bool { return j.requestMentions(label, a.Label) }) {
		return
	}
	list := a.List.Name
	if list == "" {
		list = a.List.File
	}
	j.addWarning(a.List.File, a.Line, fmt.Sprintf("%s was added but %s has no more items than before: %s %s",
		a.Label, list, joinFirst(a.Removed), isGone(len(a.Removed))), r)
}

// requestMentions reports whether the request mentions a removed item: by its name, or by all words
// that the new one's name lacks.
func (j *contractJudge) requestMentions(label, came string) bool {
	own, said := count.TopicWords(came), count.TopicWords(j.in.Words)
	words := slices.DeleteFunc(count.TopicWords(label), func(w string) bool { return slices.Contains(own, w) })
	if len(words) == 0 {
		return slices.ContainsFunc(splitTerms(j.in.Words), func(t requestTerm) bool { return foldName(t.text) == foldName(label) })
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !mentions(said, []string{w}) })
}

func isGone(n int) string {
	if n == 1 {
		return "is gone"
	}
	return "are gone"
}

func joinFirst(labels []string) string {
	if len(labels) > 3 {
		return strings.Join(labels[:3], ", ") + fmt.Sprintf(" and %d more", len(labels)-3)
	}
	return strings.Join(labels, ", ")
}
