package talk

import "strings"

// wish tells a praise that is a wish: "would be great", "I'd be happy with", "wäre schön".
// What would be good is not so yet.
func wish(toks []Token, c *Clause, i int) bool {
	for j := i - 1; j >= c.A && j >= i-4; j-- {
		if wishes[toks[j].Lower] || strings.HasSuffix(toks[j].Lower, "'d") {
			return true
		}
		if toks[j].Kind == 'm' || toks[j].Kind == 'p' {
			return false
		}
	}
	return false
}

var wishes = set(`would could wäre wären würde fände hätte sería serían seria seriam serait seraient estaría estaria gustaría gostaria aimerais sarebbe vorrei zou`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// trouble are words for something wrong that, denied, say that all is well. A verb is not
// among them that may be missed where it does not happen ("does not raise").
var trouble = set(`wrong problem problems issue issues bug bugs concern concerns complaint complaints objection objections trouble leak leaks leaking break breaks broken crash crashes race races deadlock regression regressions
typo typos smell smells fault faults fehler problem probleme falsch error errores erreur erreurs problème problèmes fuite erro erros problema problemas falla fallos falha falhas errore errori fout fouten`)

// denied tells "nothing wrong", "no issues", "does not leak": trouble that is not there.
func denied(toks []Token, c *Clause, i int) bool {
	if !trouble[toks[i].Lower] {
		return false
	}
	for j := i - 1; j >= c.A && j >= i-6; j-- {
		switch t := toks[j]; {
		case t.Lower == "only" || t.Lower == "why" || t.Kind == 'p' && t.Text != "\"":
			return false
		case t.Class&not != 0:
			return t.Lower != "without" && !(j+1 < c.B && toks[j+1].Lower == "only")
		}
	}
	return false
}

// states tells a word for a state ("fixed", "done", "closed") that is said of the remark,
// from the same word at work in a sentence: "the channel is closed twice", "fixed width",
// "Ack is sent too early".
func states(toks []Token, c *Clause, i int) bool {
	t := toks[i]
	if t.words > 1 || t.Kind == 'p' || Wide([]rune(t.Text)[0]) {
		return true
	}
	if n := i + 1; n < c.B && toks[n].Kind == 'w' && !afterState[toks[n].Lower] && toks[n].Class&(But|done|later|Good) == 0 {
		return false
	}
	if i == c.A {
		return true
	}
	prev := toks[i-1]
	if prev.Class&copula != 0 {
		return !worked[t.Lower] || i-2 >= c.A && (toks[i-2].Kind == 'm' || Pronoun(toks[i-2].Lower))
	}
	return prev.Kind != 'w' || beforeState[prev.Lower] || prev.Class&(done|Good|not) != 0
}

// afterState may follow a state, beforeState may come before one.
var afterState = set(`in by with now already since as via here thanks thx then and per elsewhere upstream too also for danke merci gracias obrigado im mit en avec con em durch`)

var beforeState = set(`been got already now all marked considered both it that this i i've have has was were both since bereits schon ist wurde ya está fue déjà é já foi`)

// worked are states that also happen to things in code.
var worked = set(`closed merged verified skip ignore fixed resolved outdated`)

// otherness and change nouns say together that something is left for another change:
// "in a separate PR", "für den nächsten Sprint", "otro ticket", "PR séparée".
var (
	otherness = set(`another other different separate own next following future later subsequent upcoming follow-up followup dedicated distinct standalone new
nächste nächsten nächstes nächster anderen anderer anderes separaten separater separates eigenen eigener eigenes eigene spätere späteren folgenden neues neuen
otro otra siguiente próximo próxima aparte separado separada futuro futura propio propia nuevo nueva
autre prochain prochaine futur future séparé séparée suivant suivante ultérieur ultérieure distinct distincte nouveau nouvelle
outro outra seguinte próprio própria novo nova altro altra prossimo prossima separata andere volgende aparte eigen nieuwe`)
	changes = set(`pr prs mr mrs cl pull-request patch change changeset commit ticket story sprint release iteration milestone version task branch series round quarter cycle
änderung aufgabe vorgang cambio tarea entrega versión iteración tâche livraison itération modification mudança tarefa versão iteração`)
	// with these an issue or a request is a ticket, not a problem
	ticketed = set(`separate own dedicated new follow-up followup eigenes neues separates aparte separado separée nouveau`)
)

// deferred tells whether a clause leaves what it speaks of for another change.
func deferred(toks []Token, c *Clause) bool {
	for i := c.A; i < c.B; i++ {
		if toks[i].Kind != 'w' || !otherness[toks[i].Lower] {
			continue
		}
		for j := i + 1; j < c.B && j <= i+2; j++ {
			if changes[toks[j].Lower] || (toks[j].Lower == "issue" || toks[j].Lower == "pull") && ticketed[toks[i].Lower] {
				return true
			}
			if toks[j].Kind != 'w' {
				break
			}
		}
		if i > c.A && postposed[toks[i].Lower] && changes[toks[i-1].Lower] {
			return true
		}
	}
	return false
}

// postposed are those that Romance languages put after the noun.
var postposed = set(`aparte separado separada siguiente futuro futura séparé séparée suivant suivante ultérieur ultérieure distinct distincte seguinte futuro separata`)

// imperatives are verbs that ask for something where a clause starts with them, and are
// nouns or reports elsewhere.
var imperatives = set(`use avoid wrap call return throw catch log cover cap limit bound lock release free flush cache persist port export expose mark tag declare define introduce turn put pull give let set reset unset raise lower
increase decrease shorten align indent format reformat sort dedupe deduplicate consolidate unify generalise generalize rework redo restructure reconsider assert mock stub parametrize parameterize extend shrink trim strip encode decode
hash encrypt mask redact throttle debounce batch paginate squash rebase address resolve mention explain describe spell write invert negate short-circuit propagate forward pass inject narrow widen loosen relax restrict qualify prefix
abstract hide test stop start bring finish complete fill inherit default derive compute free unify join flatten enforce require prevent disable enable install uninstall upgrade downgrade lift downcase uppercase rephrase reword reuse
verwende verwenden nutze nutzen benutze setze setzen prüfe prüfen fange fangen nimm nehmen mach machen baue bauen teste testen schreibe schreiben ergänz entferne
usa usar usad use utiliza utilizar envuelve comprueba valida prueba escribe pon poner haz cierra saca sacar mete
utilise utiliser utilisez vérifie vérifiez teste testez écris écrire mets mettre mettez ferme fermez gère gérer évite éviter
utilize utilizar verifique teste escreva coloque feche evite trate`)

// ordered tells an imperative at the start of a clause, after a label or a softener.
func ordered(toks []Token, c *Clause, i int) bool {
	if !imperatives[toks[i].Lower] || i+1 < c.B && toks[i+1].Kind == 'p' && strings.Contains(":=(", toks[i+1].Text) {
		return false
	}
	if i == c.A {
		return true
	}
	prev := toks[i-1]
	return prev.Kind == 'p' && strings.Contains(":—–-,;.(→", prev.Text) || prev.Class&But != 0 || softeners[prev.Lower]
}

var softeners = set(`and then so just also simply instead better und dann also einfach lieber y luego et puis e então`)
