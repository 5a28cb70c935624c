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

// The user's tree is changed only through package restore, which takes a rescue snapshot
// first.

// Mark is what a task's working tree says of itself, in belay's folder of its git folder.
type Mark struct {
	Version int              `json:"version"`
	Task    belay.TaskID     `json:"task"`
	Home    string           `json:"home"`             // the root of the tree it was made from
	From    belay.SnapshotID `json:"from"`             // the state it was made in
	Made    bool             `json:"made"`             // false while it is being made
	Ports   int              `json:"ports,omitempty"`  // the first of the ports that are the task's; 0 for none
	SetUp   bool             `json:"set_up,omitempty"` // the command of the config for new trees ended well, and all is copied
}

const markVersion = 1

func markPath(r *git.Repo) string { return filepath.Join(r.Dir, "belay", "tree.json") }

// MarkOf reads a working tree's mark. There is none in trees that belay did not make.
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

// Ports gives the first port of each working tree that has some, of the repository with this git folder.
func Ports(common string) map[int]bool {
	taken := map[int]bool{}
	folder := filepath.Join(common, "worktrees")
	trees, _ := fsroot.ReadDir(folder) // none where it is not there
	for _, d := range trees {
		var m Mark
		text, err := fsroot.ReadFile(filepath.Join(folder, d.Name(), "belay", "tree.json"), fsroot.MaxSmallFile)
		if err == nil && json.Unmarshal(text, &m) == nil && m.Ports > 0 {
			taken[m.Ports] = true
		}
	}
	return taken
}

// WriteMark replaces a working tree's mark.
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

// Folder returns where tasks' working trees lie: in NAME.belay beside the user's tree NAME, or where
// the config says, from the root of that tree. Where nothing can be made beside it, they lie in belay's folder in
// the git folder; there some agents refuse to write. A folder within the user's tree is refused
// (CodeUsage): what is there would be part of every snapshot.
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

// real resolves links in as much of a path as is there: git names trees so.
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

// Find opens the working tree at path, with its mark. ok is false when there is none, or
// none that was made whole.
func Find(ctx context.Context, home *git.Repo, path string) (r *git.Repo, m Mark, ok bool, err error) {
	_, err = fsroot.Lstat(filepath.Join(path, ".git"))
	var link *fsroot.LinkError
	if errors.As(err, &link) { // a tree somewhere else would be treated as it
		return nil, m, false, err
	}
	if err != nil {
		return nil, m, false, nil // without that git would find the repository around it
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

// Made is a task's working tree, opened.
type Made struct {
	Repo  *git.Repo
	Snaps *restore.Store
	Mark  Mark
	New   bool // it was made now
}

// Make gives the working tree at path, recreated in the state of a snapshot unless it is
// there already: files, modes, empty folders and index; HEAD is detached at the same
// commit, so that no branch of the user's moves. An operation in progress stays behind.
// Killed anywhere, the next Make finishes it. CodeCannot when something else is there.
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
	if r == nil || now.Task == "" { // nothing there, or killed before it was marked
		if r, err = add(ctx, home, path, from); err != nil {
			return Made{}, err
		}
		if err := WriteMark(r, m); err != nil {
			return Made{}, err
		}
	}
	return fill(ctx, r, from, m, o)
}

// add makes a linked working tree without files.
func add(ctx context.Context, home *restore.Store, path string, from snapshot.Info) (*git.Repo, error) {
	if err := free(path); err != nil {
		return nil, err
	}
	if err := fsroot.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(path), err)
	}
	commit := from.Head
	if commit == "" { // a branch without a commit: git wants one to begin with
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
	// Twice forced: what is registered there was removed by hand, locked or not.
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

// free makes way for a working tree: an empty folder, or one with nothing but git's own
// file, which a kill left. Anything else is somebody's.
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

// fill puts a snapshot's state into a working tree that was just made.
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
	if out.Rescue != "" { // of an empty tree
		if err := snaps.Drop(ctx, out.Rescue); err != nil {
			return Made{}, err
		}
	}
	m.Made = true
	return Made{Repo: r, Snaps: snaps, Mark: m, New: true}, WriteMark(r, m)
}

// Remove takes a task's working tree away, files and all. Whether it may go is for the
// caller to know. A tree that is gone already is only forgotten.
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
	_ = fsroot.Remove(filepath.Dir(path)) // the folder of such trees, when it was the last
	return nil
}

// loosen opens folders that may not be written in: what is in them could not be removed.
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

// registered reports whether git knows a linked working tree at path.
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
