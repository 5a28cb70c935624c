package comment

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Index finds tracked paths by the end of their spelling.
type Index struct {
	extensions map[string]bool
	byName     map[string][]string // by the last path element
}

// NewIndex returns the index of the tracked paths, with slashes, relative to the root.
func NewIndex(files []string) *Index {
	x := &Index{extensions: map[string]bool{}, byName: map[string][]string{}}
	for _, f := range files {
		if base := path.Base(f); f != "" && utf8.ValidString(f) {
			x.extensions[path.Ext(base)] = path.Ext(base) != ""
			x.byName[base] = append(x.byName[base], f)
		}
	}
	return x
}

// candidates returns the tracked paths that a spelling can refer to: the path itself, or else those
// that end with it at a folder boundary. A path of another checkout matches without its first
// folders.
func (x *Index) candidates(spelled string) []string {
	s := trimPath(spelled)
	if s == "" || strings.HasSuffix(s, "/") {
		return nil
	}
	rooted := hasCue("rooted", spelled)
	var out []string
	for _, f := range x.byName[path.Base(s)] {
		if f == s {
			return []string{s}
		} else if strings.HasSuffix(f, "/"+s) || rooted && strings.Contains(f, "/") && strings.HasSuffix(s, "/"+f) {
			out = append(out, f)
		}
	}
	return out
}

// trimPath removes prefixes that people and tools put before a path.
func trimPath(s string) string {
	if strings.Contains(s, "://") && strings.ContainsAny(s, "#?") { // the path of the URL is a separate token
		return ""
	}
	return cue("checkout").ReplaceAllString(strings.NewReplacer(`\_`, "_", `\*`, "*", `\`, "/").Replace(s), "")
}

// isPlainWord reports whether a name may be an ordinary word: no slash, dot, underscore or capital.
func isPlainWord(s string) bool {
	return !strings.ContainsAny(s, "./_") && !strings.ContainsFunc(s, unicode.IsUpper)
}

// resolver resolves the spellings of one review.
type resolver struct {
	index       *Index
	unambiguous map[string]bool // paths that the review names unambiguously
}

// newResolver prepares an index for one review: a short name of several files refers to the one
// that the review spells out elsewhere.
func (x *Index) newResolver(text string) *resolver {
	n := &resolver{index: x, unambiguous: map[string]bool{}}
	for _, t := range splitTokens(text) {
		for _, end := range pathEnds(t.text) {
			if c := x.candidates(t.text[:end]); len(c) == 1 && !isPlainWord(t.text[:end]) {
				n.unambiguous[c[0]] = true
				break
			}
		}
	}
	return n
}

// resolve returns the tracked path that a spelling refers to, "" for none or several.
func (n *resolver) resolve(spelled string, quoted bool) string {
	if !quoted && isPlainWord(spelled) {
		return ""
	}
	c := n.index.candidates(spelled)
	if len(c) > 1 {
		c = slices.DeleteFunc(slices.Clone(c), func(f string) bool { return !n.unambiguous[f] })
	}
	if len(c) != 1 {
		return ""
	}
	return c[0]
}

// token is a run of text without white space, or the content of a code span.
type token struct {
	text       string
	at         int
	quoted     bool
	isArgument bool // a further word of a code span: an argument, not a place
}

// splitTokens splits a text into possible paths. A code span is a token, and each of its words too
// if it has several.
func splitTokens(text string) []token {
	var out []token
	for _, at := range cue("tokens").FindAllStringSubmatchIndex(text, -1) {
		if inner := submatch(text, at, 1); inner != "" {
			out = append(out, token{text: inner, at: at[2], quoted: true})
			for _, t := range splitTokens(inner) {
				t.isArgument = t.at > 0 && !strings.ContainsAny(inner, ",;")
				t.at += at[2]
				out = append(out, t)
			}
			continue
		}
		t := strings.TrimLeft(text[at[0]:at[1]], "([{'‘`")
		if t = strings.TrimRight(t, ".:!?'"); t != "" && len(t) < 4096 {
			out = append(out, token{text: t, at: at[0] + strings.Index(text[at[0]:at[1]], t)})
		}
	}
	return out
}

// pathEnds returns where a path in a token may end, the longest path first.
func pathEnds(t string) []int {
	out := []int{len(t)}
	for i := len(t) - 1; i > 0 && len(out) < 12; i-- {
		if strings.IndexByte(":#()[]@?'=", t[i]) >= 0 || t[i] >= utf8.RuneSelf && t[i-1] < utf8.RuneSelf {
			out = append(out, i)
		}
	}
	return out
}

// lineRange is a range of lines; end is 0 for all lines from start.
type lineRange struct{ start, end int }

// mention is a path in a text, with its lines.
type mention struct {
	path       string // "" for an untracked file
	from, to   int    // offsets, lines included
	spans      []lineRange
	separate   bool // the lines are not directly after the path
	isArgument bool // an argument of a command
}

// parseSpans returns the ranges that an expression matched: a start, an end, and a list of more.
func parseSpans(start, end, rest string) []lineRange {
	var out []lineRange
	for _, m := range append([][]string{{"", start, end}}, cue("listed").FindAllStringSubmatch(rest, 49)...) {
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		if from > 0 && from <= maxLines {
			out = append(out, lineRange{from, max(from, min(to, maxLines))})
		}
	}
	return out
}

// findMentions returns the paths in a text, in order, each with the lines directly after it.
func (n *resolver) findMentions(text string) []mention {
	var out []mention
	end := 0
	for _, t := range splitTokens(text) {
		if t.at < end { // inside the previous mention
			continue
		}
		m := mention{from: t.at, to: t.at + len(t.text), isArgument: t.isArgument}
		for _, stop := range pathEnds(t.text) {
			if m.path = n.resolve(t.text[:stop], t.quoted); m.path != "" {
				m.to = t.at + stop
				m.isArgument = m.isArgument || strings.HasPrefix(text[m.to:], "::")
				m.readLinesBehind(text)
				break
			}
		}
		if m.path != "" || n.isUntracked(t.text) {
			out = append(out, m)
			end = m.to
		}
	}
	return out
}

// isUntracked reports whether a token looks like an untracked file: lines next to it do not belong
// to another path.
func (n *resolver) isUntracked(s string) bool {
	s, _, _ = strings.Cut(s, ":")
	return n.index.extensions[path.Ext(s)] && !strings.ContainsAny(s, " ()*") && len(path.Ext(s)) < len(s)
}

// submatch returns group i of a match; "" if it did not match.
func submatch(s string, at []int, i int) string {
	if 2*i >= len(at) || at[2*i] < 0 {
		return ""
	}
	return s[at[2*i]:at[2*i+1]]
}

// readLinesBehind reads the lines directly after a path.
func (m *mention) readLinesBehind(text string) {
	rest := text[m.to:]
	for _, skip := range []int{0, len(rest) - len(strings.TrimLeft(rest, "`*"))} {
		for _, form := range []string{"direct", "fragment", "braced", "naked"} {
			if g := cue(form).FindStringSubmatch(rest[skip:]); g != nil {
				m.spans = parseSpans(g[1], g[2], g[3])
				m.to += skip + len(g[0])
				return
			}
		}
	}
}

// findLineRefs returns the line numbers in a text that are outside of the mentions.
func findLineRefs(text string, mentions []mention) []mention {
	var out []mention
	for _, g := range cue("worded").FindAllStringSubmatchIndex(text, -1) {
		if slices.ContainsFunc(mentions, func(m mention) bool { return g[1] > m.from && g[1]-1 < m.to }) {
			continue
		}
		at := g[0]
		for _, i := range []int{2, 8, 14} { // the number's offset: the text before it may be in the previous sentence
			at = max(at, g[i])
		}
		part := func(i int) string { return submatch(text, g, i) }
		r := mention{from: at, to: g[1], spans: parseSpans(part(1)+part(4)+part(7), part(2)+part(5)+part(8), part(3)+part(6))}
		if len(r.spans) == 0 {
			continue
		}
		last := &r.spans[len(r.spans)-1]
		if last.start == last.end && (hasCue("onward", text[g[1]:min(g[1]+64, len(text))]) || hasCue("since", tail(text[:g[0]+1], 24))) {
			last.end = 0
		}
		out = append(out, r)
	}
	return out
}
