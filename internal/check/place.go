package check

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// placePattern finds file:line in what compilers and test runners print, and
// pythonPlace the form of Python's tracebacks.
var (
	placePattern = regexp.MustCompile(`([\w./@+\-]*\w\.[A-Za-z]\w{0,6}):(\d{1,7})\b`)
	pythonPlace  = regexp.MustCompile(`File "([^"\n]+)", line (\d{1,7})`)
)

type place struct {
	file string
	line int
}

// places gives every place a text mentions, in order, at most most.
func places(text string, most int) []place {
	var out []place
	for _, re := range []*regexp.Regexp{pythonPlace, placePattern} {
		for _, m := range re.FindAllStringSubmatch(text, most) {
			if n, err := strconv.Atoi(m[2]); err == nil && n > 0 && len(out) < most {
				out = append(out, place{m[1], n})
			}
		}
	}
	return out
}

func firstPlace(text string) (string, int) {
	if all := places(text, 1); len(all) > 0 {
		return all[0].file, all[0].line
	}
	return "", 0
}

// tree knows where files of a report may lie below a root.
type tree struct {
	root   string
	real   string // root without links
	module string // the Go module at the root, if any
}

func newTree(root string) tree {
	t := tree{root: root, real: root, module: goModule(root)}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		t.real = real
	}
	return t
}

// locate finds where a failure points in the tree: the first place named that is a
// file of the tree and not of a dependency. It gives "" and 0 when there is none.
func (t tree) locate(f TestFailure) (string, int) {
	var named []place
	if f.File != "" {
		named = append(named, place{f.File, f.Line})
	}
	for _, p := range append(named, places(f.Message, 60)...) {
		if file := t.find(p.file, f.Package); file != "" {
			return file, p.line
		}
	}
	return "", 0
}

func (t tree) find(name, pkg string) string {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) {
		for _, root := range []string{t.root, t.real} {
			if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(filepath.ToSlash(root), "/")+"/"); ok {
				return t.own(rel)
			}
		}
		return ""
	}
	for _, dir := range t.folders(pkg) {
		if file := t.own(path.Join(dir, name)); file != "" {
			return file
		}
	}
	return ""
}

// folders gives where a bare file name of a package may lie: Go prints names without
// their folder, Java without their source tree.
func (t tree) folders(pkg string) []string {
	dirs := []string{""}
	if rel, ok := strings.CutPrefix(pkg, t.module); ok && t.module != "" {
		// pkg.test and pkg_test are the package's test builds.
		rel, _, _ = strings.Cut(strings.TrimPrefix(rel, "/"), " ")
		dirs = append([]string{strings.TrimSuffix(rel, ".test")}, dirs...)
	}
	if i := strings.LastIndexByte(pkg, '.'); i > 0 && !strings.Contains(pkg, "/") {
		below := strings.ReplaceAll(pkg[:i], ".", "/")
		dirs = append(dirs, "src/test/java/"+below, "src/test/kotlin/"+below)
	}
	return dirs
}

// own gives rel cleaned when it is a regular file of the tree that people edit.
func (t tree) own(rel string) string {
	rel = path.Clean(rel)
	if !filepath.IsLocal(rel) {
		return ""
	}
	for part := range strings.SplitSeq(rel, "/") {
		switch part {
		case "node_modules", "vendor", "site-packages", ".venv", "venv", ".git":
			return ""
		}
	}
	info, err := os.Lstat(filepath.Join(t.root, filepath.FromSlash(rel)))
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return rel
}

// goModule gives the module path that the go.mod at root names.
func goModule(root string) string {
	for line := range strings.Lines(string(readSmall(root, "go.mod"))) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			rest, _, _ = strings.Cut(rest, "//")
			return strings.Trim(strings.TrimSpace(rest), "\"`")
		}
	}
	return ""
}
