package config

import "strings"

// Distance returns the number of letters that must be added, removed, changed or swapped with their
// neighbour to turn a into b. Separators are ignored: maxDiff is max_diff.
func Distance(a, b string) int {
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
