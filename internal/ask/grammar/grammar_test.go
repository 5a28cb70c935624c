package grammar

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/ask/prose"
)

func TestClauses(t *testing.T) {
	for text, want := range map[string]string{
		"add a page and fix the login":                        "add a page | fix the login",
		"the injuries question and the gym question":          "the injuries question and the gym question",
		"the account page and the order history are affected": "the account page and the order history are affected",
		"add a page about limits, a section and screenshots":  "add a page about limits | a section | screenshots",
		"add a page with a title, a text and a picture":       "add a page with a title , a text and a picture",
		"when you pause, the music goes on":                   "when you pause | the music goes on",
		"it feels floaty make it snappier":                    "it feels floaty | make it snappier",
		"replace s3 + cloudfront + acm":                       "replace s3 + cloudfront + acm",
		"uploads accept anything -> limit to png":             "uploads accept anything | limit to png",
		"'a' -> 'b' in the strings":                           "\" -> \" in the strings",
		"refactor it without changing the api":                "refactor it | without changing the api",
		"add a flag because people ask":                       "add a flag | people ask",
		"dark mode, bigger fonts, new icons":                  "dark mode | bigger fonts | new icons",
	} {
		var got []string
		for _, c := range Clauses(prose.Sentence{Tokens: prose.Tokens(text, 0)}) {
			got = append(got, strings.Join(c.Low(), " "))
		}
		if g := strings.Join(got, " | "); g != want {
			t.Errorf("%q\ngot  %s\nwant %s", text, g, want)
		}
	}
}

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

func TestWrong(t *testing.T) {
	for text, want := range map[string]int{
		"the login crashes":                              Plain,
		"esc does not close it":                          Plain,
		"i can't save a patient":                         Plain,
		"coins respawn inside walls":                     Plain,
		"it is deleting not the row i chose but another": Plain,
		"why can i walk here":                            Faint,
		"it still polls":                                 Faint,
		"the button is not so visible":                   Faint,
		"fix the crash":                                  Fine,
		"the error page needs a link":                    Fine,
		"add duplicate detection":                        Fine,
		"the page should not be slow":                    Fine,
		"we don't need it any more":                      Fine,
		"please add a page for broken links":             Fine,
	} {
		if got, by := Wrong(strings.Fields(text)); got != want {
			t.Errorf("%q: %d by %q, want %d", text, got, by, want)
		}
	}
}

func TestImperative(t *testing.T) {
	for text, want := range map[string]int{
		"add a page": 1, "get rid of it": 3, "take it out": 1, "right-align numbers": 1, "centralise that": 1, "telegraph the attack": 1, "upgarde react": 1,
		"test coverage is low": 0, "search no longer works": 0, "the page": 0, "export of orders": 0, "log the temperature": 1, "login page": 0, "supports dark mode": 0,
	} {
		if got := Imperative(strings.Fields(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
