package intent

import (
	"strings"
	"testing"
)

// checkSpans applies one rule to clauses; "-" means that the rule does not match.
func checkSpans(t *testing.T, read func([]string) (Span, bool), cases map[string]string) {
	t.Helper()
	for text, want := range cases {
		low, got := strings.Fields(text), "-"
		if s, ok := read(low); ok {
			got = strings.Join(low[s.From:s.To], " ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestKeeps(t *testing.T) {
	checkSpans(t, FindKept, map[string]string{
		"keep the header as it is":        "the header",
		"please leave api.go alone":       "api.go",
		"don't touch any code":            "any code",
		"do not use a managed database":   "do not use a managed database",
		"without changing the public api": "the public api",
		"the tests stay":                  "the tests",
		"env names mustn't change":        "env names",
		"the column keeps its name":       "the column",
		"no new dependencies":             "no new dependencies",
		"same stages":                     "same stages",
		"we keep the login of course":     "the login",
		"nothing should change visually":  "nothing should change visually",
		"the worker is not part of this":  "the worker",
		"the spinner stays visible":       "-",
		"no longer works":                 "-",
		"same as last time":               "-",
		"don't forget the tests":          "",
		"keep it":                         "",
		"it must keep the newest":         "-",
		"save file format stays":          "save file format",
	})
}

func TestOrder(t *testing.T) {
	checkSpans(t, readKeepOrder, map[string]string{
		"let people vote":                       "-",
		"do leave the tests":                    "the tests",
		"keep your hands off the payment flow":  "the payment flow",
		"keep playing":                          "-",
		"keep the 8 flavors":                    "the 8 flavors",
		"leaving out the admin area":            "the admin area",
		"keep the tests green please":           "the tests",
		"keep prod on 14":                       "prod",
		"leave the links we have mailed intact": "the links we have mailed",
	})
}

func TestProhibition(t *testing.T) {
	checkSpans(t, readProhibition, map[string]string{
		"hands off the api":                      "the api",
		"stay out of the auth code":              "the auth code",
		"don't you dare touch the tests":         "the tests",
		"don't add or change any migrations":     "any migrations",
		"don't mess with the layout":             "the layout",
		"never rename the flags":                 "never rename the flags",
		"without renaming the flags":             "the flags",
		"don't ask me":                           "-",
		"don't worry about tests":                "-",
		"don't change it too much":               "don't change it too much",
		"never locally":                          "-",
		"do not use a database , please":         "do not use a database",
		"nobody knows":                           "-",
		"without the tests":                      "-",
		"don't laugh":                            "-",
		"do not add a single line to the readme": "do not add a single line to the readme",
	})
}

func TestLastThing(t *testing.T) {
	checkSpans(t, LastNounPhrase, map[string]string{"hide the bar below my list on phones": "my list", "hide bars": "-"})
}

func TestExcept(t *testing.T) {
	checkSpans(t, Exception, map[string]string{
		"all files except the legacy folder": "the legacy folder", "show it everywhere but on the login page": "the login page", "all files": "-", "rename all but not the flags": "the flags",
	})
	checkSpans(t, readException, map[string]string{"everything but the admin area": "the admin area", "with the exception of prod": "prod", "except when it rains": "-"})
}
