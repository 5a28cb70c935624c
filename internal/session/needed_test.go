package session

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

// TestNeeded: a rollback with only the needed snapshots restores the same, whoever changed
// something in between, and no further snapshots are kept.
func TestNeeded(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	sh := func(script string) {
		t.Helper()
		c := exec.Command("sh", "-ec", script)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	sh("git init -q -b main; git config user.name a; git config user.email a@b; echo 1 > a; git add .; git commit -qm first")
	repo, err := git.Open(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	store, err := snapshot.Open(t.Context(), repo, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	take := func(kind belay.Kind, command string) snapshot.Info {
		t.Helper()
		s, err := store.Take(t.Context(), snapshot.Meta{Kind: kind, Task: "T1", Command: command})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	start := func() snapshot.Info { return take(belay.KindBefore, "x"+StartMark) }
	after := func() snapshot.Info { return take(belay.KindAfter, "x") }
	end := func() snapshot.Info { return take(belay.KindAfter, "x"+EndMark) }
	for _, tt := range []struct {
		name string
		do   func() []snapshot.Info // snapshots of attempts, oldest first
		keep []int                  // indexes of the needed ones, besides the before snapshot
	}{
		{"one attempt", func() []snapshot.Info { sh("echo 2 > a"); return []snapshot.Info{after()} }, []int{0}},
		{"tests that write nothing", func() []snapshot.Info { sh("echo 3 > a"); return []snapshot.Info{after(), end()} }, []int{1}},
		{"tests that write", func() []snapshot.Info {
			sh("echo 4 > a")
			a := after()
			sh("echo log > out")
			return []snapshot.Info{a, end()}
		}, []int{0, 1}},
		{"three attempts and nobody else", func() []snapshot.Info {
			var all []snapshot.Info
			for _, n := range []string{"5", "6", "7"} {
				if len(all) > 0 {
					all = append(all, start())
				}
				sh("echo " + n + " > a")
				all = append(all, after())
			}
			return all
		}, []int{4}},
		{"a person in between", func() []snapshot.Info {
			sh("echo 8 > a")
			one := after()
			sh("echo mine > b")
			two := start()
			sh("echo 9 > a")
			three := after()
			return []snapshot.Info{one, two, three, start(), after()}
		}, []int{0, 1, 4}},
		{"a person's branch in between", func() []snapshot.Info {
			sh("echo 10 > a")
			one := after()
			sh("git branch mine")
			two := start()
			sh("echo 11 > a")
			return []snapshot.Info{one, two, after()}
		}, []int{0, 1, 2}},
		{"begun anew from the before snapshot", func() []snapshot.Info {
			sh("echo 12 > a")
			one := after()
			sh("echo 11 > a")
			two := start()
			sh("echo 13 > a")
			return []snapshot.Info{one, two, after()}
		}, []int{2}},
	} {
		before := take(belay.KindBefore, "")
		checkNeeded(t, store, tt.name, before, tt.do(), tt.keep)
	}
}

func checkNeeded(t *testing.T, store *snapshot.Store, name string, before snapshot.Info, list []snapshot.Info, keep []int) {
	t.Helper()
	taken := append([]snapshot.Info{before}, list...)
	got, err := NeededSnapshots(t.Context(), store, before.ID, slices.Clone(taken))
	if err != nil {
		t.Fatal(err)
	}
	want := map[belay.SnapshotID]bool{before.ID: true}
	for _, i := range keep {
		want[list[i].ID] = true
	}
	if d := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); d != "" {
		t.Errorf("%s: %s", name, d)
	}
	all, err := ReadChangedNames(t.Context(), store, SpansOf(before.ID, slices.Clone(taken)))
	if err != nil {
		t.Fatal(err)
	}
	few, err := ReadChangedNames(t.Context(), store, SpansOf(before.ID, slices.DeleteFunc(slices.Clone(taken), func(s snapshot.Info) bool { return !got[s.ID] })))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(all, few); d != "" {
		t.Errorf("%s: a rollback would touch something else: %s", name, d)
	}
}
