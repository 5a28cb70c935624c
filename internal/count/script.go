package count

import (
	"bytes"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	scriptTags  = lazyregexp.New(`(?i)</?script(?:\s[^>]*)?>`)
	typedScript = lazyregexp.New(`(?i)\slang\s*=\s*["']?ts`)
)

// ExtractScript returns the scripts of a Vue or Svelte component in their places, with blanks for
// everything else, so that line numbers are unchanged. ts means TypeScript; script is nil if there
// is none.
func ExtractScript(src []byte) (script []byte, ts bool) {
	at := 0 // start of the current script
	for _, tag := range scriptTags.FindAllStringSubmatchIndex(string(src), -1) {
		from, to := tag[0], tag[1]
		if src[from+1] == '/' {
			if script != nil && at > 0 {
				copy(script[at:from], src[at:from])
			}
			at = 0
			continue
		}
		if at > 0 { // a tag within a script is text
			continue
		}
		if script == nil {
			script = blankOut(src)
		}
		ts, at = ts || typedScript.Match(src[from:to]), to
	}
	if at > 0 {
		copy(script[at:], src[at:])
	}
	return script, ts
}

// blankOut returns blanks of the same length as a text, with its line ends.
func blankOut(src []byte) []byte {
	out := bytes.Repeat([]byte{' '}, len(src))
	for i, b := range src {
		if b == '\n' || b == '\r' {
			out[i] = b
		}
	}
	return out
}
