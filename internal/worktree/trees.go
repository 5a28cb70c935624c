package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/restore"
)

// The user's tree is changed only by package restore, which takes a rescue snapshot first.

// Mark describes a task's worktree. It is stored in belay's folder in the worktree's git folder.
type Mark struct {
	Version int              `json:"version"`
	Task    belay.TaskID     `json:"task"`
	Home    string           `json:"home"`             // the root of the worktree it was made from
	From    belay.SnapshotID `json:"from"`             // the snapshot it was made from
	Made    bool             `json:"made"`             // false until it is complete
	Ports   int              `json:"ports,omitempty"`  // the first of the task's ports, or 0
	SetUp   bool             `json:"set_up,omitempty"` // the configured setup command succeeded and the configured files are copied
}

const markVersion = 1

func markPath(r *git.Repo) string { return filepath.Join(r.Dir, "belay", "tree.json") }

// MarkOf reads the mark of a worktree. It returns false for one that belay did not make.
func MarkOf(r *git.Repo) (Mark, bool, error) {
	var m Mark
	if !r.Linked() {
		return m, false, nil
	}
	text, err := fsroot.ReadFile(markPath(r), fsroot.MaxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, false, fmt.Errorf("read the mark of %s: %w", r.Root, err)
	}
	if m.Version != markVersion {
		return m, false, belay.Refuse(belay.CodeCannot, "use the version of belay that made it",
			"the worktree %s has an unknown version", belay.VisibleLine(r.Root))
	}
	return m, true, nil
}

// Ports returns the first ports of all worktrees of the repository with this common git folder.
func Ports(common string) map[int]bool {
	taken := map[int]bool{}
	folder := filepath.Join(common, "worktrees")
	trees, _ := fsroot.ReadDir(folder) // empty when there is no such folder
	for _, d := range trees {
		var m Mark
		text, err := fsroot.ReadFile(filepath.Join(folder, d.Name(), "belay", "tree.json"), fsroot.MaxSmallFile)
		if err == nil && json.Unmarshal(text, &m) == nil && m.Ports > 0 {
			taken[m.Ports] = true
		}
	}
	return taken
}

// WriteMark replaces the mark of a worktree.
func WriteMark(r *git.Repo, m Mark) error {
	m.Version = markVersion
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := fsroot.MkdirAll(filepath.Dir(markPath(r)), 0o700); err != nil {
		return fmt.Errorf("make %s: %w", filepath.Dir(markPath(r)), err)
	}
	return snapshot.WriteAtomic(markPath(r), text, true)
}

// Folder returns the folder for tasks' worktrees: the one in the setting, relative to root, or else
// NAME.belay next to the user's tree NAME. When belay may not write there, it is in belay's folder
// in the git folder, where some agents refuse to write. It returns CodeUsage for a folder inside
// the user's tree, because every snapshot would contain it.
func Folder(r *git.Repo, root, setting string) (string, error) {
	if setting == "" {
		beside := filepath.Join(filepath.Dir(root), filepath.Base(root)+".belay")
		if root == filepath.Dir(root) || unix.Access(filepath.Dir(root), unix.W_OK|unix.X_OK) != nil {
			return filepath.Join(r.Common, "belay", "trees"), nil
		}
		return real(beside), nil
	}
	dir := setting
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	dir = real(dir)
	if inside(root, dir) && !inside(r.Common, dir) {
		return "", belay.Refuse(belay.CodeUsage,
			"name a folder beside it in .belay/config.yaml, like worktrees: ../"+filepath.Base(root)+"-trees",
			"%s is inside the working tree", belay.VisibleLine(dir))
	}
	return dir, nil
}

// real resolves symlinks in the part of path that exists, as git does for worktrees.
func real(path string) string {
	rest := ""
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if got, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(got, rest)
		}
		if p == filepath.Dir(p) {
			return filepath.Clean(path)
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Find opens the worktree at path and reads its mark. ok is false when there is none or it is
// incomplete.
func Find(ctx context.Context, home *git.Repo, path string) (r *git.Repo, m Mark, ok bool, err error) {
	_, err = fsroot.Lstat(filepath.Join(path, ".git"))
	var link *fsroot.LinkError
	if errors.As(err, &link) { // the .git of another tree would be taken for this one's
		return nil, m, false, err
	}
	if err != nil {
		return nil, m, false, nil // git would use the repository around it instead
	}
	r, err = git.Open(ctx, path, true)
	if belay.CodeOf(err) == belay.CodeCannot && !git.IsUnusable(err) {
		return nil, m, false, nil // its git folder was pruned
	}
	if err != nil || r.Common != home.Common || r.Root != real(path) {
		return nil, m, false, err
	}
	m, ok, err = MarkOf(r)
	return r, m, ok && m.Made, err
}

// Made is the worktree of a task, opened.
type Made struct {
	Repo  *git.Repo
	Snaps *restore.Store
	Mark  Mark
	New   bool // it did not exist before
}

// MakeTree opens the task's worktree at path. If there is none, it creates one in the state of
// snapshot m.From: files, modes, empty folders and index, with HEAD detached at the same commit so
// that no branch of the user moves. A merge or rebase in progress is not copied. After a kill the
// next call finishes the work. It returns CodeCannot when something else is at path.
func MakeTree(ctx context.Context, home *restore.Store, path string, m Mark, o snapshot.Options) (Made, error) {
	r, now, ok, err := Find(ctx, home.Snapshots.Repo, path)
	if err != nil {
		return Made{}, err
	}
	if ok && now.Task.Key() != m.Task.Key() {
		return Made{}, belay.Refuse(belay.CodeCannot, "belay worktree remove "+string(now.Task),
			"%s is the working tree of %s", belay.VisibleLine(path), now.Task)
	}
	if ok {
		snaps, err := restore.Open(ctx, r, o)
		return Made{Repo: r, Snaps: snaps, Mark: now}, err
	}
	from, err := home.Snapshots.LookUp(ctx, m.From)
	if err != nil {
		return Made{}, err
	}
	if r == nil || now.Task == "" { // nothing there, or killed before the mark was written
		if r, err = add(ctx, home, path, from); err != nil {
			return Made{}, err
		}
		if err := WriteMark(r, m); err != nil {
			return Made{}, err
		}
	}
	return fill(ctx, r, from, m, o)
}

// add creates a linked worktree without files.
func add(ctx context.Context, home *restore.Store, path string, from snapshot.Info) (*git.Repo, error) {
	if err := free(path); err != nil {
		return nil, err
	}
	if err := fsroot.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(path), err)
	}
	commit := from.Head
	if commit == "" { // git needs a commit to create a worktree
		tree, objects, err := home.Snapshots.Repo.Tree(nil)
		if err != nil {
			return nil, err
		}
		none := snapshot.CommitObject(home.Snapshots.Repo, tree, nil, from.Time, "belay: nothing yet\n")
		store := git.Packs{Repo: home.Snapshots.Repo, Scratch: filepath.Join(home.Snapshots.Worktree.Dir, "tmp")}
		if _, err := store.Store(ctx, append(objects, none)); err != nil {
			return nil, err
		}
		commit = none.OID
	}
	// -f twice also replaces a locked worktree whose folder was removed by hand.
	_, err := home.Snapshots.Repo.Run(ctx, nil, "worktree", "add", "-f", "-f", "--detach", "--no-checkout", "--", path, commit)
	if err != nil {
		return nil, fmt.Errorf("make the working tree %s: %w", path, err)
	}
	r, err := git.Open(ctx, path, true)
	if err == nil && from.Head == "" {
		err = r.SetSymref(ctx, "belay: begin", "HEAD", "refs/heads/belay/"+filepath.Base(path))
	}
	return r, err
}

// free removes an empty folder at path, or one that has only the .git file of a killed attempt. It
// refuses anything else.
func free(path string) error {
	list, err := fsroot.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(list) > 1 || len(list) == 1 && list[0].Name() != ".git" {
		return errors.Join(err, belay.Refuse(belay.CodeCannot, "move it away",
			"%s is in the way of the task's working tree", belay.VisibleLine(path)))
	}
	if len(list) == 1 {
		if err := fsroot.Remove(filepath.Join(path, ".git")); err != nil {
			return fmt.Errorf("make way for the working tree: %w", err)
		}
	}
	return fsroot.Remove(path)
}

// fill restores a snapshot into a new worktree.
func fill(ctx context.Context, r *git.Repo, from snapshot.Info, m Mark, o snapshot.Options) (Made, error) {
	snaps, err := restore.Open(ctx, r, o)
	if err != nil {
		return Made{}, err
	}
	out, err := snaps.Restore(ctx, from.ID,
		restore.Options{Task: m.Task, Reason: "to make the working tree of " + string(m.Task), NewWorktree: true})
	if err != nil {
		return Made{}, err
	}
	if out.Rescue != "" { // a snapshot of an empty tree
		if err := snaps.Drop(ctx, out.Rescue); err != nil {
			return Made{}, err
		}
	}
	m.Made = true
	return Made{Repo: r, Snaps: snaps, Mark: m, New: true}, WriteMark(r, m)
}

// Remove removes a task's worktree with all its files. The caller has to know that it may go. If
// its folder is gone already, git only forgets it.
func Remove(ctx context.Context, home *git.Repo, path string, task belay.TaskID) error {
	r, m, ok, err := Find(ctx, home, path)
	if err != nil {
		return err
	}
	if r != nil && (!ok && m.Task == "" || m.Task.Key() != task.Key()) {
		return belay.Refuse(belay.CodeCannot, "git worktree remove, if it is yours", "%s is not the working tree of %s",
			belay.VisibleLine(path), task)
	}
	known, err := registered(ctx, home, path)
	if err != nil || !known {
		return err
	}
	if err := loosen(path); err != nil {
		return err
	}
	if _, err := home.Run(ctx, nil, "worktree", "remove", "--force", "--force", "--", path); err != nil {
		return fmt.Errorf("remove the working tree %s: %w", path, err)
	}
	_ = fsroot.Remove(filepath.Dir(path)) // the parent folder, if this was the last worktree
	return nil
}

// loosen makes read-only folders writable, because their content could not be removed otherwise.
func loosen(path string) error {
	err := fsroot.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o700 != 0o700 {
			err = fsroot.Chmod(p, info.Mode().Perm()|0o700)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make way for removing %s: %w", path, err)
	}
	return nil
}

// registered reports whether git knows a linked worktree at path.
func registered(ctx context.Context, home *git.Repo, path string) (bool, error) {
	out, err := home.Run(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return false, err
	}
	for f := range strings.SplitSeq(string(out), "\x00") {
		if at, ok := strings.CutPrefix(f, "worktree "); ok && (at == path || at == real(path)) {
			return true, nil
		}
	}
	return false, nil
}
