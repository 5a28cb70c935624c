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

// intent says what a restore is about to do, written before it begins and removed when
// it is recorded as done: what is found of it later was cut short, and is finished.
type intent struct {
	Version    int              `json:"version"`
	Target     belay.SnapshotID `json:"target"`
	Rescue     belay.SnapshotID `json:"rescue"`
	FilesOnly  bool             `json:"files_only,omitempty"`
	Partial    bool             `json:"partial,omitempty"` // not the whole state: undo takes back only these paths
	Plan       Plan             `json:"plan"`
	Refs       []RefMove        `json:"refs,omitempty"`
	IndexInode uint64           `json:"index_inode,omitempty"` // of our own index.lock
	Chosen     bool             `json:"chosen,omitempty"`      // not all refs were to move: other people's reflogs stay
	Left       []string         `json:"left,omitempty"`        // git's own files that somebody else changed
	Plant      bool             `json:"plant,omitempty"`       // into a working tree just made
	Step       string           `json:"step,omitempty"`        // undo or redo; "" for a restore
	Reverses   bool             `json:"reverses,omitempty"`    // takes an interrupted restore back: no step of the history
	Skip       bool             `json:"skip,omitempty"`        // somebody agreed to leave out what cannot be restored
	Skipped    []Kept           `json:"skipped,omitempty"`     // what was left out; the plan does not speak of it any more
	Edits      []Edit           `json:"edits,omitempty"`       // lines to be replaced once the plan is carried out
	Inner      []innerStep      `json:"inner,omitempty"`       // repositories inside of the tree, restored after all else

	unedited  []Kept // files in which lines could not be replaced
	innerDone []innerDone

	unread string // why it could not be read; then only Target, Rescue and Step are known, if at all
}

const intentVersion = 1

func (s *Store) writeIntent(j *intent) error {
	j.Version = intentVersion
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return snapshot.WriteWhole(s.intentPath(), text, true)
}

// done records a restore in the history and takes the intent away. A history that was
// damaged is begun again: nothing may keep a restore from coming to its end.
func (s *Store) done(j *intent) error {
	h, err := Read(s.historyPath())
	first := errors.Is(err, fs.ErrNotExist)
	if err != nil && !first && !errors.Is(err, ErrSpoiled) {
		return err
	}
	j.record(&h)
	if !j.Reverses || first { // a rescue with no history beside it is a history that is gone
		if err := h.Write(s.historyPath()); err != nil {
			return err
		}
	}
	if err := snapshot.Fault("unlink", s.intentPath()); err != nil {
		return err
	}
	return fsroot.Remove(s.intentPath())
}

func stepOf(j *intent) Step {
	st := Step{Target: j.Target, Back: j.Rescue, FilesOnly: j.FilesOnly, Partial: j.Partial, Edits: j.Edits}
	for _, m := range j.Refs {
		if m.From == "" {
			st.Made = append(st.Made, RawPath(m.Ref))
		}
	}
	for _, w := range j.Plan.Writes {
		if w.New {
			st.Made = append(st.Made, w.Path)
		}
	}
	for _, in := range j.Inner {
		st.Inner = append(st.Inner, in.Inner)
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

// record adds what an intent was for to the history.
func (j *intent) record(h *History) {
	switch {
	case j.Reverses: // as if the restore that it takes back had never been asked for
	case j.Step != "":
		h.Move(j.Step, stepOf(j))
	case !j.Plant:
		h.Push(stepOf(j))
	}
}

func (s *Store) historyPath() string { return filepath.Join(s.Snapshots.Place.Dir, "undo.json") }

// TakenBack tells of the rescue of a restore whether an undo has taken the restore back,
// and no redo has done it again. ErrSpoiled and the like as [Read] has them.
func (s *Store) TakenBack() (func(rescue belay.SnapshotID) bool, error) {
	h, err := readIfAny(s.historyPath())
	return h.TakenBack, err
}

// Last gives the last restore, as far as it can be undone and nothing can be redone.
func (s *Store) Last() (Step, bool) {
	h, err := readIfAny(s.historyPath())
	if err != nil || len(h.Redo) > 0 {
		return Step{}, false
	}
	return h.Next(Back)
}

// Undo takes the last restore back: it restores the rescue that was taken before it.
// CodeCannot when there is nothing to undo.
func (s *Store) Undo(ctx context.Context, o Options) (Restored, error) {
	return s.stepBack(ctx, o, Back)
}

// Redo does the restore again that the last Undo took back.
func (s *Store) Redo(ctx context.Context, o Options) (Restored, error) {
	return s.stepBack(ctx, o, Forth)
}

func (s *Store) stepBack(ctx context.Context, o Options, way string) (Restored, error) {
	unlock, err := s.exclude(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	defer s.Snapshots.Repo.Share()()
	if o.Again == "" {
		o.Again = "belay " + way
	}
	j, err := s.load(ctx)
	if err != nil {
		return Restored{}, err
	}
	if j != nil {
		done, err := s.finish(ctx, j, o.SkipBroken && !o.DryRun && j.Step == way)
		switch {
		case err != nil && j.reversedBy(way) && ctx.Err() == nil:
			return s.reverse(ctx, j, o, err)
		case err != nil:
			return Restored{}, s.cannotFinish(ctx, j, err)
		case j.Step == way && !o.DryRun:
			return *done, nil // that was what it was asked for
		}
		s.say(done)
	}
	h, err := readIfAny(s.historyPath())
	if err != nil {
		return Restored{}, err
	}
	last, ok := h.Next(way)
	if !ok {
		_ = s.Snapshots.Settle() // what a killed restore left of packs; no take comes to do it
		return Restored{}, belay.Refuse(belay.CodeCannot, "belay snapshot list, then belay snapshot restore ID",
			"there is nothing to %s", way)
	}
	o.back(last)
	o.Reason, o.step = way, way
	out, j, err := s.restore(ctx, last.Back, o)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return out, belay.Refuse(belay.CodeCannot, "belay snapshot list, then belay snapshot restore ID",
			"the snapshot that %s would restore was forgotten: %s", way, last.Back.Short())
	}
	if err != nil || o.DryRun {
		return out, err
	}
	if j == nil { // nothing differed: the step is done anyway
		j = &intent{Target: last.Back, Rescue: last.Target, Step: way, FilesOnly: last.FilesOnly, Partial: last.Partial, Edits: o.Edits}
		if err := s.writeIntent(j); err != nil {
			return out, err
		}
	}
	return out, s.done(j)
}

// back makes options that take a step back.
func (o *Options) back(last Step) {
	o.FilesOnly = last.FilesOnly
	if last.Partial {
		touched := map[string]bool{}
		for _, p := range last.Paths {
			touched[string(p)] = true
		}
		o.Only = func(p string) bool { return touched[p] }
		o.FilesOnly = o.FilesOnly || len(o.Paths) > 0
		o.Inner = append([]Inner{}, last.Inner...)
	}
	for _, e := range last.Edits {
		o.Edits = append(o.Edits, e.Inverse())
	}
	o.made = map[string]bool{}
	for _, ref := range last.Made {
		o.made[string(ref)] = true
	}
}

// meet holds what an interrupted restore left, with what is ignored and is where the
// restore still has to write.
func (s *Store) meet(ctx context.Context, root *fsroot.Root, j *intent, w snapshot.Wanted) (snapshot.Info, *snapshot.Capture, error) {
	m := snapshot.Meta{Kind: belay.KindRescue, Message: metWhile + " the restore of " + j.Target.Short()}
	rescue, c, err := s.Snapshots.Hold(ctx, m, w)
	if err != nil {
		return rescue, c, err
	}
	pl := NewPlanner(s.Snapshots.Repo, Wish{}, c.Scan, SideOf(c.Tree, c.Man), Side{}, root)
	pl.Plan.Writes, pl.Plan.Remove = j.Plan.Writes, j.Plan.Remove
	if hidden := pl.Unheld(); len(hidden) > 0 {
		w.Include = hidden
		return s.Snapshots.Hold(ctx, m, w)
	}
	return rescue, c, nil
}

// ourLock removes an index.lock that a killed restore left: it is ours when its inode
// is the one that was written down before it was made.
func (s *Store) ourLock(j intent) error {
	lock := filepath.Join(s.Snapshots.Repo.Dir, "index.lock")
	info, err := fsroot.Lstat(lock)
	if err != nil || j.IndexInode == 0 || inode(info) != j.IndexInode {
		return nil // none, or somebody else's: that one is waited for and named
	}
	return fsroot.Remove(lock)
}

func inode(info fs.FileInfo) uint64 {
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
