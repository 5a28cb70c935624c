package intent

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// isFrameOf reports whether a paste contains a file of the repository: its name, with the folder
// above it if the paste has one. Both are in lower case.
func isFrameOf(paste, file string) bool {
	dir, base := path.Split(file)
	dir = path.Base(strings.TrimSuffix(dir, "/"))
	rest := paste
	for {
		i := strings.Index(rest, base)
		if i < 0 {
			return false
		}
		before := byte(' ')
		if i > 0 {
			before = rest[i-1]
		}
		if before == '/' && strings.HasSuffix(rest[:i-1], dir) || strings.IndexByte("([ \"", before) >= 0 {
			return true
		}
		rest = rest[i+len(base):]
	}
}

// hasStem reports whether a file has this name, without its extension.
func (p FileMessage) hasStem(low string) bool {
	return slices.ContainsFunc(p.Files, func(f string) bool {
		s, _, _ := strings.Cut(path.Base(f), ".")
		return len(s) == len(low) && strings.EqualFold(s, low)
	})
}

// addFileNames records words that can only be file names, anywhere in the message: with an
// extension or a folder, or a compound that is also a file of the repository.
func (n nouns) addFileNames(p FileMessage) {
	for w := range strings.FieldsSeq(p.Msg[:min(len(p.Msg), 4<<10)]) {
		if w = strings.Trim(w, "`\"'“”()[]{}<>,;:!?."); strings.Contains(w, "::") || strings.Contains(w, "*") && strings.Contains(w, ".") {
			n.literals[strings.ToLower(w)] = true // a module, a pattern
			continue
		}
		w = strings.Trim(w, "*")
		if w, _, _ = strings.Cut(w, ":"); len(w) < 4 {
			continue
		}
		low := strings.ToLower(strings.TrimPrefix(w, "./"))
		if n.preserved[low] || n.literals[low] {
			continue
		}
		if isFileName(p.Files, low) || isCompound(w) && p.hasStem(low) {
			n.literals[low] = true
		}
	}
}

// isCompound reports a name made of several words, unlike any word of the language.
func isCompound(w string) bool { return len(splitName(w)) > 1 }

func hasCamel(s string) bool {
	for i, r := range s {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

func fileStem(base string) string {
	s, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	return s
}

func isTestFile(f string) bool {
	low := strings.ToLower(f)
	return strings.Contains(low, "test") || strings.Contains(low, "spec/") || strings.Contains(low, "_spec")
}
