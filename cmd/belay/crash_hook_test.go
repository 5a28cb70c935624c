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

// Kinds of faults.
const (
	modeCount = "count" // none: the points are listed
	modeKill  = "kill"  // the process is killed instead of the step
	modeAt    = "at"    // likewise, at the step and path given instead of the file: "OP PATH"
	modeFail  = "fail"  // the disk is full for this step
	modeFull  = "full"  // the disk is full from this step on
	modeCut   = "cut"   // no point: the record is cut afterwards
	modeRace  = "race"  // no point: commands are started at the same time
	modeLine  = "line"  // the process is killed once the n-th line of a record is written
)

// crash counts the steps of this process that change the disk, in all packages that report them
// (the journal, the snapshots, the working tree), and makes the n-th fail.
type crash struct {
	mu   sync.Mutex
	at   int
	mode string
	log  string
	seen int
	line int // written lines of records
}

// installCrash configures the binary from $BELAY_CRASH: "N:MODE:FILE". FILE gets a line for the
// point with the fault, in count mode for every one. An agent's shim gets no fault: internal/agent
// tests that.
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
		c.line++ // checked at the next step, when this one is done
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
	select {} // until the signal arrives
}

// note names the point for failure messages: its number varies between runs.
func (c *crash) note(op, path string) {
	f, err := os.OpenFile(c.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %s\n", op, path)
}
