package restore

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
)

// The two directions in the history.
const (
	WayUndo = "undo"
	WayRedo = "redo"
)

const (
	historyVersion  = 2 // with a checksum
	historyVersion1 = 1 // only the history, as earlier versions of belay wrote it
)

// MaxSteps limits each part of the history, in steps; older rescue snapshots can still be
// restored by their ids.
const MaxSteps = 100

// ErrHistoryDamaged reports that the history cannot be read. No work is lost: the rescue snapshots
// still exist.
var ErrHistoryDamaged = belay.Refuse(belay.CodeCannot, "belay snapshot list --kind rescue, then belay snapshot restore ID",
	"the history of restores is damaged; the snapshots it named still exist")

// History lists the restores that can be undone and redone, the newest last.
type History struct {
	Undo []Step `json:"undo"`
	Redo []Step `json:"redo"`
	// Dropped are the states that undo returned to and that can no longer be redone.
	Dropped []belay.SnapshotID `json:"gone,omitempty"`
}

// Step is one restore. Restoring Rescue reverts it. Paths are the changed ones, if it did not
// restore everything.
type Step struct {
	Target    belay.SnapshotID `json:"target"`
	Rescue    belay.SnapshotID `json:"back"`
	FilesOnly bool             `json:"files_only,omitempty"`
	Partial   bool             `json:"partial,omitempty"`
	Paths     []RawPath        `json:"paths,omitempty"`
	Created   []RawPath        `json:"made,omitempty"`    // refs and paths that it created
	Skipped   []RawPath        `json:"skipped,omitempty"` // paths that it skipped, on request, because they could not be restored
	Edits     []Edit           `json:"edits,omitempty"`   // lines that it replaced, in files of which it restored nothing else
	Inner     []InnerChange    `json:"inner,omitempty"`   // the repositories inside the tree that it changed
}

// InnerChange selects what a restore changes in a repository inside the tree. All means every
// difference.
type InnerChange struct {
	Path  RawPath       `json:"path"`
	All   bool          `json:"all,omitempty"`
	Paths []RawPath     `json:"paths,omitempty"`
	Refs  []string      `json:"refs,omitempty"`
	Git   []string      `json:"git,omitempty"`
	Inner []InnerChange `json:"inner,omitempty"`
}

// historyFile is the encoding of the file. Sum is the SHA-256 of the bytes of History, in hex: a
// single wrong bit could name another snapshot, and prune would delete the one that undo needs.
type historyFile struct {
	Version int             `json:"version"`
	Sum     string          `json:"sha256"`
	History json.RawMessage `json:"history"`
}

// ReadHistory reads the history in a file. fs.ErrNotExist before the first restore,
// ErrHistoryDamaged when it is damaged, CodeCannot when another version wrote it.
func ReadHistory(file string) (History, error) {
	text, err := fsroot.ReadFile(file, fsroot.MaxSmallFile)
	if err != nil {
		return History{}, fmt.Errorf("read the history of restores: %w", err)
	}
	var f historyFile
	if err := json.Unmarshal(text, &f); err != nil {
		return History{}, ErrHistoryDamaged
	}
	switch f.Version {
	case historyVersion:
		if f.Sum != checksum(f.History) {
			return History{}, ErrHistoryDamaged
		}
	case historyVersion1:
		if f.Sum != "" || f.History != nil {
			return History{}, ErrHistoryDamaged
		}
		f.History = text
	default:
		return History{}, belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it",
			"unknown version %d of the history of restores", f.Version)
	}
	var h History
	if err := json.Unmarshal(f.History, &h); err != nil {
		return History{}, ErrHistoryDamaged
	}
	return h, nil
}

// readHistoryIfAny is ReadHistory, and returns an empty history when there is none.
func readHistoryIfAny(file string) (History, error) {
	h, err := ReadHistory(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return h, err
}

// Write replaces the file atomically.
func (h History) Write(file string) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	text, err = json.Marshal(historyFile{Version: historyVersion, Sum: checksum(text), History: text})
	if err != nil {
		return err
	}
	return snapshot.WriteAtomic(file, text, true)
}

func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Push records a restore by a person. Earlier undos can no longer be redone.
func (h *History) Push(s Step) {
	for _, redo := range h.Redo {
		h.Dropped = append(h.Dropped, redo.Target)
	}
	h.Dropped = h.Dropped[max(0, len(h.Dropped)-MaxSteps):]
	h.Undo, h.Redo = append(h.Undo, s), nil
	h.Undo = h.Undo[max(0, len(h.Undo)-MaxSteps):]
}

// Move records an undo or a redo.
func (h *History) Move(way string, s Step) {
	from, to := h.stacks(way)
	if n := len(*from); n > 0 {
		*from = (*from)[:n-1]
	}
	*to = append(*to, s)
}

// Next returns the step that undo, or redo, takes next. ok is false when there is none.
func (h *History) Next(way string) (Step, bool) {
	from, _ := h.stacks(way)
	if len(*from) == 0 {
		return Step{}, false
	}
	return (*from)[len(*from)-1], true
}

func (h *History) stacks(way string) (from, to *[]Step) {
	if way == WayRedo {
		return &h.Redo, &h.Undo
	}
	return &h.Undo, &h.Redo
}

// IsUndone reports whether the restore with this rescue snapshot was undone, and not redone
// since.
func (h *History) IsUndone(rescue belay.SnapshotID) bool {
	return rescue != "" && (slices.Contains(h.Dropped, rescue) ||
		slices.ContainsFunc(h.Redo, func(s Step) bool { return s.Target == rescue }))
}

// IsBeforeRestore reports whether a snapshot is the state that a restore replaced, which the
// history of its working tree names at first.
func IsBeforeRestore(i snapshot.Info) bool {
	return i.Kind == belay.KindRescue && strings.HasPrefix(i.Message, messageBefore)
}

// HasSnapshot reports whether the history has a restore from, or to, a snapshot.
func (h *History) HasSnapshot(id belay.SnapshotID) bool {
	in := func(list []Step) bool {
		return slices.ContainsFunc(list, func(s Step) bool { return s.Target == id || s.Rescue == id })
	}
	return in(h.Undo) || in(h.Redo) || slices.Contains(h.Dropped, id)
}
