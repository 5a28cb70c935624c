package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestMain runs as one of several concurrent writers if BELAY_TEST_WRITER is set.
func TestMain(m *testing.M) {
	if dir := os.Getenv("BELAY_TEST_WRITER"); dir != "" {
		os.Exit(writer(dir))
	}
	app.Slack = testutil.Patience
	os.Exit(m.Run())
}

// writer updates its own role and a role that all writers share. It prints a line for each update
// that is on disk.
func writer(dir string) int {
	n, _ := strconv.Atoi(os.Getenv("BELAY_TEST_UPDATES"))
	me := os.Getenv("BELAY_TEST_ROLE")
	for i := range n {
		s, err := app.Open(context.Background(), app.OpenOptions{Dir: dir, Force: true})
		q := app.ContextRequest{Task: "T1", By: me}
		if err == nil && i%2 == 0 {
			_, err = app.UpdateRole(context.Background(), s.Session, app.UpdateRequest{ContextRequest: q, Role: me,
				Session: fmt.Sprintf("%s-%d", me, i)})
		} else if err == nil {
			_, err = app.BlockRole(context.Background(), s.Session, q, "shared", fmt.Sprintf("finding %s-%d", me, i))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, me, i, err)
			return 1
		}
		fmt.Println(i)
	}
	return 0
}

// project makes a repository with a task, and the roles in config.
func project(t testing.TB, config string) (string, *session.Session) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		os.Setenv(name, value) // not t.Setenv, because the tests run in parallel
	}
	write(t, dir, "src/a.txt", "one\n")
	write(t, dir, "AGENTS.md", "# Agents\n\nAlways run the tests.\n")
	write(t, dir, ".belay/config.yaml", config)
	write(t, dir, ".belay/.gitignore", "/now/\n")
	sh(t, dir, "git init -q -b main && git config user.name a && git config user.email a@b && git add -A && git commit -qm first")
	s := open(t, dir)
	if _, err := s.Add(t.Context(), app.NewTask{ID: "T1", Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), "T1", silentWatcher{}); err != nil {
		t.Fatal(err)
	}
	return dir, s.Session
}

// silentWatcher is a runner.Observer that ignores notes.
type silentWatcher struct{ runner.Observer }

func (silentWatcher) Note(string) {}

func open(t testing.TB, dir string) *app.Service {
	t.Helper()
	s, err := app.Open(t.Context(), app.OpenOptions{Dir: dir, Force: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sh(t testing.TB, dir, script string) {
	t.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func begin(t testing.TB, s *session.Session) app.ContextRequest {
	t.Helper()
	q := app.ContextRequest{Task: "T1", By: "test"}
	if _, err := app.InitContext(t.Context(), s, app.InitRequest{ContextRequest: q}); err != nil {
		t.Fatal(err)
	}
	return q
}

// TestManyWriters: ten processes update roles and a task at once, one of them is killed, and no
// reported update is lost.
func TestManyWriters(t *testing.T) {
	updates := 8
	if os.Getenv("BELAY_CRASH_ALL") != "" {
		updates = 100
	}
	config := "roles:\n  shared: {}\n"
	for i := range 10 {
		config += fmt.Sprintf("  r%d: {timeout: 1m}\n", i)
	}
	dir, s := project(t, strings.Replace(config, "shared: {}", "shared: {timeout: 1m}", 1))
	begin(t, s)
	totals := make([]chan int, 10)
	var all []*exec.Cmd
	for i := range 10 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "BELAY_TEST_WRITER="+dir, fmt.Sprintf("BELAY_TEST_ROLE=r%d", i), fmt.Sprintf("BELAY_TEST_UPDATES=%d", updates))
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		totals[i] = make(chan int, 1)
		go count(out, totals[i], func(n int) {
			if i == 0 && n == updates/2 {
				c.Process.Kill()
			}
		})
		all = append(all, c)
	}
	done := map[string]int{}
	for i, c := range all {
		done[fmt.Sprintf("r%d", i)] = <-totals[i]
		if err := c.Wait(); (err != nil) != (i == 0) {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	requireNothingLost(t, s, done, updates)
}

// count counts lines: it calls each with the number so far and sends the total at the end.
func count(r io.Reader, total chan<- int, each func(int)) {
	n := 0
	for s := bufio.NewScanner(r); s.Scan(); {
		n++
		each(n)
	}
	total <- n
}

func requireNothingLost(t *testing.T, sess *session.Session, done map[string]int, updates int) {
	t.Helper()
	rec, err := sess.Load("T1")
	if err != nil {
		t.Fatal(err)
	}
	shared, err := rec.Context.RoleState("shared")
	if err != nil {
		t.Fatal(err)
	}
	for me, n := range done {
		if me != "r0" && n != updates {
			t.Errorf("%s reported %d of %d", me, n, updates)
		}
		s, _ := rec.Context.RoleState(me)
		last := (n - 1) / 2 * 2
		if s.Session != fmt.Sprintf("%s-%d", me, last) && s.Session != fmt.Sprintf("%s-%d", me, last+2) {
			t.Errorf("%s: session %q after %d", me, s.Session, n)
		}
		for i := 1; i < n; i += 2 {
			if !slices.Contains(shared.Blocking, fmt.Sprintf("finding %s-%d", me, i)) {
				t.Errorf("the finding %s-%d is lost", me, i)
			}
		}
	}
	seen := slices.Clone(shared.Blocking)
	slices.Sort(seen)
	if len(slices.Compact(seen)) != len(shared.Blocking) {
		t.Error("a finding was recorded twice")
	}
	if proof, err := sess.Journal.Verify("T1", func(data json.RawMessage) []string { return handoff.AttachmentsOf(data) }); err != nil || !proof.OK {
		t.Errorf("%v %v", proof.Problems, err)
	}
}

// TestReadOnly: changes by a role that only reads are rejected.
func TestReadOnly(t *testing.T) {
	dir, s := project(t, "roles:\n  build: {timeout: 1m}\n  judge: {read_only: true}\n")
	q := begin(t, s)
	start := func(role string) error {
		_, err := app.UpdateRole(t.Context(), open(t, dir).Session, app.UpdateRequest{ContextRequest: q, Role: role, Status: "in_progress"})
		return err
	}
	if err := start("build"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "src/a.txt", "two\n")
	if _, err := app.HandOver(t.Context(), s, q, "build", false); err != nil {
		t.Fatal(err)
	}
	if err := start("judge"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "src/a.txt", "three\n")
	if _, err := app.HandOver(t.Context(), s, q, "judge", false); belay.CodeOf(err) != belay.CodeDrift || !strings.Contains(err.Error(), "read-only") {
		t.Fatalf("%v", err)
	}
	rec, err := s.Load("T1")
	if err != nil || rec.Context.DriftCount() != 1 || rec.Context.Drifts[0].Report.Differences[0].Kind != handoff.Content {
		t.Fatalf("%+v %v", rec.Context.Drifts, err)
	}
	write(t, dir, "src/a.txt", "two\n")
	if p, err := app.OpenPlace(t.Context(), s, q); err != nil {
		t.Fatal(err)
	} else if _, err := p.ResolveDrift(t.Context(), "put back"); err != nil {
		t.Fatal(err)
	}
	if h, err := app.HandOver(t.Context(), s, q, "judge", false); err != nil || h.Incremental.Bytes != 0 {
		t.Fatalf("%+v %v", h, err)
	}
}

// TestPartsAreChecked: an unknown part of a role in the config is an error.
func TestPartsAreChecked(t *testing.T) {
	_, s := project(t, "roles:\n  build: {parts: [task, everything]}\n")
	_, err := app.InitContext(t.Context(), s, app.InitRequest{ContextRequest: app.ContextRequest{Task: "T1"}})
	if belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), `roles.build.parts: "everything" is not a part`) {
		t.Errorf("%v", err)
	}
}
