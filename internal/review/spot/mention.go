// Package spot reads one spelling of a place: a path with its lines, a pattern, a folder, a
// link, a symbol, and says which tracked files it may mean. It touches no file.
package spot

import (
	"net/url"
	"strings"

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
