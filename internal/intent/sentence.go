package intent

import "github.com/belay-dev/belay/internal/lazyregexp"

// Sentence is the tokens of one sentence, without its closing punctuation.
type Sentence struct {
	Tokens  []Token
	EndMark string // ".", "!", "?", or "" at the end of a line
}

var abbreviations = lazyregexp.Of(`e.g i.e etc vs dr mr mrs ms approx incl resp z.b bzw ca st fig cf max min`)

// endsWithUnit reports a unit behind its number, which can end a sentence: "5 min."
func endsWithUnit(cur []Token) bool {
	n := len(cur)
	if n < 2 || cur[n-1].Lower != "min" && cur[n-1].Lower != "max" {
		return false
	}
	c := cur[n-2].Lower
	return c != "" && c[0] >= '0' && c[0] <= '9'
}

// Sentences cuts a block into sentences. A line break does not end one; blocks have already joined
// wrapped lines.
func (b Block) Sentences() []Sentence {
	var out []Sentence
	var cur []Token
	flush := func(mark string) {
		if len(cur) > 0 {
			out = append(out, Sentence{cur, mark})
		} else if len(out) > 0 && mark == "?" {
			out[len(out)-1].EndMark = mark
		}
		cur = nil
	}
	for _, t := range Tokenize(b.Text, b.At) {
		if after := t.End - b.At; !t.EndsSentence() || after < len(b.Text) && (isInWord(rune(b.Text[after])) || b.Text[after] == '=') {
			cur = append(cur, t)
			continue
		}
		if t.Lower == "." && len(cur) > 0 && abbreviations.Has(cur[len(cur)-1].Lower) && !endsWithUnit(cur) {
			continue
		}
		flush(t.Lower)
	}
	flush("")
	return out
}
