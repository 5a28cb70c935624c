package agent

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/proc"
)

const (
	lookInterval = 25 * time.Millisecond // how often a run is checked
	killPatience = 10 * time.Second      // for processes to die after KILL

	// shimSlack is how long after the grace a shim that does not respond is bypassed: one that works
	// takes up to killPatience and drainTime, and then writes its output to the disk.
	shimSlack = killPatience + 5*time.Second
)

// Wait returns when the run has finished, or was lost and its remaining processes have been killed:
// the tree is quiet then, unless Result.LeftProcesses names processes that could not be killed.
// Meanwhile it copies the raw output to live (nil for none) from its start; bytes that it missed
// become a line "[N bytes not shown]", unless live is a LossWriter. After a write error nothing
// more is written to live. When ctx ends, its error is returned and the agent continues. CodeBusy:
// processes of a lost run cannot be killed.
func (r *Run) Wait(ctx context.Context, live io.Writer) (Result, error) {
	follow := newFollower(r.file("out"), segmentSize)
	defer follow.close()
	for {
		state := r.State() // before the last read, so that all earlier output is shown
		if live != nil && follow.copyNew(live) != nil {
			live = nil
		}
		switch state {
		case Finished:
			return r.result()
		case Lost:
			return r.lostResult(ctx)
		}
		if err := pause(ctx, lookInterval); err != nil {
			return Result{}, err
		}
	}
}

func (r *Run) result() (Result, error) {
	var res Result
	if err := readJSON(r.file("result.json"), &res); err != nil {
		return res, fmt.Errorf("cannot determine how %s ended: %w", r.label(), err)
	}
	return res, nil
}

// lostResult kills the processes that a run left and returns why there is no result.
func (r *Run) lostResult(ctx context.Context) (Result, error) {
	// begun.json may be missing with the folder; the token still finds most processes.
	var b beginRecord
	err := readJSON(r.file("begun.json"), &b)
	res := Result{Ended: EndedLost, Exit: -1, Started: b.Started, Error: "its shim died"}
	switch {
	case !r.folderIntact():
		res.Error = fmt.Sprintf("its folder %s was removed while it ran", belay.VisibleLine(r.dir))
	case err != nil:
		res.Error = "its shim died before the agent started"
	case b.Boot != proc.BootID():
		res.Error = "the machine was restarted"
	}
	if said := r.shimLog(); said != "" {
		res.Error += ": " + said
	}
	if err := r.killLeftovers(ctx, b); err != nil {
		return Result{}, err
	}
	if total, err := outputSize(r.file("out"), segmentSize); err == nil && total > 0 {
		res.OutputBytes, res.Cut = total, cutBytes(total, r.spec.Head, r.spec.Tail)
		if info, err := fsroot.Lstat(segmentName(r.file("out"), (total-1)/segmentSize)); err == nil {
			res.Elapsed = max(0, info.ModTime().Sub(b.Started))
		}
	}
	return res, nil
}

// shimLog returns the first line that the guard or the shim printed.
func (r *Run) shimLog() string {
	f, err := fsroot.Open(r.file("shim.log"))
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 512))
	line, _, _ := strings.Cut(strings.TrimSpace(string(head)), "\n")
	return belay.VisibleLine(line)
}

// Stop asks the shim to end the run and returns when its last process is dead: TERM to all, KILL
// after the grace. A second Stop, from any process, skips the grace. If the shim does not respond,
// or died, Stop kills everything itself. When ctx ends, Stop returns, but the request stays.
// Stopping a run that has ended does nothing.
func (r *Run) Stop(ctx context.Context) error {
	if r.State() != Running {
		return r.endLost(ctx)
	}
	var b beginRecord
	known := readJSON(r.file("begun.json"), &b) == nil
	limit := r.requestStop(b)
	if known {
		for _, id := range []proc.ID{b.Guard, b.Shim} {
			_ = id.Signal(syscall.SIGCONT) // they may have been stopped with SIGSTOP
		}
	}
	for began := time.Now(); r.State() == Running; {
		if time.Since(began) > limit {
			_ = readJSON(r.file("begun.json"), &b)
			return r.killLeftovers(ctx, b, b.Guard, b.Shim)
		}
		if err := pause(ctx, lookInterval); err != nil {
			return err
		}
	}
	return r.endLost(ctx)
}

// requestStop writes the request and returns how long to wait for the shim.
func (r *Run) requestStop(b beginRecord) time.Duration {
	f, err := fsroot.OpenFile(r.file("stop"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		f.Close()
		return r.spec.Grace + shimSlack
	}
	if f, err = fsroot.OpenFile(r.file("kill"), os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		_ = b.Shim.Signal(syscall.SIGTERM) // no folder, or a full disk
		return r.spec.Grace + shimSlack
	}
	f.Close()
	return shimSlack
}

func (r *Run) endLost(ctx context.Context) error {
	if r.State() != Lost {
		return nil
	}
	_, err := r.lostResult(ctx)
	return err
}

// killLeftovers kills the processes of a run until none is left. last are a guard and a shim that
// do not respond. They are killed last: processes that changed their environment and session are
// only found below them.
func (r *Run) killLeftovers(ctx context.Context, b beginRecord, last ...proc.ID) error {
	left, err := b.newTrace(r.spec).Sweep(ctx, killPatience, last...)
	switch {
	case ctx.Err() != nil && err == ctx.Err():
		return err
	case err != nil:
		return fmt.Errorf("ending the remaining processes of %s: %w", r.label(), err)
	case len(left) > 0:
		return belay.Refuse(belay.CodeBusy, "end them by hand, then try again", "processes of %s cannot be killed: %s",
			r.label(), strings.Join(processNames(left), ", "))
	}
	return nil
}

func processNames(all []proc.Process) []string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = belay.VisibleLine(p.String())
	}
	return words
}
