package comment

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Index finds tracked paths by the end of their spelling.
type Index struct {
	whole map[string]bool
	last  map[string][]string // by the last element
	exts  map[string]bool
	dirs  map[string]bool
}

// NewIndex makes an index of the tracked paths, with slashes, relative to the top.
func NewIndex(files []string) *Index {
	x := &Index{whole: make(map[string]bool, len(files)), last: make(map[string][]string, len(files)), exts: map[string]bool{}, dirs: map[string]bool{}}
	for _, f := range files {
		if f == "" || x.whole[f] || !utf8.ValidString(f) {
			continue
		}
		x.whole[f] = true
		base := path.Base(f)
		x.last[base] = append(x.last[base], f)
		for d := path.Dir(f); d != "." && d != "/" && !x.dirs[d]; d = path.Dir(d) {
			x.dirs[d] = true
		}
		if ext := path.Ext(base); len(ext) > 1 && len(ext) < 12 {
			x.exts[ext] = true
		}
	}
	return x
}

// candidates are the tracked paths that a spelling can mean: the path itself, else those
// that end in it at a folder boundary.
func (x *Index) candidates(spelled string) []string {
	s := clean(spelled)
	if s == "" || strings.HasSuffix(s, "/") {
		return nil
	}
	if x.whole[s] && !plainWord(s) {
		return []string{s}
	}
	var out []string
	for _, f := range x.last[path.Base(s)] {
		if f == s || strings.HasSuffix(f, "/"+s) || rooted(spelled) && strings.Contains(f, "/") && strings.HasSuffix(s, "/"+f) {
			out = append(out, f)
		}
	}
	if len(out) > 1 && rooted(spelled) { // of a checkout elsewhere: the longest tracked end
		best := out[0]
		for _, f := range out {
			if len(f) > len(best) {
				best = f
			}
		}
		return []string{best}
	}
	return out
}

// rooted tells a path of another checkout: its front is no part of the tracked path.
func rooted(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.Contains(s, "://") || len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

// clean drops what people and tools set before a path.
func clean(s string) string {
	if strings.Contains(s, "://") {
		if strings.Contains(s, "#") { // the lines are read apart from the path
			return ""
		}
		return ofURL(s)
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

// ofURL is the path that an address of a code host names, after the ref.
func ofURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	if u.Scheme == "file" {
		return u.Path
	}
	if p := u.Query().Get("path"); p != "" {
		return strings.TrimPrefix(p, "/")
	}
	for _, mark := range []string{"/blob/", "/src/branch/", "/src/commit/", "/raw/", "/blame/"} {
		if _, rest, ok := strings.Cut(u.Path, mark); ok {
			return "/" + rest // the ref is the front that is no part of the path
		}
	}
	return ""
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
// below are folders spoken of where it stands.
func (n *names) resolve(spelled string, quoted bool, below []string) string {
	if !quoted && plainWord(spelled) {
		return ""
	}
	c := n.index.candidates(spelled)
	if len(c) < 2 {
		return strings.Join(c, "")
	}
	keep := func(ok func(string) bool) string {
		found := ""
		for _, f := range c {
			if !ok(f) {
				continue
			}
			if found != "" {
				return ""
			}
			found = f
		}
		return found
	}
	for _, dir := range below {
		if f := keep(func(f string) bool {
			return f == path.Join(dir, clean(spelled)) || strings.HasSuffix(f, "/"+path.Join(dir, clean(spelled)))
		}); f != "" {
			return f
		}
	}
	return keep(func(f string) bool { return n.full[f] })
}

// token is a run of text without white space, or what stands in a code span.
type token struct {
	text    string
	at      int
	quoted  bool
	command bool // further words of a code span: an argument, no place
}

const separators = " \t\r\n\"<>|,;*“”„«»「」『』、。（）【】：→⇒…"

// tokens cuts a text into what may be a path.
func tokens(text string) []token {
	var out []token
	add := func(from, to int, quoted bool) {
		for from < to && strings.ContainsRune("([{'‘", rune(text[from])) {
			from++
		}
		for from < to && strings.ContainsRune(".:!?'", rune(text[to-1])) {
			to--
		}
		if from < to && to-from < 4096 {
			out = append(out, token{text: text[from:to], at: from, quoted: quoted})
		}
	}
	start := -1
	flush := func(i int) {
		if start >= 0 {
			add(start, i, false)
			start = -1
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '`':
			flush(i)
			if n := strings.IndexByte(text[i+1:], '`'); n >= 0 && n < 300 && !strings.Contains(text[i+1:i+1+n], "\n") {
				out = append(out, span(text, i+1, i+1+n)...)
				i += n + 1
			}
		case strings.ContainsRune(separators, r):
			flush(i)
		case start < 0:
			start = i
		}
		i += size
	}
	flush(len(text))
	return out
}

// span gives what stands in a code span: as a whole, where that has blanks also by words.
func span(text string, from, to int) []token {
	out := []token{{text: text[from:to], at: from, quoted: true}}
	if inner := text[from:to]; strings.ContainsAny(inner, " ,;") {
		for _, t := range tokens(inner) {
			t.command = t.at > 0 && !strings.ContainsAny(inner, ",;")
			t.at += from
			out = append(out, t)
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
