// Package spot reads one spelling of a place: a path with its lines, a pattern, a folder, a
// link, a symbol, and says which tracked files it may mean. It touches no file.
package spot

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/review/names"
)

// Mention is a name in prose that may be a file's.
type Mention struct {
	Spelled string
	Cands   []string // what is tracked and may be meant
	Set     []string // what a pattern means
	Dir     string   // a folder
	Fresh   bool     // untracked, but spelled as a file
	Bare    bool     // the same without a suffix
	Soft    bool     // a module's or a class's name, no path
	Link    bool
	Role    bool // "the orders router"
	Spans   []Span
}

var known = map[string]bool{}

func init() {
	for _, e := range strings.Fields(`md txt rst adoc yml yaml json toml ini cfg conf xml html css scss sass less go py pyi rs c h cc cpp cxx hpp hh m mm cs java kt kts scala groovy gradle
		js jsx ts tsx mjs cjs vue svelte php rb erb ex exs eex heex pl pm t sh bash zsh fish ps1 bat sql proto graphql tf tfvars hcl lua r jl hs ml mli dart swift zig nim clj lock env csv po pot tex
		ipynb bazel bzl cmake mk meta snap golden service timer patch svg png rake gemspec plist xib storyboard prisma cue nix`) {
		known["."+e] = true
	}
}

// Reader reads names against the tracked files, and remembers what it found.
type Reader struct {
	roles   map[string][]string
	X       *names.Index
	symbols map[string][]string
	globs   map[string][]string
	repo    string // the repository that links go to
}

// NewReader makes a reader over the tracked files.
func NewReader(x *names.Index) *Reader {
	return &Reader{roles: map[string][]string{}, X: x, symbols: map[string][]string{}, globs: map[string][]string{}}
}

// Mention reads a word, or the content of inline code, as a name of files.
func (rd *Reader) Mention(c string, coded bool) *Mention {
	if len(c) < 2 || len(c) > 400 || strings.ContainsAny(c, "\n") {
		return nil
	}
	p, spans := attached(c)
	if m := rd.file(p, coded, len(spans) > 0); m != nil {
		m.Spans = spans
		return m
	}
	if i := strings.IndexAny(p, "#?"); i > 1 { // an anchor in a page
		if m := rd.file(p[:i], coded, false); m != nil && len(m.Cands) > 0 {
			return m
		}
	}
	if i := strings.Index(p, ":"); i > 2 && (strings.Contains(p[:i], ".") || strings.HasPrefix(p[i:], "::")) { // a.py::test_x, a.go:Func
		if m := rd.file(p[:i], coded, false); m != nil && len(m.Cands) > 0 {
			return m
		}
	}
	if i := strings.Index(p, "@"); i > 2 && humps(p[:i]) && i+1 < len(p) { // CheckoutController@store
		if m := rd.Mention(p[:i], true); m != nil && len(m.Cands) == 1 {
			m.Soft, m.Spans = false, spans
			return m
		}
	}
	if strings.Count(p, ".") == 1 && !strings.ContainsAny(p, "/ (") && strings.ToLower(p) == p && len(p) > 6 { // users.controller
		if cands := rd.X.Compound(p); len(cands) == 1 {
			return &Mention{Spelled: p, Cands: cands, Spans: spans, Role: true}
		}
	}
	if coded || strings.Contains(p, "::") || strings.Contains(p, `\`) || strings.HasPrefix(p, "//") || strings.Count(p, ".") > 1 || strings.Count(p, ".") == 1 && len(p) > 6 {
		if cands := rd.symbol(p); len(cands) > 0 && !strings.ContainsAny(p, " =") {
			return &Mention{Spelled: p, Cands: cands, Soft: true, Spans: spans}
		}
	}
	return nil
}

func (rd *Reader) symbol(p string) []string {
	if known, ok := rd.symbols[p]; ok {
		return known
	}
	found := rd.X.Symbol(p)
	if len(found) > 1 {
		found = nil
	}
	rd.symbols[p] = found
	return found
}

// file reads a path, a pattern or a folder.
func (rd *Reader) file(p string, coded, numbered bool) *Mention {
	if strings.ContainsAny(p, " =;$") && !strings.Contains(p, "/") || strings.HasPrefix(p, "-") || strings.Contains(p, "://") && !strings.HasPrefix(p, "file://") {
		if t, ok := rd.X.Tracked(strings.TrimPrefix(p, "./")); ok {
			return &Mention{Spelled: p, Cands: []string{t}}
		}
		return nil
	}
	if m := rd.pair(p); m != nil {
		return m
	}
	if strings.ContainsAny(p, "*{") {
		if !pattern(p) {
			return nil
		}
		if set := rd.glob(p); len(set) > 0 && len(set) < names.Most {
			return &Mention{Spelled: p, Set: set}
		}
		return nil
	}
	clean := names.Clean(p)
	base := path.Base(clean)
	ext := path.Ext(base)
	if base == ext && clean == base {
		ext = ""
	}
	if clean == "" || base == "." || base == "/" || strings.ContainsAny(base, `"'<>|&`) {
		return nil
	}
	if strings.HasSuffix(p, "/") {
		if d, ok := rd.X.Dir(clean); ok {
			return &Mention{Spelled: clean, Dir: d}
		}
		if coded || strings.Contains(clean, "/") || rd.X.Named(clean) {
			return &Mention{Spelled: clean, Dir: clean}
		}
		return nil
	}
	if ext == "" && !strings.Contains(clean, "/") {
		return rd.plain(clean, coded, numbered)
	}
	if cands := rd.X.Find(p); len(cands) > 0 {
		return &Mention{Spelled: clean, Cands: cands}
	}
	if ext == "" {
		if docs := rd.docs(clean); len(docs) > 0 {
			return &Mention{Spelled: clean, Cands: docs}
		}
	}
	if d, ok := rd.X.Dir(clean); ok && strings.Contains(clean, "/") {
		return &Mention{Spelled: clean, Dir: d}
	}
	if cands := rd.X.Partial(clean); len(cands) == 1 {
		return &Mention{Spelled: clean, Cands: cands}
	}
	if ext == "" && coded && strings.Contains(p, "/") && bareName(p) && spelledLikeFile(clean) {
		return &Mention{Spelled: clean, Fresh: true, Bare: true}
	}
	if ext != "" && (known[strings.ToLower(ext)] || rd.X.Suffix(ext)) && spelledLikeFile(clean) && !strings.HasPrefix(p, "/") {
		return &Mention{Spelled: clean, Fresh: true}
	}
	return nil
}

func spelledLikeFile(p string) bool {
	ok := true
	for _, r := range p {
		ok = ok && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-/@+[]()", r))
	}
	return ok && !strings.HasPrefix(p, "node_modules")
}

// plain reads a name without folder and suffix: Makefile, README.
func (rd *Reader) plain(p string, coded, numbered bool) *Mention {
	upper := p[0] >= 'A' && p[0] <= 'Z'
	if cands := rd.X.Alias(p); len(cands) > 0 && !(upper && rd.X.Named(p)) {
		return &Mention{Spelled: p, Cands: cands, Role: !upper && !coded}
	}
	if humps(p) && !rd.X.Named(p) {
		if cands := rd.X.Compound(p); len(cands) == 1 {
			return &Mention{Spelled: p, Cands: cands, Role: !coded, Soft: coded}
		}
	}
	if !coded && !numbered && !upper && !(p[0] == '.' && len(p) > 3) { // .nvmrc
		return nil
	}
	if rd.X.Named(p) {
		if cands := rd.X.Find(p); len(cands) > 0 {
			return &Mention{Spelled: p, Cands: cands}
		}
	}
	if docs := rd.docs(p); len(docs) > 0 {
		return &Mention{Spelled: p, Cands: docs}
	}
	return nil
}

// docs finds README, docs/CONTRIBUTING: documents spelled without their suffix.
func (rd *Reader) docs(p string) []string {
	base := path.Base(p)
	if !(len(base) >= 4 && base[0] >= 'A' && base[0] <= 'Z' && strings.ToUpper(base) == base || base == "Readme" || base == "Changelog") {
		return nil
	}
	var docs []string
	for _, c := range rd.X.Plain(base) {
		if dir := path.Dir(p); dir != "." && path.Dir(c) != dir && !strings.HasSuffix(path.Dir(c), "/"+dir) {
			continue
		}
		switch strings.ToLower(path.Ext(c)) {
		case ".md", ".rst", ".txt", ".adoc", ".org", ".rmd", "":
			docs = append(docs, c)
		}
	}
	return docs
}

// pair reads "a.go/b.go": two files in one word.
func (rd *Reader) pair(p string) *Mention {
	a, b, ok := strings.Cut(p, "/")
	if !ok || strings.Contains(b, "/") || path.Ext(a) == "" || path.Ext(b) == "" || strings.HasPrefix(a, ".") {
		return nil
	}
	first, second := rd.X.Find(a), rd.X.Find(b)
	if len(first) != 1 || len(second) != 1 || len(rd.X.Find(p)) > 0 {
		return nil
	}
	return &Mention{Spelled: p, Set: []string{first[0], second[0]}}
}

// humps tells UsersController from a word.
func humps(p string) bool {
	n := 0
	for i, r := range p {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
		if unicode.IsUpper(r) && i > 0 {
			n++
		}
	}
	return n > 0 && unicode.IsUpper(rune(p[0])) && strings.ToUpper(p) != p
}

// Kind lists the files of a kind, as the index has it.
func (rd *Reader) Kind(kind string) []string {
	key := "kind " + kind
	set, ok := rd.globs[key]
	if !ok && len(rd.globs) <= 200 {
		set = rd.X.Kind(kind)
		rd.globs[key] = set
	}
	return set
}

func (rd *Reader) glob(p string) []string {
	set, ok := rd.globs[p]
	if !ok {
		if len(rd.globs) > 200 {
			return nil
		}
		set = rd.X.Glob(p)
		rd.globs[p] = set
	}
	return set
}

// Linked reads a link to a file of this repository: the path after the ref, or ?path=,
// the fragment as lines. A path that is not tracked as it stands is another repository's.
func (rd *Reader) Linked(raw string) *Mention {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || len(raw) > 2000 {
		return nil
	}
	found := ""
	try := func(p string) bool {
		t, ok := rd.X.Tracked(strings.Trim(p, "/"))
		if ok {
			found = t
		}
		return ok
	}
	if q := u.Query(); !try(q.Get("path")) {
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		for i, part := range parts {
			switch part {
			case "blob", "blame", "raw", "src", "edit", "tree", "browse", "file", "commit", "+":
			default:
				continue
			}
			for n := i + 1; n < len(parts) && n < i+8 && found == ""; n++ {
				try(strings.Join(parts[n:], "/"))
			}
			if found != "" {
				if !rd.ours(u.Host, parts[:i]) {
					return nil
				}
				break
			}
		}
	}
	if found == "" {
		return nil
	}
	m := &Mention{Spelled: found, Cands: []string{found}, Link: true}
	m.Spans = fragment(u)
	return m
}

// ours tells whether a link's repository is the one most links of the review go to: the
// first whose file is tracked.
func (rd *Reader) ours(host string, parts []string) bool {
	repo := host + "/" + strings.TrimSuffix(strings.Join(parts, "/"), "/-")
	if rd.repo == "" {
		rd.repo = repo
	}
	return strings.EqualFold(rd.repo, repo)
}

func fragment(u *url.URL) []Span {
	f := strings.TrimPrefix(strings.TrimPrefix(u.Fragment, "lines-"), "n")
	f = strings.TrimLeft(strings.TrimPrefix(f, "L"), "l")
	if i := strings.Index(f, ":"); i > 0 && strings.HasPrefix(u.Fragment, "lines-") {
		f = f[:i] + "-" + f[i+1:]
	}
	if f != "" && f[0] >= '0' && f[0] <= '9' {
		spans, _ := LineList(f, 0)
		return spans
	}
	if from := u.Query().Get("line"); from != "" {
		spans, _ := LineList(from+"-"+u.Query().Get("lineEnd"), 0)
		return spans
	}
	return nil
}

// Role is the only file that "the orders router" can be, or nothing.
func (rd *Reader) Role(word, role string) []string {
	key := word + " " + role
	if found, ok := rd.roles[key]; ok || len(rd.roles) > 300 {
		return found
	}
	var found []string
	if role == "package" {
		if d, ok := rd.X.Dir(word); ok {
			if p, ok := rd.X.Package(d); ok {
				found = []string{p}
			}
		}
	}
	if len(found) == 0 {
		found = rd.X.Role(word, role)
	}
	if len(found) == 0 && role != "package" && word != "test" && word != "config" && word != "whole" && word != "error" && word != "main" {
		found = rd.X.Plain(word)
	}
	if len(found) != 1 {
		found = nil
	}
	rd.roles[key] = found
	return found
}

// pattern tells "src/**" and "*_test.go" from the stars of bold type.
func pattern(p string) bool {
	bold := strings.HasPrefix(p, "**") && !strings.HasPrefix(p, "**/") || strings.HasSuffix(p, "**") && !strings.HasSuffix(p, "/**")
	return !bold && strings.IndexFunc(p, unicode.IsLetter) >= 0 && strings.ContainsAny(p, "./") && !strings.Contains(p, "*[")
}

// bareName tells "bin/tool", ".githooks/pre-commit" from "Enum.map/2" and a\b.
func bareName(p string) bool {
	last := p[strings.LastIndex(p, "/")+1:]
	return last != "" && !strings.ContainsAny(strings.TrimPrefix(p, "."), `.\`) && !strings.HasPrefix(p, "/") && (last[0] < '0' || last[0] > '9')
}
