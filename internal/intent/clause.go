package intent

import (
	"strings"
)

// Clause is the part of a sentence that can ask for one thing.
type Clause struct {
	Tokens       []Token // without asides
	Join         string  // what introduced it: "", ",", "and", ";", "->", ":", "if", "because"
	Topic        string  // the word or two before the colon that introduces it
	Block        Block
	Line         int    // of the block in the message
	Sentence     int    // of the sentence in the message
	EndMark      string // punctuation at the sentence's end
	IsEnumerated bool   // one piece of an enumeration after a colon or between commas
	IsFragment   bool   // the sentence has no verb at all
	HasAlthough  bool   // followed by "although": describes a fault
	IsAfterColon bool   // behind a colon, even if Join is something else
}

func (c Clause) Lower() []string { return LowerWords(c.Tokens) }

func LowerWords(t []Token) []string {
	out := make([]string, len(t))
	for i := range t {
		out[i] = t[i].Lower
		if t[i].Form != WordForm && t[i].Form != Mark {
			out[i] = "\"" // quoted text names a thing; it is not read as words
		}
	}
	return out
}

// Text returns the clause's tokens in the span as they are written in the message.
func (c Clause) Text(msg string, s Span) string {
	t := c.Tokens[s.From:s.To]
	if len(t) == 0 {
		return ""
	}
	return strings.TrimSpace(msg[t[0].At:t[len(t)-1].End])
}
