package count

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// kindWords say which kinds of lists a word of a requirement speaks of.
var kindWords = map[string][]ListKind{
	"method": {Methods}, "function": {Functions, Methods}, "helper": {Functions}, "handler": {Functions, Calls},
	"test": {Tests}, "spec": {Tests}, "benchmark": {Functions}, "case": {Cases, Enum},
	"row": {Rows}, "table": {Rows}, "column": {Columns}, "field": {Fields, Columns}, "property": {Properties, Fields, Declarations, Object},
	"prop": {Fields}, "token": {Properties}, "variable": {Properties}, "rule": {Rules}, "selector": {Rules}, "class": {Rules, Types},
	"breakpoint": {Rules}, "keyframe": {Rules}, "declaration": {Declarations},
	"variant": {Enum}, "member": {Enum}, "enum": {Enum}, "constant": {Enum}, "state": {Enum}, "union": {Enum},
	"route": {Calls}, "endpoint": {Calls}, "command": {Calls}, "call": {Calls}, "subcommand": {Calls},
	"bullet": {Bullets}, "step": {Bullets}, "heading": {Headings}, "section": {Headings}, "chapter": {Headings}, "subsection": {Headings},
	"key": {Object}, "switch": {Cases}, "branch": {Cases}, "arm": {Cases}, "type": {Types}, "attribute": {Fields},
	"card": {Elements}, "link": {Elements}, "button": {Elements}, "element": {Elements}, "option": {Elements},
}

// prior is how much less a kind is meant when no word speaks of it.
var prior = map[ListKind]float64{
	Methods: -2.5, Functions: -2.5, Tests: -2.5, Fields: -2.5, Calls: -1.5, Cases: -2, Types: -2.5,
	Columns: -2, Headings: -1.5, Declarations: -1.2, Rules: -1,
}

// candidate is a list that a requirement may mean, as it was and as it is.
type candidate struct {
	before, after           *List
	itemsBefore, itemsAfter []Item
	was, is                 Count
	score                   float64
}

// choose returns the lists that a requirement may mean, the likeliest first.
func (j *judge) choose() []*candidate {
	files := j.files()
	var all []*candidate
	for _, p := range files {
		for _, l := range j.before.file(p).lists {
			all = append(all, &candidate{before: l, score: j.words(l)})
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].score > all[b].score })
	all = all[:min(len(all), 60)]
	used := map[*List]bool{}
	for _, c := range all {
		c.itemsBefore, c.was = j.before.expand(c.before)
		c.after, c.itemsAfter, c.is = j.follow(c.before, c.itemsBefore)
		used[c.after] = true
		c.score += j.evidence(c)
	}
	items := map[string]bool{} // what came is an item, and no list that is meant
	for _, c := range all {
		_, came := difference(c.itemsBefore, c.itemsAfter)
		for _, label := range came {
			items[label] = true
		}
	}
	all = append(all, j.fresh(files, used, items)...)
	sort.SliceStable(all, func(a, b int) bool { return all[a].score > all[b].score })
	return all
}

// fresh returns lists that only the state after has: what is added may have a list of its own.
func (j *judge) fresh(files []string, used map[*List]bool, items map[string]bool) []*candidate {
	var out []*candidate
	for _, p := range j.changed() {
		if j.r.File != "" && !slices.Contains(files, p) || j.r.File == "" && !j.worth(p) {
			continue
		}
		for _, l := range j.after.file(p).lists {
			if used[l] || items[l.Name] || j.known(l) || depth(l) >= 0.9 {
				continue
			}
			c := &candidate{after: l, score: j.words(l) - 3}
			c.itemsAfter, c.is = j.after.expand(l)
			if c.score > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// known reports whether the before state has a list of this name in the same file.
func (j *judge) known(l *List) bool {
	return slices.ContainsFunc(j.before.file(l.File).lists, func(b *List) bool { return b.Name == l.Name && b.Kind == l.Kind })
}

// files returns where the list may be: the file that was named, or those that changed and
// those that have words of the requirement.
func (j *judge) files() []string {
	if j.r.File != "" {
		return []string{j.r.File}
	}
	var out []string
	for _, p := range j.before.paths {
		if Language(p) == "" {
			continue
		}
		_, changed := slices.BinarySearch(j.changed(), p)
		if changed && j.worth(p) || !changed && len(j.before.paths) <= 400 && j.mentions(j.before, p) {
			out = append(out, p)
		}
	}
	return out
}

// worth reports whether a changed file is looked into: all are, unless there are many; then
// those that have words of the requirement.
func (j *judge) worth(p string) bool {
	return len(j.changed()) <= 64 || j.mentions(j.before, p) || j.mentions(j.after, p)
}

func (j *judge) mentions(w *world, p string) bool {
	src := bytes.ToLower(w.raw(p).src)
	for w := range j.w.Weight {
		if bytes.Contains(src, []byte(w)) {
			return true
		}
	}
	return false
}

// changed returns the paths whose files are not the same before and after.
func (j *judge) changed() []string {
	if j.differ != nil {
		return j.differ
	}
	if c, told := j.after.tree.(Compared); told {
		j.differ = c.Changed()
		return j.differ
	}
	j.differ = []string{}
	all := append(slices.Clone(j.before.paths), j.after.paths...)
	sort.Strings(all)
	for _, p := range slices.Compact(all) {
		a, b := j.before.raw(p), j.after.raw(p)
		if a.exists != b.exists || !bytes.Equal(a.src, b.src) {
			j.differ = append(j.differ, p)
		}
	}
	return j.differ
}

// words scores how well a list's names fit the requirement's words.
func (j *judge) words(l *List) float64 {
	if j.r.List != "" {
		if l.Full() == j.r.List || l.Name == j.r.List {
			return 100 - float64(l.Depth)
		}
		return -100
	}
	score, kind := j.named(l), j.kind(l)
	if members[l.Kind] && kind < 0 {
		score *= 0.3 // "2 drinks" are not two fields of type Drink
	}
	score += j.around(l) + j.typed(l) - depth(l) + kind
	if len(l.Items) == 0 {
		score--
	}
	return score
}

// members are kinds of lists that are named after one thing, and hold its parts.
var members = map[ListKind]bool{Fields: true, Methods: true}

// typed scores a list whose items are said to be of the kind that is counted: Drink[].
func (j *judge) typed(l *List) float64 {
	if l.Kind != Array && l.Kind != Object || j.w.Noun == "items" {
		return 0
	}
	for _, w := range l.Words {
		if Akin(Stem(strings.ToLower(w)), Stem(j.w.Noun)) {
			return 3
		}
	}
	return 0
}

// depth is how much less a list is meant for lying in others: in an item of a list more
// than under a name.
func depth(l *List) float64 {
	in := 0
	for _, p := range l.Path {
		if strings.HasPrefix(p, "[") {
			in++
		}
	}
	in = min(in, l.Depth)
	return 0.9*float64(in) + 0.4*float64(l.Depth-in)
}

// named scores the list's own name.
func (j *judge) named(l *List) float64 {
	score := 0.0
	if words, ok := tags[l.Name]; ok && (l.Kind == Elements || l.Kind == Rows || l.Kind == Columns) {
		for _, w := range strings.Fields(words) {
			score = max(score, 3*j.matched(w))
		}
		return score
	}
	if j.exact(l.Name) {
		score += 8
	}
	parts := Stems(l.Name)
	total, hit := 0.0, 0.0
	for _, p := range parts {
		if Stops.Has(p) && len(parts) > 1 || len(p) < 2 && len(parts) > 1 {
			continue
		}
		total++
		hit += j.matched(p)
	}
	if total > 0 {
		score += 5 * hit / total
	}
	return score
}

// tags are the elements whose names are not about what is in them, and the words that
// speak of them.
var tags = map[string]string{
	"div": "", "span": "", "p": "paragraph", "ul": "", "ol": "", "li": "bullet point", "table": "", "tr": "row",
	"td": "cell", "th": "column header",
	"thead": "", "tbody": "", "tfoot": "", "section": "", "article": "article", "header": "", "footer": "", "main": "",
	"nav": "", "a": "link",
	"img": "image photo picture", "button": "button", "option": "option choice", "dt": "term question", "dd": "answer",
	"dl": "", "h1": "heading",
	"h2": "heading", "h3": "heading", "h4": "heading", "html": "", "head": "", "body": "", "meta": "meta tag",
	"link": "link", "script": "script",
	"style": "", "form": "", "input": "input field", "label": "label", "select": "", "figure": "figure image", "details": "detail question",
	"summary": "", "strong": "", "em": "", "small": "", "title": "", "svg": "icon", "path": "", "figcaption": "",
	"template": "", "slot": "", "br": "",
}

// exact reports whether the requirement names something the way the code does.
func (j *judge) exact(name string) bool {
	if name == "" {
		return false
	}
	if j.w.Names[name] {
		return true
	}
	bare := strings.TrimLeft(name, ".#:$@")
	return len(bare) > 2 && j.w.Names[bare]
}

func (j *judge) matched(word string) float64 {
	if w := j.w.Weight[word]; w > 0 {
		return w
	}
	for s, w := range j.w.Weight {
		if Akin(s, word) {
			return 0.8 * w
		}
	}
	return 0
}

// around scores what the list is in, and its types, ids and headings.
func (j *judge) around(l *List) float64 {
	score := 0.0
	own := map[string]bool{}
	for _, p := range Stems(l.Name) {
		own[p] = true
	}
	seen := map[string]bool{}
	for i, text := range append(slices.Clone(l.Path), l.Words...) {
		if j.exact(text) {
			if i < len(l.Path) {
				score += 4
			} else {
				score += 3
			}
		}
		for _, p := range Stems(text) {
			if own[p] || seen[p] || Stops.Has(p) {
				continue
			}
			seen[p] = true
			score += 1.3 * j.matched(p)
		}
	}
	return min(score, 9)
}

func (j *judge) kind(l *List) float64 {
	best := prior[l.Kind]
	for word, kinds := range kindWords {
		weight := j.w.Weight[word]
		if weight == 0 || !slices.Contains(kinds, l.Kind) {
			continue
		}
		s := 3 * min(weight, 1)
		if Stem(j.w.Noun) == word {
			s++
		}
		best = max(best, s)
	}
	return best
}

// evidence scores what the items say: how many there were, what came, whether it changed.
func (j *judge) evidence(c *candidate) float64 {
	score := 0.0
	if len(j.w.Counts) > 0 && c.was.Known() {
		switch {
		case j.w.Counts[c.was.N]:
			score += 3
		default:
			score--
		}
	}
	if c.was.N <= 1 && len(c.was.Unknown) == 0 {
		score--
	}
	gone, came := difference(c.itemsBefore, c.itemsAfter)
	if len(gone)+len(came) > 0 {
		score++
	}
	found := 0.0
	seen := map[string]bool{}
	if j.r.Marker == belay.MarkRemove {
		came = gone
	}
	for _, label := range came {
		for _, s := range Stems(label) {
			if !seen[s] && len(s) > 2 {
				seen[s] = true
				found += 1.2 * j.w.Weight[s]
			}
		}
	}
	score += min(found, 4)
	old := 0.0
	for _, it := range c.itemsBefore[:min(len(c.itemsBefore), 200)] {
		for _, s := range Stems(it.Label) {
			if !seen[s] && len(s) > 2 {
				seen[s] = true
				old += 0.3 * j.w.Weight[s]
			}
		}
	}
	return score + min(old, 1)
}
