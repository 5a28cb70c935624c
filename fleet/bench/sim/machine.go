package main

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// The model of a worker, after package machine: a task has a record in a clone on one worker,
// commands run under the clone's lock and in a slot, and events are pushed to the remote before the
// answer.

// machine is a worker's machine.
type machine struct {
	number  int
	name    string
	up      bool // its process runs
	linked  bool // connected to the server
	process int  // counts starts of its process
	boot    int  // counts starts of the machine, each of which ends all agents

	clones  map[*job]*clone
	waiting []*call // in its queue
	runs    []*running
	answers []func() // that the server has not received

	busy int // used slots
	line []func() bool
}

// clone is a task on a worker.
type clone struct {
	record record
	last   int // the last known version of the remote's record
	moved  bool
	locks  []*running // the first one has the lock
	until  time.Time  // without a command, it counts as at work until then

	agent struct {
		command string
		boot    int
		began   time.Time
		ends    time.Time
	}
}

// record is a task's record: a chain of entries.
type record struct {
	entries []entry
	state   loop.State
	commit  string // of accepted work; "" before
	version int    // of the remote's record
}

type entry struct {
	step task.Step // without a kind for a note
	hash string
}

func (r *record) head() task.Head {
	if len(r.entries) == 0 {
		return task.Head{}
	}
	return task.Head{Seq: len(r.entries), Hash: r.entries[len(r.entries)-1].hash}
}

func (r *record) add(step task.Step, text string) {
	h := fnv.New64a()
	fmt.Fprint(h, r.head().Hash, step.Sum, text)
	r.entries = append(r.entries[:len(r.entries):len(r.entries)], entry{step, fmt.Sprintf("%x", h.Sum64())})
}

var policy = func() belay.Policy {
	p := belay.DefaultPolicy()
	p.Baseline = true
	return p
}()

// apply records an event, by the rules of the loop.
func (w *simulation) apply(c *clone, e loop.Event, by string) error {
	next, _, err := loop.Step(policy, c.record.state, e)
	if err != nil {
		return err
	}
	sum, err := task.StateHash(next)
	if err != nil {
		return err
	}
	c.record.state = next
	c.record.add(task.Step{Event: task.SlimEvent(e), Sum: sum, Time: w.now()}, by)
	return nil
}

func (w *simulation) machineOf(queue string) *machine {
	var n int
	if _, err := fmt.Sscanf(queue, task.QueueOf("w%d"), &n); err != nil {
		panic(err)
	}
	return w.machines[n]
}

// runLater runs the next part of an activity after d, if its worker still runs then.
func (w *simulation) runLater(r *running, d time.Duration, do func()) {
	w.runAfter(d, func() {
		if r.isAlive() {
			do()
		}
	})
}

// Times of operations.
const (
	cloneTime   = 8 * time.Second
	smallTime   = 2 * time.Second // a snapshot, a restore
	pushTime    = time.Second
	testTime    = 2 * time.Minute
	agentTime   = 8 * time.Minute
	mergeTime   = 3 * time.Minute // of a merge and its combined test
	pauseOfKill = 30 * time.Second
)

// beginActivity starts an activity on its worker.
func (w *simulation) beginActivity(r *running) {
	j := r.job
	rnd := w.randFor("begin", j.number, r.ask.Head.Seq, r.attempt, r.on.number)
	switch r.name {
	case task.BeginName, task.AdoptName:
		w.runLater(r, around(rnd, cloneTime, 0.5), func() { w.makeClone(r) })
		return
	}
	c := r.on.clones[j]
	if c == nil || c.moved {
		w.finish(r, task.ActivityResult{}, temporal.NewApplicationError(string(j.in.ID)+" is not on this machine", "Error"))
		return
	}
	c.locks = append(c.locks, r)
	if c.locks[0] == r {
		w.doLocked(r, c)
	}
}

// release releases a clone's lock to the next waiting activity, and the slot.
func (w *simulation) release(r *running) {
	if c := r.on.clones[r.job]; c != nil {
		first := len(c.locks) > 0 && c.locks[0] == r
		c.locks = slices.DeleteFunc(c.locks, func(o *running) bool { return o == r })
		if first && len(c.locks) > 0 {
			next := c.locks[0]
			w.runLater(next, 0, func() { w.doLocked(next, c) })
		}
	}
	if r.slot {
		r.slot = false
		r.on.busy--
		w.report.noteOccupied(w.now(), -1)
		w.fillSlots(r.on)
	}
}

// fillSlots gives free slots to those that wait longest.
func (w *simulation) fillSlots(m *machine) {
	for m.busy < w.slots && len(m.line) > 0 {
		next := m.line[0]
		m.line = m.line[1:]
		if next() {
			m.busy++
			w.report.noteOccupied(w.now(), 1)
		}
	}
}

// makeClone creates a clone of a new task, or of the remote's record.
func (w *simulation) makeClone(r *running) {
	j := r.job
	if j.repo.down {
		w.finish(r, task.ActivityResult{}, temporal.NewApplicationError("the remote cannot be reached", "Error"))
		return
	}
	c := &clone{}
	r.on.clones[j] = c
	if j.remote == nil && r.name == task.BeginName {
		if err := w.apply(c, loop.Event{Kind: loop.EvStarted}, r.on.name); err != nil {
			w.finish(r, task.ActivityResult{}, err)
			return
		}
		w.push(r, c)
		return
	}
	if j.remote == nil {
		w.finish(r, task.ActivityResult{}, diverged("the remote has no record of %s", j.in.ID))
		return
	}
	c.record = *j.remote
	c.last = c.record.version
	if n := r.ask.Head.Seq; n > len(c.record.entries) || n > 0 && c.record.entries[n-1].hash != r.ask.Head.Hash {
		delete(r.on.clones, j)
		w.finish(r, task.ActivityResult{}, diverged("the record of %s on the remote is another one", j.in.ID))
		return
	}
	c.record.add(task.Step{Time: w.now()}, "continued on worker "+r.on.name)
	w.push(r, c)
}

func diverged(format string, args ...any) error {
	return temporal.NewNonRetryableApplicationError(fmt.Sprintf(format, args...), task.ErrDiverged, nil)
}

// doLocked carries out an activity in a clone.
func (w *simulation) doLocked(r *running, c *clone) {
	switch pending := c.record.state.Pending; r.name {
	case task.WakeName:
		if pending == nil {
			w.record(r, c, loop.Event{Kind: loop.EvResumed})
			return
		}
	case task.DecideName:
		if g := c.record.state.Gate; g != nil && g.Number == r.ask.Decision.Gate {
			w.record(r, c, r.ask.Decision)
			return
		}
	case task.DoName:
		if pending != nil && pending.ID == r.ask.Command.ID || w.without == ruleOnce {
			r.on.line = append(r.on.line, func() bool {
				if !r.isAlive() {
					return false
				}
				r.slot = true
				w.command(r, c)
				return true
			})
			w.fillSlots(r.on)
			return
		}
	}
	w.push(r, c) // done before by an attempt of which the answer was lost
}

// record records an event and pushes it.
func (w *simulation) record(r *running, c *clone, e loop.Event) {
	r.stopped = nil
	if err := w.apply(c, e, r.on.name); err != nil {
		w.finish(r, task.ActivityResult{}, err)
		return
	}
	w.push(r, c)
}

// command carries out a command of the loop.
func (w *simulation) command(r *running, c *clone) {
	q := r.ask.Command
	rnd := w.randFor("command", r.job.number, len(c.record.entries))
	e := loop.Event{Command: q.ID}
	snapshot := belay.SnapshotID(fmt.Sprintf("s%d-%d", r.job.number, len(c.record.entries)))
	d := around(rnd, smallTime, 0.5)
	switch q.Kind {
	case loop.CmdAttempt:
		w.agent(r, c)
		return
	case loop.CmdSnapshot:
		e.Kind, e.Snapshot = loop.EvSnapshot, snapshot
	case loop.CmdCapture:
		e.Kind, e.Snapshot = loop.EvCaptured, snapshot
	case loop.CmdRestore:
		e.Kind, e.Snapshot = loop.EvRestored, snapshot
	case loop.CmdBaseline:
		e.Kind, d = loop.EvBaseline, around(rnd, testTime, 0.6)
	case loop.CmdCheck:
		e.Kind, d = loop.EvChecked, around(rnd, testTime, 0.6)
		e.Verdict, e.Findings = verdict(rnd.Float64(), q.Attempt)
	case loop.CmdClose:
		e.Kind = loop.EvClosed
	default:
		panic("the model does not know the command " + q.Kind)
	}
	w.runLater(r, d, func() { w.record(r, c, e) })
}

// verdict is the result of the checks of an attempt.
func verdict(p float64, n int) (belay.Verdict, []belay.Finding) {
	const pass, unknown, scope = 0.60, 0.02, 0.08
	f := belay.Finding{Check: "tests", Severity: belay.SeverityError, Category: belay.CategoryTests,
		Title: fmt.Sprintf("TestAdd fails (%d)", n)}
	switch {
	case p < pass:
		return belay.VerdictPass, nil
	case p < pass+unknown:
		return belay.VerdictUnknown, nil
	case p < pass+unknown+scope:
		f.Check, f.Category, f.Title = "scope", belay.CategoryScope, "go.mod is outside the task's files"
	}
	return belay.VerdictFail, []belay.Finding{f.Sign()}
}

// agent runs an agent, or waits for one that survived its worker's process.
func (w *simulation) agent(r *running, c *clone) {
	q, j := r.ask.Command, r.job
	switch {
	case c.agent.command != q.ID:
		rnd := w.randFor("agent", j.number, len(c.record.entries), r.on.number)
		d := min(around(rnd, agentTime, 0.8), 2*time.Hour)
		c.agent.command, c.agent.boot = q.ID, r.on.boot
		c.agent.began, c.agent.ends = w.now(), w.now().Add(q.Wait+d)
		j.attempts++
		j.worked += q.Wait + d
		if j.poisoned {
			w.runLater(r, time.Duration(float64(d)*rnd.Float64()/2), func() { w.crash(r.on, pauseOfKill) })
		}
	case c.agent.boot != r.on.boot: // the machine was restarted, which ended the agent
		w.runLater(r, smallTime, func() { w.record(r, c, loop.Event{Kind: loop.EvLost, Command: q.ID}) })
		return
	}
	began, ends := c.agent.began, c.agent.ends
	r.stopped = func() {
		w.report.Cancelled++
		j.worked -= ends.Sub(w.now())
		w.record(r, c, loop.Event{Kind: loop.EvCancelled, Command: q.ID, By: "ann", Elapsed: w.now().Sub(began)})
	}
	w.runLater(r, ends.Sub(w.now()), func() {
		if r.stopped == nil {
			return
		}
		e := loop.Event{Kind: loop.EvAttempted, Command: q.ID, Ended: loop.EndedExit, Elapsed: ends.Sub(began)}
		switch p := w.randFor("exit", j.number, len(c.record.entries)).Float64(); {
		case p < 0.03:
			e.Exit, e.Transient, e.Note = 1, true, "overloaded"
		case p < 0.04:
			e.Ended = loop.EndedTimeout
		case p < 0.05:
			e.Kind, e.Ended = loop.EvStalled, ""
		}
		w.record(r, c, e)
	})
}

// stopOrphan stops a task's agent that no activity waits for.
func (w *simulation) stopOrphan(m *machine, j *job) {
	c := m.clones[j]
	left := c.agent.ends.Sub(w.now())
	if left <= 0 || c.agent.boot != m.boot || slices.ContainsFunc(m.runs, func(r *running) bool { return r.job == j }) {
		return
	}
	w.report.Orphans++
	j.worked -= left
	c.agent.boot, c.agent.ends = -1, w.now()
}

// push pushes the record to the remote, and answers.
func (w *simulation) push(r *running, c *clone) {
	w.runLater(r, pushTime, func() { w.afterPush(r, c) })
}

func (w *simulation) afterPush(r *running, c *clone) {
	j := r.job
	st := task.ActivityResult{Worker: r.on.name, Policy: policy}
	closed, work := c.record.state.Phase == loop.PhaseClosed, ""
	if closed && c.record.state.Outcome == loop.OutcomePassed && c.record.commit == "" {
		work = fmt.Sprintf("commit of %s on %s, %d", j.in.ID, r.on.name, len(c.record.entries))
	}
	version := 0
	if j.remote != nil {
		version = j.remote.version
	}
	switch {
	case j.repo.down && closed && w.without != rulePushed:
		w.finish(r, st, temporal.NewApplicationError("the remote cannot be reached", "Error"))
		return
	case j.repo.down:
		st.Pushed = w.without == rulePushed
		st.Notes = append(st.Notes, "not pushed: the remote cannot be reached")
	case version != c.last && w.without != ruleLease:
		c.moved = true
		w.report.Moved++
		w.finish(r, st, temporal.NewNonRetryableApplicationError("the record was moved on by another worker", task.ErrMoved, nil))
		return
	default:
		if work != "" {
			c.record.commit = work
			c.record.add(task.Step{Time: w.now()}, work)
			w.accept(j, work)
		}
		st.Pushed = true
		c.record.version, c.last = version+1, version+1
		if r := j.remote; r != nil {
			if n := len(r.entries); n > len(c.record.entries) || n > 0 && r.entries[n-1].hash != c.record.entries[n-1].hash {
				w.addViolation("%s: the record of another worker was overwritten on the remote", j.in.ID)
			}
		}
		remote := c.record
		j.remote = &remote
		j.pushes++
	}
	st.Commit, st.Head = c.record.commit, c.record.head()
	n := r.ask.Head.Seq
	if n > len(c.record.entries) || n > 0 && c.record.entries[n-1].hash != r.ask.Head.Hash {
		w.finish(r, st, diverged("the record of %s here does not continue from entry %d that is known", j.in.ID, n))
		return
	}
	for _, e := range c.record.entries[n:] {
		if e.step.Event.Kind != "" {
			st.Steps = append(st.Steps, e.step)
		}
	}
	w.finish(r, st, nil)
}

// fail makes workers, networks and remotes fail, independently.
func (w *simulation) fail() {
	for _, m := range w.machines {
		w.scheduleFailure(m, 1)
	}
	for _, r := range w.repos {
		w.scheduleRefusal(r, 1)
	}
}

// scheduleFailure makes a worker fail repeatedly.
func (w *simulation) scheduleFailure(m *machine, n int) {
	rnd := w.randFor("fault", m.number, n)
	w.runAfter(every(rnd, w.faults), func() {
		switch p := rnd.Float64(); {
		case p < 0.4:
			w.restart(m, around(rnd, 15*time.Second, 0.7))
		case p < 0.7:
			w.crash(m, around(rnd, 5*time.Minute, 1))
		default:
			w.disconnect(m, around(rnd, 40*time.Second, 1))
		}
		w.scheduleFailure(m, n+1)
	})
}

// crash stops a machine, with everything on it, for a time.
func (w *simulation) crash(m *machine, pause time.Duration) {
	if !m.up {
		return
	}
	w.report.Crashes++
	m.boot++
	for _, c := range m.clones {
		if left := c.agent.ends.Sub(w.now()); left > 0 && c.agent.boot == m.boot-1 {
			w.report.killed += left // agents did not work this time: checkAll subtracts it
			c.agent.ends = w.now()
		}
	}
	w.stop(m, pause)
}

// restart stops only a worker's process. Its agents continue.
func (w *simulation) restart(m *machine, pause time.Duration) {
	if m.up {
		w.report.Restarts++
		w.stop(m, pause)
	}
}

func (w *simulation) stop(m *machine, pause time.Duration) {
	m.up = false
	m.process++
	w.report.noteOccupied(w.now(), -m.busy)
	runs := m.runs
	m.runs, m.answers, m.line, m.busy = nil, nil, nil, 0
	for _, c := range m.clones {
		c.locks = nil
	}
	for _, r := range runs {
		r.ended, r.slot = true, false
		w.noteSilence(r)
	}
	w.runAfter(pause, func() {
		m.up = true
		w.poll(m)
	})
}

// disconnect cuts a worker off from the server, but not from the remote.
func (w *simulation) disconnect(m *machine, pause time.Duration) {
	if !m.linked {
		return
	}
	w.report.Cuts++
	m.linked = false
	for _, r := range m.runs {
		w.noteSilence(r)
	}
	w.runAfter(pause, func() {
		m.linked = true
		answers := m.answers
		m.answers = nil
		for _, a := range answers {
			a()
		}
		for _, r := range slices.Clone(m.runs) {
			w.heartbeat(r)
		}
		w.poll(m)
	})
}
