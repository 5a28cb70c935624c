package testutil

import (
	"bytes"
	"crypto/sha256"
	"errors"
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

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// GitHome creates a home folder with a git config, for every git that this process starts. The
// caller removes it.
func GitHome() (home string, err error) {
	home, err = os.MkdirTemp("", "belay-snapshot-home")
	if err != nil {
		return "", err
	}
	config := "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n" +
		"[protocol \"file\"]\n\tallow = always\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n" +
		"[core]\n\texcludesFile = " + home + "/excludes\n"
	for name, text := range map[string]string{".gitconfig": config, "excludes": "*.global\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			return "", err
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
	return home, nil
}

// Capture says what belay captures, as in snapshot.Options.
type Capture struct {
	Include []string // doublestar globs of ignored paths to capture as well
	MaxFile int64    // bytes
}

// Sandbox is a temporary repository made with the real git. Up is the folder around it, which also
// contains what must never be written to.
type Sandbox struct {
	T       testing.TB
	Up, Dir string
	Watched string   // the file that a program creates which must never run
	Left    []string // paths below Dir that a restore does not touch: ignored files, nested repositories
	Opts    Capture
}

// NewSandbox creates an empty repository in a temporary folder. initArgs are passed to git init.
func NewSandbox(t testing.TB, initArgs ...string) *Sandbox {
	t.Helper()
	up, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &Sandbox{T: t, Up: up, Dir: filepath.Join(up, "repo"), Watched: filepath.Join(up, "ran")}
	s.At(up, append(append([]string{"init", "-q"}, initArgs...), s.Dir)...)
	s.Mkdir("../outside")
	s.Write("../outside/a.txt", "sentinel")
	return s
}

// Try runs git in a folder and returns its output without the final newline.
func (s *Sandbox) Try(dir string, stdin string, args ...string) (string, error) {
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

// At runs git in a folder. It fails the test when git fails.
func (s *Sandbox) At(dir string, args ...string) string {
	s.T.Helper()
	out, err := s.Try(dir, "", args...)
	if err != nil {
		s.T.Fatal(err)
	}
	return out
}

// Git runs git in the worktree. It fails the test when git fails.
func (s *Sandbox) Git(args ...string) string { s.T.Helper(); return s.At(s.Dir, args...) }

// Fails runs a git command that must fail, such as a merge with conflicts.
func (s *Sandbox) Fails(args ...string) {
	s.T.Helper()
	if _, err := s.Try(s.Dir, "", args...); err == nil {
		s.T.Fatalf("git %v was meant to stop", args)
	}
}

// May runs a git command that may fail.
func (s *Sandbox) May(args ...string) { _, _ = s.Try(s.Dir, "", args...) }

// Path returns the absolute path of p in the worktree.
func (s *Sandbox) Path(p string) string { return filepath.Join(s.Dir, p) }

// Ok fails the test when err is not nil.
func (s *Sandbox) Ok(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// Mkdir creates a folder and its parents.
func (s *Sandbox) Mkdir(p string) { s.T.Helper(); s.Ok(os.MkdirAll(s.Path(p), 0o755)) }

// Write writes a file. A new one gets mode 0644.
func (s *Sandbox) Write(p, text string) {
	s.T.Helper()
	s.Mkdir(filepath.Dir(p))
	s.Ok(os.WriteFile(s.Path(p), []byte(text), 0o644))
}

// Chmod sets the mode of a path. mode is that of the system call.
func (s *Sandbox) Chmod(p string, mode uint32) { s.T.Helper(); s.Ok(syscall.Chmod(s.Path(p), mode)) }

// Link creates the symlink p.
func (s *Sandbox) Link(target, p string) {
	s.T.Helper()
	s.Mkdir(filepath.Dir(p))
	s.Ok(os.Symlink(target, s.Path(p)))
}

// Remove removes a path and everything below it.
func (s *Sandbox) Remove(p string) { s.T.Helper(); s.Ok(os.RemoveAll(s.Path(p))) }

// Commit writes files, given as pairs of path and text, commits everything and returns the commit.
func (s *Sandbox) Commit(message string, files ...string) string {
	s.T.Helper()
	for i := 0; i < len(files); i += 2 {
		s.Write(files[i], files[i+1])
	}
	s.Git("add", "-A")
	s.Git("commit", "-q", "-m", message)
	return s.Git("rev-parse", "HEAD")
}

// recorder returns a shell command that creates Watched. It must never be run.
func (s *Sandbox) recorder() string { return "echo ran >> '" + s.Watched + "'" }

// GitDir returns the git folder of this worktree.
func (s *Sandbox) GitDir() string { own, _ := s.gitDirs(); return own }

// Common returns the git folder that all worktrees share.
func (s *Sandbox) Common() string { _, common := s.gitDirs(); return common }

// gitDirs finds the git folders without starting git, because it is called very often.
func (s *Sandbox) gitDirs() (own, common string) {
	s.T.Helper()
	own = s.Path(".git")
	if text, err := os.ReadFile(own); err == nil {
		if own = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: ")); !filepath.IsAbs(own) {
			own = s.Path(own)
		}
	}
	text, err := os.ReadFile(filepath.Join(own, "commondir"))
	if err != nil {
		return own, own
	}
	return own, filepath.Join(own, strings.TrimSpace(string(text)))
}

// State is everything that a restore has to restore, by a readable name.
type State map[string]string

// Fingerprint reads the whole state without any code of the package under test.
func (s *Sandbox) Fingerprint() State {
	s.T.Helper()
	f := State{}
	s.ReadTree(f)
	s.readGitDir(f)
	s.readRefs(f)
	return f
}

func (s *Sandbox) leftAlone(rel string) bool {
	for _, l := range s.Left {
		if rel == l || strings.HasPrefix(rel, l+"/") {
			return true
		}
	}
	return false
}

// WalkShallow is filepath.WalkDir without the paths that are too long for a system call.
func WalkShallow(dir string, visit fs.WalkDirFunc) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, syscall.ENAMETOOLONG) {
			return skip(d)
		}
		return visit(p, d, err)
	})
}

// readDeep reads the files that WalkShallow skips, folder by folder.
func (s *Sandbox) readDeep(f State, root *os.Root, rel string) {
	s.T.Helper()
	defer root.Close()
	dir, err := root.Open(".")
	s.Ok(err)
	list, err := dir.ReadDir(-1)
	s.Ok(errors.Join(err, dir.Close()))
	for _, d := range list {
		switch {
		case d.IsDir():
			next, err := root.OpenRoot(d.Name())
			s.Ok(err)
			s.readDeep(f, next, rel+"/"+d.Name())
		case len(rel) > 3000 && d.Type().IsRegular():
			data, err := root.ReadFile(d.Name())
			s.Ok(err)
			f["deep "+rel[len(rel)-20:]+"/"+d.Name()+fmt.Sprint(len(rel))] = string(data)
		}
	}
}

// ReadTree adds the files, folders and links of the worktree to a state.
func (s *Sandbox) ReadTree(f State) {
	s.T.Helper()
	deep := false
	err := WalkShallow(s.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		deep = deep || len(p) > 3500
		rel := strings.TrimPrefix(p, s.Dir+"/")
		if p == s.Dir {
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
	s.Ok(err)
	if deep {
		root, err := os.OpenRoot(s.Dir)
		s.Ok(err)
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

// readGitDir reads git's files, but not objects and refs, which git itself is asked for.
func (s *Sandbox) readGitDir(f State) {
	s.T.Helper()
	own, common := s.GitDir(), s.Common()
	for _, dir := range slices.Compact([]string{own, common}) {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			rel := strings.TrimPrefix(p, dir+"/")
			if err != nil {
				return err
			}
			if strings.HasPrefix(rel, "sharedindex.") || rel == "info/refs" {
				return nil // git leaves old shared indexes behind and writes info/refs only for the dumb HTTP protocol
			}
			switch top, _, _ := strings.Cut(rel, "/"); top {
			case "objects", "belay", "refs":
				return skip(d)
			case "packed-refs", "COMMIT_EDITMSG", "TAG_EDITMSG", "FETCH_HEAD", "gc.pid", "index":
				return nil
			case "worktrees":
				if dir == common && own != common {
					return skip(d) // read as own
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
		s.Ok(err)
	}
	f["index"] = indexFacts(filepath.Join(own, "index"))
	f["staged"], _ = s.Try(s.Dir, "", "-c", "core.fsmonitor=false", "ls-files", "-s", "-v", "-z") // needs a split index to be complete
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

// belays matches belay's refs: its snapshots, and those that protect their objects.
var belays = lazyregexp.New(`^refs/(belay/|used-by-belay/|kept/[0-9a-f]{32}-([0-9a-hjkmnp-tv-z]{26}|[0-9a-f]{40}|[0-9a-f]{64})$)`)

func (s *Sandbox) readRefs(f State) {
	s.T.Helper()
	for line := range strings.Lines(s.Git("for-each-ref", "--format=%(refname) %(objectname) %(symref)")) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if oid, target, _ := strings.Cut(value, " "); oid != "" && target != "" {
			value = "names " + target // the target is listed itself
		}
		if !belays.MatchString(name) {
			f["ref "+name] = value
		}
	}
}

// Stamps returns inode and modification time of all files in the worktree and in .git. They show
// whether a correct file was written again.
func (s *Sandbox) Stamps() State {
	s.T.Helper()
	f := State{}
	err := WalkShallow(s.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, s.Dir+"/")
		if d.IsDir() && (rel == ".git/objects" || rel == ".git/belay" || rel == ".git/refs/belay" || rel == ".git/refs/used-by-belay") {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil // temporary files change the times of their folder
		}
		if strings.HasPrefix(d.Name(), "sharedindex.") {
			return nil // git changes its time each time it reads the index
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f[rel] = fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino, " ", info.ModTime().UnixNano())
		return nil
	})
	s.Ok(err)
	return f
}

// Differ lists the differences, at most a dozen.
func (a State) Differ(b State) (lines []string) {
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

// Same fails the test when two states differ.
func (s *Sandbox) Same(what string, want, got State) {
	s.T.Helper()
	if d := want.Differ(got); len(d) > 0 {
		s.T.Errorf("%s:\n\t%s", what, strings.Join(d, "\n\t"))
	}
}
