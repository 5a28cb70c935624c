package testrun

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/testreport"
)

// fileTree finds the files of a report below a root.
type fileTree struct {
	root     string
	realRoot string // root with its links resolved
	module   string // the Go module at the root, if any
}

func newTree(root string) fileTree {
	t := fileTree{root: root, realRoot: root, module: GoModule(root)}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		t.realRoot = real
	}
	return t
}

// locate returns the place in the tree of a failure: the first one that it names in a file of the
// tree and not of a dependency; "" and 0 if there is none.
func (t fileTree) locate(f testreport.Failure) (string, int) {
	var named []testreport.Place
	if f.File != "" {
		named = append(named, testreport.Place{File: f.File, Line: f.Line})
	}
	for _, p := range append(named, testreport.Places(f.Message, 60)...) {
		if file := t.find(p.File, f.Package); file != "" {
			return file, p.Line
		}
	}
	return "", 0
}

func (t fileTree) find(name, pkg string) string {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) {
		for _, root := range []string{t.root, t.realRoot} {
			if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(filepath.ToSlash(root), "/")+"/"); ok {
				return t.projectFile(rel)
			}
		}
		return ""
	}
	for _, dir := range t.folders(pkg) {
		if file := t.projectFile(path.Join(dir, name)); file != "" {
			return file
		}
	}
	return ""
}

// folders returns the possible folders of a file name in a package: Go prints names without their
// folder, Java without their source tree.
func (t fileTree) folders(pkg string) []string {
	dirs := []string{""}
	if rel, ok := strings.CutPrefix(pkg, t.module); ok && t.module != "" {
		// pkg.test and pkg_test are test builds of the package
		rel, _, _ = strings.Cut(strings.TrimPrefix(rel, "/"), " ")
		dirs = append([]string{strings.TrimSuffix(rel, ".test")}, dirs...)
	}
	if i := strings.LastIndexByte(pkg, '.'); i > 0 && !strings.Contains(pkg, "/") {
		below := strings.ReplaceAll(pkg[:i], ".", "/")
		dirs = append(dirs, "src/test/java/"+below, "src/test/kotlin/"+below)
	}
	return dirs
}

// projectFile returns rel cleaned if it is a regular file of the tree that people edit.
func (t fileTree) projectFile(rel string) string {
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
