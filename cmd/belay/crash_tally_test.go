package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// crashAll reports whether every point is tried, as in `make crash`, or a sample.
func crashAll() bool { return os.Getenv("BELAY_CRASH_ALL") != "" }

// wide reports whether a test takes the larger sample of `make suites`. `make crash` takes
// everything.
func wide() bool { return os.Getenv("BELAY_WIDE") != "" || crashAll() }

// every returns each step-th item of a list from an offset on.
func every[T any](list []T, step, offset int) (some []T) {
	for i := offset; i < len(list); i += step {
		some = append(some, list[i])
	}
	return some
}

// Kinds of problems after a crash.
const (
	wrongTree  = "wrong trees"
	lostWork   = "lost work"
	stuckLock  = "stuck locks"
	leftBehind = "left behind"
	otherwise  = "other faults"
)

var wrongs = []string{wrongTree, lostWork, stuckLock, leftBehind, otherwise}

// tally counts what a test did and found. It reports each kind of problem once, as an error.
type tally struct {
	t      testing.TB
	mu     sync.Mutex
	points int
	done   map[string]int
	wrong  map[string]int
}

func newTally(t testing.TB, points int) *tally {
	return &tally{t: t, points: points, done: map[string]int{}, wrong: map[string]int{}}
}

func (y *tally) did(mode string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.done[mode]++
}

func (y *tally) fault(where, kind, format string, args ...any) {
	y.t.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	y.wrong[kind]++
	y.t.Errorf("%s: %s: %s", where, kind, fmt.Sprintf(format, args...))
}

// sum prints the test's line and adds it to the total.
func (y *tally) sum(name string) {
	y.t.Helper()
	y.t.Log(name + ": " + y.String())
	total.mu.Lock()
	defer total.mu.Unlock()
	total.points += y.points
	for mode, n := range y.done {
		total.done[mode] += n
	}
	for kind, n := range y.wrong {
		total.wrong[kind] += n
	}
}

func (y *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d points", y.points)
	for _, m := range []struct{ mode, name string }{{modeKill, "kills"}, {modeFail, "fails"}, {modeFull, "full disks"}, {modeCut, "cuts"}, {modeRace, "races"}, {modeMisdeed, "misdeeds"}} {
		if n := y.done[m.mode]; n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, m.name)
		}
	}
	for _, kind := range wrongs {
		fmt.Fprintf(&b, ", %d %s", y.wrong[kind], kind)
	}
	return b.String()
}

// total adds up all tests that ran.
var total = newTally(nil, 0)

// totalled prints the total after all tests of the package.
type totalled struct{ testscript.TestingM }

func (m totalled) Run() int {
	code := m.TestingM.Run()
	if crashAll() && total.points > 0 {
		fmt.Printf("crash: %s\n", total)
	}
	return code
}

// trial is one fault: at point n, of one kind.
type trial struct {
	n    int
	mode string
}

// trials returns all faults, or about sample of them (a third of that unless wide), spread over points
// and modes. No step is a multiple of the number of modes, so that each mode meets points of every
// kind.
func trials(points, sample int, modes ...string) []trial {
	var all []trial
	for n := 1; n <= points; n++ {
		for _, m := range modes {
			all = append(all, trial{n, m})
		}
	}
	if !wide() {
		sample = (sample + 2) / 3
	}
	if crashAll() || len(all) <= sample {
		return all
	}
	step := len(all)/sample + 1
	for len(modes) > 1 && step%len(modes) == 0 { // otherwise all would have the same mode
		step++
	}
	return every(all, step, step/2)
}

// each calls work for every trial, several in parallel, beside other tests: most of the time they
// wait for disks and processes. Every trial has its own folder.
func each[T any](t testing.TB, list []T, work func(dir string, c T)) {
	t.Helper()
	base := folder(t)
	todo := make(chan int)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range todo {
				dir := filepath.Join(base, fmt.Sprint(i))
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Error(err)
					continue
				}
				work(dir, list[i])
			}
		})
	}
	for i := range list {
		todo <- i
	}
	close(todo)
	wait.Wait()
}
