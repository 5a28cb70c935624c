package main

import (
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
)

func TestForgot(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 9, 1, 12, 0, 0, 0, time.Local)
	out := task.ForgetResult{Snapshots: 4, Records: 1, Tasks: []task.ForgottenTask{{Task: "t1", Ended: ended, Snapshots: 4},
		{Task: "t2", KeptReason: "it moved meanwhile"}, {Task: "t3", RecordDeleted: true}}}
	for dry, want := range map[bool]string{
		false: "t1: ended 2026-09-01, 4 snapshots deleted\nt2: kept: it moved meanwhile\nt3: its record deleted\n" +
			"4 snapshots of 1 task and 1 record deleted\n",
		true: "t1: ended 2026-09-01, 4 snapshots would be deleted\nt2: kept: it moved meanwhile\nt3: its record would be deleted\n" +
			"4 snapshots of 1 task and 1 record would be deleted\n"} {
		var b strings.Builder
		out.DryRun = dry
		if printForgotten(&b, out); b.String() != want {
			t.Errorf("%s", b.String())
		}
	}
	for want, r := range map[string]remoteContents{
		"its record and 3 snapshots":                             {RemoteContents: remote.RemoteContents{Record: true, Snapshots: 3}},
		"its record; its snapshots were forgotten on 2026-11-28": {RemoteContents: remote.RemoteContents{Record: true, Forgotten: "2026-11-28"}},
		"nothing: its record was forgotten as well":              {},
		"unknown: it is down":                                    {Unknown: "it is down"},
	} {
		if got := r.text(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
