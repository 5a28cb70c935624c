package prose

import (
	"strings"
	"unicode/utf8"
)

// fenceOf is the fence a line opens or closes a block with, or "".
func fenceOf(body string) string {
	for _, c := range []string{"`", "~"} {
		n := len(body) - len(strings.TrimLeft(body, c))
		if n >= 3 && !strings.Contains(body[n:], "`") {
			return body[:n]
		}
	}
	return ""
}

// headingOf reads "## title" and Jira's "h2. title".
func headingOf(body string) (int, string) {
	n := len(body) - len(strings.TrimLeft(body, "#"))
	if n >= 1 && n <= 6 && len(body) > n && body[n] == ' ' {
		return n, strings.TrimSpace(strings.TrimRight(body[n:], "# "))
	}
	if len(body) > 4 && body[0] == 'h' && body[1] >= '1' && body[1] <= '6' && body[2] == '.' && body[3] == ' ' {
		return int(body[1] - '0'), body[4:]
	}
	if title := strings.Trim(body, "="); strings.HasPrefix(body, "==") && strings.HasSuffix(body, "==") && len(title) > 2 {
		return 2, strings.TrimSpace(title)
	}
	return 0, ""
}

// underline is the level of a heading whose next line is ===== or -----.
func underline(body, next string) int {
	next = strings.TrimSpace(next)
	if len(next) < 3 || strings.HasPrefix(body, "|") || markerOf(body) > 0 || len(body) > 100 {
		return 0
	}
	for i, c := range []string{"=", "-"} {
		if strings.Trim(next, c) == "" {
			return i + 1
		}
	}
	return 0
}

// labelOf reads a line that is a label by its look: all bold, or with a bullet of East
// Asian mail.
func labelOf(body string) (int, string) {
	for _, mark := range []string{"■", "□", "◆", "◇", "●", "▼", "▶", "【"} {
		if strings.HasPrefix(body, mark) && (mark != "【" || strings.HasSuffix(body, "】")) {
			return 7, strings.TrimSpace(strings.NewReplacer("【", "", "】", " ").Replace(strings.TrimPrefix(body, mark)))
		}
	}
	for _, mark := range []string{"**", "__"} {
		if at := strings.Index(body, mark+" ("); at > 2 && strings.HasSuffix(body, ")") && strings.HasPrefix(body, mark) && !strings.Contains(body[at+4:], mark) { // "**Style** (all optional)"
			return 7, strings.ReplaceAll(body, mark, "")
		}
		inner := strings.TrimSuffix(strings.TrimSuffix(body, ":"), mark)
		if len(inner) > 4 && strings.HasPrefix(body, mark) && inner != strings.TrimSuffix(body, ":") && !strings.Contains(inner[2:], mark) && len(inner) > 2 {
			return 7, inner[2:]
		}
	}
	return 0, ""
}

// markerOf is the length of the marker that starts a list item, or 0.
func markerOf(body string) int {
	r, size := utf8.DecodeRuneInString(body)
	switch r {
	case '-', '*', '+', '–':
		if len(body) > size && body[size] == ' ' {
			return size + 1
		}
		return 0
	case '•', '・', '◦', '‣', '▪', '○':
		return size
	case '(':
		if n := digits(body[1:]); n > 0 && len(body) > n+1 && body[n+1] == ')' {
			return n + 2
		}
		if len(body) > 3 && body[1] >= 'a' && body[1] <= 'h' && body[2] == ')' && body[3] == ' ' {
			return 4
		}
		return 0
	}
	if strings.HasPrefix(body, "[") {
		if n := digits(body[1:]); n > 0 && n <= 2 && len(body) > n+3 && body[n+1] == ']' && body[n+2] == ' ' && body[n+3] != 'h' { // "[1] http…" is a note
			return n + 3
		}
		return 0
	}
	if n := digits(body); n > 0 && n <= 3 && len(body) > n+1 && (body[n] == '.' || body[n] == ')') && body[n+1] == ' ' {
		return n + 2
	}
	if len(body) > 3 && body[0] >= 'a' && body[0] <= 'f' && body[1] == ')' && body[2] == ' ' {
		return 3
	}
	if len(body) > size && size > 1 && r >= '①' && r <= '⑳' {
		return size
	}
	return 0
}

// ticked tells a line that begins with the sign of a check that passed or did not.
func ticked(body string) bool {
	r, size := utf8.DecodeRuneInString(body)
	return strings.ContainsRune("✓✔✗✘❌✖☒✕", r) && len(body) > size && (body[size] == ' ' || strings.HasPrefix(body[size:], "\ufe0f"))
}

// numbersLine tells the start of a remark on a line: "Line 31: …", "L12 …".
func numbersLine(body string) bool {
	word := strings.TrimRight(strings.ToLower(body[:len(body)-len(strings.TrimLeft(body, "LlineszZaígeríhu"))]), ".")
	rest := strings.TrimLeft(body[len(word):], ". ")
	switch word {
	case "l", "ln", "line", "lines", "zeile", "zeilen", "línea", "líneas", "ligne", "lignes", "linha", "linhas":
		return digits(rest) > 0
	}
	return false
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func numberOf(body string) int {
	if r, _ := utf8.DecodeRuneInString(body); r >= '①' && r <= '⑳' {
		return int(r-'①') + 1
	}
	body = strings.TrimLeft(body, "([")
	n := 0
	for _, c := range body[:min(digits(body), 4)] {
		n = n*10 + int(c-'0')
	}
	return n
}

var boxes = []struct {
	mark string
	box  Box
}{{"☐", Open}, {"☑", Done}, {"✅", Done}, {"✔", Done}}

func boxOf(text string) (Box, string) {
	if len(text) > 3 && text[0] == '[' && text[2] == ']' && text[3] == ' ' {
		switch text[1] {
		case ' ':
			return Open, strings.TrimSpace(text[3:])
		case 'x', 'X', 'v':
			return Done, strings.TrimSpace(text[3:])
		}
	}
	for _, m := range boxes {
		if rest, ok := strings.CutPrefix(text, m.mark); ok {
			return m.box, strings.TrimSpace(strings.TrimPrefix(rest, "\ufe0f"))
		}
	}
	return NoBox, text
}

// unstrike blanks ~~struck~~ text and tells whether nothing else was there.
func unstrike(text string) (string, bool) {
	struck := false
	for _, m := range [][2]string{{"~~", "~~"}, {"<del>", "</del>"}, {"<s>", "</s>"}} {
		if strings.Contains(text, m[0]) {
			var any bool
			text, any = without(text, m[0], m[1], func(string) string { return " " })
			struck = struck || any
		}
	}
	rest := strings.Trim(text, " .:*-_✅✔")
	return text, struck && (rest == "" || rest[0] == '(' && rest[len(rest)-1] == ')')
}

// without replaces what stands between two marks, and the marks.
func without(text, from, to string, by func(string) string) (string, bool) {
	var out strings.Builder
	any := false
	for {
		i := strings.Index(text, from)
		if i < 0 {
			break
		}
		j := strings.Index(text[i+len(from):], to)
		if j < 0 {
			break
		}
		end := i + len(from) + j + len(to)
		out.WriteString(text[:i])
		out.WriteString(by(text[i:end]))
		text, any = text[end:], true
	}
	out.WriteString(text)
	return out.String(), any
}

var tags = strings.NewReplacer("<details>", "", "</details>", "", "<details open>", "", "<summary>", "#### ", "</summary>", "",
	"<br>", " ", "<br/>", " ", "<b>", "**", "</b>", "**", "<code>", "`", "</code>", "`", "<p>", "", "</p>", "")

// blank takes out comments and tags that only fold text away, keeping the lines.
func blank(text string) string {
	text, _ = without(text, "<!--", "-->", func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	if strings.Contains(text, "<") {
		text = tags.Replace(text)
	}
	return text
}
