// Command evidence shows on real projects in several languages what belay's checks reject
// and what they pass. Each project comes from a package that ships its source and its
// tests. The command makes good and bad changes to it, and `belay check` checks each with
// the project's own tests and a linter for its language. A table shows the results.
//
//	go run ./bench/evidence -belay bin/belay [-fetch] [-packages DIR] [-only cobra] [-case skip] [-markdown FILE]
//
// It fetches nothing unless -fetch is given: then Go's, npm's and Debian's own clients put
// what is listed in project/store.go into DIR, and nothing is installed. A project is left
// out if its packages are not in DIR or its language is not installed; the table says so.
// The exit status is 1 when belay was wrong about a change, 2 when nothing could be tried.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/belay-dev/belay/bench/evidence/project"
)

func main() {
	var (
		belay    = flag.String("belay", "bin/belay", "the belay to ask")
		fetch    = flag.Bool("fetch", false, "fetch the packages that are missing")
		packages = flag.String("packages", "", "folder of the packages (default: belay-evidence in the user's cache)")
		only     = flag.String("only", "", "only projects with this in the name")
		one      = flag.String("case", "", "only cases with this in the name")
		file     = flag.String("markdown", "", "write the table to this file as well")
		place    = flag.String("dir", "", "folder for the repositories (default: a temporary one)")
		secrets  = flag.Bool("secrets", false, "instead: count the findings of the secrets check in each whole project")
	)
	side := flag.Int("side", runtime.GOMAXPROCS(0), "how many projects are tried side by side")
	texts := flag.Bool("texts", false, "without the projects' tests and linters: by the checks that read the change, in a minute or two")
	times := flag.Bool("times", false, "instead: measure the checks on 2,000 files")
	flag.Parse()
	do := func(b *bench) (bool, error) { return b.judged(*only, *one, *side, *texts) }
	switch {
	case *secrets:
		do = func(b *bench) (bool, error) { return true, b.sources(*only) }
	case *times:
		do = func(b *bench) (bool, error) { return true, b.times() }
	}
	right, err := run(*belay, *packages, *place, *file, *fetch, do)
	if err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(2)
	}
	if !right {
		os.Exit(1)
	}
}

// run sets up the bench and calls do.
func run(belay, packages, place, file string, fetch bool, do func(*bench) (bool, error)) (bool, error) {
	belay, err := filepath.Abs(belay)
	if err != nil {
		return false, err
	}
	p, err := project.Open(packages)
	if err != nil {
		return false, err
	}
	if fetch {
		if err := p.Fetch(); err != nil {
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
	out, keep, err := output(file)
	if err != nil {
		return false, err
	}
	right, err := do(&bench{belay: belay, store: p, place: place, out: out})
	return right, errors.Join(err, keep())
}

// output writes to the terminal and, at the end, to the file: an interrupted run leaves the
// previous file.
func output(file string) (out io.Writer, keep func() error, err error) {
	if file == "" {
		return os.Stdout, func() error { return nil }, nil
	}
	if file, err = filepath.Abs(file); err != nil {
		return nil, nil, err
	}
	var text bytes.Buffer
	return io.MultiWriter(os.Stdout, &text), func() error { return os.WriteFile(file, text.Bytes(), 0o644) }, nil
}
