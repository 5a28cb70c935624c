package names

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Symbol gives the candidates for a name by a language's convention: a dotted module, a
// Rust, PHP, Ruby, Java, Elixir or Perl name, a Bazel label, a Sass partial. Elements at
// the end that name no file (a function, a method) are dropped.
func (x *Index) Symbol(name string) []string {
	name = norm.NFC.String(strings.TrimRight(strings.Trim(name, "`"), "()"))
	if i := strings.IndexAny(name, "(#"); i > 0 {
		name = name[:i]
	}
	if strings.HasPrefix(name, "//") || strings.HasPrefix(name, "@//") {
		return x.label(strings.TrimLeft(name, "@/"))
	}
	parts := split(name)
	if len(parts) == 0 {
		return nil
	}
	rooted := len(parts) > 1 && (parts[0] == "crate" || parts[0] == "self" || parts[0] == "super")
	if rooted {
		parts = parts[1:]
	}
	scoped := strings.ContainsAny(name, `:\`)
	if strings.Contains(name, "::") && len(parts) > 1 {
		if found := x.inCrate(parts); len(found) > 0 {
			return found
		}
	}
	for n := len(parts); n > 0; n-- {
		for from := 0; from < n; from++ {
			whole := from == 0
			if !whole && !scoped && !capital(parts[n-1]) {
				break // a dotted module is spelled from its root
			}
			if n-from < 2 && !capital(parts[n-1]) && !(scoped && (rooted || n == len(parts)-1)) {
				continue
			}
			if found := x.module(parts[from:n]); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// inCrate finds core::buffer as crates/core/src/buffer.rs: the module below the sources of
// the crate it names, less the items at its end.
func (x *Index) inCrate(parts []string) []string {
	for n := len(parts); n > 1; n-- {
		end := parts[0] + "/src/" + strings.Join(parts[1:n], "/")
		var found []int
		for _, ending := range []string{".rs", "/mod.rs"} {
			for _, i := range x.base[strings.ToLower(path.Base(end+ending))] {
				if tail(x.paths[i], end+ending) {
					found = append(found, i)
				}
			}
		}
		if len(found) > 0 {
			return x.pick(found)
		}
	}
	return nil
}

// split cuts a name at the separators of the languages.
func split(name string) []string {
	for _, sep := range []string{"::", `\`, "."} {
		if !strings.Contains(name, sep) {
			continue
		}
		var parts []string
		for _, p := range strings.Split(strings.Trim(name, sep), sep) {
			p, _, _ = strings.Cut(p, "/") // Elixir's arity
			if p == "" || strings.IndexFunc(p, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) >= 0 {
				return nil
			}
			if unicode.IsDigit(rune(p[0])) {
				return nil
			}
			parts = append(parts, p)
		}
		return parts
	}
	if capital(name) {
		return []string{name}
	}
	return nil
}

func capital(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' && strings.ToUpper(s) != s }

var modules = map[string]bool{".py": true, ".pyi": true, ".rs": true, ".php": true, ".rb": true, ".java": true, ".kt": true, ".scala": true,
	".ex": true, ".exs": true, ".pm": true, ".cs": true, ".swift": true, ".hs": true, ".clj": true, ".groovy": true, ".ml": true, ".dart": true, ".vue": true, ".tsx": true, ".jsx": true}

// module lists the files that hold a module with these elements, spelled so or in snake
// case.
func (x *Index) module(parts []string) []string {
	for _, spell := range []func(string) string{func(s string) string { return s }, Snake} {
		key := ""
		for i, p := range parts {
			if i > 0 {
				key += "/"
			}
			key += spell(p)
		}
		var found []int
		for _, i := range x.stem[strings.ToLower(path.Base(key))] {
			if p := norm.NFC.String(x.paths[i]); modules[path.Ext(p)] && tail(strings.TrimSuffix(p, path.Ext(p)), key) {
				found = append(found, i)
			}
		}
		for _, inner := range []string{"__init__.py", "mod.rs", "lib.rs"} {
			for _, i := range x.base[inner] {
				if tail(strings.TrimSuffix(path.Dir(x.paths[i]), "/src"), key) {
					found = append(found, i)
				}
			}
		}
		if len(found) > 0 {
			return x.pick(found)
		}
	}
	return nil
}

func tail(p, end string) bool { return p == end || strings.HasSuffix(p, "/"+end) }

// Snake spells TokenStore as token_store.
func Snake(s string) string {
	var out strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 && (s[i-1] < 'A' || s[i-1] > 'Z') && s[i-1] != '_' {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// label resolves a Bazel label: its file, the file its target is named after, or the
// BUILD file of the package.
func (x *Index) label(label string) []string {
	pkg, target, ok := strings.Cut(label, ":")
	if !ok {
		target = path.Base(pkg)
	}
	file := strings.TrimPrefix(pkg+"/"+target, "/")
	if p, ok := x.Tracked(file); ok {
		return []string{p}
	}
	var found []int
	for _, i := range x.stem[strings.ToLower(target)] {
		if strings.TrimSuffix(x.paths[i], path.Ext(x.paths[i])) == file {
			found = append(found, i)
		}
	}
	if len(found) > 0 {
		return x.pick(found)
	}
	for _, build := range []string{"BUILD.bazel", "BUILD"} {
		if p, ok := x.Tracked(path.Join(pkg, build)); ok {
			return []string{p}
		}
	}
	return nil
}

// Plain gives the files whose name without suffix is a word: README, freelist, a Sass
// partial; among them those a word for their role ("router", "module") fits.
func (x *Index) Plain(word string) []string {
	word = strings.ToLower(norm.NFC.String(word))
	found := append([]int(nil), x.stem[word]...)
	found = append(found, x.stem["_"+word]...)
	if s := Snake(word); s != word {
		found = append(found, x.stem[s]...)
	}
	return x.pick(found)
}

// Role gives the files for "the orders router": a file of that name in a folder for the
// role, one named after both, or one named after the role in a folder of the name.
func (x *Index) Role(word, role string) []string {
	word, role = strings.ToLower(word), strings.ToLower(role)
	for _, test := range []func(p, stem, dir string) bool{
		func(p, stem, dir string) bool {
			flat := Flat(path.Base(p))
			return flat == word+role || flat == role+word
		},
		func(p, stem, dir string) bool {
			return stem == word && (dir == role || dir == role+"s" || dir == role+"es")
		},
		func(p, stem, dir string) bool { return stem == role && (dir == word || dir == word+"s") },
	} {
		var found []string
		for _, p := range x.paths {
			low := strings.ToLower(p)
			if test(low, Stem(path.Base(low)), path.Base(path.Dir(low))) {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// Beginning lists the files whose name begins with a number: 0007_add_index.sql.
func (x *Index) Beginning(number string) []string {
	var found []string
	for _, p := range x.paths {
		if rest, ok := strings.CutPrefix(path.Base(p), number); ok && rest != "" && (rest[0] == '_' || rest[0] == '-' || rest[0] == '.') {
			found = append(found, p)
		}
	}
	return found
}

// Package is the only Go file of a package that is no test, or nothing.
func (x *Index) Package(dir string) (string, bool) {
	var found []string
	for _, p := range x.Under(dir) {
		if path.Dir(p) == dir && strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
			found = append(found, p)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return "", false
}

// Partial gives the file for a Sass name: components/button is components/_button.scss.
func (x *Index) Partial(name string) []string {
	dir, base := path.Split(Clean(name))
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".scss"), ".sass")
	var found []string
	for _, ext := range []string{".scss", ".sass"} {
		found = append(found, x.ending(dir+"_"+base+ext)...)
	}
	return found
}

// IsTest tells a test by its name or its folder.
func IsTest(p string) bool {
	base := strings.ToLower(path.Base(p))
	return strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.Contains(base, "_spec.") ||
		strings.HasSuffix(Stem(base), "tests") || strings.HasPrefix(p, "tests/") || strings.HasPrefix(p, "test/") || strings.HasPrefix(p, "spec/") || strings.Contains(p, "/test/") || strings.Contains(p, "/tests/") || base == "conftest.py"
}

// OfSort tells whether a file is what "the doc", "the test", "the config", "the code" means
// beside a file of another sort.
func OfSort(p, word string) bool {
	ext := strings.ToLower(path.Ext(p))
	doc := ext == ".md" || ext == ".rst" || ext == ".txt" || ext == ".adoc" || strings.HasPrefix(p, "docs/")
	conf := strings.Contains("|.yml|.yaml|.toml|.ini|.conf|.cfg|.json|.env|.properties|", "|"+ext+"|")
	switch strings.TrimSuffix(word, "s") {
	case "doc", "documentation", "readme", "page", "manual":
		return doc
	case "test", "spec":
		return IsTest(p)
	case "config", "configuration", "yaml", "manifest":
		return conf
	case "code", "implementation", "source":
		return !doc && !conf && !IsTest(p)
	}
	return false
}

// kinds are words for all files of a kind, by suffix or by what Kind says.
var kinds = map[string][]string{"sql": {".sql"}, "go": {".go"}, "python": {".py"}, "py": {".py"}, "typescript": {".ts", ".tsx"}, "javascript": {".js", ".jsx", ".mjs"}, "yaml": {".yml", ".yaml"}, "yml": {".yml", ".yaml"}, "json": {".json"},
	"markdown": {".md"}, "css": {".css"}, "scss": {".scss"}, "shell": {".sh"}, "ruby": {".rb"}, "rust": {".rs"}, "java": {".java"}, "kotlin": {".kt"}, "php": {".php"}, "html": {".html"}, "xml": {".xml"}, "proto": {".proto"}, "terraform": {".tf"},
	"vue": {".vue"}, "svelte": {".svelte"}, "lua": {".lua"}, "c": {".c"}, "header": {".h", ".hpp"}, "swift": {".swift"}, "scala": {".scala"}, "elixir": {".ex", ".exs"}, "csv": {".csv"}, "toml": {".toml"}}

// Kind lists the files of a kind: "sql" files, "test" files, "dockerfile", "workflow".
func (x *Index) Kind(kind string) []string {
	kind = strings.ToLower(strings.TrimPrefix(kind, "."))
	var fits func(p string) bool
	switch {
	case kind == "test" || kind == "spec":
		fits = func(p string) bool { return IsTest(p) && !strings.HasSuffix(p, "conftest.py") }
	case kind == "dockerfile" || kind == "makefile" || kind == "readme":
		fits = func(p string) bool { return Stem(strings.ToLower(path.Base(p))) == kind }
	case kind == "workflow":
		fits = func(p string) bool { return strings.HasPrefix(p, ".github/workflows/") }
	case kinds[kind] != nil:
		fits = func(p string) bool {
			for _, e := range kinds[kind] {
				if strings.HasSuffix(strings.ToLower(p), e) {
					return true
				}
			}
			return false
		}
	default:
		return nil
	}
	var out []string
	for _, p := range x.paths {
		if fits(p) {
			out = append(out, p)
		}
	}
	return out
}

// Sources leaves out tests and the files that only bind a folder together; when that does
// not leave as many as were said, none.
func Sources(paths []string, count int) []string {
	var out []string
	for _, p := range paths {
		switch Stem(path.Base(p)) {
		case "index", "__init__", "mod", "README":
			continue
		}
		if !IsTest(p) {
			out = append(out, p)
		}
	}
	if len(out) != count {
		return nil
	}
	return out
}

// Fuller is the only path of a set that ends in a name, or "".
func Fuller(set map[string]bool, name string) string {
	found := ""
	for p := range set {
		if tail(p, name) {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}

// Only gives the candidate that the first of several tests leaves alone, or "".
func Only(cands []string, tests ...func(string) bool) string {
	for _, fits := range tests {
		found, several := "", false
		for _, c := range cands {
			if fits(c) {
				several = found != ""
				found = c
				if several {
					break
				}
			}
		}
		if found != "" && !several {
			return found
		}
	}
	return ""
}
