package restore

import (
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Options says what of a snapshot is restored. The zero value means everything.
type Options struct {
	Paths       []string               // only these paths and what is below them; files alone
	Preserve    []string               // doublestar globs that are left alone
	Only        func(path string) bool // false: left alone and named in Kept
	OnlyRef     func(name string) bool // which refs a task touched; nil: moved ones go back, new ones stay
	OnlyGit     func(name string) bool // which of git's own files a task touched, "index" for one; nil: all go back
	DryRun      bool                   // plan, change nothing
	FilesOnly   bool                   // leave index, HEAD, refs and git's own files
	Task        belay.TaskID           // for the rescue's record
	Command     string                 // likewise
	Reason      string                 // likewise
	Journal     string                 // likewise: the hash at the head of the task's record
	NewWorktree bool                   // into a working tree just made: HEAD, refs and git's own files stay, and it is nothing to undo

	SkipBroken  bool   // leave out, by name, what cannot be restored; otherwise nothing is restored then
	CommandText string // the command that asks for this restore, for messages; "" is snapshot restore

	// Edits are lines that the restore replaces in place once the files are restored, such
	// as a box that belay ticked. What else is in those files stays. A line that somebody
	// changed stays too, and its file is named in Kept.
	Edits []Edit

	// Agree, when set, looks at the rescue, which holds the present, before the first
	// change: its error refuses the restore.
	Approve func(tree string, m *snapshot.Manifest) error

	// Inner says what of repositories inside the tree is restored; nil: all that differs.
	InnerChanges []InnerChange

	step           string          // undo or redo
	isReversal     bool            // takes back the interrupted restore whose intent is there
	replacesUnread bool            // takes the place of an intent that cannot be read
	made           map[string]bool // for undo: the refs and paths that the restore made

	refMoves *[]RefMove // for finishing a restore: what was decided about refs
}

func (o *Options) selection() Selection {
	return Selection{Paths: o.Paths, Preserve: o.Preserve, Only: o.Only, Created: o.made}
}

// Restored is what a restore did, or would do.
type Restored struct {
	Target    belay.SnapshotID `json:"target"`
	Rescue    belay.SnapshotID `json:"rescue,omitempty"` // the present before it; "" when nothing differed
	Written   []string         `json:"written"`
	Removed   []string         `json:"removed"`
	Kept      []Kept           `json:"kept"`
	Refs      []RefMove        `json:"refs"`
	KeptRefs  []Kept           `json:"kept_refs"` // refs, and files of git's own, that were left
	Index     bool             `json:"index"`     // the index was put back
	Head      bool             `json:"head"`      // HEAD was
	Operation bool             `json:"operation"` // files of an operation in progress were
	Admin     bool             `json:"admin"`     // config, hooks or info files were
	Logs      bool             `json:"logs"`      // reflogs were

	Missing []Kept `json:"missing,omitempty"` // gone or changed since, and not in the snapshot

	Partial bool   `json:"partial,omitempty"` // Skipped names something
	Skipped []Kept `json:"skipped,omitempty"` // could not be restored, and was left as it was on request

	// Inner are the repositories inside the tree that were restored as well. What was done
	// there is among Written and the like.
	Inner []InnerRestored `json:"inner,omitempty"`

	// Reversed says that an interrupted restore was taken back: there is nothing to redo.
	Reversed bool `json:"reversed,omitempty"`

	// Overruled are paths that went back although somebody else had changed them as well:
	// what he made of them is in the rescue. Only a rollback of a task fills it.
	Overruled []string `json:"overruled,omitempty"`

	isSame bool // nothing differed
}

// InnerRestored is a repository inside the tree that was restored.
type InnerRestored struct {
	Path   string           `json:"path"`
	Target belay.SnapshotID `json:"target"`           // of its own snapshots
	Rescue belay.SnapshotID `json:"rescue,omitempty"` // likewise
}

// isComplete tells whether all of a state is to be restored.
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
