package scan

import (
	"github.com/belay-dev/belay/internal/fsroot"
)

// Entry is one captured path.
type Entry struct {
	Path  string
	Kind  fsroot.PathKind // File, Exec or Link
	Perm  uint16          // the 07777 bits
	Size  int64           // bytes; of a link: of its target
	OID   fsroot.OID      // of the raw bytes; of a link: of its target
	Fresh bool            // the content was read in this scan, not taken from the cache
}

// Dir is a folder that was entered. Path "" is the root.
type Dir struct {
	Path  string
	Perm  uint16 // the 07777 bits
	Empty bool   // there is nothing in it at all
}

// Gap is a path that could not be captured. Tracked says that it, or something below it, is in
// the user's index. A folder that could not be read is one Gap.
type Gap struct {
	Path, Reason string
	Tracked      bool
}

// NestedRepo is a folder with a repository of its own. It is entered only when the outer
// repository tracks files below it. GitFile says that its .git is a file that points elsewhere,
// as for submodules and linked worktrees.
type NestedRepo struct {
	Path    string
	GitFile bool
}

// Stats counts the work of a scan.
type Stats struct {
	Files       int   // captured paths
	Hashed      int   // of them, read in this scan; .gitignore files that are ignored count too
	BytesHashed int64 // bytes read to hash them
	Asked       int   // paths that Options.Ignored was asked about
}

// Result is the result of a scan. All lists are sorted by path, byte by byte.
type Result struct {
	Entries  []Entry
	Dirs     []Dir
	Gaps     []Gap
	Nested   []NestedRepo
	Ignored  []string // ignored paths; a folder without a captured path is one line ending in "/"
	Rules    []Entry  // every .gitignore file that git reads, those that are ignored themselves too
	Unstable bool     // something changed while the scan ran: the entries may never have existed together
	Stats    Stats

	scan *scan
}
