package intent

import "github.com/belay-dev/belay/internal/lazyregexp"

// Sentence is the tokens of one sentence, its closing mark left out but kept as Close.
type Sentence struct {
	Tokens []Token
	Close  string // ".", "!", "?", or "" at the end of a line
}

var abbreviations = lazyregexp.Of(`e.g i.e etc vs dr mr mrs ms approx incl resp z.b bzw ca st fig cf max min`)

// measured reports a unit behind its number, which a sentence may end with: "5 min."
func measured(cur []Token) bool {
	n := len(cur)
	if n < 2 || cur[n-1].Low != "min" && cur[n-1].Low != "max" {
		return false
	}
	c := cur[n-2].Low
	return c != "" && c[0] >= '0' && c[0] <= '9'
}

// Sentences cuts a block into sentences. A line break ends one when the next line
// starts again: blocks already hold wrapped lines together.
func (b Block) Sentences() []Sentence {
	var out []Sentence
	var cur []Token
	flush := func(mark string) {
		if len(cur) > 0 {
			out = append(out, Sentence{cur, mark})
		} else if len(out) > 0 && mark == "?" {
			out[len(out)-1].Close = mark
		}
		cur = nil
	}
	for _, t := range Tokens(b.Text, b.At) {
		if after := t.End - b.At; !t.Ends() || after < len(b.Text) && (inWord(rune(b.Text[after])) || b.Text[after] == '=') {
			cur = append(cur, t)
			continue
		}
		if t.Low == "." && len(cur) > 0 && abbreviations.Has(cur[len(cur)-1].Low) && !measured(cur) {
			continue
		}
		flush(t.Low)
	}
	flush("")
	return out
}
