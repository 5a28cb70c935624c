package intent

import (
	"strings"
)

// Format reports a word for how something is written, counted or coloured.
func Format(w string) bool {
	return strings.Contains(w, "/") && len(w) > 2
}
