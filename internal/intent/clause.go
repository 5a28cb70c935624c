package intent

import (
	"strings"
)

// Clause is a stretch of a sentence that can ask for one thing.
type Clause struct {
	Tokens       []Token // without asides
	Join         string  // what led to it: "", ",", "and", ";", "->", ":", "if", "because"
	Topic        string  // the word or two before a colon that it stands under
	Block        Block
	Line         int    // of the block in the message
	Sentence     int    // of the sentence in the message
	EndMark      string // the mark that ended the sentence
	IsEnumerated bool   // one piece of an enumeration after a colon or between commas
	IsFragment   bool   // the sentence has no verb at all
	HasAlthough  bool   // an "although" follows: it is not as it should be
	IsAfterColon bool   // it is behind a colon, whatever else led to it
}

func (c Clause) Lower() []string { return LowerWords(c.Tokens) }

func LowerWords(t []Token) []string {
	out := make([]string, len(t))
	for i := range t {
		out[i] = t[i].Lower
		if t[i].Form != WordForm && t[i].Form != Mark {
			out[i] = "\"" // whatever is in quotes or backquotes is a thing, not a word
		}
	}
	return out
}

// Text returns the stretch of the message, for a phrase and for what is kept verbatim.
func (c Clause) Text(msg string, s Span) string {
	t := c.Tokens[s.From:s.To]
	if len(t) == 0 {
		return ""
	}
	return strings.TrimSpace(msg[t[0].At:t[len(t)-1].End])
}
