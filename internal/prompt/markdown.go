package prompt

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
)

// Forges read more in Markdown than CommonMark does: mentions that notify people, references that
// close issues, commands in the names of labels. They search the rendered text, where a backslash
// is already removed, so a comment separates the sign from the next word.
const separator = "<!-- -->"

// Inline returns a text of unknown origin on one line of Markdown, also for a table: secrets are
// masked, invisible characters escaped, and nothing is markup, a link, a mention or a reference.
func Inline(text string) string {
	text = belay.VisibleLine(secret.Mask(strings.TrimSpace(text)))
	var b strings.Builder
	last := ' '
	for i, r := range text {
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		switch {
		case r == '|' || r == '\\':
			b.WriteString(map[rune]string{'|': "&#124;", '\\': "&#92;"}[r]) // entities: forges differ on backslashes in tables
		case r == '<' || r == '>' || r == '&':
			b.WriteString(html.EscapeString(string(r)))
		case startsReference(last, r, next):
			b.WriteString("\\" + string(r) + separator)
		case strings.ContainsRune("`*_{}[]#~$!", r), r == ':' && next == '/', r == '.' &&
			strings.HasSuffix(strings.ToLower(text[:i]), "www"),
			startsBlock(text, i, r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// startsReference reports whether the sign r makes a mention or a reference of the next word.
func startsReference(last, r, next rune) bool {
	word := unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_'
	return word && (r == '@' || r == '#' || strings.ContainsRune("!$%~^", r) && !unicode.IsLetter(last) && !unicode.IsDigit(last))
}

// startsBlock reports whether a character at the start of a line makes it a list, a heading or
// a rule.
func startsBlock(text string, i int, r rune) bool {
	before := text[:i]
	switch r {
	case '-', '+', '=':
		return strings.Trim(before, " -=") == ""
	case '.', ')':
		return before != "" && strings.Trim(before, "0123456789") == ""
	}
	return false
}

// Path returns a file name with any characters as code in Markdown, also for a table.
func Path(name string) string {
	shown := belay.VisibleLine(name)
	for _, r := range shown {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-/+@,=", r) {
			return "<code>" + Inline(shown) + "</code>"
		}
	}
	if shown != strings.TrimSpace(shown) || shown == "" {
		return "<code>" + Inline(shown) + "</code>"
	}
	return "`" + secret.Mask(shown) + "`"
}

// Sentences returns the complete sentences of a text that fit into most bytes, and whether that is
// all of it.
func Sentences(text string, most int) (kept string, all bool) {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text, true
	}
	end := 0
	for i := 0; i < most; i++ {
		if c := text[i]; (c == '.' || c == '!' || c == '?' || c == '\n') && (text[i+1] == ' ' || text[i+1] == '\n' || c == '\n') {
			end = i + 1
		}
	}
	return strings.TrimSpace(text[:end]), false
}

// sentencesOrWords is Sentences, but cuts after a word where no sentence is complete.
func sentencesOrWords(text string, most int) (kept string, all bool) {
	if kept, all = Sentences(text, most); kept == "" && !all {
		kept, _ = Cut(strings.TrimSpace(text), most, most)
	}
	return kept, all
}

// utf16Length returns the length in UTF-16 units, which forges count.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// part is a section of a Markdown document that can be shortened: items are left out from the end,
// and more names the command that lists them. Parts of the highest rank are shortened first.
type part struct {
	head  string // the heading, and text above the items that stays
	items []string
	more  string // such as "belay diff T1 --name-only"
	rank  int

	kept, size int
}

func (p *part) text() string {
	all := append([]string{strings.TrimRight(p.head, "\n")}, p.items[:p.kept]...)
	text := strings.Join(all, "\n")
	if left := len(p.items) - p.kept; left > 0 {
		text += "\n\n" + Inline(belay.CountOf(left, "more line")+":") + " `" + p.more + "`"
	}
	return text + "\n"
}

// fitParts joins parts within most UTF-16 units: it leaves out items first, then complete parts,
// and then ends with rest. cut is true if anything was left out.
func fitParts(parts []part, most int, rest string) (text string, cut bool) {
	total := 0
	for i := range parts {
		p := &parts[i]
		p.kept = len(p.items)
		p.size = utf16Length(p.text()) + 1
		total += p.size
	}
	for rank := 9; rank > 0 && total > most; rank-- {
		for i := len(parts) - 1; i >= 0 && total > most; i-- {
			if parts[i].rank == rank {
				total -= parts[i].shrink(total - most)
				cut = true
			}
		}
	}
	end := "\n" + rest + "\n"
	if total > most {
		most -= utf16Length(end)
	}
	for rank := 9; rank > 0 && total > most; rank-- {
		for i := len(parts) - 1; i >= 0 && total > most; i-- {
			if parts[i].rank == rank {
				total -= parts[i].size
				parts = append(parts[:i], parts[i+1:]...)
				text = end
			}
		}
	}
	var all []string
	for _, p := range parts {
		all = append(all, p.text())
	}
	return strings.Join(all, "\n") + text, cut
}

// shrink leaves out items until the part is shorter by at least by, or has none left, and returns
// how much shorter it is.
func (p *part) shrink(by int) int {
	was := p.size
	for p.kept > 0 && was-p.size < by {
		step := 1 + max(0, (by-(was-p.size))/4000) // larger steps for long texts
		p.kept = max(0, p.kept-step)
		p.size = utf16Length(p.text()) + 1
	}
	return was - p.size
}
