package intent

import (
	"strings"
)

// IsFormatWord reports a word for how something is written, counted or coloured.
func IsFormatWord(w string) bool {
	return strings.Contains(w, "/") && len(w) > 2
}
