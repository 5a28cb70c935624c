package reading

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/clause"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
)

// isTopic reports a word or two that only say what the rest is about.
func (p *reader) isTopic(left []string, pieces int) bool {
	if len(left) == 1 && (left[0] == "new" || left[0] == "feature" || left[0] == "features") && !p.Fresh {
		return true
	}
	if p.Fresh && pieces > 1 && len(left) == 1 {
		return words.Tech(left[0]) || words.Filler(left[0])
	}
	if grammar.Over(left) || len(left) > 0 && words.Preposition(left[len(left)-1]) {
		return false
	}
	named := len(left) > 0 && len(left) < 4 && grammar.Nounish[left[0]] && !slices.ContainsFunc(left, words.Determiner) // "exchange rates: …"
	if pieces == 0 && len(left) > 2 && len(left) < 8 && (left[0] == "the" || left[0] == "our") && !grammar.HasVerb(left) {
		return true // "the colour of the links: blue"
	}
	if len(left) > 4 || grammar.HasVerb(left) && !named || len(left) > 0 && grammar.Indefinite(left) && (left[0] == "a" || left[0] == "an" || left[0] == "new") {
		return false
	}
	if !p.PlanExists && len(left) > 1 && words.Product(left[len(left)-1]) {
		return false // "small python script: …" names what is to be made
	}
	if !p.PlanExists && len(left) > 2 && slices.ContainsFunc(left, words.Product) && slices.ContainsFunc(left, words.Tool) {
		return false
	}
	for i, w := range left {
		if _, ok := words.Number(w); ok && i > 0 && i == len(left)-1 {
			continue // "finding 7"
		}
		if _, ok := words.Number(w); ok || w == "more" || words.Product(w) && p.Fresh {
			return false
		}
	}
	return true
}

// under gives the topic that the pieces behind it stand under: "typos: …" makes each a
// complaint, "so: …" makes what was said before the reason.
func (p *reader) under(list []clause.Clause, i int, left []string, kind prose.Kind) string {
	topic := strings.Join(left, " ")
	switch topic {
	case "so", "therefore", "hence", "thus", "then":
		list[i+1].Join = "so"
		return ""
	case "new idea", "idea", "request", "wish", "question", "plan", "my idea", "task", "please", "ps", "p.s", "edit", "update", "tl", "tldr", "hi", "hello":
		return ""
	}
	bare := true
	for j := i + 1; j < len(list); j++ {
		list[j].Group = true
		low := list[j].Low()
		bare = bare && !grammar.HasVerb(low) && grammar.Compared(low) == 0 && !grammar.Valued(low) && len(low) > 0 && !grammar.Articled(low[0])
		for _, w := range left {
			if j == i+1 && (left[0] == "found" || left[0] == "noticed" || left[0] == "spotted" || left[0] == "observed" || left[0] == "seen") {
				return "wrong"
			}
			if words.Wrong(w) || w == "problem" || w == "problems" || w == "issue" || w == "issues" || w == "trouble" || w == "spelling" || w == "error" || w == "errors" {
				return "wrong"
			}
		}
	}
	if bare && len(left) < 3 && details[left[len(left)-1]] && len(list)-i > 2 && len(p.acts) > 0 && kind == prose.Para {
		for j := i + 1; j < len(list); j++ {
			list[j].T = nil // "columns: time, patient": says which
		}
	}
	return topic
}

// details are headings of lists that only say what something consists of.
var details = map[string]bool{"columns": true, "fields": true, "values": true, "options": true, "attributes": true, "types": true, "colors": true, "colours": true, "languages": true, "sizes": true, "keys": true,
	"headers": true, "parameters": true, "labels": true, "names": true, "stages": true, "steps": true, "formats": true, "environments": true, "stack": true, "tech": true, "contents": true, "properties": true, "categories": true, "roles": true, "sections": true, "tables": true}
