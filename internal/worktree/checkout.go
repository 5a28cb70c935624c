package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

// A checkout changes nothing in the user's repository. Its folder has a git repository of its own,
// which reads the user's objects. Close removes the folder; if the process is killed, the next
// checkout does.

// Checkout is a temporary folder with the files of a snapshot.
type Checkout struct {
	Root string // the worktree, with the snapshot's files
	dir  string // contains the tree and the lock
	lock *fsroot.Lock
}

const prefix = "belay-checkout-"

// Make checks out a snapshot: its files, HEAD and branch, and an index equal to HEAD. reuse names
// folders of the user's worktree, such as node_modules, that the project needs to run. They are
// linked, not copied, and only where the snapshot has nothing at that path.
//
// The caller has to close the Checkout. Make returns CodeNotFound when there is no such snapshot.
func Make(ctx context.Context, snaps *snapshot.Store, id belay.SnapshotID, reuse []string) (_ *Checkout, err error) {
	info, err := snaps.LookUp(ctx, id)
	if err != nil {
		return nil, err
	}
	sweep(os.TempDir())
	c, err := newFolder()
	if err != nil {
		return nil, fmt.Errorf("create a temporary checkout: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := restore.Export(ctx, snaps, id, c.Root); err != nil {
		return nil, fmt.Errorf("create a temporary checkout: %w", err)
	}
	if err := c.repository(ctx, snaps.Repo, info); err != nil {
		return nil, fmt.Errorf("create a temporary checkout: %w", err)
	}
	for _, name := range reuse {
		if err := c.link(snaps.Repo.Root, name); err != nil {
			return nil, fmt.Errorf("reuse %s in a temporary checkout: %w", belay.VisibleLine(name), err)
		}
	}
	return c, nil
}

// MakeEquipped makes a checkout with the installed packages of the user's worktree, ready for tests. done removes it.
func MakeEquipped(ctx context.Context, snaps *snapshot.Store, id belay.SnapshotID, reuse []string) (root string, done func(), err error) {
	c, err := Make(ctx, snaps, id, reuse)
	if err != nil {
		return "", nil, err
	}
	if err := c.Equip(snaps.Repo.Root); err != nil {
		return "", nil, errors.Join(err, c.Close())
	}
	return c.Root, func() { _ = c.Close() }, nil // the next checkout removes what remains
}

// Equip shares the installed packages of the worktree at root. No snapshot contains them, but tests
// need them.
func (c *Checkout) Equip(root string) error {
	for _, name := range agent.InstalledPackages(root) {
		if err := agent.ShareFolder(root, c.Root, name); err != nil {
			return fmt.Errorf("share %s with a temporary checkout: %w", belay.VisibleLine(name), err)
		}
	}
	return nil
}

// maxIgnoredBytes limits the ignored files that are copied into one checkout.
const maxIgnoredBytes = 512 << 20

// CopyIgnored copies into a new checkout at root the ignored files of the user's worktree that it lacks: no snapshot
// contains them, but tests may need them. Caches are left out. It returns the paths that it copied, and with the reason
// those that it could not copy.
func CopyIgnored(ctx context.Context, from *git.Repo, root string) (copied, left []string) {
	out, err := from.Run(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil, []string{"ignored files (" + err.Error() + ")"}
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if trimmed := strings.TrimSuffix(name, "/"); trimmed != "" && !isCache(name) {
			names = append(names, trimmed)
		}
	}
	return agent.CopyMissing(ctx, from.Root, root, names, maxIgnoredBytes)
}

// isCache reports whether an ignored path is nothing that a test reads: caches, logs, settings of editors.
func isCache(name string) bool {
	switch top := belay.Output(name); path.Base(top) {
	case ".":
	case "dist", "build", "_build", "out", "obj", "target", "vendor": // a test may need what was built
		return false
	default:
		return true
	}
	switch base := path.Base(name); {
	case base == ".DS_Store", base == "Thumbs.db", base == ".idea", base == ".vscode", base == ".coverage",
		strings.HasPrefix(name, ".belay/"):
		return true
	default:
		return slices.Contains([]string{".log", ".pyc", ".swp", ".tsbuildinfo"}, path.Ext(base))
	}
}

// newFolder creates the folder and locks it. A folder without a lock was left by a killed process.
func newFolder() (*Checkout, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	c := &Checkout{Root: filepath.Join(dir, "tree"), dir: dir, lock: fsroot.NewLock(filepath.Join(dir, "lock"))}
	if ok, err := c.lock.TryLock(); err != nil || !ok {
		os.RemoveAll(dir)
		return nil, errors.Join(err, errors.New("it is locked"))
	}
	return c, nil
}

// Close removes the folder.
func (c *Checkout) Close() error {
	err := remove(c.dir)
	return errors.Join(err, c.lock.Unlock())
}

// repository creates a git repository in the checkout. Its only connection to the user's is the
// alternates file, through which git only reads objects.
func (c *Checkout) repository(ctx context.Context, from *git.Repo, info snapshot.Info) error {
	if _, err := os.Lstat(filepath.Join(c.Root, ".git")); err == nil {
		return nil // the snapshot itself contains a .git
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[gc]\n\tauto = 0\n"
	if from.Format == "sha256" {
		config = strings.Replace(config, "= 0\n", "= 1\n", 1) + "[extensions]\n\tobjectFormat = sha256\n"
	}
	branch, head := info.Branch, info.Head
	if !strings.HasPrefix(branch, "refs/heads/") || !filepath.IsLocal(filepath.FromSlash(branch)) {
		branch = ""
	}
	files := map[string]string{
		"config": config, "objects/info/alternates": alternate(filepath.Join(from.Common, "objects")), "refs/heads/.keep": "",
	}
	switch {
	case branch != "" && head != "":
		files["HEAD"], files[branch] = "ref: "+branch+"\n", head+"\n"
	case head != "":
		files["HEAD"] = head + "\n"
	case branch != "":
		files["HEAD"] = "ref: " + branch + "\n"
	default:
		files["HEAD"] = "ref: refs/heads/none\n"
	}
	shallow, err := fsroot.ReadFile(filepath.Join(from.Common, "shallow"), fsroot.MaxSmallFile)
	if err == nil { // without it git looks for the commits that a shallow clone lacks
		files["shallow"] = string(shallow)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Join(c.Root, ".git")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(dir, "refs/heads/.keep")); err != nil || head == "" {
		return err
	}
	repo, err := from.OpenOther(ctx, c.Root)
	if err != nil {
		return err
	}
	_, err = repo.Run(ctx, nil, "read-tree", head)
	return err
}

// alternate quotes a path for objects/info/alternates.
func alternate(path string) string {
	if !strings.ContainsAny(path, "\n\"#\\") {
		return path + "\n"
	}
	return "\"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n").Replace(path) + "\"\n"
}

// link links the folder name of root into the checkout, unless the path is taken there or does not
// exist in root.
func (c *Checkout) link(root, name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return belay.Refuse(belay.CodeUsage, "write the path from the repository's root", "%q is outside the repository", name)
	}
	source, path := filepath.Join(root, name), filepath.Join(c.Root, name)
	if _, err := os.Stat(source); err != nil {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.Symlink(source, path)
}

// sweep removes folders of killed processes: those that nobody has locked.
func sweep(dir string) {
	left, _ := fsroot.Glob(dir, prefix+"*")
	for _, path := range left {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Minute || !ours(info) {
			continue
		}
		lock := fsroot.NewLock(filepath.Join(path, "lock"))
		if ok, err := lock.TryLock(); ok && err == nil {
			_ = remove(path) // the next sweep tries again
		}
		lock.Unlock()
	}
}

// remove deletes dir even if it has read-only folders, such as Go's module cache.
func remove(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
