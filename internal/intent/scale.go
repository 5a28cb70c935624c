package intent

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Scale has the weight of each cue for each answer, in hundredths, relative to the first answer,
// for which all weights are 0.
type Scale struct {
	answers int
	cues    []string // sorted
	weights []int32  // of each cue in turn, for each answer but the first
}

//go:embed acts.txt
var actScaleText string

//go:embed wholes.txt
var messageScaleText string

// ActScale weighs the marker of an act.
var ActScale = sync.OnceValue(func() *Scale { return mustParse(actScaleText) })

// MessageScale weighs the type of a message: plain, unclear or fresh.
var MessageScale = sync.OnceValue(func() *Scale { return mustParse(messageScaleText) })

func mustParse(text string) *Scale {
	s, err := ParseScale(text)
	if err != nil {
		panic(err)
	}
	return s
}

// ParseScale parses a scale. Its first line is the number of answers; then there is a line for each
// cue, in order: the length of the prefix shared with the cue before it in bytes (empty for 0), the
// rest of the cue, and its weight for each answer (empty for 0, and trailing ones omitted),
// separated by tabs. Every command that parses a request reads it, so it takes one pass, with one
// allocation for all cues and one for all numbers, and no index.
func ParseScale(text string) (*Scale, error) {
	first, text, _ := strings.Cut(text, "\n")
	n, err := strconv.Atoi(first)
	if err != nil || n < 2 || n > 99 {
		return nil, fmt.Errorf("line 1: %q is no number of answers", first)
	}
	lines := strings.Count(text, "\n") + 1
	s := &Scale{answers: n, cues: make([]string, 0, lines), weights: make([]int32, 0, lines*(n-1))}
	all, ends := make([]byte, 0, 3*len(text)), make([]int, 0, lines)
	for begin := 0; text != ""; {
		line, more, _ := strings.Cut(text, "\n")
		text = more
		shared, rest, ok := strings.Cut(line, "\t")
		k, err := parseWhole(shared)
		cue := all[begin:]
		if !ok || err != nil || k < 0 || int(k) > len(cue) {
			return nil, fmt.Errorf("line %d: %q does not say how the cue begins", len(ends)+2, shared)
		}
		own, rest, numbers := strings.Cut(rest, "\t")
		if own == "" || int(k) < len(cue) && own[0] <= cue[k] {
			return nil, fmt.Errorf("line %d: its cue does not come after the one before it", len(ends)+2)
		}
		begin = len(all)
		all = append(append(all, cue[:k]...), own...)
		ends = append(ends, len(all))
		row := len(s.weights)
		s.weights = append(s.weights, make([]int32, n-1)...)
		for i := row; numbers; i++ {
			var field string
			field, rest, numbers = strings.Cut(rest, "\t")
			if i >= len(s.weights) {
				return nil, fmt.Errorf("line %d: there are more than %d numbers", len(ends)+1, n-1)
			}
			if s.weights[i], err = parseWhole(field); err != nil {
				return nil, fmt.Errorf("line %d: %w", len(ends)+1, err)
			}
		}
	}
	whole, begin := string(all), 0
	for _, end := range ends {
		s.cues = append(s.cues, whole[begin:end])
		begin = end
	}
	return s, nil
}

// parseWhole parses an integer; an empty string is 0.
func parseWhole(s string) (int32, error) {
	digits, sign := strings.TrimPrefix(s, "-"), int32(1)
	if len(digits) < len(s) {
		sign = -1
	}
	n := int32(0)
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' || len(digits) > 9 {
			return 0, fmt.Errorf("%q is no whole number of up to nine digits", s)
		}
		n = 10*n + int32(c-'0')
	}
	return sign * n, nil
}

// weightsOf returns the weights of a cue for each answer but the first, nil for an unknown cue.
func (s *Scale) weightsOf(cue string) []int32 {
	i, known := slices.BinarySearch(s.cues, cue)
	if !known {
		return nil
	}
	return s.weights[i*(s.answers-1) : (i+1)*(s.answers-1)]
}

// Weigh adds up the weights of cues for each answer, in hundredths.
func (s *Scale) Weigh(cues []string) []int {
	sum := make([]int, s.answers)
	for _, c := range cues {
		for i, n := range s.weightsOf(c) {
			sum[i+1] += int(n)
		}
	}
	return sum
}

// Best returns the answer with the highest sum, the first of several; lead is its distance from the
// next.
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

// StrongestCues returns at most n cues that favour one answer over another, the strongest first.
func (s *Scale) StrongestCues(cues []string, answer, other, n int) []string {
	worth := func(c string) int32 {
		row := append([]int32{0}, s.weightsOf(c)...)
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
