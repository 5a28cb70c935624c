package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/bench/evidence/project"
)

// sources checks each complete project as if it had been written in one change, by the secrets
// check alone: a finding in public code is a false alarm.
func (b *bench) sources(only string) error {
	fmt.Fprintf(b.out, "| project | files | refused | shown | what |\n|---|---|---|---|---|\n")
	for _, p := range append(project.All(), project.Trees()...) {
		if !strings.Contains(p.Name, only) || slices.ContainsFunc(p.Needs, func(n string) bool { return !project.There(b.store.At(n)) }) {
			continue
		}
		if err := b.source(p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

func (b *bench) source(p project.Project) error {
	dir, home := filepath.Join(b.place, "whole-"+p.Name), filepath.Join(b.place, "home")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	env := append(p.Env(b.store), alone(home)...)
	for _, args := range [][]string{{"init", "-q"},
		{"-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "-q", "--allow-empty", "-m", "nothing"}} {
		if err := project.Command(dir, env, "git", args...); err != nil {
			return err
		}
	}
	if err := p.Unpack(b.store, dir); err != nil {
		return err
	}
	out, _ := b.ask(dir, env, "check", "--before", "HEAD", "--json", "--skip",
		"change,scope,protect,rules,size,integrity,coverage,style,lint,tests")
	var got report
	if err := json.Unmarshal(out, &got); err != nil || got.Data.Checks == nil {
		return fmt.Errorf("belay check printed %q", out)
	}
	files, errors, others := 0, 0, 0
	var what []string
	for _, c := range got.Data.Checks {
		for _, f := range c.Findings {
			if f.Severity == "error" {
				errors++
			} else {
				others++
			}
			what = append(what, f.Title+" "+f.File)
		}
		fmt.Sscanf(c.Summary, "no secrets in %d", &files)
	}
	if files == 0 {
		files = count(dir)
	}
	_, err := fmt.Fprintf(b.out, "| %s | %d | %d | %d | %s |\n", p.Title(), files, errors, others, cell(brief(what)))
	return err
}

// count counts the regular files of a tree, without .git.
func count(dir string) int {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return nil
	})
	return n
}
