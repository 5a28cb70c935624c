package clause

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
