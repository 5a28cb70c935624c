package handoff

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

var update = flag.Bool("update", false, "write the goldens anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

const rules = "# API\n\n## Handlers\n\nA handler must not exceed 75 lines.\n\n## Layers\n\nOnly services call stores.\n"

// sample returns the sources of a task, with files in a given order and with given line ends.
func sample(t testing.TB, crlf bool, shuffled bool) Sources {
	t.Helper()
	two := 2
	task := belay.Task{
		ID: "T7", Title: "add two flavors", Prose: "add two flavors to src/a.txt\n\n# Notes\n\nKeep the order. <b>&\n",
		Scope:   belay.Scope{Files: []string{"src/**", "docs/**"}, Protect: []string{"go.mod"}},
		Exclude: []string{"no new dependency"}, QA: []string{"make qa"},
		Request: belay.Request{Requirements: []belay.Requirement{{Marker: belay.MarkAdd, Text: "flavors", Count: &two}}, Preserve: []string{"the order"}},
		Checks:  belay.Checks{Tests: belay.TestCommand{Command: "go test ./...", From: "config"}, Linters: []belay.Linter{{Name: "vet", TestCommand: belay.TestCommand{Command: "go vet ./..."}}}},
	}
	files := []File{{Path: "standards/api.md", Text: []byte(rules)}, {Path: "AGENTS.md", Text: []byte("# Agents\n\nAlways run the tests.\n")}}
	paths := []string{"src/a.txt", "docs/ä.md", "src/new\nline", "src/\xff"}
	if crlf {
		task.Prose = strings.ReplaceAll(task.Prose, "\n", "\r\n")
		for i := range files {
			files[i].Text = []byte("\ufeff" + strings.ReplaceAll(string(files[i].Text), "\n", "\r\n"))
		}
	}
	if shuffled {
		slices.Reverse(files)
		slices.Reverse(paths)
		slices.Reverse(task.Scope.Files)
	}
	var docs []Document
	for _, f := range files {
		d, err := Read(f)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	chosen := SelectStandards([]Rule{{Name: "api", Files: []string{"standards/*.md"}, Areas: []string{"backend"}, Commands: []string{"make lint"}}}, "backend", "P1", docs)
	return Sources{Task: task, Area: "backend", Priority: "P1", Head: strings.Repeat("a", 40), Standards: chosen, TestsFrom: "config", Paths: paths}
}

// TestSameBytes: the same sources give the same bytes, for any order of files, line ends of the
// checkout, locale and time zone.
func TestSameBytes(t *testing.T) {
	b, err := MakeBlock(sample(t, false, false))
	if err != nil {
		t.Fatal(err)
	}
	want, err := CanonicalJSON(b)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "block.json", want)
	for name, s := range map[string]Sources{"CRLF": sample(t, true, false), "order": sample(t, false, true), "both": sample(t, true, true)} {
		b, err := MakeBlock(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := CanonicalJSON(b); !bytes.Equal(got, want) {
			t.Errorf("%s:\n%s\n%s", name, got, want)
		}
	}
	t.Run("elsewhere", func(t *testing.T) {
		t.Setenv("LC_ALL", "tr_TR.UTF-8")
		t.Setenv("TZ", "Asia/Kathmandu")
		again := sample(t, false, false)
		b, err := MakeBlock(again)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := CanonicalJSON(b); !bytes.Equal(got, want) {
			t.Errorf("%s", got)
		}
	})
}

func handed() Context {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	c := Context{Task: "T7"}
	for _, e := range []Event{
		{Kind: EventInit, By: "ana", Block: &BlockRef{Block: strings.Repeat("b", 64), Manifest: strings.Repeat("c", 64), Head: "h", Base: "base", Roles: DefaultRoles()}},
		{Kind: EventStarted, Role: "implementer"},
		{Kind: EventTested, Role: "implementer", Proof: &Proof{Path: "qa.log", Attachment: strings.Repeat("d", 64), Status: "pass", Summary: "3 tests passed", Bytes: 4000}},
		{Kind: EventAttached, Evidence: &Evidence{ID: "E1", Type: "plan", Path: "docs/plan.md", Lines: "L1-L9", SHA: strings.Repeat("e", 64)}},
		{Kind: EventHandedOver, Role: "implementer", Handoff: &Handoff{Snapshot: "01jd6y3k8mzq4v5w9x2c7r0tna", Files: 2, Added: 3, Deleted: 1, OutOfScope: []string{"x.go"}}},
		{Kind: EventStarted, Role: "reviewer"},
		{Kind: EventBlocked, Role: "reviewer", Note: "the error of Close is dropped"},
	} {
		var err error
		if c, err = Apply(c, at, e); err != nil {
			panic(err)
		}
	}
	return c
}

func TestExports(t *testing.T) {
	b, err := MakeBlock(sample(t, false, false))
	if err != nil {
		t.Fatal(err)
	}
	c := handed()
	changes := &Changes{Files: []ChangedFile{{Path: "src/a.txt", Status: "M", Added: 2, Deleted: 1}, {Path: "x.go", Status: "A", Added: 1}}}
	for _, r := range append(DefaultRoles(), Role{Name: "auditor", ReadOnly: true}, Role{Name: "brief", Parts: []string{"criteria"}}) {
		text, err := CanonicalJSON(ExportFor(r, b, c, changes))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "export-"+r.Name+".json", text)
		var back map[string]any
		if err := json.Unmarshal(text, &back); err != nil || text[len(text)-1] != '\n' || bytes.Count(text, []byte("\n")) != 1 {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}

func TestCanonical(t *testing.T) {
	type inner struct {
		Z int    `json:"z"`
		A string `json:"a"`
	}
	got, err := CanonicalJSON(map[string]any{"b": inner{1, "<&>"}, "a": json.Number("12345678901234567890"), "ä": nil})
	if want := `{"a":12345678901234567890,"b":{"a":"<&>","z":1},"ä":null}` + "\n"; err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
}

func TestFit(t *testing.T) {
	for _, n := range []int{0, MaxText, MaxText + 1, 100_000} {
		s := strings.Repeat("ä", n/2) + strings.Repeat("x", n%2)
		got := TruncateText(s, "tasks/t.yaml")
		if len(got) > MaxText || !utf8.ValidString(got) || (len(s) <= MaxText) != (got == s) || len(s) > MaxText && !strings.Contains(got, "tasks/t.yaml") {
			t.Errorf("%d: %d %q", n, len(got), got[max(0, len(got)-100):])
		}
	}
}

func TestMakeRefuses(t *testing.T) {
	s := sample(t, false, false)
	s.Task.Prose = " \r\n\t\n"
	if _, err := MakeBlock(s); belay.CodeOf(err) != belay.CodeUsage {
		t.Errorf("%v", err)
	}
	s.Task.Prose = strings.Repeat("long words ", 1000)
	b, err := MakeBlock(s)
	if err != nil || len(b.Task.Description) > MaxText || !strings.Contains(b.Task.Description, "belay show T7") {
		t.Errorf("%d %v", len(b.Task.Description), err)
	}
	s.Paths = nil
	for i := range 3000 {
		s.Paths = append(s.Paths, strings.Repeat("p", i%50)+string(rune('a'+i%26)))
	}
	if b, err = MakeBlock(s); err != nil || len(b.Paths) > MaxPaths || b.MorePaths != 3000-MaxPaths {
		t.Errorf("%d of %d: %v", len(b.Paths), b.MorePaths, err)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"\n\n a \r\n\r\n\r\nb\t\r\n": " a\n\nb",
		"# not a comment\n- x":       "# not a comment\n- x",
		"\xff":                       "\ufffd",
		"\ufeffa":                    "a",
	} {
		if got := NormalizeText(in); got != want || NormalizeText(got) != got {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestBlockDiff(t *testing.T) {
	was, err := MakeBlock(sample(t, false, false))
	if err != nil {
		t.Fatal(err)
	}
	now := was
	if d := now.DifferencesFrom(was); len(d) > 0 {
		t.Errorf("%q", d)
	}
	now.Citations = slices.Clone(was.Citations)
	now.Citations[1].SHA, now.Citations[1].Requirement = "0", "A handler may do all."
	now.Citations[2].Lines = "L9-L12"
	now.Citations = now.Citations[1:]
	now.Task.Acceptance = []string{"x"}
	if d := now.DifferencesFrom(was); !slices.Equal(d, []string{"the acceptance criteria changed",
		`standards/api.md#handlers now says "A handler may do all.", before "A handler must not exceed 75 lines."`,
		"standards/api.md#layers is now in L9-L12, before in L7-L9", "AGENTS.md#agents is no longer cited"}) {
		t.Errorf("%q", d)
	}
}

// TestMay: which action is allowed in which state.
func TestMay(t *testing.T) {
	c := handed()
	for name, tt := range map[string]struct {
		err  error
		code belay.Code
	}{
		"somebody is at work":    {c.CheckMayStart("implementer"), belay.CodeBusy},
		"the same again":         {c.CheckMayStart("Reviewer"), ""},
		"nothing handed over":    {c.CheckMayStart("validator"), belay.CodeBusy},
		"no such role":           {c.CheckMayStart("cook"), belay.CodeUsage},
		"handing over":           {c.CheckMayHandOver("reviewer"), ""},
		"handing over another's": {c.CheckMayHandOver("implementer"), belay.CodeBusy},
		"twice":                  {c.CheckMayBegin(), belay.CodeUsage},
		"there":                  {c.CheckExists(), ""},
	} {
		if belay.CodeOf(tt.err) != tt.code {
			t.Errorf("%s: %v", name, tt.err)
		}
	}
	apply := func(c Context, e Event) Context {
		t.Helper()
		next, err := Apply(c, c.UpdatedAt, e)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	c = apply(c, Event{Kind: EventHandedOver, Role: "reviewer", Handoff: &Handoff{Snapshot: "b"}})
	if err := c.CheckMayStart("validator"); belay.CodeOf(err) != belay.CodeRefused || !strings.Contains(err.Error(), "Close") {
		t.Errorf("blocked: %v", err)
	}
	if err := c.CheckMayStart("implementer"); err != nil {
		t.Errorf("the implementer cannot start, to fix the finding: %v", err)
	}
	c = apply(c, Event{Kind: EventCleared, Role: "reviewer"})
	if err := c.CheckMayStart("validator"); err != nil {
		t.Error(err)
	}
	drifted := apply(c, Event{Kind: EventDrifted, Role: "reviewer", Drift: &Drift{Expected: "b", Report: Report{Differences: []Difference{{Kind: Content, Path: "x"}}}}})
	for _, err := range []error{drifted.CheckMayStart("validator"), drifted.CheckMayHandOver("validator"), drifted.CheckNoDrift()} {
		if belay.CodeOf(err) != belay.CodeDrift {
			t.Errorf("drift: %v", err)
		}
	}
	if c.DriftCount() != 0 || drifted.DriftCount() != 1 {
		t.Error("an event changed the context it was applied to")
	}
	drifted = apply(drifted, Event{Kind: EventResolved, Note: "by hand", Handoff: &Handoff{Snapshot: "c"}})
	if drifted.DriftCount() != 0 || drifted.Expected() != "c" || drifted.Drifts[0].Resolved != "by hand" || drifted.CheckMayStart("validator") != nil {
		t.Errorf("%+v", drifted.Drifts)
	}
	gone := apply(c, Event{Kind: EventPurged})
	if belay.CodeOf(gone.CheckExists()) != belay.CodeNotFound || gone.CheckMayBegin() != nil {
		t.Error("purged")
	}
	again := apply(gone, Event{Kind: EventInit, Block: &BlockRef{Block: "n", Roles: DefaultRoles()}})
	if again.CheckExists() != nil || len(again.History) != 1 || again.LastHandoff != nil || again.Roles[0].Status != Pending {
		t.Errorf("%+v", again)
	}
	if _, err := Apply(c, c.UpdatedAt, Event{Kind: "dance", Role: "reviewer"}); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("%v", err)
	}
}

// TestRebuilt: a rebuild keeps the states of roles, and the old block in the history.
func TestRebuilt(t *testing.T) {
	c := handed()
	roles := append(DefaultRoles(), Role{Name: "auditor"})
	next, err := Apply(c, c.UpdatedAt, Event{Kind: EventRebuilt, By: "bo", Block: &BlockRef{Block: "n", Roles: roles}})
	if err != nil {
		t.Fatal(err)
	}
	if next.Block.Base != "base" || len(next.Roles) != 4 || next.Roles[0].Snapshot == nil || next.Roles[3].Status != Pending || len(next.History) != 1 || next.History[0].By != "bo" {
		t.Errorf("%+v", next)
	}
}

// TestFoldLaw: folding depends only on the entries, and does not change the previous context.
func TestFoldLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roles := []string{"implementer", "reviewer", "validator"}
		c, again := Context{Task: "T1"}, Context{Task: "T1"}
		at := time.Unix(0, 0).UTC()
		events := []Event{{Kind: EventInit, Block: &BlockRef{Block: "b", Roles: DefaultRoles()}}}
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			role := rapid.SampledFrom(roles).Draw(t, "role")
			events = append(events, rapid.SampledFrom([]Event{
				{Kind: EventStarted, Role: role}, {Kind: EventHandedOver, Role: role, Handoff: &Handoff{Snapshot: "s"}}, {Kind: EventUpdated, Role: role, Update: &StateUpdate{Status: Done}},
				{Kind: EventBlocked, Role: role, Note: "n"}, {Kind: EventCleared, Role: role}, {Kind: EventAttached, Evidence: &Evidence{ID: "E"}},
				{Kind: EventDrifted, Role: role, Drift: &Drift{}}, {Kind: EventResolved, Note: "n", Handoff: &Handoff{Snapshot: "r"}}, {Kind: EventTested, Role: role, Proof: &Proof{}}, {Kind: EventRan, Role: role, Run: &Run{}},
				{Kind: EventExported, Exports: []ExportRef{{Role: role, Attachment: "x"}}}, {Kind: EventPurged}, {Kind: EventRebuilt, Block: &BlockRef{Block: "c", Roles: DefaultRoles()}},
			}).Draw(t, "event"))
		}
		for i, e := range events {
			at = at.Add(time.Second)
			before, _ := json.Marshal(c)
			next, err := Apply(c, at, e)
			if err != nil {
				t.Fatal(err)
			}
			if after, _ := json.Marshal(c); !bytes.Equal(before, after) {
				t.Fatalf("event %d changed the context before it", i)
			}
			c = next
			data, _ := json.Marshal(e)
			if again, err = Fold(again, at, data); err != nil {
				t.Fatal(err)
			}
		}
		one, _ := json.Marshal(c)
		two, _ := json.Marshal(again)
		if !bytes.Equal(one, two) {
			t.Fatalf("%s\n%s", one, two)
		}
		if c.Updates != len(events) {
			t.Fatalf("%d updates of %d", c.Updates, len(events))
		}
	})
}

func FuzzFold(f *testing.F) {
	f.Add([]byte(`{"kind":"init","block":{"block":"b","roles":[{"name":"a"}]}}`))
	f.Add([]byte(`{"kind":"snapshot","role":"implementer"}`))
	f.Add([]byte(`{"kind":"qa","role":"reviewer"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range []Context{{Task: "T1"}, handed()} {
			c, _ = Fold(c, time.Time{}, data)
			c.CheckMayStart("reviewer")
			c.CheckMayHandOver("implementer")
			AttachmentsOf(data)
		}
	})
}
