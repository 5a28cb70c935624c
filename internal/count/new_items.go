package count

import (
	"path"
	"strings"
)

// NewItem is a new item in a list of a changed file.
type NewItem struct {
	Label string
	Line  int
	List  Place
	// TopicWords identify the list, in the singular: its name, what contains it, its kind and its
	// file.
	TopicWords []string
	// Before and After are the numbers of items, nil if unknown. Removed are the labels of removed
	// ones.
	Before, After *int
	Removed       []string
}

// maxNewItems bounds the result: hundreds of new items are not evaluated by name.
const maxNewItems = 500

// NewItems returns the new items in lists of changed files. A list is identified by name and place:
// all items of a renamed or moved one are new, and Before is nil.
func (p *Pair) NewItems() []NewItem {
	if p.newItems != nil {
		return p.newItems
	}
	p.newItems = []NewItem{}
	j := &judge{before: p.before, after: p.after}
	if len(j.changedPaths()) > 64 {
		return p.newItems
	}
	for _, file := range j.changedPaths() {
		if LanguageOf(file) == "" {
			continue
		}
		was := byPlace(p.before.scan(file).lists)
		is := byPlace(p.after.scan(file).lists)
		done := map[string]bool{}
		for _, l := range p.after.scan(file).lists {
			if key := placeKey(l); !done[key] && len(p.newItems) < maxNewItems {
				done[key] = true
				p.newItems = append(p.newItems, compareLists(was[key], is[key])...)
			}
		}
	}
	return p.newItems
}

func placeKey(l *List) string { return string(l.Kind) + " " + l.FullName() }

func byPlace(lists []*List) map[string][]*List {
	out := map[string][]*List{}
	for _, l := range lists {
		key := placeKey(l)
		out[key] = append(out[key], l)
	}
	return out
}

// compareLists compares the lists of one place. Their items are merged, and counted if there are as
// many lists on each side.
func compareLists(was, is []*List) (out []NewItem) {
	items := func(lists []*List) (all []Item) {
		for _, l := range lists {
			all = append(all, l.Items...)
		}
		return all
	}
	before, after := items(was), items(is)
	gone, came := diffLabels(before, after)
	if len(came) == 0 {
		return nil
	}
	old := map[string]int{}
	for _, it := range before {
		old[it.Label]++
	}
	a := NewItem{List: *placeOf(is[0]), TopicWords: listWords(is[0]), Removed: gone}
	if len(was) == len(is) {
		a.Before, a.After = countPlain(before), countPlain(after)
	}
	for _, it := range after {
		if old[it.Label] > 0 {
			old[it.Label]--
			continue
		}
		if it.Ref == "" && !it.Unknown {
			a.Label, a.Line = it.Label, it.Line
			out = append(out, a)
		}
	}
	return out
}

// countPlain returns the number of items, nil if one of them is a reference or unknown.
func countPlain(items []Item) *int {
	for _, it := range items {
		if it.Ref != "" || it.Unknown {
			return nil
		}
	}
	n := len(items)
	return &n
}

func listWords(l *List) []string {
	text := strings.Join(append(append([]string{l.Name, strings.TrimSuffix(l.File, path.Ext(l.File))}, l.Path...), l.Words...), " ")
	words := Stems(text)
	for word, kinds := range kindWords {
		for _, k := range kinds {
			if k == l.Kind {
				words = append(words, word)
			}
		}
	}
	return words
}
