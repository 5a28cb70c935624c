package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/proc"
)

const (
	tick       = 100 * time.Millisecond // how often requests are looked for
	shortGrace = 2 * time.Second        // for processes that outlive the agent: they would write into a tree that is being checked
	drainTime  = time.Second            // for output that a process outside the tree has open
	pipeSize   = 64 << 10               // the capacity of a pipe in bytes
)

// run runs the agent until all its processes have ended.
func (j *job) run() (res Result) {
	if j.hasRequest("stop") || j.hasRequest("kill") {
		return Result{Ended: EndedStopped, Exit: -1, Error: "stopped before it started"}
	}
	pid, pipes, err := j.start()
	if err != nil {
		return notStarted(err)
	}
	t := proc.NewTree(pid, j.spec.marker())
	if j.begun.Agent, err = proc.Identify(pid); err == nil {
		// Best effort: without it a lost run is found by its token and session.
		_ = writeJSON(j.file("begun.json"), j.begun, false)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(j.out, pipes.output)
	}()
	res = Result{Ended: j.watch(t), Exit: -1}
	defer func() { res.Denied = j.fence.Denied() }()
	left := t.End(proc.TreeEnding{
		Grace: j.spec.Grace, Orphans: shortGrace, Patience: killPatience, Sleep: j.sleep,
		Hurry: func() bool { return j.killing || j.hasRequest("kill") || j.folderReplaced() },
	})
	pipes.close(read, j.out)
	if ws, known := t.Status(); known {
		res.setStatus(ws)
	}
	if len(left) > 0 {
		res.LeftProcesses = processNames(left)
		res.addError("some of its processes cannot be killed")
	}
	return res
}

// notStarted returns the result that a shell would report.
func notStarted(err error) Result {
	res := Result{Ended: EndedExit, Exit: 126, Error: err.Error()}
	if errors.Is(err, proc.ErrMissing) || errors.Is(err, proc.ErrInterpreter) {
		res.Exit = 127
	}
	return res
}

// pipes are the shim's ends of the agent's pipes.
type pipes struct {
	output *os.File
	input  *os.File // nil without a prompt
}

// start starts the agent with its pipes and begins to write the prompt.
func (j *job) start() (int, pipes, error) {
	argv, dir := j.spec.argv(), string(j.spec.Dir)
	// The shim was started with the environment for the agent.
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, roleName+"=") })
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return 0, pipes{}, belay.Refuse(belay.CodeCannot, "make it", "the working folder %s cannot be entered", belay.VisibleLine(dir))
	}
	fenced, err := j.prepareFence()
	if err != nil {
		return 0, pipes{}, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return 0, pipes{}, err
	}
	defer outW.Close()
	in, inW, err := j.openInput()
	if err != nil {
		outR.Close()
		return 0, pipes{}, err
	}
	defer in.Close()
	pid, err := proc.Launch(argv, os.ProcAttr{Dir: dir, Env: env, Files: []*os.File{in, outW, outW}}, fenced)
	if err != nil {
		outR.Close()
		if inW != nil {
			inW.Close()
		}
		return 0, pipes{}, err
	}
	if inW != nil {
		go j.feedPrompt(inW)
	}
	return pid, pipes{output: outR, input: inW}, nil
}

// prepareFence returns the fence for the agent, nil for none.
func (j *job) prepareFence() (*fence.Fence, error) {
	if j.spec.Fence == nil {
		return nil, nil
	}
	f, err := fence.New(*j.spec.Fence)
	if err != nil {
		return nil, fmt.Errorf("the fence: %w", err)
	}
	j.fence = f
	return f, nil
}

// openInput returns the agent's standard input, and the end that the prompt is written to.
func (j *job) openInput() (*os.File, *os.File, error) {
	info, err := fsroot.Lstat(j.file("prompt"))
	if err != nil {
		return nil, nil, fmt.Errorf("looking for the prompt: %w", err)
	}
	if info.Size() == 0 {
		null, err := os.Open(os.DevNull)
		return null, nil, err
	}
	return os.Pipe()
}

// feedPrompt writes the prompt and closes the pipe. It blocks while the agent does not read;
// pipes.close unblocks it. An agent that closes its input is not an error.
func (j *job) feedPrompt(w *os.File) {
	defer w.Close()
	if f, err := fsroot.Open(j.file("prompt")); err == nil {
		_, _ = io.Copy(w, f)
		f.Close()
	}
}

// close closes the pipes after all processes of the tree have ended. A process outside it, like a
// server that the agent talked to, may have the output open: close does not wait for it, but first
// reads all that the agent printed, even if this process had no time to read it earlier.
func (p pipes) close(read <-chan struct{}, to io.Writer) {
	if p.input != nil {
		_ = p.input.Close()
	}
	select {
	case <-read:
	case <-time.After(drainTime):
		_ = p.output.SetReadDeadline(time.Now())
		<-read
		_ = p.output.SetReadDeadline(time.Time{})
		_ = proc.Empty(p.output, make([]byte, pipeSize), func(b []byte) { _, _ = to.Write(b) })
	}
	_ = p.output.Close()
}

// watch waits until the agent's own process ends or must be ended, and returns the reason.
func (j *job) watch(t *proc.Tree) string {
	var h silenceMeter
	for {
		if t.Ended() {
			return EndedExit
		}
		ran := time.Since(j.clock)
		silent := h.observe(ran, j.out.total.Load())
		switch {
		case j.stopping, j.hasRequest("stop"), j.hasRequest("kill"), j.folderReplaced():
			return EndedStopped
		case j.spec.Timeout > 0 && ran >= j.spec.Timeout:
			return EndedTimeout
		case j.spec.Quiet > 0 && silent >= j.spec.Quiet:
			return EndedQuiet
		}
		nap := tick
		if j.spec.Timeout > 0 {
			nap = min(nap, j.spec.Timeout-ran)
		}
		j.sleep(nap)
	}
}

// silenceMeter measures how long the agent printed nothing. It is called every tick; a longer step
// counts as five ticks at most, because then the shim itself was suspended and did not empty the
// agent's pipe.
type silenceMeter struct {
	last   time.Duration
	bytes  int64
	silent time.Duration
}

func (h *silenceMeter) observe(now time.Duration, bytes int64) time.Duration {
	h.silent += min(now-h.last, 5*tick)
	if bytes != h.bytes {
		h.silent = 0
	}
	h.last, h.bytes = now, bytes
	return h.silent
}

// sleep waits for d, the end of a child, or a signal to stop.
func (j *job) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-j.child:
	case sig := <-j.signals:
		if sig != syscall.SIGHUP {
			j.killing = j.stopping
			j.stopping = true
		}
	}
}
