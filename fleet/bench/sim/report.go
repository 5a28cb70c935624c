package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/loop"
)

// report is the result of a run. Times are in seconds.
type report struct {
	Seed    uint64 `json:"seed"`
	Tasks   int    `json:"tasks"`
	Workers int    `json:"workers"`

	Lost  int      `json:"lost"`  // tasks that did not end, or with accepted work that is not on the remote
	Twice int      `json:"twice"` // tasks with accepted work that was pushed more than once
	Wrong []string `json:"wrong,omitempty"`

	Passed   int `json:"passed"`
	GivenUp  int `json:"given_up"` // skipped or aborted by a person
	Attempts int `json:"attempts"` // started agents
	Recorded int `json:"recorded"` // attempts in the records

	WastedAttempts float64 `json:"wasted_attempts_percent"`
	WastedTime     float64 `json:"wasted_time_percent"` // of agents
	WallTime       float64 `json:"seconds"`             // from the first task to the end of the last
	Bulk           float64 `json:"seconds_95"`          // until 95 % of the tasks ended
	Utilisation    float64 `json:"utilisation_percent"` // of the slots, until then

	MergeP50 float64 `json:"merge_p50_seconds"`
	MergeP95 float64 `json:"merge_p95_seconds"`
	MergeP99 float64 `json:"merge_p99_seconds"`

	Activities  int `json:"activities"`
	Repeated    int `json:"repeated"` // attempts of activities that the server retried
	Late        int `json:"late"`     // answers after the server had given up the attempt
	Moves       int `json:"moves"`    // tasks that continued on another worker
	Moved       int `json:"moved"`    // pushes rejected because another worker had the task
	Pushes      int `json:"pushes"`
	Refused     int `json:"refused"` // second submissions of a task
	Crashes     int `json:"crashes"`
	Restarts    int `json:"restarts"`
	Cuts        int `json:"cuts"`
	Outages     int `json:"outages"`
	Gates       int `json:"gates"`
	Quarantined int `json:"quarantined"`
	Rejected    int `json:"rejected"`  // decisions and cancellations that were not possible
	Cancelled   int `json:"cancelled"` // agents that a person stopped
	Orphans     int `json:"orphans"`   // agents stopped because no activity waited for them

	GivenUpByServer int `json:"given_up_by_server"` // attempts of activities that a worker ended because the server had given them up
	Merged          int `json:"merged"`
	MergesFailed    int `json:"merges_failed"`

	last      time.Time
	latencies []time.Duration
	killed    time.Duration // remaining time of agents when their machine crashed
	busy      int
	changed   time.Time
	usage     []usage
}

// usage is the number of busy slots from a time on.
type usage struct {
	at time.Time
	n  int
}

func newReport(c config) report {
	return report{Seed: c.seed, Tasks: c.tasks, Workers: c.workers}
}

func (r *report) noteOccupied(now time.Time, by int) {
	r.busy += by
	r.usage = append(r.usage, usage{now, r.busy})
}

func (w *simulation) addViolation(format string, args ...any) {
	w.report.Wrong = append(w.report.Wrong, fmt.Sprintf(format, args...))
}

// checkAll compares the workflows' results with the remotes.
func (w *simulation) checkAll() {
	r := &w.report
	var ends []time.Time
	var worked, useful time.Duration
	for _, j := range w.order {
		r.Attempts += j.attempts
		worked += j.worked
		if j.remote == nil || !j.closed {
			r.Lost++
			w.addViolation("%s did not end: phase %q", j.in.ID, j.phase)
			continue
		}
		r.Pushes += j.pushes
		r.Moves += j.result.Moves
		r.Recorded += len(j.remote.state.Attempts)
		for _, a := range j.remote.state.Attempts {
			useful += a.Elapsed
		}
		ends = append(ends, j.remote.entries[len(j.remote.entries)-1].step.Time)
		w.checkJob(j)
	}
	if r.Merged < r.Passed {
		w.addViolation("%d tasks were accepted, and %d merged", r.Passed, r.Merged)
	}
	worked -= r.killed
	if r.Attempts > 0 && worked > 0 {
		r.WastedAttempts = 100 * float64(r.Attempts-r.Recorded) / float64(r.Attempts)
		r.WastedTime = 100 * float64(worked-useful) / float64(worked)
	}
	r.WallTime = r.last.Sub(w.began).Seconds()
	if len(ends) > 0 {
		slices.SortFunc(ends, time.Time.Compare)
		bulk := ends[(len(ends)-1)*95/100]
		r.Bulk = bulk.Sub(w.began).Seconds()
		r.Utilisation = 100 * r.slotTime(w.began, bulk).Seconds() / (r.Bulk * float64(w.workers*w.slots))
	}
	slices.Sort(r.latencies)
	at := func(p int) float64 {
		if len(r.latencies) == 0 {
			return 0
		}
		return r.latencies[(len(r.latencies)-1)*p/100].Seconds()
	}
	r.MergeP50, r.MergeP95, r.MergeP99 = at(50), at(95), at(99)
}

// slotTime adds up the time of busy slots between two times.
func (r *report) slotTime(from, to time.Time) (sum time.Duration) {
	for i, u := range r.usage {
		end := to
		if i+1 < len(r.usage) && r.usage[i+1].at.Before(to) {
			end = r.usage[i+1].at
		}
		if u.at.Before(end) && !u.at.Before(from) {
			sum += time.Duration(u.n) * end.Sub(u.at)
		}
	}
	return sum
}

// checkJob compares a task's result with its record and its branch on the remote.
func (w *simulation) checkJob(j *job) {
	r := &w.report
	if j.err != nil {
		r.Lost++
		w.addViolation("%s failed: %v", j.in.ID, j.err)
		return
	}
	var s loop.State
	for i, e := range j.remote.entries {
		if e.step.Event.Kind == "" {
			continue
		}
		next, _, err := loop.Step(policy, s, e.step.Event)
		if err != nil {
			w.addViolation("%s: entry %d of the record: %v", j.in.ID, i+1, err)
			return
		}
		s = next
	}
	sum, err := task.StateHash(s)
	want, err2 := task.StateHash(j.remote.state)
	switch {
	case err != nil || err2 != nil || sum != want:
		w.addViolation("%s: the record's events do not lead to its state", j.in.ID)
	case j.result.Head != j.remote.head():
		w.addViolation("%s ended at entry %d, and the remote has %d", j.in.ID, j.result.Head.Seq, len(j.remote.entries))
	case j.result.Attempts != len(s.Attempts) || j.result.Outcome != s.Outcome:
		w.addViolation("%s ended as %s after %d attempts, and the record says %s after %d", j.in.ID, j.result.Outcome, j.result.Attempts,
			s.Outcome, len(s.Attempts))
	}
	if j.merged > 1 {
		r.Twice++
		w.addViolation("%s was accepted %d times", j.in.ID, j.merged)
	}
	if j.result.Outcome != loop.OutcomePassed {
		r.GivenUp++
		if j.merged > 0 {
			w.addViolation("%s was given up, and its work is on its branch", j.in.ID)
		}
		return
	}
	r.Passed++
	if j.merged == 0 || j.branch != j.result.Commit {
		r.Lost++
		w.addViolation("%s was accepted with %q, and its branch has %q", j.in.ID, j.result.Commit, j.branch)
	}
}

// table formats runs side by side.
func table(c config, all []report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tasks on %d workers with %d slots, %d repositories\n\n| |", c.tasks, c.workers, c.slots, c.repositories)
	for _, r := range all {
		fmt.Fprintf(&b, " seed %d |", r.Seed)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(all)) + "\n")
	row := func(name string, of func(report) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, r := range all {
			fmt.Fprintf(&b, " %s |", of(r))
		}
		b.WriteString("\n")
	}
	count := func(name string, of func(report) int) { row(name, func(r report) string { return fmt.Sprint(of(r)) }) }
	share := func(name string, of func(report) float64) {
		row(name, func(r report) string { return fmt.Sprintf("%.1f %%", of(r)) })
	}
	span := func(name string, of func(report) float64) {
		row(name, func(r report) string { return (time.Duration(of(r)) * time.Second).String() })
	}
	count("lost", func(r report) int { return r.Lost })
	count("done twice", func(r report) int { return r.Twice })
	count("accepted", func(r report) int { return r.Passed })
	count("given up by a person", func(r report) int { return r.GivenUp })
	count("agents started", func(r report) int { return r.Attempts })
	share("attempts wasted", func(r report) float64 { return r.WastedAttempts })
	share("agents' time wasted", func(r report) float64 { return r.WastedTime })
	span("95 % ended after", func(r report) float64 { return r.Bulk })
	span("all ended after", func(r report) float64 { return r.WallTime })
	share("slots in use, until 95 % ended", func(r report) float64 { return r.Utilisation })
	span("merge queue, p50", func(r report) float64 { return r.MergeP50 })
	span("merge queue, p95", func(r report) float64 { return r.MergeP95 })
	span("merge queue, p99", func(r report) float64 { return r.MergeP99 })
	count("activities", func(r report) int { return r.Activities })
	count("repeated by the server", func(r report) int { return r.Repeated })
	count("continued on another worker", func(r report) int { return r.Moves })
	count("pushes refused: the task had moved", func(r report) int { return r.Moved })
	count("answers that came too late", func(r report) int { return r.Late })
	count("pushes", func(r report) int { return r.Pushes })
	count("machines that crashed", func(r report) int { return r.Crashes })
	count("workers restarted", func(r report) int { return r.Restarts })
	count("workers cut off", func(r report) int { return r.Cuts })
	count("remotes away", func(r report) int { return r.Outages })
	count("gates answered", func(r report) int { return r.Gates })
	count("quarantined", func(r report) int { return r.Quarantined })
	count("cancelled by a person", func(r report) int { return r.Cancelled })
	count("agents stopped: their task had moved", func(r report) int { return r.Orphans })
	count("submitted twice, refused", func(r report) int { return r.Refused })
	count("combined tests that failed", func(r report) int { return r.MergesFailed })
	return b.String()
}
