package tasklist

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// State is the state of a box.
type State string

// The states. Doing exists in the dialects that mark a started task; Unclear is a mark with
// different meanings for different people, such as [~] or [-].
const (
	NoBox   State = ""
	Open    State = "open"
	Done    State = "done"
	Doing   State = "doing"
	Unclear State = "unclear"
)

// Box is a checkbox. Start and End are the byte offsets of what is between its brackets, or of the
// character itself for a drawn box such as ☐. Problem says in what it differs from "- [ ] text"
// and "- [x] text"; "" for a plain box.
type Box struct {
	State      State
	Start, End int
	Sign       string // the box as written, with its brackets
	Problem    string
	Star       bool // a star follows; some tools mark optional tasks so
}

// isDrawn reports whether the box is a single character.
func (b Box) isDrawn() bool { return b.Sign != "" && b.Sign[0] >= 0x80 }

// drawnBoxes are the characters that are boxes. Small and filled squares are missing: many people
// use them as bullets.
var drawnBoxes = map[rune]State{'☐': Open, '□': Open, '▢': Open, '◻': Open, '◽': Open, '❏': Open, '❐': Open, '❑': Open,
	'❒': Open, '🔲': Open, '⬜': Open,
	'☑': Done, '✅': Done, '✔': Done, '✓': Done, '🗹': Done, '☒': Unclear, '🗷': Unclear, '⬛': Unclear, '❌': Unclear}

// DrawnBoxes is a string of the characters in drawnBoxes.
var DrawnBoxes = func() string {
	var b strings.Builder
	for _, r := range slices.Sorted(maps.Keys(drawnBoxes)) {
		b.WriteRune(r)
	}
	return b.String()
}()

// unmistakable are the drawn boxes that need no bullet. Others, like ✅, often begin a sentence
// that is not a task.
const unmistakable = "☐☑☒□▢"

// readItem reads a line that begins a list item, or that begins with a box without a bullet.
func readItem(l *Line, words string) bool {
	number, mark := readBullet(words)
	rest := words[mark:]
	gap := len(rest) - len(strings.TrimLeft(rest, " \t"))
	at := l.textStart + mark
	if mark > 0 && gap == 0 && rest != "" && !(number == "" && beginsWithBox(rest)) {
		return false
	}
	b, n := readBox(rest[gap:], at+gap)
	if mark == 0 && (b.State == NoBox || b.Sign[0] != '[' && !strings.ContainsAny(b.Sign, unmistakable)) {
		return false
	}
	l.Kind, l.Number, l.Box = Item, number, b
	l.Text = strings.TrimSpace(rest[gap+n:])
	l.Content = columnAfter(words[:mark+min(gap, 1)], l.Indent)
	if gap > 0 && gap <= 4 {
		l.Content = columnAfter(words[:mark+gap], l.Indent)
	}
	switch {
	case b.State == NoBox || b.Problem != "":
	case mark == 0:
		l.Box.Problem = "no bullet before it"
	case gap == 0:
		l.Box.Problem = "no space between the bullet and it"
	}
	return true
}

// beginsWithBox reports whether a text begins with a box.
func beginsWithBox(s string) bool {
	b, _ := readBox(s, 0)
	return b.State != NoBox
}

// readBullet returns the length of the bullet or number that begins an item, and the number.
func readBullet(s string) (number string, n int) {
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "*") || strings.HasPrefix(s, "+") {
		return "", 1
	}
	if strings.HasPrefix(s, "•") {
		return "", len("•")
	}
	for n < min(len(s), 12) && (isDigit(s[n]) || s[n] == '.' && n > 0) {
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

// readBox reads the box that s begins with, and returns its length. at is the offset of s in the
// file. Brackets around a word, such as [P] or a link, are not a box.
func readBox(s string, at int) (Box, int) {
	if r, n := utf8.DecodeRuneInString(s); r >= 0x80 && drawnBoxes[r] != NoBox {
		if strings.HasPrefix(s[n:], "️") {
			n += len("️")
		}
		return Box{State: drawnBoxes[r], Start: at, End: at + n, Sign: s[:n], Problem: "it is drawn"}, n
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
	state := boxState(s[1:end], s[0] == '(')
	rest := s[end+1:]
	if state == NoBox || s[0] == '[' && strings.HasPrefix(rest, "(") {
		return Box{}, 0
	}
	b := Box{State: state, Start: at + 1, End: at + end, Sign: strings.ToValidUTF8(s[:end+1], "�")}
	n := end + 1
	if star := starLength(rest); star > 0 {
		b.Star, n, rest = true, n+star, rest[star:]
	}
	switch {
	case b.Sign != "[ ]" && b.Sign != "[x]" && b.Sign != "[X]":
		b.Problem = "it is not a plain box"
	case rest != "" && rest[0] != ' ' && rest[0] != '	':
		b.Problem = "no space after it"
	}
	return b, n
}

// starLength returns the length of a star that s begins with and that a blank or the end follows; 0
// for none. The star may have a backslash, which formatters add.
func starLength(s string) int {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(s, `\`), "*")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return len(s) - len(rest)
}

// boxState returns the state for the text between brackets. Between round ones only a blank or an x
// counts.
func boxState(s string, round bool) State {
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
