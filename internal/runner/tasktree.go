package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/worktree"
)

// HomeRoot returns the root of the user's tree: the one that a task's worktree was made from,
// or the tree itself.
func HomeRoot(r *git.Repo) (string, error) {
	m, ok, err := worktree.MarkOf(r)
	if err != nil || !ok {
		return r.Root, err
	}
	return m.Home, nil
}

// SnapshotOptions returns which files the snapshots of a session contain.
func SnapshotOptions(s *session.Session) snapshot.Options {
	return snapshot.Options{Include: s.Config.Snapshot.Include, MaxFile: s.Config.Snapshot.MaxFile, Registry: s.Registry}
}

// HomeSession returns the session of the user's tree. It is s unless the current folder is in
// a task's own worktree.
func HomeSession(ctx context.Context, s *session.Session) (*session.Session, error) {
	root, err := HomeRoot(s.Repo)
	if err != nil {
		return nil, err
	}
	return openTree(ctx, s, root)
}

// openTree opens another worktree of this repository, under the same rules.
func openTree(ctx context.Context, s *session.Session, root string) (*session.Session, error) {
	if root == s.Repo.Root {
		return s, nil
	}
	gone := belay.Refuse(belay.CodeNotFound, "work from the tree it was moved to: belay -C DIR",
		"the worktree %s no longer exists", belay.VisibleLine(root))
	repo, err := git.Open(ctx, root, true)
	if belay.CodeOf(err) == belay.CodeCannot && !git.IsUnusable(err) || err == nil && (repo.Root != root || repo.Common != s.Repo.Common) {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	snaps, err := restore.Open(ctx, repo, SnapshotOptions(s))
	if err != nil {
		return nil, err
	}
	return withRepo(s, repo, snaps, 0), nil
}

func withRepo(s *session.Session, repo *git.Repo, snaps *restore.Store, ports int) *session.Session {
	other := *s
	other.Repo, other.Snaps, other.Restores, other.Ports = repo, snaps.Snapshots, snaps, ports
	return &other
}

// TaskSession returns the session of the worktree that a task runs in, its own or the user's,
// from any worktree. CodeNotFound when the task's own is missing.
func TaskSession(ctx context.Context, s *session.Session, r *session.Record) (*session.Session, error) {
	if r.Task.Worktree == "" {
		return HomeSession(ctx, s)
	}
	repo, m, ok, err := worktree.Find(ctx, s.Repo, r.Task.Worktree)
	if err != nil {
		return nil, err
	}
	if !ok || m.Task.Key() != r.Task.ID.Key() {
		try := fmt.Sprintf("belay run --resume %s recreates it", r.Task.ID)
		if !r.Open() {
			try = fmt.Sprintf("belay show %s", r.Task.ID)
		}
		return nil, belay.Refuse(belay.CodeNotFound, try, "the worktree of %s, %s, is gone", r.Task.ID,
			belay.VisibleLine(r.Task.Worktree))
	}
	snaps, err := restore.Open(ctx, repo, SnapshotOptions(s))
	if err != nil {
		return nil, err
	}
	return withRepo(s, repo, snaps, m.Ports), nil
}

// WorktreePath returns the path of a task's own worktree.
func WorktreePath(s *session.Session, task belay.TaskID) (string, error) {
	home, err := HomeRoot(s.Repo)
	if err != nil {
		return "", err
	}
	folder, err := worktree.Folder(s.Repo, home, s.Config.Worktrees)
	if err == nil {
		err = checkLocation(s, home, folder)
	}
	return filepath.Join(folder, task.Key()), err
}

// checkLocation rejects a folder for worktrees that is neither in the git folder nor beside
// the repository, under its name, unless the user trusts the setting for it: a clone must not
// choose where folders are created.
func checkLocation(s *session.Session, home, folder string) error {
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	common, err := filepath.EvalSymlinks(s.Repo.Common)
	if err != nil {
		return fmt.Errorf("find the git folder: %w", err)
	}
	beside, err := filepath.Rel(filepath.Dir(home), folder)
	if err != nil {
		return fmt.Errorf("find %s: %w", folder, err)
	}
	first, _, _ := strings.Cut(filepath.ToSlash(beside), "/")
	name, ok := strings.CutPrefix(first, filepath.Base(home))
	if ok && name != "" && strings.ContainsAny(name[:1], ".-_") || folder == common ||
		strings.HasPrefix(folder, common+string(filepath.Separator)) {
		return nil
	}
	for _, value := range s.Gate.Values("worktrees") {
		if at, err := worktree.Folder(s.Repo, home, value); err == nil &&
			(folder == at || strings.HasPrefix(folder, at+string(filepath.Separator))) {
			return nil
		}
	}
	return &belay.Error{Code: belay.CodeCannot,
		What: "worktrees in .belay/config.yaml points outside the repository, to " + belay.VisibleLine(folder),
		Try:  "belay trust (or --trust in a script), or worktrees: ../" + filepath.Base(home) + "-trees", Err: config.ErrUntrusted}
}

// PrepareTree returns the session of the tree for a task to run in. It creates the task's own
// worktree if it does not exist: at first from the current state of the user's tree, including
// uncommitted work; later, if it was removed, from the task's last snapshot.
func PrepareTree(ctx context.Context, s *session.Session, r *session.Record, w Observer) (*session.Session, error) {
	if r.Task.Worktree == "" {
		return TaskSession(ctx, s, r)
	}
	home, err := HomeSession(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := checkLocation(s, home.Repo.Root, filepath.Dir(r.Task.Worktree)); err != nil {
		return nil, err
	}
	// One at a time, because git lists all worktrees while it adds one.
	lock := fsroot.NewLock(filepath.Join(s.Repo.Common, "belay", "trees.lock"))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	from, err := startSnapshot(ctx, home, r, w)
	if err != nil {
		return nil, err
	}
	made, err := worktree.MakeTree(ctx, home.Restores, r.Task.Worktree,
		worktree.Mark{Task: r.Task.ID, Home: home.Repo.Root, From: from}, SnapshotOptions(s))
	if err != nil {
		return nil, err
	}
	if made.New {
		w.Note(fmt.Sprintf("%s works in %s", r.Task.ID, r.Task.Worktree))
		if r.State.Before != "" {
			w.Note(fmt.Sprintf("recreated the worktree of %s from snapshot %s", r.Task.ID, from.Short()))
		}
	}
	if !made.Mark.SetUp && made.Mark.Ports == 0 {
		made.Mark.Ports = freePorts(s.Repo.Common)
		if err := worktree.WriteMark(made.Repo, made.Mark); err != nil {
			return nil, err
		}
	}
	at := withRepo(s, made.Repo, made.Snaps, made.Mark.Ports)
	if made.Mark.SetUp {
		copyInstalled(ctx, home.Repo.Root, made.Repo, w)
		return at, nil
	}
	if err := lock.Unlock(); err != nil { // other worktrees are set up at the same time
		return nil, err
	}
	unlock, err := at.LockTreeToRun(ctx, r.Task.ID, "belay run")
	if err != nil {
		return nil, err
	}
	defer unlock()
	copyInstalled(ctx, home.Repo.Root, made.Repo, w)
	if now, _, err := worktree.MarkOf(made.Repo); err != nil || now.SetUp { // by another process, meanwhile
		return at, err
	}
	if err := copyIncluded(ctx, home, made.Repo, w); err != nil {
		return nil, err
	}
	if err := runSetUp(ctx, at, r, w); err != nil {
		return nil, err
	}
	made.Mark.SetUp = true
	return at, worktree.WriteMark(made.Repo, made.Mark)
}

// worktreeMark names the snapshot that a task's own worktree is made from.
const worktreeMark = "worktree"

// startSnapshot returns the snapshot from which a task's worktree is made.
func startSnapshot(ctx context.Context, s *session.Session, r *session.Record, w Observer) (belay.SnapshotID, error) {
	if r.State.Before != "" {
		return lastSnapshot(ctx, s, r)
	}
	info, found, err := s.Snaps.Find(ctx, r.Task.ID, worktreeMark, r.OwnsSnapshot)
	if err != nil || found {
		return info.ID, err
	}
	if held, busy := s.TreeLockHolder(); busy {
		w.Note(fmt.Sprintf("%s starts from the current working tree, while %s is working in it", r.Task.ID, held))
	}
	meta := snapshot.Meta{Kind: belay.KindBefore, Task: r.Task.ID, Command: worktreeMark, Feature: r.Task.Feature, Journal: r.Log.Head.Hash,
		Message: "start of the worktree of " + string(r.Task.ID)}
	before, err := workToBring(s, r)
	if err != nil {
		return "", err
	}
	if len(before) > 0 {
		info, err = worktree.Together(ctx, s.Restores, before, meta)
	} else {
		info, err = s.Snaps.Take(ctx, meta)
	}
	if names := info.UncapturedAndNestedSummary(); names != "" && err == nil {
		w.Note(fmt.Sprintf("not in the worktree of %s: %s", r.Task.ID, names))
	}
	return info.ID, err
}

// lastSnapshot returns the snapshot of a task's tree as the loop expects it: the before snapshot if
// an attempt starts from it, else the last one taken.
func lastSnapshot(ctx context.Context, sess *session.Session, r *session.Record) (belay.SnapshotID, error) {
	all, err := sess.Snaps.List(ctx)
	if err != nil {
		return "", err
	}
	c := r.State.Pending
	anew := c != nil && c.Kind == loop.CmdAttempt && (c.Prompt == loop.PromptFull || c.Prompt == loop.PromptRetry)
	last := r.State.Before
	for _, s := range all {
		working := s.Kind == belay.KindAfter || s.Kind == belay.KindStall || s.Kind == belay.KindBefore && s.Command != worktreeMark
		if !working || s.ID <= last || anew && !strings.HasPrefix(s.Command, c.ID+":") {
			continue
		}
		if s.Task.Key() == r.Task.ID.Key() && r.OwnsSnapshot(s) {
			last = s.ID
		}
	}
	return last, nil
}

// ResultSnapshot returns the snapshot of the result of a task's last attempt, "" if there is none.
func ResultSnapshot(r *session.Record) belay.SnapshotID {
	for _, a := range slices.Backward(r.State.Attempts) {
		if a.Snapshot != "" {
			return a.Snapshot
		}
	}
	return ""
}

// IsUnmerged reports whether a task was accepted in its own worktree and its work is not merged
// yet.
func IsUnmerged(r *session.Record) bool {
	if r.Task.Worktree == "" || r.State.Outcome != loop.OutcomePassed {
		return false
	}
	return !slices.ContainsFunc(r.Notes, func(n session.Note) bool { return n.Kind == session.MergedNote })
}

// NeedsSnapshots returns a function that reports whether a task's snapshots are needed: the task is
// open, its accepted work is not merged yet, or an undo reverted the merge.
func NeedsSnapshots(ctx context.Context, s *session.Session) func(r *session.Record) bool {
	takenBack := WasUndone(ctx, s)
	return func(r *session.Record) bool { return r.Open() || IsUnmerged(r) || takenBack(r) }
}

// WasUndone returns a function that reports whether a task's work was merged into the user's
// tree and an undo reverted that. If the history of restores cannot be read, it returns true
// for every merged task.
func WasUndone(ctx context.Context, s *session.Session) func(r *session.Record) bool {
	back := func(belay.SnapshotID) bool { return true }
	if home, err := HomeSession(ctx, s); err == nil {
		if known, err := home.Restores.UndoneRestores(); err == nil {
			back = known
		}
	}
	return func(r *session.Record) bool {
		var rescue belay.SnapshotID // of the last merge that wrote anything
		for _, n := range r.Notes {
			if n.Kind == session.MergedNote && n.Rescue != "" {
				rescue = n.Rescue
			}
		}
		return rescue != "" && back(rescue)
	}
}
