package handoff

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// MaxRequirement is the maximum length of a cited requirement, in characters.
const MaxRequirement = 140

// Citation identifies a section of a file of rules and quotes its requirement, truncated to
// MaxRequirement. SHA is the first 16 hex digits of the SHA-256 of the section's lines with LF line
// ends.
type Citation struct {
	File            string `json:"file"`
	Section         string `json:"section"` // the slug; "" is the part before the first heading
	Requirement     string `json:"requirement"`
	Lines           string `json:"line_span"` // L42-L89
	SHA             string `json:"content_sha"`
	Rule            string `json:"rule,omitempty"` // the entry of the config that selected it
	WithSubsections bool   `json:"whole,omitempty"`
}

// Cite cites a section with its subsections if whole is set, otherwise only its own text up to the
// next heading.
func Cite(file string, s Section, whole bool) Citation {
	text, end := s.Body, s.Own
	if whole {
		text, end = s.Text, s.End
	}
	words := Requirement(text)
	if lines := Commands(s); words == "" && len(lines) > 0 {
		words = truncateAtWord("run "+strings.Join(lines, "; "), MaxRequirement)
	}
	return Citation{File: file, Section: s.Slug, Requirement: words, Lines: fmt.Sprintf("L%d-L%d", s.Start, end),
		SHA: SHA256Hex([]byte(text))[:16], WithSubsections: whole}
}

// CiteAll cites the sections with these names, each with its subsections. Without names it cites
// every section with text of its own, up to the next heading. missing are the names without a
// section.
func CiteAll(d Document, names []string) (cited []Citation, missing []string) {
	if len(names) == 0 {
		for _, s := range d.Sections {
			if c := Cite(d.Path, s, false); c.Requirement != "" {
				cited = append(cited, c)
			}
		}
		return cited, nil
	}
	for _, n := range names {
		s, ok := d.Find(n)
		if !ok {
			missing = append(missing, n)
			continue
		}
		cited = append(cited, Cite(d.Path, s, true))
	}
	return cited, missing
}

var (
	listMarker = lazyregexp.New(`^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?`)
	demandWord = lazyregexp.New(`(?i)\b(?:must|shall|never|always|required?|requires|do not|don't|may not|cannot|should|` +
		`only|at most|at least|no more than|forbidden|avoid|ensure)\b`)
	sentenceEnd  = lazyregexp.New(`[.!?]["')\]]*\s+`)
	markdownLink = lazyregexp.New(`!?\[([^\]]*)\]\([^)]*\)`)
	markdownMark = lazyregexp.New("(\\*{1,3}|_{2,3}|`+|~~)")
	htmlTag      = lazyregexp.New(`</?[A-Za-z][^>]*>|<!--.*?-->`)
)

// Requirement returns the first sentence of a section that demands something, or else its first
// sentence, without Markdown syntax and with at most MaxRequirement characters. It is "" if the
// section has no text below its heading.
func Requirement(text string) string {
	first := ""
	for _, s := range sentences(text) {
		if first == "" {
			first = s
		}
		if demandWord.MatchString(s) {
			return truncateAtWord(s, MaxRequirement)
		}
	}
	return truncateAtWord(first, MaxRequirement)
}

// sentences returns the sentences of a section's prose and lists, without its heading, tables,
// fences and comments.
func sentences(text string) []string {
	var out []string
	var para []string
	flush := func() {
		joined := stripMarkdown(strings.Join(para, " "))
		para = nil
		for joined != "" {
			at := sentenceEnd.FindStringIndex(joined)
			if at == nil {
				out = append(out, joined)
				return
			}
			out = append(out, strings.TrimSpace(joined[:at[1]]))
			joined = joined[at[1]:]
		}
	}
	for _, line := range proseOf(text) {
		if loc := listMarker.FindStringIndex(line); loc != nil {
			flush()
			line = line[loc[1]:]
		}
		if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), ">")); line == "" {
			flush()
			continue
		}
		para = append(para, line)
	}
	flush()
	return out
}

// proseOf returns the lines of a section, with those that are not prose replaced by empty ones.
func proseOf(text string) []string {
	all := textLines(text)
	skip := map[int]bool{}
	for _, h := range headings(all) {
		for i := h.start; i < h.after; i++ {
			skip[i] = true
		}
	}
	var out []string
	var fence fence
	comment, meta := false, frontMatterEnd(all)
	for i, line := range all {
		t := strings.TrimSpace(line)
		inside := comment
		switch {
		case comment:
			comment = !strings.Contains(line, "-->")
		case fence.next(line):
			inside = true
		case strings.HasPrefix(t, "<!--"):
			comment, inside = !strings.Contains(line, "-->"), true
		}
		if inside || skip[i] || i < meta || strings.HasPrefix(t, "|") || strings.Trim(t, "-=*_ ") == "" {
			out = append(out, "")
			continue
		}
		out = append(out, line)
	}
	return out
}

// stripMarkdown removes Markdown syntax and folds white space.
func stripMarkdown(s string) string {
	s = markdownLink.ReplaceAllString(s, "$1")
	s = htmlTag.ReplaceAllString(s, "")
	s = markdownMark.ReplaceAllString(s, "")
	return strings.Join(strings.Fields(s), " ")
}

// truncateAtWord returns at most most characters of s. It cuts between words unless that loses more
// than a third.
func truncateAtWord(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)[:most-1]
	if at := strings.LastIndexByte(string(r), ' '); at > len(string(r))*2/3 {
		return string(r)[:at] + "…"
	}
	return string(r) + "…"
}
