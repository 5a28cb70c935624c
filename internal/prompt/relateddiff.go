package prompt

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testreport"
)

// Limits of the changed code that is shown with failing tests.
const (
	maxRelatedFiles = 4  // files
	maxRelatedLines = 60 // of one file's diff
)

// changedFile is the part of a diff about one file.
type changedFile struct {
	path string
	text string
}

// splitDiff splits git's diff by file.
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

// relatedDiff returns the parts of a diff that failing tests cover: the files that their places and
// stacks name, or else the code that a test file is for, or else its folder. It is "" if there are
// none, and if whole is set and the result would be the entire diff, which the prompt has anyway.
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

// isSameFile reports whether a name in a report is a path of the tree: unchanged, absolute, or, as
// Go and Java print it, without its folder.
func isSameFile(name, p string) bool {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	return name != "" && (name == p || strings.HasSuffix(name, "/"+p) || !strings.Contains(name, "/") && path.Base(p) == name)
}

// isTestPath reports whether a path has a common name of a test file.
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

// FullFiles are the paths, relative to the root, of the files with the full text of what a prompt
// cuts; "" if there is none.
type FullFiles struct{ Diff, Findings string }

// withFilePointer appends to the notes of a cut which file has the full text.
func withFilePointer(text, file string) string {
	if file == "" {
		return text
	}
	return strings.ReplaceAll(text, " left out)", " left out; all of it is in "+file+")")
}
