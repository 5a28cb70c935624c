package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/token"
)

// wish tells a praise that is a wish: "would be great", "I'd be happy with", "wäre schön".
// What would be good is not so yet.
func wish(toks []token.Token, c *Clause, i int) bool {
	for j := i - 1; j >= c.A && j >= i-4; j-- {
		if wishes.Has(toks[j].Lower) || strings.HasSuffix(toks[j].Lower, "'d") {
			return true
		}
		if toks[j].Kind == 'm' || toks[j].Kind == 'p' {
			return false
		}
	}
	return false
}

var wishes = lazyregexp.Of(`would could wäre wären würde fände hätte sería serían seria seriam serait seraient estaría estaria gustaría gostaria aimerais sarebbe vorrei zou`)

// trouble are words for something wrong, or for a remark, that, denied, say that all is
// well. A verb is not among them that may be missed where it does not happen ("does not
// raise").
var trouble = lazyregexp.Of(`wrong problem problems issue issues bug bugs concern concerns complaint complaints objection objections trouble blocker blockers flag flags showstopper showstoppers leak leaks leaking break broken crash crashes race races deadlock regression regressions
typo typos smell smells fault faults remark remarks comment comments finding findings observation observations suggestion suggestions note notes request requests complain criticise criticize nitpick nitpicks nits changes action actions
fehler probleme falsch anmerkung anmerkungen einwand einwände bedenken beanstandung beanstandungen kritik errores problème problèmes fuite remarque remarques objection observation observations
problema problemas fallos comentario comentarios objeción observaciones observación erros falhas comentário comentários observações observação ressalva ressalvas objeção errori fouten opmerkingen redire reprocher signaler beanstanden osservazione osservazioni auszusetzen bemängeln souci soucis objetar reprochar apontar`)

// slight are the words between a denial and what it denies.
var slight = lazyregexp.Of(`any a an the further other real more additional major obvious big actual particular such find found see saw spot spotted have had has got there are is be were anything something to with else see about of my own new red open outstanding blocking serious huge
weiteren weitere mehr großen de otra otras más ninguna autre autres mais outra outras tengo tenho hay há j'ai ai veo vejo vois trouvé trouver y à zu gefunden encontré encontrado encontrei`)

// denied tells "nothing wrong", "no issues", "does not leak": trouble that is not there.
func denied(toks []token.Token, c *Clause, i int) bool {
	if !trouble.Has(toks[i].Lower) {
		return false
	}
	for j := i - 1; j >= c.A && j >= i-6; j-- {
		switch t := toks[j]; {
		case t.Class&token.Not != 0 && t.Words < 2 || token.Phrase(t.Lower)&token.Not != 0:
			if t.Class == 0 && j > c.A && toks[j-1].Words == 2 { // "has no bugs": it has nothing bad
				c.Has &^= toks[j-1].Class & token.Bad
			}
			return t.Lower != "without" || j+1 == i
		case t.Kind == 'm' || t.Kind == 'w' && slight.Has(t.Lower):
		default:
			return false
		}
	}
	return false
}

// states tells a word for a state ("fixed", "done", "closed") that is said of the remark,
// from the same word at work in a sentence: "the channel is closed twice", "fixed width",
// "Ack is sent too early".
func states(toks []token.Token, c *Clause, i int) bool {
	t := toks[i]
	if n := i + max(t.Words, 1); n < len(toks) && toks[n].Text == "?" { // "Done? I don't see it"
		return false
	}
	if t.Words > 1 || t.Kind == 'p' || token.Wide([]rune(t.Text)[0]) {
		return true
	}
	if n := i + 1; n < c.B && toks[n].Kind == 'w' && !afterState.Has(toks[n].Lower) && toks[n].Class&(token.But|token.Done|token.Later|token.Good) == 0 {
		return false
	}
	if i == c.A {
		return true
	}
	prev := toks[i-1]
	if prev.Class&token.Copula != 0 {
		return i-2 < c.A || toks[i-2].Kind == 'm' || toks[i-2].Kind == 'L' || toks[i-2].Kind == 'n' || Pronoun(toks[i-2].Lower) || settles.Has(t.Lower) && (remarks.Has(toks[i-2].Lower) || toks[i-2].Class&(token.Bad|token.Need) != 0)
	}
	return prev.Kind != 'w' || beforeState.Has(prev.Lower) || prev.Class&(token.Done|token.Good|token.Not) != 0
}

// afterState may follow a state, beforeState may come before one.
var afterState = lazyregexp.Of(`in by with now already since as via here thanks thx then and per elsewhere upstream too also for to danke merci gracias obrigado im mit en avec con em durch`)

var beforeState = lazyregexp.Of(`been got already now all marked considered both it that this i i've have has was were both since bereits schon ist wurde ya está fue déjà é já foi`)

// remarks are what a reviewer has made; that they are done is a state of the review.
var remarks = lazyregexp.Of(`comment comments remark remarks point points one ones rest item items finding findings part thread nit nits question note concern first second third last punkt rest punto resto point reste ponto`)

// settles are the states that a remark comes to; a comment in code may be outdated too.
var settles = lazyregexp.Of(`fixed resolved solved gone addressed handled done closed settled answered withdrawn dismissed obsolete moot sorted erledigt behoben gelöst resuelto resuelta corregido arreglado résolu réglé corrigé resolvido corrigido risolto`)

// pointing tells a clause that only points at a file: "note that a.go …", "please run a_test.go
// again", "read a.go first".
func pointing(toks []token.Token, c *Clause) bool {
	if c.Has&(token.Need|token.Bad) != 0 {
		return false
	}
	from := c.A
	for from < c.B && (softeners.Has(toks[from].Lower) || toks[from].Lower == "please" || toks[from].Lower == "bitte" || toks[from].Kind == 'p') {
		from++
	}
	asks := false
	for i := c.A; i < c.B; i++ {
		if toks[i].Kind == 'L' || toks[i].M != nil && len(toks[i].M.Spans) > 0 {
			return false
		}
		asks = asks || i > from && toks[i].Class&token.Ask != 0
	}
	if from < c.B && (toks[from].Lower == "run" || toks[from].Lower == "rerun" || toks[from].Lower == "re-run") { // a test, not "gofmt on a.go"
		n := from + 1
		for n < c.B && toks[n].Kind == 'w' && Skipped[toks[n].Lower] {
			n++
		}
		return !asks && n < c.B && toks[n].Kind == 'm'
	}
	return !asks && starts(toks, from, c.B, pointers) || starts(toks, c.A, c.B, informs)
}

// starts tells whether the words from there on begin with one of some phrases.
func starts(toks []token.Token, from, to int, phrases []string) bool {
	text := " "
	for i := from; i < to && i < from+6; i++ {
		text += toks[i].Lower + " "
	}
	for _, p := range phrases {
		if strings.HasPrefix(text, " "+p+" ") {
			return true
		}
	}
	return false
}

var pointers = []string{"look at", "have a look at", "take a look at", "check out", "read", "schau dir", "mira", "regarde", "veja"}

// informs are what a sentence starts with that only tells something.
var informs = []string{"note that", "note", "please note", "keep in mind", "bear in mind", "be careful with", "be aware", "beware", "heads-up", "heads up", "fyi", "just so you know", "so you know", "for the record", "remember that", "remember", "mind that",
	"watch out", "beachte", "achtung", "zur info", "hinweis", "ten en cuenta", "ojo", "nota", "notez que", "attention", "note que", "atenção", "lembre"}

// blank tells a clause that says only that there is nothing to say: "nothing in a.go", "not much
// to say about a.go", "a.go: nothing".
func blank(toks []token.Token, c *Clause) bool {
	nothing, named := false, false
	for i := c.A; i < c.B; i++ {
		t := toks[i]
		switch {
		case t.Kind == 'm':
			named = true
		case t.Lower == "nothing" || t.Lower == "none" || t.Lower == "not" || t.Lower == "nada" || t.Lower == "nichts" || t.Lower == "rien" || t.Lower == "niente":
			nothing = true
		case t.Kind == 'p' || blanks.Has(t.Lower):
		default:
			return false
		}
	}
	return nothing && named
}

var blanks = lazyregexp.Of(`else more further much in on for from to say about here there report add mention out stood jumped struck me i my side sonst weiter zu in bei más en sobre autre à dans de sur mais em`)

// almost are words that turn praise: "almost right".
var almost = lazyregexp.Of(`too almost nearly hardly barely fast beinahe kaum casi apenas presque quase quasi bijna`)

// keeps tells "leave it", "keep a.go" from "leave a comment", "keep the list sorted", which
// ask for something.
func keeps(toks []token.Token, c *Clause, i int) bool {
	t := toks[i]
	if t.Lower == "stays" || t.Lower == "bleibt" || t.Lower == "reste" || t.Lower == "bleiben" || t.Lower == "restent" { // "stays in memory" is no wish
		return i+1 >= c.B || toks[i+1].Kind == 'p' || afterKeep.Has(toks[i+1].Lower) && toks[i+1].Lower != "in" || toks[i+1].Class&(token.Keep|token.Good) != 0 || toks[i+1].Lower == "as" || toks[i+1].Lower == "so" || toks[i+1].Lower == "wie"
	}
	if t.Words > 1 || t.Lower != "keep" && t.Lower != "leave" || i+1 >= c.B {
		return true
	}
	next := toks[i+1]
	if t.Lower == "leave" {
		return next.Lower != "a" && next.Lower != "an" && next.Lower != "some"
	}
	for j := i + 1; j < c.B; j++ {
		if toks[j].Class&token.Keep != 0 || toks[j].Lower == "as" || toks[j].Lower == "unchanged" {
			return true
		}
	}
	if next.Lower == "it" || next.Lower == "this" || next.Lower == "that" || next.Lower == "them" {
		return i+2 >= c.B || toks[i+2].Kind == 'p' || afterKeep.Has(toks[i+2].Lower)
	}
	return next.Kind == 'm' || next.Kind == 'p' || next.Lower == "both" || next.Lower == "these" || next.Lower == "those"
}

var afterKeep = lazyregexp.Of(`for in until then though please and with because since where here`)

// told tells "we keep sources there": a report, no wish.
func told(toks []token.Token, c *Clause, i int) bool {
	if i == c.A || toks[i].Words > 1 {
		return false
	}
	switch toks[i-1].Lower {
	case "we", "they", "you", "to", "which", "that":
		return toks[i].Lower == "keep" || toks[i].Lower == "leave"
	}
	return false
}

// already tells that something is as it should be: "is converted already", "has already been
// moved".
func already(toks []token.Token, c *Clause, i int) bool {
	if toks[i].Lower != "already" && toks[i].Lower != "bereits" && toks[i].Lower != "déjà" && toks[i].Lower != "já" {
		return false
	}
	for j := max(c.A, i-2); j < i; j++ {
		if toks[j].Class&token.Copula != 0 || toks[j].Lower == "has" || toks[j].Lower == "have" {
			return c.Has&(token.Bad|token.Need) == 0 && (i+1 >= c.B || toks[i+1].Class&(token.Bad|token.Need) == 0)
		}
	}
	return false
}

// voted tells the +1 and -1 of reviewers.
func voted(toks []token.Token, c *Clause, i int) token.Class {
	if i-2 >= c.A && toks[i-2].Lo+len(toks[i-2].Text) >= toks[i-1].Lo { // "N+1"
		return 0
	}
	if i == c.A || toks[i].Kind != 'n' || toks[i].Num != 1 || toks[i-1].Kind != 'p' || toks[i].Lo != toks[i-1].Lo+len(toks[i-1].Text) {
		return 0
	}
	switch toks[i-1].Text {
	case "+":
		return token.Good
	case "-", "–", "−":
		if i-1 == c.A || toks[i-2].Kind != 'n' {
			return token.Bad
		}
	}
	return 0
}

// Thought tells what a reviewer first believed: "at first glance a.go looks racy".
func Thought(toks []token.Token, c *Clause) bool {
	text := " "
	for i := c.A; i < c.B && i < c.A+6; i++ {
		text += toks[i].Lower + " "
	}
	for _, p := range thoughts {
		if strings.HasPrefix(text, " "+p+" ") {
			return true
		}
	}
	return false
}

var thoughts = []string{"i first thought", "i initially thought", "at first i thought", "first i thought", "at first glance", "at first sight", "i was worried", "i was unsure", "i was afraid", "i suspected", "initially i thought", "i wondered", "my first thought",
	"zuerst dachte ich", "erst dachte ich", "auf den ersten blick", "al principio", "a primera vista", "au début", "à première vue", "au premier abord", "à primeira vista", "no começo", "a prima vista"}
