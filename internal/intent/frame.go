package intent

import (
	"strings"
)

// frames are what people say in front of what is to stay: "as long as the numbers stay
// correct", "please note that the API is frozen". The first that fits is taken, so a longer one
// stands before a shorter one that it begins with.
var frames = []string{"for now", "for the moment", "for the time being", "until then", "though", "although",
	"as long as", "so long as", "provided that", "provided",
	"but make sure", "on condition that", "under the condition that", "with the caveat that", "note that",
	"please note that", "keep in mind that", "bear in mind that",
	"remember that", "mind that", "take care that", "be aware that", "be careful that", "make sure that", "make sure",
	"it's important that", "it is important that", "important is that", "it's essential that", "it is essential that",
	"it's crucial that", "it's vital that",
	"what matters is that", "the condition is that", "the only condition is that", "only condition is that",
	"the main thing is that", "the important thing is that",
	"whatever you do", "whatever happens", "under no circumstances"}

// cares are frames in front of "not" alone: "try not to touch X", but not "try another colour".
var cares = []string{"see that", "be careful", "take care", "be sure", "try"}

// framed counts the words of the frames that a clause begins with.
func framed(low []string) int {
	n := 0
	for k := frameWords(low); k > 0; k = frameWords(low[n:]) {
		n += k
		for n < len(low)-2 && (low[n] == "," || Filler(low[n])) {
			n++
		}
	}
	return n
}

// frame counts the words of one frame, 0 where there is none with two words behind it.
func frameWords(low []string) int {
	line := strings.Join(low[:min(len(low), 6)], " ") + " "
	fits := func(f string) int {
		if k := strings.Count(f, " ") + 1; strings.HasPrefix(line, f+" ") && len(low) > k+1 {
			return k
		}
		return 0
	}
	for _, f := range frames {
		if k := fits(f); k > 0 {
			return k
		}
	}
	for _, f := range cares {
		if k := fits(f); k > 0 && low[k] == "not" {
			return k
		}
	}
	return 0
}

// resolved counts the words of "we (keep the API)", "you may (leave it as it is)".
func resolved(low []string) int {
	n := 0
	if len(low) > 2 && oneOf(low[0], "we", "i", "you") && (low[1] == "keep" || low[1] == "leave") && !Gerund(low[2]) {
		n = 1
	}
	return n + chosenWords(low[n:])
}
