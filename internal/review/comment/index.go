package comment

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Index finds tracked paths by the end of their spelling.
type Index struct {
	whole, exts map[string]bool
	last        map[string][]string // by the last element
}

// NewIndex makes an index of the tracked paths, with slashes, relative to the top.
func NewIndex(files []string) *Index {
	x := &Index{whole: map[string]bool{}, exts: map[string]bool{}, last: map[string][]string{}}
	for _, f := range files {
		if f == "" || x.whole[f] || !utf8.ValidString(f) {
			continue
		}
		base := path.Base(f)
		x.whole[f], x.exts[path.Ext(base)] = true, path.Ext(base) != ""
		x.last[base] = append(x.last[base], f)
	}
	return x
}

// candidates are the tracked paths that a spelling can mean: the path itself, else those
// that end in it at a folder boundary. Of a path of another checkout the front is dropped.
func (x *Index) candidates(spelled string) []string {
	s := clean(spelled)
	if s == "" || strings.HasSuffix(s, "/") {
		return nil
	}
	if x.whole[s] {
		return []string{s}
	}
	rooted := cue("rooted").MatchString(spelled)
	var out []string
	for _, f := range x.last[path.Base(s)] {
		if strings.HasSuffix(f, "/"+s) || rooted && strings.Contains(f, "/") && strings.HasSuffix(s, "/"+f) {
			out = append(out, f)
		}
	}
	if rooted && len(out) > 1 {
		return []string{slices.MaxFunc(out, func(a, b string) int { return len(a) - len(b) })}
	}
	return out
}

// clean drops what people and tools set before a path.
func clean(s string) string {
	if strings.Contains(s, "://") && strings.ContainsAny(s, "#?") { // the lines are read apart from the path
		return ""
	}
	s = strings.NewReplacer(`\_`, "_", `\*`, "*", `\`, "/").Replace(s)
	for strings.HasPrefix(s, "./") {
		s = s[2:]
	}
	if len(s) > 2 && (s[:2] == "a/" || s[:2] == "b/") {
		return s[2:]
	}
	return s
}

// plainWord tells a name that could be an ordinary word: no slash, no dot, no capital.
func plainWord(s string) bool {
	return !strings.ContainsAny(s, "./_") && !strings.ContainsFunc(s, unicode.IsUpper)
}

// names resolves the spellings of one review.
type names struct {
	index *Index
	full  map[string]bool // paths that the review names without doubt
}

// in prepares an index for one review: a short name that could be several files is the
// one that the review spells out elsewhere.
func (x *Index) in(text string) *names {
	n := &names{index: x, full: map[string]bool{}}
	for _, t := range tokens(text) {
		for _, end := range ends(t.text) {
			if c := x.candidates(t.text[:end]); len(c) == 1 && !plainWord(t.text[:end]) {
				n.full[c[0]] = true
				break
			}
		}
	}
	return n
}

// resolve gives the tracked path that a spelling means, "" when it is none or several.
func (n *names) resolve(spelled string, quoted bool) string {
	if !quoted && plainWord(spelled) {
		return ""
	}
	c := n.index.candidates(spelled)
	if len(c) < 2 {
		return strings.Join(c, "")
	}
	c = slices.DeleteFunc(slices.Clone(c), func(f string) bool { return !n.full[f] })
	if len(c) == 1 {
		return c[0]
	}
	return ""
}

// token is a run of text without white space, or what stands in a code span.
type token struct {
	text    string
	at      int
	quoted  bool
	command bool // further words of a code span: an argument, no place
}

// tokens cuts a text into what may be a path. A code span counts as a whole, and by words
// where it has several.
func tokens(text string) []token {
	var out []token
	for _, at := range cue("tokens").FindAllStringSubmatchIndex(text, -1) {
		if inner := piece(text, at, 1); inner != "" {
			out = append(out, token{text: inner, at: at[2], quoted: true})
			for _, t := range tokens(inner) {
				t.command = t.at > 0 && !strings.ContainsAny(inner, ",;")
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

// ends are where a path in a token may end, the longest first.
func ends(t string) []int {
	out := []int{len(t)}
	for i := len(t) - 1; i > 0 && len(out) < 12; i-- {
		if strings.IndexByte(":#()[]@?'=", t[i]) >= 0 || t[i] >= utf8.RuneSelf && t[i-1] < utf8.RuneSelf {
			out = append(out, i)
		}
	}
	return out
}
