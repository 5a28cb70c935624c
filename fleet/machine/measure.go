package machine

import (
	"github.com/belay-dev/belay/fleet/metrics"
	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/telemetry"
)

// addMetrics counts what was recorded here since the task was opened. An error is only a note: it
// must not fail a task.
func (t *openTask) addMetrics() {
	if t.machine.Metrics == nil {
		return
	}
	samples, err := t.svc.Metrics(t.rec.Task.ID, t.countedUpTo)
	if err != nil {
		t.messages = append(t.messages, "not counted: "+session.ErrorLine(err))
		return
	}
	t.machine.Metrics.Add(samples)
	t.countedUpTo = t.rec.Log.Head.Seq
	phase := ""
	if t.rec.Open() {
		phase = string(t.rec.State.Phase)
	}
	t.notePhase(phase)
}

// countPacks counts packs that were pushed and fetched.
func (m *Machine) countPacks(by remote.PackBytes) {
	bytes := func(name, help string, n int64) telemetry.Sample {
		return telemetry.Sample{Name: name, Help: help, Unit: "By", Value: float64(n)}
	}
	m.Metrics.Add([]telemetry.Sample{
		bytes("belay.fleet.pushed", "Bytes of packs that were pushed to remotes, but for those over HTTP", by.Sent),
		bytes("belay.fleet.fetched", "Bytes of packs that were fetched from remotes", by.Received)})
}

// notePhase notes the phase of a task of this machine; "" for one that ended or continued
// elsewhere.
func (t *openTask) notePhase(phase string) {
	t.machine.phases.Lock()
	defer t.machine.phases.Unlock()
	if phase == "" {
		delete(t.machine.phases.byClone, t.machine.clonePath(t.ask.Task))
		return
	}
	t.machine.phases.byClone[t.machine.clonePath(t.ask.Task)] = phase
}

// setGauges sets the gauges of this machine's slots and open tasks.
func (m *Machine) setGauges(set metrics.Set) {
	set("belay_slots", "Agents, tests and reviews that may run at once", float64(cap(m.slots)))
	set("belay_slots_used", "Agents, tests and reviews that run", float64(len(m.slots)))
	count := map[string]int{string(loop.PhaseGate): 0}
	m.phases.Lock()
	defer m.phases.Unlock()
	for _, phase := range m.phases.byClone {
		count[phase]++
	}
	for phase, n := range count {
		set("belay_tasks_open", "Open tasks of this worker since it started, by phase", float64(n), "phase", phase)
	}
}
