// Command evidence shows on real projects of several languages what belay's checks refuse
// and what they pass. Each project comes from a package that ships its source and its
// tests; changes are made to it, good ones and bad ones, and `belay check` judges each with
// the project's own tests and a linter of its language. A table says what came of it.
//
//	go run ./bench/evidence -belay bin/belay [-fetch] [-packages DIR] [-only cobra] [-case skip] [-markdown FILE]
//
// It fetches nothing unless -fetch is given: then Go's, npm's and Debian's own clients put
// what is listed in packages.go into DIR, and nothing is installed. A project whose
// packages are not in DIR is left out, and the table says so.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	var (
		belay    = flag.String("belay", "bin/belay", "the belay to ask")
		fetch    = flag.Bool("fetch", false, "fetch the packages that are missing")
		packages = flag.String("packages", "", "folder of the packages (default: belay-evidence in the user's cache)")
		only     = flag.String("only", "", "projects whose name contains this")
		one      = flag.String("case", "", "cases whose name contains this")
		file     = flag.String("markdown", "", "write the table to this file as well")
		place    = flag.String("dir", "", "folder for the repositories (default: a temporary one)")
		secrets  = flag.Bool("secrets", false, "instead: count what is taken for a secret in the whole of each project")
	)
	flag.Parse()
	right, err := run(*belay, *packages, *place, *file, *only, *one, *fetch, *secrets)
	if err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(2)
	}
	if !right {
		os.Exit(1)
	}
}

func run(belay, packages, place, file, only, one string, fetch, secrets bool) (bool, error) {
	belay, err := filepath.Abs(belay)
	if err != nil {
		return false, err
	}
	p, err := openStore(packages)
	if err != nil {
		return false, err
	}
	if fetch {
		if err := p.fetch(); err != nil {
			return false, err
		}
	}
	if place == "" {
		if place, err = os.MkdirTemp("", "belay-evidence-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(place)
	}
	if place, err = filepath.Abs(place); err != nil {
		return false, err
	}
	out := io.Writer(os.Stdout)
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return false, err
		}
		defer f.Close()
		out = io.MultiWriter(os.Stdout, f)
	}
	b := &bench{belay: belay, store: p, place: place, out: out}
	if secrets {
		return true, b.sources(only)
	}
	for _, project := range projects() {
		if strings.Contains(project.name, only) {
			if err := b.project(project, one); err != nil {
				return false, fmt.Errorf("%s: %w", project.name, err)
			}
		}
	}
	return b.table(), nil
}
