package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const reviewScript = `== 1 ==
write src/answer.txt 42
== * ==
write src/answer.txt 42, because
`

var (
	runToReview = []string{"run", "write the answer", "--task", "T1", "--test", "true", "--", "agent"}
	rejectT1    = []string{"review", "record", "T1", "--verdict", "reject", "-m", "`src/answer.txt` line 1 is not explained", "--reviewer", "ana"}
)

// TestCrashReview injects faults at each point of recording a review: then the task continues by
// the review, or it is unchanged and the review is given again. There is no state in between, and
// the result is the same.
func TestCrashReview(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewScript)
	w.succeed(runToReview...)
	d := w.another(t, folder(t))
	points := d.count(t, rejectT1)
	d.succeed(rejectT1...)
	d.succeed("run", "--resume", "T1")
	want := d.files()
	y := newTally(t, points)
	each(t, trials(points, 9, modeKill, modeFail), func(dir string, c trial) {
		d := w.another(t, dir)
		d.belay(d.crash(c), rejectT1...)
		at := d.where(c)
		y.did(c.mode)
		shown := d.belay("", "show", "T1", "--json")
		switch {
		case strings.Contains(shown.out, `"phase":"closed"`):
			if r := d.belay("", rejectT1...); r.code != 0 {
				y.fault(at, otherwise, "it cannot be given again: %s", r)
			}
		case !strings.Contains(shown.out, `"phase":"attempt"`) || !strings.Contains(shown.out, "is not explained"):
			y.fault(at, otherwise, "the task continues without the review: %s", shown)
		}
		if r := d.belay("", "run", "--resume", "T1"); r.code != 0 {
			y.fault(at, otherwise, "%s", r)
		}
		text, err := os.ReadFile(filepath.Join(d.repo, "src", "answer.txt"))
		if err != nil || string(text) != "42, because\n" {
			y.fault(at, wrongTree, "%q %v", text, err)
		}
		if got := outsideBelays(differing(want, d.files())); len(got) > 0 {
			y.fault(at, wrongTree, "\n%s", strings.Join(got, "\n"))
		}
		if r := d.belay("", "review", "list", "T1"); r.code != 0 || !strings.Contains(r.out, "reject  by ana") {
			y.fault(at, otherwise, "%s", r)
		}
		d.sound(y, at)
	})
	y.sum("review record")
}

// outsideBelays removes belay's own files: their times and IDs differ, and a kill between a file
// and its entry leaves a file that does not count.
func outsideBelays(lines []string) (out []string) {
	for _, l := range lines {
		if !strings.Contains(l, ".belay") {
			out = append(out, l)
		}
	}
	return out
}
