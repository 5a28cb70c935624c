package intent

import (
	"iter"
	"slices"
	"strings"
)

// gatherer goes through a message and notes its nouns.
type gatherer struct {
	p      FileMessage
	n      *nouns
	strict bool   // what is told beside a request names no file
	abroad bool   // the message is in another language than English
	kept   string // what is to stay, lower case, a space before and behind
	text   strings.Builder
}

func (p FileMessage) nouns(strict bool) nouns {
	n := nouns{literal: map[string]bool{}, word: map[string]bool{}, kept: map[string]bool{}, known: map[string]bool{}}
	g := gatherer{p: p, n: &n, strict: strict, abroad: Language(p.Msg[:min(len(p.Msg), 4<<10)]) != "",
		kept: " " + strings.ToLower(strings.Join(p.Preserve, " ")) + " "}
	for _, a := range p.Acts {
		if a.Deed == Material {
			n.pasted += a.C.Block.Text + "\n"
		} else {
			g.act(a)
		}
	}
	for _, b := range p.Blocks {
		n.block(b)
	}
	n.scope(p.Msg)
	n.written(p)
	n.text = " " + g.text.String()
	n.paste = strings.ToLower(n.pasted)
	n.starting()
	return n
}

// act notes what is above a clause, and then its words.
func (g *gatherer) act(a Act) {
	for w := range strings.FieldsSeq(a.C.Topic) {
		g.n.literal[w] = true
		g.n.noun(w)
		g.text.WriteString(w + " ")
	}
	left := a.Deed == Keep || a.Deed == Ground && wellOff(a.C.Low())
	tale := g.strict && a.Deed == Ground && story(a.C.Low())
	for i, t := range a.C.T {
		before := ""
		if i > 0 {
			before = a.C.T[i-1].Low
		}
		if before == "per" {
			continue // "per user": how it is told apart, not what it is about
		}
		low := strings.Trim(t.Low, "`\"'“”")
		g.n.quoted(t.Form, low)
		if left || len(a.Keeps) > 0 && strings.Contains(g.kept, " "+low+" ") {
			g.n.kept[strings.TrimPrefix(low, "./")] = true
			continue
		}
		g.n.path(t.Form, low)
		if i > 0 {
			g.n.literal[before+"-"+low], g.n.literal[before+"_"+low] = true, true // "getting started"
			g.n.joined(strings.Trim(before, "`\"'"), low)
		}
		if tale || exact(g.p.Files, low) || compound(g.p.Msg[t.At:t.End]) && g.p.stem(low) {
			continue // it names that file, and no other by its noun
		}
		g.word(t, low, names(before) && !(i+1 < len(a.C.T) && strings.HasPrefix(a.C.T[i+1].Low, "one")))
	}
}

// word notes what a word is called by its parts. An article says that it is a noun.
func (g *gatherer) word(t Token, low string, article bool) {
	address := low != "" && low[0] == '/' && !strings.Contains(low, ".")
	if (t.Form == WordForm || t.Form == Code) && !address {
		if whole := nameParts(nameOnly(g.p.Msg[t.At:t.End])); len(whole) > 1 || t.Form == Code || article || !Nameless(low) {
			g.n.stems(slices.Values(whole))
		}
	}
	if english := foreign()[low]; g.abroad && english != "" {
		g.n.word[Stem(english)] = true
	}
	g.n.route(low)
	g.text.WriteString(low + " ")
}

// stems notes words whatever they are.
func (n nouns) stems(ws iter.Seq[string]) {
	for w := range ws {
		n.word[Stem(w)] = true
	}
}

// quoted notes the words of a short quote.
func (n nouns) quoted(form Form, low string) {
	if form == Quoted && strings.Count(low, " ") < 3 {
		n.stems(strings.FieldsSeq(low))
	}
}

// path notes a word as it is written, and the path in front of a line's number.
func (n nouns) path(form Form, low string) {
	if form != WordForm && form != Code && !(form == Quoted && strings.ContainsAny(low, "./")) {
		return
	}
	n.literal[strings.TrimSuffix(strings.TrimPrefix(low, "./"), "()")] = true
}

// block notes the words of headings and asides, which are not clauses, and what is pasted between
// fences.
func (n *nouns) block(b Block) {
	switch b.Kind {
	case Fence:
		n.pasted += b.Text + "\n"
		return
	case Heading, Para, Item:
	default:
		return
	}
	for _, w := range Tokens(b.Text, b.At) {
		if b.Kind != Heading && w.Form != Aside || b.Section() == Around {
			continue
		}
		for _, t := range Tokens(strings.Trim(w.Low, "()[]"), 0) {
			n.literal[t.Low] = true
			n.noun(t.Low)
		}
	}
}

// scope notes what a message in the form of a commit's is about: "feat(join): …".
func (n nouns) scope(msg string) {
	kind, rest, ok := strings.Cut(msg[:min(len(msg), 40)], "(")
	if !ok || len(kind) >= 10 || !Commit(kind) {
		return
	}
	if scope, _, ok := strings.Cut(rest, "):"); ok && !strings.Contains(scope, " ") {
		n.noun(strings.ToLower(scope))
	}
}

// nameOnly takes folders and the extension off a word that is a path.
func nameOnly(w string) string {
	if i := strings.LastIndexByte(w, '/'); i >= 0 && strings.Contains(w[i:], ".") {
		w = w[i+1:]
	}
	if i := strings.IndexByte(w, '.'); i > 0 && len(w)-i < 6 {
		return w[:i]
	}
	return w
}
