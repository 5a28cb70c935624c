package clue

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Verdict tells a sentence that only says that all is well after all: "probably fine".
func Verdict(toks []token.Token, c *talk.Clause) bool {
	if c.Has&token.Good == 0 || c.B-c.A > 9 {
		return false
	}
	for i := c.A; i < c.B; i++ {
		t := toks[i]
		if t.Kind == 'p' && strings.Contains(".,!:)(", t.Text) || t.Class&token.Good != 0 && !thanks.Has(t.Lower) || t.Kind == 'w' && verdicts.Has(t.Lower) {
			continue
		}
		return false
	}
	return true
}

var (
	verdicts = lazyregexp.Of(`probably actually but though still so all with me by for now is it's that's it this that seems looks look then anyway i guess think suppose again and both they are checked passes as here me us
		wohl aber doch wahrscheinlich eigentlich also das ist mir für mich pero creo está es para mí mais c'est ça est pour moi mas está é para mim acho`)
	thanks = lazyregexp.Of(`thanks thank appreciate appreciated kudos good great nice`)
)

// Otherwise tells praise of all but what was said: "otherwise good", "good work overall".
func Otherwise(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "otherwise", "overall", "rest", "else", "besides", "apart", "general", "generally", "sonst", "ansonsten", "insgesamt", "demás", "resto", "sinon", "reste", "globalement", "geral", "work", "job":
			return true
		}
	}
	return false
}

// Removes tells "remove it", "please drop that": what was said not to belong here is to go.
func Removes(toks []token.Token, c *talk.Clause) bool {
	if c.Has&(token.Gone|token.Undo) == 0 {
		return false
	}
	if c.Has&token.Ask != 0 && CountWords(toks, c) <= 3 { // "please out"
		return true
	}
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "it", "them", "that", "this", "these", "those", "es", "das", "sie":
			return true
		}
	}
	return false
}

// Both tells "fix both", "both need it".
func Both(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "both", "beide", "beides", "ambos", "ambas", "entrambi":
			return true
		}
	}
	return false
}

// No tells "but no, …": what was thought first is not so.
func No(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B && i < c.A+3; i++ {
		switch toks[i].Lower {
		case "no", "nope", "nein", "non", "não":
			return true
		}
	}
	return false
}

// Objects tells what somebody objects to after praise: "it works, but only by luck", "… but it
// leaks", "… the timeout is too short though".
func Objects(toks []token.Token, c *talk.Clause) bool {
	if c.Neg != "" || c.Short || Names(toks, c.A, c.B) || Otherwise(toks, c) {
		return false
	}
	if toks[c.A].Class&token.But == 0 {
		return c.Has&token.But != 0 && c.Has&token.Bad != 0
	}
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "i", "ich", "yo", "je", "eu", "whatever", "never", "nvm":
			return c.Has&(token.Bad|token.Need|token.Ask) != 0
		}
	}
	return CountWords(toks, c) > 1
}

// SaysNo tells the reviewer's own answer to a question of his: "do we need this? I don't think
// so."
func SaysNo(toks []token.Token, c *talk.Clause) bool {
	text := " "
	for i := c.A; i < c.B; i++ {
		if toks[i].Kind == 'w' {
			text += toks[i].Lower + " "
		}
	}
	for _, p := range noes {
		if text == " "+p+" " {
			return true
		}
	}
	for _, p := range unseen {
		if strings.HasPrefix(text, " "+p+" ") {
			return true
		}
	}
	return false
}

// unseen are what somebody says of a change that he was told of and does not find.
var unseen = []string{"i don't see it", "i can't see it", "i do not see it", "i don't see that", "i can't find it", "i still see it", "it is still there", "it's still there", "still there", "not that i can see", "das sehe ich nicht", "no lo veo", "je ne le vois pas", "não vejo"}

var noes = []string{"i don't think so", "i do not think so", "i doubt it", "i think not", "no", "nope", "probably not", "i'd say no", "not really", "i guess not", "surely not", "hardly", "ich glaube nicht", "wohl nicht", "nein", "creo que no", "no creo", "je ne crois pas", "acho que não", "não"}

// Measured tells "checked against the RFC", "tested with nginx": what follows is what was found.
func Measured(toks []token.Token) bool {
	for i, t := range toks {
		if t.Lower == "checklist" || t.Lower == "criteria" || t.Lower == "guidelines" || t.Lower == "standards" || t.Lower == "rules" {
			return true
		}
		if i > 0 && (t.Lower == "against" || t.Lower == "with" || t.Lower == "by" || t.Lower == "using") {
			return true
		}
	}
	return false
}

// TheFile tells "remove the file", "drop it".
func TheFile(toks []token.Token, c *talk.Clause) bool {
	for i := c.A + 1; i < c.B; i++ {
		if w := toks[i].Lower; w == "it" || w == "file" && (toks[i-1].Lower == "the" || toks[i-1].Lower == "this" || toks[i-1].Lower == "that") {
			return true
		}
	}
	return false
}

// Throughout tells a paragraph that gives one label to all that follows: "only nits from me".
func Throughout(toks []token.Token) bool {
	for i := 0; i < len(toks) && i < 8; i++ {
		switch toks[i].Lower {
		case "only", "just", "all", "everything", "nothing", "purely", "nur", "alles", "solo", "sólo", "todo", "que", "seulement", "tout", "só", "apenas", "tudo":
			return true
		}
	}
	return false
}

// OwnSubject tells a clause that speaks of something of its own: "its behaviour must not
// change" does not say that of the file before.
func OwnSubject(toks []token.Token, c *talk.Clause) bool {
	i := c.A
	for i < c.B && toks[i].Kind == 'p' {
		i++
	}
	if i+1 >= c.B {
		return false
	}
	switch toks[i].Lower {
	case "its", "their", "his", "the", "our", "your", "die", "der", "das", "ihre", "sein", "su", "sus", "el", "la", "le", "les", "son", "sa", "o", "a":
		return toks[i+1].Kind == 'w' && toks[i+1].Lower != "file" && toks[i+1].Lower != "rest" && toks[i+1].Lower != "code" && toks[i+1].Lower != "change"
	}
	return false
}

// Contrasts tells a sentence that only says what two files say: "setup.md says 8080, app.yml
// says 8081". Which of them is wrong comes next.
func (st *Sentence) Contrasts() bool {
	n := 0
	for i := st.A; i < st.B; i++ {
		if st.Toks[i].Class&(token.Ask|token.Need) != 0 {
			return false
		}
		if st.Toks[i].M != nil && i+1 < st.B && claims.Has(st.Toks[i+1].Lower) {
			n++
		}
	}
	return n == 2
}

var claims = lazyregexp.Of(`says has uses expects claims lists gives returns sets sagt hat dice tiene dit diz tem`)

// Sorts are the words of a sentence that tell one sort of file from another: "the doc is
// right", "fix the code".
func (st *Sentence) Sorts() []string {
	var out []string
	for i := st.A + 1; i < st.B; i++ {
		if w := st.Toks[i-1].Lower; w == "the" || w == "your" || w == "that" {
			out = append(out, st.Toks[i].Lower)
		}
	}
	return out
}

// Justified tells "both legit", "all of these are valid": what tools complain about is so.
func Justified(toks []token.Token, c *talk.Clause) bool {
	if c.B-c.A > 8 || Names(toks, c.A, c.B) {
		return false
	}
	several := false
	for i := c.A; i < c.B; i++ {
		several = several || talk.Pronoun(toks[i].Lower) || toks[i].Lower == "complaints" || toks[i].Lower == "findings"
		if several && justified.Has(toks[i].Lower) {
			return true
		}
	}
	return false
}

var justified = lazyregexp.Of(`legit legitimate valid justified real true correct berechtigt válidos justifiés válidas`)
