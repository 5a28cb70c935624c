package spot

import (
	"path"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/review/names"
)

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
		if set := rd.globbed(p); set != nil {
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
		return rd.folder(clean, coded)
	}
	if ext == "" && !strings.Contains(clean, "/") {
		return rd.plain(clean, coded, numbered)
	}
	if m := rd.there(p, clean, ext); m != nil {
		return m
	}
	if ext == "" && coded && strings.Contains(p, "/") && bareName(p) && spelledLikeFile(clean) {
		return &Mention{Spelled: clean, Fresh: true, Bare: true}
	}
	if ext != "" && (known[strings.ToLower(ext)] || rd.X.Suffix(ext)) && spelledLikeFile(clean) && !strings.HasPrefix(p, "/") {
		return &Mention{Spelled: clean, Fresh: true}
	}
	return nil
}

// globbed gives the files that a pattern names, nil for none or too many to be meant.
func (rd *Reader) globbed(p string) []string {
	if !pattern(p) {
		return nil
	}
	if set := rd.glob(p); len(set) > 0 && len(set) < names.Most {
		return set
	}
	return nil
}

// folder reads a path that ends in a slash.
func (rd *Reader) folder(clean string, coded bool) *Mention {
	if d, ok := rd.X.Dir(clean); ok {
		return &Mention{Spelled: clean, Dir: d}
	}
	if coded || strings.Contains(clean, "/") || rd.X.Named(clean) {
		return &Mention{Spelled: clean, Dir: clean}
	}
	return nil
}

// there reads a path of what is tracked: a file, a document named without its ending, a
// folder, or the one file whose path is cut off.
func (rd *Reader) there(p, clean, ext string) *Mention {
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
