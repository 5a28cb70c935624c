package stay

import (
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// frames are what people say in front of what is to stay: "as long as the numbers stay
// correct", "please note that the API is frozen".
var frames = []string{"for now", "for the moment", "for the time being", "until then", "though", "although", "as long as", "so long as", "provided that", "provided", "but make sure", "on condition that", "under the condition that", "with the caveat that", "note that", "please note that", "keep in mind that", "bear in mind that", "remember that", "mind that", "take care that", "see that", "be aware that", "be careful that", "make sure that", "make sure",
	"it's important that", "it is important that", "important is that", "it's essential that", "it is essential that", "it's crucial that", "it's vital that", "what matters is that", "the condition is that", "the only condition is that", "only condition is that", "the main thing is that", "the important thing is that", "whatever you do", "whatever happens", "be careful", "take care", "be sure", "try", "under no circumstances"}

// framed counts the words of the frames that a clause begins with.
func framed(low []string) int {
	n := 0
	for again := true; again; {
		again = false
		line := strings.Join(low[n:min(len(low), n+6)], " ") + " "
		for _, f := range frames {
			k := strings.Count(f, " ") + 1
			if strings.HasPrefix(line, f+" ") && len(low)-n > k+1 && (low[n+k] == "not" || f != "try" && f != "be careful" && f != "take care" && f != "be sure" && f != "see that") {
				n, again = n+k, true
				break
			}
		}
		for n > 0 && n < len(low)-2 && (low[n] == "," || words.Filler(low[n])) {
			n++
		}
	}
	return n
}

// resolved counts the words of "we (keep the API)", "you may (leave it as it is)".
func resolved(low []string) int {
	n := 0
	if len(low) > 2 && (low[0] == "we" || low[0] == "i" || low[0] == "you") && (low[1] == "keep" || low[1] == "leave") && !grammar.Gerund(low[2]) {
		n = 1
	}
	return n + chosen(low[n:])
}
