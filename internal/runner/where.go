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

// HomeOf gives the root of the user's tree: the one a task's working tree was made from,
// or the tree itself.
func HomeOf(r *git.Repo) (string, error) {
	m, ok, err := worktree.MarkOf(r)
	if err != nil || !ok {
		return r.Root, err
	}
	return m.Home, nil
}

// Captured says which files the snapshots of a session contain.
func Captured(s *session.Session) snapshot.Options {
	return snapshot.Options{Include: s.Config.Snapshot.Include, MaxFile: s.Config.Snapshot.MaxFile, Registry: s.Known}
}

// Home returns the session of the user's tree. It is this one unless a person stands in a
// task's own.
func Home(ctx context.Context, s *session.Session) (*session.Session, error) {
	root, err := HomeOf(s.Repo)
	if err != nil {
		return nil, err
	}
	return in(ctx, s, root)
}

// in opens another working tree of this repository, under the same rules.
func in(ctx context.Context, s *session.Session, root string) (*session.Session, error) {
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
	snaps, err := restore.Open(ctx, repo, Captured(s))
	if err != nil {
		return nil, err
	}
	return with(s, repo, snaps, 0), nil
}

func with(s *session.Session, repo *git.Repo, snaps *restore.Store, ports int) *session.Session {
	other := *s
	other.Repo, other.Snaps, other.Restores, other.Ports = repo, snaps.Snapshots, snaps, ports
	return &other
}

// At returns the session of the working tree that a task runs in, from wherever a person
// stands: its own, or the user's. CodeNotFound when its own is gone.
func At(ctx context.Context, s *session.Session, r *session.Record) (*session.Session, error) {
	if r.Task.Worktree == "" {
		return Home(ctx, s)
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
	snaps, err := restore.Open(ctx, repo, Captured(s))
	if err != nil {
		return nil, err
	}
	return with(s, repo, snaps, m.Ports), nil
}

// Path is where the working tree of a task's own lies.
func Path(s *session.Session, task belay.TaskID) (string, error) {
	home, err := HomeOf(s.Repo)
	if err != nil {
		return "", err
	}
	folder, err := worktree.Folder(s.Repo, home, s.Config.Worktrees)
	if err == nil {
		err = mayLie(s, home, folder)
	}
	return filepath.Join(folder, task.Key()), err
}

// mayLie refuses a folder of working trees that lies elsewhere than in the git folder or
// beside the repository, under its name, unless the user trusts the setting that says so:
// a clone must not choose where folders are made.
func mayLie(s *session.Session, home, folder string) error {
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
	for _, value := range s.May.Values("worktrees") {
		if at, err := worktree.Folder(s.Repo, home, value); err == nil &&
			(folder == at || strings.HasPrefix(folder, at+string(filepath.Separator))) {
			return nil
		}
	}
	return &belay.Error{Code: belay.CodeCannot,
		What: "worktrees in .belay/config.yaml points outside the repository, to " + belay.VisibleLine(folder),
		Try:  "belay trust (or --trust in a script), or worktrees: ../" + filepath.Base(home) + "-trees", Err: config.ErrUntrusted}
}

// Ready returns the session of the tree that a task is to run in. Its own is made if it is not
// there: at first from what the user's tree holds now, uncommitted work included; later,
// when somebody removed it, from the task's last snapshot.
func Ready(ctx context.Context, s *session.Session, r *session.Record, w Watcher) (*session.Session, error) {
	if r.Task.Worktree == "" {
		return At(ctx, s, r)
	}
	home, err := Home(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := mayLie(s, home.Repo.Root, filepath.Dir(r.Task.Worktree)); err != nil {
		return nil, err
	}
	// One at a time: git lists all trees while it adds one.
	lock := fsroot.NewLock(filepath.Join(s.Repo.Common, "belay", "trees.lock"))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	from, err := startOf(ctx, home, r, w)
	if err != nil {
		return nil, err
	}
	made, err := worktree.MakeTree(ctx, home.Restores, r.Task.Worktree,
		worktree.Mark{Task: r.Task.ID, Home: home.Repo.Root, From: from}, Captured(s))
	if err != nil {
		return nil, err
	}
	if made.New {
		w.Note(fmt.Sprintf("%s works in %s", r.Task.ID, r.Task.Worktree))
		if r.State.Before != "" {
			w.Note(fmt.Sprintf("recreated the worktree of %s from snapshot %s", r.Task.ID, from.Short()))
		}
	}
	equip(ctx, home.Repo.Root, made.Repo, w)
	if made.Mark.SetUp {
		return with(s, made.Repo, made.Snaps, made.Mark.Ports), nil
	}
	if made.Mark.Ports == 0 {
		made.Mark.Ports = freePorts(s.Repo.Common)
	}
	at := with(s, made.Repo, made.Snaps, made.Mark.Ports)
	if err := include(ctx, home, made.Repo, w); err != nil {
		return nil, err
	}
	if err := setUp(ctx, at, r, w); err != nil {
		return nil, err
	}
	made.Mark.SetUp = true
	return at, worktree.WriteMark(made.Repo, made.Mark)
}

// apartMark names the snapshot that a task's own working tree is made from.
const apartMark = "worktree"

// startOf gives the state in which a task's working tree is made.
func startOf(ctx context.Context, s *session.Session, r *session.Record, w Watcher) (belay.SnapshotID, error) {
	if r.State.Before != "" {
		return lastOf(ctx, s, r)
	}
	info, found, err := s.Snaps.Find(ctx, r.Task.ID, apartMark, r.Own)
	if err != nil || found {
		return info.ID, err
	}
	if held, busy := s.Held(); busy {
		w.Note(fmt.Sprintf("%s starts from the current working tree, while %s is working in it", r.Task.ID, held))
	}
	meta := snapshot.Meta{Kind: belay.KindBefore, Task: r.Task.ID, Command: apartMark, Feature: r.Task.Feature, Journal: r.Log.Head.Hash,
		Message: "start of the worktree of " + string(r.Task.ID)}
	before, err := toBring(s, r)
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

// lastOf gives the snapshot that holds a task's tree as the loop takes it to be: the state
// before where an attempt is to begin anew, else the last one taken.
func lastOf(ctx context.Context, sess *session.Session, r *session.Record) (belay.SnapshotID, error) {
	all, err := sess.Snaps.List(ctx)
	if err != nil {
		return "", err
	}
	c := r.State.Pending
	anew := c != nil && c.Kind == loop.CmdAttempt && (c.Prompt == loop.PromptFull || c.Prompt == loop.PromptRetry)
	last := r.State.Before
	for _, s := range all {
		working := s.Kind == belay.KindAfter || s.Kind == belay.KindStall || s.Kind == belay.KindBefore && s.Command != apartMark
		if !working || s.ID <= last || anew && !strings.HasPrefix(s.Command, c.ID+":") {
			continue
		}
		if s.Task.Key() == r.Task.ID.Key() && r.Own(s) {
			last = s.ID
		}
	}
	return last, nil
}

// Result is the snapshot of what a task's last attempt left, "" when there is none.
func Result(r *session.Record) belay.SnapshotID {
	for _, a := range slices.Backward(r.State.Attempts) {
		if a.Snapshot != "" {
			return a.Snapshot
		}
	}
	return ""
}

// Unmerged reports whether a task was accepted in a working tree of its own and its work
// was not brought back yet.
func Unmerged(r *session.Record) bool {
	if r.Task.Worktree == "" || r.State.Outcome != loop.OutcomePassed {
		return false
	}
	return !slices.ContainsFunc(r.Notes, func(n session.Note) bool { return n.Kind == session.MergedNote })
}

// Needs tells of a task whether its snapshots are needed: it is open, its work was accepted
// in a tree of its own and is not brought back yet, or an undo has taken it out again.
func Needs(ctx context.Context, s *session.Session) func(r *session.Record) bool {
	takenBack := TakenBack(ctx, s)
	return func(r *session.Record) bool { return r.Open() || Unmerged(r) || takenBack(r) }
}

// TakenBack tells of a task whether its work was brought into the user's tree and an undo
// has taken it out again. Where the history of restores cannot be read, it says so of
// every task whose work was brought.
func TakenBack(ctx context.Context, s *session.Session) func(r *session.Record) bool {
	back := func(belay.SnapshotID) bool { return true }
	if home, err := Home(ctx, s); err == nil {
		if known, err := home.Restores.UndoneRestores(); err == nil {
			back = known
		}
	}
	return func(r *session.Record) bool {
		var rescue belay.SnapshotID // of the last merge
		for _, n := range r.Notes {
			if n.Kind == session.MergedNote {
				rescue = n.Rescue
			}
		}
		return rescue != "" && back(rescue)
	}
}
