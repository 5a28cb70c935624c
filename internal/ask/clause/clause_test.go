package clause

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/ask/prose"
)

func TestClauses(t *testing.T) {
	for text, want := range map[string]string{
		"add a page and fix the login":                                     "add a page | fix the login",
		"the injuries question and the gym question":                       "the injuries question and the gym question",
		"the account page and the order history are affected":              "the account page and the order history are affected",
		"add a page about limits, a section and screenshots":               "add a page about limits | a section | screenshots",
		"add a page with a title, a text and a picture":                    "add a page with a title , a text and a picture",
		"when you pause, the music goes on":                                "when you pause | the music goes on",
		"it feels floaty make it snappier":                                 "it feels floaty | make it snappier",
		"replace s3 + cloudfront + acm":                                    "replace s3 + cloudfront + acm",
		"uploads accept anything -> limit to png":                          "uploads accept anything | limit to png",
		"'a' -> 'b' in the strings":                                        "\" -> \" in the strings",
		"refactor it without changing the api":                             "refactor it | without changing the api",
		"add a flag because people ask":                                    "add a flag | people ask",
		"the page isn't highlighted, the logo links to the wrong site":     "the page isn't highlighted | the logo links to the wrong site",
		"every question gets a timer, a translation of the result as well": "every question gets a timer | a translation of the result as well",
		"put it below, and the score font bigger in the card":              "put it below | the score font bigger in the card",
		"move the logo left and the menu right":                            "move the logo left | the menu right",
		"move the logo to the left and the right margin":                   "move the logo to the left and the right margin",
		"change the port to 1, the host to 2 and the size to 3":            "change the port to 1 | the host to 2 | the size to 3",
		"i want the tabs to stick and the footer to vanish":                "i want the tabs to stick | the footer to vanish",
		"bars: thin ones not thick, percentages with one decimal, drop it": "bars | thin ones not thick | percentages with one decimal | drop it",
		"x.cfg: forks 5 -> 25, pipelining on":                              "x.cfg | forks 5 -> 25 | pipelining on",
		"gives up after 10 s -> 60, and log it":                            "gives up after 10 s -> 60 | log it",
		"add drag & drop":                                                  "add drag & drop",
		"copy and paste the key":                                           "copy and paste the key",
		"big + and - buttons":                                              "big + and - buttons",
		"cover page, abstract, outline":                                    "cover page | abstract | outline",
		"cover the page, the abstract":                                     "cover the page , the abstract",
		"a site on which people see rooms":                                 "a site on which people see rooms",
		"add a mode and, if possible, a setting":                           "add a mode | a setting",
		"add a frame with a title and maybe a border":                      "add a frame with a title and maybe a border",
		"give the cache compression, a limit and a flag":                   "give the cache compression | a limit | a flag",
		"sort the list by lesson, then class":                              "sort the list by lesson , then class",
		"a counter for knitters, as pwa, big buttons":                      "a counter for knitters , as pwa | big buttons",
		"see https://example.org/x for it":                                 "see https : //example.org/x for it",
		"rename foo to bar, and baz to qux":                                "rename foo to bar | baz to qux",
		"the footer should be smaller, the header bigger":                  "the footer should be smaller | the header bigger",
		"fix the typo in the header + footer":                              "fix the typo in the header + footer",
		"give each user an avatar and each team a colour":                  "give each user an avatar | each team a colour",
		"every invoice gets a date, every reminder a link":                 "every invoice gets a date | every reminder a link",
		"translate the menu to french and the footer to german":            "translate the menu to french | the footer to german",
		"instead of a table, cards":                                        "instead of a table , cards",
		"use the logo everywhere, also in mails":                           "use the logo everywhere , also in mails",
		"sticky header, please, and a link":                                "sticky header | a link",
		"give the cache a limit":                                           "give the cache a limit",
		"dark mode, bigger fonts, new icons":                               "dark mode | bigger fonts | new icons",
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
