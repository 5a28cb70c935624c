package intent

import (
	"strings"
	"testing"
)

// checkSpans reads clauses by one rule; "-" is due where the rule does not fit.
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

// keeps is what Keeps finds in clauses that ask for nothing else.
func keeps(low []string) (Span, bool) {
	s, whole, ok := Keeps(low)
	return s, ok && whole
}

// beside is what Keeps finds in clauses that ask for something else as well.
func beside(low []string) (Span, bool) {
	s, whole, ok := Keeps(low)
	return s, ok && !whole
}

func TestKeeps(t *testing.T) {
	checkSpans(t, keeps, map[string]string{
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
		"the csv export is fine":          "the csv export",
		"fully backwards compatible":      "fully backwards compatible",
		"nobody touches the config":       "the config",
	})
}

func TestBeside(t *testing.T) {
	checkSpans(t, beside, map[string]string{
		"upgrade it while keeping the format":              "the format",
		"refactor it so that existing plugins still work":  "existing plugins",
		"format it while the comments survive":             "the comments",
		"make it lock free with the interface untouched":   "the interface",
		"add a cache such that the ids do not change":      "the ids",
		"upgrade the parser without changing the format":   "the format",
		"build the page without new dependencies":          "without new dependencies",
		"make it green without disable comments":           "without disable comments",
		"upgrade the parser without waiting for anybody":   "-",
		"show the list while the rest loads in background": "-",
	})
}

func TestFramed(t *testing.T) {
	checkSpans(t, keeps, map[string]string{
		"as long as the numbers stay":               "the numbers",
		"it's important that the api is frozen":     "the api",
		"try not to touch the footer":               "the footer",
		"we'll keep the old export":                 "the old export",
		"you may leave the footer as it is":         "the footer",
		"please note that , well , the ids stay":    "the ids",
		"whatever you do don't touch the migration": "the migration",
	})
	if n := framed(strings.Fields("try another colour")); n != 0 {
		t.Errorf("a try without not is %d words of a frame", n)
	}
}

func TestOrder(t *testing.T) {
	checkSpans(t, keepOrder, map[string]string{
		"let the footer be":                     "the footer",
		"let the footer stay as it is":          "the footer",
		"let it keep its name":                  "its name",
		"let people vote":                       "-",
		"do leave the tests":                    "the tests",
		"keep your hands off the payment flow":  "the payment flow",
		"keep the install simple":               "-",
		"keep playing":                          "-",
		"keep 14 days of backups":               "-",
		"keep the last five":                    "-",
		"keep the five newest":                  "-",
		"keep the 8 flavors":                    "the 8 flavors",
		"keep members logged in for a month":    "-",
		"keep the logs for 30 days":             "-",
		"leave archived posts out of search":    "-",
		"leaving out the admin area":            "the admin area",
		"keep the tests green please":           "the tests",
		"keep prod on 14":                       "prod",
		"leave the links we have mailed intact": "the links we have mailed",
	})
	checkSpans(t, placed, map[string]string{"in the guides keep the order": "the order", "in the guides we keep the order": "-"})
}

func TestProhibition(t *testing.T) {
	checkSpans(t, prohibition, map[string]string{
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

func TestWish(t *testing.T) {
	checkSpans(t, unwanted, map[string]string{
		"i don't want the wifi code touched":                    "the wifi code",
		"i don't want the wifi code to be changed":              "the wifi code",
		"i don't want to see the config format change":          "the config format",
		"we don't want any accounts":                            "we don't want any accounts",
		"i want the tests left alone":                           "the tests",
		"we want the order unchanged":                           "the order",
		"nobody should touch the flags":                         "the flags",
		"i want the tests":                                      "-",
		"we don't want the old page here in the new navigation": "-",
	})
	checkSpans(t, rather, map[string]string{"i'd rather you left the text as it is": "the text", "i'd rather the marts kept their order": "their order", "i'd rather you added it": "-"})
	checkSpans(t, sticking, map[string]string{"stick to the current api": "the current api", "we're happy with the layout": "the layout", "i love the footer the way it is": "the footer", "stick to it then": "-"})
	checkSpans(t, declined, map[string]string{"you must not change the order": "the order", "no need to touch the order": "the order", "i couldn't change the order": "-"})
	checkSpans(t, oneself, map[string]string{"i'll update the german version myself": "the german version", "the readme i'll do myself": "the readme"})
	checkSpans(t, unharmed, map[string]string{"this must not affect the api": "the api", "the migration must not break the export": "the export", "the page must not break the export": "-"})
	checkSpans(t, keepsOwn, map[string]string{"the entry point must keep its path": "its path", "it must keep its path": "-"})
	checkSpans(t, aboutElse, map[string]string{"this is not about the admin area": "the admin area", "careful with that": "-"})
}

func TestApart(t *testing.T) {
	checkSpans(t, Parted, map[string]string{
		"everything below the fold : don't touch":          "everything below the fold",
		"the api belongs to another team , don't touch it": "the api",
		"the api : show it":                                "-",
	})
	checkSpans(t, fronted, map[string]string{
		"the apply job you don't touch": "the apply job", "adults i don't want changed": "adults", "the rest i like as it is": "the rest",
		"the footer please leave alone": "the footer", "the footer i'd want left alone": "the footer", "the footer you show": "-",
	})
	checkSpans(t, asNow, map[string]string{"sort order the same as ever": "sort order", "output format identical please": "output format", "same as today": "-"})
	checkSpans(t, sameThing, map[string]string{"same stages please": "same stages", "same button for the list": "-", "same colours as today": "same colours as today"})
}

func TestExcept(t *testing.T) {
	checkSpans(t, Except, map[string]string{
		"all files except the legacy folder": "the legacy folder", "show it everywhere but on the login page": "the login page", "all files": "-", "rename all but not the flags": "the flags",
	})
	checkSpans(t, excepted, map[string]string{"everything but the admin area": "the admin area", "with the exception of prod": "prod", "except when it rains": "-"})
	checkSpans(t, besides, map[string]string{"you may change anything but the api": "the api", "you may change the api": "-"})
}

func TestLastThing(t *testing.T) {
	checkSpans(t, LastThing, map[string]string{"hide the bar below my list on phones": "my list", "hide bars": "-"})
}
