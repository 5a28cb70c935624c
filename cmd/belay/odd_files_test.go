package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/git"
)

// hurryVar is the time limit for silent git processes of a tested belay, in milliseconds.
const hurryVar = "BELAY_TEST_GIT_LIMIT"

func hurryGit() {
	if ms, err := strconv.Atoi(os.Getenv(hurryVar)); err == nil {
		git.DefaultLimits.Answer = time.Duration(ms) * time.Millisecond
	}
}

// oddPlace is a file that belay or git reads. If an odd file can be ignored there, every command
// succeeds.
type oddPlace struct {
	path   string // relative to the folder above the repository
	config string // a git config key that is set to the path first
}

var oddPlaces = []oddPlace{
	{path: "repo/.git/HEAD"}, {path: "repo/.git/config"}, {path: "repo/.git/config.worktree"}, {path: "repo/.git/index"},
	{path: "repo/.git/packed-refs"}, {path: "repo/.git/commondir"}, {path: "repo/.git/shallow"}, {path: "repo/.git/ORIG_HEAD"},
	{path: "repo/.git/MERGE_HEAD"}, {path: "repo/.git/BISECT_LOG"}, {path: "repo/.git/info/exclude"}, {path: "repo/.git/info/attributes"},
	{path: "repo/.git/info/grafts"}, {path: "repo/.git/info/sparse-checkout"}, {path: "repo/.git/objects/info/alternates"},
	{path: "repo/.git/objects/info/commit-graph"}, {path: "repo/.git/refs/heads/main"}, {path: "repo/.git/refs/heads/odd"},
	{path: "repo/.git/refs/tags/odd"}, {path: "repo/.git/refs/heads/odd~name"}, {path: "repo/.git/logs/HEAD"}, {path: "repo/.git/logs/refs/heads/main"},
	{path: "repo/.git/hooks/pre-commit"}, {path: "repo/.git/objects/pack/pack-0123456789012345678901234567890123456789.idx"},
	{path: "repo/.git/belay/stat-cache"}, {path: "repo/.git/belay/stored"}, {path: "repo/.git/belay/git-version"}, {path: "repo/.git/belay/undo.json"},
	{path: "repo/.git/belay/plain/HEAD"}, {path: "repo/.git/belay/tree.json"}, {path: "repo/.git/belay/lock"},
	{path: "repo/.gitignore"}, {path: "repo/sub/.gitignore"}, {path: "repo/.gitattributes"}, {path: "repo/.gitmodules"}, {path: "repo/.mailmap"},
	{path: "repo/.belay/config.yaml"}, {path: "repo/package.json"}, {path: "repo/go.mod"}, {path: "repo/Makefile"}, {path: "repo/tests"},
	{path: "repo/sub/.git"}, {path: "repo/AGENTS.md"}, {path: "repo/a.txt"},
	{path: ".home/.gitconfig"}, {path: ".home/.config/git/config"}, {path: ".home/.config/git/ignore"}, {path: ".home/.config/git/attributes"},
	{path: "excludes", config: "core.excludesFile"}, {path: "attributes", config: "core.attributesFile"}, {path: "included", config: "include.path"},
	{path: ".home/.config/belay/trust.json"}, {path: ".home/.local/state/belay/trust.json"},
}

var oddKinds = []struct {
	name string
	make func(path string) error
}{
	{"FIFO", func(path string) error { return unix.Mkfifo(path, 0o644) }},
	{"device", func(path string) error { return os.Symlink("/dev/zero", path) }},
	{"sparse", func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 4<<30)) }},
}

const (
	oddTime   = 5 * time.Second // processor time
	oddMemory = 200 << 10       // KiB
)

// TestOddFiles puts a FIFO, an endless device and a file of 4 GiB at every path that belay or git
// reads. Every kind of command ends soon, in little memory, with nothing left running; it succeeds,
// or names the file.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	w := quietWorld(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n", "check.sh": "true\n"})
	first := w.belay("", "snapshot", "take", "--json")
	_, id, _ := strings.Cut(first.out, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	if first.code != 0 || id == "" {
		t.Fatal(first)
	}
	w.write("changed.txt", "since\n")
	give(t, w.up)
	var cells []oddCell
	for _, p := range oddPlaces {
		for k := range oddKinds {
			if p.path == "repo/a.txt" && oddKinds[k].name == "sparse" {
				continue // a tracked file is stored, however large
			}
			cells = append(cells, oddCell{p, k})
		}
	}
	if !crashAll() {
		cells = every(cells, map[bool]int{false: 10, true: 4}[wide()], 0) // the kinds alternate
	}
	count := 0
	for i, c := range cells {
		d := w.another(t, filepath.Join(folder(t), "w"))
		kind := oddKinds[c.kind]
		path := filepath.Join(d.up, c.place.path)
		if c.place.config != "" {
			d.git("config", c.place.config, path)
		}
		d.must(os.MkdirAll(filepath.Dir(path), 0o755))
		d.must(os.RemoveAll(path))
		d.must(kind.make(path))
		give(t, d.up)
		for _, args := range [][]string{
			{"snapshot", "take"}, {"status"}, {"doctor"}, {"check", "--before", id, "--timeout", "4s", "--files", "**", "--test", "true"},
			{"run", "do it", "--as-it-is", "--files", "**", "--test", "true", "--", "sh", "-c", "date > new.txt"},
		} {
			count++
			d.oddly(fmt.Sprintf("%s as a %s", c.place.path, kind.name), fmt.Sprintf("%d-%d-%d", os.Getpid(), i, count), path, args)
		}
		d.must(os.RemoveAll(d.up))
	}
	t.Logf("%d cells", count)
}

type oddCell struct {
	place oddPlace
	kind  int
}

func (w *world) oddly(what, mark, path string, args []string) {
	w.t.Helper()
	c := exec.Command("belay", args...)
	c.Dir, c.Env = w.repo, w.env(hurryVar+"=1000", "BELAY_ODD="+mark)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	asUser(c)
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setpgid = true
	c.WaitDelay = time.Second
	began := time.Now()
	w.must(c.Start())
	over := time.AfterFunc(2*patience, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	_ = c.Wait()
	over.Stop()
	took := time.Since(began)
	used := c.ProcessState.UserTime() + c.ProcessState.SystemTime() // including its git processes
	fault := func(format string, more ...any) {
		w.t.Errorf("%s: belay %s: %s\n%s", what, strings.Join(args, " "), fmt.Sprintf(format, more...), tail(said.String(), 1500))
	}
	if took > patience || used > oddTime {
		fault("it took %s, and %s of the processor", took.Round(time.Millisecond), used.Round(time.Millisecond))
	}
	if used := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > oddMemory {
		fault("it took %d MiB", used>>10)
	}
	if code := c.ProcessState.ExitCode(); code != 0 && !strings.Contains(said.String(), filepath.Base(path)) {
		fault("it ended with %d and does not name the file", code)
	}
	for try := 0; ; try++ {
		left := marked("BELAY_ODD=" + mark)
		if len(left) == 0 {
			break
		}
		if try > 1200 {
			fault("it left %v", left)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// marked returns the command lines of all processes with this in their environment.
func marked(variable string) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		env, err := os.ReadFile(dir + "/environ")
		if err == nil && bytes.Contains(append([]byte{0}, env...), append([]byte{0}, variable+"\x00"...)) {
			line, _ := os.ReadFile(dir + "/cmdline")
			found = append(found, filepath.Base(dir)+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		}
	}
	return found
}
