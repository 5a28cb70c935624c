package restore

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
)

// intent records the changes of a restore. It is written before the restore begins and removed when
// that is recorded as done: an intent that exists later belongs to an interrupted restore, which is
// finished.
type intent struct {
	Version      int              `json:"version"`
	Target       belay.SnapshotID `json:"target"`
	Rescue       belay.SnapshotID `json:"rescue"`
	FilesOnly    bool             `json:"files_only,omitempty"`
	Partial      bool             `json:"partial,omitempty"` // not the complete state: undo reverts only these paths
	Plan         Plan             `json:"plan"`
	Refs         []RefMove        `json:"refs,omitempty"`
	IndexInode   uint64           `json:"index_inode,omitempty"` // of belay's index.lock
	IndexMtime   int64            `json:"index_mtime,omitempty"` // of the same, in nanoseconds
	OnlySomeRefs bool             `json:"chosen,omitempty"`      // not all refs were to move: other people's reflogs stay
	LeftFiles    []string         `json:"left,omitempty"`        // git's own files that somebody else changed
	NewWorktree  bool             `json:"plant,omitempty"`       // the working tree was just created
	Step         string           `json:"step,omitempty"`        // undo or redo; "" for a restore
	Reverses     bool             `json:"reverses,omitempty"`    // reverses an interrupted restore: not a step of the history
	Skip         bool             `json:"skip,omitempty"`        // a person agreed to skip what cannot be restored
	Skipped      []Kept           `json:"skipped,omitempty"`     // the skipped paths; no longer in the plan
	Edits        []Edit           `json:"edits,omitempty"`       // lines to be replaced once the plan is carried out
	Inner        []innerStep      `json:"inner,omitempty"`       // repositories inside the tree, restored last

	unedited     []Kept // files in which lines could not be replaced
	innerResults []innerResult

	unreadReason string // why the intent could not be read; then at most Target, Rescue and Step are known
}

const intentVersion = 1

func (s *Store) writeIntent(j *intent) error {
	j.Version = intentVersion
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return snapshot.WriteAtomic(s.intentPath(), text, true)
}

// recordDone records a restore in the history and removes the intent. A damaged history is replaced
// by a new one: it must not prevent a restore from being finished.
func (s *Store) recordDone(j *intent) error {
	h, err := ReadHistory(s.historyPath())
	first := errors.Is(err, fs.ErrNotExist)
	if err != nil && !first && !errors.Is(err, ErrHistoryDamaged) {
		return err
	}
	j.addToHistory(&h)
	if !j.Reverses || first { // a rescue snapshot without a history means that the history was deleted
		if err := h.Write(s.historyPath()); err != nil {
			return err
		}
	}
	if err := snapshot.Fault("unlink", s.intentPath()); err != nil {
		return err
	}
	return fsroot.Remove(s.intentPath())
}

func newStep(j *intent) Step {
	st := Step{Target: j.Target, Rescue: j.Rescue, FilesOnly: j.FilesOnly, Partial: j.Partial, Edits: j.Edits}
	for _, m := range j.Refs {
		if m.From == "" {
			st.Created = append(st.Created, RawPath(m.Ref))
		}
	}
	for _, w := range j.Plan.Writes {
		if w.New {
			st.Created = append(st.Created, w.Path)
		}
	}
	for _, in := range j.Inner {
		st.Inner = append(st.Inner, in.InnerChange)
	}
	for _, k := range j.Skipped {
		st.Skipped = append(st.Skipped, RawPath(k.Path))
	}
	if j.Partial {
		for _, w := range j.Plan.Writes {
			st.Paths = append(st.Paths, w.Path)
		}
		st.Paths = append(st.Paths, j.Plan.Remove...)
		st.Paths = append(st.Paths, j.Plan.Rmdir...)
		for _, f := range slices.Concat(j.Plan.Mkdir, j.Plan.Chmod) {
			st.Paths = append(st.Paths, f.Path)
		}
	}
	return st
}

// addToHistory adds the restore of an intent to the history.
func (j *intent) addToHistory(h *History) {
	switch {
	case j.Reverses: // as if the reversed restore had never been requested
	case j.Step != "":
		h.Move(j.Step, newStep(j))
	case !j.NewWorktree:
		h.Push(newStep(j))
	}
}

func (s *Store) historyPath() string { return filepath.Join(s.Snapshots.Worktree.Dir, "undo.json") }

// UndoneRestores returns a function that reports, for the rescue snapshot of a restore, whether an
// undo reverted that restore and no redo repeated it. Errors as in [ReadHistory].
func (s *Store) UndoneRestores() (func(rescue belay.SnapshotID) bool, error) {
	h, err := readHistoryIfAny(s.historyPath())
	return h.IsUndone, err
}

// LastRestore returns the last restore, if it can be undone and nothing can be redone.
func (s *Store) LastRestore() (Step, bool) {
	h, err := readHistoryIfAny(s.historyPath())
	if err != nil || len(h.Redo) > 0 {
		return Step{}, false
	}
	return h.Next(WayUndo)
}

// Undo reverts the last restore: it restores the rescue snapshot that was taken before it.
// CodeCannot when there is nothing to undo.
func (s *Store) Undo(ctx context.Context, o Options) (Restored, error) {
	return s.restoreStep(ctx, o, WayUndo)
}

// Redo repeats the restore that the last Undo reverted.
func (s *Store) Redo(ctx context.Context, o Options) (Restored, error) {
	return s.restoreStep(ctx, o, WayRedo)
}

func (s *Store) restoreStep(ctx context.Context, o Options, way string) (Restored, error) {
	unlock, err := s.lockTree(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	defer s.Snapshots.Repo.ShareReader()()
	if o.DryRun && s.Interrupted() {
		return Restored{}, s.interruptedError()
	}
	if o.CommandText == "" {
		o.CommandText = "belay " + way
	}
	j, err := s.loadIntent(ctx)
	if err != nil {
		return Restored{}, err
	}
	if j != nil {
		done, err := s.finishRestore(ctx, j, o.SkipBroken && j.Step == way)
		switch {
		case err != nil && j.isReversedBy(way) && ctx.Err() == nil:
			return s.reverseRestore(ctx, j, o, err)
		case err != nil:
			return Restored{}, s.cannotFinishError(ctx, j, err)
		case j.Step == way:
			return *done, nil // that was requested
		}
		s.reportFinished(done)
	}
	h, err := readHistoryIfAny(s.historyPath())
	if err != nil {
		return Restored{}, err
	}
	last, ok := h.Next(way)
	if !ok {
		_ = s.Snapshots.CleanUpPacks() // partial packs of a killed restore, which no snapshot removes here
		try := "belay snapshot list, then belay snapshot restore ID"
		if way == WayUndo {
			try = "belay rollback TASK to revert a task, or " + try
		}
		return Restored{}, belay.Refuse(belay.CodeCannot, try, "there is nothing to %s", way)
	}
	o.forStep(last)
	o.Reason, o.step = way, way
	out, j, err := s.restoreUnrecorded(ctx, last.Rescue, o)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return out, belay.Refuse(belay.CodeCannot, "belay snapshot list, then belay snapshot restore ID",
			"the snapshot that %s would restore was forgotten: %s", way, last.Rescue.Short())
	}
	if err != nil || o.DryRun {
		return out, err
	}
	if j == nil { // nothing differed: the step counts as done
		j = &intent{Target: last.Rescue, Rescue: last.Target, Step: way, FilesOnly: last.FilesOnly, Partial: last.Partial, Edits: o.Edits}
		if err := s.writeIntent(j); err != nil {
			return out, err
		}
	}
	return out, s.recordDone(j)
}

// forStep sets the options that revert a step.
func (o *Options) forStep(last Step) {
	o.FilesOnly = last.FilesOnly
	if last.Partial {
		touched := map[string]bool{}
		for _, p := range last.Paths {
			touched[string(p)] = true
		}
		o.Only = func(p string) bool { return touched[p] }
		o.FilesOnly = o.FilesOnly || len(o.Paths) > 0
		o.InnerChanges = append([]InnerChange{}, last.Inner...)
	}
	for _, e := range last.Edits {
		o.Edits = append(o.Edits, e.Inverse())
	}
	o.made = map[string]bool{}
	for _, ref := range last.Created {
		o.made[string(ref)] = true
	}
}

// takeUnfinished takes a snapshot of the state that an interrupted restore left, including ignored
// paths that the restore still has to write.
func (s *Store) takeUnfinished(ctx context.Context, root *fsroot.Root, j *intent, w snapshot.CaptureOptions) (
	snapshot.Info, *snapshot.Capture, error) {
	m := snapshot.Meta{Kind: belay.KindRescue, Message: messageFinishing + " the restore of " + j.Target.Short()}
	rescue, c, err := s.Snapshots.TakeLocked(ctx, m, w)
	if err != nil {
		return rescue, c, err
	}
	pl := NewPlanner(s.Snapshots.Repo, Selection{}, c.Scan, NewState(c.FilesTree, c.Manifest), State{}, root)
	pl.Plan.Writes, pl.Plan.Remove = j.Plan.Writes, j.Plan.Remove
	if hidden := pl.UncapturedGlobs(); len(hidden) > 0 {
		w.Include = hidden
		return s.Snapshots.TakeLocked(ctx, m, w)
	}
	return rescue, c, nil
}

// removeOwnLock removes an index.lock that a killed restore left: its inode and modification time
// are those that were recorded before it was created. A lock of git's may have the inode again, but
// not the time of an old index.
func (s *Store) removeOwnLock(j intent) error {
	lock := filepath.Join(s.Snapshots.Repo.Dir, "index.lock")
	info, err := fsroot.Lstat(lock)
	if err != nil || j.IndexInode == 0 || inodeOf(info) != j.IndexInode || j.IndexMtime != 0 && info.ModTime().UnixNano() != j.IndexMtime {
		return nil // none, or another process's
	}
	return fsroot.Remove(lock)
}

func inodeOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

func writeBytes(root *fsroot.Root, name string, perm uint16, tmp string, data []byte) error {
	return root.WriteFile(name, perm, tmp, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
