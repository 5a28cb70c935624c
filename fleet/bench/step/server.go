package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/bench/plot"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// server is a Temporal server that this program started, on loopback.
type server struct {
	cmd *exec.Cmd
	db  string
	c   client.Client
	n   int // submitted tasks
}

func start(ctx context.Context, program, dir string) (*server, error) {
	if program == "" {
		return nil, errors.New("no server is given\ntry: make bench-fleet")
	}
	s := &server{db: filepath.Join(dir, "temporal.db")}
	s.cmd = exec.CommandContext(ctx, program, "-port", "0", "-file", s.db)
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	rest, found := strings.CutPrefix(line, "Temporal server on ")
	address, _, _ := strings.Cut(rest, ",")
	if err != nil || !found {
		s.stop()
		return nil, fmt.Errorf("%s said %q: %w", program, line, err)
	}
	for range 100 { // it listens before it answers
		if s.c, err = client.Dial(client.Options{HostPort: address, Logger: silentLogger{}}); err == nil {
			return s, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	return nil, err
}

func (s *server) stop() {
	if s.c != nil {
		s.c.Close()
	}
	s.cmd.Process.Kill() //nolint:errcheck // its database is thrown away
	s.cmd.Wait()         //nolint:errcheck // it was killed
}

// workers starts n workers, like belay-fleet worker, in this process.
func (s *server) workers(n int) (stop func(), err error) {
	r := &records{all: map[belay.TaskID]*record{}}
	var all []worker.Worker
	for i := range n {
		name := fmt.Sprintf("w%d", i+1)
		shared := worker.New(s.c, task.Queue, worker.Options{Identity: name})
		shared.RegisterWorkflowWithOptions(task.Workflow, workflow.RegisterOptions{Name: task.WorkflowName})
		begin := worker.New(s.c, task.BeginQueue, worker.Options{Identity: name, DisableWorkflowWorker: true})
		begin.RegisterActivityWithOptions(r.do(name), activity.RegisterOptions{Name: task.BeginName})
		begin.RegisterActivityWithOptions(adopt, activity.RegisterOptions{Name: task.AdoptName})
		own := worker.New(s.c, task.QueueOf(name), worker.Options{Identity: name, DisableWorkflowWorker: true})
		own.RegisterActivityWithOptions(r.do(name), activity.RegisterOptions{Name: task.DoName})
		all = append(all, own, begin, shared)
	}
	stop = func() {
		for _, w := range all {
			w.Stop()
		}
	}
	for _, w := range all {
		if err := w.Start(); err != nil {
			return stop, err
		}
	}
	return stop, nil
}

// tasks submits n tasks, like belay-fleet submit, and waits until all are accepted.
func (s *server) tasks(ctx context.Context, n, attempts int) ([]client.WorkflowRun, error) {
	const remote = "/srv/git/app.git"
	key := temporal.NewSearchAttributeKeyKeyword
	runs, problems := make([]client.WorkflowRun, n), make(chan error, n)
	line := make(chan int)
	for range 8 {
		go func() {
			for i := range line {
				in := task.Input{ID: belay.TaskID(fmt.Sprintf("T-%d", s.n+i)), Remote: remote, Branch: "main", Agent: []string{"sh"},
					Base: strings.Repeat("4f1c", 10), Prose: strconv.Itoa(attempts)}
				run, err := s.c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: task.WorkflowID(remote, in.ID), TaskQueue: task.Queue,
					TypedSearchAttributes: temporal.NewSearchAttributes(
						key(task.AttrRepository).ValueSet(task.RepositoryKey(remote)), key(task.AttrTask).ValueSet(in.ID.Key()),
						key(task.AttrAgent).ValueSet("sh"), key(task.AttrPhase).ValueSet(string(loop.PhaseNew)))}, task.WorkflowName, in)
				var got task.Result
				if err == nil {
					err = run.Get(ctx, &got)
				}
				if err == nil && (got.Outcome != loop.OutcomePassed || got.Attempts != attempts) {
					err = fmt.Errorf("%s ended as %s after %d attempts", in.ID, got.Outcome, got.Attempts)
				}
				runs[i] = run
				problems <- err
			}
		}()
	}
	for i := range n {
		line <- i
	}
	close(line)
	for range n {
		if err := <-problems; err != nil {
			return nil, err
		}
	}
	s.n += n
	return runs, nil
}

// used is what the server and this process have used: processor time, and bytes of the database
// with its write-ahead log.
type used struct {
	cpu, mine time.Duration
	bytes     int64
	at        time.Time
}

func (s *server) used() (u used, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return u, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // a program's name may have spaces
	f := strings.Fields(rest)
	const user, system, tick = 11, 12, 10 * time.Millisecond // proc(5): fields 14 and 15, in hundredths of a second
	for _, i := range []int{user, system} {
		n, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			return u, err
		}
		u.cpu += time.Duration(n) * tick
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return u, err
	}
	u.mine = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	for _, name := range []string{s.db, s.db + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			u.bytes += info.Size()
		}
	}
	u.at = time.Now()
	return u, nil
}

// latency measures the steps of one task on an otherwise idle server.
func (s *server) latency(ctx context.Context) error {
	stop, err := s.workers(1)
	defer stop()
	if err != nil {
		return err
	}
	if _, err := s.tasks(ctx, 3, 1); err != nil { // warm-up
		return err
	}
	var between, whole []time.Duration
	parts := make([][]time.Duration, len(phases))
	var short, long *history
	for range 5 {
		for _, attempts := range []int{1, mostAttempts} {
			runs, err := s.tasks(ctx, 1, attempts)
			if err != nil {
				return err
			}
			h, err := fetch(ctx, s.c, runs[0].GetID(), runs[0].GetRunID())
			if err != nil {
				return err
			}
			if err := h.replay(); err != nil {
				return err
			}
			if attempts == 1 {
				short = h
				continue
			}
			long = h
			b, w, p := h.steps()
			between, whole = append(between, b...), append(whole, w...)
			for i := range p {
				parts[i] = append(parts[i], p[i]...)
			}
		}
	}
	b50, b95 := spread(between)
	w50, w95 := spread(whole)
	fmt.Printf("### A step through the server, one task at a time, %d steps\n\n| what | median | 95 %% |\n|---|---|---|\n", len(whole))
	fmt.Printf("| from the end of a command to the start of the next | %s | %s |\n", ms(b50), ms(b95))
	fmt.Printf("| a whole step with a command that takes no time | %s | %s |\n", ms(w50), ms(w95))
	for i, p := range phases {
		p50, p95 := spread(parts[i])
		fmt.Printf("| of it: %s | %s | %s |\n", p.name, ms(p50), ms(p95))
	}
	fmt.Println()
	events, bytes := float64(long.events()-short.events())/(mostAttempts-1), float64(long.bytes-short.bytes)/(mostAttempts-1)
	fmt.Printf("### History\n\n| | events | bytes |\n|---|---|---|\n| a task with one attempt | %d | %d |\n", short.events(), short.bytes)
	fmt.Printf("| each further attempt | %.1f | %.0f |\n\n", events, bytes)
	return nil
}

// throughput measures how many tasks workers do in a minute, with commands that take no time.
func (s *server) throughput(ctx context.Context) error {
	const n = 100
	fmt.Printf("### %d tasks with commands that take no time\n\n| workers | tasks a minute | commands a minute | server's CPU per task | "+
		"workers' CPU per task |\n|---|---|---|---|---|\n", n)
	for _, workers := range []int{1, 2, 4, 8} {
		_, u, v, err := s.batch(ctx, workers, n)
		if err != nil {
			return err
		}
		const commands = 6 // begin, snapshot, attempt, capture, check, close
		perMinute := n / v.at.Sub(u.at).Minutes()
		fmt.Printf("| %d | %.0f | %.0f | %s | %s |\n", workers, perMinute, commands*perMinute, ms((v.cpu-u.cpu)/n), ms((v.mine-u.mine)/n))
	}
	fmt.Println()
	return nil
}

func (s *server) batch(ctx context.Context, workers, n int) (runs []client.WorkflowRun, u, v used, err error) {
	stop, err := s.workers(workers)
	defer stop()
	if err != nil {
		return nil, u, v, err
	}
	if u, err = s.used(); err != nil {
		return nil, u, v, err
	}
	if runs, err = s.tasks(ctx, n, 1); err != nil {
		return nil, u, v, err
	}
	v, err = s.used()
	return runs, u, v, err
}

// cost measures the cost of a task on the server, for several numbers of tasks.
func (s *server) cost(ctx context.Context, counts []int, file string) error {
	fmt.Print("### Cost per task\n\n| tasks | server's CPU | workers' CPU | time | database |\n|---|---|---|---|---|\n")
	lines := map[string][]plot.Point{}
	for _, n := range counts {
		_, u, v, err := s.batch(ctx, 4, n)
		if err != nil {
			return err
		}
		per := time.Duration(n)
		cpu, mine, wall, kb := (v.cpu-u.cpu)/per, (v.mine-u.mine)/per, v.at.Sub(u.at)/per, float64(v.bytes-u.bytes)/float64(n)/1000
		fmt.Printf("| %d | %s | %s | %s | %.1f kB |\n", n, ms(cpu), ms(mine), ms(wall), kb)
		for name, cost := range map[string]float64{"server's CPU, ms": float64(cpu) / 1e6, "workers' CPU, ms": float64(mine) / 1e6,
			"time, ms": float64(wall) / 1e6, "database, kB": kb} {
			if cost > 0 { // the plot is logarithmic
				lines[name] = append(lines[name], plot.Point{Size: n, Cost: cost})
			}
		}
	}
	if file == "" {
		return nil
	}
	return plot.Write(file, "Cost of a task on the server, without its agent and tests", "tasks", "", lines)
}
