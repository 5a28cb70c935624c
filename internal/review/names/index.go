// Package names finds the tracked file that a reviewer means by a name: a path, the end
// of one, a checkout's or a container's absolute path, a module, a class, a label. It
// never guesses between several. It works on a list of paths and touches no file.
package names

import (
	"path"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Index is a list of tracked paths, made for looking up.
type Index struct {
	paths  []string         // as they are tracked
	exact  map[string]int   // by their NFC spelling
	folded map[string][]int // by lower case
	base   map[string][]int // by the last element, lower case
	stem   map[string][]int // by the last element without its suffixes, lower case
	dirs   map[string]bool  // every folder
	tails  map[string][]string
	exts   map[string]bool
	keys   []string            // the NFC spellings, in order
	at     []int               // which path each of keys is
	spaced map[string][]string // paths with spaces, and their ends, by their first word
	flat   map[string][]int    // by the last element without its last suffix, separators left out, lower case
}

// New makes an index of tracked paths, with slashes, relative to the top.
func New(paths []string) *Index {
	x := &Index{exact: map[string]int{}, folded: map[string][]int{}, base: map[string][]int{}, stem: map[string][]int{},
		dirs: map[string]bool{}, tails: map[string][]string{}, exts: map[string]bool{}, spaced: map[string][]string{}, flat: map[string][]int{}}
	for _, p := range paths {
		key := norm.NFC.String(p)
		if _, twice := x.exact[key]; twice || p == "" {
			continue
		}
		i := len(x.paths)
		x.paths = append(x.paths, p)
		x.exact[key] = i
		low := strings.ToLower(key)
		x.folded[low] = append(x.folded[low], i)
		name := path.Base(low)
		x.base[name] = append(x.base[name], i)
		x.stem[Stem(name)] = append(x.stem[Stem(name)], i)
		if e := path.Ext(name); e != "" {
			x.exts[e] = true
		}
		x.flat[Flat(name)] = append(x.flat[Flat(name)], i)
		if strings.Contains(key, " ") {
			x.addSpaced(key)
		}
		x.addDirs(key)
		x.keys, x.at = append(x.keys, key), append(x.at, i)
	}
	sort.Sort((*byKey)(x))
	return x
}

// byKey orders the spellings, so that what lies below a folder lies together.
type byKey Index

func (x *byKey) Len() int           { return len(x.keys) }
func (x *byKey) Less(i, j int) bool { return x.keys[i] < x.keys[j] }
func (x *byKey) Swap(i, j int) {
	x.keys[i], x.keys[j] = x.keys[j], x.keys[i]
	x.at[i], x.at[j] = x.at[j], x.at[i]
}

// addSpaced keeps a path with spaces and each end of it that still has one, to be found in
// running text.
func (x *Index) addSpaced(p string) {
	for end := p; strings.Contains(end, " "); {
		word, _, _ := strings.Cut(end, " ")
		x.spaced[word] = append(x.spaced[word], end)
		_, rest, ok := strings.Cut(end, "/")
		if !ok {
			break
		}
		end = rest
	}
}

// Spaced is the longest path with spaces, or end of one, that a text starts with.
func (x *Index) Spaced(text string) string {
	word, _, ok := strings.Cut(text[:min(len(text), 300)], " ")
	if !ok || len(x.spaced) == 0 {
		return ""
	}
	best := ""
	for _, p := range x.spaced[word] {
		if len(p) > len(best) && strings.HasPrefix(text, p) {
			best = p
		}
	}
	return best
}

// Flat is a file's name without its last suffix and without separators, in lower case:
// "users.controller.ts" is "userscontroller".
func Flat(name string) string {
	return separators.Replace(strings.ToLower(strings.TrimSuffix(name, path.Ext(name))))
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// Compound gives the files that a compound name means: UsersController and users.controller
// are users.controller.ts.
func (x *Index) Compound(name string) []string {
	return x.pick(append([]int(nil), x.flat[separators.Replace(strings.ToLower(name))]...))
}

// aliases are names that people shorten.
var aliases = map[string][]string{"makefile": {"makefile"}, "dockerfile": {"dockerfile"}, "gitignore": {".gitignore"}, "dockerignore": {".dockerignore"}, "editorconfig": {".editorconfig"}, "tsconfig": {"tsconfig.json"},
	"lockfile": {"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "cargo.lock", "poetry.lock", "gemfile.lock", "composer.lock", "mix.lock", "uv.lock"}, "changelog": {"changelog.md", "changelog.rst", "changelog", "changes.md"},
	"readme": {"readme.md", "readme.rst", "readme", "readme.adoc", "readme.txt"}, "pyproject": {"pyproject.toml"}, "codeowners": {"codeowners"}, "eslintrc": {".eslintrc", ".eslintrc.js", ".eslintrc.json", ".eslintrc.cjs"},
	"license": {"license", "license.md", "license.txt"}, "gemfile": {"gemfile"}, "jenkinsfile": {"jenkinsfile"}, "procfile": {"procfile"}}

// Alias gives the files for a shortened name: "tsconfig", "the lockfile".
func (x *Index) Alias(word string) []string {
	var found []int
	for _, base := range aliases[strings.ToLower(strings.TrimPrefix(word, "."))] {
		found = append(found, x.base[base]...)
	}
	return x.pick(found)
}

func (x *Index) addDirs(p string) {
	for d := path.Dir(p); d != "." && d != "/" && !x.dirs[d]; d = path.Dir(d) {
		x.dirs[d] = true
		x.tails[path.Base(d)] = append(x.tails[path.Base(d)], d)
	}
}

// Stem is a file's name without its suffixes: "user.test.ts" is "user".
func Stem(name string) string {
	for {
		e := path.Ext(name)
		if e == "" || e == name {
			return name
		}
		name = strings.TrimSuffix(name, e)
	}
}

// Tracked tells whether a path is tracked, spelled as it is.
func (x *Index) Tracked(p string) (string, bool) {
	i, ok := x.exact[norm.NFC.String(p)]
	if !ok {
		return "", false
	}
	return x.paths[i], true
}

// Suffix tells whether a tracked file ends in this suffix, ".go".
func (x *Index) Suffix(ext string) bool { return x.exts[strings.ToLower(ext)] }

// Named tells whether a tracked file has this last element.
func (x *Index) Named(base string) bool {
	return len(x.base[strings.ToLower(norm.NFC.String(base))]) > 0
}

// Dir finds the folder that ends in a name; several are none.
func (x *Index) Dir(name string) (string, bool) {
	name = strings.Trim(Clean(name), "/")
	if x.dirs[name] {
		return name, true
	}
	var found []string
	for _, d := range x.tails[path.Base(name)] {
		if d == name || strings.HasSuffix(d, "/"+name) {
			found = append(found, d)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return "", false
}

// Most is how many files of a folder are listed: a folder with more is not what a review
// means file by file.
const Most = 2001

// Under lists what is tracked below a folder, in the order given, but no more than Most.
func (x *Index) Under(dir string) []string {
	var found []int
	for n := sort.SearchStrings(x.keys, dir+"/"); n < len(x.keys) && strings.HasPrefix(x.keys[n], dir+"/") && len(found) < Most; n++ {
		found = append(found, x.at[n])
	}
	return x.pick(found)
}

// Find gives the candidates for a name that is spelled as a path or the end of one, best
// rule first: exactly, as the end of tracked paths, as a path in some other checkout.
func (x *Index) Find(spelled string) []string {
	key := norm.NFC.String(Clean(spelled))
	if key == "" || foreign(key) {
		return nil
	}
	if p, ok := x.Tracked(key); ok && !strings.HasPrefix(spelled, "/") {
		return []string{p}
	}
	if found := x.ending(strings.TrimPrefix(key, "/")); len(found) > 0 {
		return found
	}
	return x.elsewhere(key)
}

// ending lists the tracked paths that end in a name; a difference in case only counts
// where nothing has the same case.
func (x *Index) ending(key string) []string {
	low := strings.ToLower(key)
	var same, folded []string
	for _, i := range x.base[path.Base(low)] {
		p := norm.NFC.String(x.paths[i])
		if p == key || strings.HasSuffix(p, "/"+key) {
			same = append(same, x.paths[i])
		} else if l := strings.ToLower(p); l == low || strings.HasSuffix(l, "/"+low) {
			folded = append(folded, x.paths[i])
		}
	}
	if len(same) > 0 {
		return same
	}
	return folded
}

// elsewhere drops the front of a path of another checkout, a container, a CI machine.
// What stays has to be a whole tracked path, and of two elements unless the path was
// absolute.
func (x *Index) elsewhere(key string) []string {
	absolute := strings.HasPrefix(key, "/")
	parts := strings.Split(strings.TrimPrefix(key, "/"), "/")
	for n := 1; n < len(parts) && n < 40; n++ {
		if !absolute && len(parts)-n < 2 {
			return nil
		}
		if p, ok := x.Tracked(strings.Join(parts[n:], "/")); ok {
			return []string{p}
		}
	}
	return nil
}

// foreign tells a path of installed code, which is never the repository's.
func foreign(key string) bool {
	for _, part := range []string{"node_modules/", "site-packages/", "dist-packages/", ".cargo/", "/rustc/", "pkg/mod/", ".m2/", "/gems/", "/usr/lib", "/usr/include", "/nix/store/"} {
		if strings.Contains(key, part) {
			return true
		}
	}
	return false
}

// Clean drops what is not part of a path: quotes, ./, a diff's a/ and b/, drive letters,
// the scheme of a file link; backslashes become slashes.
func Clean(s string) string {
	s = strings.Trim(s, "`'\"<>,;")
	s = strings.TrimPrefix(s, "file://")
	if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') {
		s = s[2:]
	}
	if strings.Contains(s, `\`) {
		s = strings.ReplaceAll(s, `\`, "/")
	}
	for strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "~/") {
		s = s[strings.Index(s, "/")+1:]
	}
	if s == "" {
		return ""
	}
	return strings.TrimSuffix(path.Clean(s), "/")
}

// sorted returns the paths of the indexes, without repeats.
func (x *Index) pick(indexes []int) []string {
	sort.Ints(indexes)
	var out []string
	for n, i := range indexes {
		if n == 0 || indexes[n-1] != i {
			out = append(out, x.paths[i])
		}
	}
	return out
}
