package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// TestFaultMatrix runs every command with every kind of fault at every path that git or belay left
// in a used repository. In each case nothing outside the repository changes, the command ends in
// time, and it is not silent: it fails and names the path, or warns of it, or its result is right.
//
// The paths are those that exist, one of each class of equal ones. BELAY_CRASH_ALL tries all of
// them, otherwise a sample. BELAY_MATRIX is a pattern that selects cells by their name, "PLACE:
// FAULT: COMMAND"; BELAY_MATRIX_CELLS limits their number, or, as "N-end", skips the first N.
// Ctrl-C ends the test with the result so far.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	var lanes []*lived
	count := 1 // a second world costs more than a sample, and other tests run in parallel
	if wide() {
		count = runtime.GOMAXPROCS(0)
	}
	for range count {
		lanes = append(lanes, newLived(t, folder(t)))
	}
	cells := matrixCells(t, lanes[0])
	x := &matrix{t: t}
	todo := make(chan cell)
	var wait sync.WaitGroup
	for _, l := range lanes {
		wait.Go(func() {
			l.undisturbed()
			for c := range todo {
				x.try(l, c)
			}
		})
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	defer signal.Stop(stop)
hand:
	for i, c := range cells {
		select {
		case todo <- c:
		case <-stop: // the order is shuffled, so the cells so far are a sample
			t.Logf("stopped")
			break hand
		}
		if i%1000 == 999 {
			t.Logf("%d of %d", i+1, len(cells))
		}
	}
	close(todo)
	wait.Wait()
	x.sum()
}

// cell is one command with one fault at one path.
type cell struct {
	class   string
	fault   fault
	command command1
}

func (c cell) String() string { return c.class + ": " + c.fault.name + ": " + c.command.name }

type command1 struct {
	name string
	args func(l *lived) []string
	// what must not change when the command succeeds despite a fault
	says, leaves bool // its output; the working tree
}

func words(args ...string) func(*lived) []string { return func(*lived) []string { return args } }

var matrixCommands = []command1{
	{name: "snapshot list", args: words("snapshot", "list"), says: true},
	{name: "status", args: words("status"), says: true},
	{name: "show", args: words("show", "T1"), says: true},
	{name: "snapshot diff", args: func(l *lived) []string { return []string{"snapshot", "diff", l.snap} }, says: true},
	{name: "log --verify", args: words("log", "--verify"), says: true},
	{name: "snapshot take", args: words("snapshot", "take")},
	{name: "snapshot restore", args: func(l *lived) []string { return []string{"snapshot", "restore", l.snap, "--yes"} }, leaves: true},
	{name: "undo", args: words("undo"), leaves: true},
	{name: "doctor", args: words("doctor")},
	{name: "run", args: words("run", "write the answer", "--task", "N1", "--files", "src/**", "--test", "sh check.sh", "--retries", "0", "--", "agent"), leaves: true},
	{name: "run --resume", args: words("run", "--resume", "T2", "--", "agent"), leaves: true},
	{name: "rollback", args: words("rollback", "T1", "--yes"), leaves: true},
	{name: "merge", args: words("merge", "W1"), leaves: true},
	{name: "snapshot prune", args: words("snapshot", "prune", "--older-than", "1s"), says: true},
	{name: "task add", args: words("task", "add", "something else", "--as-it-is", "--task", "N2")},
}

// fault is one kind of damage. do applies it to path, which had info; false if it is not possible
// there.
type fault struct {
	name string
	do   func(l *lived, path string, info fs.FileInfo) bool
}

var faults = []fault{
	{"link to a folder outside", func(l *lived, path string, info fs.FileInfo) bool {
		dir := filepath.Join(l.up, "outside/dir")
		if info.IsDir() { // with the expected contents, so that it works
			command(l.t, "cp", "-a", path+"/.", dir)
		}
		return l.link(path, dir)
	}},
	{"link to a file outside", func(l *lived, path string, info fs.FileInfo) bool {
		file := filepath.Join(l.up, "outside/file")
		if info.Mode().IsRegular() {
			command(l.t, "cp", "-a", path, file)
		}
		return l.link(path, file)
	}},
	{"dangling link", func(l *lived, path string, _ fs.FileInfo) bool {
		return l.link(path, filepath.Join(l.up, "outside/nothing"))
	}},
	{"FIFO", func(l *lived, path string, _ fs.FileInfo) bool { return l.odd(path, "mkfifo", path) }},
	{"socket", func(l *lived, path string, _ fs.FileInfo) bool {
		// The path of a socket must be short: it is created elsewhere and moved.
		at := filepath.Join(l.up, "s")
		command(l.t, "python3", "-c", "import socket,os,sys; os.chdir(sys.argv[1]); socket.socket(socket.AF_UNIX).bind('s')", l.up)
		return l.odd(path, "mv", at, path)
	}},
	{"link to /dev/zero", func(l *lived, path string, _ fs.FileInfo) bool { return l.link(path, "/dev/zero") }},
	{"device", func(l *lived, path string, _ fs.FileInfo) bool {
		if os.Geteuid() != 0 || !l.odd(path, "mknod", "-m", "666", path, "c", "1", "5") {
			return false
		}
		return true
	}},
	{"the other kind", func(l *lived, path string, info fs.FileInfo) bool {
		l.gone(path)
		if info.IsDir() {
			l.must(os.WriteFile(path, []byte("a file\n"), 0o644))
		} else {
			l.must(os.MkdirAll(filepath.Join(path, "folder"), 0o755))
			l.must(os.WriteFile(filepath.Join(path, "file"), []byte("a file\n"), 0o644))
		}
		give(l.t, path)
		return true
	}},
	{"gone", func(l *lived, path string, _ fs.FileInfo) bool {
		if id := filepath.Base(path); strings.Contains(path, "/refs/belay/") && !l.needed[id] {
			return false // the same as after belay snapshot drop
		}
		l.gone(path)
		return true
	}},
	{"empty", func(l *lived, path string, info fs.FileInfo) bool {
		if info.IsDir() {
			l.gone(path)
			l.must(os.Mkdir(path, info.Mode().Perm()))
			give(l.t, path)
			return true
		}
		return info.Size() > 0 && l.rewrite(path, nil)
	}},
	{"cut in half", func(l *lived, path string, info fs.FileInfo) bool {
		return info.Mode().IsRegular() && info.Size() > 1 && l.rewrite(path, l.bytes(path)[:info.Size()/2])
	}},
	{"garbage", func(l *lived, path string, info fs.FileInfo) bool {
		return info.Mode().IsRegular() && l.rewrite(path, []byte(strings.Repeat("\x00garbage \xff\n", 40)))
	}},
	{"4 GiB", func(l *lived, path string, info fs.FileInfo) bool {
		if !info.Mode().IsRegular() {
			return false
		}
		l.must(os.Chmod(path, info.Mode().Perm()|0o200))
		l.must(os.Truncate(path, 4<<30))
		return true
	}},
	{"no rights", func(l *lived, path string, _ fs.FileInfo) bool { l.must(os.Chmod(path, 0)); return true }},
	{"immutable", func(l *lived, path string, _ fs.FileInfo) bool {
		return exec.Command("chattr", "+i", path).Run() == nil
	}},
	{"another commit", func(l *lived, path string, info fs.FileInfo) bool {
		oid := strings.TrimSpace(l.git("rev-parse", "theirs"))
		rel, _ := filepath.Rel(l.repo, path)
		return strings.HasPrefix(rel, ".git/refs/") && info.Mode().IsRegular() && l.rewrite(path, []byte(oid+"\n"))
	}},
	{"last line cut", func(l *lived, path string, info fs.FileInfo) bool {
		if !strings.HasSuffix(path, ".jsonl") || !info.Mode().IsRegular() {
			return false
		}
		text := strings.TrimSuffix(string(l.bytes(path)), "\n")
		return l.rewrite(path, []byte(text[:strings.LastIndexByte(text, '\n')+1]))
	}},
	{"a byte flipped", func(l *lived, path string, info fs.FileInfo) bool {
		if !info.Mode().IsRegular() || info.Size() < 8 {
			return false
		}
		text := l.bytes(path)
		text[len(text)/2] ^= 1
		return l.rewrite(path, text)
	}},
}

func (l *lived) gone(path string) { l.must(os.RemoveAll(path)) }

func (l *lived) link(path, to string) bool {
	l.gone(path)
	l.must(os.Symlink(to, path))
	if os.Geteuid() == 0 {
		l.must(os.Lchown(path, userID, userID))
	}
	return true
}

func (l *lived) odd(path, name string, args ...string) bool {
	l.gone(path)
	command(l.t, name, args...)
	if os.Geteuid() == 0 {
		l.must(os.Lchown(path, userID, userID))
	}
	return true
}

func (l *lived) bytes(path string) []byte {
	text, err := os.ReadFile(path)
	l.must(err)
	return text
}

// rewrite writes a file in place: mode and owner stay.
func (l *lived) rewrite(path string, text []byte) bool {
	info, err := os.Lstat(path)
	l.must(err)
	l.must(os.Chmod(path, info.Mode().Perm()|0o200))
	l.must(os.WriteFile(path, text, 0o644))
	l.must(os.Chmod(path, info.Mode().Perm()))
	return true
}

// matrixCells returns all cells, or a sample spread over paths, faults and commands.
func matrixCells(t *testing.T, l *lived) (cells []cell) {
	only := regexp.MustCompile(os.Getenv("BELAY_MATRIX"))
	for _, class := range l.classes() {
		for _, f := range faults {
			for _, c := range matrixCommands {
				if x := (cell{class, f, c}); only.MatchString(x.String()) {
					cells = append(cells, x)
				}
			}
		}
	}
	// The same shuffled order each time: if the test is stopped, what ran is a sample too.
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	first, last, _ := strings.Cut(os.Getenv("BELAY_MATRIX_CELLS"), "-")
	if n, err := strconv.Atoi(first); err == nil && last != "" {
		t.Logf("%d places, %d cells, without the first %d", len(l.places), len(cells), n)
		return cells[min(n, len(cells)):]
	}
	sample, err := strconv.Atoi(first)
	if err != nil {
		sample = map[bool]int{false: 40, true: 100}[wide()]
	}
	t.Logf("%d places, %d cells", len(l.places), len(cells))
	if err != nil && (crashAll() || only.String() != "") || sample > len(cells) {
		return cells
	}
	return cells[:sample]
}

// undisturbed records the result of each command without a fault.
func (l *lived) undisturbed() {
	for _, c := range matrixCommands {
		l.fresh()
		d := l.do(c.args(l)...)
		if d.code != 0 {
			l.t.Errorf("nothing is wrong: %s", d)
		}
		d.files = l.tree("")
		if c.name == "snapshot take" {
			var err error
			if d.tree, err = l.readable(strings.TrimSpace(d.out)); err != nil {
				l.t.Errorf("nothing is wrong: %v", err)
			}
		}
		l.right[c.name] = d
	}
}

// matrix counts results.
type matrix struct {
	t  *testing.T
	mu sync.Mutex

	cells, outside, hung, silent, died int
}

func (x *matrix) fault(c cell, count *int, format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	*count++
	x.t.Errorf("%s: %s", c, fmt.Sprintf(format, args...))
}

func (x *matrix) sum() {
	x.t.Logf("fault matrix: %d cells, %d points changed outside, %d hangs, %d silent, %d panics", x.cells, x.outside, x.hung, x.silent, x.died)
}

// try applies a fault and runs a command.
func (x *matrix) try(l *lived, c cell) {
	place, is := l.places[c.class]
	if !is {
		return
	}
	l.fresh()
	path := filepath.Join(l.repo, place)
	info, err := os.Lstat(path)
	l.must(err)
	if !c.fault.do(l, path, info) {
		return
	}
	before := l.sentinels()
	if place == ".git" && c.fault.name == "link to a folder outside" {
		before = nil // git folders may be elsewhere: then that is the repository
	}
	d := l.do(c.command.args(l)...)
	x.mu.Lock()
	x.cells++
	x.mu.Unlock()
	if changed := differing(before, l.sentinels()); before != nil && len(changed) > 0 {
		x.fault(c, &x.outside, "changed outside:\n  %s", strings.Join(changed, "\n  "))
	}
	said := d.out + d.errs
	switch {
	case d.hung:
		x.fault(c, &x.hung, "took more than %v: %s", bounded, short(said))
		return
	case strings.Contains(said, "panic:") || strings.Contains(said, "goroutine ") || d.code < 0:
		x.fault(c, &x.died, "died: %s", short(said))
		return
	case d.code != 0 && names(l.own(said), place):
		return
	case before == nil && (strings.Contains(said, "not trusted on") || strings.Contains(said, "not anchored outside")):
		return // a repository at another path is neither trusted nor anchored
	case d.code != 0 && strings.Contains(said, "belay doctor") && names(l.own(l.do("doctor", "--all").out), place):
		return
	case d.code != 0:
		x.fault(c, &x.silent, "status %d, and the place is not named: %s", d.code, short(said))
		return
	case names(l.own(d.errs), place), (c.command.says || c.command.name == "doctor") && complaint.MatchString(more(l.right[c.command.name].out, d.out)) && names(l.own(more(l.right[c.command.name].out, d.out)), place), !strings.HasPrefix(place, ".git/") && names(d.out, place):
		return
	}
	if why := l.notRight(c, place, d); why != "" {
		x.fault(c, &x.silent, "status 0, no warning, and %s", why)
	}
}

// complaint matches a line that reports a problem.
var complaint = lazyregexp.New(`unreadable|broken|damaged|gone|deleted|missing|was cut|truncated|not be read|cannot|could not`)

// more returns the lines of got that are not in want.
func more(want, got string) string {
	var lines []string
	for line := range strings.Lines(got) {
		if !strings.Contains(plainly(want), plainly(line)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// notRight returns what is wrong with the result of a command that succeeded silently.
func (l *lived) notRight(c cell, place string, d done) string {
	right := l.right[c.command.name]
	if c.command.says && plainly(d.out) != plainly(right.out) {
		return "it prints something else: " + short(d.out)
	}
	if c.command.leaves {
		var wrong []string
		for _, line := range differing(right.files, l.tree(place)) {
			if !strings.Contains(line, " "+place+" ") && !strings.Contains(line, " "+place+"/") {
				wrong = append(wrong, line)
			}
		}
		if len(wrong) > 0 {
			return "the tree is another: " + short(strings.Join(wrong, "; "))
		}
	}
	switch c.command.name {
	case "snapshot take":
		return l.notTaken(place, d, right)
	case "task add":
		if got := l.do("task", "list"); !strings.Contains(got.out, "N2") {
			return "the task is not there: " + short(got.out+got.errs)
		}
	case "doctor":
		for _, name := range []string{"snapshot list", "status", "show", "log --verify"} {
			for _, c := range matrixCommands {
				if c.name != name {
					continue
				}
				if got := l.do(c.args(l)...); got.code != 0 || plainly(got.out) != plainly(l.right[name].out) {
					return "then " + name + " fails or prints something else: " + short(got.out+got.errs)
				}
			}
		}
		return l.notTaken(place, l.do("snapshot", "take"), l.right["snapshot take"])
	}
	return ""
}

func (l *lived) notTaken(place string, d, right done) string {
	if d.code != 0 {
		return "then a take fails: " + short(d.errs)
	}
	tree, err := l.readable(aSnapshot.FindString(d.out))
	if err != nil {
		return "the snapshot cannot be read: " + short(err.Error())
	}
	if tree != right.tree && strings.HasPrefix(place, ".git/") {
		return "the snapshot is of other files"
	}
	return ""
}

var changing = lazyregexp.New(`\b[0-9a-z]{26}\b|\b[0-9a-hjkmnp-tv-z]{10}\b|[0-9]+(\.[0-9]+)? ?([KM]iB|bytes|ms|s)\b|/tmp/\S*/world|\d\d:\d\d:\d\d|  +`)

// plainly removes what varies between runs.
func plainly(text string) string { return changing.ReplaceAllString(text, "~") }

func short(text string) string {
	text = strings.TrimSpace(regexp.MustCompile(`/tmp/\S*/world`).ReplaceAllString(text, ""))
	if len(text) > 400 {
		text = text[:400] + "…"
	}
	return strings.ReplaceAll(text, "\n", "\n    ")
}

// meant has the words that messages use for git's and belay's internal files.
var meant = []struct{ place, words string }{
	{"objects", "object|pack|snapshot|git repository"},
	{"refs", "ref|snapshot|branch|git repository"},
	{"packed-refs", "ref|snapshot|git repository"},
	{"tasks", "record|task"},
	{"run", "attempt|agent|run of|run's"},
	{"files", "attachment|record|evidence"},
	{"stat-cache", "cache"},
	{"plain", "objects"},
	{"trees", "working tree|worktree|not merged"},
	{"config.yaml", "config"},
	{"worktrees", "working tree|worktree"},
	{"logs", "reflog|log"},
	{"index", "index"},
	{"HEAD", "HEAD|git repository"},
	{"config", "config"},
	{"undo.json", "undo|history of restores"},
	{"intent.json", "restore"},
	{"context", "context"},
	{"baseline", "baseline"},
	{".gitignore", "ignore"},
	{"exclude", "ignore"},
	{".gitattributes", "attribute"},
	{"attributes", "attribute"},
	{".git", "git"},
}

// own removes the path of the world, which contains names of places.
func (l *lived) own(text string) string { return strings.ReplaceAll(text, l.up, "") }

// names reports whether a text names a place or what it belongs to.
func names(text, place string) bool {
	text = strings.ToLower(text)
	parts := strings.Split(place, "/")
	if place == ".git" {
		return strings.Contains(text, "git")
	}
	if base := strings.ToLower(parts[len(parts)-1]); len(base) > 2 && strings.Contains(text, base) {
		return true
	}
	for i, p := range parts {
		if i == 0 && len(parts) > 1 {
			continue
		}
		if aTask.MatchString(p) && regexp.MustCompile(`\b`+strings.TrimSuffix(p, filepath.Ext(p))+`\b`).MatchString(text) {
			return true
		}
		for _, m := range meant {
			if (m.place == p || m.place == "trees" && strings.HasSuffix(p, ".belay")) && regexp.MustCompile(`(?i)\b(`+m.words+`)s?\b`).MatchString(text) {
				return true
			}
		}
	}
	return false
}

var aTask = lazyregexp.New(`^[tw][0-9](\.|$)|^linked$`)
