package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/token"
)

// laterOn tells "later" and its like said of the remark, not of the code: "later calls",
// "después de cerrar".
func laterOn(toks []token.Token, c *Clause, i int) bool {
	switch toks[i].Lower {
	case "later", "später", "luego", "después", "depois", "danach", "irgendwann", "separat", "aparte", "eventually", "apart", "backlog":
		n := i + 1
		return n >= c.B || particles.Has(toks[n].Lower) || toks[n].Kind != 'w' || toks[n].Lower != "de" && afterState.Has(toks[n].Lower) || toks[n].Class&(token.But|token.Done) != 0 || len(toks[n].Text) > 0 && toks[n].Class&token.Ask != 0
	}
	return true
}

// otherness and change nouns say together that something is left for another change:
// "in a separate PR", "für den nächsten Sprint", "otro ticket", "PR séparée".
var (
	otherness = lazyregexp.Of(`another other different separate own next following future later subsequent upcoming follow-up followup dedicated distinct standalone new
nächste nächsten nächstes nächster anderen anderer anderes separaten separater separates eigenen eigener eigenes eigene spätere späteren folgenden neues neuen
otro otra siguiente próximo próxima aparte separado separada futuro futura propio propia nuevo nueva
autre prochain prochaine futur future séparé séparée suivant suivante ultérieur ultérieure distinct distincte nouveau nouvelle
outro outra seguinte próprio própria novo nova altro altra prossimo prossima separata andere volgende aparte eigen nieuwe`)
	changes = lazyregexp.Of(`pr prs mr mrs cl pull-request patch change changeset commit ticket story tree repo repository team module sprint release iteration milestone version task branch series round quarter cycle
änderung aufgabe vorgang cambio tarea entrega versión iteración tâche livraison itération modification mudança tarefa versão iteração`)
	// with these an issue or a request is a ticket, not a problem
	ticketed = lazyregexp.Of(`separate own dedicated new follow-up followup eigenes neues separates aparte separado separée nouveau`)
)

// deferred tells whether a clause leaves what it speaks of for another change.
func deferred(toks []token.Token, c *Clause) bool {
	for i := c.A; i < c.B; i++ {
		if i > c.A && changes.Has(toks[i].Lower) && thisOne.Has(toks[i-1].Lower) { // "that is not for this PR"
			for j := i - 2; j >= c.A && j >= i-4; j-- {
				if toks[j].Class&token.Not != 0 {
					return true
				}
			}
		}
		if toks[i].Kind != 'w' || !otherness.Has(toks[i].Lower) {
			continue
		}
		for j := i + 1; j < c.B && j <= i+2; j++ {
			if changes.Has(toks[j].Lower) || (toks[j].Lower == "issue" || toks[j].Lower == "pull") && ticketed.Has(toks[i].Lower) {
				return true
			}
			if toks[j].Kind != 'w' {
				break
			}
		}
		if i > c.A && postposed.Has(toks[i].Lower) && changes.Has(toks[i-1].Lower) {
			return true
		}
	}
	return false
}

var thisOne = lazyregexp.Of(`this deste neste diesem diesen dieser este esta ce cette questa deze dit`)

// Rest tells a sentence on all that was not spoken of: "everything else is mechanical",
// "der Rest ist …". It asks for nothing unless it says so.
func Rest(toks []token.Token, a, b int) bool {
	var words []string
	for i := a; i < b && len(words) < 4 && toks[i].Kind == 'w'; i++ {
		words = append(words, toks[i].Lower)
	}
	text := " " + strings.Join(words, " ") + " "
	for _, p := range rests {
		if strings.HasPrefix(text, " "+p+" ") {
			return true
		}
	}
	return false
}

var rests = []string{"everything else", "all else", "the rest", "rest", "the other files", "other files", "other packages", "the remaining files", "the others", "all other files", "all the rest", "der rest", "alles andere", "alles übrige",
	"el resto", "lo demás", "todo lo demás", "los demás", "le reste", "tout le reste", "les autres", "o resto", "os demais", "todo o resto", "il resto", "de rest", "その他", "其他", "其余"}

// postposed are those that Romance languages put after the noun.
var postposed = lazyregexp.Of(`aparte separado separada siguiente futuro futura séparé séparée suivant suivante ultérieur ultérieure distinct distincte seguinte futuro separata`)
