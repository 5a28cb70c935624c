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
	i := 0
	num := func() int {
		n, from := 0, i
		for i < len(c) && c[i] >= '0' && c[i] <= '9' && i-from < 8 {
			n = n*10 + int(c[i]-'0')
			i++
		}
		if from == i {
			return -1
		}
		if i < len(c) && (c[i] == 'C' || c[i] == 'c') { // a column
			j := i + 1
			for j < len(c) && c[j] >= '0' && c[j] <= '9' {
				j++
			}
			if j > i+1 {
				i = j
			}
		}
		return n
	}
	for {
		n := num()
		if n <= 0 || n > Most {
			return spans, size
		}
		s := Span{n, n}
		size = i + off
		column(c, &i)
		size = i + off
		if j := Dash(c[i:]); j > 0 {
			save := i
			i += j
			if i < len(c) && (c[i] == 'L' || c[i] == 'l') {
				i++
			}
			if m := num(); m >= n && m <= Most {
				s.End = m
				column(c, &i)
				size = i + off
			} else {
				i = save
			}
		}
		if i < len(c) && c[i] == '+' && (i+1 >= len(c) || c[i+1] < '0' || c[i+1] > '9') {
			s.End = 0
			i++
			size = i + off
		} else if strings.HasPrefix(c[i:], "ff") {
			s.End = 0
			i += 2
			size = i + off
		}
		spans = append(spans, s)
		if i+1 >= len(c) || c[i] != ',' && c[i] != '/' {
			return spans, size
		}
		i++
		if c[i] == 'L' || c[i] == ':' || c[i] == 'l' {
			i++
		}
	}
}

// column skips ":5".
func column(c string, i *int) {
	j := *i
	if j < len(c) && c[j] == ':' {
		j++
		from := j
		for j < len(c) && c[j] >= '0' && c[j] <= '9' {
			j++
		}
		if j > from {
			*i = j
		}
	}
}

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
