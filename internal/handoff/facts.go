package handoff

// Facts are what differs between two states, as it was read. Only paths that differ in
// something are given.
type Facts struct {
	Then, Now     Side
	Descends      bool // Now's commit follows from Then's
	Precedes      bool // Then's commit follows from Now's
	SameParents   bool // both commits have the same parents: one replaced the other
	WorkCommitted bool // what was not committed then is in Now's commit, or part of it
	Discarded     bool // there was work that was not committed, and now there is none
	Files         []Pair
	Index         []IndexPair
	Folders       []FolderPair
	Gaps          []GapPair
	Nested        []NestedPair
	GitFiles      []string            // git's own files that differ
	InScope       func(p string) bool // nil is everything
	IgnoreEnds    bool                // a change of line ends alone is a note
}

// Side is one state of the tree as a whole.
type Side struct {
	Head      string
	Branch    string
	Operation string
	Stash     string // the commit on top; "" without a stash
	Stashes   int
	Subject   string // of the commit of Head, for people
}

// Entry is a path in one state; the zero Entry is no such path.
type DriftEntry struct {
	Mode uint32 // git's
	Perm uint16
	OID  string
	Size int64
}

// Exists reports whether the path is there.
func (e DriftEntry) Exists() bool { return e.Mode != 0 }

// Pair is a path in both states. SameLines says that the bytes differ in line ends alone;
// Shape is a word about how they differ otherwise: emptied, truncated, appended.
type Pair struct {
	Path      string
	Then, Now DriftEntry
	SameLines bool
	Shape     string
	Ignored   bool // it is there still, but ignored
}

// Staged is a path in the index; the zero value is none. Extra are the sides of a conflict.
type Staged struct {
	Mode  uint32
	OID   string
	Flags string // skip-worktree, assume-unchanged, intent-to-add, joined by +
	Extra string
}

// IndexPair is a path whose place in the index differs.
type IndexPair struct {
	Path      string
	Then, Now Staged
}

// FolderPair is a folder: without files before or now, or with another mode.
type FolderPair struct {
	Path              string
	WasEmpty, IsEmpty bool // as an empty folder
	WasPerm, NowPerm  uint16
}

// GapPair is a path that could not be captured before or now.
type GapPair struct{ Path, Was, Is string }

// NestedPair is a repository of its own within the tree. A text is its commit, "none" when
// it has none, "" when it is not there.
type NestedPair struct{ Path, Was, Is string }
