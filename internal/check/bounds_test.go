package check

import (
	"strings"
	"testing"
)

// TestBounds: a forbidden change rejects if the name is unambiguous and exists; what the request
// asks for elsewhere, generated files and ambiguous names give a warning or nothing.
func TestBounds(t *testing.T) {
	t.Parallel()
	tree := map[string]string{
		"calc.go": "a\n", "ip.go": "a\n", "go.mod": "a\n", "README.md": "a\n", "docs/a.md": "a\n", "docs/b/c.md": "a\n",
		"pkg/a/config.go": "a\n", "pkg/b/config.go": "a\n", "pkg/b/one.go": "a\n", "calc_test.go": "a\n", "package-lock.json": "a\n",
	}
	for name, tt := range map[string]struct {
		request string
		change  edits
		want    string // severities and files
	}{
		"untouched":          {"Add Half. Don't touch ip.go", edits{"calc.go": "b\n"}, ""},
		"touched":            {"Add Half. Don't touch ip.go", edits{"ip.go": "b\n"}, "error ip.go"},
		"deleted":            {"Add Half. Leave ip.go alone", edits{"ip.go": ""}, "error ip.go"},
		"one of a list":      {"Don't touch ip.go, go.mod or docs/", edits{"docs/b/c.md": "b\n", "calc.go": "b\n"}, "error docs/b/c.md"},
		"a new file below":   {"Leave docs alone", edits{"docs/new.md": "b\n"}, "error docs/new.md"},
		"by its end":         {"Don't touch one.go", edits{"pkg/b/one.go": "b\n"}, "error pkg/b/one.go"},
		"two of that name":   {"Don't touch config.go", edits{"pkg/a/config.go": "b\n"}, "warning pkg/a/config.go"},
		"not there":          {"Don't touch legacy.go", edits{"calc.go": "b\n"}, "warning "},
		"the readme":         {"Don't touch the README", edits{"README.md": "b\n"}, "error README.md"},
		"the tests":          {"Fix Add without touching the tests", edits{"calc_test.go": "b\n"}, "error calc_test.go"},
		"a new test":         {"Fix Add without touching the tests", edits{"ip_test.go": "b\n"}, ""},
		"a glob":             {"Don't touch docs/*.md", edits{"docs/a.md": "b\n", "docs/b/c.md": "b\n"}, "error docs/a.md"},
		"asked for as well":  {"Fix Close in ip.go. Don't touch ip.go or go.mod", edits{"ip.go": "b\n"}, "warning ip.go"},
		"only":               {"Only change calc.go. Add Half", edits{"calc.go": "b\n"}, ""},
		"only, and more":     {"Only change calc.go. Add Half", edits{"calc.go": "b\n", "ip.go": "b\n"}, "error ip.go"},
		"only a folder":      {"Only change files in docs/", edits{"docs/b/c.md": "b\n", "calc.go": "b\n"}, "error calc.go"},
		"only, lock file":    {"Only change calc.go", edits{"package-lock.json": "b\n"}, "warning package-lock.json"},
		"only, with a test":  {"Only change calc.go. Add a test as well", edits{"calc.go": "b\n", "calc_test.go": "b\n"}, "warning calc_test.go"},
		"only what is new":   {"Only change new.go", edits{"new.go": "b\n"}, ""},
		"only what is not":   {"Only change nosuch.go", edits{"calc.go": "b\n"}, "warning ;warning calc.go"},
		"except":             {"Don't touch anything except calc.go and ip.go", edits{"ip.go": "b\n", "go.mod": "b\n"}, "error go.mod"},
		"nothing else":       {"Add Half to calc.go, touch nothing else", edits{"calc.go": "b\n", "ip.go": "b\n"}, "error ip.go"},
		"nothing else, what": {"Add Half, touch nothing else", edits{"calc.go": "b\n"}, "warning "},
	} {
		report := judgeOrder(t, tt.request, nil, tt.change.on(tree))
		var got []string
		for _, f := range report.Findings() {
			got = append(got, string(f.Severity)+" "+f.File)
		}
		if strings.Join(got, ";") != tt.want {
			t.Errorf("%s: %q, want %q\n%s", name, strings.Join(got, ";"), tt.want, titles(report))
		}
	}
}
