package lint

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// fileTree resolves file names that linters print to paths below the root.
type fileTree struct{ roots []string }

func newTree(root string) fileTree {
	t := fileTree{}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	t.roots = append(t.roots, filepath.ToSlash(root))
	if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
		t.roots = append(t.roots, filepath.ToSlash(real))
	}
	return t
}

// find returns the path, relative to the root, of a file that a linter names: absolute, relative to
// the root, or to a folder it ran in if that identifies a single changed file. It returns "" for a
// file outside.
func (t fileTree) find(name string, changed map[string]string) string {
	if path.IsAbs(name) {
		for _, root := range t.roots {
			if rel, ok := strings.CutPrefix(path.Clean(name), strings.TrimSuffix(root, "/")+"/"); ok {
				return rel
			}
		}
		return ""
	}
	rel := path.Clean(name)
	if name == "" || !filepath.IsLocal(rel) {
		return ""
	}
	if _, ok := changed[rel]; ok {
		return rel
	}
	if _, err := os.Lstat(filepath.Join(t.roots[0], filepath.FromSlash(rel))); err == nil {
		return rel
	}
	only := ""
	for p, status := range changed {
		if status != "D" && strings.HasSuffix(p, "/"+rel) {
			if only != "" {
				return ""
			}
			only = p
		}
	}
	return only
}
