package count

import (
	"path"
	"strings"
)

// NewItem is an item of a changed file's list that was not in it before.
type NewItem struct {
	Label string
	Line  int
	List  Place
	// About are the words, in the singular, that say which list it is: its name, what it is in, its kind and its file.
	TopicWords []string
	// Was and Is are how many items the list had and has, nil for what cannot be told. Gone are those that it had and
	// has not.
	Before, After *int
	Removed       []string
}

// maxNewItems bounds how much of a change is looked into: what came in the hundreds is not read by name.
const maxNewItems = 500

// NewItems returns what came into the lists of the changed files. A list is the one of the same name at the same place:
// all items of one that was renamed or moved are new, and Was is nil.
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

// compareLists compares the lists of one place: their items are taken together, and counted where there are as many lists on each side.
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

// countPlain counts items that all stand for themselves; nil where one does not.
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
