package scan

import (
	"github.com/belay-dev/belay/internal/fsroot"
)

// Entry is one captured path.
type Entry struct {
	Path  string
	Kind  fsroot.PathKind // File, Exec or Link
	Perm  uint16          // the 07777 bits
	Size  int64           // bytes, of a file or of a link's target
	OID   fsroot.OID      // of the raw bytes of a file or of a link's target
	Fresh bool            // the content was read in this scan, not taken from the cache
}

// Dir is a folder that was entered. Path "" is the root.
type Dir struct {
	Path  string
	Perm  uint16 // the 07777 bits
	Empty bool   // it contains nothing at all
}

// Gap is a path that could not be captured. Tracked reports whether it, or something below it, is
// in the user's index. A folder that could not be read is one Gap.
type Gap struct {
	Path, Reason string
	Tracked      bool
}

// NestedRepo is a folder with a repository of its own. It is entered only if the outer repository
// tracks files below it. GitFile reports whether its .git is a file that points elsewhere, as for
// submodules and linked worktrees.
type NestedRepo struct {
	Path    string
	GitFile bool
}

// Stats counts the work of a scan.
type Stats struct {
	Files       int   // captured paths
	Hashed      int   // captured paths read in this scan, and ignored .gitignore files
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
	Rules    []Entry  // every .gitignore file that git reads, including ignored ones
	Unstable bool     // something changed during the scan: the entries may never have existed together
	Stats    Stats

	scan *scan
}
