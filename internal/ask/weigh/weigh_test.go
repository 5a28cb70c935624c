package weigh

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestScales holds what the program has: it can be read, and written again as it is.
func TestScales(t *testing.T) {
	for name, text := range map[string]string{"acts": acts, "wholes": wholes} {
		s, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.String() != text {
			t.Errorf("%s is not written as it was read", name)
		}
	}
}

// TestParseWrite holds that a scale is read as it was written.
func TestParseWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "answers")
		s := &Scale{answers: n, worth: map[string][]int32{}}
		for _, cue := range rapid.SliceOfN(rapid.StringMatching(`[a-z"][^\t\n\r]{0,12}`), 1, 20).Draw(t, "cues") {
			s.worth[cue] = rapid.SliceOfN(rapid.Int32Range(-99999, 99999), n, n).Draw(t, "worth")
		}
		got, err := Parse(s.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.worth, got.worth); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "1\t2\ta\n1\tb\n", "1\tx\ta\n", "a\n", "1\ta\n", "99999999999\t1\ta\n"} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLearn learns a rule from examples that follow it, all but one: the cue that decides is worth
// most, one that says nothing is worth nothing, and a rare one is left out.
func TestLearn(t *testing.T) {
	var examples []Example
	for i := range 60 {
		e := Example{Cues: []string{"always"}, Trust: 1}
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
	s := Learn(examples, Settings{Answers: 2, Rare: 2, Strength: 1, Least: 0.05})
	for cues, want := range map[string]int{"always": 0, "always,please": 1, "always,by chance": 0, "always,please,by chance": 1} {
		if got, lead := Best(s.Weigh(strings.Split(cues, ","))); got != want || lead < 500 {
			t.Errorf("%s: %d, by %d", cues, got, lead)
		}
	}
	for _, c := range []string{"once", "two\nlines", "two\tcolumns"} {
		if s.worth[c] != nil {
			t.Errorf("%q was learned", c)
		}
	}
	if got := s.Why([]string{"always", "please", "please"}, 1, 0, 3); !cmp.Equal(got, []string{"please"}) {
		t.Errorf("why: %q", got)
	}
}

func BenchmarkScales(b *testing.B) {
	b.SetBytes(int64(len(acts)))
	for b.Loop() {
		if _, err := Parse(acts); err != nil {
			b.Fatal(err)
		}
	}
}
