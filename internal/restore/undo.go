package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/capture"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/putback"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/undo"
	"github.com/belay-dev/belay/internal/worktree"
)

// intent says what a restore is about to do, written before it begins and removed when
// it is recorded as done: what is found of it later was cut short, and is finished.
type intent struct {
	Version    int              `json:"version"`
	Target     belay.SnapshotID `json:"target"`
	Rescue     belay.SnapshotID `json:"rescue"`
	FilesOnly  bool             `json:"files_only,omitempty"`
	Partial    bool             `json:"partial,omitempty"` // not the whole state: undo takes back only these paths
	Plan       putback.Plan     `json:"plan"`
	Refs       []RefMove        `json:"refs,omitempty"`
	IndexInode uint64           `json:"index_inode,omitempty"` // of our own index.lock
	Chosen     bool             `json:"chosen,omitempty"`      // not all refs were to move: other people's reflogs stay
	Left       []string         `json:"left,omitempty"`        // git's own files that somebody else changed
	Plant      bool             `json:"plant,omitempty"`       // into a working tree just made
	Step       string           `json:"step,omitempty"`        // undo or redo; "" for a restore
}

const intentVersion = 1

func (s *Store) writeIntent(j *intent) error {
	j.Version = intentVersion
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return capture.WriteWhole(s.intentPath(), text, true)
}

// done records a restore in the history and takes the intent away. A history that was
// damaged is begun anew: nothing may keep a restore from coming to its end.
func (s *Store) done(j *intent) error {
	h, err := undo.Read(s.historyPath())
	if err != nil && !errors.Is(err, undo.ErrSpoiled) {
		return err
	}
	j.record(&h)
	if err := h.Write(s.historyPath()); err != nil {
		return err
	}
	if err := capture.Fault("unlink", s.intentPath()); err != nil {
		return err
	}
	return fsroot.Remove(s.intentPath())
}

func stepOf(j *intent) undo.Step {
	st := undo.Step{Target: j.Target, Back: j.Rescue, FilesOnly: j.FilesOnly, Partial: j.Partial}
	for _, m := range j.Refs {
		if m.From == "" {
			st.Made = append(st.Made, putback.RawPath(m.Ref))
		}
	}
	for _, w := range j.Plan.Writes {
		if w.New {
			st.Made = append(st.Made, w.Path)
		}
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
func (j *intent) record(h *undo.History) {
	switch {
	case j.Step != "":
		h.Move(j.Step, stepOf(j))
	case !j.Plant:
		h.Push(stepOf(j))
	}
}

func (s *Store) historyPath() string { return filepath.Join(s.Dir, "undo.json") }

// TakenBack tells of the rescue of a restore whether an undo has taken the restore back,
// and no redo has done it again. ErrSpoiled and the like as [undo.Read] has them.
func (s *Store) TakenBack() (func(rescue belay.SnapshotID) bool, error) {
	h, err := undo.Read(s.historyPath())
	return h.TakenBack, err
}

// Undo takes the last restore back: it restores the rescue that was taken before it.
// CodeCannot when there is nothing to undo.
func (s *Store) Undo(ctx context.Context, o Options) (Restored, error) {
	return s.stepBack(ctx, o, undo.Back)
}

// Redo does the restore again that the last Undo took back.
func (s *Store) Redo(ctx context.Context, o Options) (Restored, error) {
	return s.stepBack(ctx, o, undo.Forth)
}

func (s *Store) stepBack(ctx context.Context, o Options, way string) (Restored, error) {
	unlock, err := s.exclude(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	defer s.Repo.Share()()
	if _, err := s.recover(ctx); err != nil {
		return Restored{}, err
	}
	h, err := undo.Read(s.historyPath())
	if err != nil {
		return Restored{}, err
	}
	last, ok := h.Next(way)
	if !ok {
		_ = s.Settle() // what a killed restore left of packs; no take comes to do it
		return Restored{}, belay.Refuse(belay.CodeCannot, "belay snapshot list, then belay snapshot restore ID", "there is nothing to %s", way)
	}
	o.FilesOnly = last.FilesOnly
	if last.Partial {
		touched := map[string]bool{}
		for _, p := range last.Paths {
			touched[string(p)] = true
		}
		o.Only = func(p string) bool { return touched[p] }
		o.FilesOnly = o.FilesOnly || len(o.Paths) > 0
	}
	o.Reason, o.step, o.made = way, way, map[string]bool{}
	for _, ref := range last.Made {
		o.made[string(ref)] = true
	}
	out, j, err := s.restore(ctx, last.Back, o)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return out, belay.Refuse(belay.CodeCannot, "belay snapshot list, then belay snapshot restore ID", "the state that %s would bring back was forgotten: snapshot %s", way, last.Back.Short())
	}
	if err != nil || o.DryRun {
		return out, err
	}
	if j == nil { // nothing differed: the step is done all the same
		j = &intent{Target: last.Back, Rescue: last.Target, Step: way, FilesOnly: last.FilesOnly, Partial: last.Partial}
		if err := s.writeIntent(j); err != nil {
			return out, err
		}
	}
	return out, s.done(j)
}

// Recover finishes a restore that was cut short. What it meets is held first, because
// somebody may have worked in the tree since. It gives nil when there is none.
func (s *Store) Recover(ctx context.Context) (*Restored, error) {
	if !s.Interrupted() {
		s.tidy()
		return nil, nil
	}
	unlock, err := s.exclude(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer s.Repo.Share()()
	return s.recover(ctx)
}

// recover is Recover under the lock that is already held.
func (s *Store) recover(ctx context.Context) (*Restored, error) {
	s.sweep()
	text, err := fsroot.ReadFile(s.intentPath(), fsroot.Usual)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the intent of a restore: %w", err)
	}
	var j intent
	if err := json.Unmarshal(text, &j); err != nil || j.Version != intentVersion {
		return nil, belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it, or remove the file", "a restore was cut short and %s cannot be read", s.intentPath())
	}
	if err := s.ourLock(j); err != nil {
		return nil, err
	}
	target, err := s.LookUp(ctx, j.Target)
	if belay.CodeOf(err) == belay.CodeNotFound {
		return nil, s.abandon(&j)
	}
	if err != nil {
		return nil, err
	}
	root, err := worktree.OpenRoot(s.Repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	saved, err := s.sweepTree(ctx, root, &j)
	if err != nil {
		return nil, err
	}
	rescue, c, err := s.meet(ctx, root, &j)
	if err != nil {
		return nil, err
	}
	g := &gitPlan{}
	if !j.FilesOnly {
		o := Options{decided: &j.Refs, step: j.Step, Plant: j.Plant}
		if len(j.Left) > 0 {
			o.OnlyGit = func(name string) bool { return !slices.Contains(j.Left, name) }
		}
		if j.Chosen {
			o.OnlyRef = func(name string) bool {
				return slices.ContainsFunc(j.Refs, func(m RefMove) bool { return m.Ref == name })
			}
		}
		if g, err = s.planGit(ctx, target, c, o); err != nil {
			return nil, err
		}
	}
	if err := s.carryOut(ctx, root, &j, g, c.Scan); err != nil {
		return nil, err
	}
	out := report(&j.Plan, j.Target, g)
	out.Rescue = rescue.ID
	out.Kept = append(out.Kept, saved...)
	return &out, s.done(&j)
}

// meet holds what an interrupted restore left, with what is ignored and lies where the
// restore still has to write.
func (s *Store) meet(ctx context.Context, root *worktree.Root, j *intent) (snapshot.Info, *capture.Capture, error) {
	m := snapshot.Meta{Kind: belay.KindRescue, Message: "met while finishing the restore of " + j.Target.Short()}
	rescue, c, err := s.Hold(ctx, m, capture.Wanted{})
	if err != nil {
		return rescue, c, err
	}
	pl := putback.NewPlanner(s.Repo, putback.Wish{}, c.Scan, putback.SideOf(c.Tree, c.Man), putback.Side{}, root)
	pl.Plan.Writes = j.Plan.Writes
	if hidden := pl.Unheld(); len(hidden) > 0 {
		return s.Hold(ctx, m, capture.Wanted{Include: hidden})
	}
	return rescue, c, nil
}

// ourLock removes an index.lock that a killed restore left: it is ours when its inode
// is the one that was written down before it was made.
func (s *Store) ourLock(j intent) error {
	lock := filepath.Join(s.Repo.Dir, "index.lock")
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

func writeBytes(root *worktree.Root, name string, perm uint16, tmp string, data []byte) error {
	return root.WriteFile(name, perm, tmp, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
