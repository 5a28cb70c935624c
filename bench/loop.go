package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// agent is a script that edits a file and prints when it began and ended; $1 is the file, $2 the
// new text. It prints the times because in a fence it can write nowhere else.
const agent = `date "+began %s%N"; echo "$2" > "$1"; date "+ended %s%N"`

// stretch is the time of one run without its agent: before the agent begins, and after it ended.
type stretch struct{ start, end time.Duration }

// loop measures the overhead of a run in a repository of n files: from the start of `belay run` to
// the agent's first command, and from the agent's last one to belay's exit, with the verdict. The
// programs take turns. The first run in a new state also writes all files to a separate folder, to
// run the tests there: the baseline.
func (b *bench) loop(n int) error {
	dir := filepath.Join(b.place, fmt.Sprintf("loop-%d", n))
	if err := generate(dir, n); err != nil {
		return err
	}
	programs := []string{b.belay}
	for _, other := range b.others {
		copied, err := b.copied(other)
		if err != nil {
			return err
		}
		programs = append(programs, copied)
	}
	known, fresh := make([][]stretch, len(programs)), make([][]stretch, len(programs))
	for round := -1; round < b.rounds; round++ { // round -1 is warm-up
		for i, program := range programs {
			var all [3]stretch
			// The second begins in a new state, the third in one that an earlier round began in.
			for j, text := range []string{fmt.Sprintf("round %d of %d", round, i), "one", "other"} {
				var err error
				if all[j], err = b.one(program, dir, n, text); err != nil {
					return err
				}
			}
			if round >= 0 {
				fresh[i], known[i] = append(fresh[i], all[1]), append(known[i], all[2])
			}
		}
	}
	fmt.Fprintf(b.out, "\n### A run in %d files, `--test true`\n\n", n)
	fmt.Fprint(b.out, "| what | command | median | minimum | ratio |\n|---|---|---|---|---|\n")
	for _, part := range []struct {
		name string
		of   func(stretch) time.Duration
		all  [][]stretch
	}{
		{"start to agent, baseline known", func(s stretch) time.Duration { return s.start }, known},
		{"start to agent, in a new state", func(s stretch) time.Duration { return s.start }, fresh},
		{"agent's end to belay's, with the verdict", func(s stretch) time.Duration { return s.end }, known},
	} {
		times := part.all
		for i := range programs {
			var all []time.Duration
			var ratios []float64
			for r, s := range times[i] {
				all = append(all, part.of(s))
				ratios = append(ratios, float64(part.of(s))/float64(part.of(times[0][r])))
			}
			command := "belay run"
			if i > 0 {
				command = b.others[i-1]
			}
			fmt.Fprintf(b.out, "| %-40s | %-24s | %9.1f ms | %9.1f ms | %6.2f |\n", part.name, command,
				float64(median(all))/1e6, float64(slices.Min(all))/1e6, median(ratios))
		}
	}
	return nil
}

// one runs a task to its verdict.
func (b *bench) one(program, dir string, n int, text string) (stretch, error) {
	unix.Sync()
	cmd := exec.Command(program, "run", "change one line", "--test", "true", "--", "sh", "-c", agent, "agent", name(dir, n/2), text)
	cmd.Dir, cmd.Env = dir, environ()
	began := time.Now()
	out, err := cmd.CombinedOutput()
	ended := time.Now()
	if err != nil {
		return stretch{}, fmt.Errorf("%s run: %w\n%s", program, err, out)
	}
	first, err := said(out, "began")
	if err != nil {
		return stretch{}, err
	}
	last, err := said(out, "ended")
	return stretch{start: first.Sub(began), end: ended.Sub(last)}, err
}

// said parses a time that the agent printed.
func said(out []byte, word string) (time.Time, error) {
	for line := range strings.Lines(string(out)) {
		if ns, found := strings.CutPrefix(strings.TrimSpace(line), word+" "); found {
			ns, err := strconv.ParseInt(ns, 10, 64)
			return time.Unix(0, ns), err
		}
	}
	return time.Time{}, fmt.Errorf("the agent did not say when it %s:\n%s", word, out)
}
