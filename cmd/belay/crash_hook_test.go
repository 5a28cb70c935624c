package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/fsroot"
)

// How a fault point goes wrong.
const (
	modeCount = "count" // it does not: the points are written down
	modeKill  = "kill"  // the process is killed in the place of the step
	modeAt    = "at"    // likewise, at the step and path that stand in the place of the file: "OP PATH"
	modeFail  = "fail"  // the disk is full for this one step
	modeFull  = "full"  // the disk is full for this step and all that follow
	modeCut   = "cut"   // no point, but a record cut off afterwards
	modeRace  = "race"  // no point: commands started at the same moment
	modeLine  = "line"  // the process is killed once the n-th line of a record is on the disk
)

// crash counts the steps of this process that change the disk, in all rooms that tell
// of them (the journal, the snapshots, the working tree), and lets the n-th go wrong.
type crash struct {
	mu   sync.Mutex
	at   int
	mode string
	log  string
	seen int
	line int // lines of records that are on the disk
}

// installCrash arms the binary as $BELAY_CRASH says: "N:MODE:FILE". FILE gets a line for
// the point that goes wrong, and in count mode for every one. An agent's shim is left
// alone; its own room kills it everywhere.
func installCrash() {
	spec := os.Getenv("BELAY_CRASH")
	if spec == "" || len(os.Args) > 1 && os.Args[1] == "_run" {
		return
	}
	at, rest, _ := strings.Cut(spec, ":")
	mode, log, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(at)
	if err != nil {
		panic("BELAY_CRASH: " + spec)
	}
	c := &crash{at: n, mode: mode, log: log}
	fsroot.Fault = c.point
	onOpen = func(s *app.Service) { s.Session.Journal.Fault, s.Session.Anchors.Step = c.point, c.point }
}

func (c *crash) point(op, path string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	if c.mode == modeLine && c.line == c.at {
		c.die()
	}
	if strings.HasSuffix(path, ".jsonl") && (op == "sync" || op == "rename") {
		c.line++ // once this step is done; the next one comes to see it
	}
	if c.log != "" && (c.mode == modeCount || c.seen == c.at) {
		c.note(op, path)
	}
	switch {
	case c.mode == modeKill && c.seen == c.at, c.mode == modeAt && c.log == op+" "+path:
		c.die()
	case c.mode == modeFail && c.seen == c.at, c.mode == modeFull && c.seen >= c.at:
		return &os.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
	}
	return nil
}

func (c *crash) die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}

// note is for whoever reads a failure: the number of a point differs between runs.
func (c *crash) note(op, path string) {
	f, err := os.OpenFile(c.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %s\n", op, path)
}
