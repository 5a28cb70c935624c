package restore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/snapshot"
)

// Recover finishes an interrupted restore. It first saves the current state in a snapshot, because
// somebody may have worked in the tree since. It returns nil when there is none. The error names
// the path that blocks it, and the commands that reverse it, or finish it without that path.
func (s *Store) Recover(ctx context.Context) (*Restored, error) {
	if !s.Interrupted() {
		s.sweepIfFree()
		return nil, nil
	}
	unlock, err := s.lockTree(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer s.Snapshots.Repo.ShareReader()()
	j, err := s.loadIntent(ctx)
	if err != nil || j == nil {
		return nil, err
	}
	done, err := s.finishRestore(ctx, j, false)
	if err != nil {
		return nil, s.cannotFinishError(ctx, j, err)
	}
	return done, nil
}

// recoverAndReport is Recover for commands with another purpose.
func (s *Store) recoverAndReport(ctx context.Context) error {
	done, err := s.Recover(ctx)
	s.reportFinished(done)
	return err
}

// presentForDiff is the message of ForDiff's snapshots. Older versions of belay gave them refs.
const presentForDiff = "the present, for a diff"

// ForDiff takes a transient snapshot to compare others with. It does not finish an interrupted
// restore, because the comparison is with the current state.
func (s *Store) ForDiff(ctx context.Context) (snapshot.Info, error) {
	return s.Snapshots.TakeUnfinished(ctx, snapshot.Meta{Kind: belay.KindManual, Message: presentForDiff, Transient: true},
		snapshot.Extent{})
}

func (s *Store) reportFinished(done *Restored) {
	if done == nil || s.Report == nil {
		return
	}
	s.Report(FinishedMessage(*done))
}

// FinishedMessage returns the message about an interrupted restore that was finished.
func FinishedMessage(done Restored) string {
	text := fmt.Sprintf("finished an interrupted restore of %s; the previous state is snapshot %s", done.Target.Short(),
		done.Rescue.Short())
	for _, k := range done.Skipped {
		text += fmt.Sprintf("; skipped %s (%s)", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
	}
	for _, k := range done.Kept {
		text += formatKept(k)
	}
	return text
}

func formatKept(k Kept) string {
	return fmt.Sprintf("; kept %s (%s)", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
}

// Unfinished is an interrupted restore.
type Unfinished struct {
	Target belay.SnapshotID `json:"target,omitempty"` // "" when unknown
	Rescue belay.SnapshotID `json:"rescue,omitempty"` // the state before it
}

// Message returns the message, and what to try.
func (t Unfinished) Message() (what, try string) {
	return "a restore of " + cmp.Or(t.Target.Short(), "a snapshot") + " was interrupted", "belay doctor finishes it, belay undo reverses it"
}

// Unfinished returns the interrupted restore, and changes nothing. nil when there is none, or when
// another process is finishing it.
func (s *Store) Unfinished() *Unfinished {
	if !s.Interrupted() {
		return nil
	}
	lock := fsroot.NewExistingLock(s.Snapshots.LockPath())
	got, err := lock.TryRLock()
	if got {
		defer func() { _ = lock.Unlock() }()
	} else if err == nil {
		return nil
	}
	var t Unfinished
	if text, err := fsroot.ReadFile(s.intentPath(), fsroot.MaxSmallFile); err == nil {
		_ = json.Unmarshal(text, &t)
	}
	return &t
}

// interruptedError is the error of a dry run, which must not finish an interrupted restore.
func (s *Store) interruptedError() error {
	j, _ := readIntent(s.intentPath())
	what, try := Unfinished{Target: j.Target}.Message()
	return belay.Refuse(belay.CodeCannot, try, "%s", what)
}

// loadIntent reads the intent of an interrupted restore; nil when there is none. For an unreadable
// one it returns what is known about it: finishRestore refuses it, reverseRestore reverses it.
func (s *Store) loadIntent(ctx context.Context) (*intent, error) {
	s.sweep()
	text, err := fsroot.ReadFile(s.intentPath(), fsroot.MaxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil && !IsSkippable(err) {
		return nil, fmt.Errorf("read the intent of a restore: %w", err)
	}
	why := "cannot be read"
	if err == nil {
		var j intent
		if err = json.Unmarshal(text, &j); err == nil && j.Version == intentVersion {
			return &j, nil
		}
		if err == nil && j.Version > intentVersion {
			return &intent{unreadReason: fmt.Sprintf("was written by a later version of belay (format %d)", j.Version),
				Target: j.Target, Rescue: j.Rescue, Step: j.Step}, nil
		}
		why = "is damaged"
	}
	return s.guessIntent(ctx, why)
}

// IsSkippable reports whether an error concerns only one path.
func IsSkippable(err error) bool { return IsSkippableWrite(err) }

// guessIntent determines which restore an unreadable intent was for. An intent is written after the
// rescue snapshot and removed once the history names that snapshot, and no snapshot is taken in
// between. So its rescue is the newest snapshot, if that is a rescue that is not in the history.
// Otherwise no restore is unfinished, and the intent is set aside.
//
// With several working trees the rescue may belong to another one: nothing is guessed.
func (s *Store) guessIntent(ctx context.Context, why string) (*intent, error) {
	j := &intent{unreadReason: why}
	others, err := fsroot.ReadDir(filepath.Join(s.Snapshots.Repo.Common, "worktrees"))
	if len(others) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	all, err := s.Snapshots.List(ctx)
	if err != nil {
		return nil, err
	}
	h, err := readHistoryIfAny(s.historyPath())
	if err != nil {
		return j, nil // the finished restores are unknown
	}
	for _, i := range slices.Backward(all) {
		if i.Kind == belay.KindRescue && (strings.HasPrefix(i.Message, messageFinishing) ||
			strings.HasSuffix(i.Message, messageReversing)) {
			continue // taken to end a restore
		}
		if i.Message == presentForDiff {
			continue
		}
		if i.Kind == belay.KindRescue && !h.HasSnapshot(i.ID) {
			j.Rescue = i.ID
			if rest, ok := strings.CutPrefix(i.Message, messageBefore); ok {
				short, _, _ := strings.Cut(rest, " ")
				if id, err := s.Snapshots.Resolve(ctx, belay.SnapshotID(short)); err == nil {
					j.Target = id
				}
			}
			return j, nil
		}
		break // every other snapshot finishes a restore first
	}
	at, err := s.setIntentAside()
	if err != nil {
		return nil, err
	}
	if s.Report != nil {
		s.Report(fmt.Sprintf("%s %s, and no restore is unfinished: moved to %s", belay.VisibleLine(s.intentPath()), why,
			belay.VisibleLine(at)))
	}
	return nil, nil
}

// How the messages of rescue snapshots begin and end; those of the last two were taken to end an
// interrupted restore.
const (
	messageBefore    = "before restoring "
	messageFinishing = "met while finishing"
	messageReversing = "reversing it"
)

// setIntentAside renames the file or folder at the intent's path.
func (s *Store) setIntentAside() (string, error) {
	for n := 1; ; n++ {
		at := filepath.Join(s.Snapshots.Worktree.Dir, fmt.Sprintf("unreadable-intent-%d", n))
		if _, err := fsroot.Lstat(at); err == nil {
			continue
		}
		return at, fsroot.Rename(s.intentPath(), at)
	}
}

// makeReplaceable prepares an unreadable intent to be replaced by another in one step. It keeps a
// copy of the text, for the version of belay that can read it.
func (s *Store) makeReplaceable() error {
	info, err := fsroot.Lstat(s.intentPath())
	switch {
	case err != nil:
		return err
	case info.IsDir(): // belay never creates one
		return s.replaceIntentFolder()
	case info.Mode().IsRegular():
		for n := 1; ; n++ {
			err := fsroot.Link(s.intentPath(), filepath.Join(s.Snapshots.Worktree.Dir, fmt.Sprintf("unreadable-intent-%d", n)))
			if !errors.Is(err, fs.ErrExist) {
				return nil // the copy is optional
			}
		}
	}
	return nil
}

// replaceIntentFolder replaces a folder at the intent's path by an empty file, in one step where
// the system can: after a kill in between, no intent would show that a restore was interrupted.
func (s *Store) replaceIntentFolder() error {
	for n := 1; ; n++ {
		at := filepath.Join(s.Snapshots.Worktree.Dir, fmt.Sprintf("unreadable-intent-%d", n))
		f, err := fsroot.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		err = fsroot.Exchange(s.intentPath(), at)
		if errors.Is(err, errors.ErrUnsupported) {
			_ = fsroot.Remove(at)
			_, err = s.setIntentAside()
		}
		return err
	}
}

// errSnapshotMissing reports that the snapshot of an interrupted restore no longer exists.
var errSnapshotMissing = errors.New("that snapshot is gone")

// finishRestore carries out an intent. With skip, or if the intent allows it, it skips what cannot
// be restored, and reports it. Otherwise it changes nothing if it finds such a path beforehand.
func (s *Store) finishRestore(ctx context.Context, j *intent, skip bool) (done *Restored, err error) {
	if j.unreadReason != "" {
		return nil, fmt.Errorf("%s %s", belay.VisibleLine(s.intentPath()), j.unreadReason)
	}
	if err := s.removeOwnLock(*j); err != nil {
		return nil, err
	}
	root, err := fsroot.OpenRoot(s.Snapshots.Repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	saved, err := s.sweepTree(ctx, root, j)
	defer func() {
		if err != nil && len(saved) > 0 && s.Report != nil { // the next try cannot report them
			text := "an interrupted restore of " + j.Target.Short()
			for _, k := range saved {
				text += formatKept(k)
			}
			s.Report(text)
		}
	}()
	if err != nil {
		return nil, err
	}
	target, err := s.Snapshots.LookUp(ctx, j.Target)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return nil, errSnapshotMissing
	}
	if err != nil {
		return nil, err
	}
	at := Target{Repo: s.Snapshots.Repo, Root: root}
	broken, err := at.FindBroken(ctx, &j.Plan)
	if err != nil {
		return nil, err
	}
	skip = skip || j.Skip
	if len(broken) > 0 && !skip {
		return nil, &BrokenError{Paths: broken}
	}
	man, err := s.Snapshots.Manifest(ctx, target)
	if err != nil {
		return nil, err
	}
	w := s.captureOptionsOf(ctx, target, man)
	defer w.Extent.Baseline.Close()
	rescue, c, err := s.takeUnfinished(ctx, root, j, w)
	if err != nil {
		return nil, err
	}
	g := &gitPlan{}
	if !j.FilesOnly {
		o := Options{refMoves: &j.Refs, step: j.Step, NewWorktree: j.NewWorktree}
		if len(j.LeftFiles) > 0 {
			o.OnlyGit = func(name string) bool { return !slices.Contains(j.LeftFiles, name) }
		}
		if j.OnlySomeRefs {
			o.OnlyRef = func(name string) bool {
				return slices.ContainsFunc(j.Refs, func(m RefMove) bool { return m.Ref == name })
			}
		}
		if g, err = s.planGit(ctx, target, c, o); err != nil {
			return nil, err
		}
		if err := s.findBrokenGit(ctx, g); err != nil {
			return nil, s.dropRescue(ctx, rescue, err)
		}
		if broken = append(broken, g.broken...); len(broken) > 0 && !skip {
			return nil, s.dropRescue(ctx, rescue, &BrokenError{Paths: broken})
		}
	}
	if skip {
		j.Skip = true
		j.dropBroken(broken, g)
		if err := s.writeIntent(j); err != nil {
			return nil, err
		}
	}
	if err := s.carryOutIntent(ctx, root, j, g, c.Scan); err != nil {
		return nil, err
	}
	out := newRestored(&j.Plan, j.Target, g)
	out.Rescue, out.Reversed = rescue.ID, j.Reverses
	out.addEdits(j.Edits, j.unedited)
	out.addSkipped(j)
	out.Kept = append(out.Kept, saved...)
	out.addInner(j.innerResults)
	return &out, s.recordDone(j)
}

// dropBroken removes broken paths from the plans, and records them.
func (j *intent) dropBroken(broken []Kept, g *gitPlan) {
	j.Plan.Drop(broken)
	g.dropBroken(broken)
	if g.target.ID != "" {
		j.Refs = g.refs
	}
	j.addSkipped(broken...)
}

// addSkipped records skipped paths, each once.
func (j *intent) addSkipped(list ...Kept) {
	for _, k := range list {
		if !slices.ContainsFunc(j.Skipped, func(was Kept) bool { return was.Path == k.Path }) {
			j.Skipped = append(j.Skipped, k)
		}
	}
}

func (r *Restored) addSkipped(j *intent) {
	r.Skipped, r.Partial = j.Skipped, len(j.Skipped) > 0
	left := map[string]bool{}
	for _, k := range j.Skipped {
		left[k.Path] = true
	}
	out := func(p string) bool { return left[p] }
	r.Written, r.Removed = slices.DeleteFunc(r.Written, out), slices.DeleteFunc(r.Removed, out)
	r.Refs = slices.DeleteFunc(r.Refs, func(m RefMove) bool { return left[m.Ref] })
}

// isReversedBy reports whether an undo or redo reverses the interrupted restore.
func (j *intent) isReversedBy(way string) bool {
	if j.Reverses || j.NewWorktree || j.Rescue == "" {
		return false
	}
	return (way == WayRedo) == (j.Step == WayUndo)
}

// reverseRestore reverses an interrupted restore that cannot be finished: it restores the rescue
// snapshot, in what the restore was to change. The history is as if the restore had never been
// requested. The new intent replaces the old one in one step, so that there is always one of them.
func (s *Store) reverseRestore(ctx context.Context, j *intent, o Options, cause error) (Restored, error) {
	last := newStep(j)
	if j.unreadReason != "" {
		var err error
		if last.Created, err = s.refsMadeBetween(ctx, j); err != nil {
			return Restored{}, err
		}
	}
	o.forStep(last)
	o.Reason, o.step = messageReversing, cmp.Or(j.reverseStep(), WayUndo)
	o.isReversal, o.replacesUnread = true, j.unreadReason != ""
	out, next, err := s.restoreUnrecorded(ctx, j.Rescue, o)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return out, s.unfinishedError(ctx, j, cause, false)
	}
	out.Reversed = true
	if err != nil || o.DryRun {
		return out, err
	}
	if next == nil { // it had changed nothing
		if o.replacesUnread {
			_, err := s.setIntentAside()
			return out, err
		}
		next = &intent{Reverses: true}
	}
	return out, s.recordDone(next)
}

// refsMadeBetween returns the refs that a restore creates when its intent is unknown: those that
// are in the target and not in the previous state.
func (s *Store) refsMadeBetween(ctx context.Context, j *intent) (made []RawPath, err error) {
	target, err := s.Snapshots.LookUp(ctx, j.Target)
	if j.Target == "" || belay.CodeOf(err) == belay.CodeNotFound {
		return nil, nil
	}
	rescue, rerr := s.Snapshots.LookUp(ctx, j.Rescue)
	if belay.CodeOf(rerr) == belay.CodeNotFound {
		return nil, nil
	}
	if err = errors.Join(err, rerr); err != nil {
		return nil, err
	}
	then, err := s.Snapshots.ReadRefs(ctx, target)
	was, rerr := s.Snapshots.ReadRefs(ctx, rescue)
	for name := range then.Refs {
		if _, had := was.Refs[name]; !had {
			made = append(made, RawPath(name))
		}
	}
	return made, errors.Join(err, rerr)
}

// reverseStep returns the command, undo or redo, that reverses the interrupted restore.
func (j *intent) reverseStep() string {
	if j.Step == WayUndo {
		return WayRedo
	}
	return WayUndo
}

// cannotFinishError returns the error about an unfinished restore, for a command with another
// purpose. A restore without its snapshot is ended.
func (s *Store) cannotFinishError(ctx context.Context, j *intent, cause error) error {
	if errors.Is(cause, errSnapshotMissing) {
		return s.abandonRestore(ctx, j)
	}
	return s.unfinishedError(ctx, j, cause, false)
}

// unfinishedError reports that a restore is not finished, the cause, and the commands that end it.
// now: it is the requested restore.
func (s *Store) unfinishedError(ctx context.Context, j *intent, cause error, now bool) error {
	if ctx.Err() != nil {
		return cause
	}
	what := "a restore of " + j.Target.Short() + " was interrupted and cannot be finished"
	switch {
	case j.Target == "":
		what = "a restore was interrupted and cannot be finished"
	case now:
		what = "the restore of " + j.Target.Short() + " was interrupted halfway"
	case j.Reverses:
		what = "the reversal of an interrupted restore was interrupted and cannot be finished"
	}
	code, try := belay.CodeCannot, s.suggestCommands(ctx, j, cause)
	var known *belay.Error
	switch {
	case belay.CodeOf(cause) == belay.CodeBusy:
		code = belay.CodeBusy
		if errors.As(cause, &known) {
			try = known.Try + "; then belay doctor finishes it, belay undo reverses it"
		}
	case errors.Is(cause, syscall.ENOSPC), errors.Is(cause, syscall.EDQUOT), strings.Contains(cause.Error(), "the disk is full"):
		try = "free some space; then belay doctor finishes it, belay undo reverses it"
	}
	return &belay.Error{Code: code, What: what, Try: try, Err: plainError(cause)}
}

// suggestCommands names the commands that reverse an interrupted restore, or finish as much of it
// as possible.
func (s *Store) suggestCommands(ctx context.Context, j *intent, cause error) string {
	skip := "belay snapshot restore " + string(j.Target) + " --skip-broken"
	switch {
	case j.Reverses:
		return "belay " + cmp.Or(j.Step, WayUndo) + " --skip-broken restores the previous state, except what cannot be restored"
	case j.Step != "" && j.unreadReason == "":
		skip = "belay " + j.Step + " --skip-broken"
	}
	back := ""
	if j.Rescue != "" && !j.NewWorktree {
		if _, err := s.Snapshots.LookUp(ctx, j.Rescue); belay.CodeOf(err) != belay.CodeNotFound {
			back = "belay " + j.reverseStep()
			if j.unreadReason == "" && !isAboutTarget(cause) { // the cause may block the reversal too
				back += " --skip-broken"
			}
			back += " reverses it (snapshot " + j.Rescue.Short() + ")"
		}
	}
	finish := skip + " finishes it, except what cannot be restored"
	if j.unreadReason != "" {
		finish = skip + " restores that snapshot completely"
		if j.Target == "" {
			finish = "belay snapshot restore ID --skip-broken restores one of belay snapshot list --kind rescue"
		}
	}
	if back == "" {
		return finish
	}
	return back + "; " + finish
}

// isAboutTarget reports whether only damage of the snapshot prevents a restore from being finished.
func isAboutTarget(cause error) bool {
	var broken *BrokenError
	return errors.As(cause, &broken) && !slices.ContainsFunc(broken.Paths, func(k Kept) bool {
		return k.Reason != ReasonMissing && k.Reason != ReasonDamaged && k.Reason != reasonLostRef && k.Reason != reasonLostFile
	})
}

// plainError converts an error about a path to "<path>: <why>".
func plainError(err error) error {
	var f *Failure
	if errors.As(err, &f) {
		k := f.AsKept()
		return fmt.Errorf("%s: %s%w", belay.VisibleLine(k.Path), k.Reason, silentError{err})
	}
	return err
}

// silentError is an error without a message that can be unwrapped.
type silentError struct{ error }

func (silentError) Error() string   { return "" }
func (h silentError) Unwrap() error { return h.error }

// BrokenError lists the paths, refs and files of git's own that cannot be restored. Nothing was
// changed.
type BrokenError struct {
	Paths    []Kept
	Command  string // the command that was refused; "" when a restore is to be finished
	Snapshot string

	blocked error // the error about what would be destroyed; nil for nothing
}

// Error names the first one.
func (e *BrokenError) Error() string {
	text := belay.VisibleLine(e.Paths[0].Path) + ": " + belay.VisibleLine(e.Paths[0].Reason)
	if e.blocked != nil {
		return e.blocked.Error()
	}
	if e.Command != "" {
		text = "nothing was changed: " + e.Snapshot + " cannot be restored completely: " + text
	}
	if n := len(e.Paths) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// Unwrap returns the error with its code and what to try.
func (e *BrokenError) Unwrap() error {
	if e.Command == "" {
		return nil
	}
	try := e.Command + " --skip-broken restores everything else"
	if e.blocked != nil {
		try = "move it away; or " + try
	}
	return belay.Refuse(belay.CodeCannot, try, "%s", e.Error())
}

// findBrokenGit adds to a plan the parts of git's state that cannot be restored: refs whose
// objects are missing or damaged, files that this process cannot change. It waits for another
// process's lock on a ref, and then fails with CodeBusy.
func (s *Store) findBrokenGit(ctx context.Context, g *gitPlan) error {
	if err := s.findBrokenRefs(ctx, g); err != nil {
		return err
	}
	for _, list := range [][]gitWrite{g.adminFiles, g.stateFiles, g.logFiles} {
		for _, w := range list {
			if err := g.findFixed(w.dir, w.name, displayGitName(w.name)); err != nil {
				return err
			}
		}
	}
	if g.changesIndex {
		if err := g.findFixed(s.Snapshots.Repo.Dir, "index", displayGitName("index")); err != nil {
			return err
		}
	}
	if g.newHead != nil {
		return g.findFixed(s.Snapshots.Repo.Dir, "HEAD", "HEAD")
	}
	return nil
}

func (s *Store) findBrokenRefs(ctx context.Context, g *gitPlan) error {
	if len(g.refs) == 0 {
		return nil
	}
	rd, err := s.Snapshots.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rd.Close() }()
	for _, m := range g.refs {
		if err := s.waitForRefLock(ctx, m.Ref); err != nil {
			return err
		}
		if !s.Snapshots.Repo.UsesReftable {
			if err := g.findFixed(s.Snapshots.Repo.Common, m.Ref, m.Ref); err != nil {
				return err
			}
		}
		if m.To == "" || strings.HasPrefix(m.To, symbolic) {
			continue
		}
		why := ""
		if err := rd.Verify(m.To); err != nil {
			_ = rd.Close()
			if rd, err = s.Snapshots.Repo.Reader(ctx); err != nil {
				return err
			}
			if _, held := rd.Read(g.target.Commit + ":meta/tags/" + m.To); held != nil || !errors.Is(err, git.ErrNoObject) && err != nil {
				why = reasonLostRef
			}
		}
		if why != "" {
			g.broken = append(g.broken, Kept{Path: m.Ref, Reason: why})
		}
	}
	return nil
}

// waitForRefLock waits a moment for another process to release its lock on a ref, and never removes
// it.
func (s *Store) waitForRefLock(ctx context.Context, ref string) error {
	if s.Snapshots.Repo.UsesReftable {
		return nil
	}
	for _, dir := range []string{s.Snapshots.Repo.Common, s.Snapshots.Repo.Dir} {
		if err := s.waitForLock(ctx, filepath.Join(dir, filepath.FromSlash(ref)+".lock")); err != nil {
			return err
		}
	}
	return nil
}

// displayGitName returns the display name of a file of git's own.
func displayGitName(name string) string { return ".git/" + name }

func (g *gitPlan) findFixed(dir, name, shown string) error {
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		return err
	}
	why, err := root.UnchangeableReason(name)
	if err = errors.Join(err, root.Close()); err == nil && why != "" {
		g.broken = append(g.broken, Kept{Path: shown, Reason: why})
	}
	return err
}

// dropBroken removes broken parts from a plan.
func (g *gitPlan) dropBroken(broken []Kept) {
	out := map[string]bool{}
	for _, k := range broken {
		out[k.Path] = true
	}
	file := func(w gitWrite) bool { return out[displayGitName(w.name)] }
	g.adminFiles, g.stateFiles, g.logFiles = slices.DeleteFunc(g.adminFiles, file), slices.DeleteFunc(g.stateFiles,
		file), slices.DeleteFunc(g.logFiles, file)
	g.refs = slices.DeleteFunc(slices.Clone(g.refs), func(m RefMove) bool { return out[m.Ref] })
	g.changesIndex = g.changesIndex && !out[displayGitName("index")]
	if out["HEAD"] {
		g.newHead = nil
	}
}
