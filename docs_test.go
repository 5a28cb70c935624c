package belay_test

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	leads   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	nameIn  = regexp.MustCompile("`(\\w+)(?:\\(\\))?`\\s+in\\s+`((?:internal|cmd|bench|fleet)/[\\w/.-]+)`")
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
)

// TestLinksLeadSomewhere checks that links within the repository lead to a file and heading that
// exist, and that every page in docs has a link to it.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	pages, err := fs.Glob(os.DirFS("."), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	reached := map[string]bool{}
	for _, page := range append([]string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}, pages...) {
		text := fenced.ReplaceAllString(read(t, page), "")
		for _, m := range leads.FindAllStringSubmatch(text, -1) {
			file, place, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(page), file))
			}
			reached[target] = true
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if place != "" && !strings.Contains(anchors(read(t, target)), "\n"+place+"\n") {
				t.Errorf("%s links to %s, but %s has no such heading", page, m[1], target)
			}
		}
	}
	for _, page := range pages {
		if !reached[page] {
			t.Errorf("no page links to %s", page)
		}
	}
}

// TestNamesAreWhereDocsSay checks phrases such as "`Name` in `internal/x/y.go`": the file or
// package must contain the name.
func TestNamesAreWhereDocsSay(t *testing.T) {
	t.Parallel()
	pages, err := fs.Glob(os.DirFS("."), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append([]string{"README.md", "CONTRIBUTING.md"}, pages...) {
		for _, m := range nameIn.FindAllStringSubmatch(read(t, page), -1) {
			files := []string{m[2]}
			if !strings.HasSuffix(m[2], ".go") {
				if files, err = filepath.Glob(m[2] + "/*.go"); err != nil {
					t.Fatal(err)
				}
			}
			word := regexp.MustCompile(`\b` + m[1] + `\b`)
			if found++; !slices.ContainsFunc(files, func(f string) bool { return word.MatchString(read(t, f)) }) {
				t.Errorf("%s: %s is not in %s", page, m[1], m[2])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d names found: does the expression still match?", found)
	}
}

// anchors returns the link names of all headings, one per line.
func anchors(text string) string {
	all := "\n"
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r > 127:
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		all += name + "\n"
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	namesTest   = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)(?:/([\\w*]+))?`")
	namesPath   = regexp.MustCompile("`((?:internal|cmd|bench)/[\\w/.-]+)`")
	namesTarget = regexp.MustCompile("`make ([\\w-]+)")
)

// TestDocsNameWhatIsThere checks that the tests, stories, folders and make targets that pages name
// exist. Many of them are cited as the proof of a promise.
func TestDocsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && s.test {
				tests[fn.Name.Name] = true
			}
		}
	}
	makefile := "\n" + read(t, "Makefile")
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text := read(t, page)
		for _, m := range namesTest.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				t.Errorf("%s names the test %s, which does not exist", page, m[1])
			}
			if m[1] != "TestStories" || m[2] == "" {
				continue
			}
			if told, err := filepath.Glob("cmd/belay/testdata/script/" + m[2] + ".txtar"); err != nil || len(told) == 0 {
				t.Errorf("%s names the story %s, which does not exist: %v", page, m[2], err)
			}
		}
		for _, m := range namesPath.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names a path that does not exist: %v", page, err)
			}
		}
		for _, m := range namesTarget.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s names make %s, but the Makefile has no such target", page, m[1])
			}
		}
	}
}
