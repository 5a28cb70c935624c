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
	maxRelatedFiles = 4  // files
	maxRelatedLines = 60 // of one file's diff
)

// changedFile is the part of a diff that is about one file.
type changedFile struct {
	path string
	text string
}

// splitDiff splits a diff, as git prints it, into its files.
func splitDiff(diff string) []changedFile {
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

// relatedDiff returns the parts of a diff that failing tests are about: the files that their
// places and stacks name, else the code that a test file is for, else its folder. It returns
// "" when there is none, or when the result would be the whole diff and whole says that it is
// shown anyway.
func relatedDiff(findings []belay.Finding, diff string, whole bool) string {
	all := splitDiff(diff)
	var picked []changedFile
	pick := func(p changedFile) {
		if len(picked) < maxRelatedFiles && !slices.Contains(picked, p) {
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
			if slices.ContainsFunc(names, func(n string) bool { return isSameFile(n, p.path) }) {
				pick(p)
				code = code || !isTestPath(p.path)
			}
		}
		for _, near := range []func(test, p string) bool{isTested, inSameFolder} {
			for _, p := range all {
				if !code && f.File != "" && !isTestPath(p.path) && near(f.File, p.path) {
					pick(p)
				}
			}
			code = code || slices.ContainsFunc(picked, func(p changedFile) bool { return !isTestPath(p.path) && near(f.File, p.path) })
		}
	}
	if whole && len(picked) == len(all) && strings.Count(diff, "\n") <= MaxLines && len(diff) <= MaxBytes {
		return ""
	}
	var b strings.Builder
	for _, p := range picked {
		kept, left := Cut(p.text, maxRelatedLines, MaxBytes/maxRelatedFiles)
		b.WriteString(strings.TrimRight(kept, "\n") + "\n")
		if left != "" {
			b.WriteString("(cut: " + left + ")\n")
		}
	}
	return b.String()
}

// isSameFile reports whether a name in a report is a path of the tree: unchanged, from the
// root of the file system, or, as Go and Java print it, without its folder.
func isSameFile(name, p string) bool {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	return name != "" && (name == p || strings.HasSuffix(name, "/"+p) || !strings.Contains(name, "/") && path.Base(p) == name)
}

// isTestPath reports whether a path is that of a test, by the usual names of test files.
func isTestPath(p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	ends := func(s string, endings ...string) bool {
		return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(s, end) })
	}
	low := strings.ToLower(stem)
	return strings.HasPrefix(low, "test_") || ends(low, "_test", ".test", ".spec", "_spec") || ends(stem, "Test", "Tests")
}

// isTested reports whether p is the code that a test file is for, like parse.go for
// parse_test.go.
func isTested(test, p string) bool {
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

func inSameFolder(test, p string) bool { return path.Dir(test) == path.Dir(p) }

// FullFiles are the paths, from the root of the tree, of the files with the full text of what
// a prompt cuts; "" for one that does not exist.
type FullFiles struct{ Diff, Findings string }

// withFilePointer adds to a text that was cut which file has all of it.
func withFilePointer(text, file string) string {
	if file == "" {
		return text
	}
	return strings.ReplaceAll(text, " left out)", " left out; all of it is in "+file+")")
}
