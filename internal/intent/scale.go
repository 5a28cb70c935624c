package intent

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Scale is the worth of cues in hundredths, for each answer but the first, which they are worth
// nothing for: all others are measured against it.
type Scale struct {
	answers int
	worth   map[string][]int32
}

//go:embed acts.txt
var acts string

//go:embed wholes.txt
var wholeScale string

// Acts weighs what an act asks for.
var ActScale = sync.OnceValue(func() *Scale { return mustParse(acts) })

// Wholes weighs what a message is as a whole: plain, unclear or fresh.
var Wholes = sync.OnceValue(func() *Scale { return mustParse(wholeScale) })

func mustParse(text string) *Scale {
	s, err := ParseScale(text)
	if err != nil {
		panic(err)
	}
	return s
}

// Parse reads a scale. Its first line is how many answers there are; then follows a line for each
// cue, in their order: how many bytes the cue begins with that the one before it begins with too
// (nothing for 0), the rest of the cue, and its worth for each answer (nothing for 0, and for what
// the line leaves out), parted by tabs. It is read each time that a command reads a request, so it
// takes one pass and one piece of memory for all numbers.
func ParseScale(text string) (*Scale, error) {
	first, text, _ := strings.Cut(text, "\n")
	n, err := strconv.Atoi(first)
	if err != nil || n < 2 || n > 99 {
		return nil, fmt.Errorf("line 1: %q is no number of answers", first)
	}
	lines := strings.Count(text, "\n")
	s := &Scale{answers: n, worth: make(map[string][]int32, lines)}
	numbers := make([]int32, lines*(n-1))
	nr, cue := 1, ""
	for line := range strings.Lines(text) {
		nr++
		shared, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		k, err := number(shared)
		if !ok || err != nil || k < 0 || int(k) > len(cue) {
			return nil, fmt.Errorf("line %d: %q does not say how the cue begins", nr, shared)
		}
		own, rest, more := strings.Cut(rest, "\t")
		cue = cue[:k] + own
		row := make([]int32, n-1)
		if len(numbers) >= n-1 {
			row, numbers = numbers[:n-1:n-1], numbers[n-1:]
		}
		for i := 0; more; i++ {
			var field string
			field, rest, more = strings.Cut(rest, "\t")
			if i >= len(row) {
				return nil, fmt.Errorf("line %d: there are more than %d numbers", nr, len(row))
			}
			if row[i], err = number(field); err != nil {
				return nil, fmt.Errorf("line %d: %w", nr, err)
			}
		}
		s.worth[cue] = row
	}
	return s, nil
}

// number reads a whole number; nothing is 0.
func number(s string) (int32, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number", s)
	}
	return int32(n), nil
}

// Weigh adds up what the cues are worth for each answer, in hundredths.
func (s *Scale) Weigh(cues []string) []int {
	sum := make([]int, s.answers)
	for _, c := range cues {
		for i, n := range s.worth[c] {
			sum[i+1] += int(n)
		}
	}
	return sum
}

// Best is the answer with the highest sum, the first of several; the lead is what it has more
// than the next.
func Best(sum []int) (answer, lead int) {
	for i, n := range sum {
		if n > sum[answer] {
			answer = i
		}
	}
	lead = 1 << 30
	for i, n := range sum {
		if i != answer {
			lead = min(lead, sum[answer]-n)
		}
	}
	return answer, lead
}

// Why is the cues that speak most for one answer against another, at most n, the strongest
// first.
func (s *Scale) Why(cues []string, answer, other, n int) []string {
	worth := func(c string) int32 {
		row := append([]int32{0}, s.worth[c]...)
		if len(row) == 1 {
			return 0
		}
		return row[answer] - row[other]
	}
	sorted := slices.Clone(cues)
	slices.SortStableFunc(sorted, func(a, b string) int { return int(worth(b) - worth(a)) })
	sorted = slices.Compact(sorted)
	out := sorted[:0]
	for _, c := range sorted {
		if len(out) < n && worth(c) > 0 {
			out = append(out, c)
		}
	}
	return out
}
