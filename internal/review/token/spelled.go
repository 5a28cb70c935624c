package token

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/review/spot"
)

// quoted reads a tracked path with spaces in quotation marks.
func (s *scanner) quoted(rest string, size int) bool {
	end := strings.IndexAny(rest[size:min(len(rest), 200)], "\"”»」\n")
	if end <= 0 {
		return false
	}
	inner := rest[size : size+end]
	if !strings.Contains(inner, " ") {
		return false
	}
	if p, ok := s.rd.X.Tracked(inner); ok {
		_, w := utf8.DecodeRuneInString(rest[size+end:])
		s.put(Token{Kind: 'm', Text: inner, M: &spot.Mention{Spelled: inner, Cands: []string{p}}}, size+end+w)
		return true
	}
	return false
}

// spaced reads a tracked path with spaces, with the lines attached to it.
func (s *scanner) spaced(rest string) bool {
	if s.at > 0 && (rest[0] == ' ' || letterBefore(s.text[:s.at])) {
		return false
	}
	p := s.rd.X.Spaced(rest)
	if p == "" {
		return false
	}
	size := len(p)
	m := &spot.Mention{Spelled: p, Cands: s.rd.X.Find(p)}
	if more := suffixLen(rest[size:]); more > 0 {
		if spans, n := spot.LineList(strings.TrimLeft(rest[size+1:size+more], "L"), 0); n > 0 {
			m.Spans, size = spans, size+more
		}
	}
	s.put(Token{Kind: 'm', Text: p, M: m}, size)
	return true
}

func letterBefore(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '/' || r == '_' || r == '-'
}

// longestName is how many bytes of a text are looked at for one name.
const longestName = 502

const stops = " \t\n\"“”‘’'«»「」『』（）<>|!?。、，；：！？`…→"

// chunk reads an unquoted path with what is attached to it.
func (s *scanner) chunk(rest string) bool {
	n := strings.IndexAny(rest[:min(len(rest), longestName)], stops)
	if n < 0 {
		n = min(len(rest), longestName)
	}
	if n > 1 && n < 500 && strings.HasPrefix(rest[n:], "'") && strings.Contains(rest[:n], "[") {
		n = len(rest[:n])
	}
	if i := strings.Index(rest[:n], "]["); i >= 0 { // "[P2][a.go:4]"
		n = i
	}
	c := rest[:n]
	if c != "" && strings.IndexByte("([{),:;#", c[0]) >= 0 {
		name, _, _ := strings.Cut(strings.TrimRight(c, ".,;:"), ":")
		if _, ok := s.rd.X.Tracked(name); !ok && !(c[0] == '[' && s.rd.X.Named(name)) && !(c[0] == '{' && strings.Contains(c, "}.")) {
			return false
		}
	}
	if !strings.ContainsAny(c, "./:*{\\@#(") && !s.bare(c) || n > 500 {
		return false
	}
	for _, cut := range cuts(c) {
		if m := s.rd.Mention(cut, false); m != nil {
			s.put(Token{Kind: 'm', Text: cut, M: m}, len(cut))
			return true
		}
	}
	if spans, size := spot.LineCode(c); spans != nil {
		s.put(Token{Kind: 'L', Spans: spans}, size)
		return true
	}
	return false
}

// bare tells whether a chunk without any sign of a path may still be one.
func (s *scanner) bare(c string) bool {
	return len(c) > 3 && c[0] >= 'A' && c[0] <= 'Z' || len(c) > 1 && (c[0] == 'L' || c[0] == 'l') && strings.ContainsAny(c, "0123456789") || s.rd.X.Named(c) || len(c) > 5 && len(s.rd.X.Alias(strings.TrimRight(strings.TrimSuffix(c, "'s"), ".,;:"))) > 0
}

// cuts are the readings of a chunk, longest first: less its closing punctuation, up to a
// comma, up to a bracket, up to where another script starts.
func cuts(c string) []string {
	trimmed := strings.TrimRight(c, ".,;:!?)*_~]-–—")
	out := []string{}
	add := func(s string) {
		if s != "" && (len(out) == 0 || out[len(out)-1] != s) {
			out = append(out, s)
		}
	}
	if strings.HasSuffix(c, "**") || strings.HasSuffix(c, "/*") {
		add(c)
	}
	if strings.Count(trimmed, "(") > strings.Count(trimmed, ")") || strings.Count(trimmed, "[") > strings.Count(trimmed, "]") {
		add(strings.TrimRight(c, ".,;:!?*_~"))
	}
	add(trimmed)
	if i := strings.IndexAny(trimmed, ",;("); i > 0 {
		if strings.Contains(trimmed[:i], "{") {
			if j := strings.IndexByte(trimmed, '}'); j > i {
				i = j + 1
				for i < len(trimmed) && strings.IndexByte(",;(", trimmed[i]) < 0 {
					i++
				}
			}
		}
		add(strings.TrimRight(trimmed[:i], ".:"))
	}
	for _, mark := range []string{"—", "–", "=>", "->", "~~"} {
		if i := strings.Index(trimmed, mark); i > 0 {
			add(trimmed[:i])
		}
	}
	if i := strings.IndexFunc(trimmed, Wide); i > 0 {
		add(strings.TrimRight(trimmed[:i], ".,;:(第"))
	} else if i == 0 {
		return out
	}
	return out
}
