package app_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/restore"
)

// began creates a session with a turn and a finished call, so that each shape has something before
// its open calls.
func began(t *testing.T, dir string) {
	t.Helper()
	sendEvent(t, dir, "a", "UserPromptSubmit", `,"prompt":"go"`)
	sendEvent(t, dir, "a", "PreToolUse", call("1"))
	write(t, dir, "returned.txt", "x\n")
	sendEvent(t, dir, "a", "PostToolUse", call("1"))
}

// shapes are sessions, by what happens after began.
var shapes = []struct {
	name string
	open string // a file that an open call created or changed
	do   func(t *testing.T, dir string)
}{
	{"no open call", "", func(*testing.T, string) {}},
	{"an open call that changed nothing", "", func(t *testing.T, dir string) { sendEvent(t, dir, "a", "PreToolUse", call("2")) }},
	{"an open call", "half.txt", func(t *testing.T, dir string) {
		sendEvent(t, dir, "a", "PreToolUse", call("2"))
		write(t, dir, "half.txt", "x\n")
		write(t, dir, "src/a.txt", "two\n")
	}},
	{"the first call of all", "half.txt", func(t *testing.T, dir string) {
		sendEvent(t, dir, "b", "UserPromptSubmit", `,"prompt":"go"`)
		sendEvent(t, dir, "b", "PreToolUse", call("2"))
		write(t, dir, "half.txt", "x\n")
	}},
	{"an open call that deleted and committed", "src/a.txt", func(t *testing.T, dir string) {
		sendEvent(t, dir, "a", "PreToolUse", call("2"))
		sh(t, dir, "git rm -q src/a.txt && git add returned.txt && git commit -qm second && git branch side && chmod +x returned.txt")
	}},
	{"two open calls", "half.txt", func(t *testing.T, dir string) {
		sendEvent(t, dir, "a", "PreToolUse", call("2"))
		write(t, dir, "half.txt", "x\n")
		sendEvent(t, dir, "a", "PreToolUse", call("3"))
		write(t, dir, "other.txt", "x\n")
	}},
	{"the older of two calls is open", "half.txt", func(t *testing.T, dir string) {
		sendEvent(t, dir, "a", "PreToolUse", call("2"))
		sendEvent(t, dir, "a", "PreToolUse", call("3"))
		write(t, dir, "other.txt", "x\n")
		sendEvent(t, dir, "a", "PostToolUse", call("3"))
		write(t, dir, "half.txt", "x\n")
	}},
	{"a person's change before and after an open call began", "half.txt", func(t *testing.T, dir string) {
		write(t, dir, "mine.txt", "x\n")
		sendEvent(t, dir, "a", "PreToolUse", call("2"))
		write(t, dir, "half.txt", "x\n")
		write(t, dir, "mine-too.txt", "x\n")
		write(t, dir, "returned.txt", "by a person\n")
	}},
	{"a prompt after the open call", "", func(t *testing.T, dir string) {
		sendEvent(t, dir, "a", "PreToolUse", call("2"))
		write(t, dir, "half.txt", "x\n")
		sendEvent(t, dir, "a", "UserPromptSubmit", `,"prompt":"and now"`)
	}},
	{"an undo, and a person's change", "", func(t *testing.T, dir string) {
		sendEvent(t, dir, "a", "PreToolUse", call("2"))
		write(t, dir, "half.txt", "x\n")
		if _, _, err := open(t, dir).UndoTurn(t.Context(), app.UndoTurnRequest{ToolCall: true}); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "mine.txt", "x\n")
	}},
}

// TestUndoDryRun: for any open calls, the plan of an undo equals the undo, and a plan changes
// nothing: record, refs, index and files have the same bytes. A timeline shows what an open call
// would lose, and changes nothing either.
func TestUndoDryRun(t *testing.T) {
	for _, shape := range shapes {
		for _, q := range []app.UndoTurnRequest{{}, {Number: 1}, {ToolCall: true}, {ToolCall: true, Number: 1}} {
			t.Run(fmt.Sprintf("%s/tool %v %d", shape.name, q.ToolCall, q.Number), func(t *testing.T) {
				t.Parallel()
				dir := repository(t)
				began(t, dir)
				shape.do(t, dir)
				files, all := hashes(t, dir)

				shown, err := open(t, dir).Timeline(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				dry := q
				dry.Options.DryRun = true
				plan, what, planErr := open(t, dir).UndoTurn(t.Context(), dry)
				if _, now := hashes(t, dir); !reflect.DeepEqual(all, now) {
					t.Errorf("a dry run or a timeline changed files: %v", differ(all, now))
				}

				done, did, err := open(t, dir).UndoTurn(t.Context(), q)
				if fmt.Sprint(planErr) != fmt.Sprint(err) || what != did {
					t.Fatalf("planned %q: %v; undone %q: %v", what, planErr, did, err)
				}
				changed := names(done)
				if got := names(plan); !slices.Equal(got, changed) {
					t.Errorf("planned\n%q, changed\n%q", got, changed)
				}
				if shape.open != "" && !q.ToolCall && !slices.Contains(changed, shape.open) {
					t.Errorf("the open call's changes were not undone: %q", changed)
				}
				now, _ := hashes(t, dir)
				for _, name := range differ(files, now) {
					if !slices.Contains(changed, name) {
						t.Errorf("%s changed but was not reported", name)
					}
				}
				after, err := open(t, dir).Timeline(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				if a, b := calls(shown), calls(after); !slices.Equal(a, b) && !strings.HasPrefix(shape.name, "an undo") {
					t.Errorf("timeline\n%q, after the undo\n%q", a, b)
				}
			})
		}
	}
}

// TestTimelineOfEarlierSession: later changes by others are not attributed to an open call of an
// earlier session, whose agent has died.
func TestTimelineOfEarlierSession(t *testing.T) {
	dir := repository(t)
	began(t, dir)
	sendEvent(t, dir, "a", "PreToolUse", call("2"))
	old, err := open(t, dir).Timeline(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	sendEvent(t, dir, "b", "UserPromptSubmit", `,"prompt":"go"`)
	write(t, dir, "mine.txt", "x\n")
	now, err := open(t, dir).Timeline(t.Context(), string(old.Session))
	if err != nil || !slices.Equal(calls(old), calls(now)) {
		t.Errorf("%q became %q: %v", calls(old), calls(now), err)
	}
}

// names lists everything that an undo changed, or would change.
func names(r restore.Restored) []string {
	all := slices.Concat(r.Written, r.Removed)
	for _, m := range r.Refs {
		all = append(all, fmt.Sprint("ref ", m))
	}
	for _, k := range slices.Concat(r.Kept, r.KeptRefs, r.Missing, r.Skipped) {
		all = append(all, fmt.Sprint("not ", k))
	}
	slices.Sort(all)
	return append(all, fmt.Sprint(r.Index, r.Head, r.Operation, r.Admin, r.Logs, r.Inner))
}

// calls lists the changes of tool calls in a timeline.
func calls(t app.Timeline) (all []string) {
	for _, turn := range t.Turns {
		for _, s := range turn.Steps {
			if s.Kind == "tool" {
				all = append(all, fmt.Sprint(turn.Turn, s.Tool, s.Changes, s.Git, s.Problem))
			}
		}
	}
	return all
}

// hashes returns the hashes of the files in the working tree, and of those and the files in git's
// folder. Unreferenced objects are left out, because a gc deletes them; so are belay's list of
// packs, locks, and the scratch space.
func hashes(t *testing.T, dir string) (files, all map[string]string) {
	t.Helper()
	files, all = map[string]string{}, map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == ".git/objects" || name == ".git/belay/tmp":
			return fs.SkipDir
		}
		if e.IsDir() || strings.HasSuffix(name, ".lock") || name == ".git/belay/packs" {
			return nil
		}
		text, err := os.ReadFile(path)
		info, serr := e.Info()
		if err != nil || serr != nil {
			return err
		}
		all[name] = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(text))
		if !strings.HasPrefix(name, ".git/") {
			files[name] = all[name]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, all
}

// differ returns the names that differ.
func differ(a, b map[string]string) (list []string) {
	for name := range a {
		if a[name] != b[name] {
			list = append(list, name)
		}
	}
	for name := range b {
		if _, both := a[name]; !both {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
