package intent

import (
	"testing"
)

func TestTouches(t *testing.T) {
	for word, want := range map[string]bool{
		"change": true, "renamed": true, "renaming": true, "broken": true, "migrated": false, "show": false,
	} {
		if got := IsTouchVerb(word); got != want {
			t.Errorf("%s: touches %v, want %v", word, got, want)
		}
	}
}

func TestSubject(t *testing.T) {
	checkSpans(t, ReadStaySubject, map[string]string{
		"the tests stay":                                     "the tests",
		"the order as before":                                "the order",
		"the logo should be left aligned":                    "-",
		"members should stay logged in":                      "-",
		"prod stays on 14":                                   "prod",
		"the badge stays red":                                "-",
		"it must stay":                                       "",
		"it must keep the newest":                            "-",
		"what the client sees should stay":                   "what the client sees",
		"the ids must not be renamed":                        "the ids",
		"old links must still load":                          "old links",
		"the output must be byte for byte the same":          "the output",
		"the api is used by customers and must not change":   "the api",
		"the box exists already and stays":                   "the box",
		"the order of columns obviously must not change":     "the order of columns",
		"the page a visitor sees must come out as it is now": "the page a visitor sees",
	})
}

func TestNothing(t *testing.T) {
	checkSpans(t, readUntouched, map[string]string{"nothing may change": "nothing may change", "none should ever break": "none should ever break", "nothing happens": "-"})
	checkSpans(t, readUnchanged, map[string]string{"on desktop nothing changes please": "on desktop nothing changes", "nothing else": "nothing else", "it did nothing else": "-", "nothing changes colour": "-"})
}

func TestThing(t *testing.T) {
	checkSpans(t, ReadNoThing, map[string]string{"no new dependencies please": "no new dependencies", "no login , no mails": "no login", "no longer works": "-", "no idea": "-", "no tests yet": "-"})
}
