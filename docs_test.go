package belay_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	leads   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
)

// TestLinksLeadSomewhere: what the README and the docs lead to within the repository is
// there, heading and all; and something leads to every page of the docs.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	pages, err := fs.Glob(os.DirFS("."), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	reached := map[string]bool{}
	for _, page := range append([]string{"README.md", "CHANGELOG.md"}, pages...) {
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
				t.Errorf("%s leads to %s: %v", page, m[1], err)
			} else if place != "" && !strings.Contains(anchors(read(t, target)), "\n"+place+"\n") {
				t.Errorf("%s leads to %s, and %s has no such heading", page, m[1], target)
			}
		}
	}
	for _, page := range pages {
		if !reached[page] {
			t.Errorf("nothing leads to %s", page)
		}
	}
}

// anchors gives what headings are called in links, a line each.
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
