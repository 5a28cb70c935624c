package syntax

import (
	"bytes"
	"hash/maphash"
)

// maxSteps bounds the search for the shortest difference. Beyond it, lines are compared by how
// often they occur, which is fast and nearly as good: a rewrite has no useful difference.
const maxSteps = 600

// AddedLines returns the lines of after that a shortest difference from before adds. Line ends are
// ignored: a file converted from CRLF to LF has no new lines.
func AddedLines(before, after []byte) Lines {
	b := numberLines(after, nil)
	lines := Lines{set: make([]bool, len(b.list))}
	if before == nil {
		mark(lines.set)
		return lines
	}
	a := numberLines(before, b.seen)
	from, x, y := 0, len(a.list), len(b.list)
	for from < x && from < y && a.list[from] == b.list[from] {
		from++
	}
	for x > from && y > from && a.list[x-1] == b.list[y-1] {
		x, y = x-1, y-1
	}
	searchDifference(a.list[from:x], b.list[from:y], lines.set[from:y])
	return lines
}

func mark(is []bool) {
	for i := range is {
		is[i] = true
	}
}

var seed = maphash.MakeSeed()

type numberedLines struct {
	list []int
	seen map[uint64]int
}

// numberLines assigns equal numbers to equal lines.
func numberLines(text []byte, seen map[uint64]int) numberedLines {
	if seen == nil {
		seen = map[uint64]int{}
	}
	var list []int
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		h := maphash.Bytes(seed, bytes.TrimSuffix(line, []byte("\r")))
		id, known := seen[h]
		if !known {
			id = len(seen)
			seen[h] = id
		}
		list = append(list, id)
	}
	return numberedLines{list, seen}
}

// searchDifference marks in is what b adds to a. It is Myers' O(ND) search, and keeps the furthest
// points of every step to find the way back.
func searchDifference(a, b []int, is []bool) {
	if len(a) == 0 {
		mark(is)
		return
	}
	if len(b) == 0 {
		return
	}
	limit := min(len(a)+len(b), maxSteps)
	v := make([]int, 2*limit+3) // v[k+limit+1] is the furthest x on diagonal k
	var trace [][]int
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := stepStart(v, limit+1, k, d)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[k+limit+1] = x
			if x >= len(a) && x-k >= len(b) {
				walkBack(trace, len(a), len(b), is)
				return
			}
		}
		trace = append(trace, append([]int(nil), v[limit+1-d:limit+2+d]...))
	}
	markByCount(a, b, is)
}

// stepStart returns where step d begins on diagonal k. Points past the ends are harmless: no lines
// are equal there.
func stepStart(v []int, zero, k, d int) int {
	if k == -d || k != d && v[zero+k-1] < v[zero+k+1] {
		return v[zero+k+1]
	}
	return v[zero+k-1] + 1
}

// walkBack follows the trace from the end; trace[d] has diagonals -d to d.
func walkBack(trace [][]int, x, y int, is []bool) {
	for d := len(trace); d > 0; d-- {
		prev := trace[d-1] // of step d-1: diagonal k at k+d-1
		at := func(k int) int {
			if k < -(d-1) || k > d-1 {
				return -1
			}
			return prev[k+d-1]
		}
		k := x - y
		down := k == -d || k != d && at(k-1) < at(k+1)
		if down {
			x = at(k + 1)
			y = x - k - 1
			if y >= 0 && y < len(is) {
				is[y] = true
			}
		} else {
			x = at(k - 1)
			y = x - k + 1
		}
	}
}

// markByCount marks the lines that occur more often in b than in a.
func markByCount(a, b []int, is []bool) {
	have := map[int]int{}
	for _, id := range a {
		have[id]++
	}
	for i, id := range b {
		if have[id]--; have[id] < 0 {
			is[i] = true
		}
	}
}
