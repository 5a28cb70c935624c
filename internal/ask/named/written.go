package named

import (
	"path"
	"strings"
	"unicode"
)

// frameOf reports a file of the repository in a paste: its name with the folder above
// it where the paste gives one.
func frameOf(paste, file string) bool {
	dir, base := path.Split(strings.ToLower(file))
	dir = path.Base(strings.TrimSuffix(dir, "/"))
	rest := strings.ToLower(paste)
	for {
		i := strings.Index(rest, base)
		if i < 0 {
			return false
		}
		before := byte(' ')
		if i > 0 {
			before = rest[i-1]
		}
		if before == '/' && strings.HasSuffix(rest[:i-1], dir) || before == '(' || before == '[' || before == ' ' || before == '"' {
			return true
		}
		rest = rest[i+len(base):]
	}
}

func hasCamel(s string) bool {
	for i, r := range s {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

func stemOf(base string) string {
	s, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	return s
}

func testFile(f string) bool {
	low := strings.ToLower(f)
	return strings.Contains(low, "test") || strings.Contains(low, "spec/") || strings.Contains(low, "_spec")
}
