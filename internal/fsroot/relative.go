package fsroot

import (
	"path/filepath"
	"strings"
)

// RelativeTo returns path relative to the folder root, both absolute, and "" when it is empty or
// not below root.
func RelativeTo(root, path string) string {
	if path == "" {
		return ""
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return ""
	}
	return rel
}

// From returns a path as typed in the folder dir, relative to which it is unless it is absolute.
func From(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
