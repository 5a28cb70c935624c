package main

import (
	"fmt"
	"strings"
)

// project is a real project, and the changes to it.
type project struct {
	language, name, version, from string
	needs                         []string // in the store
	tools                         []string // programs that have to be installed
	unpack                        func(s store, dir string) error
	env                           func(s store) []string
	test                          string // the command
	linter                        string // of the config, below linters:
	files                         string // the task's
	comment                       string // what begins one
	code                          string // a file of the project that changes may be made to
	constant                      string // a declaration of a text, with %s
	good                          edit   // code, documented, with tests
	cases                         []trial
}

// trial is a change and what must be said of it.
type trial struct {
	name  string
	make  edit
	flags []string
	says  []string // "error tests", "warning style"; none: nothing but notes
	notes []string // that must be among the notes
	task  edit     // instead of check: run, whose first attempt is make and whose second this
}

func projects() []project {
	all := []project{cobra(), mpmath(), zod(), qs(), semver(), logging(), rss(), money()}
	for i, p := range all {
		all[i].cases = append(common(p), p.cases...)
	}
	return all
}

// common are the cases that are alike in every language.
func common(p project) []trial {
	harmless := add(p.code, "\n"+p.comment+" Looked through once more.\n")
	return []trial{
		{name: "good change", make: p.good},
		{name: "good change, as a task", make: p.good, task: p.good},
		{name: "file outside the scope", make: edits(p.good, write("elsewhere.txt", "more\n")), says: []string{"error scope"}},
		{name: "protected file", make: edits(p.good, add("LICENSE", "and more\n")), flags: []string{"--files", p.files + ",LICENSE", "--protect", "LICENSE"}, says: []string{"error protect"}},
		{name: "large change", make: edits(harmless, write("notes/large.txt", strings.Repeat("one more line\n", 400))), flags: []string{"--files", p.files + ",notes/**"}, says: []string{"warning size"}},
		{name: "binary and generated file", make: edits(harmless, write("notes/picture.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), write("notes/package-lock.json", "{}\n"+strings.Repeat("\n", 400))),
			flags: []string{"--files", p.files + ",notes/**"}, notes: []string{"a binary file changed", "a generated file changed"}},
		{name: "ten kinds of secrets", make: add(p.code, "\n"+constants(p)), flags: []string{"--skip", "tests,lint,style"}, says: ten(p)},
	}
}

// constants declares a secret of each kind.
func constants(p project) string {
	var b strings.Builder
	for i, s := range planted() {
		value := strings.ReplaceAll(s.text, "\n", `\n`)
		name := s.name
		if name == "" {
			name = fmt.Sprintf("value%d", i)
		}
		fmt.Fprintf(&b, p.constant+"\n", name, value)
	}
	return b.String()
}

func ten(project) []string {
	var says []string
	for _, s := range planted() {
		says = append(says, s.says+" secrets")
	}
	return says
}

func (p project) title() string { return p.name + " " + p.version }
