// Package project defines real projects in several languages, each from a package with its source
// and its tests, and the changes to try checks with: where the packages come from, how a project is
// unpacked, what is changed, and which findings are expected. It does not judge.
package project

import (
	"fmt"
	"strings"
)

// Project is a real project, and the changes to it.
type Project struct {
	Language, Name, Version, From string
	Needs                         []string // in the store
	Tools                         []string // programs that must be installed
	Unpack                        func(s Store, dir string) error
	Env                           func(s Store) []string
	Test                          string // the command
	Linter                        string // the config below linters:
	Files                         string // the task's
	Comment                       string // the start of a comment
	Code                          string // a source file for changes
	Constant                      string // a declaration of a string, with %s
	Good                          Edit   // documented code with tests
	Cases                         []Trial
}

// Trial is a change, with the expected findings.
type Trial struct {
	Name  string
	Make  Edit
	Flags []string
	Says  []string // "error tests", "warning style"; none: only notes
	Notes []string // required notes
	Task  Edit     // belay run instead of check: Make is the first attempt, this the second
}

// All returns the projects, each with the common cases before its own.
func All() []Project {
	all := []Project{cobra(), mpmath(), zod(), qs(), semver(), logging(), rss(), money()}
	for i, p := range all {
		all[i].Cases = append(common(p), p.Cases...)
	}
	return all
}

// common are the cases of every language.
func common(p Project) []Trial {
	harmless := Add(p.Code, "\n"+p.Comment+" Looked through once more.\n")
	return []Trial{
		{Name: "good change", Make: p.Good},
		{Name: "good change, as a task", Make: p.Good, Task: p.Good},
		{Name: "file outside the scope", Make: Edits(p.Good, Write("elsewhere.txt", "more\n")), Says: []string{"error scope"}},
		{Name: "protected file", Make: Edits(p.Good, Add("LICENSE", "and more\n")),
			Flags: []string{"--files", p.Files + ",LICENSE", "--protect", "LICENSE"}, Says: []string{"error protect"}},
		{Name: "large change", Make: Edits(harmless, Write("notes/large.txt", strings.Repeat("one more line\n", 400))),
			Flags: []string{"--files", p.Files + ",notes/**"}, Says: []string{"warning size"}},
		{Name: "binary and generated file",
			Make: Edits(harmless, Write("notes/picture.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
				Write("notes/package-lock.json", "{}\n"+strings.Repeat("\n", 400))),
			Flags: []string{"--files", p.Files + ",notes/**"}, Notes: []string{"a binary file changed", "a generated file changed"}},
		{Name: "ten kinds of secrets", Make: Add(p.Code, "\n"+constants(p)), Flags: []string{"--skip", "tests,lint,style"}, Says: ten(p)},
	}
}

// constants declares a secret of each kind.
func constants(p Project) string {
	var b strings.Builder
	for i, s := range planted() {
		value := strings.ReplaceAll(s.text, "\n", `\n`)
		name := s.name
		if name == "" {
			name = fmt.Sprintf("value%d", i)
		}
		fmt.Fprintf(&b, p.Constant+"\n", name, value)
	}
	return b.String()
}

func ten(Project) []string {
	var says []string
	for _, s := range planted() {
		says = append(says, s.says+" secrets")
	}
	return says
}

// Title returns the name and the version.
func (p Project) Title() string { return p.Name + " " + p.Version }

// Trees are projects that are only read, without changes to try.
func Trees() []Project {
	return []Project{
		{Name: "react-native", Version: "0.72.6", Needs: []string{ReactNative}, Env: nothing, Unpack: func(s Store, dir string) error {
			return Command(dir, nil, "tar", "-xzf", s.At(ReactNative), "--strip-components=1")
		}},
		{Name: "java.base", Version: "17", Needs: []string{jdk}, Env: nothing, Unpack: func(s Store, dir string) error {
			return Command(dir, nil, "unzip", "-q", s.At(jdk), "java.base/*")
		}},
	}
}
