package secret

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Findings state positions and kinds, and never contain a secret's text.

// InlineMark on a line states that a person has reviewed it.
const InlineMark = "belay:allow-secret"

// Match is one secret in a text.
type Match struct {
	Rule    string // aws-access-key
	Title   string // AWS access key
	Line    int    // counted from 1
	Column  int    // of the secret's first byte, counted from 1
	EndLine int
	Start   int // the secret is text[Start:End]
	End     int
	// Sure means a format that only secrets have; otherwise the match is a guess by name and
	// entropy.
	Sure bool
	// Example means a key from its maker's documentation.
	Example bool
	// Marked means that InlineMark is on the line, or in a comment on the line before.
	Marked bool
	// Fingerprint identifies the finding at any position: 16 hex digits. Those of a sure match are
	// computed from the secret, which is too long to be guessed; those of a guess, which may be
	// short, from its line before the value.
	Fingerprint string
}

// Find returns the secrets of text by position, without overlaps. Placeholders (changeme, ${VAR},
// xxxx, <token>) are none.
func Find(text string) []Match {
	var found []Match
	for _, r := range rules {
		found = r.find(text, found)
	}
	found = assigned(text, found)
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), -cmp.Compare(rank(a), rank(b)), -cmp.Compare(a.End, b.End),
			cmp.Compare(a.Rule, b.Rule))
	})
	out := found[:0]
	for _, m := range found {
		if n := len(out); n > 0 && m.Start < out[n-1].End {
			if rank(m) > rank(out[n-1]) && !m.Example {
				m.Start, m.End = out[n-1].Start, max(m.End, out[n-1].End)
				out[n-1] = m
			}
			continue
		}
		out = append(out, m)
	}
	place(text, out)
	return out
}

// rank prefers sure matches.
func rank(m Match) int {
	if m.Sure {
		return 1
	}
	return 0
}

// place sets lines, marks and fingerprints.
func place(text string, found []Match) {
	line, start, at := 1, 0, 0
	for i := range found {
		m := &found[i]
		for at < m.Start {
			n := strings.IndexByte(text[at:m.Start], '\n')
			if n < 0 {
				break
			}
			line, at = line+1, at+n+1
			start = at
		}
		m.Line, m.Column = line, m.Start-start+1
		m.EndLine = line + strings.Count(text[m.Start:m.End], "\n")
		end := m.End + lineEnd(text[m.End:])
		m.Marked = strings.Contains(text[above(text, start):end], InlineMark)
		m.Fingerprint = fingerprint(*m, text[m.Start:m.End], text[start:m.Start])
	}
}

// above returns the start of the line before the one at start if that is only a comment; a mark at
// the end of a line of code is about that line.
func above(text string, start int) int {
	if start == 0 {
		return 0
	}
	from := strings.LastIndexByte(text[:start-1], '\n') + 1
	line := strings.TrimSpace(text[from:start])
	for _, c := range []string{"#", "//", "/*", "--", "<!--", ";", "*"} {
		if strings.HasPrefix(line, c) {
			return from
		}
	}
	return start
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

func fingerprint(m Match, secret, before string) string {
	what := secret
	if !m.Sure {
		what = strings.TrimSpace(before)
	}
	sum := sha256.Sum256([]byte(m.Rule + "\x00" + what))
	return hex.EncodeToString(sum[:8])
}

// Mask returns text with every secret replaced by [masked RULE]; documented examples and the number
// of lines are unchanged. Find returns only examples for the result.
func Mask(text string) string { return MaskBut(text, nil) }

// MaskBut is Mask, except for the matches that keep accepts; nil accepts none.
func MaskBut(text string, keep func(Match) bool) string {
	for range 8 { // a mask can change how the text around it is read
		masked := maskBehind(text, 0, keep)
		if masked == text {
			return text
		}
		text = masked
	}
	return text
}
