package intent

import (
	"strings"
	"testing"
)

// TestBounds: sentences that limit the work, and sentences that only resemble them.
func TestBounds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Add a function Half. Don't touch ip.go":                         "-ip.go",
		"Add a function Half, but do not change ip.go, go.mod or docs/.": "-ip.go -go.mod -docs/",
		"Add Half; please don’t modify `go.mod`":                         "-go.mod",
		"Add Half without touching the tests":                            "-tests",
		"Leave README.md and docs/ alone and add Half":                   "-README.md -docs/",
		"add Half to calc.go and leave the file README.md as it is":      "-README.md",
		"Keep go.mod untouched. Add Half":                                "-go.mod",
		"Hands off src/legacy/*.js":                                      "-src/legacy/*.js",
		"Only change calc.go. Add Half":                                  "+calc.go",
		"Add Half. Change only files in src/calc/":                       "+src/calc/",
		"Don't touch anything except calc.go and calc_test.go":           "+calc.go +calc_test.go",
		"Limit your changes to src/a.ts":                                 "+src/a.ts",
		"Add Half to calc.go, touch nothing else":                        "+",
		"Add Half and don't change anything else.":                       "+",
		"Don't touch go.mod unless you have to":                          "",
		"Add x. Don't edit package-lock.json, run npm install instead":   "",
		"Add x. Don't touch go.mod, run the tests afterwards":            "-go.mod",
		"Don't change the version in go.mod":                             "",
		"don't change ip.go's behaviour":                                 "",
		"Don't change README.md too much":                                "",
		"Don't edit package.json by hand":                                "",
		"Users don't touch config.yml":                                   "",
		"Add a --check mode that formats without changing go.mod":        "",
		"The tool should only edit files in docs/":                       "",
		"only update the title in README.md":                             "",
		"Only change calc.go if that is enough":                          "",
		"Keep the API stable and don't break the tests":                  "",
		"Leave a comment in calc.go":                                     "",
		"Keep calc.go as small as it is now":                             "",
		"Don't change it":                                                "",
		"> Don't touch ip.go\n\nIgnore that.":                            "",
		"Fix this:\n```\nif err != nil { // don't touch ip.go\n}\n```":   "",
		"don't touch the README":                                         "-README",
		"Try not to touch go.mod":                                        "",
		"Add Half.\n- only change calc.go\n- don't touch go.sum":         "+calc.go -go.sum",
		"Rename Add to Plus; do not change e.g. the docs":                "",
		"Please never edit vendor/ or third_party/; add Half":            "-vendor/ -third_party/",
		"Don't touch a.go and don't touch b.go":                          "-a.go -b.go",
		"Leave a.go alone, and do not change b.go":                       "-b.go -a.go",
		"Only edit a.go; never edit b.go":                                "+a.go -b.go",
		"Don't touch a.go, only change b.go":                             "+b.go -a.go",
		"Add Half without touching tests/, and don't change go.mod":      "-go.mod -tests/",
		"Don't change a.go, and never edit c.go or docs":                 "-a.go -c.go -docs",
		"Add --check, that runs without changing a.go. Leave b.go as is": "-b.go",
		"Don't touch a.go and change nothing else":                       "+ -a.go",
		"Don't touch a.go and don't touch b.go unless you have to":       "",
		"Stay out of internal/legacy/ and add a flag --json":             "-internal/legacy/",
	} {
		var got []string
		for _, b := range Bounds(text) {
			sign := "-"
			if b.Only {
				sign = "+"
			}
			got = append(got, sign+b.What)
			if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(b.Words), " ")) {
				t.Errorf("%q: the sentence is %q", text, b.Words)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

// FuzzBounds: no text makes Bounds panic.
func FuzzBounds(f *testing.F) {
	f.Add("Don't touch a.go, b.go or `c/`. Only change x.")
	f.Fuzz(func(t *testing.T, text string) { Bounds(text) })
}
