package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// play carries out a scripted agent's lines.
func play(lines []string) int {
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		arg, text, _ := strings.Cut(rest, " ")
		text = strings.ReplaceAll(text, `\n`, "\n")
		var err error
		switch verb {
		case "write":
			if err = os.MkdirAll(filepath.Dir(arg), 0o755); err == nil {
				err = os.WriteFile(arg, []byte(text+"\n"), 0o644)
			}
		case "append":
			var f *os.File
			if f, err = os.OpenFile(arg, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
				_, err = f.WriteString(text + "\n")
				f.Close()
			}
		case "rm":
			err = os.Remove(arg)
		case "say":
			fmt.Println(rest)
		case "sh":
			c := exec.Command("sh", "-c", rest)
			c.Stdout, c.Stderr = os.Stdout, os.Stderr
			err = c.Run()
		case "prompt":
			var p []byte
			if p, err = io.ReadAll(os.Stdin); err == nil {
				err = os.WriteFile(arg, p, 0o644)
			}
		case "exit":
			n, _ := strconv.Atoi(arg)
			return n
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 3
		}
	}
	return 0
}

// cmdRepo creates a repository with staged, unstaged and untracked work.
func cmdRepo(ts *testscript.TestScript, neg bool, args []string) {
	dir := "repo"
	if len(args) > 0 {
		dir = args[0]
	}
	ts.Check(os.MkdirAll(ts.MkAbs(dir), 0o755))
	write := func(name, text string) {
		path := filepath.Join(ts.MkAbs(dir), name)
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, []byte(text), 0o644))
	}
	run := func(args ...string) { ts.Check(ts.Exec("git", append([]string{"-C", ts.MkAbs(dir)}, args...)...)) }
	run("init", "-q", "-b", "main")
	write("a.txt", "one\n")
	write("b.txt", "two\n")
	write("keep/c.txt", "three\n")
	write(".gitignore", "*.log\nbuild/\n")
	run("add", ".")
	run("commit", "-qm", "first")
	write("a.txt", "one, staged\n")
	run("add", "a.txt")
	write("a.txt", "one, staged, edited\n")
	write("b.txt", "two, edited\n")
	write("new/untracked.txt", "mine\n")
	write("debug.log", "ignored\n")
	ts.Check(ts.Chdir(dir))
}

// cmdID sets a variable to the ID of the n-th snapshot of a kind: id VAR KIND [N].
func cmdID(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("belay", "snapshot", "list", "--kind", args[1]))
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	n := len(lines) - 1
	if len(args) > 2 {
		i, err := strconv.Atoi(args[2])
		ts.Check(err)
		n = i - 1
	}
	if n >= len(lines) || lines[n] == "" {
		ts.Fatalf("there is no snapshot of kind %s", args[1])
	}
	ts.Setenv(args[0], strings.Fields(lines[n])[0])
}

// cmdSame stores a fingerprint of the user's repository under a name the first time and compares
// with it later: every path's type, mode, bytes and link target; index bytes; HEAD, refs outside
// refs/belay, reflogs, stash list and status.
func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	now := fingerprint(ts)
	key := "SAME_" + args[0]
	kept := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), ".same-"+args[0]))
	before, err := os.ReadFile(kept)
	if os.IsNotExist(err) {
		ts.Check(os.WriteFile(kept, []byte(now), 0o644))
		ts.Setenv(key, "1")
		return
	}
	ts.Check(err)
	if (string(before) == now) == neg {
		ts.Fatalf("the repository is not the same:\n%s", difference(string(before), now))
	}
}

func fingerprint(ts *testscript.TestScript) string {
	dir := ts.MkAbs(".")
	var b strings.Builder
	var paths []string
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		paths = append(paths, path)
		return nil
	}))
	sort.Strings(paths)
	for _, path := range paths {
		info, err := os.Lstat(path)
		ts.Check(err)
		rel, _ := filepath.Rel(dir, path)
		content := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, _ = os.Readlink(path)
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			ts.Check(err)
			content = fmt.Sprintf("%x", sha256.Sum256(text))
		}
		fmt.Fprintf(&b, "%q %v %s\n", rel, info.Mode(), content)
	}
	for _, f := range []string{".git/index", ".git/logs/HEAD", ".git/logs/refs/heads/main", ".git/logs/refs/stash", ".git/config", ".git/info/exclude"} {
		text, _ := os.ReadFile(filepath.Join(dir, f))
		fmt.Fprintf(&b, "%s %x\n", f, sha256.Sum256(text))
	}
	for _, args := range [][]string{
		{"symbolic-ref", "-q", "HEAD"}, {"for-each-ref", "--exclude=refs/belay", "--format=%(refname) %(objectname)"},
		{"stash", "list"}, {"--no-optional-locks", "status", "--porcelain=v2", "--branch"}, {"ls-files", "-s"},
	} {
		if args[0] == "for-each-ref" {
			args = []string{"for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/remotes", "refs/stash"}
		}
		c := exec.Command("git", append([]string{"-C", dir}, args...)...)
		out, _ := c.CombinedOutput()
		fmt.Fprintf(&b, "%s: %s\n", strings.Join(args, " "), out)
	}
	return b.String()
}

func difference(a, b string) string {
	had := map[string]bool{}
	for line := range strings.Lines(a) {
		had[line] = true
	}
	var out strings.Builder
	for line := range strings.Lines(b) {
		if !had[line] {
			out.WriteString("now: " + line)
		}
		delete(had, line)
	}
	for line := range had {
		out.WriteString("was: " + line)
	}
	return out.String()
}

// cmdAppears waits until a file exists (and, with a second argument, contains that text).
func cmdAppears(ts *testscript.TestScript, neg bool, args []string) {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && (len(args) == 1 || bytes.Contains(text, []byte(args[1]))) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Fatalf("%s did not come", args[0])
}

// cmdNoProc fails if a process of this story has the text on its command line.
func cmdNoProc(ts *testscript.TestScript, neg bool, args []string) {
	deadline := time.Now().Add(patience)
	for {
		found := processes(ts, args[0])
		if len(found) == 0 {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("still running: %v", found)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// processes returns the processes with a text on their command line, except those of the same story
// in another run of the tests, which have another WORK.
func processes(ts *testscript.TestScript, text string) []string {
	var found []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range all {
		line, err := os.ReadFile(f)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "environ"))
		env = append([]byte{0}, env...)
		other := bytes.Contains(env, []byte("\x00WORK=")) && !bytes.Contains(env, []byte("\x00WORK="+ts.Getenv("WORK")+"\x00"))
		if err == nil && !other && bytes.Contains(line, []byte(text)) {
			found = append(found, filepath.Base(filepath.Dir(f))+": "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// cmdCode runs belay and expects an exact exit status: code N belay ARGS…
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = -1
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			got = exit.ExitCode()
		}
	}
	if (got == want) == neg {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// cmdKillAt kills a command before it does something to a path: killat OP PATH COMMAND…, with an
// OP of worktree.Fault.
func cmdKillAt(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv("BELAY_CRASH", "0:"+modeAt+":"+args[0]+" "+args[1])
	err := ts.Exec(args[2], args[3:]...)
	ts.Setenv("BELAY_CRASH", "")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != -1 {
		ts.Fatalf("it was to be killed at %s %s: %v", args[0], args[1], err)
	}
}

// cmdKillAll simulates a power failure: killall NAME MARK kills the background command and, at the
// same time, every process of its agent's run: shim, guard, agent and their child processes. MARK
// is a text on the agent's command line.
func cmdKillAll(ts *testscript.TestScript, neg bool, args []string) {
	var doomed []int
	for _, line := range processes(ts, args[1]) {
		pid, _ := strconv.Atoi(strings.SplitN(line, ":", 2)[0])
		if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil {
			for _, kv := range bytes.Split(env, []byte{0}) {
				if bytes.HasPrefix(kv, []byte("BELAY_RUN=")) {
					doomed = append(doomed, withEnv(kv)...)
				}
			}
		}
	}
	if len(doomed) < 3 {
		ts.Fatalf("shim, guard and agent were expected, there are %v", doomed)
	}
	ts.Check(syscall.Kill(runner(ts), syscall.SIGKILL))
	for range 3 { // again for processes that were started meanwhile
		for _, pid := range doomed {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// runner returns the process ID of the belay that works in the tree, from its own files.
func runner(ts *testscript.TestScript) int {
	text := ts.ReadFile(".git/belay/tree.lock")
	_, rest, _ := strings.Cut(text, `"pid":`)
	digits, _, _ := strings.Cut(rest, ",")
	pid, err := strconv.Atoi(digits)
	ts.Check(err)
	return pid
}

func withEnv(kv []byte) []int {
	var pids []int
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range all {
		env, err := os.ReadFile(f)
		if err == nil && bytes.Contains(env, kv) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}
