package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const featureConfig = `reviewers:
  chain:
    command: [sh, -c, 'cat > /dev/null; echo "{\"score\": 90, \"alignment\": {\"logic_fidelity\": {\"passed\": true}}, \"findings\": [], \"recommendation\": \"approve\"}"']
`

// featureStep is a file to write, and the command after it.
type featureStep struct {
	file, text string
	args       []string
	again      []string // the command that continues if a repetition of args asks or reports that it is done
}

// featureSteps lead a feature from brainstorm to finish; a scripted agent writes the code in a task
// of the list.
func featureSteps() []featureStep {
	var out []featureStep
	in := "specs/001-login/"
	for _, p := range []struct{ phase, file, text string }{
		{"brainstorm", in + "brainstorm.md", "# Log in\n"}, {"specify", in + "spec.md", "# Spec\n\n- FR-001: write the answer\n"},
		{"design", in + "design.md", "# Design\n"}, {"create-plan", in + "plan.md", "# Plan\n"},
		{"create-tasks", in + "tasks.md", "# Tasks\n\n- [ ] T002 write the answer to src/answer.txt (FR-001)\n"},
		{"implement", "", ""}, {"verify", "", ""},
	} {
		start := []string{"phase", "start", p.phase}
		out = append(out, featureStep{args: start, again: append(slices.Clone(start), "--continue")})
		if p.phase == "implement" {
			out = append(out, featureStep{args: []string{"task", "import", in + "tasks.md", "--test", "grep -q 42 src/answer.txt", "--", "agent"}},
				featureStep{args: []string{"run", "--resume", "T002"}})
		}
		done := []string{"phase", "done", p.phase}
		if p.phase != "specify" { // one phase with a reviewer is enough: it needs a slow checkout
			done = append(done, "--no-review")
		}
		out = append(out, featureStep{file: p.file, text: p.text, args: done})
	}
	return append(out, featureStep{args: []string{"feature", "finish"}})
}

var ofTheMoment = regexp.MustCompile(`"[^"]*":"?\d{4}-\d\d-\d\dT[^",]*"?,?|"(from|snapshot|report|sha256|text|time|changed)":"[^"]*",?`)

// standing returns the state of the feature, and its status file without times.
func (s featureStep) standing(d *world) string {
	r := d.belay("", "feature", "show", "001-login", "--json")
	var v struct {
		Data struct {
			Feature, Outcome string
			Steps            []any
		}
	}
	if err := json.Unmarshal([]byte(r.out), &v); err != nil || r.code != 0 {
		return r.String()
	}
	steps, _ := json.Marshal(v.Data)
	meta, err := os.ReadFile(filepath.Join(d.repo, "specs/001-login/.meta.json"))
	var whole map[string]any
	if err != nil || json.Unmarshal(meta, &whole) != nil {
		return "the status file: " + string(meta)
	}
	text, _ := json.Marshal(whole)
	return string(steps) + "\n" + ofTheMoment.ReplaceAllString(string(text), "")
}

func (s featureStep) prepare(d *world) {
	if s.file != "" {
		d.write(s.file, s.text)
		give(d.t, d.up)
	}
}

// TestCrashFeature leads a feature from brainstorm to finish. Each command is killed at several
// points and repeated: the feature ends in the same state as without a kill, its record is
// complete, and its status file agrees. Another feature is killed once in each command, and
// finished by repeating each.
func TestCrashFeature(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{".belay/config.yaml": featureConfig,
		"specs/001-login/.meta.json": "{\n  \"id\": \"001\",\n  \"mode\": \"full\",\n  \"status\": \"active\"\n}\n"})
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte("== * ==\nwrite src/answer.txt 42\n"), 0o644))
	give(t, w.up)
	for _, args := range [][]string{{"trust", "--yes"}, {"feature", "start", "001-login", "--mode", "full"}} {
		if r := w.belay("", args...); r.code != 0 {
			t.Fatal(r)
		}
	}
	type kill struct {
		step int
		from *world
		want string
		at   trial
	}
	var kills []kill
	worn := w.another(t, folder(t)) // the one that is killed in each command
	y := newTally(t, 0)
	for i, s := range featureSteps() {
		s.prepare(w)
		s.prepare(worn)
		from := w.another(t, folder(t))
		log := filepath.Join(w.up, "points")
		if r := w.belay("0:count:"+log, s.args...); r.code != 0 {
			t.Fatal(r)
		}
		text, err := os.ReadFile(log)
		w.must(err)
		points := strings.Split(strings.TrimSpace(string(text)), "\n")
		y.points += len(points)
		want := s.standing(w)
		if s.args[0] != "run" && s.args[0] != "task" { // other tests kill those
			var own []int // points at which the feature's files are written; the others are of snapshots and checkouts
			for n, p := range points {
				if strings.Contains(p, "/features") || strings.Contains(p, "/files") || strings.Contains(p, ".meta.json") {
					own = append(own, n+1)
				}
			}
			sample := 2
			if crashAll() {
				sample = 30
			}
			for at := len(own) / sample / 2; at < len(own); at += len(own)/sample + 1 {
				kills = append(kills, kill{i, from, want, trial{own[at], modeKill}})
			}
		}
		c := trial{len(points)/2 + i%3, modeKill}
		left := worn.belay(worn.crash(c), s.args...)
		y.did(c.mode)
		s.goOn(worn, y, worn.where(c), left, want)
	}
	if !strings.Contains(featureSteps()[0].standing(worn), `"Outcome":"finished"`) {
		t.Errorf("it is not finished: %s", featureSteps()[0].standing(worn))
	}
	if tasks := read(t, worn.repo, "specs/001-login/tasks.md"); !strings.Contains(tasks, "- [x] T002 write") {
		t.Errorf("the task is not checked off: %s", tasks)
	}
	each(t, kills, func(dir string, k kill) {
		d, s := k.from.another(t, dir), featureSteps()[k.step]
		left := d.belay(d.crash(k.at), s.args...)
		y.did(k.at.mode)
		s.goOn(d, y, d.where(k.at), left, k.want)
	})
	y.sum("feature")
}

// goOn repeats a killed command and compares the feature's state.
func (s featureStep) goOn(d *world, y *tally, at string, left ran, want string) {
	at = strings.Join(s.args, " ") + ", " + at
	if !left.killed && left.code != 0 {
		y.fault(at, otherwise, "%s", left)
	}
	if left.killed {
		r := d.belay("", s.args...)
		if r.code == 3 && s.again != nil {
			r = d.belay("", s.again...)
		}
		done := strings.Contains(r.errs, "is completed already") || strings.Contains(r.errs, "finished already") || strings.Contains(r.errs, "has ended")
		if r.code != 0 && !done && !strings.Contains(r.errs, "no feature is active") {
			y.fault(at, otherwise, "%s", r)
		}
	}
	if got := s.standing(d); got != want {
		y.fault(at, wrongTree, "%s\nexpected\n%s", got, want)
	}
	if r := d.belay("", "log", "--verify"); r.code != 0 {
		y.fault(at, lostWork, "%s", r)
	}
}
