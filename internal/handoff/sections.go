package handoff

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	atx       = lazyregexp.New(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	setext    = lazyregexp.New(`^ {0,3}(=+|-+)[ \t]*$`)
	fenceLine = lazyregexp.New("^ {0,3}(`{3,}|~{3,})(.*)$")
)

// heading is the start of a section: its first line, and the first line after its title.
type heading struct {
	level, start, after int // line numbers from 0
	title               string
}

// sectionsOf splits lines at their headings. Lines in a fence, an HTML comment or front matter are
// not headings.
func sectionsOf(all []string) []Section {
	heads := headings(all)
	var out []Section
	first := len(all)
	if len(heads) > 0 {
		first = heads[0].start
	}
	if strings.TrimSpace(strings.Join(all[:first], "")) != "" {
		out = append(out, makeSection(all, heading{}, first, first))
	}
	used := map[string]int{}
	for i, h := range heads {
		own, end := len(all), len(all)
		if i+1 < len(heads) {
			own = heads[i+1].start
		}
		for _, next := range heads[i+1:] {
			if next.level <= h.level {
				end = next.start
				break
			}
		}
		s := makeSection(all, h, own, end)
		s.Slug = uniqueSlug(slug(h.title), used)
		out = append(out, s)
	}
	return out
}

// makeSection returns the section from h to before the lines own and end.
func makeSection(all []string, h heading, own, end int) Section {
	body, ownEnd := span(all, h.start, own)
	text, last := span(all, h.start, end)
	return Section{Title: h.title, Start: h.start + 1, Own: ownEnd, End: last, Text: text, Body: body}
}

// span joins lines without blank ones at their end; last counts from 1. Blank lines between two
// sections belong to neither, so that a section keeps its hash when it moves to the end of its
// file.
func span(all []string, start, end int) (text string, last int) {
	for end > start+1 && strings.TrimSpace(all[end-1]) == "" {
		end--
	}
	return strings.Join(all[start:end], "\n") + "\n", end
}

// uniqueSlug numbers repeated slugs, as forges do.
func uniqueSlug(s string, used map[string]int) string {
	out := s
	for _, taken := used[out]; taken; _, taken = used[out] {
		used[s]++
		out = s + "-" + strconv.Itoa(used[s])
	}
	used[out] = 0
	return out
}

// fence is the open fence of a text: its mark, "" for none, and the text behind that.
type fence struct{ mark, info string }

// next reads a line and reports whether it is in a fence, or begins or ends one.
func (f *fence) next(line string) bool {
	m := fenceLine.FindStringSubmatch(line)
	switch {
	case f.mark == "":
		if m == nil || m[1][0] == '`' && strings.Contains(m[2], "`") {
			return false
		}
		f.mark, f.info = m[1], m[2]
	case m != nil && m[1][0] == f.mark[0] && len(m[1]) >= len(f.mark) && strings.TrimSpace(m[2]) == "":
		f.mark = ""
	}
	return true
}

func headings(all []string) []heading {
	var out []heading
	var fence fence
	comment := false
	for i := frontMatterEnd(all); i < len(all); i++ {
		line := all[i]
		switch {
		case comment:
			comment = !strings.Contains(line, "-->")
			continue
		case fence.next(line):
			continue
		}
		if at := strings.Index(line, "<!--"); at >= 0 {
			comment = !strings.Contains(line[at:], "-->")
		}
		if m := atx.FindStringSubmatch(line); m != nil {
			out = append(out, heading{level: len(m[1]), title: stripMarkdown(m[2]), start: i, after: i + 1})
		} else if m := setext.FindStringSubmatch(line); m != nil && isUnderline(all, i, out) {
			level := 1
			if m[1][0] == '-' {
				level = 2
			}
			out = append(out, heading{level: level, title: stripMarkdown(all[i-1]), start: i - 1, after: i + 1})
		}
	}
	return out
}

// isUnderline reports whether line i, of dashes or equals signs, underlines a single line of text,
// which is then a heading.
func isUnderline(all []string, i int, before []heading) bool {
	if i == 0 || len(before) > 0 && before[len(before)-1].after > i-1 {
		return false
	}
	above := all[i-1]
	word := strings.TrimSpace(above)
	if word == "" || strings.HasPrefix(above, "    ") || strings.HasPrefix(above, "\t") || setext.MatchString(above) {
		return false
	}
	if strings.HasPrefix(word, ">") || strings.HasPrefix(word, "|") || listMarker.MatchString(above) {
		return false
	}
	return i == 1 || strings.TrimSpace(all[i-2]) == "" || atx.MatchString(all[i-2])
}

// frontMatterEnd returns the first line after front matter, 0 without it.
func frontMatterEnd(all []string) int {
	if len(all) == 0 || strings.TrimRight(all[0], " \t") != "---" {
		return 0
	}
	for i := 1; i < len(all); i++ {
		if t := strings.TrimRight(all[i], " \t"); t == "---" || t == "..." {
			return i + 1
		}
	}
	return 0
}

// slug returns the anchor of a title: letters and digits in lower case, spaces as dashes.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte('-')
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}
