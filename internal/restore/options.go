package restore

import (
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Options selects what is restored of a snapshot. The zero value means everything.
type Options struct {
	Paths     []string               // only these paths and what is below them; implies FilesOnly
	Preserve  []string               // doublestar globs of paths that are left alone
	Only      func(path string) bool // false: the path is left alone and listed in Kept
	OnlyRef   func(name string) bool // which refs a task touched; nil: moved ones are restored, new ones stay
	OnlyGit   func(name string) bool // which of git's own files a task touched, for example "index"; nil: all are restored
	DryRun    bool                   // plan, change nothing
	FilesOnly bool                   // leaves index, HEAD, refs and git's own files alone
	Task      belay.TaskID           // for the rescue's record
	Command   string                 // for the rescue's record
	Reason    string                 // for the rescue's message
	Journal   string                 // for the rescue's record: the hash at the head of the task's record
	// NewWorktree is set for a working tree that was just created: HEAD, refs and git's own files
	// stay, and there is nothing to undo.
	NewWorktree bool

	SkipBroken  bool   // skips and lists what cannot be restored; otherwise the restore fails then
	CommandText string // the command that requests this restore, for messages; "" is snapshot restore

	// Edits are lines that the restore replaces in place after the files, such as a box that belay
	// checked. The rest of those files stays. A line that somebody changed stays too, and its file
	// is listed in Kept.
	Edits []Edit

	// Approve, when set, checks the rescue snapshot, which is the current state, before the first
	// change. Its error cancels the restore.
	Approve func(tree string, m *snapshot.Manifest) error

	// InnerChanges selects what is restored in repositories inside the tree; nil: every difference.
	InnerChanges []InnerChange

	step           string          // undo or redo
	isReversal     bool            // reverses the interrupted restore that has the intent
	replacesUnread bool            // replaces an intent that cannot be read
	made           map[string]bool // for undo: the refs and paths that the restore created

	refMoves *[]RefMove // to finish a restore: its ref moves
}

func (o *Options) selection() Selection {
	return Selection{Paths: o.Paths, Preserve: o.Preserve, Only: o.Only, Created: o.made}
}

// Restored is the result of a restore or of a dry run.
type Restored struct {
	Target    belay.SnapshotID `json:"target"`
	Rescue    belay.SnapshotID `json:"rescue,omitempty"` // the state before it; "" when nothing differed
	Written   []string         `json:"written"`
	Removed   []string         `json:"removed"`
	Kept      []Kept           `json:"kept"`
	Refs      []RefMove        `json:"refs"`
	KeptRefs  []Kept           `json:"kept_refs"` // refs, and files of git's own, that were left alone
	Index     bool             `json:"index"`     // the index was restored
	Head      bool             `json:"head"`      // HEAD was restored
	Operation bool             `json:"operation"` // files of an operation in progress were restored
	Admin     bool             `json:"admin"`     // config, hooks or info files were restored
	Logs      bool             `json:"logs"`      // reflogs were restored

	Missing []Kept `json:"missing,omitempty"` // deleted or changed since, and not in the snapshot

	Partial bool   `json:"partial,omitempty"` // Skipped is not empty
	Skipped []Kept `json:"skipped,omitempty"` // could not be restored, and was left alone on request

	// Inner are the repositories inside the tree that were restored as well. Their changes are
	// also in Written and the other lists.
	Inner []InnerRestored `json:"inner,omitempty"`

	// Reversed reports that an interrupted restore was reversed: there is nothing to redo.
	Reversed bool `json:"reversed,omitempty"`

	// Overruled are paths that were restored although somebody else had changed them as well:
	// their version is in the rescue snapshot. Only a rollback of a task fills it.
	Overruled []string `json:"overruled,omitempty"`

	isSame bool // nothing differed
}

// InnerRestored is a repository inside the tree that was restored.
type InnerRestored struct {
	Path   string           `json:"path"`
	Target belay.SnapshotID `json:"target"`           // a snapshot of that repository
	Rescue belay.SnapshotID `json:"rescue,omitempty"` // a snapshot of that repository
}

// isComplete reports whether the complete state is to be restored.
func (o *Options) isComplete() bool {
	return !o.FilesOnly && len(o.Paths)+len(o.Preserve) == 0 && o.Only == nil
}

func (r *Restored) isEmpty() bool {
	gitState := r.Index || r.Head || r.Operation || r.Admin || r.Logs
	return !gitState && len(r.Written)+len(r.Removed)+len(r.Refs)+len(r.Inner) == 0
}

func newRestored(p *Plan, target belay.SnapshotID, g *gitPlan) Restored {
	out := Restored{Target: target, Written: []string{}, Removed: []string{},
		Kept: append(append([]Kept{}, p.Kept...), g.notReverted...), Missing: p.Missing,
		Refs: append([]RefMove{}, g.refs...), KeptRefs: append([]Kept{}, g.kept...),
		Index: g.changesIndex, Head: g.newHead != nil, Operation: g.operation, Admin: g.changesAdmin, Logs: g.logs}
	for _, w := range p.Writes {
		out.Written = append(out.Written, string(w.Path))
	}
	for _, r := range slices.Backward(p.Remove) {
		out.Removed = append(out.Removed, string(r))
	}
	return out
}
