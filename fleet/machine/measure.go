package machine

import (
	"github.com/belay-dev/belay/fleet/metrics"
	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/telemetry"
)

// measure counts what was recorded here since the task was opened. What cannot be read is not counted: no task fails for it.
func (t *one) measure() {
	if t.on.Metrics == nil {
		return
	}
	samples, err := t.svc.Measured(t.rec.Task.ID, t.from)
	if err != nil {
		t.messages = append(t.messages, "not counted: "+session.Sentence(err))
		return
	}
	t.on.Metrics.Add(samples)
	t.from = t.rec.Log.Head.Seq
	phase := ""
	if t.rec.Open() {
		phase = string(t.rec.State.Phase)
	}
	t.notePhase(phase)
}

// moved counts packs that went to or came from a remote.
func (m *Machine) moved(by remote.Moved) {
	bytes := func(name, help string, n int64) telemetry.Sample {
		return telemetry.Sample{Name: name, Help: help, Unit: "By", Value: float64(n)}
	}
	m.Metrics.Add([]telemetry.Sample{
		bytes("belay.fleet.pushed", "Bytes of packs that were pushed to remotes, but for those over HTTP", by.Sent),
		bytes("belay.fleet.fetched", "Bytes of packs that were fetched from remotes", by.Received)})
}

// notePhase notes which phase a task of this machine is in; "" for one that ended, or continued elsewhere.
func (t *one) notePhase(phase string) {
	t.on.phases.Lock()
	defer t.on.phases.Unlock()
	if phase == "" {
		delete(t.on.phases.of, t.on.clone(t.q.Task))
		return
	}
	t.on.phases.of[t.on.clone(t.q.Task)] = phase
}

// gauges are what this machine does now.
func (m *Machine) gauges(set metrics.Set) {
	set("belay_slots", "Agents, tests and reviews that may run at once", float64(cap(m.slots)))
	set("belay_slots_used", "Agents, tests and reviews that run", float64(len(m.slots)))
	count := map[string]int{string(loop.PhaseGate): 0}
	m.phases.Lock()
	defer m.phases.Unlock()
	for _, phase := range m.phases.of {
		count[phase]++
	}
	for phase, n := range count {
		set("belay_tasks_open", "Open tasks of this worker since it started, by phase", float64(n), "phase", phase)
	}
}
