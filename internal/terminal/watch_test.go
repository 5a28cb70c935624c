package terminal

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// Without a terminal, the status must be printed once, then a line for each task that changed; with
// --json, an object for each change and none without a change.
func TestWatch(t *testing.T) {
	t.Parallel()
	phases := []string{"attempt", "attempt", "gate", "closed"}
	watch := func(asJSON bool) string {
		var out bytes.Buffer
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			now := -1
			tasks := func() ([]app.TaskLine, error) {
				return []app.TaskLine{{ID: "T1", Title: "write a", Phase: phases[now]}}, nil
			}
			term := &Terminal{Out: &out, JSON: asJSON, StopRequested: ctx}
			err := term.Watch(WatchSource{Tasks: tasks, Status: func() (app.Status, error) {
				if now++; now == len(phases) {
					stop()
					return app.Status{}, ctx.Err()
				}
				open, err := tasks()
				return app.Status{Tasks: open}, err
			}})
			if err != nil || !term.Printed {
				t.Errorf("Watch returned %v", err)
			}
		})
		return out.String()
	}
	text := watch(false)
	lines := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  T1  (\w+)`).FindAllStringSubmatch(text, -1)
	if len(lines) != 2 || lines[0][1] != "gate" || lines[1][1] != "closed" || strings.Count(text, "0 snapshots") != 1 {
		t.Errorf("%q", text)
	}
	text = watch(true)
	for i, phase := range []string{"attempt", "gate", "closed"} {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[i], `{"success":true,`) || !strings.Contains(lines[i], `"phase":"`+phase) {
			t.Fatalf("no separate object for %s:\n%s", phase, text)
		}
	}
}

// Watch must end if the status cannot be read.
func TestWatchError(t *testing.T) {
	t.Parallel()
	term := &Terminal{Out: &bytes.Buffer{}, StopRequested: t.Context()}
	err := term.Watch(WatchSource{Status: func() (app.Status, error) { return app.Status{}, os.ErrPermission }})
	if err == nil || belay.CodeOf(err) == "" {
		t.Errorf("Watch returned %v", err)
	}
}

// A task's line must show what it waits for and what it has used, with the totals below; if
// accepted work is not merged, "no open tasks" must not be printed.
func TestTasksAreListed(t *testing.T) {
	t.Parallel()
	tokens := belay.Tokens{Input: 1000, Output: 500}
	used := belay.Use{Tokens: &tokens}
	var out bytes.Buffer
	PrintTasks(&out, []app.TaskLine{
		{ID: "T1", Title: "write a", Phase: "attempt", Attempts: 2, Used: &used, Feature: "shop"},
		{ID: "T2", Title: "write b", Phase: "not started", After: []belay.TaskID{"T1", "T9"}},
		{ID: "T3", Title: "write c", Phase: "gate", Attempts: 1, Used: &used, Waits: "two readings"},
	})
	for _, want := range []string{`(?m)^T1  attempt +2 attempts  .*tokens  write a  \[shop\]$`, `(?m)^T2 .* write b  after T1, T9$`,
		`(?m)^T3 .*write c  \(two readings\)$`, `(?m)^together 3 attempts, .*3.* tokens$`} {
		if !regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
	out.Reset()
	PrintStatus(&out, app.Status{Worktrees: []app.TaskLine{{ID: "T1", Phase: "closed", Unmerged: true}}}, 0)
	if text := out.String(); strings.Contains(text, "no open tasks") || !strings.Contains(text, "not merged") {
		t.Error(text)
	}
}
