package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/token"
)

// waives tells a remark on a file that as a whole asks for nothing, though no word in it
// praises: "a.go: your call", "a.go – only whitespace", "a.go is ready". It has to stand
// right behind the name: said after a request, "your call" only makes that optional.
func waives(toks []token.Token, c *Clause) bool {
	at := -1
	for i := c.A; i < c.B && i < c.A+4; i++ {
		if toks[i].M != nil {
			at = i
		}
	}
	if at < 0 || at+1 >= c.B || toks[at+1].Kind == 'L' {
		return false
	}
	from := at + 1
	set := toks[from].Kind == 'p' && strings.Contains(":-–—(,=→", toks[from].Text) || token.Phrase(toks[from].Lower)&token.Copula != 0
	for from < c.B && (toks[from].Kind == 'p' || token.Phrase(toks[from].Lower)&token.Copula != 0) {
		from++
	}
	if !set || from >= c.B {
		return false
	}
	var words []string
	for i := from; i < c.B; i++ {
		if toks[i].M != nil {
			return false
		}
		if toks[i].Kind == 'w' {
			words = append(words, toks[i].Lower)
		}
	}
	text := strings.Join(words, " ")
	for _, w := range waivers {
		if text == w || strings.HasPrefix(text, w+" ") && strings.Contains(w, " ") {
			return true
		}
	}
	return waived.Has(text)
}

// waivers begin such a remark.
var waivers = []string{"can go in", "can be merged", "merge it", "good enough", "ready to", "not relevant", "not in scope", "by design", "not reviewed", "didn't get to", "did not get to", "no time", "will look", "todo for me", "i'll do", "i'll take", "i will do",
	"assigned to", "blocked on", "blocked by", "see above", "see below", "see thread", "see there", "already discussed", "discussed offline", "as discussed", "clear and", "easy to", "no strong", "no opinion", "no preference", "whatever you", "up to you",
	"your call", "your choice", "your decision", "deprecated anyway", "will be deleted", "will be removed", "will be replaced", "will go", "goes away", "about to be", "moved content", "only whitespace", "only formatting", "only renamed", "only comments", "only imports",
	"only moved", "cosmetic changes", "cosmetic only", "nothing exciting", "nothing special", "just a", "just the", "just imports", "just whitespace", "just formatting", "that's how", "thank you", "covered by", "no test needed", "fair enough", "got it", "i see",
	"you convinced", "point taken", "i misread", "sorry wrong", "let it", "not worth", "when we have", "when there is time", "deine entscheidung", "wie du magst", "wie du willst", "nur verschoben", "nur formatierung", "nur umbenannt", "nicht relevant",
	"como quieras", "como prefieras", "solo formato", "solo movido", "comme tu veux", "comme vous voulez", "au choix", "juste du formatage", "como preferir", "como quiser", "a seu critério", "só formatação"}

// waived are such remarks as a whole.
var waived = lazyregexp.Of(`frozen ready seen known accepted intended intentional mine pending answered clarified clear mechanical boring exactly self-explanatory understood convinced retracted whatever discussed noted unverändert bekannt gewollt conocido voulu connu`)
