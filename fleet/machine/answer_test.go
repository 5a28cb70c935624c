package machine_test

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// gated drives a task to its gate: each attempt fails its tests until the prompt contains GOOD.
func (p *place) gated(in task.Input) *known {
	p.t.Helper()
	var k known
	p.until(p.machine("a"), in, &k, "")
	if k.state.Gate == nil {
		p.t.Fatalf("no gate: %s %s", k.state.Phase, k.state.Why)
	}
	return &k
}

// told is an agent that breaks a file until the prompt asks for a good one.
const told = `if grep -q 'say good'; then echo good > src/a.txt; else echo bad > src/a.txt; fi`

// asked returns the input of a task with that agent.
func (p *place) asked() task.Input {
	in := p.input("T1", "")
	in.Agent = []string{"sh", "-c", told}
	in.Settings = append(in.Settings[:2:2], task.Setting{Key: "retries", Value: "0"})
	return in
}

func (p *place) decide(name string, in task.Input, k *known, q task.Ask) {
	p.t.Helper()
	q.Task, q.Head, q.Partial = in, k.head, k.partial
	st, err := p.call(p.machine(name), task.DecideName, q)
	if err != nil {
		p.t.Fatal(err)
	}
	p.took(k, st)
}

// TestReview: a review reaches the next attempt, also on another machine, counts once, and adds no
// file to the work.
func TestReview(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.asked()
	k := p.gated(in)
	text, err := app.CommentsText("Nearly.", []app.Comment{{Path: "src/a.txt", Line: 1, End: 1, Text: "It has to say good."}}, "")
	if err != nil {
		t.Fatal(err)
	}
	q := task.Ask{Review: task.Decision{Gate: k.state.Gate.Number, Verdict: task.Reject, Note: text, By: "ann"}}
	before := *k
	p.decide("a", in, k, q)
	a := k.state.Attempts[0]
	if a.Reviewer != "ann" || k.state.Pending == nil || !k.pushed || len(k.last.Steps) != 1 {
		t.Fatalf("%+v %v", a, k.last)
	}
	again := before
	p.decide("a", in, &again, q) // its answer was lost
	if again.head != k.head {
		t.Errorf("recorded twice: %v and %v", again.head, k.head)
	}
	p.adopt("b", in, k)
	p.until(p.machine("b"), in, k, "")
	if k.state.Outcome != loop.OutcomePassed || len(k.state.Attempts) != 2 {
		t.Fatalf("%s %s %+v, attempts: %+v", k.state.Phase, k.state.Why, k.state.Gate, k.state.Attempts)
	}
	if got := p.git(p.remote(), "show", "--format=", "--name-only", "belay/t1"); got != "src/a.txt" {
		t.Errorf("delivered: %s", got)
	}
}

func (p *place) adopt(name string, in task.Input, k *known) {
	p.t.Helper()
	st, err := p.call(p.machine(name), task.AdoptName, task.Ask{Task: in, Head: k.head, Partial: k.partial})
	if err != nil {
		p.t.Fatal(err)
	}
	p.took(k, st)
}

// TestReviewDrift: files that were edited by hand since the checks cannot be approved, and the gate
// stays open.
func TestReviewDrift(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", "echo good > src/a.txt")
	in.Settings = append(in.Settings, task.Setting{Key: "reviewers.ann.kind", Value: "person"})
	k := p.gated(in)
	if k.state.Gate.Kind != loop.GateReview {
		t.Fatal(k.state.Gate)
	}
	p.write("a/tasks/"+task.RepositoryKey(in.Remote)+"/t1/tree/src/a.txt", "other\n")
	q := task.Ask{Review: task.Decision{Gate: 1, Verdict: task.Approve, Note: "Approved.", By: "ann"}}
	p.decide("a", in, k, q)
	if k.state.Gate == nil || !strings.Contains(strings.Join(k.last.Notes, "; "), "the review by ann has no effect") {
		t.Fatalf("%+v %q", k.state.Gate, k.last.Notes)
	}
	p.write("a/tasks/"+task.RepositoryKey(in.Remote)+"/t1/tree/src/a.txt", "good\n")
	p.decide("a", in, k, q)
	if k.state.Outcome != loop.OutcomePassed || k.last.Commit == "" || !k.pushed {
		t.Errorf("%s %+v", k.state.Phase, k.last)
	}
}

// TestApproveOver: a person can accept rejected work with a reason; the record has it, and the work
// is delivered.
func TestApproveOver(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.asked()
	k := p.gated(in)
	q := task.Ask{Decision: loop.Event{Kind: loop.EvDecided, Gate: 1, Decision: loop.DecideApprove, Note: "cross_scope: the test is T9's", By: "ann"}}
	before := *k
	p.decide("a", in, k, q)
	again := before
	p.decide("a", in, &again, q)
	if k.state.Outcome != loop.OutcomePassed || k.last.Commit == "" || again.head != k.head {
		t.Fatalf("%s %+v, again %v", k.state.Phase, k.last, again.head)
	}
	if got := p.git(p.remote(), "show", "belay/t1:src/a.txt"); got != "bad" {
		t.Errorf("delivered: %s", got)
	}
	svc, err := app.Open(t.Context(), app.OpenOptions{Dir: p.tree("a", in), Force: true})
	if err != nil {
		t.Fatal(err)
	}
	var r *session.Record
	if r, err = svc.Session.Load("T1"); err != nil || len(r.Overrides) != 1 || r.Overrides[0].Category != "cross_scope" || r.Overrides[0].By != "ann" {
		t.Errorf("%+v, %v", r.Overrides, err)
	}
}
