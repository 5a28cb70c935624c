package comment

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// lines is a range from start to end; end is 0 for all that follows.
type lines struct{ start, end int }

// mention is a tracked path that stands in a text, with the lines beside it.
type mention struct {
	path     string // "" for a file that is not tracked
	from, to int    // in the text, with the lines
	spans    []lines
	apart    bool // the lines stand apart from the path
	command  bool // an argument of a command
	test     bool // the name of a test in it
}

// lineRef is a number of lines that stands apart from any path.
type lineRef struct {
	from, to int
	spans    []lines
}

const mostLines = 10_000_000

// spansOf makes ranges from what an expression matched: a start, an end, a list of more.
func spansOf(start, end, rest string) []lines {
	var out []lines
	add := func(a, b string) {
		from, err := strconv.Atoi(a)
		if err != nil || from < 1 || from > mostLines {
			return
		}
		to, err := strconv.Atoi(b)
		if err != nil || to < from || to > mostLines {
			to = from
		}
		if len(out) < 50 {
			out = append(out, lines{from, to})
		}
	}
	add(start, end)
	for _, m := range cue("listed").FindAllStringSubmatch(rest, -1) {
		add(m[1], m[2])
	}
	return out
}

// scan finds the tracked paths in a text, in order, each with the lines right behind it.
func (n *names) scan(text string) []mention {
	var out []mention
	end := 0
	for _, t := range tokens(text) {
		if t.at < end { // inside of what was found
			continue
		}
		m := mention{from: t.at, to: t.at + len(t.text), command: t.command}
		for _, stop := range ends(t.text) {
			if m.path = n.resolve(t.text[:stop], t.quoted); m.path != "" {
				m.to = t.at + stop
				m.test = strings.HasPrefix(text[m.to:], "::")
				m.behind(text)
				break
			}
		}
		if m.path != "" || n.foreign(t.text) {
			out = append(out, m)
			end = m.to
		}
	}
	return out
}

// foreign tells the name of a file that is not tracked: lines beside it are not of others.
func (n *names) foreign(s string) bool {
	s, _, _ = strings.Cut(s, ":")
	return n.index.exts[path.Ext(s)] && !strings.ContainsAny(s, " ()*") && len(path.Ext(s)) < len(s)
}

// piece gives a part of what an expression matched.
func piece(s string, at []int, i int) string {
	if 2*i >= len(at) || at[2*i] < 0 {
		return ""
	}
	return s[at[2*i]:at[2*i+1]]
}

// behind reads the lines that stand right behind a path.
func (m *mention) behind(text string) {
	rest := text[m.to:]
	for _, skip := range []int{0, len(rest) - len(strings.TrimLeft(rest, "`*"))} {
		for _, form := range []string{"direct", "fragment", "braced", "naked"} {
			g := cue(form).FindStringSubmatchIndex(rest[skip:])
			if g == nil {
				continue
			}
			if m.spans = spansOf(piece(rest[skip:], g, 1), piece(rest[skip:], g, 2), piece(rest[skip:], g, 3)); len(m.spans) > 0 {
				m.to += skip + g[1]
				return
			}
		}
	}
}

// refs finds the numbers of lines in a text that stand outside of the mentions.
func refs(text string, mentions []mention) []lineRef {
	var out []lineRef
	for _, g := range cue("worded").FindAllStringSubmatchIndex(text, -1) {
		if slices.ContainsFunc(mentions, func(m mention) bool { return g[1] > m.from && g[1]-1 < m.to }) {
			continue
		}
		at := g[0]
		for _, i := range []int{2, 8, 14} { // where the number is: what stands before may be of the sentence before
			at = max(at, g[i])
		}
		part := func(i int) string { return piece(text, g, i) }
		r := lineRef{at, g[1], spansOf(part(1)+part(4)+part(7), part(2)+part(5)+part(8), part(3)+part(6))}
		if len(r.spans) == 0 {
			continue
		}
		last := &r.spans[len(r.spans)-1]
		if last.start == last.end && (says("onward", text[g[1]:]) || says("since", tail(text[:g[0]+1], 24))) {
			last.end = 0
		}
		out = append(out, r)
	}
	return out
}
