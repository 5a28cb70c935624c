package main

import (
	"fmt"
	"os/exec"
	"time"
)

// handed compares proving that a tree is as it was handed over with asking git for its
// status. What was handed over has changes that are not committed.
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
		{"task", "add", "--task", "handed", "measure a handover"}, {"context", "init", "handed", "--without-standards"},
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
	time.Sleep(1100 * time.Millisecond) // out of git's racy second
	if err := run("context", "snapshot", "handed", "--role", "implementer"); err != nil {
		return err
	}
	return b.compare("proved as handed over", dir, status, contender{name: "belay context verify", argv: []string{b.belay, "context", "verify", "handed"}})
}
