package config

import (
	"strings"
)

// nearest returns the key that is most similar to name in the group prefix, or ""; at equal
// distance one of the same group.
func nearest(name, prefix string) string {
	best, least := "", 2*max(2, len(name)/3)+2
	consider := func(candidate, full string, elsewhere int) {
		d := Distance(strings.ToLower(name), candidate)
		if d < len(candidate) && 2*d+elsewhere < least {
			best, least = full, 2*d+elsewhere
		}
	}
	for _, child := range children(prefix) {
		if child == anyName {
			continue
		}
		consider(child, prefix+child, 0)
	}
	for _, k := range keys {
		if k.wild() {
			continue
		}
		consider(k.name, k.name, 1)
		consider(k.name[strings.LastIndexByte(k.name, '.')+1:], k.name, 1)
	}
	return best
}
