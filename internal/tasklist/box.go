package tasklist

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// State is what a box says.
type State string

// The states. Doing is a box of a tool that has such a state; Unclear is a mark that means
// different things to different people, such as [~] or [-].
const (
	NoBox   State = ""
	Open    State = "open"
	Done    State = "done"
	Doing   State = "doing"
	Unclear State = "unclear"
)

// Box is a box to tick. At and End are the bytes of the file between its brackets; for a
// drawn one, such as ☐, those of the sign itself. Odd says in what it differs from
// "- [ ] words" and "- [x] words"; "" when it does not.
type Box struct {
	State   State
	At, End int
	Sign    string // what is there, with its brackets
	Odd     string
	Star    bool // a star follows it: optional, with some tools
}

// drawn reports a box that is one sign.
func (b Box) drawn() bool { return b.Sign != "" && b.Sign[0] >= 0x80 }

// drawn are boxes that are one sign. Small and filled squares are not among them: they
// are bullets with many.
var drawn = map[rune]State{'☐': Open, '□': Open, '▢': Open, '◻': Open, '◽': Open, '❏': Open, '❐': Open, '❑': Open,
	'❒': Open, '🔲': Open, '⬜': Open,
	'☑': Done, '✅': Done, '✔': Done, '✓': Done, '🗹': Done, '☒': Unclear, '🗷': Unclear, '⬛': Unclear, '❌': Unclear}

// Drawn are the signs that are a box by themselves.
var Drawn = func() string {
	var b strings.Builder
	for _, r := range slices.Sorted(maps.Keys(drawn)) {
		b.WriteRune(r)
	}
	return b.String()
}()

// unmistakable are those that are a box without a bullet as well: ✅ begins many a sentence
// that is no task.
const unmistakable = "☐☑☒□▢"

// item reads a line that begins an item of a list, or that begins with a box anyway.
func readItem(l *Line, words string) bool {
	number, mark := bullet(words)
	rest := words[mark:]
	gap := len(rest) - len(strings.TrimLeft(rest, " \t"))
	at := l.first + mark
	if mark > 0 && gap == 0 && rest != "" && !(number == "" && beginsWithBox(rest)) {
		return false
	}
	b, n := box(rest[gap:], at+gap)
	if mark == 0 && (b.State == NoBox || b.Sign[0] != '[' && !strings.ContainsAny(b.Sign, unmistakable)) {
		return false
	}
	l.Kind, l.Number, l.Box = Item, number, b
	l.Words = strings.TrimSpace(rest[gap+n:])
	l.Content = columns(words[:mark+min(gap, 1)], l.Indent)
	if gap > 0 && gap <= 4 {
		l.Content = columns(words[:mark+gap], l.Indent)
	}
	switch {
	case b.State == NoBox || b.Odd != "":
	case mark == 0:
		l.Box.Odd = "no bullet before it"
	case gap == 0:
		l.Box.Odd = "no space between the bullet and it"
	}
	return true
}

// boxed reports whether a text begins with a box.
func beginsWithBox(s string) bool {
	b, _ := box(s, 0)
	return b.State != NoBox
}

// bullet returns the length of the mark that begins an item, and its number if it has one.
func bullet(s string) (number string, n int) {
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "*") || strings.HasPrefix(s, "+") {
		return "", 1
	}
	if strings.HasPrefix(s, "•") {
		return "", len("•")
	}
	for n < min(len(s), 12) && (digit(s[n]) || s[n] == '.' && n > 0) {
		n++
	}
	switch {
	case n == 0:
		return "", 0
	case s[n-1] == '.' && strings.Trim(s[:n-1], "0123456789.") == "":
		return strings.Trim(s[:n], "."), n
	case n < len(s) && s[n] == ')':
		return s[:n], n + 1
	}
	return "", 0
}

// box reads the box that s, which begins at the byte at, begins with, and how long it is.
// What is in brackets but a word of its own, such as [P] or a link, is none.
func box(s string, at int) (Box, int) {
	if r, n := utf8.DecodeRuneInString(s); r >= 0x80 && drawn[r] != NoBox {
		if strings.HasPrefix(s[n:], "️") {
			n += len("️")
		}
		return Box{State: drawn[r], At: at, End: at + n, Sign: s[:n], Odd: "it is drawn"}, n
	}
	closing := byte(']')
	if strings.HasPrefix(s, "(") {
		closing = ')'
	} else if !strings.HasPrefix(s, "[") {
		return Box{}, 0
	}
	end := strings.IndexByte(s[:min(len(s), 12)], closing)
	if end < 0 {
		return Box{}, 0
	}
	state := inside(s[1:end], s[0] == '(')
	rest := s[end+1:]
	if state == NoBox || s[0] == '[' && strings.HasPrefix(rest, "(") {
		return Box{}, 0
	}
	b := Box{State: state, At: at + 1, End: at + end, Sign: strings.ToValidUTF8(s[:end+1], "�")}
	n := end + 1
	if star := starOf(rest); star > 0 {
		b.Star, n, rest = true, n+star, rest[star:]
	}
	switch {
	case b.Sign != "[ ]" && b.Sign != "[x]" && b.Sign != "[X]":
		b.Odd = "it is not a plain box"
	case rest != "" && rest[0] != ' ' && rest[0] != '	':
		b.Odd = "no space after it"
	}
	return b, n
}

// starOf is how long the star is that s begins with as a word of its own, 0 without one. Formatters escape it.
func starOf(s string) int {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(s, `\`), "*")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return len(s) - len(rest)
}

// inside says what is in a box. Round ones hold a blank or an x only.
func inside(s string, round bool) State {
	blank := strings.TrimSpace(s)
	switch blank {
	case "":
		if round && s == "" || len(s) > 4 {
			return NoBox
		}
		return Open
	case "x", "X":
		return Done
	case "✓", "✔", "✅", "☑", "√":
		return Done
	}
	r, n := utf8.DecodeRuneInString(blank)
	written := unicode.IsLetter(r) || unicode.IsDigit(r) || r == utf8.RuneError || r == '^' || r == '['
	if round || n != len(blank) || written {
		return NoBox
	}
	return Unclear
}
