package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// handed compares belay context verify with git status, in a tree with a handover that has
// uncommitted changes.
func (b *bench) handed(dir string, n int, status contender) error {
	run := func(args ...string) error {
		cmd := exec.Command(b.belay, args...)
		cmd.Dir, cmd.Env = dir, environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("belay %v: %w: %s", args, err, out)
		}
		return nil
	}
	steps := [][]string{
		{"task", "add", "--task", "handed", "measure a handover"}, {"task", "start", "handed"},
		{"context", "init", "handed", "--without-standards"},
		{"context", "update", "handed", "--role", "implementer", "--status", "in_progress"},
	}
	for _, s := range steps {
		if err := run(s...); err != nil {
			return err
		}
	}
	if err := edit(dir, n, 4, "handed"); err != nil {
		return err
	}
	time.Sleep(1100 * time.Millisecond) // avoids racy index entries
	if err := run("context", "snapshot", "handed", "--role", "implementer"); err != nil {
		return err
	}
	verify := contender{name: "belay context verify", argv: []string{b.belay, "context", "verify", "handed"}}
	if err := b.compare("proved as handed over", dir, status, verify); err != nil {
		return err
	}
	verify.before = func(round int) error { return rewritten(dir, n, round) }
	return b.compare("proved after git status wrote the index", dir, status, verify)
}

// rewritten makes git rewrite its index: it changes a file's time, but not its content.
func rewritten(dir string, n, round int) error {
	at := time.Now().Add(-time.Hour - time.Duration(round)*time.Minute)
	if err := os.Chtimes(name(dir, n/2), at, at); err != nil {
		return err
	}
	cmd := exec.Command("git", "status", "--porcelain")
	cmd.Dir, cmd.Env = dir, environ()
	return cmd.Run()
}
