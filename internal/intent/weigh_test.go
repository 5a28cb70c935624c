package intent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestScales: the embedded scales can be parsed, and are formatted the same again.
func TestScales(t *testing.T) {
	for name, text := range map[string]string{"acts": actScaleText, "wholes": messageScaleText} {
		s, err := ParseScale(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.String() != text {
			t.Errorf("%s is formatted differently from the file", name)
		}
	}
}

// TestParseWrite: a formatted scale is parsed to the same scale.
func TestParseWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "answers")
		worth := map[string][]int32{}
		for _, cue := range rapid.SliceOfN(rapid.StringMatching(`[a-z"][^\t\n\r]{0,12}`), 1, 20).Draw(t, "cues") {
			worth[cue] = rapid.SliceOfN(rapid.Int32Range(-99999, 99999), n-1, n-1).Draw(t, "worth")
		}
		s := New(n, worth)
		got, err := ParseScale(s.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got, cmp.AllowUnexported(Scale{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "1\n", "x\n", "3\na\n", "3\n\ta\t1\t2\t3\n", "3\n\ta\tx\n", "3\n5\ta\n", "3\n-1\ta\n", "3\n\ta\t99999999999\n", "3\n\tb\n\ta\n", "3\n\ta\n\ta\n", "3\n\tab\n1\tb\n"} {
		if _, err := ParseScale(text); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func BenchmarkScales(b *testing.B) {
	b.SetBytes(int64(len(actScaleText)))
	for b.Loop() {
		if _, err := ParseScale(actScaleText); err != nil {
			b.Fatal(err)
		}
	}
}
