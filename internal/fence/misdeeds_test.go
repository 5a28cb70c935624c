//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/testutil"
)

// TestMain also makes the test's own binary a fenced process that does one deed.
func TestMain(m *testing.M) {
	if name := os.Getenv("FENCE_DEED"); name != "" {
		d, ok := find(name)
		if !ok {
			fmt.Println("no such deed")
			os.Exit(3)
		}
		if err := d.do(worldOf(os.Getenv("FENCE_WORLD"))); err != nil {
			fmt.Println("refused:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// world is a home with a repository in which a fenced process works, and files that it must not
// change.
type world struct{ dir, home, repo, tree, other, tmp string }

func worldOf(dir string) world {
	w := world{dir: dir, home: dir + "/home", repo: dir + "/repo", other: dir + "/other", tmp: dir + "/tmp"}
	if w.tree = dir + "/repo.belay/t1"; !exists(w.tree) {
		w.tree = w.repo
	}
	return w
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func (w world) git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w world) env() []string {
	own := map[string]string{"HOME": w.home, "TMPDIR": w.tmp, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "FENCE_WORLD": w.dir,
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
	for _, name := range []string{"XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "CARGO_HOME"} {
		own[name] = ""
	}
	var env []string
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); own[name] == "" {
			env = append(env, kv)
		}
	}
	for name, value := range own {
		env = append(env, name+"="+value)
	}
	return env
}

func makeWorld(t testing.TB, linked bool) world {
	t.Helper()
	dir := Real(t.TempDir())
	w := world{dir: dir, home: dir + "/home", repo: dir + "/repo", tree: dir + "/repo", other: dir + "/other", tmp: dir + "/tmp"}
	for path, text := range map[string]string{
		"home/.bashrc": "alias ll=ls\n", "home/.ssh/id": "a key\n", "home/.config/belay/trust.json": "{}\n", "home/notes.txt": "notes\n",
		"home/.gitconfig": "[user]\n", "home/.profile": "x\n", "home/.claude/settings.json": "{}\n", "home/.claude.json": "{}\n",
		"other/main.go": "package other\n", "tmp/keep": "",
		"repo/main.go": "package main\n", "repo/src/a.go": "package src\n", "repo/.gitignore": ".env\nnode_modules/\n", "repo/top.txt": "top\n",
		"repo/.env": "KEY=1\n", "repo/node_modules/p/index.js": "1\n",
	} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, repo := range []string{w.other, w.repo} {
		w.git(t, repo, "init", "-q", "-b", "main")
		w.git(t, repo, "add", ".")
		w.git(t, repo, "commit", "-qm", "start")
		w.git(t, repo, "branch", "feature")
	}
	for path, text := range map[string]string{".git/belay/record": "r\n", ".git/refs/belay/t1/s": w.git(t, w.repo, "rev-parse", "HEAD") + "\n",
		".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n", ".git/info/attributes": "\n"} {
		path = filepath.Join(w.repo, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if linked {
		w.git(t, w.repo, "worktree", "add", "-q", "--detach", dir+"/repo.belay/t1")
		w.tree = dir + "/repo.belay/t1"
		if err := errors.Join(os.Mkdir(w.repo+"/.git/worktrees/t1/belay", 0o755),
			os.WriteFile(w.repo+"/.git/worktrees/t1/belay/record", nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(w.home, w.tree+"/src/homelink"), os.Symlink(w.home+"/.bashrc", w.tree+"/src/rclink")); err != nil {
		t.Fatal(err)
	}
	return w
}

// policy returns the policy of an agent's run.
func (w world) policy() Policy {
	dir := w.repo + "/.git"
	if w.tree != w.repo {
		dir += "/worktrees/t1"
	}
	p := Policy{Rules: slices.Concat(Repository(w.tree, dir, w.repo+"/.git", []string{"refs/heads/main", "refs/heads/feature"}, ""), System(),
		Caches(w.home, func(string) string { return "" }), []Rule{
			{Path: w.tmp, Kind: Write}, {Path: w.home + "/.claude", Kind: Write}, {Path: w.home + "/.claude/settings.json", Kind: Closed},
			{Path: w.home + "/.claude.json", Kind: Write, Prefix: true},
		})}
	return p
}

// outside returns everything that a deed must not change: contents, permissions, owners, times,
// attributes, by path.
func (w world) outside(t testing.TB) map[string]string {
	t.Helper()
	open := []string{w.tmp, w.home + "/.cache", w.home + "/go", w.home + "/.npm", w.home + "/.claude/projects"}
	if w.tree == w.repo {
		open = append(open, w.repo)
	} else {
		open = append(open, w.dir+"/repo.belay")
	}
	seen := map[string]string{}
	look := func(root string, open []string) {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if slices.Contains(open, path) {
				return filepath.SkipDir
			}
			if err != nil {
				return nil
			}
			seen[strings.TrimPrefix(path, w.dir)] = looks(path)
			return nil
		})
	}
	look(w.dir, open)
	git := w.repo + "/.git/"
	for _, name := range append(slices.Clone(gitClosed), "objects/info") {
		if name != "worktrees" {
			look(git+name, nil)
		}
	}
	if w.tree != w.repo {
		for _, name := range []string{"commondir", "gitdir", "belay/record", "belay", "config.worktree"} {
			seen[name] = looks(git + "worktrees/t1/" + name)
		}
		seen[".git"] = looks(w.tree + "/.git")
		// Objects and new branches are added, so only files that existed before count in those
		// folders.
		for path := range seen {
			for _, in := range []string{"objects/", "worktrees", "refs/heads", "refs/tags", "logs/refs/heads"} {
				if at := "/repo/.git/" + in; strings.HasPrefix(path, at) || path == "/repo/.git" || strings.HasPrefix(at, path+"/") {
					delete(seen, path)
				}
			}
		}
		seen["main"] = looks(git + "refs/heads/main")
	}
	seen["objects"] = w.git(t, w.repo, "cat-file", "-p", "main:src/a.go")
	return seen
}

func looks(path string) string {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return err.Error()
	}
	text, _ := os.ReadFile(path)
	names := make([]byte, 1000)
	n, _ := unix.Llistxattr(path, names)
	times := ""
	if st.Mode&unix.S_IFMT == unix.S_IFREG {
		times = fmt.Sprint(st.Mtim)
	}
	return fmt.Sprintf("%o %d:%d %s %q %x", st.Mode, st.Uid, st.Gid, times, names[:max(n, 0)], sha256.Sum256(text))
}

// result describes how a fenced process ended.
type result struct {
	said   string
	code   int
	denied []Denial
}

// fenced runs a deed, or a program, in a fence.
func (w world) fenced(t testing.TB, p Policy, deed string, argv ...string) result {
	t.Helper()
	if deed != "" {
		argv = []string{"/proc/self/exe"}
	}
	r, wr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	env := append(w.env(), "FENCE_DEED="+deed, "FENCE_PARENT="+strconv.Itoa(os.Getpid()))
	var child *os.Process
	err = f.Start(func() (err error) {
		child, err = os.StartProcess(program, argv, &os.ProcAttr{
			Dir: w.tree, Env: append(env, "FENCE_THREAD="+strconv.Itoa(unix.Gettid())), Files: []*os.File{nil, wr, wr},
			Sys: &syscall.SysProcAttr{Setpgid: true}})
		return err
	})
	wr.Close()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
	defer cancel()
	context.AfterFunc(ctx, func() { syscall.Kill(-child.Pid, syscall.SIGKILL) })
	var out bytes.Buffer
	_, _ = out.ReadFrom(r) // until all its processes have ended
	state, err := child.Wait()
	if err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return result{out.String(), state.ExitCode(), f.Denied()}
}

func needFence(t testing.TB) {
	t.Helper()
	if err := Probe(); err != nil {
		t.Skip(err)
	}
}

// TestMisdeeds tries everything that a fence must stop, in a worktree and in place, and checks from
// outside whether anything changed.
func TestMisdeeds(t *testing.T) {
	needFence(t)
	for _, linked := range []bool{true, false} {
		t.Run(map[bool]string{true: "worktree", false: "in place"}[linked], func(t *testing.T) {
			w := makeWorld(t, linked)
			hurt := watchParent(t, w)
			before := w.outside(t)
			for _, d := range misdeeds {
				if d.inPlaceOnly && linked {
					continue
				}
				t.Run(d.name, func(t *testing.T) {
					r := w.fenced(t, w.policy(), d.name)
					if diff := cmp.Diff(before, w.outside(t)); diff != "" {
						t.Errorf("outside changed (%s):\n%s", r.said, diff)
						before = w.outside(t)
					}
					if n := hurt.Swap(0); n > 0 {
						t.Errorf("it reached %d things outside: %s", n, r.said)
					}
					if r.code == 0 && !d.harmless {
						t.Errorf("nothing refused it: %s", r.said)
					}
					if strings.Contains(r.said, "no such deed") || r.code > 1 {
						t.Errorf("ended with %d: %s", r.code, r.said)
					}
				})
			}
		})
	}
}

// watchParent counts what a fenced process does to this one: signals, connections, and writes
// through an inherited descriptor.
func watchParent(t *testing.T, w world) *atomic.Int32 {
	var hurt atomic.Int32
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	t.Cleanup(func() { signal.Stop(signals) })
	go func() {
		for range signals {
			hurt.Add(1)
		}
	}()
	for _, name := range []string{w.home + "/docker.sock", w.tmp + "/old.sock", w.repo + "/.git/belay/watch.sock", "@fence-test-" + strconv.Itoa(os.Getpid())} {
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				hurt.Add(1)
				c.Close()
			}
		}()
	}
	log, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: w.home + "/log.sock", Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	go func() {
		for {
			if _, err := log.Read(make([]byte, 10)); err != nil {
				return
			}
			hurt.Add(1)
		}
	}()
	time.Sleep(2 * clockStep) // a socket as old as the fence could be the program's own
	left, err := os.OpenFile(w.home+"/notes.txt", os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { left.Close() })
	if err := unix.Dup2(int(left.Fd()), leftFD); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(leftFD) })
	return &hurt
}

const leftFD = 77

// TestMisdeedsWithoutRoot does the same as an ordinary user, in a separate process.
func TestMisdeedsWithoutRoot(t *testing.T) {
	needFence(t)
	if testing.Short() {
		t.Skip("as long as TestMisdeeds and TestDeeds together")
	}
	if os.Getuid() != 0 {
		t.Skip("TestMisdeeds ran as an ordinary user")
	}
	asUser(t, "^(TestMisdeeds|TestDeeds|TestDenied)$")
}

func asUser(t *testing.T, run string) {
	t.Helper()
	tmp, err := os.MkdirTemp("", "belay-fence-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(tmp, 0o777), os.WriteFile(tmp+"/self", text, 0o755), os.Chmod(tmp+"/self", 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tmp+"/self", "-test.run="+run, "-test.v")
	cmd.Dir, cmd.Env = tmp, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp, "TMPDIR=" + tmp}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1000}}
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("--- SKIP")) || !bytes.Contains(out, []byte("--- PASS: TestMisdeeds")) {
		t.Errorf("as uid 1000: %v\n%s", err, out)
	}
}
