package cue

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// telling are the small words whose meaning depends on what the clause is.
var telling = lazyregexp.Of("not don't doesn't no never too only still always when if should must can please just instead but i we it they you is are was again now currently")

// mostWords is how many words of a clause are cues.
const mostWords = 60

// clauseWords are the words of a clause: how it begins and ends, all of them with their stems, and
// pairs.
func clauseWords(l *list, a deed.Act) {
	low := a.C.Low()
	if len(low) == 0 {
		return
	}
	n, _ := grammar.Strip(low)
	for k := range min(3, len(low)) {
		l.one("word ", few(k+1, 9), " ", Word(low[k]))
	}
	if n < len(low) {
		l.both("begins ", Word(low[n]))
	}
	if n+1 < len(low) {
		l.one("then ", Word(low[n+1]))
		l.one("begins ", Word(low[n]), " ", Word(low[n+1]))
	}
	l.one("last word ", Word(low[len(low)-1]))
	each(low[:min(len(low), mostWords)], l, func(w string) {
		if telling.Has(w) {
			l.made("has ", w)
			l.one("has ", w, " is ", kinds[a.Deed])
		}
	})
}

// each adds every word once, its stem, and the pair that it begins.
func each(low []string, l *list, more func(string)) {
	for k, w := range low {
		if slices.Contains(low[:k], w) {
			continue
		}
		l.one("has ", Word(w))
		l.one("stem ", words.Stem(w))
		if k+1 < len(low) {
			l.one("has ", Word(w), " ", Word(low[k+1]))
		}
		if more != nil {
			more(w)
		}
	}
}
