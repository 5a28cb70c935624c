// Package weigh holds what each cue of a clause is worth, as it was learned from labelled
// messages, and adds it up. The worth of a cue is a whole number for each answer there is, so
// the same cues give the same sums on every machine, and an answer can be explained by the
// cues that weighed most. It knows nothing of what the cues mean, and touches no file,
// process, clock or network.
package weigh

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Scale is the worth of cues, for each of several answers, in thousandths.
type Scale struct {
	answers int
	worth   map[string][]int32
}

//go:embed acts.txt
var acts string

//go:embed wholes.txt
var wholes string

// Acts weighs what an act asks for.
var Acts = sync.OnceValue(func() *Scale { return mustParse(acts) })

// Wholes weighs what a message is as a whole: plain, unclear or fresh.
var Wholes = sync.OnceValue(func() *Scale { return mustParse(wholes) })

func mustParse(text string) *Scale {
	s, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

// Parse reads a scale: a line for each cue, its worth for each answer (nothing for 0) and then the
// cue, parted by tabs. It is read each time that a command reads a request, so it takes one pass
// and one piece of memory for all numbers.
func Parse(text string) (*Scale, error) {
	first, _, _ := strings.Cut(text, "\n")
	n := strings.Count(first, "\t")
	if n < 2 {
		return nil, fmt.Errorf("line 1: %d numbers, and at least 2 are expected", n)
	}
	lines := strings.Count(text, "\n")
	s := &Scale{answers: n, worth: make(map[string][]int32, lines)}
	numbers := make([]int32, 0, n*lines)
	nr := 0
	for line := range strings.Lines(text) {
		nr++
		rest := strings.TrimSuffix(line, "\n")
		from := len(numbers)
		for range n {
			field, behind, ok := strings.Cut(rest, "\t")
			if !ok {
				return nil, fmt.Errorf("line %d: there are fewer than %d numbers", nr, n)
			}
			k, err := number(field)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", nr, err)
			}
			numbers, rest = append(numbers, k), behind
		}
		s.worth[rest] = numbers[from:len(numbers):len(numbers)]
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

// String is the scale as Parse reads it, in the order of the cues.
func (s *Scale) String() string {
	cues := make([]string, 0, len(s.worth))
	for c := range s.worth {
		cues = append(cues, c)
	}
	slices.Sort(cues)
	var b strings.Builder
	for _, c := range cues {
		for _, n := range s.worth[c] {
			if n != 0 {
				b.WriteString(strconv.Itoa(int(n)))
			}
			b.WriteByte('\t')
		}
		b.WriteString(c)
		b.WriteByte('\n')
	}
	return b.String()
}

// Weigh adds up what the cues are worth for each answer, in thousandths.
func (s *Scale) Weigh(cues []string) []int {
	sum := make([]int, s.answers)
	for _, c := range cues {
		for i, n := range s.worth[c] {
			sum[i] += int(n)
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
		row := s.worth[c]
		if row == nil {
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
