package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// PunctuateDictation replaces spoken punctuation in dictated text: "… for my students period they
// upload …". Offsets do not change. A message that has punctuation is returned unchanged.
func PunctuateDictation(text string) string {
	low := strings.ToLower(text)
	if strings.ContainsAny(strings.TrimRight(text, " .!?\n"), ".!?;\n") ||
		!strings.Contains(low, " period ") && !strings.Contains(low, " full stop") && !strings.Contains(low, " new line ") {
		return text
	}
	out := text
	for name, mark := range map[string]string{" period ": ".", " full stop ": ".", " comma ": ",",
		" question mark ": "?", " new line ": ".", " new paragraph ": "."} {
		for from := 0; ; {
			i := strings.Index(low[from:], name)
			if i < 0 {
				break
			}
			i += from
			from = i + len(name) - 1
			if beforeNoun.Has(low[strings.LastIndexByte(low[:i], ' ')+1 : i]) {
				continue // "a trial period for teams"
			}
			out = out[:i] + mark + strings.Repeat(" ", len(name)-1) + out[i+len(name):]
		}
	}
	return out
}

// beforeNoun are words that precede a noun.
var beforeNoun = lazyregexp.Of(`a an the this that each every per trial grace time billing free notice retention test
	one trailing missing decimal`)
