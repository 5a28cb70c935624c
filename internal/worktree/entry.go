package worktree

import (
	"encoding/hex"
)

// Kind says what a path is.
type Kind uint8

// The kinds. Only File, Exec and Link are ever captured.
const (
	File   Kind = iota + 1 // a regular file
	Exec                   // a regular file that its owner may execute
	Link                   // a symbolic link
	Folder                 // a folder
	Other                  // a FIFO, a socket, a device
)

// OID is the name git gives to bytes: the raw 20 (SHA-1) or 32 (SHA-256) bytes of
// hash("blob <size>\x00" + bytes).
type OID string

// String gives the name in hexadecimal, as git prints it.
func (o OID) String() string { return hex.EncodeToString([]byte(o)) }

// Entry is one captured path.
type Entry struct {
	Path  string
	Kind  Kind   // File, Exec or Link
	Perm  uint16 // the 07777 bits
	Size  int64  // bytes; of a link: of its target
	OID   OID    // of the raw bytes; of a link: of its target
	Fresh bool   // the content was read in this scan, not taken from the cache
}

// Dir is a folder that was entered. Path "" is the root.
type Dir struct {
	Path  string
	Perm  uint16 // the 07777 bits
	Empty bool   // there is nothing in it at all
}

// Gap is a path that could not be captured. Tracked says that it, or something
// below it, is in the user's index. A folder that could not be read is one Gap.
type Gap struct {
	Path, Reason string
	Tracked      bool
}

// Nested is a folder with a repository of its own. It is entered only when the
// outer repository tracks files below it. GitFile says that its .git is a file that
// points elsewhere, as submodules and linked worktrees have it.
type Nested struct {
	Path    string
	GitFile bool
}

// Stats says what a scan cost.
type Stats struct {
	Files       int   // captured paths
	Hashed      int   // of them, read in this scan; .gitignore files that are ignored count too
	BytesHashed int64 // bytes read to hash them
	Asked       int   // paths that Options.Ignored was asked about
}

// Result is what a scan saw. All lists are sorted by path, byte by byte.
type Result struct {
	Entries []Entry
	Dirs    []Dir
	Gaps    []Gap
	Nested  []Nested
	Ignored []string // ignored paths; a folder without a captured path is one line ending in "/"
	Rules   []Entry  // every .gitignore file that git reads, those that are ignored themselves too
	Moving  bool     // something changed while the scan ran: the entries may never have existed together
	Stats   Stats

	scan *scan
}

// Tracked is a path of the user's index.
type Tracked struct {
	Path    string
	OID     OID   // what the index says; used only together with Seed
	Gitlink bool  // a submodule
	Seed    *Stat // nil unless an equal stat means that the raw bytes hash to OID
}

// Stat is what git's index records of a file: times, and the low 32 bits of
// everything else. Mode is git's mode of the entry.
type Stat struct {
	MtimeSec, CtimeSec                                   int64
	MtimeNsec, CtimeNsec, Dev, Ino, Uid, Gid, Mode, Size uint32
}
