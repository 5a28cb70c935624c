package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/belay-dev/belay/bench/evidence/project"
)

const timedFiles = 2000

// times measures the quick checks, all except lint and tests, on 2,000 files of a real project,
// with 20 of them changed and with all.
func (b *bench) times() error {
	if !project.There(b.store.At(project.ReactNative)) {
		return fmt.Errorf("there is no %s, -fetch gets it", b.store.At(project.ReactNative))
	}
	from, dir, home := filepath.Join(b.place, "react-native"), filepath.Join(b.place, "timed"), filepath.Join(b.place, "home")
	for _, d := range []string{from, dir, home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := project.Command(from, nil, "tar", "-xzf", b.store.At(project.ReactNative), "--strip-components=1"); err != nil {
		return err
	}
	env := alone(home)
	paths, err := someFiles(from, dir)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "n"},
		{"config", "user.email", "n@example.com"}, {"add", "-A"}, {"commit", "-qm", "first"}} {
		if err := project.Command(dir, env, "git", args...); err != nil {
			return err
		}
	}
	few, err := b.timed(dir, env, paths[:20])
	if err != nil {
		return err
	}
	all, err := b.timed(dir, env, paths)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "| | 20 changed | %d changed |\n|---|---|---|\n", len(paths))
	for i := range few {
		fmt.Fprintf(b.out, "| %s | %s | %s |\n", few[i].name, few[i].took, all[i].took)
	}
	return nil
}

// someFiles copies the first 2,000 text files of a tree.
func someFiles(from, to string) (paths []string, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(paths) == timedFiles {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.ContainsRune(string(text), 0) {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		paths = append(paths, rel)
		return project.Write(rel, string(text))(to)
	})
	return paths, err
}

type timing struct {
	name string
	took time.Duration
}

// timed changes the last line of files and checks them three times; the minimum of each figure
// counts, because the rest is other load of the machine.
func (b *bench) timed(dir string, env []string, paths []string) ([]timing, error) {
	for _, p := range paths {
		if err := project.Add(p, "\n")(dir); err != nil {
			return nil, err
		}
	}
	var least []timing
	for range 3 {
		c := exec.Command(b.belay, "check", "--before", "HEAD", "--json", "--skip", "lint,tests", "--files", "**",
			"--protect", "nothing.txt")
		c.Dir, c.Env = dir, append(os.Environ(), env...)
		start := time.Now()
		out, _ := c.Output()
		wall, cpu := time.Since(start), c.ProcessState.UserTime()+c.ProcessState.SystemTime()
		var got report
		if err := json.Unmarshal(out, &got); err != nil || got.Data.Checks == nil {
			return nil, fmt.Errorf("belay check printed %q", out)
		}
		var now []timing
		for _, k := range got.Data.Checks {
			if k.Summary != "skipped" {
				now = append(now, timing{k.Check, time.Duration(k.Millis) * time.Millisecond})
			}
		}
		now = append(now, timing{"all of them, side by side", time.Duration(got.Data.Millis) * time.Millisecond},
			timing{"the whole command", wall.Round(time.Millisecond)},
			timing{"the whole command, processor time", cpu.Round(time.Millisecond)})
		for i := range now {
			if least != nil {
				now[i].took = min(now[i].took, least[i].took)
			}
		}
		least = now
	}
	return least, nil
}
