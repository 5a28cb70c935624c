package intent

import (
	"strings"
	"testing"
)

// checkReports asks one predicate about clauses.
func checkReports(t *testing.T, is func([]string) bool, cases map[string]bool) {
	t.Helper()
	for text, want := range cases {
		if got := is(strings.Fields(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestTouches(t *testing.T) {
	for word, want := range map[string][2]bool{ // in any form; as a participle
		"change": {true, false}, "renamed": {true, true}, "renaming": {true, false}, "broken": {true, true}, "migrated": {false, true}, "show": {false, false},
	} {
		if got := [2]bool{Touches(word), Touched(word)}; got != want {
			t.Errorf("%s: touches, touched %v, want %v", word, got, want)
		}
	}
}

func TestModal(t *testing.T) {
	for text, want := range map[string]struct {
		n      int
		denied bool
		copula bool
	}{
		"must not change":                  {2, true, false},
		"may under no circumstances break": {4, true, false},
		"is final":                         {1, false, true},
		"is not to be touched":             {3, true, false},
		"doesn't really need to change":    {4, true, false},
		"has to stay":                      {2, false, false},
		"has buttons":                      {0, false, false},
		"does need to change":              {0, false, false},
		"cannot move":                      {1, true, false},
		"shows more":                       {0, false, false},
	} {
		n, m := ModalVerb(strings.Fields(text))
		if n != want.n || m.Denied != want.denied || m.Copula != want.copula {
			t.Errorf("%q: %d %+v, want %+v", text, n, m, want)
		}
	}
}

func TestSubject(t *testing.T) {
	checkSpans(t, StaySubject, map[string]string{
		"the tests stay":                                     "the tests",
		"the order as before":                                "the order",
		"the logo should be left aligned":                    "-",
		"members should stay logged in":                      "-",
		"prod stays on 14":                                   "prod",
		"the badge stays red":                                "-",
		"it must stay":                                       "",
		"it must keep the newest":                            "-",
		"what the client sees should stay":                   "what the client sees",
		"now the wood stays wet":                             "-",
		"i can't change my password":                         "-",
		"the slider can't be moved on the phone":             "-",
		"the ids must not be renamed":                        "the ids",
		"old links must still load":                          "old links",
		"the output must be byte for byte the same":          "the output",
		"the api is used by customers and must not change":   "the api",
		"the box exists already and stays":                   "the box",
		"the order of columns obviously must not change":     "the order of columns",
		"the page a visitor sees must come out as it is now": "the page a visitor sees",
	})
}

func TestVerdict(t *testing.T) {
	checkSpans(t, func(low []string) (Span, bool) {
		at, ok := verdict(low)
		return Span{To: at}, ok
	}, map[string]string{
		"the price list is final":                  "the price list",
		"the wording is not up for debate":         "the wording",
		"saved games have to survive":              "saved games",
		"existing configs must load":               "existing configs",
		"configs must load":                        "-",
		"the export has to go on working":          "the export",
		"the search must not get slower":           "the search",
		"the colours must not change a lot of it":  "the colours",
		"the report must come out as today":        "the report",
		"the report must come out on paper":        "-",
		"the header is to be left as it is":        "the header",
		"the css can wait":                         "the css",
		"the old flag is still needed":             "the old flag",
		"a page must not change":                   "-",
		"the form , when sent , must not change":   "-",
		"the columns must match the current ones":  "the columns",
		"the columns must match the new ones":      "-",
		"addresses must be exactly what they were": "addresses",
	})
}

func TestNone(t *testing.T) {
	checkSpans(t, NoneOf, map[string]string{
		"no public method may change":           "no public method may change",
		"no rows are shown":                     "-",
		"for heaven's sake no label":            "no label",
		"not a comma may be touched":            "not a comma may be touched",
		"not one single test":                   "not one single test",
		"zero options":                          "zero options",
		"zero rows":                             "-",
		"leave out any ads":                     "leave out any ads",
		"without ffmpeg if you can manage":      "without ffmpeg",
		"without changing it":                   "-",
		"it needs no account":                   "no account",
		"it should have no login please":        "no login",
		"it had no login":                       "-",
		"it must not talk to their systems":     "it must not talk to their systems",
		"nobody should notice":                  "nobody should notice",
		"users should not notice anything":      "users should not notice anything",
		"nothing that needs a server":           "nothing that needs a server",
		"nothing may be uploaded":               "nothing may be uploaded",
		"nothing to install":                    "nothing to install",
		"nothing happens after i change a cell": "-",
	})
}

func TestNothing(t *testing.T) {
	checkSpans(t, Untouched, map[string]string{"nothing may change": "nothing may change", "none should ever break": "none should ever break", "nothing happens": "-"})
	checkSpans(t, Unchanged, map[string]string{"on desktop nothing changes please": "on desktop nothing changes", "nothing else": "nothing else", "it did nothing else": "-", "nothing changes colour": "-"})
	checkSpans(t, NothingNew, map[string]string{
		"the extension must not get new dependencies": "the extension must not get new dependencies",
		"the extension mustn't need any rights":       "the extension mustn't need any rights",
		"the extension must not get slow again":       "-",
	})
}

func TestWithout(t *testing.T) {
	for text, want := range map[string]string{ // the words, and "whole" where nothing else is asked for
		"make it green without disable comments": "without disable comments",
		"can it work without ads":                "without ads whole",
		"migrate it without downtime":            "without downtime",
		"deploy the site without changing it":    "-",
		"the page loads without pictures":        "-",
	} {
		low, got := strings.Fields(text), "-"
		if s, whole, ok := Unaided(low); ok {
			got = strings.Join(low[s.From:s.To], " ")
			if whole {
				got += " whole"
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	checkSpans(t, Undesired, map[string]string{"we don't want accounts": "we don't want accounts", "i don't need the old page": "-", "i don't want ads anymore": "-"})
}

func TestThing(t *testing.T) {
	checkSpans(t, NoThing, map[string]string{"no new dependencies please": "no new dependencies", "no login , no mails": "no login", "no longer works": "-", "no idea": "-", "no tests yet": "-"})
}
