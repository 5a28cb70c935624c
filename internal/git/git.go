package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// A working tree's content is never read or written through git, because filters and line-ending
// rules would change the bytes.

// Repo is a repository as seen from one of its worktrees. All paths are absolute and without links.
type Repo struct {
	Root         string // the top of the working tree
	Dir          string // the git folder of this working tree
	Common       string // the git folder shared by all working trees; Dir unless this one is linked
	Format       string // the object format: sha1 or sha256
	UsesReftable bool   // refs are stored in a reftable, not in files
	git          string // the git program
	shared       sharedReaders
}

// Linked reports whether this is a linked worktree (git worktree add).
func (r *Repo) Linked() bool { return r.Dir != r.Common }

// Open opens the repository around dir. It walks up, as git does, and then asks git, which also
// refuses repositories of other owners. It writes nothing.
//
// CodeCannot: no repository, a bare one, one of another owner, git missing or older than
// MinVersion, or, unless force is set, a repository rooted at the home folder or /, of which a
// snapshot would include all files of a person.
func Open(ctx context.Context, dir string, force bool) (*Repo, error) {
	return open(ctx, dir, force, "")
}

// OpenOther opens a repository that belay created elsewhere for this one, with the same git
// program: a new search could find a git inside this repository, which is outside of the other one.
func (r *Repo) OpenOther(ctx context.Context, dir string) (*Repo, error) {
	return open(ctx, dir, true, r.git)
}

func open(ctx context.Context, dir string, force bool, known string) (*Repo, error) {
	start, err := realPath(dir)
	if err != nil {
		return nil, belay.Refuse(belay.CodeCannot, "check the path", "cannot open %s: %v", belay.VisibleLine(dir), err)
	}
	if info, err := os.Stat(start); err == nil && !info.IsDir() {
		return nil, belay.Refuse(belay.CodeCannot, "give a folder", "%s is not a folder", belay.VisibleLine(dir))
	}
	r, err := find(start)
	if err != nil {
		return nil, err
	}
	if err := r.checkPaths(); err != nil {
		return nil, err
	}
	if r.git = known; known == "" {
		if r.git, err = findGit(r.Root, r.Common); err != nil {
			return nil, err
		}
	}
	if err := r.verifyWithGit(ctx); err != nil {
		return nil, err
	}
	if err := r.checkVersion(ctx); err != nil {
		return nil, err
	}
	if !force {
		if err := r.refuseHomeAndRoot(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func realPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// find walks up to the first folder with a usable .git.
func find(start string) (*Repo, error) {
	for dir := start; ; dir = filepath.Dir(dir) {
		gitDir, err := gitDirOf(dir)
		if err != nil {
			return nil, err
		}
		if gitDir != "" {
			common, err := commonDir(gitDir)
			return &Repo{Root: dir, Dir: gitDir, Common: common}, err
		}
		if isGitDir(dir) && filepath.Base(dir) == ".git" {
			return nil, belay.Refuse(belay.CodeCannot, "go to the working tree", "%s is a .git folder",
				belay.VisibleLine(dir))
		}
		if isGitDir(dir) {
			return nil, belay.Refuse(belay.CodeCannot, "use a clone with a working tree, or git worktree add",
				"%s is a bare repository: there is no working tree", belay.VisibleLine(dir))
		}
		if dir == filepath.Dir(dir) {
			return nil, belay.Refuse(belay.CodeCannot, "git init, or belay -C DIR", "%s is not in a git repository",
				belay.VisibleLine(start))
		}
	}
}

// gitDirOf returns the git folder that dir/.git is or points to, "" when there is none.
func gitDirOf(dir string) (string, error) {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("check %s: %w", path, err)
	case info.IsDir():
		if err := fsroot.CheckReadable(filepath.Join(path, "commondir"), maxNameFile); err != nil {
			return "", err // otherwise it would not count as a git folder
		}
		if isGitDir(path) {
			return realPath(path)
		}
		return "", checkDamaged(path)
	case !info.Mode().IsRegular() || info.Size() > 1<<16:
		return "", nil
	}
	text, err := fsroot.ReadUserFile(path, maxNameFile)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	target, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", nil
	}
	target = strings.TrimRight(target, "\r\n")
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	real, err := realPath(target)
	if err != nil || !isGitDir(real) {
		return "", belay.Refuse(belay.CodeCannot, "git worktree repair, or git worktree prune",
			"%s points to %s, which is not a git folder", belay.VisibleLine(path), belay.VisibleLine(target))
	}
	return real, nil
}

// isGitDir checks what git checks: a HEAD, and objects and refs here or in the common folder.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common, err := commonDir(dir)
	if err != nil {
		return false
	}
	for _, need := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, need)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func commonDir(gitDir string) (string, error) {
	text, err := fsroot.ReadUserFile(filepath.Join(gitDir, "commondir"), maxNameFile)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the common folder of %s: %w", gitDir, err)
	}
	common := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return realPath(common)
}

// verifyWithGit compares the result of find with git's. The git folder is not passed to git here,
// because git would then not check the owner of the repository.
func (r *Repo) verifyWithGit(ctx context.Context) error {
	if err := r.CheckInputs(); err != nil {
		return err
	}
	_, err := os.Stat(filepath.Join(r.Common, "reftable"))
	r.UsesReftable = err == nil
	if _, format, ok := r.trustedConfig(); ok && !r.UsesReftable {
		r.Format = format
		return nil
	}
	cmd := newCmd(ctx, r.git, "-C", r.Root, "rev-parse", "--is-bare-repository", "--show-object-format", "--absolute-git-dir")
	cmd.Env = append(cleanEnv(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (ctx.Err() != nil || !errors.As(err, &exit)) {
		return fmt.Errorf("ask git about %s: %w", r.Root, errors.Join(ctx.Err(), err))
	}
	if err != nil {
		what := strings.TrimSpace(strings.TrimPrefix(said.String(), "fatal: "))
		try := "git -C " + r.Root + " status"
		if strings.Contains(what, "dubious ownership") {
			what, try = "the repository at "+r.Root+" belongs to another user", "git config --global --add safe.directory "+r.Root
		}
		if what == "" {
			what = err.Error()
		}
		return belay.Refuse(belay.CodeCannot, try, "git failed: %s", belay.VisibleLine(firstLine(what)))
	}
	// The path is last, because a path may contain line ends.
	bare, rest, _ := strings.Cut(string(out), "\n")
	format, found, _ := strings.Cut(rest, "\n")
	found = strings.TrimSuffix(found, "\n")
	if bare == "true" {
		return belay.Refuse(belay.CodeCannot, "git config core.bare false, if "+r.Root+" is its working tree",
			"the config of %s says that it is bare (no working tree)", belay.VisibleLine(r.Dir))
	}
	if real, err := realPath(found); err != nil || real != r.Dir {
		return belay.Refuse(belay.CodeCannot, "git -C "+r.Root+" rev-parse --absolute-git-dir",
			"git finds its folder at %s, belay at %s", belay.VisibleLine(found), belay.VisibleLine(r.Dir))
	}
	r.Format = format
	return nil
}

func (r *Repo) refuseHomeAndRoot() error {
	home, _ := os.UserHomeDir() // "" without HOME; the real path of "" would be the current folder
	if real, err := realPath(home); err == nil && home != "" {
		home = real
	}
	if r.Root == "/" || home != "" && r.Root == home {
		return belay.Refuse(belay.CodeCannot, "go to the project's own repository, or add --anywhere to do it anyway",
			"the repository's root is %s: a snapshot would include everything there", r.Root)
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
