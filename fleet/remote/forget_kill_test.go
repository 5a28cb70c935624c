package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

// counting is a git that kills its parent at the n-th call, before it starts or while it runs.
const counting = `#!/bin/sh
n=$(($(cat "$BELAY_CALLS") + 1))
echo $n > "$BELAY_CALLS"
[ "$BELAY_KILL" != "before $n" ] || { kill -9 $PPID; exit 1; }
[ "$BELAY_KILL" != "during $n" ] || kill -9 $PPID
exec "$BELAY_GIT" "$@"
`

// oldTasks are forgotten by TestForgetProcess.
var oldTasks = []string{"a", "b", "c", "d"}

// TestForgetProcess deletes old tasks, in a process that another test starts.
func TestForgetProcess(t *testing.T) {
	url := os.Getenv("BELAY_FORGET")
	if url == "" {
		t.Skip("not started by another test")
	}
	remote.AtOnce(8) // two tasks in a push
	known := map[belay.TaskID]time.Time{"open": {}}
	for _, id := range oldTasks {
		known[belay.TaskID(id)] = time.Now().Add(-99 * day)
	}
	keep := task.Retention{OlderThan: 30 * day, Records: 365 * day}
	if _, err := remote.Forget(context.Background(), task.ForgetAsk{Remote: url, Keep: keep}, known, time.Now()); err != nil {
		t.Fatal(err)
	}
}

// TestForgetKilledProcess: wherever a pass is killed, between any two calls of git or during one,
// each task has all of its refs or is forgotten with all of them, and nothing else is missing. The
// next pass does the rest, and removes the leftovers of the killed one from the disk.
func TestForgetKilledProcess(t *testing.T) {
	t.Parallel()
	p := forgetSite(t, "A", "B", "C", "D", "Open")
	p.At(p.bare(), "update-ref", "refs/belay/forgotten/2001-01-01/e", "refs/belay/fleet/a/record")
	p.At(p.bare(), "update-ref", "refs/heads/belay/a", p.terms.Base)
	before := strings.Split(p.At(p.bare(), "for-each-ref", "--format=%(objectname) %(refname)"), "\n")
	bin, tmp, calls := filepath.Join(p.Up, "bin"), filepath.Join(p.Up, "tmp"), filepath.Join(p.Up, "calls")
	git, err := exec.LookPath("git")
	p.Ok(err)
	self, err := os.Executable()
	p.Ok(errors.Join(err, os.Mkdir(bin, 0o755), os.Mkdir(tmp, 0o755), os.WriteFile(filepath.Join(bin, "git"), []byte(counting), 0o755)))
	pass := func(url, kill string) (killed bool) {
		t.Helper()
		p.Ok(os.WriteFile(calls, []byte("0"), 0o644))
		cmd := exec.Command(self, "-test.run", "^TestForgetProcess$")
		cmd.Env = append(os.Environ(), "BELAY_FORGET="+url, "BELAY_KILL="+kill, "BELAY_GIT="+git, "BELAY_CALLS="+calls, "TMPDIR="+tmp,
			"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput() // also waits for a git that is still running
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == -1 {
			return true
		}
		if err != nil {
			t.Fatalf("%s: %v: %s", kill, err, out)
		}
		return false
	}
	// check counts the old tasks that are forgotten.
	check := func(url, when string) (forgotten int) {
		t.Helper()
		now := strings.Split(p.At(url, "for-each-ref", "--format=%(objectname) %(refname)"), "\n")
		for _, id := range oldTasks {
			had, has := 0, 0
			for _, ref := range before {
				if strings.Contains(ref, " refs/belay/fleet/"+id+"/") {
					if had++; slices.Contains(now, ref) {
						has++
					}
				}
			}
			alone := slices.ContainsFunc(now, func(ref string) bool {
				return strings.Contains(ref, " refs/belay/forgotten/") && strings.HasSuffix(ref, "/"+id)
			})
			if had != 3 || has != 0 && has != had || alone != (has == 0) {
				t.Fatalf("killed %s: task %s has %d of its %d refs, forgotten: %v", when, id, has, had, alone)
			}
			if alone {
				forgotten++
			}
		}
		for _, ref := range before {
			of := strings.TrimPrefix(ref, strings.Fields(ref)[0]+" ")
			old := of == "refs/belay/forgotten/2001-01-01/e" || slices.ContainsFunc(oldTasks, func(id string) bool {
				return strings.HasPrefix(of, "refs/belay/fleet/"+id+"/")
			})
			if !old && !slices.Contains(now, ref) {
				t.Fatalf("killed %s: %s is missing", when, of)
			}
		}
		p.At(url, "fsck", "--connectivity-only")
		return forgotten
	}
	partly := 0
	for n := 1; ; n++ {
		modes := []string{"before", "during"}
		if !testutil.Wide() {
			modes = modes[n%2 : n%2+1]
		}
		ended := false
		for _, mode := range modes {
			url, when := filepath.Join(p.Up, fmt.Sprint(mode, n, ".git")), fmt.Sprint(mode, " ", n)
			p.Ok(os.CopyFS(url, os.DirFS(p.bare())))
			if ended = !pass(url, when); ended {
				break
			}
			if some := check(url, when); some > 0 && some < len(oldTasks) {
				partly++
			}
			if pass(url, "never") || check(url, when+", and again") != len(oldTasks) {
				t.Fatalf("killed %s: the next pass did not do the rest", when)
			}
			if strings.Contains(p.At(url, "for-each-ref"), "/2001-01-01/") {
				t.Errorf("killed %s: the old record is there", when)
			}
			left, err := os.ReadDir(tmp)
			if p.Ok(err); len(left) > 0 {
				t.Errorf("killed %s: left behind: %v", when, left)
			}
			p.Ok(os.RemoveAll(url))
		}
		if ended {
			if n < 15 || partly == 0 {
				t.Errorf("killed at %d steps, between two pushes %d times", n-1, partly)
			}
			return
		}
	}
}
