package count

import (
	"bytes"
	"cmp"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// Tree is a state of a project: slash-separated paths, and the contents of files.
type Tree interface {
	Paths() ([]string, error)
	Read(path string) ([]byte, error)
}

// ComparedTree is an after state that knows which paths changed, sorted, so that files need not be
// read to compare them.
type ComparedTree interface {
	Tree
	Changed() []string
}

// MaxFile is the largest file that is read for lists, in bytes.
const MaxFile = 16 << 20

// FS returns a Tree of a file system, without folders of dependencies and build output.
func FS(files fs.FS) Tree { return fsTree{files} }

type fsTree struct{ files fs.FS }

var skippedFolders = map[string]bool{".git": true, "node_modules": true, "vendor": true, "dist": true, "target": true,
	"__pycache__": true, ".venv": true}

func (t fsTree) Paths() ([]string, error) {
	var out []string
	err := fs.WalkDir(t.files, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skippedFolders[d.Name()]:
			return fs.SkipDir
		case d.Type().IsRegular():
			out = append(out, p)
		}
		return nil
	})
	return out, err
}

func (t fsTree) Read(p string) ([]byte, error) { return fs.ReadFile(t.files, p) }

// LanguageOf returns the language of a file by its path, "" for an unsupported one.
func LanguageOf(p string) string {
	if base := path.Base(p); strings.EqualFold(base, "gemfile") || strings.EqualFold(base, "rakefile") {
		return "ruby"
	}
	return languages[strings.ToLower(path.Ext(p))]
}

var languages = map[string]string{
	".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx", ".js": "javascript", ".mjs": "javascript",
	".cjs": "javascript", ".jsx": "jsx", ".json": "json", ".jsonc": "json", ".json5": "json", ".webmanifest": "json", ".go": "go",
	".py": "python", ".pyi": "python", ".md": "markdown", ".mdx": "markdown", ".markdown": "markdown", ".yml": "yaml",
	".yaml": "yaml", ".css": "css", ".scss": "scss", ".less": "scss", ".html": "html", ".htm": "html", ".svg": "html",
	".xml": "html", ".vue": "component", ".svelte": "component", ".rs": "rust", ".java": "java", ".kt": "kotlin",
	".kts": "kotlin", ".cs": "csharp", ".rb": "ruby",
	".toml": "toml", ".sql": "sql",
}

// ScanFile returns the lists in a file's text in order of position, and the imports of the file. ok
// is false for an unsupported language, for text larger than MaxFile, and for binary files.
func ScanFile(p string, src []byte) (lists []*List, imports []string, ok bool) {
	lang := LanguageOf(p)
	if lang == "" || len(src) > MaxFile || bytes.IndexByte(src[:min(len(src), 8000)], 0) >= 0 {
		return nil, nil, false
	}
	ok = true
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	switch lang {
	case "go":
		lists, imports = ScanGo(src)
	case "sql":
		lists = ScanSQL(src)
	case "markdown":
		lists = ScanMarkdown(src)
	case "yaml":
		lists, ok = ScanYAML(src)
	case "toml":
		lists = ScanTOML(src)
	case "html":
		lists = ScanHTML(src)
	case "component":
		lists = ScanHTML(src)
		if script, typed := ExtractScript(src); script != nil {
			of := syntax.JavaScript
			if typed {
				of = syntax.TypeScript
			}
			more, from := ScanCode(script, of)
			lists, imports = append(lists, more...), from
		}
	case "css", "scss":
		lists = ScanCSS(src, lang == "scss")
	default:
		lists, imports = ScanCode(src, syntax.Language(lang))
	}
	for _, l := range lists {
		l.File = p
	}
	slices.SortStableFunc(lists, func(a, b *List) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return lists, imports, ok
}

// lazyTree is a tree that reads files when they are needed.
type lazyTree struct {
	tree       Tree
	paths      []string
	files      map[string]*file
	byLastName map[string][]string // paths by the last part of their possible import names
}

type file struct {
	src        []byte
	lists      []*List
	imports    []string
	isCounted  bool
	exists     bool
	unreadable bool // of a supported language, but cannot be parsed
	failed     bool // it is there, but reading it failed
}

func newWorld(t Tree) (*lazyTree, error) {
	paths, err := t.Paths()
	sort.Strings(paths)
	return &lazyTree{tree: t, paths: paths, files: map[string]*file{}}, err
}

func (w *lazyTree) has(p string) bool {
	i := sort.SearchStrings(w.paths, p)
	return i < len(w.paths) && w.paths[i] == p
}

func (w *lazyTree) load(p string) *file {
	f := w.files[p]
	if f == nil {
		f = &file{}
		if w.has(p) {
			src, err := w.tree.Read(p)
			f.src, f.exists, f.failed = src, err == nil, err != nil
		}
		w.files[p] = f
	}
	return f
}

func (w *lazyTree) scan(p string) *file {
	f := w.load(p)
	if !f.isCounted && f.exists {
		var ok bool
		f.lists, f.imports, ok = ScanFile(p, f.src)
		f.isCounted, f.unreadable = true, !ok && LanguageOf(p) != ""
	}
	return f
}

// expand counts a list with everything it refers to, in any file.
func (w *lazyTree) expand(l *List) ([]Item, Count) {
	if l == nil {
		return nil, Count{}
	}
	return Expand(l, w.find)
}

// find returns the list that a name refers to within another list: one of an enclosing scope, of an
// imported file, or of another file of the same package.
func (w *lazyTree) find(name string, from *List) *List {
	qualifier, last := "", name
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		qualifier, last = strings.Trim(name[:i], ".:"), name[i+1:]
	}
	if q := strings.TrimPrefix(qualifier, "this"); q == "" || q == "self" {
		qualifier = ""
	}
	here := w.scan(from.File)
	if l := nearestDefinition(here.lists, qualifier, last, from); l != nil {
		return l
	}
	for _, p := range w.importedFiles(from.File, here.imports, 0) {
		f := w.scan(p)
		if l := nearestDefinition(f.lists, qualifier, last, &List{}); l != nil {
			return l
		}
		if l := nearestDefinition(f.lists, "", last, &List{}); l != nil {
			return l
		}
	}
	return nil
}

// nearestDefinition returns the innermost definition of a name around from.
func nearestDefinition(lists []*List, qualifier, name string, from *List) *List {
	var best *List
	for _, l := range lists {
		if l.Name != name || l == from || !definingKinds[l.Kind] {
			continue
		}
		if qualifier == "" && !hasPrefix(l.Path, append(from.Path, from.Name)) {
			continue
		}
		if qualifier != "" && !strings.HasSuffix("."+strings.Join(l.Path, "."), "."+qualifier) {
			continue
		}
		if best == nil || len(l.Path) > len(best.Path) {
			best = l
		}
	}
	return best
}

var definingKinds = map[ListKind]bool{Array: true, Object: true, Enum: true}

func hasPrefix(short, long []string) bool {
	return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
}

// importedFiles returns the files of the tree that a file imports, directly or indirectly, and
// those of its folder in languages where they share a scope.
func (w *lazyTree) importedFiles(from string, imports []string, depth int) []string {
	var out []string
	if depth > 2 {
		return nil
	}
	switch LanguageOf(from) {
	case "go", "rust", "java", "csharp", "sql":
		dir := ""
		if d := path.Dir(from); d != "." {
			dir = d + "/"
		}
		for i := sort.SearchStrings(w.paths, dir); i < len(w.paths) && strings.HasPrefix(w.paths[i], dir); i++ {
			if p := w.paths[i]; p != from && path.Dir(p) == path.Dir(from) && LanguageOf(p) == LanguageOf(from) {
				out = append(out, p)
			}
		}
	}
	for _, imp := range imports {
		for _, p := range w.resolve(from, imp) {
			if p == from {
				continue
			}
			out = append(out, p)
			if more := w.scan(p).imports; len(more) > 0 && len(more) < 50 {
				out = append(out, w.importedFiles(p, more, depth+1)...)
			}
		}
	}
	return out
}

// resolve returns the files that an import can mean.
func (w *lazyTree) resolve(from, imp string) []string {
	base := strings.TrimLeft(imp, "@~")
	relative := strings.HasPrefix(imp, ".") && LanguageOf(from) != "python"
	if relative {
		base = path.Join(path.Dir(from), imp)
	}
	base = strings.Trim(strings.TrimPrefix(base, "./"), "/")
	if base == "" {
		return nil
	}
	var out []string
	for _, p := range w.pathsCalled(path.Base(base)) {
		for _, s := range importNames(p) {
			if s == base || !relative && strings.HasSuffix(s, "/"+base) {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// importNames returns the names by which an import can refer to a file.
func importNames(p string) [4]string {
	stem := strings.TrimSuffix(p, path.Ext(p))
	return [4]string{p, stem, strings.TrimSuffix(stem, "/index"), strings.TrimSuffix(stem, "/__init__")}
}

// pathsCalled returns the paths with a possible import name that ends in name.
func (w *lazyTree) pathsCalled(name string) []string {
	if w.byLastName == nil {
		w.byLastName = map[string][]string{}
		for _, p := range w.paths {
			if LanguageOf(p) == "" {
				continue
			}
			seen := map[string]bool{}
			for _, s := range importNames(p) {
				if b := path.Base(s); !seen[b] {
					seen[b] = true
					w.byLastName[b] = append(w.byLastName[b], p)
				}
			}
		}
	}
	return w.byLastName[name]
}
