package count

import (
	"bytes"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	scriptTags  = lazyregexp.New(`(?i)</?script(?:\s[^>]*)?>`)
	typedScript = lazyregexp.New(`(?i)\slang\s*=\s*["']?ts`)
)

// ExtractScript returns the source of the scripts in a component of Vue or Svelte, each where it
// stands: blanks are all around it, so that its lines keep their numbers. ts says that it is
// TypeScript; nil is for one without a script.
func ExtractScript(src []byte) (script []byte, ts bool) {
	at := 0 // what is before it is read
	for _, tag := range scriptTags.FindAllStringSubmatchIndex(string(src), -1) {
		from, to := tag[0], tag[1]
		if src[from+1] == '/' {
			if script != nil && at > 0 {
				copy(script[at:from], src[at:from])
			}
			at = 0
			continue
		}
		if at > 0 { // a tag in a script is text
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

// blankOut is as long as a text, with its ends of lines.
func blankOut(src []byte) []byte {
	out := bytes.Repeat([]byte{' '}, len(src))
	for i, b := range src {
		if b == '\n' || b == '\r' {
			out[i] = b
		}
	}
	return out
}
