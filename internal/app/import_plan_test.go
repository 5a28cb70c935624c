package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

func gatheredFiles(t interface{ Fatal(...any) }, name, text string) []ImportFile {
	files, err := readTasks(name, false, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// told formats a plan, one line each: ID, outcome, belay's ID, predecessors.
func told(im Import) string {
	var b strings.Builder
	for _, l := range im.Tasks {
		var after []string
		for _, j := range l.predecessors {
			after = append(after, im.Tasks[j].ID)
		}
		fmt.Fprintf(&b, "%s %s %s [%s]\n", l.ID, l.Outcome, l.Belay, strings.Join(after, " "))
	}
	return b.String()
}

// added returns belay's tasks after a plan was carried out.
func added(im *Import, have []belay.Task) []belay.Task {
	for _, i := range im.sortByDependency() {
		id := belay.TaskID(fmt.Sprintf("B%d", len(have)+1))
		im.Tasks[i].Belay = id
		have = append(have, belay.Task{ID: id, Origin: im.Tasks[i].origin("x")})
	}
	return have
}

func TestPlan(t *testing.T) {
	t.Parallel()
	const file = "specs/1/tasks.md"
	for name, tt := range map[string]struct {
		text, want string
		o          ImportOptions
	}{
		"states":   {"- [ ] T1 a\n- [x] T2 b\n- [~] T3 c\n", "T1 open  []\nT2 done  []\nT3 unclear  []\n", ImportOptions{}},
		"order":    {"- [ ] T1 a (depends on T3)\n- [ ] T2 b\n- [ ] T3 c (after T2)\n", "T1 open  [T3]\nT2 open  []\nT3 open  [T2]\n", ImportOptions{}},
		"a circle": {"- [ ] T1 a (after T2)\n- [ ] T2 b (after T3)\n- [ ] T3 c (after T1)\n", "T1 open  [T2]\nT2 open  [T3]\nT3 open  []\n", ImportOptions{}},
		"in order": {"- [ ] T1 a\n- [ ] T2 [P] b\n- [ ] T3 [P] c\n- [ ] T4 d\n", "T1 open  []\nT2 open  [T1]\nT3 open  [T1]\nT4 open  [T2 T3]\n", ImportOptions{InOrder: true}},
		"in order, past what is done": {"- [ ] T1 [P] a\n- [ ] T2 [P] b\n- [x] T3 c\n- [~] T4 d\n- [ ] T5 e\n",
			"T1 open  []\nT2 open  []\nT3 done  []\nT4 unclear  []\nT5 open  [T1 T2]\n", ImportOptions{InOrder: true}},
		"in order, below headings": {"## A\n- [ ] T1 [P] a\n- [ ] T2 [P] b\n## B\n- [ ] T3 [P] c\n- [ ] T4 [P] d\n",
			"T1 open  []\nT2 open  []\nT3 open  [T1 T2]\nT4 open  [T1 T2]\n", ImportOptions{InOrder: true}},
		"parts": {"- [ ] 1. a\n  - [ ] 1.1 b\n  - [x] 1.2 c\n- [ ] 2. d\n  - Depends on: 1\n", "1 parts  []\n1.1 open  []\n1.2 done  []\n2 open  [1.1 1.2]\n", ImportOptions{}},
		"whole": {"- [ ] 1. a\n  - [ ] 1.1 b\n- [ ] 2. d\n", "1 open  []\n1.1 parts  []\n2 open  []\n", ImportOptions{KeepParts: true}},
		"only":  {"- [ ] T1 a\n- [ ] T2 b\n", "T1 left  []\nT2 open  []\n", ImportOptions{Only: []string{"T2"}}},
	} {
		if got := told(PlanImport(gatheredFiles(t, file, tt.text), nil, tt.o)); got != tt.want {
			t.Errorf("%s:\n%s--- want\n%s", name, got, tt.want)
		}
	}
	im := PlanImport(gatheredFiles(t, file, "- [ ] T1 a (after T2)\n- [ ] T2 b (after T1)\n"), nil, ImportOptions{})
	if n := im.Notes[len(im.Notes)-1]; !strings.Contains(n.Why, "depend on each other") {
		t.Errorf("%+v", im.Notes)
	}
	if got := im.sortByDependency(); len(got) != 2 || got[0] != 1 {
		t.Error(got)
	}
}

// On the second import everything is known, changed texts are reported, and ticked boxes are done.
func TestAgain(t *testing.T) {
	t.Parallel()
	const file = "TODO.md"
	im := PlanImport(gatheredFiles(t, file, "- [ ] T1 a\n  - [ ] step\n- [ ] no id\n- [ ] T2 b\n- [ ] T2 twice\n"), nil, ImportOptions{})
	have := added(&im, nil)
	if len(have) != 4 {
		t.Fatal(told(im))
	}
	im = PlanImport(gatheredFiles(t, file, "new line\n- [x] T1 a\n  - [x] step\n- [ ] no id\n- [ ] T2 b\n- [ ] T2 twice\n- [ ] no id, changed\n"), have, ImportOptions{})
	if got := told(im); got != "T1 done B1 []\n known B2 []\nT2 known B3 []\nT2 known B4 []\n open  []\n" {
		t.Error(got)
	}
	im = PlanImport(gatheredFiles(t, file, "- [ ] T1 another\n"), have, ImportOptions{})
	if got := told(im); got != "T1 changed B1 []\n" || len(added(&im, have)) != 4 {
		t.Error(got)
	}
	if got := told(PlanImport(gatheredFiles(t, "other.md", "- [ ] T1 a\n  - [ ] step\n"), have, ImportOptions{})); got != "T1 open  []\n" {
		t.Error(got)
	}
}

// TestTwice: importing a file twice adds nothing the second time, and predecessors are recorded
// first.
func TestTwice(t *testing.T) {
	t.Parallel()
	pieces := []string{"- [ ] T1 a", "- [ ] T2 b (after T3)", "- [ ] T3 c (depends on T2, T1)", "- [ ] no id", "  - [ ] 1.1 sub", "- [ ] 1. whole", "- [x] T4 d", "- [~] T5", "words", "## Dependencies", "- T1 before T2"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "lines"), "\n")
		o := ImportOptions{KeepParts: rapid.Bool().Draw(t, "whole"), InOrder: rapid.Bool().Draw(t, "order")}
		im := PlanImport(gatheredFiles(t, "x.md", text), nil, o)
		seen := map[int]bool{}
		for _, i := range im.sortByDependency() {
			for _, j := range im.Tasks[i].predecessors {
				if im.Tasks[j].Outcome == ImportOpen && !seen[j] {
					t.Fatalf("%s is recorded before %s\n%s", im.Tasks[i].ID, im.Tasks[j].ID, text)
				}
			}
			seen[i] = true
		}
		have := added(&im, nil)
		again := PlanImport(gatheredFiles(t, "x.md", text), have, o)
		if n := again.Count(ImportOpen); n != 0 {
			t.Fatalf("%d more\n%s\n%s", n, text, told(again))
		}
	})
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"src/a.go": "src/a.go", "app/[id]/page.tsx": `app/\[id\]/page.tsx`, "src/**/*.go": "src/**/*.go", "a/{b,c}.ts": "a/{b,c}.ts", "docs/": "docs/"} {
		if got := literalPattern(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// TestPackages: work packages in one file each depend on each other, and the file that lists them
// is not recorded as well.
func TestPackages(t *testing.T) {
	t.Parallel()
	var files []ImportFile
	for name, text := range map[string]string{
		"kitty-specs/7/tasks/WP01.md": "---\nwork_package_id: WP01\ntitle: a\n---\n",
		"kitty-specs/8/tasks/WP01.md": "---\nwork_package_id: WP01\ntitle: b\ndependencies: [WP09]\n---\n",
	} {
		files = append(files, gatheredFiles(t, name, text)...)
	}
	files = append(files, gatheredFiles(t, "kitty-specs/7/tasks/WP02.md", "---\nwork_package_id: WP02\ntitle: c\ndependencies: [WP01]\n---\n")...)
	files = append(files, gatheredFiles(t, "kitty-specs/7/tasks.md", "## Work Package WP01: a\n- [ ] T001 x\n")...)
	im := PlanImport(files, nil, ImportOptions{})
	for _, l := range im.Tasks {
		switch {
		case l.Source == "kitty-specs/7/tasks.md":
			if l.Outcome != ImportParts {
				t.Errorf("%+v", l)
			}
		case l.ID == "WP02":
			if len(l.predecessors) != 1 || im.Tasks[l.predecessors[0]].Source != "kitty-specs/7/tasks/WP01.md" {
				t.Errorf("%+v", l)
			}
		}
	}
	if n := len(im.Notes); n == 0 || !strings.Contains(im.Notes[n-1].Why, "it depends on WP09, which is not among these tasks") {
		t.Errorf("%+v", im.Notes)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, p := range []string{"specs/1/tasks.md", "specs/tasks.md", "node_modules/x/specs/1/tasks.md", "openspec/changes/archive/1/tasks.md", "openspec/changes/2/tasks.md", "a/b/T1.task.yaml", "docs/templates/T0.task.yaml", "TODO.md"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, p), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink("specs", filepath.Join(root, ".kiro"))
	found, err := FindTaskFiles(root, nil)
	if got := fmt.Sprint(found, err); got != "[{a/b/T1.task.yaml task.yaml} {openspec/changes/2/tasks.md openspec} {specs/1/tasks.md spec-kit}] <nil>" {
		t.Error(got)
	}
	found, err = FindTaskFiles(root, []string{"TODO.md", "specs/**"})
	if got := fmt.Sprint(found, err); got != "[{TODO.md checklist} {specs/1/tasks.md spec-kit} {specs/tasks.md checklist}] <nil>" {
		t.Error(got)
	}
}

// TestLanes: the event log of a feature decides which work packages are done, not their files.
func TestLanes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(root, "kitty-specs", "001-x", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	event := func(id, wp, to string) string {
		return fmt.Sprintf(`{"actor": "me", "at": "2026-04-06T16:4%s:00+00:00", "event_id": "01%s", "from_lane": "planned", "to_lane": %q, "wp_id": %q}`+"\n", id, id, to, wp)
	}
	wp := func(id, lane string) string {
		return "---\nwork_package_id: " + id + "\ntitle: Work " + id + "\n" + lane + "---\n\nDo it.\n"
	}
	put("tasks/WP01-a.md", wp("WP01", ""))
	put("tasks/WP02-b.md", wp("WP02", "lane: done\n"))
	put("tasks/WP03-c.md", wp("WP03", "lane: planned\n"))
	put("tasks/WP04-d.md", wp("WP04", ""))
	put("tasks/done/WP05-e.md", wp("WP05", "lane: planned\n"))
	put("tasks/WP06-f.md", wp("WP06", ""))
	put("status.events.jsonl", event("1", "WP01", "in_progress")+event("2", "WP01", "done")+event("3", "WP02", "planned")+
		"<<<<<<< HEAD\n"+event("4", "WP03", "canceled")+event("5", "WP05", "approved"))
	files, err := ReadTaskFiles(ImportQuery{Dir: root, Root: root, All: true})
	if err != nil {
		t.Fatal(err)
	}
	im := PlanImport(files, nil, ImportOptions{})
	if got, want := told(im), "WP01 done  []\nWP02 open  []\nWP03 unclear  []\nWP04 open  []\nWP06 open  []\nWP05 done  []\n"; got != want {
		t.Errorf("%s--- want\n%s", got, want)
	}
	var notes []string
	for _, n := range im.Notes {
		notes = append(notes, fmt.Sprintf("%s:%d %s", filepath.Base(n.Source), n.Line, n.Why))
	}
	want := []string{
		"status.events.jsonl:4 it is not an event",
		"WP02-b.md:1 line 3 of status.events.jsonl says planned, which overrides the lane here",
		"WP03-c.md:1 it is abandoned: the task is not treated as open",
		"WP04-d.md:1 no lane or status says whether it is done: it is treated as open",
		"WP06-f.md:1 no lane or status says whether it is done: it is treated as open",
	}
	if got := strings.Join(notes, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s\n--- want\n%s", got, strings.Join(want, "\n"))
	}
}
