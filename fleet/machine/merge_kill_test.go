package machine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/task"
)

// killer is a git that kills its parent before or after a step of a merge.
const killer = `#!/bin/sh
step=
for a in "$@"; do case $a in -*) ;; *) step=$a && break ;; esac; done
[ "$BELAY_KILL" != "before $step" ] || { kill -9 $PPID; exit 1; }
[ "$BELAY_KILL" = "after $step" ] || exec "$BELAY_GIT" "$@"
"$BELAY_GIT" "$@"
kill -9 $PPID
`

// killedIn runs a merge on machine a in a separate worker, which is killed at a step.
func (p *place) killedIn(q task.MergeAsk, step string) {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		p.t.Fatal(err)
	}
	in, err := json.Marshal(q.Like)
	if err != nil {
		p.t.Fatal(err)
	}
	ask, err := json.Marshal(q)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("killer/git", killer)
	if err := os.Chmod(filepath.Join(p.dir, "killer", "git"), 0o755); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestWorkerProcess$")
	cmd.Env = append(os.Environ(), "BELAY_WORK="+string(in), "BELAY_MERGE="+string(ask), "BELAY_KILL="+step, "BELAY_GIT="+git,
		"PATH="+filepath.Join(p.dir, "killer")+string(os.PathListSeparator)+os.Getenv("PATH"))
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != -1 { // by a signal
		p.t.Fatalf("%s: %v: %s", step, err, said)
	}
}

// If a worker is killed at any step of a merge, another one, or itself, can do the merge: the work
// is on the branch once, and left-over working trees are removed.
func TestMergeKilled(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"before clone", "after clone", "before checkout", "after checkout", "before add", "before write-tree",
		"before commit-tree", "after commit-tree", "before push", "after push"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.base = p.work("start", p.base, map[string]string{"tasks.md": list})
			one := p.work("t1", p.base, map[string]string{"src/1.txt": "1\n"})
			two := p.work("t2", p.base, map[string]string{"src/2.txt": "2\n"})
			q := p.ask("T1", p.base, one, "")
			p.killedIn(q, step)
			if at := p.git(p.remote(), "for-each-ref", "refs/heads/belay/003-sum"); (at != "") != (step == "after push") {
				t.Fatalf("the branch is at %q", at)
			}
			b := p.machine("b")
			q.Like.Author = "Bob <bob@example.com>" // stands in for the worker's own user, if the task has none
			first, err := p.merge(b, q)
			if err != nil || first.Reason() != "" {
				t.Fatalf("%+v, %v", first, err)
			}
			again := p.machine("a") // restarted, with its leftovers
			second, err := p.merge(again, p.ask("T2", p.base, two, first.Commit))
			if err != nil || second.Reason() != "" {
				t.Fatalf("%+v, %v", second, err)
			}
			want := fmt.Sprintf("%s %s %s\n%s %s %s", second.Commit, first.Commit, two, first.Commit, p.base, one)
			if got := p.git(p.remote(), "log", "--merges", "--first-parent", "--format=%H %P", "belay/003-sum"); got != want {
				t.Errorf("the branch has\n%s\nexpected\n%s", got, want)
			}
			if got := p.at("belay/003-sum", "src/1.txt") + p.at("belay/003-sum", "src/2.txt") + p.at("belay/003-sum", "tasks.md"); got !=
				"12"+strings.ReplaceAll(strings.TrimSpace(list), "[ ]", "[x]") {
				t.Errorf("it has %q", got)
			}
			if said, err := again.Tidy(t.Context(), time.Now(), time.Hour); err != nil ||
				strings.Join(said, "; ") != "removed 1 working tree of a worker that was killed" {
				t.Errorf("%q, %v", said, err)
			}
			for _, pattern := range []string{"a/merges/*", "a/mirrors/new-*"} {
				if left, _ := filepath.Glob(filepath.Join(p.dir, pattern)); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			}
		})
	}
}

// Running merges are not swept, and a killed git does not leave its mirror locked.
func TestMergeUnderWay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.machine("a")
	one := p.work("t1", p.base, map[string]string{"src/1.txt": "1\n"})
	q := p.ask("T1", p.base, one, "")
	q.Like.Settings = []task.Setting{{Key: "checks.tests.command", Value: "touch " + p.dir + "/tested; until [ -e " + p.dir + "/end ]; do sleep 0.05; done"}}
	done := make(chan error)
	go func() { _, err := p.merge(m, q); done <- err }()
	p.eventually("the tests to run", func() bool { _, err := os.Stat(filepath.Join(p.dir, "tested")); return err == nil })
	locks := []string{"a/mirrors/" + task.RepositoryKey(p.remote()) + ".git/refs/heads/t2.lock",
		"a/mirrors/" + task.RepositoryKey(p.remote()) + ".git/packed-refs.lock"}
	for _, l := range locks {
		p.write(l, "")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(p.dir, locks[0]), old, old); err != nil {
		t.Fatal(err)
	}
	if said, err := p.machine("a").Tidy(t.Context(), time.Now(), time.Hour); err != nil || len(said) > 0 {
		t.Errorf("%v, %v", said, err)
	}
	for i, l := range locks {
		if _, err := os.Stat(filepath.Join(p.dir, l)); (err == nil) != (i == 1) {
			t.Errorf("%s: %v", l, err)
		}
	}
	p.write("end", "")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
