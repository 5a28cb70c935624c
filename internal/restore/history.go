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

// Back and Forth are the two ways to go.
const (
	Back  = "undo"
	Forth = "redo"
)

const (
	version = 2 // with a checksum
	bare    = 1 // the history alone, as earlier versions of belay wrote it
)

// MostSteps bounds each part of the history, in steps; older rescues can still be restored by
// their ids.
const MostSteps = 100

// ErrSpoiled says that nothing of the history can be read. It holds no work: the
// rescues are snapshots like others.
var ErrSpoiled = belay.Refuse(belay.CodeCannot, "belay snapshot list --kind rescue, then belay snapshot restore ID",
	"the history of restores is damaged; the snapshots it named still exist")

// History is what can be undone and redone, the newest last.
type History struct {
	Undo []Step `json:"undo"`
	Redo []Step `json:"redo"`
	// Gone are the states gone back to by undos that can no longer be redone.
	Gone []belay.SnapshotID `json:"gone,omitempty"`
}

// Step is one restore: to go back to Back takes it back. Paths are those it changed,
// when it was not of the whole state.
type Step struct {
	Target    belay.SnapshotID `json:"target"`
	Back      belay.SnapshotID `json:"back"`
	FilesOnly bool             `json:"files_only,omitempty"`
	Partial   bool             `json:"partial,omitempty"`
	Paths     []RawPath        `json:"paths,omitempty"`
	Made      []RawPath        `json:"made,omitempty"`    // refs and paths that it made
	Skipped   []RawPath        `json:"skipped,omitempty"` // what it left out, on request, because it could not be restored
	Edits     []Edit           `json:"edits,omitempty"`   // lines that it replaced, in files of which it restored nothing else
	Inner     []Inner          `json:"inner,omitempty"`   // the repositories inside of the tree that it changed
}

// Inner is what a restore changes in a repository inside the tree. All: whatever differs.
type Inner struct {
	Path  RawPath   `json:"path"`
	All   bool      `json:"all,omitempty"`
	Paths []RawPath `json:"paths,omitempty"`
	Refs  []string  `json:"refs,omitempty"`
	Git   []string  `json:"git,omitempty"`
	Inner []Inner   `json:"inner,omitempty"`
}

// historyFile is the file. Sum is the SHA-256 of History, byte for byte, in hex: one bit
// that differs could name another snapshot, and prune would forget the one that undo needs.
type historyFile struct {
	Version int             `json:"version"`
	Sum     string          `json:"sha256"`
	History json.RawMessage `json:"history"`
}

// Read reads the history in a file. fs.ErrNotExist before the first restore, ErrSpoiled
// when it is damaged, CodeCannot when another version wrote it.
func Read(file string) (History, error) {
	text, err := fsroot.ReadFile(file, fsroot.Usual)
	if err != nil {
		return History{}, fmt.Errorf("read the history of restores: %w", err)
	}
	var f historyFile
	if err := json.Unmarshal(text, &f); err != nil {
		return History{}, ErrSpoiled
	}
	switch f.Version {
	case version:
		if f.Sum != sumOf(f.History) {
			return History{}, ErrSpoiled
		}
	case bare:
		if f.Sum != "" || f.History != nil {
			return History{}, ErrSpoiled
		}
		f.History = text
	default:
		return History{}, belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it",
			"unknown version %d of the history of restores", f.Version)
	}
	var h History
	if err := json.Unmarshal(f.History, &h); err != nil {
		return History{}, ErrSpoiled
	}
	return h, nil
}

// readIfAny is Read, with an empty history where there is none.
func readIfAny(file string) (History, error) {
	h, err := Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return h, err
}

// Write replaces the file, whole or not at all.
func (h History) Write(file string) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	text, err = json.Marshal(historyFile{Version: version, Sum: sumOf(text), History: text})
	if err != nil {
		return err
	}
	return snapshot.WriteWhole(file, text, true)
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Push records a restore by a person: what was undone before can no longer be redone.
func (h *History) Push(s Step) {
	for _, redo := range h.Redo {
		h.Gone = append(h.Gone, redo.Target)
	}
	h.Gone = h.Gone[max(0, len(h.Gone)-MostSteps):]
	h.Undo, h.Redo = append(h.Undo, s), nil
	h.Undo = h.Undo[max(0, len(h.Undo)-MostSteps):]
}

// Move records a step in one of the two ways.
func (h *History) Move(way string, s Step) {
	from, to := h.stack(way)
	if n := len(*from); n > 0 {
		*from = (*from)[:n-1]
	}
	*to = append(*to, s)
}

// Next returns what goes back, or forth, next. It reports whether there is anything.
func (h *History) Next(way string) (Step, bool) {
	from, _ := h.stack(way)
	if len(*from) == 0 {
		return Step{}, false
	}
	return (*from)[len(*from)-1], true
}

func (h *History) stack(way string) (from, to *[]Step) {
	if way == Forth {
		return &h.Redo, &h.Undo
	}
	return &h.Undo, &h.Redo
}

// TakenBack reports whether the restore whose rescue this is was undone, and not done
// again since.
func (h *History) TakenBack(rescue belay.SnapshotID) bool {
	return rescue != "" && (slices.Contains(h.Gone, rescue) || slices.ContainsFunc(h.Redo, func(s Step) bool { return s.Target == rescue }))
}

// BeforeRestore reports whether a snapshot is the present that a restore replaced: what the
// history of its working tree names, at first.
func BeforeRestore(i snapshot.Info) bool {
	return i.Kind == belay.KindRescue && strings.HasPrefix(i.Message, before)
}

// Names reports whether the history has a restore from, or to, a snapshot.
func (h *History) Names(id belay.SnapshotID) bool {
	in := func(list []Step) bool {
		return slices.ContainsFunc(list, func(s Step) bool { return s.Target == id || s.Back == id })
	}
	return in(h.Undo) || in(h.Redo) || slices.Contains(h.Gone, id)
}
