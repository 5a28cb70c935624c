package phase

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

var update = flag.Bool("update", false, "write the tables in docs/features.md anew")

// every calls call with combinations of phases, modes, and states of five artefacts: 8 phases × 4
// modes × 5^5 artefacts.
func every(call func(in Input)) {
	states := append(slices.Clone(States), None)
	files := All[:5]
	n := 1
	for range files {
		n *= len(states)
	}
	for _, mode := range ModeNames {
		for i := range n {
			phases, k := map[Phase]PhaseState{}, i
			for _, p := range files {
				s := PhaseState{Artefact: states[k%len(states)]}
				s.Done = s.Artefact == Reviewed
				s.Begun = s.Done || i%3 == 0 && s.Artefact == Present
				phases[p], k = s, k/len(states)
			}
			if i%2 == 0 {
				phases[Implement] = PhaseState{Artefact: Present, Begun: true, Done: true}
			}
			if i%4 == 0 {
				phases[Verify] = PhaseState{Artefact: Reviewed, Begun: true, Done: true}
			}
			for _, p := range All {
				call(Input{Phase: p, Mode: mode, Phases: phases})
			}
		}
	}
}

// TestEveryCell compares Check with the same rules written in another way, for every phase, mode
// and combination of artefacts.
func TestEveryCell(t *testing.T) {
	t.Parallel()
	gone := func(s PhaseState) bool { return s.Artefact == Missing || s.Artefact == Empty || s.Artefact == "" }
	cells := map[Kind]int{}
	every(func(in Input) {
		a := Check(in)
		cells[a.Type]++
		if a.Allowed == (a.Type == Block) || (a.Type == OK) != (a.Message == "") {
			t.Fatalf("%+v: %+v", in, a)
		}
		var lacks []Phase // artefacts that must exist: the spec, the plan, the previous one
		needed := map[Phase][]Phase{Implement: {Specify, Brainstorm}, CreateTasks: {CreatePlan, Design, Specify, Brainstorm}}[in.Phase]
		for _, p := range needed {
			if in.Phases[p].Artefact != None {
				if gone(in.Phases[p]) {
					lacks = append(lacks, p)
				}
				break
			}
		}
		path := Paths[in.Mode]
		for _, p := range slices.Backward(All[:slices.Index(All, in.Phase)]) {
			if slices.Contains(path, p) && in.Phases[p].Artefact != None {
				if gone(in.Phases[p]) {
					lacks = append(lacks, p)
				}
				break
			}
		}
		if (a.Type == Block) != (len(lacks) > 0) || a.Type == Block && !slices.Contains(lacks, a.Lacks) {
			t.Fatalf("%s in %s with %+v: %+v, lacks %v", in.Phase, in.Mode, in.Phases, a, lacks)
		}
		if a.Type == Block {
			return
		}
		skips := 0
		for _, p := range path {
			s := in.Phases[p]
			if slices.Index(All, p) < slices.Index(All, in.Phase) && s.Artefact != None && !s.Done {
				skips++
				if !slices.Contains(a.Skipped, p) {
					t.Fatalf("%s in %s skips %s without a warning: %+v", in.Phase, in.Mode, p, a)
				}
			}
		}
		own := in.Phases[in.Phase]
		if len(a.Skipped) != skips || a.Begun != (own.Begun && !own.Done) {
			t.Fatalf("%s in %s with %+v: %+v", in.Phase, in.Mode, in.Phases, a)
		}
		if (skips > 0 || a.Begun || own.Done) && a.Type != Warn {
			t.Fatalf("%s in %s with %+v has no warning: %+v", in.Phase, in.Mode, in.Phases, a)
		}
	})
	if cells[OK] == 0 || cells[Warn] == 0 || cells[Block] == 0 {
		t.Errorf("the answers are %v", cells)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	done := PhaseState{Artefact: Reviewed, Begun: true, Done: true}
	for name, c := range map[string]struct {
		in   Input
		want Kind
		says string
	}{
		"implement without a spec":     {Input{Phase: Implement, Mode: "hotfix"}, Block, "implement needs what specify produces: it is missing"},
		"implement with an empty spec": {Input{Phase: Implement, Mode: "hotfix", Phases: map[Phase]PhaseState{Specify: {Artefact: Empty}}}, Block, "empty"},
		"tasks without a plan": {Input{Phase: CreateTasks, Mode: "hotfix", Phases: map[Phase]PhaseState{Specify: done}}, Block,
			"create-tasks needs what create-plan produces"},
		"tasks in a layout without plans": {Input{Phase: CreateTasks, Mode: "standard", Phases: map[Phase]PhaseState{
			Specify: done, Design: done, CreatePlan: {Artefact: None}}}, OK, ""},
		"the first": {Input{Phase: Brainstorm, Mode: "full"}, OK, ""},
		"a spec without a brainstorm, in standard": {Input{Phase: Specify, Mode: "standard"}, OK, ""},
		"a spec without a brainstorm, in full":     {Input{Phase: Specify, Mode: "full"}, Block, "brainstorm"},
		"design after a spec of another tool": {Input{Phase: Design, Mode: "standard", Phases: map[Phase]PhaseState{
			Specify: {Artefact: Present}}}, Warn, "skips specify"},
		"begun": {Input{Phase: Design, Mode: "standard", Phases: map[Phase]PhaseState{Specify: done, Design: {Begun: true}}}, Warn,
			"design was started and not completed"},
		"another one is begun": {Input{Phase: Specify, Mode: "standard", Phases: map[Phase]PhaseState{Design: {Begun: true}}}, Warn,
			"design was started and not completed"},
		"again": {Input{Phase: Specify, Mode: "standard", Phases: map[Phase]PhaseState{Specify: done}}, Warn, "completed already"},
		"concerns": {Input{Phase: Design, Mode: "standard", Phases: map[Phase]PhaseState{
			Specify: {Artefact: Present, Begun: true, Done: true, Concerns: 2}}}, Warn, "2 open concerns"},
		"not reviewed, in full": {Input{Phase: Specify, Mode: "full", Phases: map[Phase]PhaseState{
			Brainstorm: {Artefact: Present, Begun: true, Done: true}}}, Warn, "not reviewed"},
		"finished":      {Input{Phase: Specify, Mode: "full", Finished: true}, Block, "finished"},
		"no such phase": {Input{Phase: "deploy", Mode: "full"}, Block, "not a phase"},
		"no such mode":  {Input{Phase: Specify, Mode: "fast"}, Block, "not a mode"},
		"verify too soon": {Input{Phase: Verify, Mode: "hotfix", Phases: map[Phase]PhaseState{Specify: done, Implement: {Begun: true}}}, Block,
			"verify needs what implement produces"},
	} {
		a := Check(c.in)
		if a.Type != c.want || !strings.Contains(a.Message, c.says) || a.Allowed == (c.want == Block) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestTables compares the tables in the document with those of Text.
func TestTables(t *testing.T) {
	t.Parallel()
	const file, from, to = "../../docs/features.md", "<!-- belay phase table -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	front, rest, ok := strings.Cut(string(text), from)
	_, back, closed := strings.Cut(rest, to)
	if !ok || !closed {
		t.Fatalf("%s has no place for the tables", file)
	}
	want := front + from + "\n" + Text("standard") + "\n" + to + back
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not up to date (-update writes it)", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	if len(ModeNames) != len(belay.Modes) || len(Paths) != len(belay.Modes) {
		t.Errorf("%v and %v are not the modes of tasks", ModeNames, Paths)
	}
	for i, m := range ModeNames {
		if belay.Modes[m] == 0 || !slices.IsSortedFunc(Paths[m], func(a, b Phase) int { return slices.Index(All, a) - slices.Index(All, b) }) {
			t.Errorf("the mode %s: %v", m, Paths[m])
		}
		if i > 0 && len(Paths[m]) <= len(Paths[ModeNames[i-1]]) {
			t.Errorf("%s has no more phases than %s", m, ModeNames[i-1])
		}
	}
	for i, e := range Expectations {
		if e.Phase != All[i] || e.Next != All[i+1] {
			t.Errorf("row %d is of %s before %s", i, e.Phase, e.Next)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var events []Numbered
	add := func(e Event) {
		events = append(events, Numbered{Event: e, Seq: len(events) + 1, Time: at.Add(time.Duration(len(events)) * time.Minute)})
	}
	concern := belay.Finding{Severity: belay.SeverityError, Title: "no criteria"}
	add(Event{Kind: EvFeature, Name: "001-login", Folder: "specs/001-login", Mode: "standard"})
	add(Event{Kind: EvBegun, Phase: Specify})
	add(Event{Kind: EvReviewed, Phase: Specify, Review: &Iteration{N: 1, Verdict: belay.VerdictFail, Findings: []belay.Finding{concern}}})
	add(Event{Kind: EvReviewed, Phase: Specify, Review: &Iteration{N: 2, Verdict: belay.VerdictFail, Findings: []belay.Finding{concern}}})
	add(Event{Kind: EvCompleted, Phase: Specify, SHA: "a"})
	fold := func() *Feature {
		f, err := Fold(events)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := fold()
	if g := f.Of(Specify); !g.Done() || g.Verified || len(g.Concerns) != 1 || len(g.Iterations) != 2 || f.Current() != Specify {
		t.Errorf("completed at the limit: %+v", g)
	}
	same := func(Phase) (State, string) { return Present, "a" }
	if s := f.States(same)[Specify]; s.Artefact != Present || s.Concerns != 1 || Next(f.Mode, f.States(same)) != Design {
		t.Errorf("states: %+v", s)
	}
	last, _ := f.Last()
	add(Event{Kind: EvUndone, Undoes: last.Seq})
	if g := fold().Of(Specify); g.Done() || !g.Open() || len(g.Iterations) != 2 {
		t.Errorf("undone: %+v", g)
	}
	add(Event{Kind: EvReviewed, Phase: Specify, Review: &Iteration{N: 3, Verdict: belay.VerdictPass}})
	add(Event{Kind: EvCompleted, Phase: Specify, SHA: "a"})
	f = fold()
	if s := f.States(same)[Specify]; s.Artefact != Reviewed || s.Concerns != 0 {
		t.Errorf("reviewed: %+v", s)
	}
	if s := f.States(func(Phase) (State, string) { return Present, "b" })[Specify]; s.Artefact != Present {
		t.Errorf("changed after its review: %+v", s)
	}
	add(Event{Kind: EvBegun, Phase: Specify, Afresh: true, SHA: "a"})
	if g := fold().Of(Specify); g.Stale != "a" || len(g.Iterations) != 0 || g.Done() {
		t.Errorf("afresh: %+v", g)
	}
	add(Event{Kind: EvFinished, Outcome: Abandoned})
	if f := fold(); f.Active() || f.Outcome != Abandoned {
		t.Errorf("over: %+v", f)
	}
	if _, err := Fold([]Numbered{{Event: Event{Kind: "later"}}}); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("an unknown event: %v", err)
	}
}
