package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Deeds takes apart what a new thing does where three or more deeds stand in a row: "a tool
// that sorts photos, checks each and prints a summary". The first stays with the thing; each
// other has Deed set. Two that only "and" joins are one: "that takes plates and stores them".
func Deeds(in []Clause) []Clause {
	var out []Clause
	row := false
	for _, c := range in {
		low := c.Low()
		from := relative(low)
		goes := c.Join == "because" && from < 0 && does(low) && len(out) > 0 || row && (c.Join == "," || c.Join == "and" && out[len(out)-1].Deed) && goesOn(low)
		if from < 0 && !goes {
			row = row && c.Join == "because"
			out = append(out, c)
			continue
		}
		c.Deed = goes && c.Join != "because"
		cuts := turns(low, max(from, 0), c.Deed)
		row = true
		start := 0
		for _, at := range cuts {
			p := c
			p.T = c.T[start:at[0]]
			if start > 0 {
				p.Join, p.Colon, p.Deed = ",", false, true
			}
			out = append(out, p)
			start = at[1]
		}
		p := c
		p.T = c.T[start:]
		if start > 0 {
			p.Join, p.Colon, p.Deed = ",", false, true
		}
		out = append(out, p)
	}
	return out
}

// relative is where what a thing does begins, behind "that" or "which", -1 when nothing is
// told of it.
func relative(low []string) int {
	for i := 1; i+2 < len(low); i++ {
		if (low[i] == "that" || low[i] == "which") && !words.Preposition(low[i-1]) && does(low[i+1:]) {
			return i + 1
		}
	}
	return -1
}

// does reports a verb in -s with what it is done to.
func does(low []string) bool {
	if len(low) < 2 || words.Auxiliary(low[0]) {
		return false
	}
	if grammar.Continues(low) {
		return true
	}
	return len(low[0]) > 3 && strings.HasSuffix(low[0], "s") && !strings.HasSuffix(low[0], "ss") && (words.Pronoun(low[1]) || low[1] == "me" || low[1] == "us" || low[1] == "the" || low[1] == "my" || low[1] == "our" || words.Several(low[1]) || words.Acting(low[0]))
}

// goesOn reports a verb in -s by its ending alone, where others stand in front of it.
func goesOn(low []string) bool {
	if does(low) {
		return true
	}
	_, end := words.Base(low[0], grammar.AnyVerb)
	return end == "s" && len(low) > 2 && !words.Preposition(low[1]) && !words.Auxiliary(low[1]) && !words.Conjunction(low[1])
}

// turns are the ends and beginnings of the deeds behind from. Without a comma between any of
// them there is no row, unless one goes on already.
func turns(low []string, from int, row bool) (out [][2]int) {
	for i := from + 2; i+2 < len(low); i++ {
		next := i + 1
		if low[i] == "," && low[next] == "and" {
			next++
		} else if low[i] == "and" && !row && len(out) == 0 || low[i] != "," && low[i] != "and" {
			continue
		}
		if does(low[next:]) && !slices.Contains(low[max(from, i-3):i], "that") {
			out, i = append(out, [2]int{i, next}), next
		}
	}
	return out
}
