package syntax

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestRegexByRegex: the notes of one search do not hide an expression that begins later on the
// line.
func TestRegexByRegex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"(/[/a/", "m(() m(/) m([) t(/a/)"},
		{"(/[a]/ (/[/", "m(() t(/[a]/) m(() m(/) m([) m(/)"},
		{"(/[\n(/[]/g", "m(() m(/) m([) m(() t(/[]/g)"},
		{`(/[\/(/b]\//`, `m(() t(/[\/(/b]\//)`},
		{"(/a\\\n/ (/b/", "m(() m(/) w(a) m(\\) t(/ (/) w(b) m(/)"},
	} {
		if got := shown(TypeScript, c.src); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestRegexSearch: regexLength returns the same as a search to the end of the line each time.
func TestRegexSearch(t *testing.T) {
	t.Parallel()
	plain := func(s string) int {
		class := false
		for i := 1; i < len(s) && s[i] != '\n'; i++ {
			switch s[i] {
			case '\\':
				if i++; i < len(s) && s[i] == '\n' {
					return 0
				}
			case '[':
				class = true
			case ']':
				class = false
			case '/':
				if !class {
					return i + 1
				}
			}
		}
		return 0
	}
	const signs, length = "/[]\\(\n", 7
	for n := range int(math.Pow(float64(len(signs)), length)) {
		var src strings.Builder
		for range length {
			src.WriteByte(signs[n%len(signs)])
			n /= len(signs)
		}
		x := &Lexer{lang: TypeScript, src: []byte(src.String())}
		for x.at < len(x.src) { // as the lexer does: by a byte, or past the expression
			want, got := 0, 0
			if x.src[x.at] == '/' {
				want, got = plain(src.String()[x.at:]), x.regexLength()
			}
			if got != want {
				t.Fatalf("%q at %d: %d, want %d", src.String(), x.at, got, want)
			}
			x.at += max(got, 1)
		}
	}
}

// TestNestedTooMany: a surplus closing bracket is ignored, and a closing bracket ends unclosed ones
// within it.
func TestNestedTooMany(t *testing.T) {
	t.Parallel()
	n := MatchBrackets(Lex(Go, []byte("( [ } ( ) { ) ] (")))
	if got := fmt.Sprint(n.Close, n.Open, n.Depth); got != "[6 -1 -1 4 -1 -1 -1 -1 -1] [-1 0 1 1 1 1 -1 -1 -1] [0 1 2 2 2 2 0 0 0]" {
		t.Error(got)
	}
}
