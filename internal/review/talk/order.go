package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/token"
)

// imperatives are verbs that ask for something where a clause starts with them, and are
// nouns or reports elsewhere.
var imperatives = lazyregexp.Of(`consider use avoid wrap call return throw catch log cover cap limit bound lock release free flush cache persist port export expose mark tag declare define introduce turn put pull give let set reset unset raise lower
increase decrease shorten align indent format reformat sort dedupe deduplicate consolidate unify generalise generalize rework redo restructure reconsider assert mock stub parametrize parameterize extend shrink trim strip encode decode follow adopt mimic imitate
hash encrypt mask redact throttle debounce batch paginate squash rebase address resolve mention explain describe spell write invert negate short-circuit propagate forward pass inject narrow widen loosen relax restrict qualify prefix
abstract hide test stop start bring finish complete fill inherit default derive compute free unify join flatten enforce require prevent disable enable install uninstall upgrade downgrade lift downcase uppercase rephrase reword reuse
verwende verwenden nutze nutzen benutze setze setzen prüfe prüfen fange fangen nimm nehmen mach machen baue bauen teste testen schreibe schreiben ergänz entferne
usa usar usad use utiliza utilizar envuelve comprueba valida prueba escribe pon poner haz cierra saca sacar mete
utilise utiliser utilisez vérifie vérifiez teste testez écris écrire mets mettre mettez ferme fermez gère gérer évite éviter
utilize utilizar verifique teste escreva coloque feche evite trate`)

// ordered tells an imperative at the start of a clause, after a label or a softener.
func ordered(toks []token.Token, c *Clause, i int) bool {
	if !imperatives.Has(toks[i].Lower) || i+1 < c.B && Pronoun(toks[i+1].Lower) && toks[i].Lower[0] == 'u' || i+1 < c.B && toks[i+1].Kind == 'p' && strings.Contains(":=(", toks[i+1].Text) {
		return false
	}
	if i == c.A {
		return true
	}
	prev := toks[i-1]
	return prev.Kind == 'p' && strings.Contains(":—–-,;.(→", prev.Text) || prev.Class&token.But != 0 || softeners.Has(prev.Lower)
}

var softeners = lazyregexp.Of(`and then so just also simply instead better und dann also einfach lieber y luego et puis e então`)

// particles end German verbs: "räumen wir später auf".
var particles = lazyregexp.Of(`kommen folgen machen gemacht erledigen passieren auf an ab aus ein um weg nach vor zu durch fertig`)

// elliptic tells a modal verb at the end: "does what it should".
func elliptic(toks []token.Token, c *Clause, i int) bool {
	return i > c.A+1 && (i+1 >= c.B || toks[i+1].Kind == 'p' && toks[i+1].Text != ":") && (toks[i].Lower == "should" || toks[i].Lower == "must") && Pronoun(toks[i-1].Lower)
}

// orders tells a prohibition that asks for a change: "don't ignore the error", "never log
// it". One of changing things asks that they stay.
func orders(toks []token.Token, c *Clause, i, negated int) bool {
	n := toks[negated]
	if i != negated+1 || n.Lower != "don't" && n.Lower != "never" && n.Lower != "not" || toks[i].Class&(token.Touch|token.Keep|token.Good) != 0 {
		return false
	}
	if n.Lower == "not" && (negated == c.A || toks[negated-1].Lower != "do") || n.Lower == "never" && negated != c.A {
		return false
	}
	at := negated
	if n.Lower == "not" {
		at--
	}
	return at == c.A || toks[at-1].Kind == 'p' || toks[at-1].Class&(token.But|token.Ask) != 0 || softeners.Has(toks[at-1].Lower)
}

// Agrees tells a clause that begins by saying yes to what is quoted above it.
func Agrees(toks []token.Token, c *Clause) bool {
	if !agrees.Has(toks[c.A].Lower) || c.Has&(token.Done|token.Later|token.Keep) != 0 {
		return false
	}
	return c.A+1 >= c.B || toks[c.A+1].Kind == 'p' || toks[c.A+1].Class&(token.Ask|token.Need) != 0 || toks[c.A+1].Lower == "with"
}

var agrees = lazyregexp.Of(`agreed agree yes yep yeah right correct exactly true valid indeed confirmed ditto stimmt richtig genau ja sí si correcto cierto exacto oui exact d'accord sim concordo certo esatto`)

// asksBack tells "shouldn't it …?", "can't we …?": a denied question asks for a change.
func asksBack(toks []token.Token, c *Clause) bool {
	switch toks[c.A].Lower {
	case "shouldn't", "couldn't", "can't", "wouldn't", "sollte", "sollten", "müsste":
		return true
	}
	denied, modal := false, false
	for i := c.A; i < c.B && i < c.A+4; i++ {
		w, _, _ := strings.Cut(toks[i].Lower, "-")
		denied = denied || w == "no" || w == "ne" || w == "não" || w == "nicht"
		modal = modal || modals.Has(w)
	}
	return denied && modal
}

var modals = lazyregexp.Of(`debería deberían habría faudrait devrait devraient deveria deveriam`)
