package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/session"
)

// lived is a repository in which belay was used for everything that leaves files behind. Its
// records have absolute paths, so copies of it are made at its own path, one after the other:
// master is the original, and fresh restores it.
type lived struct {
	*world
	master string
	snap   string            // a snapshot to restore
	needed map[string]bool   // the snapshots of the open task
	places map[string]string // one path below the repository for each class
	right  map[string]done   // the result of each command without a fault
}

// newLived creates one below dir.
func newLived(t testing.TB, dir string) *lived {
	t.Helper()
	w := newWorld(t)
	w.must(os.Rename(w.up, filepath.Join(dir, "world")))
	w.up = filepath.Join(dir, "world")
	w.repo = filepath.Join(w.up, "repo")
	l := &lived{world: w, master: filepath.Join(dir, "master"), right: map[string]done{}}
	w.script("write src/answer.txt 42")
	w.write("tap.sh", "echo 1..2; echo 'ok 1 - always'\nif grep -q 42 src/answer.txt; then echo 'ok 2 - answer'; else echo 'not ok 2 - answer'; exit 1; fi\n")

	// Git's own files: packs, packed refs, attributes, a submodule's folder, another working tree.
	w.git("pack-refs", "--all")
	w.git("repack", "-q", "-d")
	w.git("commit-graph", "write", "--reachable")
	w.write(".gitattributes", "*.bin binary\n")
	w.write(".git/info/attributes", "*.dat binary\n")
	w.write(".git/hooks/post-merge", "#!/bin/sh\nexit 0\n")
	w.must(os.Chmod(filepath.Join(w.repo, ".git/hooks/post-merge"), 0o755))
	give(t, w.up)
	w.git("worktree", "add", "-q", "../linked", "other")

	w.succeed("init")
	l.snap = l.take()
	w.succeed("run", "write the answer", "--task", "T1", "--files", "src/**", "--test", "sh tap.sh", "--test-format", "tap", "--", "agent")
	w.succeed("snapshot", "restore", l.snap, "--yes")
	w.succeed("undo")
	w.succeed("review", "record", "T1", "--verdict", "approve", "--reviewer", "ana", "-m", "fine")
	w.script("write src/answer.txt 41")
	if r := w.belay("", "run", "write the answer again", "--as-it-is", "--task", "T2", "--files", "src/**", "--test", "sh check.sh", "--retries", "0", "--", "agent"); r.code != 3 {
		t.Fatalf("T2 should wait for a person: %s", r)
	}
	w.succeed("gate", "decide", "T2", "guide", "--message", "it is 42")
	w.script("write src/more.txt 42")
	w.succeed("run", "write more", "--worktree", "--task", "W1", "--files", "src/**", "--test", "true", "--", "agent")
	w.succeed("task", "add", "later", "--as-it-is", "--task", "T3")
	w.succeed("task", "start", "T3")
	w.succeed("context", "init", "T3", "--without-standards")
	w.write("a.txt", "one, edited once more\n")
	give(t, w.up)
	w.succeed("snapshot", "restore", l.snap, "--yes") // for belay undo
	w.write("a.txt", "one, edited after that\n")
	w.write("src/answer.txt", "42\n")
	w.must(os.Remove(filepath.Join(w.repo, "keep/c.txt")))
	give(t, w.up)
	w.git("update-ref", "refs/heads/main", "theirs") // for a restore to undo
	w.succeed("watch")
	w.succeed("snapshot", "take")
	w.succeed("watch", "--stop")
	w.script("write src/answer.txt 42\nwrite src/extra.txt 42")
	w.outside()
	l.needed = map[string]bool{}
	for _, id := range aSnapshot.FindAllString(w.belay("", "snapshot", "list", "--task", "T2", "--json").out, -1) {
		l.needed[id] = true
	}
	l.places = l.everyPlace()
	time.Sleep(time.Second) // so that a prune by age always finds the same
	t.Cleanup(func() { _ = exec.Command("chattr", "-R", "-i", l.up).Run() })
	w.must(os.Rename(w.up, l.master))
	return l
}

func (w *world) script(line string) {
	w.t.Helper()
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte("== * ==\n"+line+"\n"), 0o644))
}

var aSnapshot = lazyregexp.New(`\b[0-9a-z]{26}\b`)

func (l *lived) take() string {
	l.t.Helper()
	r := l.belay("", "snapshot", "take")
	id := aSnapshot.FindString(r.out)
	if id == "" {
		l.t.Fatalf("no snapshot: %s", r)
	}
	return id
}

// fresh restores the world.
func (l *lived) fresh() {
	l.t.Helper()
	if err := os.RemoveAll(l.up); err != nil { // some paths are immutable, or lack permissions
		_ = exec.Command("chattr", "-R", "-i", l.up).Run()
		_ = exec.Command("chmod", "-R", "u+rwx", l.up).Run()
		l.must(os.RemoveAll(l.up))
	}
	command(l.t, "cp", "-a", l.master, l.up)
	// The copy gets the anchors of the original's records.
	state := filepath.Join(l.up, ".home", ".local", "state", "belay")
	is, err := session.AnchorFolder(state, filepath.Join(l.repo, ".git"))
	l.must(err)
	was, err := filepath.Glob(filepath.Join(state, "anchors", "*"))
	l.must(err)
	if len(was) != 1 {
		l.t.Fatalf("anchors: %v", was)
	}
	l.must(os.Rename(was[0], is))
}

// outside creates files that no command may touch.
func (w *world) outside() {
	w.t.Helper()
	for name, text := range map[string]string{"file": "sentinel\n", "dir/a": "sentinel a\n", "dir/b/c": "sentinel c\n", "dir/.hidden": "sentinel\n", "dir/pack/x": "sentinel\n"} {
		path := filepath.Join(w.up, "outside", name)
		w.must(os.MkdirAll(filepath.Dir(path), 0o755))
		w.must(os.WriteFile(path, []byte(text), 0o644))
	}
	then := time.Now().Add(-48 * time.Hour)
	w.must(filepath.WalkDir(filepath.Join(w.up, "outside"), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, then, then))
	}))
	give(w.t, filepath.Join(w.up, "outside"))
}

// sentinels lists the files outside: a line for each path with its mode, time and bytes.
func (w *world) sentinels() (lines []string) {
	w.t.Helper()
	top := filepath.Join(w.up, "outside")
	w.must(filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := []byte{}
		if info.Mode().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		rel, _ := filepath.Rel(top, path)
		lines = append(lines, fmt.Sprintf("%s %v %d %q", rel, info.Mode(), info.ModTime().UnixNano(), text))
		return nil
	}))
	return lines
}

// alike are parts of paths that are equivalent to belay and git.
var alike = []struct {
	find *lazyregexp.Regexp
	as   string
}{
	{lazyregexp.New(`^\.git/objects/[0-9a-f]{2}/[0-9a-f]{38}$`), ".git/objects/XX/OBJECT"},
	{lazyregexp.New(`^\.git/objects/[0-9a-f]{2}$`), ".git/objects/XX"},
	{lazyregexp.New(`[0-9a-f]{40,64}`), "HASH"},
	{lazyregexp.New(`\b[0-9a-f]{32}\b`), "HASH"},
	{lazyregexp.New(`\b[0-9a-z]{26}\b`), "ID"},
	{lazyregexp.New(`[a-z-]+\.sample$`), "NAME.sample"},
	{lazyregexp.New(`(belay/run/[^/]*/)[^/]+`), "${1}ATTEMPT"},
	{lazyregexp.New(`refs/(heads|tags|remotes)/(other|theirs|v1)$`), "refs/${1}/NAME"},
	{lazyregexp.New(`logs/refs/heads/(other|theirs)$`), "logs/refs/heads/NAME"},
	{lazyregexp.New(`(tasks|run|context)/(t1|t2|t3|w1|n1)`), "${1}/${2}"},
}

// everyPlace returns one path of each class of equal ones: all of .git, and the control files of
// belay and git in the working trees.
func (l *lived) everyPlace() map[string]string {
	l.t.Helper()
	all := map[string]string{}
	types := map[string]string{}
	for line := range strings.Lines(l.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")) {
		oid, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		types[oid] = strings.ToUpper(kind)
	}
	add := func(path string) {
		class := path
		for _, a := range alike {
			class = a.find.ReplaceAllString(class, a.as)
		}
		if oid := strings.ReplaceAll(strings.TrimPrefix(path, ".git/objects/"), "/", ""); strings.HasSuffix(class, "XX/OBJECT") {
			class = strings.Replace(class, "OBJECT", types[oid], 1)
		}
		if strings.HasPrefix(path, ".git/objects/pack/") {
			if idx := strings.TrimSuffix(path, filepath.Ext(path)) + ".keep"; l.there(idx) {
				class += " (kept)"
			}
		}
		if l.needed[filepath.Base(path)] {
			class += " (of an open task)"
		}
		if _, is := all[class]; !is {
			all[class] = path
		}
	}
	l.must(filepath.WalkDir(filepath.Join(l.repo, ".git"), func(path string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(l.repo, path)
		add(rel)
		return err
	}))
	for _, path := range []string{"", "/w1", "/w1/.git"} { // a task's worktree: its .belay is like the one here
		rel, _ := filepath.Rel(l.repo, l.repo+".belay"+path)
		add(rel)
	}
	l.must(filepath.WalkDir(filepath.Join(l.repo, ".belay"), func(path string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(l.repo, path)
		add(rel)
		return err
	}))
	add(".gitignore")
	add(".gitattributes")
	return all
}

func (w *world) there(name string) bool {
	_, err := os.Lstat(filepath.Join(w.repo, name))
	return err == nil
}

// classes returns all classes of paths, sorted.
func (l *lived) classes() []string {
	var list []string
	for c := range l.places {
		list = append(list, c)
	}
	sort.Strings(list)
	return list
}

// done is the result of a command of the matrix, with what it left.
type done struct {
	ran
	hung  bool
	took  time.Duration
	files []string // in the working tree
	tree  string   // for a snapshot: the tree of its files
}

// bounded is the time limit of a command: most take a tenth of a second.
const bounded = patience

// do runs a command, and ends it with its child processes when it takes too long.
func (l *lived) do(args ...string) done {
	l.t.Helper()
	var out, errs bytes.Buffer
	c := exec.Command("belay", args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = l.repo, l.env(), &out, &errs
	d := l.within(c)
	d.args, d.out, d.errs = args, out.String(), errs.String()
	if d.hung {
		l.t.Logf("%s", d)
	}
	return d
}

func (l *lived) within(c *exec.Cmd) done {
	l.t.Helper()
	asUser(c)
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setpgid = true
	c.WaitDelay = time.Second
	begin := time.Now()
	if err := c.Start(); err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), bounded)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		l.explain(c.Process.Pid)
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	})
	_ = c.Wait()
	stop()
	d := done{ran: ran{code: c.ProcessState.ExitCode()}, took: time.Since(begin), hung: ctx.Err() != nil}
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // a git that is still running
	return d
}

// explain logs what a hanging command waits for: all processes of the test user with their state in
// the kernel, and the goroutines of the command, its guard and its shim, which they print on
// SIGQUIT.
func (l *lived) explain(pid int) {
	all, _ := exec.Command("ps", "-eo", "pid,ppid,pgid,stat,pcpu,etimes,wchan:24,args").CombinedOutput()
	_ = syscall.Kill(pid, syscall.SIGQUIT)
	ofRun := exec.Command("pkill", "-QUIT", "-f", "--", regexp.QuoteMeta(l.repo))
	_ = ofRun.Run()
	time.Sleep(time.Second)
	said, _ := exec.Command("sh", "-c", `tail -n +1 "$0"/.git/belay/run/*/*/shim.log`, l.repo).CombinedOutput()
	l.t.Logf("process %d does not end\n%s\n%s", pid, all, said)
}

// tree lists the working tree without git's folder, without .belay/now, which has times and
// snapshots, and without the path but that had the fault.
func (l *lived) tree(but string) (lines []string) {
	l.t.Helper()
	l.must(filepath.WalkDir(l.repo, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(l.repo, path)
		if rel == ".git" || rel == ".belay/now" || rel == but {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case info.Mode().IsRegular() && info.Size() < 1<<20:
			var text []byte
			text, err = os.ReadFile(path)
			content = fmt.Sprintf("%q", text)
		}
		lines = append(lines, fmt.Sprintf("%s %v %s", rel, info.Mode(), content))
		return err
	}))
	return lines
}

// readable reads all objects of a snapshot, with a git that knows only the object store. It returns
// the tree of the files.
func (l *lived) readable(id string) (tree string, err error) {
	l.t.Helper()
	oid, err := os.ReadFile(filepath.Join(l.repo, ".git/refs/belay", id))
	if err != nil {
		return "", err
	}
	clean := filepath.Join(l.up, "clean.git")
	script := `set -e
git init -q --bare "$0" 2>/dev/null || true
git --git-dir="$0" -c core.commitGraph=false rev-list --objects --no-walk "$1" > "$0/list"
cut -d' ' -f1 "$0/list" | git --git-dir="$0" cat-file --batch --buffer > "$0/all"
if grep -a ' missing$' "$0/all"; then exit 1; fi
git --git-dir="$0" rev-parse "$1:tree"
`
	c := exec.Command("sh", "-c", script, clean, strings.TrimSpace(string(oid)))
	var out, errs bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = l.up, &out, &errs
	c.Env = append(l.env(), "GIT_OBJECT_DIRECTORY="+filepath.Join(l.repo, ".git/objects"))
	if d := l.within(c); d.code != 0 {
		return "", fmt.Errorf("%s%s", out.String(), errs.String())
	}
	return strings.TrimSpace(out.String()), nil
}
