package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
)

// The most of a text that a prompt quotes. A model reads the head of a diff best, and
// a prompt that is all diff has no room for the reasons.
const (
	MaxLines     = 200
	MaxBytes     = 16 << 10
	maxPastLines = 60 // of a quote about an attempt before the last one
	maxPastBytes = 4 << 10
)

// Block quotes a text of unknown origin as a Markdown code block: made visible, cut to the
// most that a prompt quotes, in a fence longer than any run of backticks inside. A line below
// the block says what was cut. An empty text gives "".
func Block(kind, text string) string {
	return BlockWithin(kind, text, MaxLines, MaxBytes)
}

// PastBlock is Block with smaller limits, for an earlier attempt: there can be many of them.
func PastBlock(text string) string { return BlockWithin("text", text, maxPastLines, maxPastBytes) }

func BlockWithin(kind, text string, lines, bytes int) string {
	text = strings.TrimRight(MaskVisible(text), "\n")
	if text == "" {
		return ""
	}
	text, left := Cut(text, lines, bytes)
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	block := ticks + kind + "\n" + text + "\n" + ticks
	if left != "" {
		block += "\n(cut: " + left + ")"
	}
	return block
}

// ClosingFence returns the fence that closes a code block left open by a person's text
// (CommonMark, 4.5 Fenced code blocks); "" when none is open. Otherwise the quotes that follow
// would be inverted: belay's as text, the quoted ones as instructions.
func ClosingFence(text string) string {
	open := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		body := strings.TrimLeft(line, " ")
		if len(line)-len(body) > 3 || body == "" || body[0] != '`' && body[0] != '~' {
			continue
		}
		run := body[:len(body)-len(strings.TrimLeft(body, body[:1]))]
		rest := body[len(run):]
		switch {
		case len(run) < 3:
		case open == "" && (run[0] == '~' || !strings.Contains(rest, "`")):
			open = run
		case open != "" && run[0] == open[0] && len(run) >= len(open) && strings.TrimSpace(rest) == "":
			open = ""
		}
	}
	if open == "" || strings.HasSuffix(text, "\n") {
		return open
	}
	return "\n" + open
}

// MaskVisible returns a text that is not a person's with its secrets masked and everything in
// it visible.
func MaskVisible(text string) string { return VisibleText(secret.Mask(text)) }

// VisibleText is belay.Visible for texts that may have lines ending in CR LF: the CR is not
// shown.
func VisibleText(text string) string {
	return belay.Visible(strings.ReplaceAll(text, "\r\n", "\n"))
}

// Cut keeps the first lines of a text and returns what was left out, "" for nothing. It cuts
// at the end of a line, or after a word of the first line if that alone is too long.
func Cut(text string, lines, bytes int) (kept, left string) {
	end, n := 0, 0
	for line := range strings.Lines(text) {
		if n == lines || end+len(line) > bytes {
			break
		}
		end += len(line)
		n++
	}
	if end == len(text) {
		return text, ""
	}
	if n == 0 {
		for end = bytes; end > 0 && !utf8.RuneStart(text[end]); {
			end--
		}
		if at := strings.LastIndexAny(text[:end], " \t"); at > end/2 {
			end = at // never within a word
		}
	}
	kept, rest := strings.TrimSuffix(text[:end], "\n"), text[end:]
	more := strings.Count(strings.TrimSuffix(rest, "\n"), "\n") + 1
	return kept, fmt.Sprintf("%s, %d bytes left out", belay.CountOf(more, "more line"), len(rest))
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		run++
		if s[i] != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// Code returns a Markdown code span on one line, whatever s contains. Blanks at the ends
// separate backticks of s from the span's own.
func Code(s string) string {
	s = belay.VisibleLine(s)
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

func Codes(list []string) string {
	spans := make([]string, len(list))
	for i, s := range list {
		spans[i] = Code(s)
	}
	return strings.Join(spans, ", ")
}
