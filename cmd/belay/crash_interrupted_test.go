package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// obstacle is something that appears after a restore was killed, and that may prevent finishing it.
type obstacle struct {
	name string
	make func(d *world, id string) bool // false: not possible here
	// of are texts in lines of the state that may differ afterwards: the broken path, and its
	// consequences.
	of []string
	// lift removes it: then the next command finishes the restore.
	lift func(d *world)
	// back: reversing is the only way out that can be named.
	back bool
	// unread: belay cannot read the intent.
	unread bool
}

func (w *world) intent() string { return filepath.Join(w.repo, ".git", "belay", "intent.json") }

// loose unpacks all objects, so that one can be damaged.
func (w *world) loose() {
	w.t.Helper()
	packs, err := filepath.Glob(filepath.Join(w.repo, ".git", "objects", "pack", "*.pack"))
	w.must(err)
	for _, pack := range packs {
		away := filepath.Join(w.up, filepath.Base(pack))
		w.must(os.Rename(pack, away))
		rest, err := filepath.Glob(strings.TrimSuffix(pack, ".pack") + ".*")
		w.must(err)
		for _, f := range rest {
			w.must(os.Remove(f))
		}
		c := exec.Command("sh", "-c", "git unpack-objects -q < "+away)
		c.Dir, c.Env = w.repo, w.env()
		asUser(c)
		out, err := c.CombinedOutput()
		if err != nil {
			w.t.Fatalf("%v: %s", err, out)
		}
	}
}

// object returns the file of the loose blob with a text.
func (w *world) object(text string) string {
	w.t.Helper()
	name := filepath.Join(w.up, "text")
	w.must(os.WriteFile(name, []byte(text), 0o644))
	oid := strings.TrimSpace(w.git("hash-object", name))
	return filepath.Join(w.repo, ".git", "objects", oid[:2], oid[2:])
}

func (w *world) put(path, text string) {
	w.t.Helper()
	w.must(os.WriteFile(path, []byte(text), 0o644))
}

// inSnapshot is a text of b.txt that only the snapshot has.
const inSnapshot = "two, edited\n"

var obstacles = []obstacle{
	{name: "nothing", make: func(*world, string) bool { return true }},
	{name: "hidden by ignore rules", make: func(d *world, _ string) bool {
		d.put(filepath.Join(d.repo, ".git", "info", "exclude"), "more*\ndeep/\n")
		return true
	}},
	{name: "bytes gone", of: []string{"b.txt"}, make: func(d *world, _ string) bool {
		d.loose()
		d.must(os.Remove(d.object(inSnapshot)))
		return true
	}},
	{name: "bytes cut", of: []string{"b.txt"}, make: func(d *world, _ string) bool {
		d.loose()
		path := d.object(inSnapshot)
		text, err := os.ReadFile(path)
		d.must(err)
		d.must(os.Chmod(path, 0o644))
		d.put(path, string(text[:len(text)/2]))
		return true
	}},
	{name: "an empty ref", of: []string{"refs/heads/other"}, make: func(d *world, _ string) bool {
		d.put(filepath.Join(d.repo, ".git", "refs", "heads", "other"), "")
		return true
	}},
	{name: "a ref of rubbish", of: []string{"refs/heads/other", "refs/heads/rubbish"}, make: func(d *world, _ string) bool {
		d.put(filepath.Join(d.repo, ".git", "refs", "heads", "other"), strings.Repeat("\x00", 41))
		d.put(filepath.Join(d.repo, ".git", "refs", "heads", "rubbish"), "what is this\n")
		return true
	}},
	{name: "an immutable file", of: []string{"a.txt"}, make: func(d *world, _ string) bool {
		path := filepath.Join(d.repo, "a.txt")
		d.t.Cleanup(func() { _ = exec.Command("chattr", "-i", path).Run() })
		return exec.Command("chattr", "+i", path).Run() == nil
	}},
	{name: "a folder of somebody else", of: []string{"deep"}, make: func(d *world, _ string) bool {
		path := filepath.Join(d.repo, "deep", "er")
		if _, err := os.Stat(path); err != nil || os.Geteuid() != 0 {
			return false
		}
		d.must(os.Chown(path, 0, 0))
		return true
	}},
	{name: "the target dropped", of: nil, back: true, make: func(d *world, id string) bool {
		d.git("update-ref", "-d", "refs/belay/"+id)
		return true
	}},
	{name: "the rescue dropped", make: func(d *world, _ string) bool {
		var j struct{ Rescue string }
		text, err := os.ReadFile(d.intent())
		d.must(err)
		d.must(json.Unmarshal(text, &j))
		d.git("update-ref", "-d", "refs/belay/"+j.Rescue)
		return true
	}},
	{name: "an empty intent", back: true, unread: true, make: func(d *world, _ string) bool { d.put(d.intent(), ""); return true }},
	{name: "an intent of rubbish", back: true, unread: true, make: func(d *world, _ string) bool { d.put(d.intent(), `{"version":`); return true }},
	{name: "a later intent", back: true, unread: true, make: func(d *world, _ string) bool {
		text, err := os.ReadFile(d.intent())
		d.must(err)
		d.put(d.intent(), strings.Replace(string(text), `"version":1`, `"version":99`, 1))
		return true
	}},
	{name: "a folder for an intent", back: true, unread: true, make: func(d *world, _ string) bool {
		d.must(os.Remove(d.intent()))
		d.must(os.MkdirAll(filepath.Join(d.intent(), "x"), 0o755))
		return true
	}},
	{name: "a FIFO for an intent", back: true, unread: true, make: func(d *world, _ string) bool {
		d.must(os.Remove(d.intent()))
		command(d.t, "mkfifo", d.intent())
		return true
	}},
	{name: "a link for an intent", back: true, unread: true, make: func(d *world, _ string) bool {
		d.must(os.Remove(d.intent()))
		d.must(os.Symlink("/etc/hostname", d.intent()))
		return true
	}},
	{name: "index.lock", make: func(d *world, _ string) bool {
		path := filepath.Join(d.repo, ".git", "index.lock")
		if _, err := os.Lstat(path); err == nil {
			return false // belay's own
		}
		d.put(path, "")
		return true
	}, lift: func(d *world) { d.must(os.Remove(filepath.Join(d.repo, ".git", "index.lock"))) }},
	{name: "the lock of a ref", make: func(d *world, _ string) bool {
		d.put(filepath.Join(d.repo, ".git", "refs", "heads", "main.lock"), "")
		return true
	}, lift: func(d *world) { d.must(os.Remove(filepath.Join(d.repo, ".git", "refs", "heads", "main.lock"))) }},
	{name: "a repository in the way", of: []string{"b.txt"}, make: func(d *world, _ string) bool {
		path := filepath.Join(d.repo, "b.txt")
		d.must(os.RemoveAll(path))
		command(d.t, "git", "init", "-q", path)
		d.put(filepath.Join(path, "mine"), "mine\n")
		return true
	}},
}

// TestCrashInterrupted kills a restore, adds what may prevent finishing it, and runs another
// command. That one finishes the restore, or names a command that finishes or reverses it, which is
// killed as well and repeated: then the tree is that of the snapshot or the one before, except for
// what is listed as skipped. Reading always works.
func TestCrashInterrupted(t *testing.T) {
	t.Parallel()
	r := newRuined(t)
	again := []string{"snapshot", "restore", r.id}
	done := r.another(t, folder(t))
	done.succeed(again...)
	r.good = done.state()
	type try struct {
		trial
		obstacle
		way int
	}
	c := r.another(t, folder(t))
	if got := c.belay("0:count:"+filepath.Join(c.up, "points"), again...); got.code != 0 {
		t.Fatal(got)
	}
	text, err := os.ReadFile(filepath.Join(c.up, "points"))
	r.must(err)
	points := strings.Split(strings.TrimSpace(string(text)), "\n")
	first, last := 0, len(points)
	for i, p := range points {
		if strings.HasPrefix(p, "syncdir") && first == 0 && i > 0 && strings.HasSuffix(points[i-1], "intent.json") {
			first = i + 2
		}
	}
	if first == 0 {
		t.Fatal("no intent was written")
	}
	var all []try
	n := 0
	only := regexp.MustCompile(os.Getenv("BELAY_OBSTACLES")) // a pattern of their names
	for i, o := range obstacles {
		if !only.MatchString(o.name) {
			continue
		}
		if crashAll() {
			for k := first; k <= last; k++ {
				all = append(all, try{trial{k, modeKill}, o, k + i})
			}
			continue
		}
		for range map[bool]int{false: 1, true: 2}[wide()] {
			all = append(all, try{trial{first + (n*17)%(last-first), modeKill}, o, n})
			n++
		}
	}
	y := newTally(t, last-first)
	each(t, all, func(dir string, x try) {
		d := r.another(t, dir)
		d.belay(d.crash(x.trial), again...)
		at := x.name + ": " + d.where(x.trial)
		if _, err := os.Lstat(d.intent()); err != nil {
			return
		}
		if !x.make(d, r.id) {
			return
		}
		if os.Geteuid() == 0 && !strings.Contains(x.name, "somebody else") {
			_ = exec.Command("chown", "-hR", fmt.Sprintf("%d:%d", userID, userID), d.repo).Run()
		}
		y.did(x.mode)
		d.wayOut(y, at, r, x.obstacle, x.way)
	})
	y.sum("interrupted")
}

var waysNamed = lazyregexp.New(`belay ((?:undo|redo|snapshot restore [0-9a-z]{26})(?: --skip-broken)?)( reverses| finishes| restores the previous state| restores)`)

var shownName = lazyregexp.New(`belay-saved-[0-9A-Za-z]+`)

// wayOut follows the messages out of an interrupted restore.
func (d *world) wayOut(y *tally, at string, r ruined, o obstacle, way int) {
	reading := [][]string{{"status"}, {"snapshot", "list"}, {"snapshot", "status"}, {"task", "list"}, {"snapshot", "show", r.id}, {"task", "add", "do something", "--as-it-is"}}[way%6]
	if got := d.belay("", reading...); got.code != 0 && !(o.name == "the target dropped" && got.code == 6) || !strings.Contains(got.out+got.errs, "interrupted") {
		y.fault(at, otherwise, "reading fails, or does not mention the restore: %s", got)
	}
	take := []string{"snapshot", "take"}
	if way%3 == 1 {
		take = []string{"snapshot", "restore", r.id}
	}
	first := d.belay("", take...)
	if o.lift != nil {
		o.lift(d)
		if first.code == 5 {
			first = d.belay("", "snapshot", "take")
		}
	}
	if first.killed || first.code != 0 && first.code != 2 && first.code != 6 {
		y.fault(at, otherwise, "an unexpected end: %s", first)
		return
	}
	want, ended, said := r.good, "finished", first.out+first.errs
	if first.code != 0 {
		ways := waysNamed.FindAllStringSubmatch(first.errs, -1)
		if len(ways) == 0 && o.name == "the target dropped" && first.code == 6 {
			ways = [][]string{{"", "undo", " reverses"}}
		}
		if len(ways) == 0 {
			y.fault(at, otherwise, "no command is named: %s", first)
			return
		}
		w := ways[way%len(ways)]
		args := strings.Fields(w[1])
		got := d.belay(fmt.Sprintf("%d:kill:", 5+way*7%60), args...)
		said += got.out + got.errs
		if _, err := os.Lstat(d.intent()); err == nil || got.killed {
			killed := err != nil // before it wrote its intent, or after it deleted that
			got = d.belay("", args...)
			said += got.out + got.errs
			if killed && got.code == 2 && strings.Contains(got.errs, "there is nothing to") {
				got.code = 0 // it had finished
			}
			lock := filepath.Join(d.repo, ".git", "index.lock")
			if o.unread && got.code == 5 && strings.Contains(got.errs, lock) { // only the intent named the owner of the lock
				d.must(os.Remove(lock))
				got = d.belay("", args...)
			}
			if got.code != 0 {
				y.fault(at, otherwise, "%s\nafter %s", got, first)
				return
			}
		}
		at += ", " + w[1]
		if w[2] == " reverses" || w[2] == " restores the previous state" {
			want, ended = r.bad, "reversed"
		}
	}
	// Without the rescue, a file that the restore had just displaced exists only beside the tree,
	// and is named.
	displaced := func(line string) bool {
		name := shownName.FindString(line)
		return o.name == "the rescue dropped" && name != "" && strings.Contains(said, name)
	}
	check := func(what string, want []string) {
		var left []string
		for _, l := range differing(want, d.state()) {
			if newBranch(l) {
				continue
			}
			known := displaced(l)
			for _, of := range o.of {
				known = known || strings.Contains(l, of)
			}
			if !known {
				left = append(left, l)
			}
		}
		if len(left) > 0 {
			y.fault(at+", "+what, wrongTree, "\n%s\nafter %s", strings.Join(left, "\n"), first)
		}
	}
	check(ended, want)
	if got := d.belay("", "snapshot", "take"); got.code != 0 || strings.Contains(got.errs, "interrupted") {
		y.fault(at, otherwise, "it is still there: %s", got)
		return
	}
	if locks, temps := d.litter(); len(locks)+len(temps) > 0 {
		y.fault(at, leftBehind, "%v %v", locks, temps)
	}
	if ended != "finished" || o.name == "the rescue dropped" || o.unread {
		return
	}
	if got := d.belay("", "undo", "--skip-broken"); got.code != 0 {
		y.fault(at, lostWork, "%s", got)
		return
	}
	check("undone", r.bad)
	if got := d.belay("", "redo", "--skip-broken"); got.code != 0 {
		y.fault(at, lostWork, "%s", got)
		return
	}
	check("redone", r.good)
}
