package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// failingVerbs are verbs that report a fault with any subject.
var failingVerbs = lazyregexp.Of(`crash fail die hang freeze break leak choke panic stutter flicker overlap overflow explode
	segfault deadlock
	corrupt misbehave misalign glitch truncate clip vanish disappear jam stall lag jump garble mangle abort burn
	malfunction 404 500 503 502 403 401 bug escape rebalance expire duplicate ignore forget lose drop miss double confuse choke
	overwrite swallow clobber drift bounce rot trip bark complain blow falls`)

// wrongWords are words that by themselves call a thing bad.
var wrongWords = lazyregexp.Of(`broken wrong wrongly incorrect incorrectly invisible buggy garbled flaky stale stuck unusable faulty
	duplicated duplicate misaligned unresponsive misspelled misspelt unstyled corrupted corrupt truncated untranslated
	outdated inaccessible blank twice unselected mixed-up mojibake dead insecure vulnerable vulnerability
	bug bugs typo typos crash crashes exception exceptions regression leak leaks segfault npe deadlock oom oom-killed
	blurry pixelated choppy jerky squashed illegible unclickable gibberish undeclared unresolved unexpected unsupported
	unrecognized unrecognised unterminated unhandled nonexistent non-existent mismatched mismatch
	nans defect glitch misspelling infinite slow slower laggy sluggish`)

// IsSoftFault reports words that call a thing bad only within a statement: "the error page" does
// not, "gives an error" does.
var IsSoftFault = lazyregexp.Of(`error errors problem problems issue issues failure failures warning warnings missing
	sometimes randomly random empty
	anymore never nothing nobody unable late early again inside still off constantly intermittently occasionally
	strange weird unreadable ugly messy odd gone red old non-stop nonstop complaint complains complain complained
	impossible without 404 500 nan null
	undefined away unchecked exposed visible endless forever`).Has

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range fields(list) {
		out[w] = true
	}
	return out
}

// FailingForm reports whether a word is a form of a verb of failing, and its ending.
func FailingForm(w string) (ending string, ok bool) {
	base, ending := BaseForm(w, func(b string) bool { return failingVerbs.Has(b) })
	return ending, base != ""
}

// IsWrongWord reports whether a word by itself calls something bad.
func IsWrongWord(w string) bool {
	return wrongWords.Has(w) || len(w) > 6 && (strings.HasSuffix(w, "error") || strings.HasSuffix(w, "exception"))
}
