// Command replay checks commits of public repositories as if each had been an attempt, with the
// commit's message as the request, and prints what is rejected: people accepted this work, so
// nearly every rejection is a false one. Questions to a person are counted separately.
//
//	go run ./bench/replay [-n 50] [-check integrity] [-totals] [-json FILE] REPO…
//
// A REPO is a clone, bare or not; nothing is checked out or written in it. It runs the checks
// that read a change: no test and no linter runs. From each repository it takes the newest
// commits with one parent by people (no bots); if there are enough, half of them remove lines
// of test files. The same clone gives the same sample.
//
// With -weaken it does the opposite: it removes a test in each of these commits, and prints
// those that are neither rejected nor left to a person.
//
// With -additions it runs only the contract, on commits that add something to a file: how much of
// what their messages ask for is shown, and whether it detects that an existing item was replaced
// instead, or one of several left out.
//
// The exit status is 2 when a repository could not be read.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	n := flag.Int("n", 50, "how many commits of each repository")
	only := flag.String("check", "", "the only checks to run, with commas between them")
	totals := flag.Bool("totals", false, "print the numbers and not the rejections: for repositories that nobody tunes on")
	warnings := flag.Bool("warnings", false, "print what the contract, integrity and rules warn of as well")
	less := flag.Bool("weaken", false, "instead: take a test away in each commit, in three ways, and print what is missed")
	adds := flag.Bool("additions", false, "instead: what the contract says of commits that add something, and of mutants of them")
	file := flag.String("json", "", "write the rejections to this file as well")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "replay: no repository was given\ntry: make replay REPO=../clones/cobra")
		os.Exit(2)
	}
	if *less {
		os.Exit(weakenAll(ctx, *n, *totals))
	}
	if *adds {
		os.Exit(addAll(ctx, *n, *totals, *file))
	}
	var all []replayed
	status := 0
	for _, dir := range flag.Args() {
		r, err := replay(ctx, dir, *n, split(*only))
		if err != nil {
			fmt.Fprintf(os.Stderr, "replay: %s: %v\n", dir, err)
			status = 2
			continue
		}
		if !*totals {
			r.print(os.Stdout, *warnings)
		}
		all = append(all, r)
	}
	table(os.Stdout, all)
	if *file != "" {
		if err := keep(*file, all); err != nil {
			fmt.Fprintln(os.Stderr, "replay:", err)
			os.Exit(2)
		}
	}
	os.Exit(status)
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func keep(file string, all any) error {
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// replay checks the sample of one repository.
func replay(ctx context.Context, dir string, n int, only []string) (replayed, error) {
	out := replayed{Repository: name(dir)}
	repo, err := open(ctx, dir)
	if err != nil {
		return out, err
	}
	defer repo.close()
	sample, err := repo.sample(ctx, n, byTests{})
	if err != nil {
		return out, err
	}
	for _, c := range sample {
		v, err := repo.judge(ctx, c, only)
		if err != nil {
			return out, fmt.Errorf("%.10s: %w", c.ID, err)
		}
		out.Commits = append(out.Commits, v)
	}
	return out, nil
}

// weakenAll weakens tests in the samples of all repositories. It returns 1 if any of these changes
// was not detected.
func weakenAll(ctx context.Context, n int, totals bool) int {
	status, made, missed := 0, 0, 0
	for _, dir := range flag.Args() {
		out := weakened{Repository: name(dir)}
		err := func() error {
			repo, err := open(ctx, dir)
			if err != nil {
				return err
			}
			defer repo.close()
			sample, err := repo.sample(ctx, n, byTests{})
			if err != nil {
				return err
			}
			return repo.weaken(ctx, sample, &out)
		}()
		if err != nil {
			fmt.Fprintf(os.Stderr, "replay: %s: %v\n", dir, err)
			status = 2
			continue
		}
		sum := 0
		for _, k := range out.Made {
			sum += k
		}
		fmt.Printf("%s: %d of %d rejected or asked about %v\n", out.Repository, sum-len(out.Missed), sum, out.Made)
		for _, m := range out.Missed {
			if !totals {
				fmt.Println("    missed:", m)
			}
			status = max(status, 1)
		}
		made, missed = made+sum, missed+len(out.Missed)
	}
	fmt.Printf("all: %d of %d rejected or asked about\n", made-missed, made)
	return status
}

// name is a repository's name in the tables: its folder, or the parent of one called repo or .git.
func name(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	base := filepath.Base(abs)
	if base == "repo" || base == ".git" {
		base = filepath.Base(filepath.Dir(abs))
	}
	return strings.TrimSuffix(base, ".git")
}
