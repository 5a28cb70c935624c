package restore

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/scan"
)

// The order of the steps makes a restore safe: nothing is destroyed that the rescue snapshot does
// not contain.

// Store restores snapshots. Taking a snapshot through Snapshots finishes an interrupted restore
// first.
type Store struct {
	Snapshots *snapshot.Store
	Report    func(string) // if set, called with the message about an interrupted restore that a command finished first
	now       func() time.Time
}

// Open opens the store of a repository. It writes nothing.
func Open(ctx context.Context, repo *git.Repo, o snapshot.Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	snaps, err := snapshot.Open(ctx, repo, o)
	if err != nil {
		return nil, err
	}
	s := &Store{Snapshots: snaps, now: o.Now}
	snaps.BeforeTake = s.recoverAndReport
	return s, nil
}

func (s *Store) intentPath() string { return filepath.Join(s.Snapshots.Worktree.Dir, "intent.json") }

// Interrupted reports whether a restore was interrupted.
func (s *Store) Interrupted() bool {
	_, err := fsroot.Lstat(s.intentPath())
	return err == nil
}

// Restore restores a snapshot's state. Everything that it overwrites or deletes is first saved in a
// rescue snapshot. If the rescue cannot contain something that is in the way, the restore fails
// (CodeCannot) before the first write and names the path. Files that are right keep their times. If
// it is killed, the next command finishes it.
//
// CodeBusy: another process is restoring, or has git's index lock. CodeNotFound: no such snapshot.
// CodeCannot: a dry run while a restore is interrupted.
func (s *Store) Restore(ctx context.Context, id belay.SnapshotID, o Options) (Restored, error) {
	unlock, err := s.lockTree(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	defer s.Snapshots.Repo.ShareReader()()
	if o.DryRun && s.Interrupted() {
		return Restored{}, s.interruptedError()
	}
	j, err := s.loadIntent(ctx)
	if err != nil {
		return Restored{}, err
	}
	if j != nil {
		// The command was run to finish it.
		it := o.SkipBroken && j.unreadReason == "" && (j.Target == id || strings.HasPrefix(string(j.Target), string(id)))
		done, err := s.finishRestore(ctx, j, it)
		switch {
		case err != nil && j.unreadReason != "" && o.SkipBroken && o.isComplete():
			o.replacesUnread = true // the requested complete state replaces an unknown one
		case err != nil:
			return Restored{}, s.cannotFinishError(ctx, j, err)
		case it:
			return *done, nil
		}
		s.reportFinished(done)
	}
	if _, err := readHistoryIfAny(s.historyPath()); err != nil && !errors.Is(err, ErrHistoryDamaged) {
		return Restored{}, err // the restore could not be recorded
	}
	out, j, err := s.restoreUnrecorded(ctx, id, o)
	if err != nil || o.DryRun {
		return out, err
	}
	if out.Rescue == "" { // nothing differs
		if o.replacesUnread {
			_, err = s.setIntentAside()
		}
		return out, err
	}
	return out, s.recordDone(j)
}

// lockTree locks the working tree for a restore.
func (s *Store) lockTree(ctx context.Context) (func(), error) {
	if _, err := s.Snapshots.Worktree.MakeScratchDir(); err != nil {
		return nil, err
	}
	lock := fsroot.NewLock(s.Snapshots.LockPath())
	waiting, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if ok, err := lock.TryLockContext(waiting, 20*time.Millisecond); !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			return nil, s.Snapshots.BusyError()
		}
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	host, _ := os.Hostname()
	note, _ := json.Marshal(map[string]any{"pid": os.Getpid(), "host": host, "since": s.now().Format(time.RFC3339)})
	_ = fsroot.WriteFile(s.Snapshots.LockPath(), note, 0o600) // for people; only the lock counts
	return func() { _ = lock.Unlock() }, nil
}

// preparedRestore is a restore with changes to make.
type preparedRestore struct {
	intent    *intent
	restored  Restored
	planner   *Planner
	git       *gitPlan
	scan      *scan.Result
	rescue    snapshot.Info
	notEdited []Kept // files in which lines could not be replaced
}

// restoreUnrecorded does everything except recording the restore in the history.
func (s *Store) restoreUnrecorded(ctx context.Context, id belay.SnapshotID, o Options) (Restored, *intent, error) {
	if len(o.Paths) > 0 {
		o.FilesOnly = true
	}
	target, err := s.Snapshots.LookUp(ctx, id)
	if err != nil {
		return Restored{}, nil, err
	}
	if !o.FilesOnly && !o.DryRun {
		if err := s.waitForIndexLock(ctx); err != nil {
			return Restored{}, nil, err
		}
	}
	rescue, c, pl, err := s.prepareRestore(ctx, target, o)
	if err != nil {
		return Restored{}, nil, err
	}
	defer pl.Root.Close()
	g := &gitPlan{}
	if !o.FilesOnly {
		if g, err = s.planGit(ctx, target, c, o); err != nil {
			return Restored{}, nil, s.dropRescue(ctx, rescue, err)
		}
	}
	steps, inside, err := s.planInner(ctx, target, o)
	if err != nil {
		return Restored{}, nil, s.dropRescue(ctx, rescue, err)
	}
	if o.Approve != nil {
		if err := o.Approve(c.FilesTree, c.Manifest); err != nil {
			return Restored{}, nil, s.dropRescue(ctx, rescue, err)
		}
	}
	out := newRestored(&pl.Plan, target.ID, g)
	j := &intent{Target: target.ID, Rescue: rescue.ID, Step: o.step, FilesOnly: o.FilesOnly, NewWorktree: o.NewWorktree,
		OnlySomeRefs: o.OnlyRef != nil, LeftFiles: g.leftFiles, Plan: pl.Plan, Refs: g.refs,
		Partial: o.Only != nil || len(o.Paths) > 0 || len(o.Preserve) > 0, Reverses: o.isReversal, Skip: o.SkipBroken, Inner: steps}
	edits, changed := s.dueEdits(pl.Root, o)
	j.Edits = edits
	out.addInner(inside)
	if out.isEmpty() && len(j.Edits) == 0 && len(pl.Plan.Chmod)+len(pl.Plan.Mkdir)+len(pl.Plan.Rmdir) == 0 && len(g.broken) == 0 {
		out.isSame = true
		return out, nil, s.dropRescue(ctx, rescue, nil)
	}
	if err := s.dropBrokenFromPlans(ctx, pl, g, j, o); err != nil {
		return out, nil, s.dropRescue(ctx, rescue, err)
	}
	out = newRestored(&j.Plan, target.ID, g)
	out.addSkipped(j)
	if o.DryRun {
		out.addInner(inside)
		out.addEdits(j.Edits, changed)
		return out, nil, nil
	}
	if out.isEmpty() && len(j.Edits) == 0 && len(j.Plan.Chmod)+len(j.Plan.Mkdir)+len(j.Plan.Rmdir)+len(j.Inner) == 0 {
		return out, nil, s.dropRescue(ctx, rescue, nil)
	}
	return s.performRestore(ctx, preparedRestore{j, out, pl, g, c.Scan, rescue, changed}, o)
}

// performRestore writes the intent and carries it out.
func (s *Store) performRestore(ctx context.Context, p preparedRestore, o Options) (Restored, *intent, error) {
	out, j, g, rescue := p.restored, p.intent, p.git, p.rescue
	out.Rescue = rescue.ID
	if o.replacesUnread {
		if err := s.makeReplaceable(); err != nil {
			return out, nil, s.dropRescue(ctx, rescue, err)
		}
	}
	if err := s.writeIntent(j); err != nil {
		if o.isReversal || o.replacesUnread { // the intent may be the old or the new one; it and the rescue must stay
			return out, nil, err
		}
		// The file may exist unsynced. The rescue is deleted only after it.
		if rerr := fsroot.Remove(s.intentPath()); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			return out, nil, errors.Join(err, rerr)
		}
		return out, nil, s.dropRescue(ctx, rescue, err)
	}
	named := len(g.notReverted)
	if err := s.carryOutIntent(ctx, p.planner.Root, j, g, p.scan); err != nil {
		return out, nil, s.unfinishedError(ctx, j, err, true)
	}
	out.Kept = append(out.Kept, g.notReverted[named:]...)
	out.addEdits(j.Edits, append(p.notEdited, j.unedited...))
	out.addInner(j.innerResults)
	if o.replacesUnread {
		saved, err := s.sweepUnread(ctx, j)
		if err != nil {
			return out, nil, s.unfinishedError(ctx, j, err, true)
		}
		out.Kept = append(out.Kept, saved...)
	}
	out.addSkipped(j)
	return out, j, nil
}

// dropBrokenFromPlans finds, before the first write, the parts of the plans that cannot be
// restored. With SkipBroken they are skipped and recorded. Otherwise the error is a *BrokenError,
// which also reports what would have to be destroyed.
func (s *Store) dropBrokenFromPlans(ctx context.Context, pl *Planner, g *gitPlan, j *intent, o Options) error {
	var broken []Kept
	if o.SkipBroken {
		broken = j.Plan.SkipBlocked()
		j.Plan.Blocked = nil
		j.dropBroken(broken, g)
	}
	pl.Plan = j.Plan
	at := Target{Repo: s.Snapshots.Repo, Root: pl.Root}
	broken, err := at.FindBroken(ctx, &j.Plan)
	if err != nil {
		return err
	}
	if !o.FilesOnly && !o.NewWorktree {
		if err := s.findBrokenGit(ctx, g); err != nil {
			return err
		}
		broken = append(broken, g.broken...)
	}
	again := cmp.Or(o.CommandText, "belay snapshot restore "+string(j.Target))
	if blocked := j.Plan.SkipBlocked(); len(j.Plan.Blocked) > 0 {
		return &BrokenError{Paths: append(blocked, broken...), Command: again, Snapshot: "snapshot " + j.Target.Short(),
			blocked: pl.Check(ctx)}
	}
	if len(broken) > 0 && !o.SkipBroken {
		return &BrokenError{Paths: broken, Command: again, Snapshot: "snapshot " + j.Target.Short()}
	}
	j.dropBroken(broken, g)
	pl.Plan = j.Plan
	return pl.Check(ctx)
}

// prepareRestore takes the rescue snapshot and plans. If the plan would overwrite ignored paths,
// the rescue is taken again with them.
func (s *Store) prepareRestore(ctx context.Context, target snapshot.Info, o Options) (_ snapshot.Info, _ *snapshot.Capture,
	_ *Planner, err error) {
	man, err := s.Snapshots.Manifest(ctx, target)
	if err != nil {
		return snapshot.Info{}, nil, nil, err
	}
	then := NewState(target.Tree, man)
	root, err := fsroot.OpenRoot(s.Snapshots.Repo.Root)
	if err != nil {
		return snapshot.Info{}, nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Close())
		}
	}()
	w := s.captureOptionsOf(ctx, target, man)
	defer w.Extent.Baseline.Close()
	for {
		rescue, c, err := s.takeRescue(ctx, target, o, w)
		if err != nil {
			return snapshot.Info{}, nil, nil, err
		}
		pl := NewPlanner(s.Snapshots.Repo, o.selection(), c.Scan, NewState(c.FilesTree, c.Manifest), then, root)
		if now := pl.Now.Manifest; !slices.Equal(now.Rules, man.Rules) || now.IgnoreCase != man.IgnoreCase {
			pl.Rules = w.Extent.Baseline.Rules
		}
		pl.KnownPaths = c.KnownSince(man)
		if !o.NewWorktree {
			pl.Inner = innerFolders(man)
		}
		if err := pl.Decide(ctx); err != nil {
			return snapshot.Info{}, nil, nil, s.dropRescue(ctx, rescue, err)
		}
		if w.Include != nil {
			return rescue, c, pl, nil
		}
		if w.Include = pl.UncapturedGlobs(); w.Include == nil {
			return rescue, c, pl, nil
		}
		if err := s.dropRescue(ctx, rescue, nil); err != nil {
			return snapshot.Info{}, nil, nil, err
		}
	}
}

// captureOptionsOf returns options with which the rescue captures everything that the target's
// extent and rules include.
func (s *Store) captureOptionsOf(ctx context.Context, target snapshot.Info, man *snapshot.Manifest) snapshot.CaptureOptions {
	e, _ := snapshot.ExtentOf(man)
	e.Baseline = s.Snapshots.Worktree.OpenBaseline(ctx, string(target.ID), target.Tree, man)
	w := snapshot.CaptureOptions{Extent: e}
	if len(man.Inner) > 0 {
		w.InnerSnapshots = s.Snapshots.NewInnerSnapshotter(snapshot.Extent{Agents: e.Agents, Protect: e.Protect,
			Files: e.BuildOutput, MaxFile: e.MaxFile,
			Ignored: e.Ignored, InnerSnapshots: true}, man.Inner, messageBefore+target.ID.Short())
	}
	return w
}

// takeRescue saves the current state in a rescue snapshot; a dry run only reads it.
func (s *Store) takeRescue(ctx context.Context, target snapshot.Info, o Options, w snapshot.CaptureOptions) (
	snapshot.Info, *snapshot.Capture, error) {
	if !o.DryRun {
		return s.Snapshots.TakeLocked(ctx, snapshot.Meta{Kind: belay.KindRescue, Task: o.Task, Command: o.Command, Journal: o.Journal,
			Message: strings.TrimSuffix(messageBefore+target.ID.Short()+": "+o.Reason, ": ")}, w)
	}
	w.InnerSnapshots = nil
	c, err := s.Snapshots.CaptureLocked(ctx, w)
	if err != nil {
		return snapshot.Info{}, nil, err
	}
	return snapshot.Info{Tree: c.FilesTree}, c, nil
}

// dropRescue deletes the rescue snapshot of a restore that changed nothing, and returns err.
func (s *Store) dropRescue(ctx context.Context, rescue snapshot.Info, err error) error {
	if rescue.Commit == "" {
		return err
	}
	return errors.Join(err, s.Snapshots.DropInfos(ctx, []snapshot.Info{rescue}))
}

// carryOutIntent carries out the intent, in an order in which every step can be repeated: git's
// configuration first, so that git has a valid one, then the files, then index, operation, refs and
// reflogs. At the end everything is synced and checked again.
//
// rescued is the current state in the rescue snapshot: nothing else is overwritten or removed.
func (s *Store) carryOutIntent(ctx context.Context, root *fsroot.Root, j *intent, g *gitPlan, rescued *scan.Result) error {
	if _, err := s.Snapshots.Worktree.MakeScratchDir("tmp"); err != nil { // otherwise temporary files would be among git's own
		return err
	}
	if err := s.writeAdmin(ctx, j, g); err != nil {
		return err
	}
	tmp, err := s.Snapshots.Worktree.MakeScratchDir("tmp")
	if err != nil {
		return err
	}
	to := Target{Repo: s.Snapshots.Repo, Root: root, Tmp: tmp}
	if j.Skip {
		to.OnFailure = func(f *Failure) { j.addSkipped(f.AsKept()) }
	}
	if err := to.Apply(ctx, &j.Plan, rescued); err != nil {
		return err
	}
	if g.changesIndex {
		if err := j.noteOrFail(displayGitName("index"), s.writeIndex(ctx, j, g)); err != nil {
			return err
		}
	}
	if err := s.writeGit(j, g.stateFiles); err != nil {
		return err
	}
	release, err := s.recreateTags(ctx, g.target, j.Refs)
	if err != nil {
		return err
	}
	err = s.moveRefs(ctx, j, g)
	release()
	if err != nil {
		return err
	}
	if err := s.writeGit(j, g.logFiles); err != nil {
		return err
	}
	if err := s.restoreInner(ctx, j); err != nil {
		return err
	}
	if err := s.syncWritten(root); err != nil {
		return err
	}
	if err := s.compareResult(root, j); err != nil {
		return err
	}
	return s.applyEdits(root, tmp, j)
}

// syncWritten syncs the file system of the working tree, and those of git's folders if they are
// others.
func (s *Store) syncWritten(root *fsroot.Root) error {
	if err := root.Sync(); err != nil {
		return err
	}
	synced := []uint64{deviceOf(s.Snapshots.Repo.Root)}
	for _, dir := range []string{s.Snapshots.Repo.Dir, s.Snapshots.Repo.Common} {
		device := deviceOf(dir)
		if slices.Contains(synced, device) {
			continue
		}
		folder, err := fsroot.OpenRoot(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
			return err
		}
		synced = append(synced, device)
	}
	return nil
}

func deviceOf(dir string) uint64 {
	if info, err := fsroot.Lstat(dir); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			return uint64(st.Dev)
		}
	}
	return 0
}

// noteOrFail returns the error of a step about a file or ref of git's, or records the step as
// skipped.
func (j *intent) noteOrFail(name string, err error) error {
	if err == nil || !j.isSkipped(err) {
		return err
	}
	j.addSkipped(Kept{Path: name, Reason: err.Error()})
	return nil
}

// isSkipped reports whether a failed step is skipped. Busy locks are not.
func (j *intent) isSkipped(err error) bool {
	return j.Skip && IsSkippable(err) && belay.CodeOf(err) != belay.CodeBusy
}

// compareResult checks the kind, mode and bytes of every path of a plan again, and fails if one is
// not as planned: a restore never reports what it did not do.
func (s *Store) compareResult(root *fsroot.Root, j *intent) error {
	p := &j.Plan
	var wrong []string
	written := map[string]bool{}
	for _, w := range p.Writes {
		written[string(w.Path)] = true
		same, err := s.isAsPlanned(root, w)
		if err != nil {
			return fmt.Errorf("check %q again: %w", w.Path, err)
		}
		if !same {
			wrong = append(wrong, string(w.Path))
		}
	}
	for _, r := range p.Remove {
		info, err := root.Lstat(string(r))
		gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsroot.ErrNotFolder) || err == nil && info.Kind == fsroot.Folder
		if !gone && !written[string(r)] {
			wrong = append(wrong, string(r))
		}
	}
	if j.Skip {
		for _, path := range wrong {
			j.addSkipped(Kept{Path: path, Reason: "it was changed during the restore, or could not be captured before"})
		}
		return nil
	}
	if len(wrong) > 0 {
		return belay.Refuse(belay.CodeCannot, "stop what writes there, then run the restore again",
			"%s changed during the restore: %s", belay.Count(len(wrong), "file", "files"), belay.VisibleLine(wrong[0]))
	}
	return nil
}

// isAsPlanned reports whether a path has the kind, the mode and the bytes of a plan.
func (s *Store) isAsPlanned(root *fsroot.Root, w Write) (bool, error) {
	raw, err := hex.DecodeString(w.OID)
	if err != nil {
		return false, err
	}
	info, err := root.Lstat(string(w.Path))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsroot.ErrNotFolder) {
		return false, nil
	}
	if err != nil || snapshot.GitMode(info.Kind) != w.Mode || info.Kind == fsroot.Folder || info.Kind == fsroot.Other {
		return false, err
	}
	return root.Matches(string(w.Path), info.Kind, w.Perm, fsroot.OID(raw), s.Snapshots.Repo.NewHash)
}
