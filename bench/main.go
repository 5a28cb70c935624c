// Command bench measures belay beside git on generated repositories, in one run, and prints ratios:
// machines differ and are noisy, but ratios of commands that take turns are stable. Every figure is
// a complete process, from start to exit.
//
//	go run ./bench -belay bin/belay [-sizes 1000,20000,100000] [-rounds 7] [-markdown FILE] [-plot FILE]
//
// With -alone it measures belay and git status only, without the commands that other tools use, which take minutes each
// in a repository of a million files:
//
//	go run ./bench -belay bin/belay -alone -sizes 1000000 -rounds 3
//
// A repository that an earlier run left in -dir is used again.
//
// With -loop it measures the overhead of a run around its agent instead; other builds of belay to
// compare with may follow:
//
//	go run ./bench -belay bin/belay -loop -sizes 20000 [-rounds 7] [OTHER-BELAY…]
//
// With -hooks it measures hook calls, with percentiles instead of medians:
//
//	go run ./bench -belay bin/belay -hooks -sizes 1000,100000 -rounds 100
//
// With -ui it measures the pages of belay ui with many tasks, a long record, a large diff and a
// long output:
//
//	go run ./bench -belay bin/belay -ui
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/bench/plot"
)

func main() {
	var (
		belay  = flag.String("belay", "bin/belay", "the belay to measure")
		sizes  = flag.String("sizes", "1000,20000,100000", "numbers of files, separated by commas")
		rounds = flag.Int("rounds", 7, "counted rounds of each measurement")
		file   = flag.String("markdown", "", "write the tables to this file as well")
		svg    = flag.String("plot", "", "draw the cost of holding an unchanged tree to this SVG file")
		place  = flag.String("dir", "", "folder for the repositories (default: a temporary one)")
		loop   = flag.Bool("loop", false, "measure the time of a run before and after its agent")
		alone  = flag.Bool("alone", false, "measure belay and git status only")
		hooks  = flag.Bool("hooks", false, "measure hook calls")
		ui     = flag.Bool("ui", false, "measure the pages of belay ui")
	)
	flag.Parse()
	b := &bench{alone: *alone, others: flag.Args(), rounds: *rounds, place: *place, lines: map[string][]plot.Point{}}
	if err := b.run(*belay, *sizes, *file, *svg, *loop, *hooks, *ui); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

func (b *bench) run(belay, sizes, file, svg string, loop, hooks, ui bool) (err error) {
	if b.belay, err = filepath.Abs(belay); err != nil {
		return err
	}
	if b.place == "" {
		if b.place, err = os.MkdirTemp("", "belay-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(b.place)
	}
	if b.copies, err = os.MkdirTemp("", "belay-measured-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.copies)
	if b.belay, err = b.copied(b.belay); err != nil {
		return err
	}
	b.out = os.Stdout
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		defer f.Close()
		b.out = io.MultiWriter(os.Stdout, f)
	}
	each := b.loop
	switch {
	case ui:
		return b.pages()
	case hooks:
		each = b.hooks
	case !loop:
		if each = b.repository; b.alone {
			each = b.only
		}
		if err := b.startup(); err != nil {
			return err
		}
	}
	for _, s := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 10 {
			return fmt.Errorf("%q is not a number of files", s)
		}
		if err := each(n); err != nil {
			return err
		}
	}
	if svg != "" {
		return plot.Write(svg, "Holding an unchanged working tree: whole processes, medians", "files", "ms", b.lines)
	}
	return nil
}

// copied copies a program to the temporary folder: a new one, or one on a slow disk, would
// otherwise be read from there during the measurement.
func (b *bench) copied(program string) (string, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(b.copies, "")
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, "belay")
	return to, os.WriteFile(to, text, 0o755)
}

// unchanged is the measurement that is plotted.
const unchanged = "nothing changed, among others"

type bench struct {
	alone  bool
	files  int // in the current repository
	belay  string
	others []string // other builds of belay
	copies string   // folder for the measured programs
	rounds int
	place  string
	out    io.Writer
	lines  map[string][]plot.Point // of the plot, by command
}

// contender is one way to do a task. before is not measured; it runs before each round.
type contender struct {
	name   string
	before func(round int) error
	argv   []string
	env    []string
}

// cost is what one process used, with all child processes that it waited for.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // memory of the largest of these processes, in bytes
}

// compare runs the contenders in turn and prints the medians of each, and their ratios to the
// first, taken round by round.
func (b *bench) compare(title, dir string, all ...contender) error {
	costs := make([][]cost, len(all))
	for round := -1; round < b.rounds; round++ { // round -1 is warm-up
		for i, c := range all {
			if c.before != nil {
				if err := c.before(round); err != nil {
					return fmt.Errorf("%s: preparing %s: %w", title, c.name, err)
				}
			}
			unix.Sync() // so that no contender waits for unwritten data of another, or of an edit
			t, err := once(dir, c)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", title, c.name, err)
			}
			if round >= 0 {
				costs[i] = append(costs[i], t)
			}
		}
	}
	for i, c := range all {
		var walls []time.Duration
		var ratios, cpus []float64
		var peak int64
		for r, t := range costs[i] {
			first := costs[0][r]
			walls, peak = append(walls, t.wall), max(peak, t.peak)
			ratios = append(ratios, float64(t.wall)/float64(first.wall))
			cpus = append(cpus, float64(t.cpu)/float64(first.cpu))
		}
		if title == unchanged {
			b.lines[c.name] = append(b.lines[c.name], plot.Point{Size: b.files, Cost: float64(median(walls)) / 1e6})
		}
		fmt.Fprintf(b.out, "| %-38s | %-34s | %9.1f ms | %6.2f | %6.2f | %5d MB |\n", title, c.name,
			float64(median(walls))/1e6, median(ratios), median(cpus), peak>>20)
	}
	return nil
}

func once(dir string, c contender) (cost, error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(environ(), c.env...)
	var said strings.Builder
	cmd.Stderr = &said
	start := time.Now()
	err := cmd.Run()
	took := cost{wall: time.Since(start)}
	if err != nil {
		return cost{}, fmt.Errorf("%v: %w: %s", c.argv, err, said.String())
	}
	took.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		took.peak = int64(use.Maxrss) << 10 // Linux counts in KiB
	}
	return took, nil
}

func environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@example.com",
		"GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@example.com")
}

func median[T int | float64 | time.Duration](v []T) T {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

func (b *bench) head(title string) {
	fmt.Fprintf(b.out, "\n### %s\n\n| what | command | median | ratio | ratio of processor time | memory |\n", title)
	fmt.Fprint(b.out, "|---|---|---|---|---|---|\n")
}

// startup compares belay with an empty Go program.
func (b *bench) startup() error {
	empty, err := b.empty()
	if err != nil {
		return err
	}
	b.head("Start-up")
	few := b.rounds
	b.rounds = max(31, few)
	defer func() { b.rounds = few }()
	return b.compare("start-up", filepath.Dir(empty), contender{name: "an empty Go program", argv: []string{empty}},
		contender{name: "belay version", argv: []string{b.belay, "version"}})
}

// empty builds an empty Go program.
func (b *bench) empty() (string, error) {
	dir := filepath.Join(b.place, "empty")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	empty := filepath.Join(dir, "empty")
	if out, err := exec.Command("go", "build", "-o", empty, filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the empty program: %w: %s", err, out)
	}
	return empty, nil
}
