package plan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestIndex: the lines of any text, joined again, equal the text.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", " ", "\t", "\n", "\r\n", "\r", "é"})).Draw(t, "text"), "")
		mark := ""
		if rapid.Bool().Draw(t, "mark") {
			mark = ByteOrderMark
		}
		x := NewIndex([]byte(mark + text))
		var b strings.Builder
		for n := 1; n <= x.Count(); n++ {
			at := x.At(n)
			if x.Line(at) != n || x.Start(at) != at || x.Col(at) != 1 {
				t.Fatalf("line %d starts at %d, which is line %d from %d, column %d", n, at, x.Line(at), x.Start(at), x.Col(at))
			}
			line := (mark + text)[at:x.End(at)]
			if strings.ContainsAny(line, "\r\n") {
				t.Fatalf("line %d is %q", n, line)
			}
			b.WriteString(line + x.EOL(at))
		}
		if b.String() != text {
			t.Fatalf("the lines are %q of %q", b.String(), text)
		}
	})
}
