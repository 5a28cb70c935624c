package testdiff

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/count"
)

// explain looks for reasons why a deleted test may be no loss. A reason is no proof, so the finding
// becomes a warning with the reason. A test that ran, with a subject that still exists and without
// a replacement, gets none.
func (p *pairing) explain(files []*syntax.File, r Rules) {
	var vanished map[syntax.Language]nameSet
	newly := sync.OnceValue(func() map[syntax.Language]nameSet { return addedNames(files) })
	for i := range p.deleted {
		g := &p.deleted[i]
		if g.Group || g.Name == outsideName || g.absorbedBy != "" {
			continue
		}
		if vanished == nil {
			vanished = removedNames(files)
		}
		used := g.usedName(vanished[g.lang.Family()])
		g.subjectDeleted = used != ""
		switch {
		case slices.ContainsFunc(g.Skips, func(m Mark) bool { return !m.Unsure }):
			g.reason = "it was skipped"
		case isFixture(g.file.Path):
			g.reason = "its folder contains test data"
		case p.hasTwin(*g):
			g.reason = "a test with the same content still exists"
		case p.inheritedTest(*g) != "":
			g.reason = "its class inherits " + p.inheritedTest(*g)
		case used != "":
			g.reason = used + ", which it used, was removed from the code"
		case p.successor(*g) != "":
			g.reason = p.successor(*g) + " replaces it"
		case p.absorbingTest(*g) != "":
			g.reason = p.absorbingTest(*g) + " does everything it did"
		case p.quotingTest(*g) != "":
			g.reason = p.quotingTest(*g) + " contains it as text"
		case p.replacementInPlace(*g) != "":
			g.reason = p.replacementInPlace(*g) + " is in its place"
		case p.isReworked(*g, r, newly):
			g.reason = "other tests, of what the change adds, are in its place"
		case g.removedText(files) != "":
			g.subjectDeleted = true
			g.reason = g.removedText(files) + ", which it looked for, was removed from the code"
		}
	}
	p.explainRemovedTogether()
	p.explainRewrittenFiles(files, r)
}

// explainRemovedTogether gives a reason to a test that was deleted in one piece with others, most
// of which used deleted code.
func (p *pairing) explainRemovedTogether() {
	type piece struct {
		file    *syntax.File
		between [2]string
	}
	all, without := map[piece]int{}, map[piece]int{}
	for _, g := range p.deleted {
		if !g.Group && g.Name != outsideName {
			at := piece{g.file, g.neighbours}
			all[at]++
			if g.subjectDeleted {
				without[at]++
			}
		}
	}
	for i := range p.deleted {
		g := &p.deleted[i]
		at := piece{g.file, g.neighbours}
		most := without[at] > 1 && without[at]*2 > all[at]
		if most && g.isUnexplained() && !g.Group && g.Name != outsideName {
			g.reason = "the tests removed with it used code that was removed"
		}
	}
}

// replacementInPlace returns the new test in the position of g, between the same tests: it calls
// what g called, its name shares a content word with g's, and the new tests there assert as much as
// the deleted ones.
func (p *pairing) replacementInPlace(g fileTest) string {
	was := slices.DeleteFunc(count.TopicWords(g.ShortName), func(w string) bool { return plainWords.Has(w) || p.isCommonWord(g.file, w) })
	asserts := 0
	for _, a := range p.added {
		if a.file == g.file && a.neighbours == g.neighbours && a.isEffective() {
			asserts += a.Asserts
		}
	}
	for _, o := range p.deleted {
		if o.file == g.file && o.neighbours == g.neighbours && o.Name != g.Name {
			asserts -= o.Asserts
		}
	}
	for _, a := range p.added {
		key, one := a.file.Path+" "+a.Name, g.file.Path+" "+g.Name
		if a.file != g.file || a.neighbours != g.neighbours || !a.isEffective() || asserts < g.Asserts || p.isInOtherGroup(g, a) {
			continue
		}
		taken := p.replaces[key] != "" && p.replaces[key] != one
		if taken || !g.HasSameSubject(a.Test, p.commonCalls[g.file]) || countAlike(was, count.TopicWords(a.ShortName)) == 0 {
			continue
		}
		if p.replaces == nil {
			p.replaces = map[string]string{}
		}
		p.replaces[key] = one
		return clip(a.Name)
	}
	return ""
}

// isReworked reports whether other tests replace g, between the same tests: as many as were
// deleted, which assert as much, and call code that the change adds. A request for a fix excludes
// this, because the test may have been in the way.
func (p *pairing) isReworked(g fileTest, r Rules, newly func() map[syntax.Language]nameSet) bool {
	if r.Deletions == nil || r.Deletions.fixes {
		return false
	}
	balance, asserts, about := 0, 0, false
	for _, o := range p.deleted {
		if o.file == g.file && o.neighbours == g.neighbours && !o.Group && o.Name != outsideName {
			balance--
			asserts -= o.Asserts
		}
	}
	for _, a := range p.added {
		if a.file == g.file && a.neighbours == g.neighbours && a.isEffective() {
			balance++
			asserts += a.Asserts
			about = about || a.usedName(newly()[g.lang.Family()]) != ""
		}
	}
	return balance >= 0 && asserts >= 0 && about
}

// isInOtherGroup reports whether the new test a is in another group of g's file although g's group
// still exists: groups are about different subjects.
func (p *pairing) isInOtherGroup(g, a fileTest) bool {
	return a.file == g.file && groupNames(a) != groupNames(g) && p.groupRemains(g)
}

// isCommonWord reports whether at least half of the remaining tests in a file have a word in their
// names.
func (p *pairing) isCommonWord(f *syntax.File, word string) bool {
	all, have := 0, 0
	for _, k := range p.existing {
		if k.file == f {
			all++
			have += countAlike([]string{word}, count.TopicWords(k.ShortName))
		}
	}
	return have > 0 && have*2 >= all
}

// removedText returns a string literal of several words in the test that the code contained, and
// that no file of the change contains now.
func (g fileTest) removedText(files []*syntax.File) string {
	for _, t := range g.Body {
		text := strings.Trim(t.Text, "\"'`/")
		if t.Kind != syntax.Text || len(text) < 12 || strings.Count(text, " ") == 0 {
			continue
		}
		had, has := false, false
		for _, f := range files {
			if syntax.LanguageOf(f.Path) == syntax.None || syntax.IsForTests(f.Path) {
				continue
			}
			had = had || strings.Contains(string(unescape(codeWithoutTests(f, f.Before))), string(unescape([]byte(text))))
			has = has || strings.Contains(string(unescape(f.After)), string(unescape([]byte(text))))
		}
		if had && !has {
			return clip(t.Text)
		}
	}
	return ""
}

// unescape removes backslashes, because the same text is escaped in several ways.
func unescape(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`\`), nil) }

// explainRewrittenFiles gives a reason to the deleted tests of a rewritten file: none of several
// remained, or the request is about changing tests, or only tests changed without a fix. The file
// has to have as many new tests, which assert as much.
func (p *pairing) explainRewrittenFiles(files []*syntax.File, r Rules) {
	alone := r.Deletions != nil && !r.Deletions.fixes && len(p.deleted) > 0 && !codeChanged(files)
	type sum struct{ tests, asserts, stayed int }
	gone, came := map[*syntax.File]sum{}, map[*syntax.File]sum{}
	for _, k := range p.existing {
		s := gone[k.file]
		s.stayed++
		gone[k.file] = s
	}
	for _, g := range p.deleted {
		if !g.Group && g.Name != outsideName {
			s := gone[g.file]
			gone[g.file] = sum{s.tests + 1, s.asserts + g.Asserts, s.stayed}
		}
	}
	for _, a := range p.added {
		if a.isEffective() {
			s := came[a.file]
			came[a.file] = sum{s.tests + 1, s.asserts + a.Asserts, 0}
		}
	}
	for i := range p.deleted {
		g := &p.deleted[i]
		was, is := gone[g.file], came[g.file]
		anew := r.ChangesAsked || alone || was.stayed == 0 && was.tests > 1
		if !anew || !g.isUnexplained() || is.tests < was.tests || is.asserts < was.asserts {
			continue
		}
		if slices.ContainsFunc(p.added, func(a fileTest) bool {
			return a.file == g.file && a.isEffective() && g.HasSameSubject(a.Test, nil)
		}) {
			g.reason = "the tests of the file were rewritten"
		}
	}
}

// inheritedTest returns the test with the name of g that its class, which still exists, inherits
// from another class of the change.
func (p *pairing) inheritedTest(g fileTest) string {
	for _, class := range p.current {
		if !class.Group || class.file != g.file || class.Name != groupNames(g) {
			continue
		}
		for _, a := range p.current {
			if a.ShortName == g.ShortName && a.isEffective() && slices.Contains(class.Bases, groupName(a)) {
				return clip(a.Name)
			}
		}
	}
	return ""
}

// hasTwin reports whether a test with the same content exists now. In another group, while g's
// group still exists, it is none: it may use other values, in another context of RSpec or a class
// with its own fields.
func (p *pairing) hasTwin(g fileTest) bool {
	stayed := p.groupRemains(g)
	return g.Asserts > 0 && len(g.Body) >= 6 && slices.ContainsFunc(p.current, func(a fileTest) bool {
		other := stayed && groupNames(a) != groupNames(g)
		return a.lang == g.lang && a.ShortName == g.ShortName && a.isEffective() && !other && len(a.Body) == len(g.Body) &&
			slices.EqualFunc(a.Body, g.Body, func(x, y syntax.Token) bool { return x.Text == y.Text })
	})
}

// isEffective reports whether a test runs and can fail.
func (a fileTest) isEffective() bool {
	return !a.Group && a.Name != outsideName && a.CanFail() && len(a.EarlyReturns) == 0 &&
		!slices.ContainsFunc(a.Skips, func(m Mark) bool { return !m.Unsure })
}

// successor returns the new test that replaces a deleted one: its name and its calls are similar,
// and it replaces no other. If a remaining test has a name just as similar to the new one's, that
// is an addition.
func (p *pairing) successor(g fileTest) string {
	was := count.TopicWords(g.ShortName)
	for i := range p.added {
		a := &p.added[i]
		key, one := a.file.Path+" "+a.Name, g.file.Path+" "+g.Name
		if a.lang.Family() != g.lang.Family() || !a.isEffective() || p.replaces[key] != "" && p.replaces[key] != one ||
			p.isInOtherGroup(g, *a) || !g.HasSameSubject(a.Test, p.commonCalls[g.file]) {
			continue
		}
		is := count.TopicWords(a.ShortName)
		n := countAlike(was, is)
		if n < 2 || n*2 < max(len(was), len(is)) || slices.ContainsFunc(p.existing, func(k fileTest) bool {
			return k.file == a.file && countAlike(count.TopicWords(k.ShortName), is) >= n
		}) {
			continue
		}
		if p.replaces == nil {
			p.replaces = map[string]string{}
		}
		p.replaces[key] = one
		return clip(a.Name)
	}
	return ""
}

// countAlike counts the words that are related to one of the others.
func countAlike(words, among []string) int {
	n := 0
	for _, w := range words {
		if slices.ContainsFunc(among, func(x string) bool { return count.IsRelated(x, w) }) {
			n++
		}
	}
	return n
}

// absorbingTest returns a test that now does everything g did: it has all of its values and nearly
// all of its words, asserts as much, and got some of that by the change.
func (p *pairing) absorbingTest(g fileTest) string {
	if g.Asserts == 0 || len(g.Body) < 8 {
		return ""
	}
	for _, c := range p.changedAndNew() {
		a := c.after
		if a.lang.Family() != g.lang.Family() || !a.isEffective() || a.Asserts < g.Asserts || g.CountShared(a.Test)*20 < len(g.Body)*17 {
			continue
		}
		has, had := placedWords(a), placedWords(c.before)
		lacks := func(t syntax.Token) bool { return (t.Kind == syntax.Text || t.Kind == syntax.Number) && !has[t.Text] }
		got := func(t syntax.Token) bool { return t.Kind != syntax.Mark && has[t.Text] && !had[t.Text] }
		if !slices.ContainsFunc(g.Body, lacks) && slices.ContainsFunc(g.Body, got) && !p.isCopy(g, a) {
			return clip(a.Name)
		}
	}
	return ""
}

// changedAndNew returns the changed and the new tests.
func (p *pairing) changedAndNew() []changedTest {
	all := p.changed[:len(p.changed):len(p.changed)]
	for _, a := range p.added {
		all = append(all, changedTest{after: a})
	}
	return all
}

func placedWords(a fileTest) map[string]bool {
	set := map[string]bool{}
	for _, t := range a.Body {
		set[t.Text] = true
	}
	return set
}

// quotingTest returns a new or changed test with the name of g in a string literal: tests of test
// runners run others that way. A name of one or two words is too common.
func (p *pairing) quotingTest(g fileTest) string {
	if len(count.TopicWords(g.ShortName)) < 3 {
		return ""
	}
	for _, c := range p.changedAndNew() {
		a := c.after
		if a.isEffective() && slices.ContainsFunc(a.Body,
			func(t syntax.Token) bool { return t.Kind == syntax.Text && strings.Contains(t.Text, g.ShortName) }) {
			return clip(a.Name)
		}
	}
	return ""
}

// nameSet is a set of public names of code.
type nameSet map[string]bool

// usedName returns a name of the set that the test uses, "" for none.
func (a fileTest) usedName(gone nameSet) string {
	for _, t := range a.Body {
		if t.Kind == syntax.Word && gone[t.Text] {
			return t.Text
		}
	}
	return ""
}

// textBefore and textAfter return one text of a file, as arguments of namesOnlyIn.
func textBefore(f *syntax.File) []byte { return f.Before }
func textAfter(f *syntax.File) []byte  { return f.After }

// codeWithoutTests returns a text of a file without its tests.
func codeWithoutTests(f *syntax.File, text []byte) []byte {
	if l := syntax.LanguageOf(f.Path); text != nil && (l == syntax.Rust || l == syntax.CSharp) {
		return textOutsideTests(text, testsOf(f, text))
	}
	return text
}

// removedNames returns the deleted names for each language, including types and top-level functions
// that are no longer declared although their names still occur: ssl.SSLContext, after class
// SSLContext was deleted.
func removedNames(files []*syntax.File) map[syntax.Language]nameSet {
	return namesOnlyIn(files, textBefore, textAfter)
}

// addedNames returns the names in the code of a change that no file of the change had before.
func addedNames(files []*syntax.File) map[syntax.Language]nameSet {
	return namesOnlyIn(files, textAfter, textBefore)
}

// vocabulary has the words in the code of one language: all, public names, and declared names.
type vocabulary struct{ words, public, declared map[string]bool }

func (v vocabulary) read(l syntax.Language, text []byte) {
	tokens := syntax.LexCode(l, text)
	for i, t := range tokens {
		if t.Kind != syntax.Word || len(t.Text) <= 3 {
			continue
		}
		v.words[t.Text] = true
		if isPublicName(tokens, i) {
			v.public[t.Text] = true
		}
		if isDeclaration(tokens, i) {
			v.declared[t.Text] = true
		}
	}
}

// namesOnlyIn returns the names in one text of the code that are in the other text of no file.
func namesOnlyIn(files []*syntax.File, one, other func(*syntax.File) []byte) map[syntax.Language]nameSet {
	all := map[syntax.Language][2]vocabulary{}
	for _, f := range files {
		l := syntax.LanguageOf(f.Path)
		if l == syntax.None || syntax.IsBinary(f.Before) || syntax.IsBinary(f.After) || syntax.IsGenerated(f.Path) {
			continue
		}
		v, known := all[l.Family()]
		if !known {
			for i := range v {
				v[i] = vocabulary{map[string]bool{}, map[string]bool{}, map[string]bool{}}
			}
			all[l.Family()] = v
		}
		v[1].read(l, other(f))
		if text := codeWithoutTests(f, one(f)); text != nil && !syntax.IsForTests(f.Path) {
			v[0].read(l, text)
		}
	}
	out := map[syntax.Language]nameSet{}
	for family, v := range all {
		had, has := v[0], v[1]
		maps.DeleteFunc(had.public, func(w string, _ bool) bool { return has.words[w] })
		maps.DeleteFunc(had.declared, func(w string, _ bool) bool { return has.declared[w] })
		maps.Copy(had.public, had.declared)
		out[family] = had.public
	}
	return out
}

// isDeclaration reports whether a word of code is the name of a type or top-level function in its
// declaration.
func isDeclaration(tokens []syntax.Token, i int) bool {
	if i == 0 {
		return false
	}
	switch tokens[i-1].Text {
	case "class", "struct", "enum", "trait", "interface", "record":
		return true
	case "type":
		return tokens[i-1].First
	case "def", "fn", "func", "function":
		first := i - 1
		for first > 0 && !tokens[first].First {
			first--
		}
		return tokens[first].Col == 0
	}
	return false
}

// isPublicName reports whether a word of code can be a public name, and not a local variable, which
// is only read and written.
func isPublicName(tokens []syntax.Token, i int) bool {
	if i+1 < len(tokens) && (tokens[i+1].Is("(") || tokens[i+1].Is("!") && i+2 < len(tokens) && tokens[i+2].Is("(")) {
		return true
	}
	if i == 0 {
		return false
	}
	switch tokens[i-1].Text {
	case ".", "#", "class", "def", "fn", "func", "function", "struct", "enum", "trait", "interface", "type", "record",
		"module", "namespace", "macro_rules", "::", "->":
		return true
	}
	return false
}
