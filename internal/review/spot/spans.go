package spot

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Span is a range of lines; End 0 runs on to the end.
type Span struct{ Start, End int }

const Most = 10_000_000 // a line beyond this is no line

// LineCode reads L12, L10-L20, l.12, L7C3-L9C1 at the start of a text.
func LineCode(c string) ([]Span, int) {
	if len(c) < 2 || c[0] != 'L' && c[0] != 'l' {
		return nil, 0
	}
	i := 1
	for i < len(c) && i < 3 && (c[i] == 'l' || c[i] == 'n' || c[i] == '.') {
		i++
	}
	if i >= len(c) || c[i] < '0' || c[i] > '9' {
		return nil, 0
	}
	return LineList(c[i:], i)
}

// LineList reads numbers: 12, 12:5, 12-20, 12–L20, 12,18, 12C3, 30+. size is what of the
// text was read, shifted by off.
func LineList(c string, off int) (spans []Span, size int) {
	r := numerals{text: c}
	for {
		s, ok := r.span()
		if !ok {
			return spans, size
		}
		spans, size = append(spans, s), r.at+off
		if !r.another() {
			return spans, size
		}
	}
}

// numerals reads a list of lines from left to right; at is how far it has come.
type numerals struct {
	text string
	at   int
}

// span reads a line or a range of them.
func (r *numerals) span() (Span, bool) {
	n := r.line()
	if n <= 0 || n > Most {
		return Span{}, false
	}
	s := Span{n, n}
	r.column(":")
	if m := r.end(n); m > 0 {
		s.End = m
	}
	if rest := r.text[r.at:]; strings.HasPrefix(rest, "+") && (len(rest) < 2 || !digit(rest[1])) {
		s.End = 0
		r.at++
	} else if strings.HasPrefix(rest, "ff") {
		s.End = 0
		r.at += 2
	}
	return s, true
}

// end reads the last line of a range that begins at line n; when none comes that could be,
// it reads nothing and gives 0.
func (r *numerals) end(n int) int {
	from := r.at
	dash := Dash(r.text[r.at:])
	if dash == 0 {
		return 0
	}
	r.at += dash
	r.skip("Ll")
	m := r.line()
	if m < n || m > Most {
		r.at = from
		return 0
	}
	r.column(":")
	return m
}

// another tells whether the list goes on, and comes to its next number.
func (r *numerals) another() bool {
	if r.at+1 >= len(r.text) || !r.skip(",/") {
		return false
	}
	r.skip("L:l")
	return true
}

// line reads a number of at most eight digits, and the column behind it; -1 is none.
func (r *numerals) line() int {
	n, from := 0, r.at
	for r.at < len(r.text) && digit(r.text[r.at]) && r.at-from < 8 {
		n = n*10 + int(r.text[r.at]-'0')
		r.at++
	}
	if from == r.at {
		return -1
	}
	r.column("Cc")
	return n
}

// column reads over one of these signs with digits behind it: ":5", "C3".
func (r *numerals) column(signs string) {
	from := r.at
	if !r.skip(signs) {
		return
	}
	digits := r.at
	for r.at < len(r.text) && digit(r.text[r.at]) {
		r.at++
	}
	if r.at == digits {
		r.at = from
	}
}

// skip reads over one of these signs.
func (r *numerals) skip(signs string) bool {
	if r.at >= len(r.text) || strings.IndexByte(signs, r.text[r.at]) < 0 {
		return false
	}
	r.at++
	return true
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

func Dash(c string) int {
	for _, d := range []string{"-", "–", "—", "〜", "～", "~", "..", "‑"} {
		if strings.HasPrefix(c, d) {
			return len(d)
		}
	}
	return 0
}

var suffix = lazyregexp.New(`^(.*?[^:#@(\s])(?:(?:[:#@]|::)(?:lines?-|[Ll]n?|n)?|\((?:[Ll]|line )?|#[Ll]ines-|:[Ll]ine )(\d.*)$`)

// attached cuts "a.go:12-14" into the path and its lines.
func attached(c string) (string, []Span) {
	if !strings.ContainsAny(c, "0123456789") || !strings.ContainsAny(c, ":#(@") {
		return c, nil
	}
	m := suffix.FindStringSubmatch(c)
	if m == nil {
		return c, nil
	}
	var spans []Span
	rest := strings.TrimRight(m[2], ":.")
	if strings.HasSuffix(m[1], "]") && !strings.Contains(m[1], "[") {
		return c, nil
	}
	spans, n := LineList(rest, 0)
	if strings.Contains(c[len(m[1]):], "(") {
		rest = strings.TrimSuffix(rest, ")")
		if len(spans) == 2 && spans[1].Start == spans[1].End && strings.Count(rest, ",") == 1 { // a compiler's (line,column)
			spans = spans[:1]
		}
	}
	if n < len(rest) {
		return c, nil
	}
	return m[1], spans
}
