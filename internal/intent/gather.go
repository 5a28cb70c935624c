package intent

import (
	"iter"
	"slices"
	"strings"
)

// gatherer collects the nouns of a message.
type gatherer struct {
	message   FileMessage
	nouns     *nouns
	strict    bool   // background beside a request names no file
	isForeign bool   // the message is in another language than English
	preserved string // what must stay, lower case, with a space on each side
	text      strings.Builder
}

func (p FileMessage) gatherNouns(strict bool) nouns {
	n := nouns{literals: map[string]bool{}, wordStems: map[string]bool{}, preserved: map[string]bool{}, partCache: map[string]bool{}}
	g := gatherer{message: p, nouns: &n, strict: strict, isForeign: DetectLanguage(p.Msg[:min(len(p.Msg), 4<<10)]) != "",
		preserved: " " + strings.ToLower(strings.Join(p.Preserve, " ")) + " "}
	for _, a := range p.Acts {
		if a.Kind == Material {
			n.pasted += a.Clause.Block.Text + "\n"
		} else {
			g.addAct(a)
		}
	}
	for _, b := range p.Blocks {
		n.addBlock(b)
	}
	n.addCommitScope(p.Msg)
	n.addFileNames(p)
	n.text = " " + g.text.String()
	n.pastedLower = strings.ToLower(n.pasted)
	n.fillPrefixes()
	return n
}

// addAct records a clause's topic, and then its words.
func (g *gatherer) addAct(a Act) {
	for w := range strings.FieldsSeq(a.Clause.Topic) {
		g.nouns.literals[w] = true
		g.nouns.addNoun(w)
		g.text.WriteString(w + " ")
	}
	left := a.Kind == Keep || a.Kind == Background && saysFine(a.Clause.Lower())
	tale := g.strict && a.Kind == Background && isStory(a.Clause.Lower())
	for i, t := range a.Clause.Tokens {
		before := ""
		if i > 0 {
			before = a.Clause.Tokens[i-1].Lower
		}
		if before == "per" {
			continue // "per user" says how things are grouped, not what the message is about
		}
		low := strings.Trim(t.Lower, "`\"'“”")
		g.nouns.addQuoted(t.Form, low)
		if left || len(a.Keeps) > 0 && strings.Contains(g.preserved, " "+low+" ") {
			g.nouns.preserved[strings.TrimPrefix(low, "./")] = true
			continue
		}
		g.nouns.addPath(t.Form, low)
		if i > 0 {
			g.nouns.literals[before+"-"+low], g.nouns.literals[before+"_"+low] = true, true // "getting started"
			g.nouns.addCompound(strings.Trim(before, "`\"'"), low)
		}
		if tale || isFileName(g.message.Files, low) || isCompound(g.message.Msg[t.At:t.End]) && g.message.hasStem(low) {
			continue // it names that file, and no other one by its noun
		}
		g.addWord(t, low, isArticle(before) && !(i+1 < len(a.Clause.Tokens) && strings.HasPrefix(a.Clause.Tokens[i+1].Lower, "one")))
	}
}

// addWord records the parts of a word. An article before it marks it as a noun.
func (g *gatherer) addWord(t Token, low string, article bool) {
	address := low != "" && low[0] == '/' && !strings.Contains(low, ".")
	if (t.Form == WordForm || t.Form == Code) && !address {
		if whole := splitName(baseName(g.message.Msg[t.At:t.End])); len(whole) > 1 || t.Form == Code || article || !IsNameless(low) {
			g.nouns.addStems(slices.Values(whole))
		}
	}
	if english := foreignNounTable()[low]; g.isForeign && english != "" {
		g.nouns.wordStems[Stem(english)] = true
	}
	g.nouns.addRoute(low)
	g.text.WriteString(low + " ")
}

// addStems records words without any condition.
func (n nouns) addStems(ws iter.Seq[string]) {
	for w := range ws {
		n.wordStems[Stem(w)] = true
	}
}

// addQuoted records the words of a short quotation.
func (n nouns) addQuoted(form TokenForm, low string) {
	if form == Quoted && strings.Count(low, " ") < 3 {
		n.addStems(strings.FieldsSeq(low))
	}
}

// addPath records a word as it is written, without a leading ./ and a trailing ().
func (n nouns) addPath(form TokenForm, low string) {
	if form != WordForm && form != Code && !(form == Quoted && strings.ContainsAny(low, "./")) {
		return
	}
	n.literals[strings.TrimSuffix(strings.TrimPrefix(low, "./"), "()")] = true
}

// addBlock records the words of headings and asides, which are not clauses, and fenced text.
func (n *nouns) addBlock(b Block) {
	switch b.Kind {
	case Fence:
		n.pasted += b.Text + "\n"
		return
	case Heading, Para, Item:
	default:
		return
	}
	for _, w := range Tokenize(b.Text, b.At) {
		if b.Kind != Heading && w.Form != Aside || b.Section() == Circumstances {
			continue
		}
		for _, t := range Tokenize(strings.Trim(w.Lower, "()[]"), 0) {
			n.literals[t.Lower] = true
			n.addNoun(t.Lower)
		}
	}
}

// addCommitScope records the scope of a message in the form of a commit: "feat(join): …".
func (n nouns) addCommitScope(msg string) {
	kind, rest, ok := strings.Cut(msg[:min(len(msg), 40)], "(")
	if !ok || len(kind) >= 10 || !IsCommitType(kind) {
		return
	}
	if scope, _, ok := strings.Cut(rest, "):"); ok && !strings.Contains(scope, " ") {
		n.addNoun(strings.ToLower(scope))
	}
}

// baseName removes folders and the extension from a word that is a path.
func baseName(w string) string {
	if i := strings.LastIndexByte(w, '/'); i >= 0 && strings.Contains(w[i:], ".") {
		w = w[i+1:]
	}
	if i := strings.IndexByte(w, '.'); i > 0 && len(w)-i < 6 {
		return w[:i]
	}
	return w
}
