package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"
)

// world is a repository in its own folder, with its own home.
type world struct {
	t    testing.TB
	up   string // contains repo, .home and what the agent writes outside
	repo string
	in   string // belay's standard input
}

// newWorld creates a repository with work in progress: staged, edited, deleted, untracked and
// ignored files, modes, links, a stash, a tag, and a merge with a conflict.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, up: folder(t)}
	w.repo = filepath.Join(w.up, "repo")
	w.write("a.txt", "one\n")
	w.write("b.txt", "two\n")
	w.write("keep/c.txt", "three\n")
	w.write("keep/gone.txt", "four\n")
	w.write("script.sh", "#!/bin/sh\n")
	w.write("protect.txt", "keep out\n")
	w.write("check.sh", "grep -q 42 src/answer.txt || { echo 'wrong answer'; exit 1; }\n")
	w.write(".gitignore", "*.log\nbuild/\n")
	w.must(os.Symlink("a.txt", filepath.Join(w.repo, "link")))
	w.must(os.MkdirAll(filepath.Join(w.up, ".home"), 0o755))
	give(t, w.up)
	w.git("init", "-q", "-b", "main")
	w.git("add", ".")
	w.git("commit", "-qm", "first")
	w.git("tag", "-am", "the first", "v1")
	w.git("branch", "other")
	w.git("checkout", "-q", "-b", "theirs")
	w.write("both.txt", "theirs\n")
	w.git("add", ".")
	w.git("commit", "-qm", "theirs")
	w.git("checkout", "-q", "main")
	w.write("both.txt", "ours\n")
	w.git("add", ".")
	w.git("commit", "-qm", "ours")
	w.write("b.txt", "two, in the stash\n")
	w.git("stash", "push", "-q")
	if out, err := w.mayGit("merge", "theirs"); err == nil {
		t.Fatalf("there should be a conflict: %s", out)
	}
	w.write("a.txt", "one, staged\n")
	w.git("add", "a.txt")
	w.git("rm", "-q", "keep/gone.txt")
	w.write("a.txt", "one, staged, edited\n")
	w.write("b.txt", "two, edited\n")
	w.write("new/untracked.txt", "mine\n")
	w.write("debug.log", "ignored\n")
	w.must(os.Chmod(filepath.Join(w.repo, "script.sh"), 0o755))
	w.must(os.MkdirAll(filepath.Join(w.repo, "hollow", "folder"), 0o755))
	w.write("locked/file", "behind a folder that may not be written in\n")
	w.must(os.Chmod(filepath.Join(w.repo, "locked"), 0o555))
	give(t, w.up)
	return w
}

// quietWorld creates a repository with these files in its only commit, and nothing else.
func quietWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, up: folder(t)}
	w.repo = filepath.Join(w.up, "repo")
	for _, dir := range []string{w.repo, filepath.Join(w.up, ".home")} {
		w.must(os.MkdirAll(dir, 0o755))
	}
	for name, text := range files {
		w.write(name, text)
	}
	give(t, w.up)
	w.git("init", "-q", "-b", "main")
	w.git("add", ".")
	w.git("commit", "-q", "--allow-empty", "-m", "first")
	return w
}

// another copies the current world with times and modes.
func (w *world) another(t testing.TB, dir string) *world {
	t.Helper()
	c := &world{t: t, up: dir, repo: filepath.Join(dir, "repo")}
	w.must(os.MkdirAll(dir, 0o755))
	if out, err := exec.Command("cp", "-a", w.up+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
	// Trust applies to a folder: in the copy the same person trusts it again.
	list := filepath.Join(dir, ".home", ".config", "belay", "trust.json")
	if text, err := os.ReadFile(list); err == nil {
		w.must(os.WriteFile(list, bytes.ReplaceAll(text, []byte(`"`+w.repo+`/`), []byte(`"`+c.repo+`/`)), 0o600))
		give(t, filepath.Dir(list))
	}
	return c
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.repo, name)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(text), 0o644))
}

func (w *world) env(more ...string) []string {
	home := filepath.Join(w.up, ".home")
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A",
		"GIT_COMMITTER_EMAIL=a@example.com", "NO_COLOR=1", "USER=tester", "BELAY_FENCE=off", "SCRIPT=" + filepath.Join(w.up, "script"),
	}, more...)
}

// ran is the result of a command.
type ran struct {
	args   []string
	code   int // -1: ended by a signal
	killed bool
	out    string
	errs   string
}

func (r ran) String() string {
	return fmt.Sprintf("belay %s: status %d\n%s%s", strings.Join(r.args, " "), r.code, r.out, r.errs)
}

// belay runs the real binary. crash is its $BELAY_CRASH, or "".
func (w *world) belay(crash string, args ...string) ran {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "belay", args...)
	c.Dir = w.repo
	c.Env = w.env("BELAY_CRASH=" + crash)
	if w.in != "" {
		c.Stdin = strings.NewReader(w.in)
	}
	asUser(c)
	return w.run(ctx, c, args)
}

// crash returns the $BELAY_CRASH of a trial in this world; where returns afterwards what the fault
// hit.
func (w *world) crash(c trial) string {
	return fmt.Sprintf("%d:%s:%s", c.n, c.mode, filepath.Join(w.up, "point"))
}

func (w *world) where(c trial) string {
	met, err := os.ReadFile(filepath.Join(w.up, "point"))
	_ = os.Remove(filepath.Join(w.up, "point"))
	if err != nil {
		met = []byte("nothing")
	}
	return fmt.Sprintf("%s at %d (%s)", c.mode, c.n, strings.ReplaceAll(strings.TrimSpace(string(met)), w.repo+"/", ""))
}

func (w *world) run(ctx context.Context, c *exec.Cmd, args []string) ran {
	w.t.Helper()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	c.WaitDelay = 10 * time.Second
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		w.t.Fatalf("belay %v: %v\n%s%s", args, errors.Join(err, ctx.Err()), out.String(), errs.String())
	}
	code := c.ProcessState.ExitCode()
	return ran{args: args, code: code, killed: code == -1, out: out.String(), errs: errs.String()}
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := w.mayGit(args...)
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (w *world) mayGit(args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-C", w.repo}, args...)...)
	c.Env = w.env()
	asUser(c)
	out, err := c.CombinedOutput()
	return string(out), err
}

// state returns everything a person can see: a line for each path with its mode and bytes, for each
// entry of the index, HEAD, each ref outside refs/belay, and the stash.
func (w *world) state() []string {
	w.t.Helper()
	lines := append(w.files(), w.gitState()...)
	sort.Strings(lines)
	return lines
}

func (w *world) files() (lines []string) {
	w.t.Helper()
	w.must(filepath.WalkDir(w.repo, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.repo, path)
		if rel == ".git" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var text []byte
			text, err = os.ReadFile(path)
			content = fmt.Sprintf("%x %.40q", sha256.Sum256(text), text)
		}
		lines = append(lines, fmt.Sprintf("file %s %v %s", rel, info.Mode(), content))
		return err
	}))
	return lines
}

func (w *world) gitState() (lines []string) {
	w.t.Helper()
	for what, args := range map[string][]string{
		"index": {"ls-files", "-s", "-v"}, "ref": {"for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash"},
		"HEAD": {"rev-parse", "--symbolic-full-name", "HEAD"}, "stash": {"stash", "list"},
		"status": {"--no-optional-locks", "status", "--porcelain=v2"},
	} {
		for line := range strings.Lines(w.git(args...)) {
			lines = append(lines, what+" "+strings.TrimRight(line, "\n"))
		}
	}
	for _, f := range []string{"config", "info/exclude", "HEAD", "MERGE_HEAD", "MERGE_MSG", "ORIG_HEAD", "logs/HEAD", "logs/refs/stash", "logs/refs/heads/main"} {
		text, err := os.ReadFile(filepath.Join(w.repo, ".git", f))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("git %s %q", f, text))
	}
	return lines
}

// differing returns the lines that are in only one of two states.
func differing(want, got []string) []string {
	had := map[string]bool{}
	for _, l := range want {
		had[l] = true
	}
	var out []string
	for _, l := range got {
		if !had[l] {
			out = append(out, "is:     "+l)
		}
		delete(had, l)
	}
	for l := range had {
		out = append(out, "should: "+l)
	}
	sort.Strings(out)
	return out
}

// flocks are files of belay that stay: the lock on them ends with its process.
var flocks = map[string]bool{"tree.lock": true, "restore.lock": true, "stored.lock": true, "packs.lock": true, "trees.lock": true, "import.lock": true, "hook.lock": true}

// litter returns what an ended command must not leave: git's locks and temporary files, in the tree
// and in the git folder. Objects that git wrote only in part are git's, and its next gc removes
// them.
func (w *world) litter() (locks, temps []string) {
	w.t.Helper()
	git := filepath.Join(w.repo, ".git")
	tmp := filepath.Join(git, "belay", "tmp")
	w.must(filepath.WalkDir(w.repo, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, dir := d.Name(), filepath.Dir(path)
		inGit := strings.HasPrefix(path, git+"/")
		record := filepath.Base(dir) == "tasks"
		switch {
		case inGit && strings.HasSuffix(name, ".lock") && !flocks[name] && !record:
			locks = append(locks, path)
		case dir == tmp, name == "intent.json", filepath.Base(dir) == ".new", dir == filepath.Join(git, "belay", "run"),
			inGit && strings.HasPrefix(name, ".tmp-"), record && strings.HasPrefix(name, "."),
			strings.HasPrefix(name, ".belay-tmp-"):
			temps = append(temps, path)
		}
		return nil
	}))
	return locks, temps
}
