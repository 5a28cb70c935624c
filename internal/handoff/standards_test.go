package handoff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

const tier = `---
title: tier
---
Words before.

# Backend

Intro.

## Handler Constraints

Handlers are small. A handler **must not** exceed [complexity 10](x.md); 75 lines at most.

- one
- two

### Below

Never log a body.

## Layering

` + "```sh\n# no heading\n## neither\n```" + `

Setext
------

Only services call stores.

## Layering

A second one of that name.
`

func read(t testing.TB, path, text string) Document {
	t.Helper()
	d, err := Read(File{Path: path, Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSections(t *testing.T) {
	d := read(t, "s.md", tier)
	var got []string
	for _, s := range d.Sections {
		got = append(got, fmt.Sprintf("%s %d-%d own %d", s.Slug, s.Start, s.End, s.Own))
	}
	want := []string{" 1-4 own 4", "backend 6-35 own 8", "handler-constraints 10-19 own 15", "below 17-19 own 19", "layering 21-26 own 26",
		"setext 28-31 own 31", "layering-1 33-35 own 35"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSlugs(t *testing.T) {
	var got []string
	for _, s := range read(t, "s.md", "# A-1\n# A\n# A\n# A\n").Sections {
		got = append(got, s.Slug)
	}
	if want := []string{"a-1", "a", "a-2", "a-3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLineEndsDoNotMatter: a checkout with other line ends, with or without a byte order mark,
// gives the same citations.
func TestLineEndsDoNotMatter(t *testing.T) {
	plain, _ := CiteAll(read(t, "s.md", tier), nil)
	for name, text := range map[string]string{
		"CRLF": strings.ReplaceAll(tier, "\n", "\r\n"), "BOM": "\ufeff" + tier, "CR": strings.ReplaceAll(tier, "\n", "\r"),
		"no final newline": strings.TrimSuffix(tier, "\n"),
	} {
		got, _ := CiteAll(read(t, "s.md", text), nil)
		if !slices.Equal(got, plain) {
			t.Errorf("%s:\n%v\n%v", name, got, plain)
		}
	}
}

func TestRequirement(t *testing.T) {
	for text, want := range map[string]string{
		"# X\n\nHandlers are small. A handler **must not** exceed [complexity 10](x.md); 75 at most.\n": "A handler must not exceed complexity 10; 75 at most.",
		"# X\n\nNothing is demanded. But told.\n":                                                       "Nothing is demanded.",
		"# X\n\n- [ ] first\n- never `panic`\n":                                                         "never panic",
		"# X\n":                                                                                         "",
		"# X\n\n| a | must |\n|---|---|\n":                                                              "",
		"# X\n\n```\nyou must\n```\nWords.\n":                                                           "Words.",
		"# X\n\n```x``` is code.\nIt must end.\n\n":                                                     "It must end.",
		"# X\n<!-- must\nnot -->\nWords, wrapped\nover lines must hold. More.\n":                        "Words, wrapped over lines must hold.",
		"# X\n\n> Quoted rules must hold.\n":                                                            "Quoted rules must hold.",
		"# X\n\n" + strings.Repeat("word ", 60) + "must.\n":                                             strings.TrimSpace(strings.Repeat("word ", 27)) + "…",
		"plain text, no heading. It shall hold.":                                                        "It shall hold.",
		"# X\n\n" + strings.Repeat("ä", 200) + "\n":                                                     strings.Repeat("ä", 139) + "…",
		"T\n=\n\nSetext must go.\n":                                                                     "Setext must go.",
	} {
		if got := Requirement(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	d := read(t, "s.md", tier)
	for _, n := range []string{"handler-constraints", "Handler Constraints", "#handler-constraints", " HANDLER constraints "} {
		if s, ok := d.Find(n); !ok || s.Slug != "handler-constraints" {
			t.Errorf("%q: %v", n, s)
		}
	}
	if _, ok := d.Find("nowhere"); ok {
		t.Error("found a section that does not exist")
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{"NUL": "a\x00b", "latin": "\xe4", "large": strings.Repeat("x", MaxSize+1)} {
		if _, err := Read(File{"s.md", []byte(text)}); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "\n\n", "---\n", "---\na: b\n---\n", "# \n", "```", "<!--", "===\n---\n", "\r\n"} {
		d := read(t, "s.md", text)
		if cited, _ := CiteAll(d, nil); len(cited) > 0 && cited[0].Requirement == "" {
			t.Errorf("%q: %v", text, cited)
		}
	}
}

func TestFollow(t *testing.T) {
	was := read(t, "s.md", tier)
	s, _ := was.Find("handler-constraints")
	c := Cite("s.md", s, true)
	below, _ := was.Find("below")
	inner := Cite("s.md", below, false)
	for name, tt := range map[string]struct {
		docs []Document
		c    Citation
		want CitationChange
		line string
	}{
		"untouched":        {[]Document{was}, c, Same, "L10-L19"},
		"lines above":      {[]Document{read(t, "s.md", strings.Replace(tier, "Intro.", "Intro.\n\nMore.", 1))}, c, Moved, "L12-L21"},
		"a word":           {[]Document{read(t, "s.md", strings.Replace(tier, "75", "80", 1))}, c, Changed, "L10-L19"},
		"below changed":    {[]Document{read(t, "s.md", strings.Replace(tier, "Never log", "Always log", 1))}, c, Changed, "L10-L19"},
		"own part only":    {[]Document{read(t, "s.md", strings.Replace(tier, "75", "80", 1))}, inner, Same, "L17-L19"},
		"the heading gone": {[]Document{read(t, "s.md", strings.Replace(tier, "## Handler Constraints", "", 1))}, c, Missing, ""},
		"heading renamed":  {[]Document{read(t, "s.md", strings.Replace(tier, "## Handler Constraints", "## Handlers", 1))}, c, Missing, ""},
		"another file":     {[]Document{read(t, "s.md", "# Empty\n"), read(t, "other.md", s.Text)}, c, Moved, "L1-L10"},
		"no file":          {nil, c, Missing, ""},
	} {
		f := FollowCitation(tt.c, tt.docs)
		if f.Change != tt.want || f.Now.Lines != tt.line || f.Change.StillApplies() && f.Now.SHA != tt.c.SHA {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestChoose(t *testing.T) {
	docs := []Document{
		read(t, "standards/backend.md", tier), read(t, "AGENTS.md", "# Agents\n\nRead first.\n"),
		read(t, "standards/testing.md", "# Testing\n\n## Backend QA Commands\n\nRun these.\n\n```js\nno()\n```\n\n```sh\n$ make lint\n# comment\nmake test\n```\n"),
	}
	rules := []Rule{
		{Name: "tests", Files: []string{"standards/testing.md"}, Sections: []string{"Backend QA Commands"}, Commands: []string{"make check"}},
		{Name: "api", Files: []string{"standards/*.md"}, Areas: []string{"backend"}, Priorities: []string{"P0", "P1"}, Sections: []string{"handler-constraints", "nowhere"}},
		{Name: "app", Files: []string{"mobile/*.md"}, Areas: []string{"mobile"}},
		{Name: "lost", Files: []string{"gone/*.md"}},
	}
	c := SelectStandards(rules, "Backend", "p1", docs)
	var got []string
	for _, one := range c.Citations {
		got = append(got, one.File+"#"+one.Section+" "+one.Rule)
	}
	want := []string{"AGENTS.md#agents ", "standards/backend.md#handler-constraints api", "standards/testing.md#backend-qa-commands tests"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if want := []Command{{"make check", "standards.tests"}, {"make lint", "standards/testing.md#backend-qa-commands"}, {"make test", "standards/testing.md#backend-qa-commands"}}; !slices.Equal(c.Commands, want) {
		t.Errorf("%v", c.Commands)
	}
	if len(c.Warnings) != 2 || !strings.Contains(c.Warnings[0], "nowhere") || !strings.Contains(c.Warnings[1], "gone/*.md") {
		t.Errorf("%q", c.Warnings)
	}
	if c := SelectStandards(rules, "", "", docs); len(c.Citations) != 2 {
		t.Errorf("without an area: %v", c.Citations)
	}
	slices.Reverse(docs)
	slices.Reverse(rules)
	if again := SelectStandards(rules, "Backend", "p1", docs); !slices.Equal(again.Citations, c.Citations) || !slices.Equal(again.Commands, c.Commands) {
		t.Error("the result depends on the order of files or rules")
	}
}

// TestFollowLaws: a citation applies wherever its section moves in the file, and no longer if a
// word of it changes.
func TestFollowLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{1,8}`)
		para := func(n string) string { return strings.Join(rapid.SliceOfN(word, 1, 8).Draw(t, n), " ") }
		part := func(i int) string { return fmt.Sprintf("## part %d\n\n%s must hold.\n\n", i, para("body")) }
		var parts []string
		for i := range rapid.IntRange(1, 5).Draw(t, "parts") {
			parts = append(parts, part(i))
		}
		at := rapid.IntRange(0, len(parts)-1).Draw(t, "at")
		d, err := Read(File{"a.md", []byte(strings.Join(parts, ""))})
		if err != nil {
			t.Fatal(err)
		}
		c := Cite("a.md", d.Sections[at], rapid.Bool().Draw(t, "whole"))
		shuffled := rapid.Permutation(parts).Draw(t, "order")
		now, err := Read(File{"a.md", []byte("# top\n\n" + para("intro") + "\n\n" + strings.Join(shuffled, "\n"))})
		if err != nil {
			t.Fatal(err)
		}
		if f := FollowCitation(c, []Document{now}); !f.Change.StillApplies() || f.Now.SHA != c.SHA {
			t.Fatalf("moved: %+v", f)
		}
		edited := strings.Replace(strings.Join(parts, ""), parts[at], strings.Replace(parts[at], "must hold", "may hold", 1), 1)
		if now, err = Read(File{"a.md", []byte(edited)}); err != nil {
			t.Fatal(err)
		}
		if f := FollowCitation(c, []Document{now}); f.Change.StillApplies() {
			t.Fatalf("edited: %+v", f)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(tier))
	f.Add([]byte("\ufeff# a\r\n\r\nb must.\r\n***\r\n# a\r\n"))
	f.Add([]byte("---\n---\n===\n- x\n---\n> y\n---\n"))
	f.Add([]byte("~~~\n# a\n```\n~~~~\n# b\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read(File{"s.md", text})
		if err != nil {
			return
		}
		all := textLines(string(Normalise(text)))
		last := 0
		for i, s := range d.Sections {
			if s.Start <= last && last > 0 || s.Start < 1 || s.Own < s.Start || s.End < s.Own || s.End > len(all) {
				t.Fatalf("%q: %+v", text, s)
			}
			last = s.Own
			if got := strings.Join(all[s.Start-1:s.End], "\n") + "\n"; got != s.Text {
				t.Fatalf("%q: %q is not lines %d-%d", text, s.Text, s.Start, s.End)
			}
			c := Cite("s.md", s, true)
			if utf8.RuneCountInString(c.Requirement) > MaxRequirement || strings.ContainsAny(c.Requirement, "\n\r") {
				t.Fatalf("%q: %q", text, c.Requirement)
			}
			if i > 20 {
				continue // slow: each citation hashes every section
			}
			if f := FollowCitation(c, []Document{d}); !f.Change.StillApplies() {
				t.Fatalf("%q: %+v", text, f)
			}
			Commands(s)
		}
		CiteAll(d, nil)
	})
}
