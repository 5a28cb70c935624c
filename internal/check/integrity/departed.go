package integrity

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/check/cases"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/check/lang"
	"github.com/belay-dev/belay/internal/count/topic"
)

// explain says of the tests that are gone why that may be no loss: what it finds is no
// proof, so that each becomes a warning with the reason. Nothing explains a test that ran, whose subject is
// still there, and in whose place nothing came.
func (p *pairing) explain(files []*edit.File) {
	var vanished map[lang.Language]map[string]bool
	for i := range p.gone {
		g := &p.gone[i]
		if g.Group || g.Name == outsideName || g.into != "" {
			continue
		}
		if vanished == nil {
			vanished = departed(files)
		}
		switch {
		case slices.ContainsFunc(g.Skips, func(m cases.Mark) bool { return !m.Maybe }):
			g.why = "it was skipped"
		case fixture(g.file.Path):
			g.why = "its folder holds material for tests"
		case p.twin(*g):
			g.why = "a test of the same content is still there"
		case g.uses(vanished[g.lang.Family()]) != "":
			g.why = g.uses(vanished[g.lang.Family()]) + ", which it used, is gone from the code"
		case p.successor(*g) != "":
			g.why = p.successor(*g) + " came in its place"
		case p.absorbed(*g) != "":
			g.why = p.absorbed(*g) + " does all that it did"
		case p.quoted(*g) != "":
			g.why = p.quoted(*g) + " has it as a text"
		}
	}
}

// twin tells whether a test that does the very same is among those that are there now.
func (p *pairing) twin(g placed) bool {
	return g.Asserts > 0 && len(g.Body) >= 6 && slices.ContainsFunc(p.there, func(a placed) bool {
		return a.lang == g.lang && a.runs() && len(a.Body) == len(g.Body) && slices.EqualFunc(a.Body, g.Body, func(x, y lang.Token) bool { return x.Text == y.Text })
	})
}

// runs tells a test that nothing keeps from running or failing.
func (a placed) runs() bool {
	return !a.Group && a.Name != outsideName && a.Fails() && len(a.Early) == 0 &&
		!slices.ContainsFunc(a.Skips, func(m cases.Mark) bool { return !m.Maybe })
}

// successor gives the new test that came in the place of one that is gone: it is about the
// same, by its name and by what it calls, and stands for no other.
func (p *pairing) successor(g placed) string {
	was := topic.Words(g.Leaf)
	for i := range p.fresh {
		a := &p.fresh[i]
		if a.lang.Family() != g.lang.Family() || !a.runs() || p.stands[a.file.Path+" "+a.Name] != "" && p.stands[a.file.Path+" "+a.Name] != g.file.Path+" "+g.Name || !g.SameSubject(a.Test) {
			continue
		}
		is, common := topic.Words(a.Leaf), 0
		for _, w := range was {
			if slices.ContainsFunc(is, func(x string) bool { return topic.Akin(x, w) }) {
				common++
			}
		}
		if common >= 2 && common*2 >= min(len(was), len(is)) {
			if p.stands == nil {
				p.stands = map[string]string{}
			}
			p.stands[a.file.Path+" "+a.Name] = g.file.Path + " " + g.Name
			return clip(a.Name)
		}
	}
	return ""
}

// absorbed gives a test of the change that does what g did and more: it has all of its values and
// nearly all of its words, asserts as much, and was changed.
func (p *pairing) absorbed(g placed) string {
	if g.Asserts == 0 || len(g.Body) < 8 {
		return ""
	}
	for _, a := range append(p.changed[:len(p.changed):len(p.changed)], p.fresh...) {
		if a.lang.Family() != g.lang.Family() || !a.runs() || a.Asserts < g.Asserts || g.Shared(a.Test)*20 < len(g.Body)*17 {
			continue
		}
		has := map[string]bool{}
		for _, t := range a.Body {
			has[t.Text] = true
		}
		if !slices.ContainsFunc(g.Body, func(t lang.Token) bool { return (t.Kind == lang.Text || t.Kind == lang.Number) && !has[t.Text] }) {
			return clip(a.Name)
		}
	}
	return ""
}

// quoted gives a new or changed test in which the name of g stands as a text: it is run from
// there, as tests of test runners are. A name of one or two words may stand anywhere.
func (p *pairing) quoted(g placed) string {
	if len(topic.Words(g.Leaf)) < 3 {
		return ""
	}
	for _, a := range append(p.changed[:len(p.changed):len(p.changed)], p.fresh...) {
		if a.runs() && slices.ContainsFunc(a.Body, func(t lang.Token) bool { return t.Kind == lang.Text && strings.Contains(t.Text, g.Leaf) }) {
			return clip(a.Name)
		}
	}
	return ""
}

// uses gives a word of the test that is among others.
func (a placed) uses(vanished map[string]bool) string {
	for i, t := range a.Body {
		if t.Kind == lang.Word && vanished[t.Text] && (i == 0 || !strings.HasSuffix(a.Body[i-1].Text, "\"")) {
			return t.Text
		}
	}
	return ""
}

// departed gives, for each language, the names that the code of the change had, as what is
// called, declared or a member, and that no file of the change has any more.
func departed(files []*edit.File) map[lang.Language]map[string]bool {
	out, still := map[lang.Language]map[string]bool{}, map[lang.Language]map[string]bool{}
	for _, f := range files {
		l := lang.Of(f.Path)
		if l == lang.None || edit.Binary(f.Before) || edit.Binary(f.After) || lang.Generated(f.Path) {
			continue
		}
		family := l.Family()
		if out[family] == nil {
			out[family], still[family] = map[string]bool{}, map[string]bool{}
		}
		for _, t := range lang.Code(l, f.After) {
			if t.Kind == lang.Word {
				still[family][t.Text] = true
			}
		}
		if f.Before == nil || lang.ForTests(f.Path) {
			continue
		}
		text := f.Before
		if l == lang.Rust || l == lang.CSharp {
			text = around(text, testsOf(f, text))
		}
		tokens := lang.Code(l, text)
		for i, t := range tokens {
			if t.Kind == lang.Word && len(t.Text) > 3 && named(tokens, i) {
				out[family][t.Text] = true
			}
		}
	}
	for family, words := range out {
		for w := range words {
			if still[family][w] {
				delete(words, w)
			}
		}
	}
	return out
}

// named tells whether a word of code is the name of something that others can use: no local
// variable, whose name is only ever read and written.
func named(tokens []lang.Token, i int) bool {
	if i+1 < len(tokens) && (tokens[i+1].Is("(") || tokens[i+1].Is("!") && i+2 < len(tokens) && tokens[i+2].Is("(")) {
		return true
	}
	if i == 0 {
		return false
	}
	switch tokens[i-1].Text {
	case ".", "#", "class", "def", "fn", "func", "function", "struct", "enum", "trait", "interface", "type", "record", "module", "namespace", "macro_rules", "::":
		return true
	}
	return false
}
