package count

import (
	"path"
	"strings"
)

// Arrived is an item of a changed file's list that was not in it before.
type Arrived struct {
	Label string
	Line  int
	List  Place
	// About are the words, in the singular, that say which list it is: its name, what it is in, its kind and its file.
	About []string
	// Was and Is are how many items the list had and has, nil for what cannot be told. Gone are those that it had and
	// has not.
	Was, Is *int
	Gone    []string
}

// mostArrived bounds how much of a change is looked into: what came in the hundreds is not read by name.
const mostArrived = 500

// Arrived returns what came into the lists of the changed files. A list is the one of the same name at the same place:
// all items of one that was renamed or moved are new, and Was is nil.
func (p *Pair) Arrived() []Arrived {
	if p.arrived != nil {
		return p.arrived
	}
	p.arrived = []Arrived{}
	j := &judge{before: p.before, after: p.after}
	if len(j.changed()) > 64 {
		return p.arrived
	}
	for _, file := range j.changed() {
		if Language(file) == "" {
			continue
		}
		was := byPlace(p.before.file(file).lists)
		is := byPlace(p.after.file(file).lists)
		done := map[string]bool{}
		for _, l := range p.after.file(file).lists {
			if key := placeKey(l); !done[key] && len(p.arrived) < mostArrived {
				done[key] = true
				p.arrived = append(p.arrived, arrived(was[key], is[key])...)
			}
		}
	}
	return p.arrived
}

func placeKey(l *List) string { return string(l.Kind) + " " + l.Full() }

func byPlace(lists []*List) map[string][]*List {
	out := map[string][]*List{}
	for _, l := range lists {
		key := placeKey(l)
		out[key] = append(out[key], l)
	}
	return out
}

// arrived compares the lists of one place: their items are taken together, and counted where there are as many lists on each side.
func arrived(was, is []*List) (out []Arrived) {
	items := func(lists []*List) (all []Item) {
		for _, l := range lists {
			all = append(all, l.Items...)
		}
		return all
	}
	before, after := items(was), items(is)
	gone, came := difference(before, after)
	if len(came) == 0 {
		return nil
	}
	old := map[string]int{}
	for _, it := range before {
		old[it.Label]++
	}
	a := Arrived{List: *placeOf(is[0]), About: listWords(is[0]), Gone: gone}
	if len(was) == len(is) {
		a.Was, a.Is = plainly(before), plainly(after)
	}
	for _, it := range after {
		if old[it.Label] > 0 {
			old[it.Label]--
			continue
		}
		if it.Ref == "" && !it.Open {
			a.Label, a.Line = it.Label, it.Line
			out = append(out, a)
		}
	}
	return out
}

// plainly counts items that all stand for themselves; nil where one does not.
func plainly(items []Item) *int {
	for _, it := range items {
		if it.Ref != "" || it.Open {
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
