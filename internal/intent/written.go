package intent

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// frameOf reports a file of the repository in a paste: its name with the folder above
// it where the paste gives one. Both are in lower case.
func frameOf(paste, file string) bool {
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

// stem reports the name of a file without its ending.
func (p FileMessage) stem(low string) bool {
	return slices.ContainsFunc(p.Files, func(f string) bool {
		s, _, _ := strings.Cut(path.Base(f), ".")
		return len(s) == len(low) && strings.EqualFold(s, low)
	})
}

// written notes what can only be the name of a file, wherever in the message it is said: with an
// ending or a folder, or put together of several words as a file of the repository is.
func (n nouns) written(p FileMessage) {
	for w := range strings.FieldsSeq(p.Msg[:min(len(p.Msg), 4<<10)]) {
		if w = strings.Trim(w, "`\"'“”()[]{}<>,;:!?."); strings.Contains(w, "::") || strings.Contains(w, "*") && strings.Contains(w, ".") {
			n.literal[strings.ToLower(w)] = true // a module, a pattern
			continue
		}
		w = strings.Trim(w, "*")
		if w, _, _ = strings.Cut(w, ":"); len(w) < 4 {
			continue
		}
		low := strings.ToLower(strings.TrimPrefix(w, "./"))
		if n.kept[low] || n.literal[low] {
			continue
		}
		if exact(p.Files, low) || compound(w) && p.stem(low) {
			n.literal[low] = true
		}
	}
}

// compound reports a name put together of several words, as no word of the language is.
func compound(w string) bool { return len(nameParts(w)) > 1 }

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
