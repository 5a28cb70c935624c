package prompt

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testreport"
)

// How much of the changed code is shown beside failing tests.
const (
	mostBeside      = 4  // files
	mostBesideLines = 60 // of one file's diff
)

// changedFile is the part of a diff that is about one file.
type changedFile struct {
	path string
	text string
}

// patches parts a diff as git prints it by its files.
func patches(diff string) []changedFile {
	var out []changedFile
	for part := range strings.SplitSeq("\n"+diff, "\ndiff --git ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		p := changedFile{text: "diff --git " + strings.TrimRight(part, "\n") + "\n"}
		for line := range strings.Lines(part) {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n\t"), "+++ b/"); ok {
				p.path = name
			} else if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n\t"), "--- a/"); ok && p.path == "" {
				p.path = name
			} else if strings.HasPrefix(line, "@@") {
				break
			}
		}
		if p.path != "" {
			out = append(out, p)
		}
	}
	return out
}

// beside gives the parts of a diff that failing tests are about: of the files that their places
// and stacks name, else of the code that a test file is for, else of its folder. "" when there is
// none, or when what it would show is the whole diff and the diff is shown anyway.
func beside(findings []belay.Finding, diff string, whole bool) string {
	all := patches(diff)
	var picked []changedFile
	pick := func(p changedFile) {
		if len(picked) < mostBeside && !slices.Contains(picked, p) {
			picked = append(picked, p)
		}
	}
	for _, f := range findings {
		if f.Category != belay.CategoryTests {
			continue
		}
		names, code := []string{f.File}, false
		for _, at := range testreport.Places(f.Detail, 60) {
			names = append(names, at.File)
		}
		for _, p := range all {
			if slices.ContainsFunc(names, func(n string) bool { return sameFile(n, p.path) }) {
				pick(p)
				code = code || !testLike(p.path)
			}
		}
		for _, near := range []func(test, p string) bool{subjectOf, inFolder} {
			for _, p := range all {
				if !code && f.File != "" && !testLike(p.path) && near(f.File, p.path) {
					pick(p)
				}
			}
			code = code || slices.ContainsFunc(picked, func(p changedFile) bool { return !testLike(p.path) && near(f.File, p.path) })
		}
	}
	if whole && len(picked) == len(all) && strings.Count(diff, "\n") <= MaxLines && len(diff) <= MaxBytes {
		return ""
	}
	var b strings.Builder
	for _, p := range picked {
		kept, left := Cut(p.text, mostBesideLines, MaxBytes/mostBeside)
		b.WriteString(strings.TrimRight(kept, "\n") + "\n")
		if left != "" {
			b.WriteString("(cut: " + left + ")\n")
		}
	}
	return b.String()
}

// sameFile tells whether a name in a report is a path of the tree: as it is, from the root of the
// file system, or, as Go and Java print them, without its folder.
func sameFile(name, p string) bool {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	return name != "" && (name == p || strings.HasSuffix(name, "/"+p) || !strings.Contains(name, "/") && path.Base(p) == name)
}

// testLike tells whether a path is that of a test, by what files of tests are called.
func testLike(p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	ends := func(s string, endings ...string) bool {
		return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(s, end) })
	}
	low := strings.ToLower(stem)
	return strings.HasPrefix(low, "test_") || ends(low, "_test", ".test", ".spec", "_spec") || ends(stem, "Test", "Tests")
}

// subjectOf tells whether p is the code that a test file is for: parse_test.go and parse.go.
func subjectOf(test, p string) bool {
	bare := func(p string) string {
		s := strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p)))
		s = strings.TrimPrefix(s, "test_")
		for _, end := range []string{"_test", ".test", ".spec", "_spec", "tests", "test"} {
			s = strings.TrimSuffix(s, end)
		}
		return s
	}
	return bare(p) != "" && bare(test) == bare(p)
}

func inFolder(test, p string) bool { return path.Dir(test) == path.Dir(p) }

// Whole are the files that hold in full what a prompt cuts, from the root of the tree; "" for
// one that is not there.
type Whole struct{ Diff, Findings string }

// pointed says, where a text was cut, which file has all of it.
func pointed(text, file string) string {
	if file == "" {
		return text
	}
	return strings.ReplaceAll(text, " left out)", " left out; all of it is in "+file+")")
}
