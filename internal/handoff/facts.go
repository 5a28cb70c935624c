package handoff

// Facts are the differences between two states, unnamed. They only include paths that differ.
type Facts struct {
	Then, Now     Side
	Descends      bool // Then's commit is an ancestor of Now's
	Precedes      bool // Now's commit is an ancestor of Then's
	SameParents   bool // both commits have the same parents: one replaced the other
	WorkCommitted bool // Then's uncommitted work, or part of it, is in Now's commit
	Discarded     bool // there was uncommitted work, and now there is none
	Files         []Pair
	Index         []IndexPair
	Folders       []FolderPair
	Gaps          []GapPair
	Nested        []NestedPair
	GitFiles      []string            // git's own files that differ
	InScope       func(p string) bool // nil: every path is in scope
	IgnoreEnds    bool                // changed line ends are a note, not drift
}

// Side is one state of the repository as a whole.
type Side struct {
	Head      string
	Branch    string
	Operation string
	Stash     string // the latest stash commit; "" for none
	Stashes   int
	Subject   string // of the commit Head
}

// DriftEntry is a path in one state; the zero DriftEntry is a missing path.
type DriftEntry struct {
	Mode uint32 // git's mode
	Perm uint16
	OID  string
	Size int64
}

// Exists reports whether the path exists.
func (e DriftEntry) Exists() bool { return e.Mode != 0 }

// Pair is a path in both states. SameLines reports that only line ends differ; Shape is another
// simple kind of change: emptied, truncated, added to at its end.
type Pair struct {
	Path      string
	Then, Now DriftEntry
	SameLines bool
	Shape     string
	Ignored   bool // still there, but ignored
}

// Staged is a path in the index; zero if it is not there. Extra are the sides of a conflict.
type Staged struct {
	Mode  uint32
	OID   string
	Flags string // skip-worktree, assume-unchanged, intent-to-add, joined by +
	Extra string
}

// IndexPair is a path with different index entries.
type IndexPair struct {
	Path      string
	Then, Now Staged
}

// FolderPair is a folder that became empty or was empty, or that has another mode.
type FolderPair struct {
	Path              string
	WasEmpty, IsEmpty bool // exists as an empty folder
	WasPerm, NowPerm  uint16
}

// GapPair is a path that could not be captured before or now, with the reasons.
type GapPair struct{ Path, Was, Is string }

// NestedPair is a nested repository. Was and Is are its commit, "no commit" if it has none, or ""
// if the repository is missing.
type NestedPair struct{ Path, Was, Is string }
