package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// said is one event of an agent's session, and what the agent does after it called the hook.
type said struct {
	name, json string
	code       int    // the hook's exit status
	then       string // a shell script; "" for nothing
}

// turn returns the events of one turn that changes these files.
func turn(n int, does string) []said {
	at := func(event, more string) string {
		return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":"."%s}`, event, more)
	}
	call := func(id, command string) string {
		return fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":"%s%d","tool_input":{"command":%q}`, id, n, command)
	}
	return []said{
		{name: "prompt", json: at("UserPromptSubmit", fmt.Sprintf(`,"prompt":"turn %d, please"`, n))},
		{name: "before a tool", json: at("PreToolUse", call("a", "work")), then: does},
		{name: "after a tool", json: at("PostToolUse", call("a", "work"))},
		{name: "a denied tool", json: at("PreToolUse", call("b", "git reset --hard")), code: 2},
		{name: "stop", json: at("Stop", "")},
	}
}

// tell calls the hook like an agent, and then runs the script of the event.
func (w *world) tell(e said) ran {
	w.t.Helper()
	w.in = e.json
	r := w.belay("", "hook", "claude")
	w.in = ""
	if e.then != "" {
		w.shell(e.then)
	}
	return r
}

// TestCrashHook injects faults at each point of a hook call, for each event of a session. Nothing
// that a person can see changes, the agent continues, a denial stays a denial, and the rest of the
// session, its timeline and its undo work as usual.
func TestCrashHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("answer.txt", "not asked\n")
	give(t, filepath.Join(w.repo, "answer.txt"))
	begun := w.state()
	was, reached := begun, w.another(t, folder(t)) // reached are the files at each event of the session
	first := append([]said{{name: "session start", json: `{"hook_event_name":"SessionStart","session_id":"s","cwd":".","source":"startup"}`}},
		turn(1, "echo 42 > answer.txt; echo made > made.txt; chmod 600 made.txt; git add made.txt")...)
	for i, e := range first {
		sweep{name: "hook: " + e.name, sample: 2, modes: []string{modeKill, modeFail, modeFull}, args: []string{"hook", "claude"}, code: e.code,
			ready: func(d *world) { // a session belongs to its folder, so it starts in the copy
				for _, e := range first[:i] {
					d.tell(e)
				}
				d.in = e.json
			},
			after: func(d *world, y *tally, at string, left ran) {
				d.in = ""
				if got := differing(was, d.state()); len(got) > 0 {
					y.fault(at, lostWork, "\n%s", strings.Join(got, "\n"))
				}
				if !left.killed && (left.code != e.code || e.code == 0 && left.errs != "") {
					y.fault(at, otherwise, "the agent is disturbed: %s", left)
				}
				if e.then != "" {
					d.shell(e.then)
				}
				d.continued(y, at, first[i+1:])
				d.undoneTurns(y, at, begun, e.name == "prompt" || e.name == "before a tool")
				d.sound(y, at)
			}}.over(t, w)
		if e.then != "" {
			reached.shell(e.then)
			was = reached.state()
		}
	}
}

// continued sends the rest of a session, without failures.
func (w *world) continued(y *tally, at string, rest []said) {
	w.t.Helper()
	for _, e := range rest {
		if r := w.tell(e); r.code != e.code {
			y.fault(at, otherwise, "then, %s: %s", e.name, r)
		}
	}
	denies := slices.ContainsFunc(rest, func(e said) bool { return e.code != 0 })
	if r := w.belay("", "timeline"); r.code != 0 || denies && !strings.Contains(r.out, "denied: git reset --hard") {
		y.fault(at, otherwise, "%s", r)
	}
}

// undoneTurns makes a second turn, undoes it exactly, and then undoes the first. If belay got no
// event of the first turn's tool call, its changes may be somebody else's and may stay; belay
// reports that.
func (w *world) undoneTurns(y *tally, at string, begun []string, mayStay bool) {
	w.t.Helper()
	before := w.state()
	w.continued(y, at, turn(2, "echo 43 > answer.txt; rm made.txt; mkdir deep; echo more > deep/more.txt"))
	for _, want := range []struct {
		state []string
		exact bool
	}{{before, true}, {begun, !mayStay}} {
		r := w.belay("", "undo", "--turn")
		if !want.exact && strings.Contains(r.errs, "nothing is left to undo") {
			return
		}
		if r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		if got := differing(want.state, w.state()); len(got) > 0 {
			y.fault(at, wrongTree, "after undo --turn:\n%s", strings.Join(got, "\n"))
		}
	}
}

// TestCrashUndoTurn injects faults at each point of an undo of a turn. Repeated, it has undone the
// turn once, the agent gets a note with its next prompt, and the turn before it can be undone as
// well.
func TestCrashUndoTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	begun := w.state()
	start := said{json: `{"hook_event_name":"SessionStart","session_id":"s","cwd":".","source":"startup"}`}
	one := append([]said{start}, turn(1, "echo 42 > answer.txt; git add answer.txt")...)
	two := turn(2, "echo 43 > answer.txt; mkdir made; echo more > made/more.txt; git branch made")
	reached := w.another(t, folder(t))
	reached.shell(one[2].then)
	before := reached.state()
	ready := func(d *world) { // a session belongs to its folder, so it starts in the copy
		for _, e := range slices.Concat(one, two) {
			d.tell(e)
		}
	}
	undo := []string{"undo", "--turn"}
	sweep{name: "undo of a turn", sample: 5, modes: []string{modeKill, modeFail, modeFull}, args: undo, ready: ready, after: func(d *world, y *tally, at string, left ran) {
		for range 2 { // the first finishes an interrupted undo, if there is one
			if len(differing(before, d.state())) == 0 && strings.Contains(d.belay("", "timeline").out, "(undone)") {
				break
			}
			if r := d.belay("", undo...); r.code != 0 {
				y.fault(at, otherwise, "%s\nafter %s", r, left)
				return
			}
		}
		if got := differing(before, d.state()); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s\nafter %s", strings.Join(got, "\n"), left)
		}
		told := d.tell(turn(3, "")[0])
		if told.code != 0 || !strings.Contains(told.out, "reversed turn 2") {
			y.fault(at, otherwise, "the agent gets no note: %s\nafter %s", told, left)
		}
		if r := d.belay("", undo...); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		if got := differing(begun, d.state()); len(got) > 0 {
			y.fault(at, wrongTree, "after both:\n%s", strings.Join(got, "\n"))
		}
		if _, err := os.Stat(d.intent()); err == nil {
			y.fault(at, leftBehind, "intent.json")
		}
		d.sound(y, at)
	}}.over(t, w)
}
