package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// insideMakes creates a submodule with a person's work.
const insideMakes = `
git init -q ../lib
(cd ../lib && echo one > lib.go && echo two > two.go && git add . && git commit -qm lib)
git -c protocol.file.allow=always submodule add -q ../lib sub 2>/dev/null
git commit -qm submodule
cd sub
echo staged >> two.go && git add two.go && echo edited >> two.go
echo mine > untracked && chmod 640 untracked
git branch mine
`

// insides are misdeeds in the submodule.
var insides = map[string]string{
	"edits":   `cd sub; git commit -qam evil; git checkout -q -b elsewhere; git branch -qD mine; git config alias.x y; echo hacked >> lib.go; rm untracked; echo new > new.go`,
	"history": `rm -rf .git/modules/sub`,
	"removed": `rm -rf sub; git init -q sub; echo theirs > sub/theirs`,
}

// insideShows prints everything that a person can see of the submodule.
const insideShows = `
exec 2>/dev/null # complaints name the folder of the world
cd sub && cat .git
find . -path ./.git -prune -o -type f -print | sort | while read f; do echo "$f $(ls -l "$f" | cut -c1-10) $(cat "$f" | tr '\n' ' ')"; done
ls -ld .git | cut -c1-10
git status --porcelain; git ls-files -s; git for-each-ref | grep -v belay/; git rev-parse HEAD; git symbolic-ref HEAD; git config --local --list
`

func (w *world) shell(script string) string {
	w.t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir, c.Env = w.repo, w.env()
	asUser(c)
	r := w.run(context.Background(), c, []string{"(sh)"})
	return r.out + r.errs
}

// inside returns what can be seen of the tree and of its submodule. lib has a separate commit time.
func (w *world) inside() []string {
	w.t.Helper()
	return append(strings.Split(w.shell(insideShows), "\n"), w.files()...)
}

// TestCrashInner injects faults at each point of a rollback of changes to a submodule, and of a
// capture of it. The next rollback, doctor, or undo leads to one of the two states, in the tree and
// in the submodule.
func TestCrashInner(t *testing.T) {
	t.Parallel()
	only := os.Getenv("BELAY_CRASH_INNER") // one of insides
	for at, name := range slices.Sorted(maps.Keys(insides)) {
		misdeed := insides[name]
		if only != "" && only != name {
			continue
		}
		w := quietWorld(t, map[string]string{"a.txt": "one\n"})
		w.shell(insideMakes)
		good := w.inside()
		w.succeed("task", "add", "write it", "--as-it-is", "--task", "T1", "--files", "src/**", "--test", "true")
		w.succeed("task", "start", "T1")
		w.write("src/x", "work\n")
		give(t, filepath.Join(w.repo, "src"))
		w.shell(misdeed)
		bad := w.inside()
		uncaptured := w.another(t, folder(t))
		w.succeed("task", "capture", "T1")

		rollback, doctor, undo, capture := []string{"rollback", "T1"}, []string{"doctor"}, []string{"undo"}, []string{"task", "capture", "T1"}
		for _, c := range []struct {
			from *world
			args []string
			then [][]string // commands after the fault; the first leads to good
		}{{w, rollback, [][]string{rollback, {"snapshot", "take"}, doctor, undo}}, {uncaptured, capture, [][]string{capture}}} {
			y := newTally(t, c.from.count(t, c.args))
			type try struct {
				trial
				then []string
			}
			var all []try
			for i, one := range trials(y.points, 5, modeKill, modeFail) {
				all = append(all, try{one, c.then[(i+at)%len(c.then)]})
			}
			each(t, all, func(dir string, x try) {
				d := c.from.another(t, dir)
				first := d.belay(d.crash(x.trial), c.args...)
				at := name + ": " + c.args[0] + ", " + d.where(x.trial) + ", then " + x.then[0]
				y.did(x.mode)
				then := d.belay("", x.then...)
				if nothing := x.then[0] == "undo" && strings.Contains(then.errs, "nothing to") || x.then[0] == "task" && strings.Contains(then.errs, "no running attempt"); then.code != 0 && !nothing {
					y.fault(at, otherwise, "%s\nafter %s", then, first)
					return
				}
				now := d.inside()
				switch {
				case x.then[0] == "rollback":
					if left := differing(good, now); len(left) > 0 {
						y.fault(at, wrongTree, "%s\nafter %s", strings.Join(left, "\n"), first)
					}
					return
				case len(differing(good, now)) > 0 && len(differing(bad, now)) > 0 && (name == "edits" || x.then[0] != "undo"): // an undo keeps restored files
					y.fault(at, wrongTree, "neither state: %s\nafter %s", strings.Join(differing(bad, now), "\n"), first)
					return
				}
				// Whatever happened, the state before can still be restored.
				if back := d.belay("", rollback...); back.code != 0 || len(differing(good, d.inside())) > 0 {
					y.fault(at, lostWork, "%s\n%s\nafter %s", back, strings.Join(differing(good, d.inside()), "\n"), first)
				}
			})
			y.sum("inner " + name + " " + c.args[0])
		}
	}
}
