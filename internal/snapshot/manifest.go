package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The encoding, version 1, is a sequence of fields each ended by NUL: a one-letter tag
// and its fixed number of fields. Paths are bytes, never assumed to be UTF-8.

// Version is the encoding that Encode writes.
const Version = 1

// Manifest lists the parts of one snapshot that a git tree cannot contain. All lists are sorted
// by path.
type Manifest struct {
	FilePerm, ExecPerm, DirPerm uint16 // default modes (07777 bits) of all paths that are not in Modes
	Modes                       []Mode
	Folders                     []string         // folders without a captured file below them
	Odd                         []OddPath        // captured paths whose names or kinds a git tree must not contain
	Nested                      []NestedRepo     // repositories inside the tree
	Gaps                        []ManifestGap    // what could not be captured
	Ignored                     []string         // ignored paths at the time; a folder ends in "/"
	Rules                       []Rule           // the .gitignore files at the time, and the global ones
	IgnoreCase                  bool             // whether the rules were applied without regard to case
	Extent                      []ManifestExtent // what was captured in addition to git's view
	Uncaptured                  []Uncaptured     // what is not captured, with a fingerprint
	Index                       IndexAttributes
	AdminModes                  []Mode          // modes of executable files (hooks) below meta/admin
	Lost                        []LostObject    // objects that git named and that could not be read
	Inner                       []InnerSnapshot // repositories of Nested that have a snapshot of their own
}

// InnerSnapshot is a repository inside the tree of which a snapshot was taken together with this
// one. ID and Commit identify that snapshot, in that repository. Link is the text of its .git
// file, "" where .git is a folder.
type InnerSnapshot struct{ Path, ID, Commit, Link string }

// Mode is a path with its own mode.
type Mode struct {
	Path string
	Perm uint16
}

// OddPath is a captured path that is stored outside the tree. Mode is git's; OID is hex.
type OddPath struct {
	Path string
	Mode uint32
	OID  string
}

// NestedRepo is a folder with a repository of its own. Head is its commit, or "".
type NestedRepo struct{ Path, Head string }

// ManifestGap is a path that could not be captured.
type ManifestGap struct {
	Path, Reason string
	Tracked      bool
}

// LostObject is an object that git named when the snapshot was taken, that could not be read, and
// whose bytes were nowhere else. Path is a path of the index (staged content), a ref or HEAD;
// Kind is one of the Lost constants. OID is hex.
type LostObject struct{ Path, Kind, OID string }

// The kinds of LostObject.
const (
	LostStaged = "staged" // content that only the index names
	LostRef    = "ref"    // an object that a ref or HEAD names
	LostTree   = "tree"   // the tree of HEAD's commit, or a folder in it
)

// Reason describes in a few words what could not be read.
func (l LostObject) Reason() string {
	what := "staged content"
	switch l.Kind {
	case LostRef:
		what = "what it names"
	case LostTree:
		what = "a tree of its commit"
	}
	return what + ": object " + l.OID[:min(len(l.OID), 12)] + " cannot be read"
}

// Rule is a file of ignore rules. Path is its path, or "info/exclude" or "global" with Outer set.
// OID is hex.
type Rule struct {
	Path  string
	OID   string
	Outer bool
}

// ManifestExtent is one reason why more was captured than git shows: a kind and its value.
type ManifestExtent struct{ Kind, Value string }

// Uncaptured is a path that is not captured: the reason as one of the Uncaptured constants, and a
// fingerprint that shows whether it changed.
type Uncaptured struct{ Kind, Fingerprint, Path string }

// IndexAttributes are the properties of the index file besides its bytes.
type IndexAttributes struct {
	Exists bool
	Mtime  int64 // nanoseconds since 1970
	Perm   uint16
}

// Encode returns the manifest's encoding; equal manifests have equal bytes.
func (m *Manifest) Encode() []byte {
	e := encoder{}
	e.putFields("v", strconv.Itoa(Version))
	e.putFields("d", formatMode(m.FilePerm), formatMode(m.ExecPerm), formatMode(m.DirPerm))
	if m.Index.Exists {
		e.putFields("x", strconv.FormatInt(m.Index.Mtime, 10), formatMode(m.Index.Perm))
	}
	for _, x := range m.Modes {
		e.putFields("m", formatMode(x.Perm), x.Path)
	}
	for _, p := range m.Folders {
		e.putFields("e", p)
	}
	for _, x := range m.Odd {
		e.putFields("o", strconv.FormatUint(uint64(x.Mode), 8), x.OID, x.Path)
	}
	for _, x := range m.Nested {
		e.putFields("n", x.Head, x.Path)
	}
	for _, x := range m.Gaps {
		e.putFields("g", formatFlag(x.Tracked), x.Reason, x.Path)
	}
	for _, p := range m.Ignored {
		e.putFields("i", p)
	}
	for _, x := range m.Rules {
		e.putFields("r", formatFlag(x.Outer), x.OID, x.Path)
	}
	if m.IgnoreCase {
		e.putFields("c", formatFlag(true))
	}
	for _, x := range m.Extent {
		e.putFields("w", x.Kind, x.Value)
	}
	for _, x := range m.Uncaptured {
		e.putFields("u", x.Kind, x.Fingerprint, x.Path)
	}
	for _, x := range m.AdminModes {
		e.putFields("l", formatMode(x.Perm), x.Path)
	}
	for _, x := range m.Lost {
		e.putFields("b", x.Kind, x.OID, x.Path)
	}
	for _, x := range m.Inner {
		e.putFields("s", x.ID, x.Commit, x.Link, x.Path)
	}
	return e.buf
}

type encoder struct{ buf []byte }

func (e *encoder) putFields(fields ...string) {
	for _, f := range fields {
		e.buf = append(append(e.buf, f...), 0)
	}
}

func formatMode(p uint16) string { return strconv.FormatUint(uint64(p), 8) }

func formatFlag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

var fieldCounts = map[string]int{"v": 1, "d": 3, "x": 2, "m": 2, "e": 1, "o": 3, "n": 2, "g": 3, "i": 1, "r": 3, "c": 1,
	"w": 2, "u": 3, "l": 2, "b": 3, "s": 4}

// ErrVersion is wrapped when a manifest has an unknown version. It is not read.
var ErrVersion = errors.New("a manifest of an unknown version")

// Decode reads what Encode wrote.
func Decode(data []byte) (*Manifest, error) {
	if len(data) == 0 || data[len(data)-1] != 0 {
		return nil, errors.New("the manifest is truncated")
	}
	fields := strings.Split(string(data[:len(data)-1]), "\x00")
	m := &Manifest{}
	for i := 0; i < len(fields); {
		n, known := fieldCounts[fields[i]]
		if !known {
			return nil, fmt.Errorf("%w: tag %q", ErrVersion, fields[i])
		}
		if i+n >= len(fields) {
			return nil, errors.New("the manifest is truncated")
		}
		if (i == 0) != (fields[i] == "v") {
			return nil, fmt.Errorf("%w: tag %q at field %d", ErrVersion, fields[i], i)
		}
		if err := m.decodeField(fields[i], fields[i+1:i+1+n]); err != nil {
			return nil, err
		}
		i += n + 1
	}
	return m, nil
}

func (m *Manifest) decodeField(tag string, f []string) (err error) {
	perm := func(s string) (p uint16) {
		v, perr := strconv.ParseUint(s, 8, 16)
		if perr != nil || v > 0o7777 {
			err = fmt.Errorf("the manifest has the invalid mode %q", s)
		}
		return uint16(v)
	}
	switch tag {
	case "v":
		if f[0] != strconv.Itoa(Version) {
			return fmt.Errorf("%w: %q", ErrVersion, f[0])
		}
	case "d":
		m.FilePerm, m.ExecPerm, m.DirPerm = perm(f[0]), perm(f[1]), perm(f[2])
	case "x":
		m.Index.Exists, m.Index.Perm = true, perm(f[1])
		var perr error
		if m.Index.Mtime, perr = strconv.ParseInt(f[0], 10, 64); perr != nil {
			return fmt.Errorf("the manifest has the invalid time %q", f[0])
		}
	case "m":
		m.Modes = append(m.Modes, Mode{f[1], perm(f[0])})
	case "e":
		m.Folders = append(m.Folders, f[0])
	case "o":
		mode, perr := strconv.ParseUint(f[0], 8, 32)
		if perr != nil {
			return fmt.Errorf("the manifest has the invalid mode %q", f[0])
		}
		m.Odd = append(m.Odd, OddPath{f[2], uint32(mode), f[1]})
	case "n":
		m.Nested = append(m.Nested, NestedRepo{Path: f[1], Head: f[0]})
	case "g":
		m.Gaps = append(m.Gaps, ManifestGap{Path: f[2], Reason: f[1], Tracked: f[0] == "1"})
	case "i":
		m.Ignored = append(m.Ignored, f[0])
	case "r":
		m.Rules = append(m.Rules, Rule{Path: f[2], OID: f[1], Outer: f[0] == "1"})
	case "c":
		m.IgnoreCase = f[0] == "1"
	case "w":
		m.Extent = append(m.Extent, ManifestExtent{f[0], f[1]})
	case "u":
		m.Uncaptured = append(m.Uncaptured, Uncaptured{f[0], f[1], f[2]})
	case "l":
		m.AdminModes = append(m.AdminModes, Mode{f[1], perm(f[0])})
	case "b":
		m.Lost = append(m.Lost, LostObject{Kind: f[0], OID: f[1], Path: f[2]})
	case "s":
		m.Inner = append(m.Inner, InnerSnapshot{ID: f[0], Commit: f[1], Link: f[2], Path: f[3]})
	}
	return err
}

// Perm returns the mode of a captured path. exec says whether git's mode is 0100755.
func (m *Manifest) Perm(path string, exec bool) uint16 {
	if p, own := m.explicitMode(path); own {
		return p
	}
	if exec {
		return m.ExecPerm
	}
	return m.FilePerm
}

// FolderPerm returns the mode of a folder.
func (m *Manifest) FolderPerm(path string) uint16 {
	if p, own := m.explicitMode(path); own {
		return p
	}
	return m.DirPerm
}

func (m *Manifest) explicitMode(path string) (uint16, bool) {
	i, found := slices.BinarySearchFunc(m.Modes, path, func(x Mode, p string) int { return strings.Compare(x.Path, p) })
	if !found {
		return 0, false
	}
	return m.Modes[i].Perm, true
}

// WasIgnored reports whether a path was on the list of ignored paths, or below a folder on it.
func (m *Manifest) WasIgnored(path string) bool { return ListCovers(m.Ignored, path) }

// ListCovers reports whether a sorted list contains path itself, or a folder (ending in "/")
// above it.
func ListCovers(sorted []string, path string) bool {
	if _, found := slices.BinarySearch(sorted, path); found {
		return true
	}
	for i := range len(path) {
		if path[i] == '/' {
			if _, found := slices.BinarySearch(sorted, path[:i+1]); found {
				return true
			}
		}
	}
	return false
}
