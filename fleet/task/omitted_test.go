package task_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/testutil"
)

// limited rejects what a server rejects: more than 2 MiB at once.
type limited struct {
	converter.DataConverter
}

func (l *limited) ToPayload(v any) (*commonpb.Payload, error) {
	p, err := l.DataConverter.ToPayload(v)
	if err != nil {
		return p, err
	}
	return p, fits(len(p.GetData()))
}

func (l *limited) ToPayloads(all ...any) (*commonpb.Payloads, error) {
	p, err := l.DataConverter.ToPayloads(all...)
	size := 0
	for _, one := range p.GetPayloads() {
		size += len(one.GetData())
	}
	if err != nil {
		return p, err
	}
	return p, fits(size)
}

func fits(size int) error {
	if size > 2<<20 {
		return fmt.Errorf("a payload of %d bytes", size)
	}
	return nil
}

// limit makes the test server reject what is too large.
func limit(env *testsuite.TestWorkflowEnvironment) {
	env.SetDataConverter(&limited{converter.GetDefaultDataConverter()})
	env.SetTestTimeout(testutil.Patience) // for one activity, which encodes much
}

// many returns n findings of about 200 bytes each.
func many(n int) []belay.Finding {
	all := make([]belay.Finding, n)
	for i := range all {
		all[i] = belay.Finding{Check: "review", Severity: belay.SeverityError, Category: belay.CategoryReview, File: "src/a.go", Line: i + 1,
			Title: fmt.Sprintf("%s is wrong", strings.Repeat(string(rune('a'+i%26)), 20+i/26%80)+strings.Repeat("x", i/2080))}.Sign()
	}
	return all
}

// TestManyFindings: the rules use all findings, although the server takes only some: the last of
// 50,000, which the workflow never had, is found again in the second attempt, so that attempt is
// rolled back.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	all := many(50_000)
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictFail, belay.VerdictFail},
		findings: [][]belay.Finding{all, all[len(all)-1:], all}}
	m.policy = belay.DefaultPolicy()
	m.policy.Retry, m.policy.Retries, m.policy.MaxAttempts = belay.RetryAuto, 2, 20
	env := fleet(t, m)
	limit(env)
	env.RegisterDelayedCallback(func() {
		st := where(t, env)
		if st.Gate == nil || st.Gate.Kind != loop.GateRetries || st.State.Attempts[0].Verdict != belay.VerdictFail {
			t.Fatalf("%s %+v", st.Phase, st.Gate)
		}
		if n := st.Omitted.Findings; n < 90_000 || st.OmittedNote() != st.Omitted.String()+" are only in the record, refs/belay/fleet/t1/record on the remote" {
			t.Errorf("%+v: %s", st.Omitted, st.OmittedNote())
		}
		for _, i := range []int{0, 2} {
			list := st.State.Attempts[i].Findings
			if last := list[len(list)-1]; len(list) < 3 || !strings.HasSuffix(last.Title, " more in the record") || last.Severity != belay.SeverityNote {
				t.Errorf("%d findings, the last %+v", len(list), last)
			}
		}
		text := fmt.Sprint(st.Lines)
		if strings.Count(text, "and 49997 more") != 2 || strings.Contains(text, task.PhaseQuarantined) {
			t.Error(text)
		}
	}, time.Hour)
	got := answer(env, 2*time.Hour, "once more", task.Decision{Decision: loop.DecideGuide, Note: "use the clock", By: "ann"})
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || r.Attempts != 4 || r.Moves != 0 || *got != "done" {
		t.Errorf("%+v, %s", r, *got)
	}
	want := "snapshot attempt capture check attempt capture check restore attempt capture check restore attempt capture check close"
	if got := strings.Join(m.done, " "); got != want {
		t.Errorf("did %s\nwant %s", got, want)
	}
}

// TestLongTexts: a finding of 5 MB, and people's texts that are long together, are cut and marked
// as cut; the rules use the full texts.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 5<<19)
	one := []belay.Finding{belay.Finding{Check: "review", Severity: belay.SeverityError, Category: belay.CategoryReview, Title: long}.Sign()}
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictFail, belay.VerdictFail, belay.VerdictFail},
		findings: [][]belay.Finding{one, one, one, one}}
	m.policy = belay.DefaultPolicy()
	m.policy.Retries, m.policy.MaxAttempts = 0, 20
	env := fleet(t, m)
	m.policy.Retries = 0
	limit(env)
	note := strings.Repeat("n", task.MaxNote-10)
	for i := 1; i <= 3; i++ {
		env.RegisterDelayedCallback(func() {
			st := where(t, env)
			f := st.State.Attempts[i-1].Findings
			if st.Gate == nil || st.Gate.Number != i || len(f) != 1 || !strings.HasSuffix(f[0].Title, "bytes more in the record)") || st.Omitted.Bytes < 5<<20-2000 {
				t.Errorf("gate %+v, %d findings, %v", st.Gate, len(f), st.Omitted)
			}
		}, time.Duration(i)*time.Hour)
		d := task.Decision{Decision: loop.DecideGuide, Gate: i, Note: note, By: "ann"}
		if got := answer(env, time.Duration(i)*time.Hour+time.Minute, fmt.Sprint(i), d); i == 3 {
			defer func() {
				if *got != "done" {
					t.Error(*got)
				}
			}()
		}
	}
	over := answer(env, 4*time.Hour, "over", task.Decision{Decision: loop.DecideGuide, Gate: 4, Note: note + note, By: "ann"})
	abort := answer(env, 5*time.Hour, "abort", task.Decision{Decision: loop.DecideAbort, Gate: 4, By: "ann"})
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomeAborted || r.Attempts != 4 || *abort != "done" || !strings.Contains(*over, "the limit is") {
		t.Errorf("%+v, %s, %s", r, *abort, *over)
	}
	if text := m.state.Decisions[0].Note; text != note || m.state.Attempts[3].Findings[0].Title != long {
		t.Error("the record is incomplete")
	}
}

// TestSteps: small steps are sent as before, large ones in part; a record that does not follow the
// rules is an error before that.
func TestSteps(t *testing.T) {
	t.Parallel()
	m := &machines{policy: belay.DefaultPolicy()}
	for _, e := range []loop.Event{{Kind: loop.EvStarted}, {Kind: loop.EvSnapshot, Command: "1-snapshot", Snapshot: "s1"}} {
		if err := m.apply(e); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := task.MakeSteps(m.policy, loop.State{}, false, m.record)
	if err != nil || len(plain) != 2 || plain[0].State != nil || plain[1].State != nil {
		t.Fatalf("%+v, %v", plain, err)
	}
	whole, err := task.MakeSteps(m.policy, m.record[0].State, true, m.record[1:])
	if err != nil || whole[0].State == nil || whole[0].Omitted != nil || whole[0].Sum != plain[1].Sum {
		t.Errorf("%+v, %v", whole, err) // the workflow has the full state again
	}
	odd := append([]task.RecordedEvent(nil), m.record...)
	odd[1].State.Before = "another"
	if _, err := task.MakeSteps(m.policy, m.record[0].State, true, odd[1:]); err == nil || !strings.Contains(err.Error(), "another state than the loop gives") {
		t.Error(err)
	}
	odd[1].Event.Command = "9-snapshot"
	if _, err := task.MakeSteps(m.policy, m.record[0].State, true, odd[1:]); err == nil || !strings.Contains(err.Error(), "the loop refuses") {
		t.Error(err)
	}
}
