package config

import "strings"

// nearest gives the key that someone who wrote name, in the group prefix, most likely
// meant, or "": at equal distance one of the same group.
func nearest(name, prefix string) string {
	best, least := "", 2*max(2, len(name)/3)+2
	consider := func(candidate, full string, elsewhere int) {
		d := distance(strings.ToLower(name), candidate)
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

// distance is how many letters must be added, dropped, changed or swapped with their
// neighbour to make b of a. Separators count as nothing: maxDiff is max_diff.
func distance(a, b string) int {
	drop := strings.NewReplacer("_", "", "-", "")
	a, b = drop.Replace(a), drop.Replace(b)
	if len(a) > 64 {
		return len(a)
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
