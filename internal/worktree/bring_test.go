package worktree_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/worktree"
)

var restoreAll restore.Options

const numbers = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

// TestBring has a task and a user make changes at the same time. The edits are "path=text" to
// write, "-path" to remove, "+x path" to make executable, "path/" to make a folder and "old>new" to
// rename. In texts, \n and \r are line ends.
func TestBring(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		task, user string // edits, separated by ";"
		q          worktree.Request
		want       string // edits that turn the user's tree into the merged one
		conflicts  string
	}{
		{name: "task alone", task: `a.txt=new\n;n/x=1;-d/c.txt;+x b.txt;l=->b.txt;empty/`, want: `a.txt=new\n;n/x=1;-d/c.txt;+x b.txt;l=->b.txt;empty/`},
		{name: "user alone", user: `a.txt=mine\n;-d/run`},
		{name: "each its own", task: `a.txt=new\n`, user: `b.txt=mine\n;-d/c.txt;u=1`, want: `a.txt=new\n`},
		{name: "alike", task: `a.txt=new\n;-b.txt`, user: `a.txt=new\n;-b.txt`},
		{name: "joined", task: `a.txt=0\n2\n3\n4\n5\n6\n7\n8\n9\n`, user: `a.txt=1\n2\n3\n4\n5\n6\n7\n8\n0\n`, want: `a.txt=0\n2\n3\n4\n5\n6\n7\n8\n0\n`},
		{name: "conflict writes nothing", task: `a.txt=0\n;n=1`, user: `a.txt=x\n`, conflicts: "a.txt:content"},
		{name: "markers", task: `a.txt=0\n;n=1`, user: `a.txt=x\n`, q: worktree.Request{Markers: true}, conflicts: "a.txt:content",
			want: `a.txt=<<<<<<< here\nx\n=======\n0\n>>>>>>> T1\n;n=1`},
		{name: "theirs", task: `a.txt=0\n;n=1`, user: `a.txt=x\n`, q: worktree.Request{Theirs: []string{"a.txt"}}, want: `a.txt=0\n;n=1`},
		{name: "ours", task: `a.txt=0\n;n=1`, user: `a.txt=x\n`, q: worktree.Request{Ours: []string{"."}}, want: `n=1`},
		{name: "binary", task: "a.txt=\x00t", user: "a.txt=\x00u", conflicts: "a.txt:binary"},
		{name: "binary with markers", task: "a.txt=\x00t;b.txt=0\n", user: "a.txt=\x00u;b.txt=1\n", q: worktree.Request{Markers: true}, conflicts: "a.txt:binary b.txt:content"},
		{name: "deleted there", task: `-a.txt`, user: `a.txt=x\n`, conflicts: "a.txt:deleted"},
		{name: "deleted here", task: `a.txt=x\n`, user: `-a.txt`, conflicts: "a.txt:deleted"},
		{name: "deleted here, taken", task: `a.txt=x\n`, user: `-a.txt`, q: worktree.Request{Theirs: []string{"."}}, want: `a.txt=x\n`},
		{name: "type", task: `a.txt=->b.txt`, user: `a.txt=x\n`, conflicts: "a.txt:type"},
		{name: "file to folder", task: `-a.txt;a.txt/x=1`, want: `-a.txt;a.txt/x=1`},
		{name: "folder to file", task: `-d/c.txt;-d/run;-d/;d=1`, want: `-d/c.txt;-d/run;-d/;d=1`},
		{name: "folder to file, grown here", task: `-d/c.txt;-d/run;-d/;d=1`, user: `d/more=1`, conflicts: "d:folder"},
		{name: "mode against content", task: `+x a.txt`, user: `a.txt=x\n`, want: `+x a.txt`},
		{name: "renamed there, changed here", task: `a.txt>m/a.txt`, user: `a.txt=0\n2\n3\n4\n5\n6\n7\n8\n9\n`, want: `-a.txt;m/a.txt=0\n2\n3\n4\n5\n6\n7\n8\n9\n`},
		{name: "renamed here, changed there", task: `a.txt=0\n2\n3\n4\n5\n6\n7\n8\n9\n`, user: `a.txt>m/a.txt`, want: `m/a.txt=0\n2\n3\n4\n5\n6\n7\n8\n9\n`},
		{name: "renamed differently", task: `a.txt>t.txt`, user: `a.txt>u.txt`, conflicts: "a.txt:renamed"},
		{name: "ignored in the way", task: `.gitignore=\n;debug.log=task`, conflicts: "debug.log:ignored"},
		{name: "ignored by the task's rules", task: `.gitignore=*.txt\n`, want: `.gitignore=*.txt\n`},
		{name: "an untracked file of both", task: `new/untracked.txt=mine\ntask\n`, user: `new/untracked.txt=mine\n`, want: `new/untracked.txt=mine\ntask\n`},
		{name: "an empty folder fills up", task: `hollow/folder/x=1`, want: `hollow/folder/x=1`},
		{name: "an empty folder goes", task: `-hollow/folder/;-hollow/`, want: `-hollow/folder/;-hollow/`},
		{name: "odd names", task: "odd\\name=1;n/.gitmodules=->x", want: "odd\\name=1;n/.gitmodules=->x"},
		{name: "line ends", task: `a.txt=1\r\n2\r\n`, user: `b.txt=x`, want: `a.txt=1\r\n2\r\n`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.base()
			m, path := y.apart("T1")
			before := take(t, m.Snaps)
			edit(t, path, c.task)
			after := take(t, m.Snaps)
			edit(t, y.dir, c.user)
			mine, gitMine := looks(t, y.dir), y.gitLooks()
			c.q.Task, c.q.Before, c.q.After = "T1", before.ID, after.ID
			home := open(t, y.dir)
			dry := c.q
			dry.DryRun = true
			would, err := worktree.Bring(context.Background(), home, dry)
			y.ok(err)
			same(t, "a dry run", mine, looks(t, y.dir))
			b, err := worktree.Bring(context.Background(), home, c.q)
			y.ok(err)
			if fmt.Sprint(would.Changes, would.Conflicts) != fmt.Sprint(b.Changes, b.Conflicts) {
				t.Errorf("the dry run planned %v, the merge did %v", would, b)
			}
			var met []string
			for _, x := range b.Conflicts {
				met = append(met, x.Path+":"+string(x.Kind))
			}
			if got := strings.Join(met, " "); got != c.conflicts {
				t.Errorf("conflicts %q, want %q", got, c.conflicts)
			}
			came := looks(t, y.dir)
			if gitMine != y.gitLooks() {
				t.Error("git's state of the user's tree changed")
			}
			if b.Rescue != "" {
				_, err := home.Undo(context.Background(), restoreAll)
				y.ok(err)
				same(t, "undone", mine, looks(t, y.dir))
				if c.name == "task alone" || c.q.Markers {
					_, err = home.Redo(context.Background(), restoreAll)
					y.ok(err)
					same(t, "done again", came, looks(t, y.dir))
					_, err = home.Undo(context.Background(), restoreAll)
					y.ok(err)
				}
			}
			edit(t, y.dir, c.want)
			same(t, "merged", looks(t, y.dir), came)
		})
	}
}

// TestMergedTextsAreOnePack checks that a merge stores all its merged texts together, and a dry run
// none.
func TestMergedTextsAreOnePack(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.base()
	m, path := y.apart("T1")
	edit(t, y.dir, `one=`+numbers+`;two=`+numbers+`;three=`+numbers)
	edit(t, path, `one=`+numbers+`;two=`+numbers+`;three=`+numbers)
	before := take(t, m.Snaps)
	for _, p := range []string{"one", "two", "three"} {
		edit(t, path, p+`=`+p+numbers[1:])
		edit(t, y.dir, p+`=`+numbers[:16]+`0`)
	}
	q := worktree.Request{Task: "T1", Before: before.ID, After: take(t, m.Snaps).ID, DryRun: true}
	home := open(t, y.dir)
	packs := func() int {
		list, err := filepath.Glob(filepath.Join(y.dir, ".git/objects/pack/*.pack"))
		y.ok(err)
		return len(list)
	}
	was := packs()
	b, err := worktree.Bring(context.Background(), home, q)
	y.ok(err)
	if n := packs() - was; n > 1 || len(b.Changes) != 3 || len(b.Conflicts) > 0 {
		t.Errorf("a dry run wrote %d packs: %+v", n, b)
	}
	q.DryRun = false
	b, err = worktree.Bring(context.Background(), home, q)
	y.ok(err)
	if n := packs() - was; n > 4 || len(b.Changes) != 3 { // the present, the texts, the result and the rescue
		t.Errorf("a merge wrote %d packs: %+v", n, b)
	}
}

// edit makes the edits of a line.
func edit(t testing.TB, dir, line string) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	for _, e := range strings.Split(line, ";") {
		name, text, isText := strings.Cut(e, "=")
		from, to, isMove := strings.Cut(e, ">")
		switch {
		case e == "":
		case strings.HasPrefix(e, "+x "):
			ok(os.Chmod(at(e[3:]), 0o755))
		case isText:
			mode := os.FileMode(0)
			if info, err := os.Lstat(at(name)); err == nil && info.Mode().IsRegular() {
				mode = info.Mode().Perm()
			}
			write(t, dir, name, strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(text))
			if mode != 0 && !strings.HasPrefix(text, "->") {
				ok(os.Chmod(at(name), mode))
			}
		case isMove:
			ok(os.MkdirAll(filepath.Dir(at(to)), 0o755))
			ok(os.Rename(at(from), at(to)))
		case strings.HasPrefix(e, "-"):
			ok(os.Remove(at(e[1:])))
		case strings.HasSuffix(e, "/"):
			ok(os.MkdirAll(at(e), 0o755))
		default:
			t.Fatalf("no edit: %q", e)
		}
	}
}

// TestBringTwo merges tasks that start from the same state, one after another. The later ones meet
// the changes of the first.
func TestBringTwo(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.base()
	var qs []worktree.Request
	for i, change := range []string{"0\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\n0\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n"} {
		task := belay.TaskID(fmt.Sprint("T", i+1))
		m, path := y.apart(task)
		before := take(t, m.Snaps)
		write(t, path, "a.txt", change)
		qs = append(qs, worktree.Request{Task: task, Before: before.ID, After: take(t, m.Snaps).ID})
	}
	home := open(t, y.dir)
	for i, q := range qs {
		b, err := worktree.Bring(context.Background(), home, q)
		y.ok(err)
		if (b.Open() > 0) != (i == 2) {
			t.Errorf("%s: %v", q.Task, b.Conflicts)
		}
		again, err := worktree.Bring(context.Background(), home, q)
		if err != nil || i < 2 && len(again.Changes) > 0 {
			t.Errorf("%s twice: %+v %v", q.Task, again, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(y.dir, "a.txt"))
	if err != nil || string(text) != "0\n2\n3\n4\n5\n6\n7\n8\n0\n" {
		t.Errorf("%q %v", text, err)
	}
}

// TestBringAnything merges random changes. The rescue snapshot must have every byte from before,
// and undo must be exact.
func TestBringAnything(t *testing.T) {
	t.Parallel()
	n := 12
	if os.Getenv("BELAY_CRASH_ALL") != "" {
		n = 150
	}
	for i := range n {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			rapidOnce(t, i, func(draw *rapid.T) { anything(t, draw) })
		})
	}
}

// rapidOnce draws a single example, because each needs a repository.
func rapidOnce(t *testing.T, seed int, f func(*rapid.T)) {
	t.Helper()
	rapid.Custom(func(draw *rapid.T) int { f(draw); return 0 }).Example(seed)
}

func anything(t *testing.T, draw *rapid.T) {
	y := newYard(t)
	y.base()
	m, path := y.apart("T1")
	before := take(t, m.Snaps)
	work := func(who, dir string) {
		for i := range rapid.IntRange(0, 6).Draw(draw, who) {
			p := rapid.SampledFrom([]string{"a.txt", "b.txt", "d/c.txt", "d/run", "link", "x", "x/y", "new/untracked.txt", "hollow/folder/z"}).Draw(draw, fmt.Sprint(who, i))
			text := rapid.SampledFrom([]string{"", "0\n2\n3\n4\n5\n6\n7\n8\n9\n", numbers + "10\n", "\x00bin", "->b.txt", "#!/bin/sh\n", "gone"}).Draw(draw, who+p)
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755); err != nil {
				continue // one of the parents is a file
			}
			if text == "gone" {
				_ = os.RemoveAll(filepath.Join(dir, p))
			} else {
				write(t, dir, p, text)
			}
		}
	}
	work("task", path)
	after := take(t, m.Snaps)
	if rapid.Bool().Draw(draw, "both") {
		work("user", y.dir)
	}
	mine, gitMine := looks(t, y.dir), y.gitLooks()
	home := open(t, y.dir)
	b, err := worktree.Bring(context.Background(), home, worktree.Request{Task: "T1", Before: before.ID, After: after.ID, Markers: rapid.Bool().Draw(draw, "markers")})
	y.ok(err)
	if y.gitLooks() != gitMine {
		t.Error("git's state of the user's tree changed")
	}
	if b.Rescue == "" {
		same(t, "nothing was written", mine, looks(t, y.dir))
		return
	}
	held := t.TempDir()
	y.ok(restore.Export(context.Background(), home.Snapshots, b.Rescue, filepath.Join(held, "x")))
	rescued := looks(t, filepath.Join(held, "x"))
	for name, is := range mine {
		if rescued[name] != is && !strings.HasPrefix(is, "d") && name != "debug.log" {
			t.Errorf("the rescue snapshot has %s as %q, want %s", name, rescued[name], is)
		}
	}
	_, err = home.Undo(context.Background(), restoreAll)
	y.ok(err)
	same(t, "undone", mine, looks(t, y.dir))
}
