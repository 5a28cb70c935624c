package restore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestMain gives every git a home of its own. A process that TestCrash starts of
// itself runs its one step instead of the tests.
func TestMain(m *testing.M) {
	if step := os.Getenv("BELAY_TEST_STEP"); step != "" {
		os.Exit(runStep(step))
	}
	home, err := os.MkdirTemp("", "belay-snapshot-home")
	if err != nil {
		panic(err)
	}
	config := "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n" +
		"[protocol \"file\"]\n\tallow = always\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n[core]\n\texcludesFile = " + home + "/excludes\n"
	for name, text := range map[string]string{".gitconfig": config, "excludes": "*.global\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); strings.HasPrefix(key, "GIT_") {
			os.Unsetenv(key)
		}
	}
	for key, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
		"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_EDITOR": "true",
	} {
		os.Setenv(key, value)
	}
	stories := os.Getenv("BELAY_PROPERTY")
	if stories == "" {
		stories = "5" // each takes a second or two: git is real
	}
	if err := flag.Set("rapid.checks", stories); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// wide says whether a test takes the larger samples of `make suites`, which the full suites take as well.
func wide() bool { return testutil.Wide() || os.Getenv("BELAY_FIDELITY_ALL") != "" }

// sandbox is a repository made by the real git, in a folder of its own: up holds the
// repository and whatever must never be written to.
type sandbox struct {
	t       testing.TB
	up, dir string
	watched string   // where a program that must never run leaves its mark
	left    []string // paths below dir that a restore leaves alone: ignored files, repositories of their own
	opts    snapshot.Options
}

func newSandbox(t testing.TB, initArgs ...string) *sandbox {
	t.Helper()
	up, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, up: up, dir: filepath.Join(up, "repo"), watched: filepath.Join(up, "ran")}
	s.at(up, append(append([]string{"init", "-q"}, initArgs...), s.dir)...)
	s.mkdir("../outside")
	s.write("../outside/a.txt", "sentinel")
	return s
}

func (s *sandbox) try(dir string, stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

func (s *sandbox) at(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.try(dir, "", args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *sandbox) git(args ...string) string { s.t.Helper(); return s.at(s.dir, args...) }

// fails runs a git command that is meant to stop half-way, like a merge.
func (s *sandbox) fails(args ...string) {
	s.t.Helper()
	if _, err := s.try(s.dir, "", args...); err == nil {
		s.t.Fatalf("git %v was meant to stop", args)
	}
}

// may runs a git command as an agent would, whatever comes of it.
func (s *sandbox) may(args ...string) { _, _ = s.try(s.dir, "", args...) }

func (s *sandbox) path(p string) string { return filepath.Join(s.dir, p) }

func (s *sandbox) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) mkdir(p string) { s.t.Helper(); s.ok(os.MkdirAll(s.path(p), 0o755)) }

func (s *sandbox) write(p, text string) {
	s.t.Helper()
	s.mkdir(filepath.Dir(p))
	s.ok(os.WriteFile(s.path(p), []byte(text), 0o644))
}

func (s *sandbox) chmod(p string, mode uint32) { s.t.Helper(); s.ok(syscall.Chmod(s.path(p), mode)) }

func (s *sandbox) link(target, p string) {
	s.t.Helper()
	s.mkdir(filepath.Dir(p))
	s.ok(os.Symlink(target, s.path(p)))
}

func (s *sandbox) remove(p string) { s.t.Helper(); s.ok(os.RemoveAll(s.path(p))) }

func (s *sandbox) commit(message string, files ...string) string {
	s.t.Helper()
	for i := 0; i < len(files); i += 2 {
		s.write(files[i], files[i+1])
	}
	s.git("add", "-A")
	s.git("commit", "-q", "-m", message)
	return s.git("rev-parse", "HEAD")
}

// recorder is a shell line that leaves a mark: whoever runs it broke a promise.
func (s *sandbox) recorder() string { return "echo ran >> '" + s.watched + "'" }

func (s *sandbox) store() *restore.Store { return s.storeWith(s.opts) }

func (s *sandbox) storeWith(o snapshot.Options) *restore.Store {
	s.t.Helper()
	r, err := git.Open(context.Background(), s.dir, false)
	s.ok(err)
	st, err := restore.Open(context.Background(), r, o)
	s.ok(err)
	return st
}

func (s *sandbox) take() snapshot.Info {
	s.t.Helper()
	i, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual, Message: "test"})
	s.ok(err)
	return i
}

func (s *sandbox) restore(id belay.SnapshotID) restore.Restored {
	s.t.Helper()
	out, err := s.store().Restore(context.Background(), id, restore.Options{})
	s.ok(err)
	return out
}

// gitDir is the git folder of this working tree, common the one it shares.
func (s *sandbox) gitDir() string { own, _ := s.gitDirs(); return own }

func (s *sandbox) common() string { _, common := s.gitDirs(); return common }

// gitDirs reads what git would say, without a process: it is asked for very often.
func (s *sandbox) gitDirs() (own, common string) {
	s.t.Helper()
	own = s.path(".git")
	if text, err := os.ReadFile(own); err == nil {
		if own = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: ")); !filepath.IsAbs(own) {
			own = s.path(own)
		}
	}
	text, err := os.ReadFile(filepath.Join(own, "commondir"))
	if err != nil {
		return own, own
	}
	return own, filepath.Join(own, strings.TrimSpace(string(text)))
}

// state is everything that a restore answers for, by a readable name.
type state map[string]string

// fingerprint reads the whole state, with means of its own: no code of the package
// under test takes part.
func (s *sandbox) fingerprint() state {
	s.t.Helper()
	f := state{}
	s.readTree(f)
	s.readGitDir(f)
	s.readRefs(f)
	return f
}

func (s *sandbox) leftAlone(rel string) bool {
	for _, l := range s.left {
		if rel == l || strings.HasPrefix(rel, l+"/") {
			return true
		}
	}
	return false
}

// walk is filepath.WalkDir that passes over what lies too deep for a path.
func walk(dir string, visit fs.WalkDirFunc) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, syscall.ENAMETOOLONG) {
			return skip(d)
		}
		return visit(p, d, err)
	})
}

// readDeep reads what walk passes over, folder by folder.
func (s *sandbox) readDeep(f state, root *os.Root, rel string) {
	s.t.Helper()
	defer root.Close()
	dir, err := root.Open(".")
	s.ok(err)
	list, err := dir.ReadDir(-1)
	s.ok(errors.Join(err, dir.Close()))
	for _, d := range list {
		switch {
		case d.IsDir():
			next, err := root.OpenRoot(d.Name())
			s.ok(err)
			s.readDeep(f, next, rel+"/"+d.Name())
		case len(rel) > 3000 && d.Type().IsRegular():
			data, err := root.ReadFile(d.Name())
			s.ok(err)
			f["deep "+rel[len(rel)-20:]+"/"+d.Name()+fmt.Sprint(len(rel))] = string(data)
		}
	}
}

func (s *sandbox) readTree(f state) {
	s.t.Helper()
	deep := false
	err := walk(s.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		deep = deep || len(p) > 3500
		rel := strings.TrimPrefix(p, s.dir+"/")
		if p == s.dir {
			return nil
		}
		if rel == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		name := "file " + rel
		if s.leftAlone(rel) {
			name = "left " + rel
		}
		f[name] = describe(p)
		return nil
	})
	s.ok(err)
	if deep {
		root, err := os.OpenRoot(s.dir)
		s.ok(err)
		s.readDeep(f, root, "")
	}
}

func describe(p string) string {
	var st syscall.Stat_t
	if err := syscall.Lstat(p, &st); err != nil {
		return err.Error()
	}
	kind := st.Mode & syscall.S_IFMT
	switch kind {
	case syscall.S_IFLNK:
		to, _ := os.Readlink(p)
		return "link to " + to
	case syscall.S_IFREG:
		data, err := os.ReadFile(p)
		if err != nil {
			return err.Error()
		}
		text := fmt.Sprintf("%x", sha256.Sum256(data))[:16]
		if len(data) < 60 {
			text = fmt.Sprintf("%q", data)
		}
		return fmt.Sprintf("%o %s", st.Mode, text)
	}
	return fmt.Sprintf("%o", st.Mode)
}

// readGitDir reads git's own files but those that only keep objects and refs, which
// git itself is asked about.
func (s *sandbox) readGitDir(f state) {
	s.t.Helper()
	own, common := s.gitDir(), s.common()
	for _, dir := range slices.Compact([]string{own, common}) {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			rel := strings.TrimPrefix(p, dir+"/")
			if err != nil {
				return err
			}
			if strings.HasPrefix(rel, "sharedindex.") || rel == "info/refs" {
				return nil // git leaves old ones lying about, and writes a list of refs for old ways of fetching
			}
			switch top, _, _ := strings.Cut(rel, "/"); top {
			case "objects", "belay", "refs":
				return skip(d)
			case "packed-refs", "COMMIT_EDITMSG", "TAG_EDITMSG", "FETCH_HEAD", "gc.pid", "index":
				return nil
			case "worktrees":
				if dir == common && own != common {
					return skip(d) // told as our own
				}
			case "logs":
				if strings.HasPrefix(rel, "logs/refs/belay") {
					return skip(d)
				}
			}
			if !d.IsDir() || rel == "rebase-merge" || rel == "rebase-apply" || rel == "sequencer" {
				f["git "+rel] = describe(p)
			}
			return nil
		})
		s.ok(err)
	}
	f["index"] = indexFacts(filepath.Join(own, "index"))
	f["staged"], _ = s.try(s.dir, "", "-c", "core.fsmonitor=false", "ls-files", "-s", "-v", "-z") // needs the shared part of a split index
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func indexFacts(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "none"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x mtime %d mode %o", sha256.Sum256(data), info.ModTime().UnixNano(), info.Mode().Perm())
}

func (s *sandbox) readRefs(f state) {
	s.t.Helper()
	for line := range strings.Lines(s.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)")) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if oid, target, _ := strings.Cut(value, " "); oid != "" && target != "" {
			value = "names " + target // whatever that names has a line of its own
		}
		if !snapshot.Ours(name) {
			f["ref "+name] = value
		}
	}
}

// status is what the user's own git says. It may run the filters that the user set up,
// so it is asked for apart.
func (s *sandbox) status() string {
	s.t.Helper()
	cmd := exec.Command("git", "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all")
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(out)
}

// stamps are inode and modification time of everything in the tree: what was written
// although it was right already shows here.
func (s *sandbox) stamps() state {
	s.t.Helper()
	f := state{}
	err := walk(s.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, s.dir+"/")
		if d.IsDir() && (rel == ".git/objects" || rel == ".git/belay" || rel == ".git/refs/belay" || rel == ".git/refs/used-by-belay") {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil // a folder's own times move with its temporary neighbours
		}
		if strings.HasPrefix(d.Name(), "sharedindex.") {
			return nil // git itself refreshes its time with every look at the index
		}
		var st syscall.Stat_t
		if err := syscall.Lstat(p, &st); err != nil {
			return err
		}
		f[rel] = fmt.Sprint(st.Ino, " ", mtimeOf(&st))
		return nil
	})
	s.ok(err)
	return f
}

// differ lists what is not the same, at most a dozen lines.
func (a state) differ(b state) (lines []string) {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	for k := range keys {
		if a[k] != b[k] {
			lines = append(lines, fmt.Sprintf("%q: %s → %s", k, orNone(a[k]), orNone(b[k])))
		}
	}
	sort.Strings(lines)
	if len(lines) > 12 {
		lines = append(lines[:12], fmt.Sprintf("and %d more", len(lines)-12))
	}
	return lines
}

func orNone(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func (s *sandbox) same(what string, want, got state) {
	s.t.Helper()
	if d := want.differ(got); len(d) > 0 {
		s.t.Errorf("%s:\n\t%s", what, strings.Join(d, "\n\t"))
	}
}
