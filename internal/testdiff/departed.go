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

// explain says of the tests that are gone why that may be no loss: what it finds is no
// proof, so that each becomes a warning with the reason. Nothing explains a test that ran, whose subject is
// still there, and in whose place nothing came.
func (p *pairing) explain(files []*syntax.File, r Rules) {
	var vanished map[syntax.Language]names
	newly := sync.OnceValue(func() map[syntax.Language]names { return arrived(files) })
	for i := range p.gone {
		g := &p.gone[i]
		if g.Group || g.Name == outsideName || g.into != "" {
			continue
		}
		if vanished == nil {
			vanished = departed(files)
		}
		used := g.uses(vanished[g.lang.Family()])
		g.without = used != ""
		switch {
		case slices.ContainsFunc(g.Skips, func(m Mark) bool { return !m.Maybe }):
			g.why = "it was skipped"
		case fixture(g.file.Path):
			g.why = "its folder contains test data"
		case p.twin(*g):
			g.why = "a test with the same content still exists"
		case p.inherited(*g) != "":
			g.why = "its class inherits " + p.inherited(*g)
		case used != "":
			g.why = used + ", which it used, was removed from the code"
		case p.successor(*g) != "":
			g.why = p.successor(*g) + " replaces it"
		case p.absorbed(*g) != "":
			g.why = p.absorbed(*g) + " does everything it did"
		case p.quoted(*g) != "":
			g.why = p.quoted(*g) + " contains it as text"
		case p.inPlace(*g) != "":
			g.why = p.inPlace(*g) + " is in its place"
		case p.reworked(*g, r, newly):
			g.why = "other tests, of what the change adds, are in its place"
		case g.looksFor(files) != "":
			g.without = true
			g.why = g.looksFor(files) + ", which it looked for, was removed from the code"
		}
	}
	p.together()
	p.rewritten(files, r)
}

// together says so of a test that was removed in one piece with others, most of which used what is gone
// from the code.
func (p *pairing) together() {
	type piece struct {
		file    *syntax.File
		between [2]string
	}
	all, without := map[piece]int{}, map[piece]int{}
	for _, g := range p.gone {
		if !g.Group && g.Name != outsideName {
			at := piece{g.file, g.between}
			all[at]++
			if g.without {
				without[at]++
			}
		}
	}
	for i := range p.gone {
		g := &p.gone[i]
		at := piece{g.file, g.between}
		most := without[at] > 1 && without[at]*2 > all[at]
		if most && g.unexplained() && !g.Group && g.Name != outsideName {
			g.why = "the tests removed with it used code that was removed"
		}
	}
}

// inPlace returns the new test that is where g was, between the same tests: it calls what g called
// and shares a word of its name that says what it is about, and what came there asserts as much as
// what went.
func (p *pairing) inPlace(g placed) string {
	was := slices.DeleteFunc(count.TopicWords(g.Leaf), func(w string) bool { return plainWords.Has(w) || p.usual(g.file, w) })
	asserts := 0
	for _, a := range p.fresh {
		if a.file == g.file && a.between == g.between && a.runs() {
			asserts += a.Asserts
		}
	}
	for _, o := range p.gone {
		if o.file == g.file && o.between == g.between && o.Name != g.Name {
			asserts -= o.Asserts
		}
	}
	for _, a := range p.fresh {
		key, one := a.file.Path+" "+a.Name, g.file.Path+" "+g.Name
		if a.file != g.file || a.between != g.between || !a.runs() || asserts < g.Asserts || p.elsewhere(g, a) {
			continue
		}
		taken := p.stands[key] != "" && p.stands[key] != one
		if taken || !g.SameSubject(a.Test, p.common[g.file]) || alike(was, count.TopicWords(a.Leaf)) == 0 {
			continue
		}
		if p.stands == nil {
			p.stands = map[string]string{}
		}
		p.stands[key] = one
		return clip(a.Name)
	}
	return ""
}

// reworked reports whether other tests came where g was, between the same tests: as many as went, which assert
// as much, and call what the code of the change is the first to have. A test that was in the way of a fix is
// not explained by that.
func (p *pairing) reworked(g placed, r Rules, newly func() map[syntax.Language]names) bool {
	if r.Wanted == nil || r.Wanted.fixes {
		return false
	}
	balance, asserts, about := 0, 0, false
	for _, o := range p.gone {
		if o.file == g.file && o.between == g.between && !o.Group && o.Name != outsideName {
			balance--
			asserts -= o.Asserts
		}
	}
	for _, a := range p.fresh {
		if a.file == g.file && a.between == g.between && a.runs() {
			balance++
			asserts += a.Asserts
			about = about || a.uses(newly()[g.lang.Family()]) != ""
		}
	}
	return balance >= 0 && asserts >= 0 && about
}

// elsewhere reports whether the new test a is in another group of g's file than g was in, which is still there: the groups
// say what their tests are about.
func (p *pairing) elsewhere(g, a placed) bool {
	return a.file == g.file && groups(a) != groups(g) && p.stayed(g)
}

// usual reports whether half of the tests that stayed in a file have a word in their names.
func (p *pairing) usual(f *syntax.File, word string) bool {
	all, have := 0, 0
	for _, k := range p.kept {
		if k.file == f {
			all++
			have += alike([]string{word}, count.TopicWords(k.Leaf))
		}
	}
	return have > 0 && have*2 >= all
}

// looksFor returns a text of several words that the test has, that the code had, and that no
// file of the change has any more.
func (g placed) looksFor(files []*syntax.File) string {
	for _, t := range g.Body {
		text := strings.Trim(t.Text, "\"'`/")
		if t.Kind != syntax.Text || len(text) < 12 || strings.Count(text, " ") == 0 {
			continue
		}
		had, has := false, false
		for _, f := range files {
			if syntax.Of(f.Path) == syntax.None || syntax.ForTests(f.Path) {
				continue
			}
			had = had || strings.Contains(string(unescaped(codeOf(f, f.Before))), string(unescaped([]byte(text))))
			has = has || strings.Contains(string(unescaped(f.After)), string(unescaped([]byte(text))))
		}
		if had && !has {
			return clip(t.Text)
		}
	}
	return ""
}

// unescaped takes backslashes out: what is one text is written in several ways.
func unescaped(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`\`), nil) }

// rewritten says so of the tests of a file that is rewritten: none of several stayed, or the
// request is about changing tests, or nothing but tests changed and nothing was to be fixed, and as many are
// there that assert as much.
func (p *pairing) rewritten(files []*syntax.File, r Rules) {
	alone := r.Wanted != nil && !r.Wanted.fixes && len(p.gone) > 0 && !codeChanged(files)
	type sum struct{ tests, asserts, stayed int }
	gone, came := map[*syntax.File]sum{}, map[*syntax.File]sum{}
	for _, k := range p.kept {
		s := gone[k.file]
		s.stayed++
		gone[k.file] = s
	}
	for _, g := range p.gone {
		if !g.Group && g.Name != outsideName {
			s := gone[g.file]
			gone[g.file] = sum{s.tests + 1, s.asserts + g.Asserts, s.stayed}
		}
	}
	for _, a := range p.fresh {
		if a.runs() {
			s := came[a.file]
			came[a.file] = sum{s.tests + 1, s.asserts + a.Asserts, 0}
		}
	}
	for i := range p.gone {
		g := &p.gone[i]
		was, is := gone[g.file], came[g.file]
		anew := r.Asked || alone || was.stayed == 0 && was.tests > 1
		if !anew || !g.unexplained() || is.tests < was.tests || is.asserts < was.asserts {
			continue
		}
		if slices.ContainsFunc(p.fresh, func(a placed) bool { return a.file == g.file && a.runs() && g.SameSubject(a.Test, nil) }) {
			g.why = "the tests of the file were rewritten"
		}
	}
}

// inherited returns the test of the name of g that its class, which is still there, has from another one of the change.
func (p *pairing) inherited(g placed) string {
	for _, class := range p.there {
		if !class.Group || class.file != g.file || class.Name != groups(g) {
			continue
		}
		for _, a := range p.there {
			if a.Leaf == g.Leaf && a.runs() && slices.Contains(class.Bases, group(a)) {
				return clip(a.Name)
			}
		}
	}
	return ""
}

// twin reports whether a test that does the very same is among those that are there now. In another group than one that
// stayed it does so with other things: in another context of RSpec, or a class with fields of its own.
func (p *pairing) twin(g placed) bool {
	stayed := p.stayed(g)
	return g.Asserts > 0 && len(g.Body) >= 6 && slices.ContainsFunc(p.there, func(a placed) bool {
		other := stayed && groups(a) != groups(g)
		return a.lang == g.lang && a.Leaf == g.Leaf && a.runs() && !other && len(a.Body) == len(g.Body) &&
			slices.EqualFunc(a.Body, g.Body, func(x, y syntax.Token) bool { return x.Text == y.Text })
	})
}

// runs tells a test that nothing keeps from running or failing.
func (a placed) runs() bool {
	return !a.Group && a.Name != outsideName && a.Fails() && len(a.Early) == 0 &&
		!slices.ContainsFunc(a.Skips, func(m Mark) bool { return !m.Maybe })
}

// successor returns the new test that came in the place of one that is gone: it is about the
// same, by its name and by what it calls, and stands for no other. One whose name is as much
// like that of a test that stayed is another one beside that.
func (p *pairing) successor(g placed) string {
	was := count.TopicWords(g.Leaf)
	for i := range p.fresh {
		a := &p.fresh[i]
		key, one := a.file.Path+" "+a.Name, g.file.Path+" "+g.Name
		if a.lang.Family() != g.lang.Family() || !a.runs() || p.stands[key] != "" && p.stands[key] != one ||
			p.elsewhere(g, *a) || !g.SameSubject(a.Test, p.common[g.file]) {
			continue
		}
		is := count.TopicWords(a.Leaf)
		n := alike(was, is)
		if n < 2 || n*2 < max(len(was), len(is)) || slices.ContainsFunc(p.kept, func(k placed) bool {
			return k.file == a.file && alike(count.TopicWords(k.Leaf), is) >= n
		}) {
			continue
		}
		if p.stands == nil {
			p.stands = map[string]string{}
		}
		p.stands[key] = one
		return clip(a.Name)
	}
	return ""
}

// alike counts the words that have one of their forms among others.
func alike(words, among []string) int {
	n := 0
	for _, w := range words {
		if slices.ContainsFunc(among, func(x string) bool { return count.Akin(x, w) }) {
			n++
		}
	}
	return n
}

// absorbed returns a test of the change that does what g did and more: it has all of its values and
// nearly all of its words, asserts as much, and got some of that by the change.
func (p *pairing) absorbed(g placed) string {
	if g.Asserts == 0 || len(g.Body) < 8 {
		return ""
	}
	for _, c := range p.grew() {
		a := c.is
		if a.lang.Family() != g.lang.Family() || !a.runs() || a.Asserts < g.Asserts || g.Shared(a.Test)*20 < len(g.Body)*17 {
			continue
		}
		has, had := placedWords(a), placedWords(c.was)
		lacks := func(t syntax.Token) bool { return (t.Kind == syntax.Text || t.Kind == syntax.Number) && !has[t.Text] }
		got := func(t syntax.Token) bool { return t.Kind != syntax.Mark && has[t.Text] && !had[t.Text] }
		if !slices.ContainsFunc(g.Body, lacks) && slices.ContainsFunc(g.Body, got) && !p.copied(g, a) {
			return clip(a.Name)
		}
	}
	return ""
}

// grew returns the tests that changed, and those that are new.
func (p *pairing) grew() []changed {
	all := p.changed[:len(p.changed):len(p.changed)]
	for _, a := range p.fresh {
		all = append(all, changed{is: a})
	}
	return all
}

func placedWords(a placed) map[string]bool {
	set := map[string]bool{}
	for _, t := range a.Body {
		set[t.Text] = true
	}
	return set
}

// quoted returns a new or changed test in which the name of g stands as a text: it is run from
// there, as tests of test runners are. A name of one or two words may stand anywhere.
func (p *pairing) quoted(g placed) string {
	if len(count.TopicWords(g.Leaf)) < 3 {
		return ""
	}
	for _, c := range p.grew() {
		a := c.is
		if a.runs() && slices.ContainsFunc(a.Body,
			func(t syntax.Token) bool { return t.Kind == syntax.Text && strings.Contains(t.Text, g.Leaf) }) {
			return clip(a.Name)
		}
	}
	return ""
}

// names are those that the code of a change had for what others can use, and that no file of the change has any more.
type names map[string]bool

// uses gives a name that the test uses and that is gone: of what it calls or reads.
func (a placed) uses(gone names) string {
	for _, t := range a.Body {
		if t.Kind == syntax.Word && gone[t.Text] {
			return t.Text
		}
	}
	return ""
}

// textBefore and textAfter are the texts of a file, for what reads either of them.
func textBefore(f *syntax.File) []byte { return f.Before }
func textAfter(f *syntax.File) []byte  { return f.After }

// codeOf is a text of a file without the tests in it.
func codeOf(f *syntax.File, text []byte) []byte {
	if l := syntax.Of(f.Path); text != nil && (l == syntax.Rust || l == syntax.CSharp) {
		return around(text, testsOf(f, text))
	}
	return text
}

// departed returns these names for each language, and with them types and top-level functions
// that are no longer declared although their names still occur: ssl.SSLContext, where class SSLContext went.
func departed(files []*syntax.File) map[syntax.Language]names {
	return onlyIn(files, textBefore, textAfter)
}

// arrived returns the names that the code of a change has and that no file of the change had.
func arrived(files []*syntax.File) map[syntax.Language]names {
	return onlyIn(files, textAfter, textBefore)
}

// vocabulary is what words the code of one language has: any, those of what others can use, and those that it declares.
type vocabulary struct{ words, named, declared map[string]bool }

func (v vocabulary) read(l syntax.Language, text []byte) {
	tokens := syntax.Code(l, text)
	for i, t := range tokens {
		if t.Kind != syntax.Word || len(t.Text) <= 3 {
			continue
		}
		v.words[t.Text] = true
		if named(tokens, i) {
			v.named[t.Text] = true
		}
		if declaration(tokens, i) {
			v.declared[t.Text] = true
		}
	}
}

// onlyIn returns the names that the code had in one of its texts and that no file has in the other.
func onlyIn(files []*syntax.File, one, other func(*syntax.File) []byte) map[syntax.Language]names {
	all := map[syntax.Language][2]vocabulary{}
	for _, f := range files {
		l := syntax.Of(f.Path)
		if l == syntax.None || syntax.Binary(f.Before) || syntax.Binary(f.After) || syntax.Generated(f.Path) {
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
		if text := codeOf(f, one(f)); text != nil && !syntax.ForTests(f.Path) {
			v[0].read(l, text)
		}
	}
	out := map[syntax.Language]names{}
	for family, v := range all {
		had, has := v[0], v[1]
		maps.DeleteFunc(had.named, func(w string, _ bool) bool { return has.words[w] })
		maps.DeleteFunc(had.declared, func(w string, _ bool) bool { return has.declared[w] })
		maps.Copy(had.named, had.declared)
		out[family] = had.named
	}
	return out
}

// declaration reports whether a word of code is the name of a type, or of a function that stands in no other
// thing, where it is declared.
func declaration(tokens []syntax.Token, i int) bool {
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

// named reports whether a word of code is the name of something that others can use: no local
// variable, whose name is only ever read and written.
func named(tokens []syntax.Token, i int) bool {
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
