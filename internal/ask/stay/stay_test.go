package stay

import (
	"strings"
	"testing"
)

func TestKeeps(t *testing.T) {
	for text, want := range map[string]string{
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
	} {
		low := strings.Fields(text)
		s, _, ok := Keeps(low)
		got := "-"
		if ok {
			got = strings.Join(low[s.From:s.To], " ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
