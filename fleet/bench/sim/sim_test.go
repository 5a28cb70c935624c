package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// small is a small fleet, with more frequent faults.
func small(seed uint64) config {
	c := standard
	c.tasks, c.workers, c.repositories, c.seed, c.faults = 200, 8, 4, seed, time.Hour
	return c
}

// TestSmallFleet: whatever fails, nothing is lost and nothing done twice; and each kind of fault
// happens.
func TestSmallFleet(t *testing.T) {
	t.Parallel()
	var faults report
	for seed := range uint64(4) {
		r := run(small(seed + 1))
		if len(r.Wrong) > 0 || r.Lost > 0 || r.Twice > 0 || r.Passed+r.GivenUp != r.Tasks {
			t.Errorf("seed %d: %d lost, %d done twice: %s", r.Seed, r.Lost, r.Twice, strings.Join(r.Wrong, "; "))
		}
		if r.Merged != r.Passed || r.Attempts < r.Recorded || r.Pushes < r.Tasks*5 || r.Utilisation <= 20 || r.Utilisation > 100 {
			t.Errorf("seed %d: %+v", r.Seed, r)
		}
		if r.MergeP50 <= 0 || r.MergeP50 > r.MergeP95 || r.MergeP95 > r.MergeP99 {
			t.Errorf("seed %d: merge queue %v %v %v", r.Seed, r.MergeP50, r.MergeP95, r.MergeP99)
		}
		faults.Crashes += r.Crashes
		faults.Cuts += r.Cuts
		faults.Restarts += r.Restarts
		faults.Outages += r.Outages
		faults.Moves += r.Moves
		faults.Moved += r.Moved
		faults.Refused += r.Refused
		faults.Gates += r.Gates
		faults.Quarantined += r.Quarantined
		faults.Late += r.Late
		faults.Cancelled += r.Cancelled
	}
	v := reflect.ValueOf(faults)
	for _, name := range []string{"Crashes", "Cuts", "Restarts", "Outages", "Moves", "Moved", "Refused", "Gates",
		"Quarantined", "Late", "Cancelled"} {
		if v.FieldByName(name).Int() == 0 {
			t.Errorf("in no run was anything %s", name)
		}
	}
}

// TestSameAgain: the same seed gives the same run, however busy the machine is.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	one, two := run(small(7)), run(small(7))
	one.usage, two.usage = nil, nil
	if !reflect.DeepEqual(one, two) {
		t.Errorf("%+v\nis not\n%+v", one, two)
	}
	if other := run(small(8)); other.WallTime == one.WallTime {
		t.Error("two seeds give the same run")
	}
}

// TestCalm: without faults no attempt is wasted and no task moves.
func TestCalm(t *testing.T) {
	t.Parallel()
	c := small(1)
	c.calm = true
	r := run(c)
	if len(r.Wrong) > 0 || r.Moves+r.Repeated+r.Late+r.Crashes+r.Refused > 0 || r.Attempts != r.Recorded || r.WastedTime != 0 {
		t.Errorf("%+v", r)
	}
}

// TestBrokenRules: the checks notice when a rule against lost or repeated tasks is broken.
func TestBrokenRules(t *testing.T) {
	t.Parallel()
	for without, says := range map[rule]string{
		ruleLease:  "was overwritten on the remote",
		ruleOnce:   "did not end",
		rulePushed: "and its branch has \"\"",
		ruleTaken:  "was started twice",
	} {
		t.Run(string(without), func(t *testing.T) {
			t.Parallel()
			var all []string
			for seed := range uint64(8) {
				c := small(seed + 1)
				c.without = without
				c.horizon = 5 * 24 * time.Hour
				all = append(all, run(c).Wrong...)
				if slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, says) }) {
					return
				}
			}
			t.Errorf("not found in eight runs: %s", all)
		})
	}
}
