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
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/scan"
)

// The order of the steps is what makes a restore safe: nothing is destroyed that the rescue
// snapshot does not contain.

// Store restores snapshots. Whoever takes one through Snapshots has an interrupted restore
// finished first.
type Store struct {
	Snapshots *snapshot.Store
	Say       func(string) // told, when set, of an interrupted restore that a command finished by the way
	now       func() time.Time
}

// Open writes nothing.
func Open(ctx context.Context, repo *git.Repo, o snapshot.Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	snaps, err := snapshot.Open(ctx, repo, o)
	if err != nil {
		return nil, err
	}
	s := &Store{Snapshots: snaps, now: o.Now}
	snaps.Before = s.recoverAloud
	return s, nil
}

func (s *Store) intentPath() string { return filepath.Join(s.Snapshots.Place.Dir, "intent.json") }

// Interrupted reports whether a restore was cut short.
func (s *Store) Interrupted() bool {
	_, err := fsroot.Lstat(s.intentPath())
	return err == nil
}

// Restore puts a snapshot's state back. Whatever it would overwrite or delete is held
// first, as a rescue; what the rescue does not hold is never destroyed: the restore is
// refused (CodeCannot) before the first byte, with the path that is in the way. Files
// that are right keep their times. Killed anywhere, the next command finishes it.
//
// CodeBusy: another process restores, or holds git's index lock. CodeNotFound: no such
// snapshot.
func (s *Store) Restore(ctx context.Context, id belay.SnapshotID, o Options) (Restored, error) {
	unlock, err := s.exclude(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	defer s.Snapshots.Repo.Share()()
	j, err := s.load(ctx)
	if err != nil {
		return Restored{}, err
	}
	if j != nil {
		// Finishing what was begun is what the command was named for.
		it := o.SkipBroken && !o.DryRun && j.unread == "" && (j.Target == id || strings.HasPrefix(string(j.Target), string(id)))
		done, err := s.finish(ctx, j, it)
		switch {
		case err != nil && j.unread != "" && o.SkipBroken && o.whole():
			o.unread = true // the whole state that is asked for takes the place of one that nobody can know
		case err != nil:
			return Restored{}, s.cannotFinish(ctx, j, err)
		case it:
			return *done, nil
		}
		s.say(done)
	}
	if _, err := readIfAny(s.historyPath()); err != nil && !errors.Is(err, ErrSpoiled) {
		return Restored{}, err // it could not be recorded at the end
	}
	out, j, err := s.restore(ctx, id, o)
	if err != nil || o.DryRun {
		return out, err
	}
	if out.Rescue == "" { // nothing differs
		if o.unread {
			_, err = s.setAside()
		}
		return out, err
	}
	return out, s.done(j)
}

// exclude takes the tree for a restore.
func (s *Store) exclude(ctx context.Context) (func(), error) {
	if _, err := s.Snapshots.Place.Scratch(); err != nil {
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
			return nil, s.Snapshots.Busy()
		}
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	host, _ := os.Hostname()
	note, _ := json.Marshal(map[string]any{"pid": os.Getpid(), "host": host, "since": s.now().Format(time.RFC3339)})
	_ = fsroot.WriteFile(s.Snapshots.LockPath(), note, 0o600) // for people; the lock itself is what counts
	return func() { _ = lock.Unlock() }, nil
}

// planned is a restore that has something to do.
type planned struct {
	intent  *intent
	out     Restored
	pl      *Planner
	git     *gitPlan
	scan    *scan.Result
	rescue  snapshot.Info
	changed []Kept // files in which nothing of belay's is replaced
}

// restore does everything but recording it in the history.
func (s *Store) restore(ctx context.Context, id belay.SnapshotID, o Options) (Restored, *intent, error) {
	if len(o.Paths) > 0 {
		o.FilesOnly = true
	}
	target, err := s.Snapshots.LookUp(ctx, id)
	if err != nil {
		return Restored{}, nil, err
	}
	if !o.FilesOnly && !o.DryRun {
		if err := s.indexFree(ctx); err != nil {
			return Restored{}, nil, err
		}
	}
	rescue, c, pl, err := s.prepare(ctx, target, o)
	if err != nil {
		return Restored{}, nil, err
	}
	defer pl.Root.Close()
	g := &gitPlan{}
	if !o.FilesOnly {
		if g, err = s.planGit(ctx, target, c, o); err != nil {
			return Restored{}, nil, s.giveUp(ctx, rescue, err)
		}
	}
	steps, inside, err := s.planInner(ctx, target, o)
	if err != nil {
		return Restored{}, nil, s.giveUp(ctx, rescue, err)
	}
	if o.Agree != nil {
		if err := o.Agree(c.Tree, c.Man); err != nil {
			return Restored{}, nil, s.giveUp(ctx, rescue, err)
		}
	}
	out := report(&pl.Plan, target.ID, g)
	j := &intent{Target: target.ID, Rescue: rescue.ID, Step: o.step, FilesOnly: o.FilesOnly, Plant: o.Plant,
		Chosen: o.OnlyRef != nil, Left: g.left, Plan: pl.Plan, Refs: g.refs,
		Partial: o.Only != nil || len(o.Paths) > 0 || len(o.Preserve) > 0, Reverses: o.reverses, Skip: o.SkipBroken, Inner: steps}
	edits, changed := s.due(pl.Root, o)
	j.Edits = edits
	out.inside(inside)
	if out.nothing() && len(j.Edits) == 0 && len(pl.Plan.Chmod)+len(pl.Plan.Mkdir)+len(pl.Plan.Rmdir) == 0 && len(g.broken) == 0 {
		out.same = true
		return out, nil, s.giveUp(ctx, rescue, nil)
	}
	if err := s.leaveBroken(ctx, pl, g, j, o); err != nil {
		return out, nil, s.giveUp(ctx, rescue, err)
	}
	out = report(&j.Plan, target.ID, g)
	out.skipped(j)
	if o.DryRun {
		out.inside(inside)
		out.edited(j.Edits, changed)
		return out, nil, nil
	}
	if out.nothing() && len(j.Edits) == 0 && len(j.Plan.Chmod)+len(j.Plan.Mkdir)+len(j.Plan.Rmdir)+len(j.Inner) == 0 {
		return out, nil, s.giveUp(ctx, rescue, nil)
	}
	return s.perform(ctx, planned{j, out, pl, g, c.Scan, rescue, changed}, o)
}

// perform writes the intent and carries it out.
func (s *Store) perform(ctx context.Context, p planned, o Options) (Restored, *intent, error) {
	out, j, g, rescue := p.out, p.intent, p.git, p.rescue
	out.Rescue = rescue.ID
	if o.unread {
		if err := s.replaceable(); err != nil {
			return out, nil, s.giveUp(ctx, rescue, err)
		}
	}
	if err := s.writeIntent(j); err != nil {
		if o.reverses || o.unread { // the old one stands, or this one: neither may go, nor the rescue
			return out, nil, err
		}
		// It may stand under its name, only not synced. The rescue goes when it is gone.
		if rerr := fsroot.Remove(s.intentPath()); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			return out, nil, errors.Join(err, rerr)
		}
		return out, nil, s.giveUp(ctx, rescue, err)
	}
	named := len(g.stay)
	if err := s.carryOut(ctx, p.pl.Root, j, g, p.scan); err != nil {
		return out, nil, s.stuck(ctx, j, err, true)
	}
	out.Kept = append(out.Kept, g.stay[named:]...)
	out.edited(j.Edits, append(p.changed, j.unedited...))
	out.inside(j.innerDone)
	if o.unread {
		saved, err := s.sweepUnread(ctx, j)
		if err != nil {
			return out, nil, s.stuck(ctx, j, err, true)
		}
		out.Kept = append(out.Kept, saved...)
	}
	out.skipped(j)
	return out, j, nil
}

// leaveBroken finds out, before the first byte, what of the plans cannot be done. It is
// left out and noted where that was agreed to. Otherwise nothing is done: a *BrokenError
// names it, or a refusal says what would have to be destroyed.
func (s *Store) leaveBroken(ctx context.Context, pl *Planner, g *gitPlan, j *intent, o Options) error {
	var broken []Kept
	if o.SkipBroken {
		broken = j.Plan.Unblocked()
		j.Plan.Blocked = nil
		j.leaveOut(broken, g)
	}
	pl.Plan = j.Plan
	at := Place{Repo: s.Snapshots.Repo, Root: pl.Root}
	broken, err := at.Broken(ctx, &j.Plan)
	if err != nil {
		return err
	}
	if !o.FilesOnly && !o.Plant {
		if err := s.brokenGit(ctx, g); err != nil {
			return err
		}
		broken = append(broken, g.broken...)
	}
	again := cmp.Or(o.Again, "belay snapshot restore "+string(j.Target))
	if blocked := j.Plan.Unblocked(); len(j.Plan.Blocked) > 0 {
		return &BrokenError{Paths: append(blocked, broken...), Again: again, What: "snapshot " + j.Target.Short(), blocked: pl.Refusal(ctx)}
	}
	if len(broken) > 0 && !o.SkipBroken {
		return &BrokenError{Paths: broken, Again: again, What: "snapshot " + j.Target.Short()}
	}
	j.leaveOut(broken, g)
	pl.Plan = j.Plan
	return pl.Refusal(ctx)
}

// prepare holds the present and plans. Where the plan meets something that is ignored, now
// and then, the present is held once more with that.
func (s *Store) prepare(ctx context.Context, target snapshot.Info, o Options) (_ snapshot.Info, _ *snapshot.Capture,
	_ *Planner, err error) {
	man, err := s.Snapshots.Manifest(ctx, target)
	if err != nil {
		return snapshot.Info{}, nil, nil, err
	}
	then := SideOf(target.Tree, man)
	root, err := fsroot.OpenRoot(s.Snapshots.Repo.Root)
	if err != nil {
		return snapshot.Info{}, nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Close())
		}
	}()
	w := s.asMuchAs(ctx, target, man)
	defer w.Extent.Since.Close()
	for {
		rescue, c, err := s.present(ctx, target, o, w)
		if err != nil {
			return snapshot.Info{}, nil, nil, err
		}
		pl := NewPlanner(s.Snapshots.Repo, o.wish(), c.Scan, SideOf(c.Tree, c.Man), then, root)
		if now := pl.Now.Man; !slices.Equal(now.Rules, man.Rules) || now.FoldsCase != man.FoldsCase {
			pl.Rules = w.Extent.Since.Rules
		}
		pl.Looked = c.Looked(man)
		if !o.Plant {
			pl.Inner = innerFolders(man)
		}
		if err := pl.Decide(ctx); err != nil {
			return snapshot.Info{}, nil, nil, s.giveUp(ctx, rescue, err)
		}
		if w.Include != nil {
			return rescue, c, pl, nil
		}
		if w.Include = pl.Unheld(); w.Include == nil {
			return rescue, c, pl, nil
		}
		if err := s.giveUp(ctx, rescue, nil); err != nil {
			return snapshot.Info{}, nil, nil, err
		}
	}
}

// asMuchAs makes the rescue look at all that the target did, and at what its rules of
// ignoring did not hide. Otherwise a line added to .gitignore would hide files from the
// rescue, and a restore would leave them. The caller closes Extent.Since.
func (s *Store) asMuchAs(ctx context.Context, target snapshot.Info, man *snapshot.Manifest) snapshot.Wanted {
	e, _ := snapshot.ExtentOf(man)
	e.Since = s.Snapshots.Place.Since(ctx, string(target.ID), target.Tree, man)
	w := snapshot.Wanted{Extent: e}
	if len(man.Inner) > 0 {
		w.Inner = s.Snapshots.InnerOf(snapshot.Extent{Agents: e.Agents, Protect: e.Protect, Files: e.Built, Large: e.Large,
			Ignored: e.Ignored, Inner: true}, man.Inner, before+target.ID.Short())
	}
	return w
}

// present holds the present as a rescue; a dry run only reads it.
func (s *Store) present(ctx context.Context, target snapshot.Info, o Options, w snapshot.Wanted) (snapshot.Info, *snapshot.Capture, error) {
	if !o.DryRun {
		return s.Snapshots.Hold(ctx, snapshot.Meta{Kind: belay.KindRescue, Task: o.Task, Command: o.Command, Journal: o.Journal,
			Message: strings.TrimSuffix(before+target.ID.Short()+": "+o.Reason, ": ")}, w)
	}
	w.Inner = nil
	c, err := s.Snapshots.Look(ctx, w)
	if err != nil {
		return snapshot.Info{}, nil, err
	}
	return snapshot.Info{Tree: c.Tree}, c, nil
}

// giveUp drops a rescue that nothing was destroyed after, and passes the error on.
func (s *Store) giveUp(ctx context.Context, rescue snapshot.Info, err error) error {
	if rescue.Commit == "" {
		return err
	}
	return errors.Join(err, s.Snapshots.Discard(ctx, []snapshot.Info{rescue}))
}

// carryOut does what the intent says, in an order in which every step can be done
// again: what steers git first, so that git sees a sane config, then the files, then
// index, operation, refs and reflogs, then everything is synced and looked at once more.
//
// held is the present as the rescue has it: nothing else is overwritten or removed.
func (s *Store) carryOut(ctx context.Context, root *fsroot.Root, j *intent, g *gitPlan, held *scan.Result) error {
	if _, err := s.Snapshots.Place.Scratch("tmp"); err != nil { // without it temporary files would lie among git's own
		return err
	}
	if err := s.writeAdmin(ctx, j, g); err != nil {
		return err
	}
	tmp, err := s.Snapshots.Place.Scratch("tmp")
	if err != nil {
		return err
	}
	to := Place{Repo: s.Snapshots.Repo, Root: root, Tmp: tmp}
	if j.Skip {
		to.Skip = func(f *Failure) { j.skipped(f.Kept()) }
	}
	if err := to.Apply(ctx, &j.Plan, held); err != nil {
		return err
	}
	if g.index {
		if err := j.may(gitName("index"), s.writeIndex(ctx, j, g)); err != nil {
			return err
		}
	}
	if err := s.writeGit(j, g.stateFiles); err != nil {
		return err
	}
	release, err := s.remakeTags(ctx, g.target, j.Refs)
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
	if err := root.Sync(); err != nil {
		return err
	}
	if err := s.compare(root, j); err != nil {
		return err
	}
	return s.edit(root, tmp, j)
}

// may returns the error of a step about a file or ref of git's, or notes that it was skipped.
func (j *intent) may(name string, err error) error {
	if err == nil || !j.skips(err) {
		return err
	}
	j.skipped(Kept{Path: name, Why: err.Error()})
	return nil
}

// skips reports whether a step that failed is skipped. A lock is only waited for.
func (j *intent) skips(err error) bool {
	return j.Skip && Skippable(err) && belay.CodeOf(err) != belay.CodeBusy
}

// compare looks once more at every path of a plan, down to its bytes, and says what is
// not as planned: a restore never claims what it did not reach.
func (s *Store) compare(root *fsroot.Root, j *intent) error {
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
			j.skipped(Kept{Path: path, Why: "it was changed during the restore, or could not be captured before"})
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
	if err != nil || snapshot.ModeOf(info.Kind) != w.Mode || info.Kind == fsroot.Folder || info.Kind == fsroot.Other {
		return false, err
	}
	return root.Same(string(w.Path), info.Kind, w.Perm, fsroot.OID(raw), s.Snapshots.Repo.NewHash)
}
