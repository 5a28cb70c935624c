package fsroot

import (
	"path/filepath"
	"strings"
)

// Inside returns path relative to the folder root, both absolute, and "" when it lies
// elsewhere or is empty.
func Inside(root, path string) string {
	if path == "" {
		return ""
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return ""
	}
	return rel
}
