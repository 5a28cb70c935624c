package count

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// kindWords maps words of a requirement to the kinds of lists they mean.
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

// kindPrior is the score of a kind that no word mentions.
var kindPrior = map[ListKind]float64{
	Methods: -2.5, Functions: -2.5, Tests: -2.5, Fields: -2.5, Calls: -1.5, Cases: -2, Types: -2.5,
	Columns: -2, Headings: -1.5, Declarations: -1.2, Rules: -1,
}

// candidate is a list that a requirement can mean, before and after.
type candidate struct {
	before, after           *List
	itemsBefore, itemsAfter []Item
	countBefore, countAfter Count
	score                   float64
}

// choose returns the lists that a requirement can mean, the likeliest first.
func (j *judge) choose() []*candidate {
	files := j.files()
	var all []*candidate
	for _, p := range files {
		for _, l := range j.before.scan(p).lists {
			all = append(all, &candidate{before: l, score: j.scoreWords(l)})
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].score > all[b].score })
	all = all[:min(len(all), 60)]
	used := map[*List]bool{}
	for _, c := range all {
		c.itemsBefore, c.countBefore = j.before.expand(c.before)
		c.after, c.itemsAfter, c.countAfter = j.follow(c.before, c.itemsBefore)
		used[c.after] = true
		c.score += j.scoreItems(c)
	}
	items := map[string]bool{} // an added item is not itself the list that is meant
	for _, c := range all {
		_, came := diffLabels(c.itemsBefore, c.itemsAfter)
		for _, label := range came {
			items[label] = true
		}
	}
	all = append(all, j.newLists(files, used, items)...)
	sort.SliceStable(all, func(a, b int) bool { return all[a].score > all[b].score })
	return all
}

// newLists returns lists that exist only after the change: what is added may have a new list.
func (j *judge) newLists(files []string, used map[*List]bool, items map[string]bool) []*candidate {
	var out []*candidate
	for _, p := range j.changedPaths() {
		if j.requirement.File != "" && !slices.Contains(files, p) || j.requirement.File == "" && !j.isWorthReading(p) {
			continue
		}
		for _, l := range j.after.scan(p).lists {
			if used[l] || items[l.Name] || j.existedBefore(l) || depthPenalty(l) >= 0.9 {
				continue
			}
			c := &candidate{after: l, score: j.scoreWords(l) - 3}
			c.itemsAfter, c.countAfter = j.after.expand(l)
			if c.score > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// existedBefore reports whether the before state has a list of this name in the same file.
func (j *judge) existedBefore(l *List) bool {
	return slices.ContainsFunc(j.before.scan(l.File).lists, func(b *List) bool { return b.Name == l.Name && b.Kind == l.Kind })
}

// files returns the files that can contain the list: the named one, or the changed ones and those
// with words of the requirement.
func (j *judge) files() []string {
	if j.requirement.File != "" {
		return []string{j.requirement.File}
	}
	var out []string
	for _, p := range j.before.paths {
		if LanguageOf(p) == "" {
			continue
		}
		_, changed := slices.BinarySearch(j.changedPaths(), p)
		if changed && j.isWorthReading(p) || !changed && len(j.before.paths) <= 400 && j.fileMentions(j.before, p) {
			out = append(out, p)
		}
	}
	return out
}

// isWorthReading reports whether to read a changed file: all are, unless there are many; then only
// those with words of the requirement.
func (j *judge) isWorthReading(p string) bool {
	return len(j.changedPaths()) <= 64 || j.fileMentions(j.before, p) || j.fileMentions(j.after, p)
}

func (j *judge) fileMentions(w *lazyTree, p string) bool {
	src := bytes.ToLower(w.load(p).src)
	for w := range j.topic.Weight {
		if bytes.Contains(src, []byte(w)) {
			return true
		}
	}
	return false
}

// changedPaths returns the paths of files that differ.
func (j *judge) changedPaths() []string {
	if j.changed != nil {
		return j.changed
	}
	if c, told := j.after.tree.(ComparedTree); told {
		j.changed = c.Changed()
		return j.changed
	}
	j.changed = []string{}
	all := append(slices.Clone(j.before.paths), j.after.paths...)
	sort.Strings(all)
	for _, p := range slices.Compact(all) {
		a, b := j.before.load(p), j.after.load(p)
		if a.exists != b.exists || !bytes.Equal(a.src, b.src) {
			j.changed = append(j.changed, p)
		}
	}
	return j.changed
}

// scoreWords scores how well a list's names fit the requirement's words.
func (j *judge) scoreWords(l *List) float64 {
	if j.requirement.List != "" {
		if l.FullName() == j.requirement.List || l.Name == j.requirement.List {
			return 100 - float64(l.Depth)
		}
		return -100
	}
	score, kind := j.scoreName(l), j.scoreKind(l)
	if memberKinds[l.Kind] && kind < 0 {
		score *= 0.3 // "2 drinks" are not two fields of type Drink
	}
	score += j.scoreSurroundings(l) + j.scoreTypes(l) - depthPenalty(l) + kind
	if len(l.Items) == 0 {
		score--
	}
	return score
}

// memberKinds are kinds of lists that contain the parts of one thing and have its name.
var memberKinds = map[ListKind]bool{Fields: true, Methods: true}

// scoreTypes scores a list with a type that names the counted noun: Drink[].
func (j *judge) scoreTypes(l *List) float64 {
	if l.Kind != Array && l.Kind != Object || j.topic.Noun == "items" {
		return 0
	}
	for _, w := range l.Words {
		if IsRelated(Stem(strings.ToLower(w)), Stem(j.topic.Noun)) {
			return 3
		}
	}
	return 0
}

// depthPenalty returns how much less likely a nested list is meant: in an item of a list more than
// under a name.
func depthPenalty(l *List) float64 {
	in := 0
	for _, p := range l.Path {
		if strings.HasPrefix(p, "[") {
			in++
		}
	}
	in = min(in, l.Depth)
	return 0.9*float64(in) + 0.4*float64(l.Depth-in)
}

// scoreName scores the list's own name.
func (j *judge) scoreName(l *List) float64 {
	score := 0.0
	if words, ok := tagWords[l.Name]; ok && (l.Kind == Elements || l.Kind == Rows || l.Kind == Columns) {
		for _, w := range strings.Fields(words) {
			score = max(score, 3*j.matchWord(w))
		}
		return score
	}
	if j.namesExactly(l.Name) {
		score += 8
	}
	parts := Stems(l.Name)
	total, hit := 0.0, 0.0
	for _, p := range parts {
		if IsStopWord.Has(p) && len(parts) > 1 || len(p) < 2 && len(parts) > 1 {
			continue
		}
		total++
		hit += j.matchWord(p)
	}
	if total > 0 {
		score += 5 * hit / total
	}
	return score
}

// tagWords maps tags, which do not describe the content of an element, to words that mean them.
var tagWords = map[string]string{
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

// namesExactly reports whether the requirement contains a name as it is written in the code.
func (j *judge) namesExactly(name string) bool {
	if name == "" {
		return false
	}
	if j.topic.Names[name] {
		return true
	}
	bare := strings.TrimLeft(name, ".#:$@")
	return len(bare) > 2 && j.topic.Names[bare]
}

func (j *judge) matchWord(word string) float64 {
	if w := j.topic.Weight[word]; w > 0 {
		return w
	}
	for s, w := range j.topic.Weight {
		if IsRelated(s, word) {
			return 0.8 * w
		}
	}
	return 0
}

// scoreSurroundings scores what contains the list, and its types, ids and headings.
func (j *judge) scoreSurroundings(l *List) float64 {
	score := 0.0
	own := map[string]bool{}
	for _, p := range Stems(l.Name) {
		own[p] = true
	}
	seen := map[string]bool{}
	for i, text := range append(slices.Clone(l.Path), l.Words...) {
		if j.namesExactly(text) {
			if i < len(l.Path) {
				score += 4
			} else {
				score += 3
			}
		}
		for _, p := range Stems(text) {
			if own[p] || seen[p] || IsStopWord.Has(p) {
				continue
			}
			seen[p] = true
			score += 1.3 * j.matchWord(p)
		}
	}
	return min(score, 9)
}

func (j *judge) scoreKind(l *List) float64 {
	best := kindPrior[l.Kind]
	for word, kinds := range kindWords {
		weight := j.topic.Weight[word]
		if weight == 0 || !slices.Contains(kinds, l.Kind) {
			continue
		}
		s := 3 * min(weight, 1)
		if Stem(j.topic.Noun) == word {
			s++
		}
		best = max(best, s)
	}
	return best
}

// scoreItems scores the items: how many there were, what was added, whether they changed.
func (j *judge) scoreItems(c *candidate) float64 {
	score := 0.0
	if len(j.topic.Counts) > 0 && c.countBefore.IsKnown() {
		switch {
		case j.topic.Counts[c.countBefore.N]:
			score += 3
		default:
			score--
		}
	}
	if c.countBefore.N <= 1 && len(c.countBefore.Unknown) == 0 {
		score--
	}
	gone, came := diffLabels(c.itemsBefore, c.itemsAfter)
	if len(gone)+len(came) > 0 {
		score++
	}
	found := 0.0
	seen := map[string]bool{}
	if j.requirement.Marker == belay.MarkRemove {
		came = gone
	}
	for _, label := range came {
		for _, s := range Stems(label) {
			if !seen[s] && len(s) > 2 {
				seen[s] = true
				found += 1.2 * j.topic.Weight[s]
			}
		}
	}
	score += min(found, 4)
	old := 0.0
	for _, it := range c.itemsBefore[:min(len(c.itemsBefore), 200)] {
		for _, s := range Stems(it.Label) {
			if !seen[s] && len(s) > 2 {
				seen[s] = true
				old += 0.3 * j.topic.Weight[s]
			}
		}
	}
	return score + min(old, 1)
}
