package intent

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// example is a set of cues with the right answer. Trust is its weight.
type example struct {
	Cues   []string
	Answer int
	Trust  float64
}

// settings configure learned: the number of answers, in how many examples a cue has to occur, the
// inverse of the penalty, and the least weight that is kept. Only, if not nil, returns the one
// answer that a cue can support, or -1 for all.
type settings struct {
	Answers         int
	Rare            int
	Strength, Least float64
	Only            func(cue string) int
}

// learned finds the weight of each cue that makes the right answers of the examples most probable:
// multinomial logistic regression with a quadratic penalty (Hastie, Tibshirani and Friedman, The
// Elements of Statistical Learning, 4.4), by L-BFGS (Nocedal and Wright, Numerical Optimization,
// 7.2). The same examples in the same order give the same scale on the same machine.
func learned(examples []example, set settings) *Scale {
	answers := set.Answers
	p := newProblem(examples, answers, set.Rare, 1/set.Strength)
	if set.Only != nil {
		p.only = make([]int, len(p.index))
		for c, k := range p.index {
			p.only[k] = set.Only(c)
		}
	}
	w := p.minimise(120)
	worth := map[string][]int32{}
	for c, k := range p.index {
		row := make([]int32, answers-1)
		some := false
		for i := range row {
			by := w[k*answers+i+1] - w[k*answers]
			row[i] = int32(math.Round(100 * by))
			some = some || math.Abs(by) >= set.Least
		}
		if some {
			worth[c] = row
		}
	}
	return New(answers, worth)
}

type problem struct {
	answers int
	penalty float64
	index   map[string]int
	rows    [][]int
	want    []int
	trust   []float64
	only    []int // by cue: the one answer that it supports, or -1 for all; nil if no cue is limited
}

func newProblem(examples []example, answers, rare int, penalty float64) *problem {
	p := &problem{answers: answers, penalty: penalty, index: map[string]int{}}
	seen := map[string]int{}
	for _, e := range examples {
		for _, c := range unique(e.Cues) {
			seen[c]++
		}
	}
	for _, e := range examples {
		var row []int
		for _, c := range unique(e.Cues) {
			if seen[c] < rare {
				continue
			}
			k, ok := p.index[c]
			if !ok {
				k = len(p.index)
				p.index[c] = k
			}
			row = append(row, k)
		}
		p.rows, p.want, p.trust = append(p.rows, row), append(p.want, e.Answer), append(p.trust, e.Trust)
	}
	return p
}

// unique returns the cues of an example without duplicates, and without those that do not fit in a
// line of a scale.
func unique(cues []string) []string {
	s := slices.DeleteFunc(slices.Clone(cues), func(c string) bool { return strings.ContainsAny(c, "\t\n") })
	slices.Sort(s)
	return slices.Compact(s)
}

// slope returns the value to minimise at w, and sets grad to its gradient.
func (p *problem) slope(w, grad []float64) float64 {
	loss := 0.0
	for i, x := range w {
		loss += p.penalty * x * x / 2
		grad[i] = p.penalty * x
	}
	sum := make([]float64, p.answers)
	for i, row := range p.rows {
		clear(sum)
		for _, k := range row {
			for c := range sum {
				sum[c] += w[k*p.answers+c]
			}
		}
		top, all := slices.Max(sum), 0.0
		for _, x := range sum {
			all += math.Exp(x - top)
		}
		loss += p.trust[i] * (top + math.Log(all) - sum[p.want[i]])
		for c := range sum {
			sum[c] = p.trust[i] * math.Exp(sum[c]-top) / all
		}
		sum[p.want[i]] -= p.trust[i]
		for _, k := range row {
			for c, x := range sum {
				grad[k*p.answers+c] += x
			}
		}
	}
	for k, one := range p.only {
		for c := range p.answers {
			if one >= 0 && c != one {
				grad[k*p.answers+c] = 0
			}
		}
	}
	return loss
}

// minimise takes at most the given number of steps.
func (p *problem) minimise(steps int) []float64 {
	n := len(p.index) * p.answers
	w, grad := make([]float64, n), make([]float64, n)
	loss := p.slope(w, grad)
	var past []step
	for range steps {
		down := direction(grad, past)
		next, slope := make([]float64, n), make([]float64, n)
		along := dot(down, grad)
		if along >= 0 {
			break
		}
		size, better := 1.0, loss
		if len(past) == 0 {
			size = 1 / math.Max(1, math.Sqrt(dot(grad, grad)))
		}
		for range 30 {
			for i := range next {
				next[i] = w[i] + size*down[i]
			}
			if better = p.slope(next, slope); better <= loss+1e-4*size*along {
				break
			}
			size /= 2
		}
		if loss-better < 1e-6*loss {
			break
		}
		s := step{moved: make([]float64, n), turned: make([]float64, n)}
		for i := range next {
			s.moved[i], s.turned[i] = next[i]-w[i], slope[i]-grad[i]
		}
		if s.rate = dot(s.moved, s.turned); s.rate > 0 {
			past = append(past, s)
			past = past[max(0, len(past)-8):]
		}
		w, grad, loss = next, slope, better
	}
	return w
}

type step struct {
	moved, turned []float64
	rate          float64
}

// direction returns the descent direction, corrected by how the gradient changed in the last steps.
func direction(grad []float64, past []step) []float64 {
	d := make([]float64, len(grad))
	for i, g := range grad {
		d[i] = -g
	}
	alpha := make([]float64, len(past))
	for i := len(past) - 1; i >= 0; i-- {
		alpha[i] = dot(past[i].moved, d) / past[i].rate
		for k := range d {
			d[k] -= alpha[i] * past[i].turned[k]
		}
	}
	if n := len(past); n > 0 {
		scale := past[n-1].rate / dot(past[n-1].turned, past[n-1].turned)
		for k := range d {
			d[k] *= scale
		}
	}
	for i, s := range past {
		beta := dot(s.turned, d) / s.rate
		for k := range d {
			d[k] += (alpha[i] - beta) * s.moved[k]
		}
	}
	return d
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// TestLearner learns a rule that all examples but one follow: the deciding cue gets the highest
// weight, an unrelated one gets none, and a rare one is dropped.
func TestLearner(t *testing.T) {
	var examples []example
	for i := range 60 {
		e := example{Cues: []string{"always"}, Trust: 1}
		if i%3 == 0 {
			e.Cues, e.Answer = append(e.Cues, "please"), 1
		}
		if i%2 == 0 {
			e.Cues = append(e.Cues, "by chance")
		}
		examples = append(examples, e)
	}
	examples[7].Cues = append(examples[7].Cues, "once")
	for i := range examples[:9] {
		examples[i].Cues = append(examples[i].Cues, "two\nlines", "two\tcolumns")
	}
	s := learned(examples, settings{Answers: 2, Rare: 2, Strength: 1, Least: 0.05})
	for cues, want := range map[string]int{"always": 0, "always,please": 1, "always,by chance": 0, "always,please,by chance": 1} {
		if got, lead := Best(s.Weigh(strings.Split(cues, ","))); got != want || lead < 50 {
			t.Errorf("%s: %d, by %d", cues, got, lead)
		}
	}
	for _, c := range []string{"once", "two\nlines", "two\tcolumns"} {
		if sum := s.Weigh([]string{c}); sum[1] != 0 {
			t.Errorf("%q was learned", c)
		}
	}
	if got := s.StrongestCues([]string{"always", "please", "please"}, 1, 0, 3); !slices.Equal(got, []string{"please"}) {
		t.Errorf("why: %q", got)
	}
}

// New returns a scale; weights has those of each cue for each answer but the first.
func New(answers int, worth map[string][]int32) *Scale {
	s := &Scale{answers: answers, cues: slices.Sorted(maps.Keys(worth))}
	for _, c := range s.cues {
		s.weights = append(s.weights, worth[c]...)
	}
	return s
}

// String returns the scale in the form that ParseScale parses.
func (s *Scale) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, s.answers)
	before := ""
	for _, c := range s.cues {
		n := 0
		for n < min(len(c), len(before)) && c[n] == before[n] {
			n++
		}
		line := "\t" + c[n:]
		if n > 0 {
			line = strconv.Itoa(n) + line
		}
		for _, k := range s.weightsOf(c) {
			line += "\t"
			if k != 0 {
				line += strconv.Itoa(int(k))
			}
		}
		b.WriteString(strings.TrimRight(line, "\t") + "\n")
		before = c
	}
	return b.String()
}
