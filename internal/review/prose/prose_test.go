package prose

import (
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"# A\n\ntext\nmore\n\n- x\n  - y\n":        `heading"A"^-1 para"text|more"^0 item"x"^0 item"y"^2`,
		"Title\n=====\n\n> q\n> r\n":               `heading"Title"^-1 quote"q|r"^0`,
		"a\n\n```go\nx\n```\n":                     `para"a"^-1 code"x"^-1`,
		"a\n\n    x = 1\n\nb":                      `para"a"^-1 code"x = 1|"^-1 para"b"^-1`,
		"`a.yml`\n  L1 x\n  L2 y\n`b.yml`\n  z":    "para\"`a.yml`\"^-1 item\"L1 x|L2 y\"^0 para\"`b.yml`\"^-1 item\"z\"^2",
		"|File|Line|\n|---|---|\n|a|1|\n":          `row"a | 1"^-1`,
		"**Must fix**\n\n1. x\n\n**Nits**\n\n1. y": `heading"Must fix"^-1 item"x"^0 heading"Nits"^-1 item"y"^2`,
		"■ must\n- x\n\n■ imo\n- y":                `heading"must"^-1 item"x"^0 heading"imo"^-1 item"y"^2`,
		"- [x] a\n- ~~b~~\n":                       `item"a"^-1 done item" "^-1 struck`,
		"\ufeffa\r\nb<!-- no -->\r\n":              `para"a|b"^-1`,
		"**":                                       `para"**"^-1`,
	} {
		var got []string
		for _, u := range Parse(text, nil) {
			s := fmt.Sprintf("%s%q^%d", []string{"para", "heading", "item", "row", "code", "quote"}[u.Kind], strings.ReplaceAll(u.Text, "\n", "|"), u.Parent)
			if u.Box == Done {
				s += " done"
			}
			if u.Struck {
				s += " struck"
			}
			got = append(got, s)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q gives\n     %s\nwant %s", text, strings.Join(got, " "), want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("- a\n\t- b\n|x|\n|-|\n```\n> q\n~~")
	f.Fuzz(func(t *testing.T, text string) {
		for i, u := range Parse(text, nil) {
			if u.Parent >= i || u.Intro >= i || u.Line < 1 || u.Line > strings.Count(normal(text), "\n")+1 {
				t.Errorf("unit %d is odd: %+v", i, u)
			}
		}
	})
}
