package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/hook"
	"github.com/belay-dev/belay/internal/session"
)

// repository makes a repository without a task.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "src/a.txt", "one\n")
	sh(t, dir, "git init -q -b main && git config user.name a && git config user.email a@b && git add -A && git commit -qm first")
	return dir
}

// sendEvent sends an event as Claude Code does and returns the answer.
func sendEvent(t *testing.T, dir, id, kind, more string) hook.Answer {
	t.Helper()
	ev := hook.Read("claude", strings.NewReader(fmt.Sprintf(`{"hook_event_name":%q,"session_id":%q,"cwd":%q%s}`, kind, id, dir, more)))
	return app.Hook(t.Context(), app.OpenOptions{Force: true}, ev)
}

func call(id string) string {
	return fmt.Sprintf(`,"tool_name":"Write","tool_use_id":%q,"tool_input":{"file_path":"x"}`, id)
}

// TestHooksAtOnce: with parallel tool calls of two agents in one tree, no mark is lost and each
// call has its own number.
func TestHooksAtOnce(t *testing.T) {
	dir := repository(t)
	sendEvent(t, dir, "a", "UserPromptSubmit", `,"prompt":"go"`)
	sendEvent(t, dir, "b", "UserPromptSubmit", `,"prompt":"go"`)
	var all sync.WaitGroup
	for i := range 6 {
		for _, id := range []string{"a", "b"} {
			all.Go(func() {
				use := fmt.Sprintf("%s%d", id, i)
				sendEvent(t, dir, id, "PreToolUse", call(use))
				if err := os.WriteFile(filepath.Join(dir, use), []byte("x"), 0o644); err != nil {
					t.Error(err)
				}
				sendEvent(t, dir, id, "PostToolUse", call(use))
			})
		}
	}
	all.Wait()
	s := open(t, dir)
	for _, id := range []string{"a", "b"} {
		r, err := s.Session.LoadUnchecked(session.SessionTask("claude", id, s.Session.Repo.Root))
		if err != nil {
			t.Fatal(err)
		}
		before, after := []int{}, []int{}
		for _, m := range r.Marks {
			switch m.Kind {
			case session.MarkBefore:
				before = append(before, m.Tool)
			case session.MarkAfter:
				after = append(after, m.Tool)
			}
		}
		slices.Sort(after)
		if want := []int{1, 2, 3, 4, 5, 6}; !slices.Equal(before, want) || !slices.Equal(after, want) {
			log, _ := os.ReadFile(s.Session.Scratch("hooks.log"))
			t.Errorf("%s: before %v, after %v\n%s", id, before, after, log)
		}
		if m := r.Marks[len(r.Marks)-1]; len(m.Open) > 0 {
			t.Errorf("%s: open calls: %+v", id, m.Open)
		}
	}
	if v, err := s.Session.Journal.Verify(session.SessionTask("claude", "a", s.Session.Repo.Root), nil); err != nil || !v.OK {
		t.Errorf("%+v: %v", v, err)
	}
}

// TestHookSlow: after a snapshot that takes too long, none is taken until the next prompt; the
// person is notified, and destructive commands are still denied.
func TestHookSlow(t *testing.T) {
	dir := repository(t)
	limit := time.Nanosecond
	defer app.LimitSnapshots(func(session.MarkKind) time.Duration { return limit })()
	if a := sendEvent(t, dir, "a", "UserPromptSubmit", `,"prompt":"go"`); !strings.Contains(a.Note, "takes too long") {
		t.Errorf("%+v", a)
	}
	limit = time.Minute
	sendEvent(t, dir, "a", "PreToolUse", call("1"))
	s := open(t, dir)
	if list, err := s.Session.Snaps.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d snapshots: %v", len(list), err)
	}
	a := sendEvent(t, dir, "a", "PreToolUse", `,"tool_name":"Bash","tool_use_id":"2","tool_input":{"command":"git reset --hard"}`)
	if a.Deny == "" {
		t.Error("git reset --hard is not denied")
	}
	if a := sendEvent(t, dir, "a", "Stop", ""); a != (hook.Answer{}) {
		t.Errorf("%+v", a)
	}
	sendEvent(t, dir, "a", "UserPromptSubmit", `,"prompt":"again"`)
	if list, err := s.Session.Snaps.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%d snapshots after the next prompt: %v", len(list), err)
	}
}

// TestBrief: the greeting lists open tasks and is empty without any.
func TestBrief(t *testing.T) {
	dir := repository(t)
	s := open(t, dir)
	if text := s.Brief(t.Context()).Text(); text != "" {
		t.Errorf("brief without open tasks: %s", text)
	}
	if _, err := s.Add(t.Context(), app.NewTask{ID: "T1", Text: "do it", Feature: "shop"}); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir).Brief(t.Context())
	for _, want := range []string{"feature shop: 1 of 1 task open", "T1 is open (new): do it", "next: belay show T1"} {
		if !strings.Contains(b.Text(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.Text())
		}
	}
	if a := sendEvent(t, dir, "a", "SessionStart", `,"source":"startup"`); a.Context != b.Text() {
		t.Errorf("context of a new session: %s", a.Context)
	}
}

// TestDeniedBeside: one of two parallel calls is denied, also when a second hook reports it again;
// the other one gets its snapshot.
func TestDeniedBeside(t *testing.T) {
	dir := repository(t)
	sendEvent(t, dir, "a", "UserPromptSubmit", `,"prompt":"go"`)
	denied := `,"tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"git reset --hard"}`
	write(t, dir, "src/a.txt", "two\n")
	for range 2 {
		if ans := sendEvent(t, dir, "a", "PreToolUse", denied); ans.Deny == "" {
			t.Fatal("not denied")
		}
	}
	write(t, dir, "src/a.txt", "three\n")
	sendEvent(t, dir, "a", "PreToolUse", `,"tool_name":"Bash","tool_use_id":"2","tool_input":{"command":"rm src/a.txt"}`)
	s := open(t, dir)
	r, err := s.Session.LoadUnchecked(session.SessionTask("claude", "a", s.Session.Repo.Root))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[session.MarkKind]int{}
	for _, m := range r.Marks {
		kinds[m.Kind]++
	}
	if last := r.Marks[len(r.Marks)-1]; kinds[session.MarkBefore] != 1 || last.Kind != session.MarkBefore || last.Snapshot == "" {
		t.Errorf("marks %v, the last is %s with snapshot %q", kinds, last.Kind, last.Snapshot)
	}
}

// TestDeniedTooLong: a shell command of which the end was not read is denied, also in a repository that
// belay cannot open.
func TestDeniedTooLong(t *testing.T) {
	dir := repository(t)
	long := `,"tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"` + strings.Repeat("echo x;", 1<<18) + `"}`
	if ans := sendEvent(t, dir, "a", "PreToolUse", long); !strings.Contains(ans.Deny, "too long to be checked") {
		t.Errorf("not denied: %q", ans.Deny)
	}
	write(t, dir, ".git/config", "[") // belay cannot open it
	if ans := sendEvent(t, dir, "a", "PreToolUse", long); !strings.Contains(ans.Deny, "too long to be checked") {
		t.Errorf("not denied without a repository: %q", ans.Deny)
	}
}

// TestDeniedBranchMove: a branch must not be moved away from commits that no other ref has. Neither
// the snapshots nor HEAD count.
func TestDeniedBranchMove(t *testing.T) {
	dir := repository(t)
	sh(t, dir, "git branch old && git commit -q --allow-empty -m second && git branch same")
	sh(t, dir, "git checkout -qb only && git commit -q --allow-empty -m third")
	sendEvent(t, dir, "a", "UserPromptSubmit", `,"prompt":"go"`)
	for command, denied := range map[string]bool{
		"git branch -f old": false, "git branch -f same old": false, "git branch -f new old": false, "git branch -f only only~0": false,
		"git checkout -B only main": true, "git branch -M old only": true, "git branch -M only old": false,
		"git update-ref refs/heads/only HEAD~1": true, "git checkout -B only HEAD": false, "git checkout -B only $(git rev-parse main)": true,
	} {
		more := fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":%q,"tool_input":{"command":%q}`, command, command)
		ans := sendEvent(t, dir, "a", "PreToolUse", more)
		if (ans.Deny != "") != denied {
			t.Errorf("%s: %q", command, ans.Deny)
		}
	}
}
