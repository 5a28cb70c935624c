package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
)

// Limits of a quoted text. A model reads the start of a diff best, and a long diff would leave no
// space for the reasons.
const (
	MaxLines     = 200
	MaxBytes     = 16 << 10
	maxPastLines = 60 // of a quote about an earlier attempt
	maxPastBytes = 4 << 10
)

// Block quotes a text of unknown origin as a Markdown code block: invisible characters are escaped,
// it is cut to MaxLines and MaxBytes, and the fence is longer than any run of backticks in it. A
// line below the block says how much was cut. An empty text gives "".
func Block(kind, text string) string {
	return BlockWithin(kind, text, MaxLines, MaxBytes)
}

// PastBlock is Block with smaller limits, for earlier attempts: there can be many.
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

// ClosingFence returns the fence that closes a code block that a person's text leaves open
// (CommonMark, 4.5 Fenced code blocks); "" if none is open. Without it the following quotes would
// be inverted: belay's text quoted, the quoted text as instructions.
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

// MaskVisible returns a text that no person wrote with secrets masked and invisible characters
// escaped.
func MaskVisible(text string) string { return VisibleText(secret.Mask(text)) }

// VisibleText is belay.Visible for texts that may have CR LF line ends: it removes the CR.
func VisibleText(text string) string {
	return belay.Visible(strings.ReplaceAll(text, "\r\n", "\n"))
}

// Cut returns the first lines of a text, and a description of what was left out; "" for nothing. It
// cuts after a line, or after a word of the first line if that alone is too long.
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
			end = at // not inside a word
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

// Code returns any string as a Markdown code span on one line. Blanks separate backticks at the
// ends of s from those of the span.
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
