package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// Result collects the results of a task. Unreadable parts are left out, because the verdict does
// not depend on them.
func (s *Service) Result(ctx context.Context, r *session.Record) prompt.Result {
	defer s.Session.Repo.ShareReader()()
	out := prompt.Result{Checks: []belay.CheckResult{}, Changes: []belay.Change{}, Commits: []prompt.Commit{},
		Took: workingTime(r), Agents: r.State.Elapsed, Next: nextSteps(r)}
	var after belay.SnapshotID
	for _, a := range r.State.Attempts {
		if checks, err := s.checksOf(a.Report); err == nil && len(checks) > 0 {
			out.Checks = checks
		}
		if a.Snapshot != "" {
			after = a.Snapshot
		}
	}
	if after == "" || r.State.Before == "" {
		return out
	}
	at, err := s.forTask(ctx, r)
	if err != nil {
		return out
	}
	defer at.Session.Snaps.Repo.ShareReader()()
	if list, err := at.Session.Snaps.Changes(ctx, r.State.Before, after); err == nil {
		out.Changes = append(out.Changes, list...)
	}
	if list, err := at.commitsBetween(ctx, r.State.Before, after); err == nil {
		out.Commits = append(out.Commits, list...)
	}
	return out
}

// commitsBetween lists the commits that are reachable from refs of the second snapshot and not from
// those of the first, oldest first.
func (s *Service) commitsBetween(ctx context.Context, before, after belay.SnapshotID) ([]prompt.Commit, error) {
	var reach [2][]string
	for i, id := range []belay.SnapshotID{before, after} {
		info, err := s.Session.Snaps.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		held, err := s.Session.Snaps.ReadRefs(ctx, info)
		if err != nil {
			return nil, err
		}
		for _, oid := range append(slices.Collect(maps.Values(held.Refs)), held.Head.OID) {
			if oid != "" && !strings.HasPrefix(oid, "ref: ") {
				reach[i] = append(reach[i], oid)
			}
		}
	}
	fresh := slices.DeleteFunc(reach[1], func(oid string) bool { return slices.Contains(reach[0], oid) })
	if len(fresh) == 0 {
		return nil, nil
	}
	ask := strings.Join(fresh, "\n") + "\n"
	for _, oid := range reach[0] {
		ask += "^" + oid + "\n"
	}
	out, err := s.Session.Repo.Run(ctx, strings.NewReader(ask), "log", "-z", "--reverse", "--no-show-signature", "--no-mailmap",
		"--no-patch", "--format=%H %s", "--stdin")
	if err != nil {
		return nil, err
	}
	var list []prompt.Commit
	for line := range strings.SplitSeq(string(out), "\x00") {
		oid, subject, ok := strings.Cut(line, " ")
		if !ok { // behind the last one
			continue
		}
		list = append(list, prompt.Commit{OID: oid, Subject: subject})
	}
	return list, nil
}

// workingTime returns the time since the task started, without the time that it waited for a person or was paused.
func workingTime(r *session.Record) (sum time.Duration) {
	var last time.Time // zero while the task waits
	for _, e := range r.Log.Entries {
		if !last.IsZero() {
			sum += e.Time.Sub(last)
		}
		var entry struct {
			State struct {
				Pending *struct{}
			}
		}
		if e.Type != session.EntryEvent || json.Unmarshal(e.Data, &entry) != nil {
			if !last.IsZero() {
				last = e.Time
			}
			continue
		}
		if last = e.Time; entry.State.Pending == nil {
			last = time.Time{}
		}
	}
	return max(sum, 0)
}

// nextSteps returns suggested next commands.
func nextSteps(r *session.Record) []prompt.Step {
	id := r.Task.ID
	if r.State.Outcome != loop.OutcomePassed {
		return []prompt.Step{}
	}
	last := prompt.Step{Command: fmt.Sprintf("belay rollback %s", id), For: "revert it"}
	if runner.IsUnmerged(r) {
		last = prompt.Step{Command: fmt.Sprintf("belay merge %s", id), For: "bring it into your working tree"}
	}
	return []prompt.Step{{Command: fmt.Sprintf("belay diff %s", id), For: "read the change"}, last}
}
