package main

import (
	"fmt"
	"slices"
	"strings"
)

// table prints the result of every trial, and reports whether all are right.
func (b *bench) table() bool {
	var projects []string
	for _, r := range b.rows {
		if p := r.project.Title(); !slices.Contains(projects, p) {
			projects = append(projects, p)
		}
	}
	fmt.Fprint(b.out, "# What belay said of changes to real projects\n\nWritten by `make evidence`. Each change is made to the "+
		"project as published, and checked by\n`belay check --before HEAD` with the project's own tests and a linter. "+
		"`FETCH=1 make evidence` downloads the\npackages, and installs nothing.\n\n*Right* means: every expected error and "+
		"warning, and no other; notes are left out. Some changes are checked without\nsome checks, to show one thing: planted "+
		"secrets without tests, linters and style; broken code without linters; old\nremarks in a file without tests without "+
		"coverage.\n\n")
	fmt.Fprintf(b.out, "%d projects: %s.\n", len(projects), b.sum())
	for _, title := range projects {
		b.projectTable(title)
	}
	for _, l := range b.left {
		fmt.Fprintf(b.out, "\nLeft out: %s.\n", l)
	}
	return b.wrong() == 0
}

func (b *bench) wrong() int {
	n := 0
	for _, r := range b.rows {
		if r.wrong != "" {
			n++
		}
	}
	return n
}

// sum counts right and wrong results, in one line.
func (b *bench) sum() string {
	return fmt.Sprintf("%d changes, %d right, %d wrong", len(b.rows), len(b.rows)-b.wrong(), b.wrong())
}

func (b *bench) projectTable(title string) {
	first := true
	for _, r := range b.rows {
		if r.project.Title() != title {
			continue
		}
		if first {
			p := r.project
			fmt.Fprintf(b.out, "\n### %s: %s, from %s\n\nTests: `%s`.\n\n| change | belay said | |\n|---|---|---|\n",
				p.Language, title, p.From, p.Test)
			first = false
		}
		mark := "right"
		if r.wrong != "" {
			mark = "**wrong**: " + r.wrong
		}
		fmt.Fprintf(b.out, "| %s | %s | %s |\n", r.name, cell(r.said), cell(mark))
	}
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
