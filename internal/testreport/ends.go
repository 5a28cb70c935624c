package testreport

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Limits of a message. Only a bounded part of a stream is in memory at a time.
const (
	messageLines = 40  // lines
	lineBytes    = 500 // bytes of a line
)

// LastLines returns the last lines of s as plain text, each truncated to a readable length.
func LastLines(s string) string {
	lines := splitLines(s)
	return joinLines(lines[max(0, len(lines)-messageLines):])
}

// firstAndLast returns the first and last lines of s as plain text: a traceback has the error at
// one end and the place at the other.
func firstAndLast(s string) string {
	lines := splitLines(s)
	if len(lines) > messageLines {
		const head = 14
		cut := append([]string{}, lines[:head]...)
		cut = append(cut, fmt.Sprintf("… (%d lines left out)", len(lines)-messageLines+1))
		lines = append(cut, lines[len(lines)-(messageLines-head-1):]...)
	}
	return joinLines(lines)
}

func splitLines(s string) []string {
	s = strings.Trim(PlainText(s), "\n")
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func joinLines(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		l = strings.TrimRight(l, " \t")
		if len(l) > lineBytes {
			l = Clip(l, lineBytes)
		}
		b.WriteString(l)
	}
	return b.String()
}

// mangledColour is a terminal colour without its escape character, which XML does not allow: as
// UTF8Reader replaces it, or as pytest writes it.
var mangledColour = lazyregexp.New(`(\x{fffd}|#x1B)\[[0-9;]*m`)

// PlainText makes program output readable: valid UTF-8, line ends as \n, without terminal
// sequences. Whoever prints it must still make other characters safe.
func PlainText(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.Contains(s, "[") {
		s = mangledColour.ReplaceAllString(s, "")
	}
	if !strings.ContainsAny(s, "\x1b\r\x00") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\r':
			b.WriteByte('\n') // a progress bar that overwrites itself
		case 0:
		case 0x1b:
			i += escapeLength(s[i:]) - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// escapeLength returns the length of the terminal sequence at the start of s, at least 1.
func escapeLength(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: parameters, then one letter
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 {
				return i
			}
		}
		return len(s)
	case ']': // OSC: up to BEL or ESC \
		for i := 2; i < len(s) && s[i] != '\n'; i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return 2
	}
	return 1
}

// Clip truncates s to most bytes, after a word, and marks that.
func Clip(s string, most int) string { return strings.ToValidUTF8(belay.Clip(s, most), "") }
