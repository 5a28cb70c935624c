package intent

import (
	"strings"
)

// IsFormatWord reports a word for a format, a unit or a colour.
func IsFormatWord(w string) bool {
	return strings.Contains(w, "/") && len(w) > 2
}
