package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/token"
)

// Likewise tells a line that goes on with what the line before said.
func Likewise(t token.Token) bool {
	switch t.Lower {
	case "same", "also", "likewise", "ditto", "and", "as", "dito", "idem", "auch", "también", "aussi", "também", "it", "this", "that":
		return true
	}
	return t.Kind == 'w' && t.Lower == t.Text && t.Class&token.Ask == 0 // a broken line
}

// Settled tells an item that starts with a word for its state: "[DONE] …", "Wontfix: …".
func Settled(toks []token.Token) bool {
	i := 0
	for i < len(toks) && toks[i].Kind == 'p' && strings.Contains("[(*{【", toks[i].Text) {
		i++
	}
	if i >= len(toks) || toks[i].Kind != 'w' || toks[i].Class&(token.Done|token.Later) == 0 {
		return false
	}
	for j := i + 1; j < len(toks); j++ {
		if toks[j].Nl && headed(toks[j:]) { // "done: a.go", and below it "to do: b.go"
			return false
		}
	}
	for end := i + 1; end < len(toks) && end < i+3; end++ {
		if toks[end].Kind == 'p' {
			return strings.Contains("])}:：】", toks[end].Text)
		}
	}
	return false
}

var summaries = map[string]bool{"summary": true, "tl": true, "tldr": true, "verdict": true, "overall": true, "overview": true, "conclusion": true, "zusammenfassung": true, "fazit": true,
	"sum": true, "short": true, "résumé": true, "resumen": true, "resumo": true, "まとめ": true, "总结": true, "totals": true, "recap": true}

// Sums tells words that start a summary of what is said elsewhere.
func Sums(toks []token.Token) bool {
	for _, t := range toks {
		if t.Kind == 'w' && summaries[t.Lower] {
			return true
		}
	}
	return false
}
