package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// FileMessage is what the search for files needs of a message.
type FileMessage struct {
	Msg        string
	Blocks     []Block
	Acts       []Act
	Asked      []Act // the requirements, with their markers
	Preserve   []string
	Kind       belay.RequestType
	Fresh      bool
	PlanExists bool
	Files      []string // of the repository, with slashes
}

// Paths returns the files that the message names: by path or name, in a stack trace, or by a noun
// in the file's name. A file that is only named as one to leave unchanged is not among them.
func (p FileMessage) Paths() []string {
	out := p.findPaths(true)
	if len(out) > 0 || len(p.Asked) == 0 || !slices.ContainsFunc(p.Acts,
		func(a Act) bool { return a.Kind == Background && isStory(a.Clause.Lower()) }) {
		return out
	}
	return p.findPaths(false)
}

// findPaths searches the sentences that ask for something, and the others as well unless strict.
func (p FileMessage) findPaths(strict bool) []string {
	if len(p.Files) == 0 || p.Fresh && !p.PlanExists && !strings.Contains(p.Msg, "/") {
		return nil
	}
	kind, n := p.Kind, p.gatherNouns(strict && len(p.Asked) > 0)
	sure, maybe, close := n.findFiles(p)
	if len(sure) == 0 && n.namesNewFile(p.Files) {
		return nil // the other words name no other file
	}
	if kind != belay.Fresh && len(sure)+len(maybe) == 0 {
		for _, f := range n.filesByHead(close) {
			maybe = append(maybe, fileMatch{f, 1, []string{f}})
		}
	}
	sure = n.addLikely(sure, maybe, p)
	if kind != belay.Fresh && kind != belay.Unclear {
		sure = append(sure, n.aliases(p.Files, p)...)
		if len(sure) == 0 {
			sure = singleFile(n.filesByFront(close))
		}
	}
	return inOrder(p.Files, sure)
}

// findFiles returns the files that are named, those that nouns match, and all that can match at
// all.
func (n nouns) findFiles(p FileMessage) (sure []string, maybe []fileMatch, close []string) {
	for _, f := range p.Files {
		if !n.prefixes.mayMatch(f) {
			continue
		}
		close = append(close, f)
		if n.namesFile(f) {
			if isTestFile(f) && !n.wordStems["test"] &&
				slices.ContainsFunc(p.Files, func(o string) bool { return !isTestFile(o) && path.Base(o) == path.Base(f) }) {
				continue // of src/decoder.rs and tests/decoder.rs, the one that is no test
			}
			sure = append(sure, f)
		} else if p.Kind != belay.Fresh {
			if got := n.matchedParts(f); len(got) > 0 {
				maybe = append(maybe, fileMatch{f, len(got), got})
			}
		}
	}
	return sure, maybe, close
}

// namesNewFile reports whether the message names a file with an extension that files of the
// repository have. The caller found no existing file of that name.
func (n nouns) namesNewFile(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		ext := strings.ToLower(path.Ext(f))
		return len(ext) > 1 && n.endings[ext]
	})
}

// singleFile returns files if there is at most one.
func singleFile(files []string) []string {
	if len(files) > 1 {
		return nil
	}
	return files
}

// inOrder returns the chosen files once each, in the order of files.
func inOrder(files, chosen []string) (out []string) {
	left := make(map[string]bool, len(chosen))
	for _, f := range chosen {
		left[f] = true
	}
	for _, f := range files {
		if len(left) == 0 {
			break
		}
		if left[f] {
			out = append(out, f)
			delete(left, f)
		}
	}
	return out
}

// fileMatch is a file that nouns of the message match: how many and which.
type fileMatch struct {
	path  string
	count int
	parts []string
}

// addLikely adds those of the possible files that no rule excludes.
func (n nouns) addLikely(sure []string, maybe []fileMatch, p FileMessage) []string {
	maybe = slices.DeleteFunc(maybe, func(h fileMatch) bool {
		migration := strings.Contains(strings.ToLower(h.path), "migration")
		if migration && !n.hasPart("migration") || strings.HasSuffix(h.path, ".sln") {
			return true
		}
		return n.isSpared(h.path) || n.isViewOnly(h.path, p.Files)
	})
	if p.Kind == belay.Unclear && (len(maybe) > 1 || len(sure) > 0) {
		maybe = nil // one thing is named, or the message does not say which
	}
	if others := slices.DeleteFunc(slices.Clone(maybe), func(h fileMatch) bool {
		return isAboutPeople(h.path, h.parts)
	}); len(others)+len(sure) > 0 {
		maybe = others
	}
	said := slices.Clone(sure)
	for i, h := range maybe {
		better := slices.ContainsFunc(said, func(f string) bool { return f != h.path && isSibling(f, h.path) && !n.namesFile(h.path) })
		for j, o := range maybe {
			more := i != j && o.count > h.count && isSubset(h.parts, o.parts)
			better = better || more && (isTestFile(h.path) || !isTestFile(o.path)) && !n.isMentionedAlone(h.parts, o.parts)
		}
		if !better && !(isTestFile(h.path) && !n.wordStems["test"]) {
			sure = append(sure, h.path)
		}
	}
	return sure
}

// isSibling reports two files that differ only in their extensions: if one is named with it, the
// other is not meant.
func isSibling(a, b string) bool {
	return path.Dir(a) == path.Dir(b) && fileStem(path.Base(a)) == fileStem(path.Base(b))
}

func isSubset(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return true
}

// isArticle reports an article, which a noun follows even if that can also be a verb ("the switch",
// "a build").
func isArticle(w string) bool { return w == "the" || w == "a" || w == "an" || w == "our" || w == "my" }

// testedName returns the name of what a test is for: slotservice of slotservicetest.
func testedName(stem string) string {
	for _, mark := range []string{"tests", "test", "_spec", "spec"} {
		if s, ok := strings.CutSuffix(stem, mark); ok {
			return strings.TrimRight(s, "_-.")
		}
	}
	return strings.TrimPrefix(stem, "test_")
}

// isSpared reports a file that is named only as one to leave unchanged.
func (n nouns) isSpared(file string) bool {
	low := strings.ToLower(path.Base(file))
	s := fileStem(low)
	return n.preserved[low] || n.preserved[strings.ToLower(file)] || n.preserved[s] && isCompound(fileStem(path.Base(file)))
}

// namesFile reports whether the message contains a file's path or name, or a stack trace with it.
func (n nouns) namesFile(file string) bool {
	low := strings.ToLower(file)
	base := path.Base(low)
	if n.literals[base] || len(n.literalPaths) > 0 && n.literals[low] {
		return true
	}
	for _, l := range n.literalPaths {
		if strings.Contains(l, "*") && len(l) > 4 {
			if ok, _ := path.Match(l, base); ok {
				return true // "the migrations named *_fix.sql"
			}
		}
		if strings.Contains(l, "/") && (strings.HasSuffix(low, "/"+strings.TrimPrefix(l, "/")) || strings.HasSuffix(l, "/"+low)) {
			return true
		}
		if i := strings.IndexByte(l, ':'); i > 0 && l[:i] == base {
			return true
		}
	}
	if s := fileStem(base); len(s) > 3 && !n.preserved[base] && (strings.ContainsAny(s, "_-.") || hasCamel(fileStem(path.Base(file)))) {
		if n.literals[s] || n.wordStems["test"] && isTestFile(file) && n.literals[testedName(s)] {
			return true
		}
	}
	return strings.Contains(n.pastedLower, base) && (len(base) > 4 || strings.Contains(n.pastedLower, low)) && isFrameOf(n.pastedLower, low)
}
