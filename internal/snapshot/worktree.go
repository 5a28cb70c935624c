package snapshot

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Only belay's private folder is changed: no file of the tree, not the index, no ref.

// RefPrefix starts the names of the refs of snapshots.
const RefPrefix = "refs/belay/"

// CommitRefPrefix starts the names of the refs of the user's own commits that snapshots need:
// <prefix><oid> names that commit. The name sorts after branches, remotes and tags: of several
// refs that name a commit, git name-rev and git describe --all print the first.
const CommitRefPrefix = "refs/used-by-belay/"

// SecondRefPrefix starts the names of the second refs of open tasks' snapshots. Other refs may
// have the prefix too: see IsSecondRef.
const SecondRefPrefix = "refs/kept/"

// IsSecondRef reports whether a ref is the second ref of a snapshot or of a commit that one needs:
// 32 random hex digits, "-", and the snapshot's id or the commit.
func IsSecondRef(name string) bool {
	secret, id, ok := strings.Cut(strings.TrimPrefix(name, SecondRefPrefix), "-")
	isSecret := len(secret) == 32 && strings.Trim(secret, "0123456789abcdef") == ""
	isID := len(id) == 26 && strings.Trim(id, "0123456789abcdefghjkmnpqrstvwxyz") == ""
	return ok && strings.HasPrefix(name, SecondRefPrefix) && isSecret && (isID || git.IsOID(id))
}

// isSnapshotRef reports whether a ref is a snapshot's. There may be thousands, each written once
// and synced, so a new snapshot only checks that they exist.
func isSnapshotRef(name string) bool { return strings.HasPrefix(name, RefPrefix) }

// IsOwnRef reports whether a ref is belay's: not part of the state in a snapshot, and never moved
// by a restore.
func IsOwnRef(name string) bool {
	return strings.HasPrefix(name, RefPrefix) || strings.HasPrefix(name, CommitRefPrefix) || IsSecondRef(name)
}

// Worktree is a working tree to be captured.
type Worktree struct {
	Repo    *git.Repo
	Dir     string   // belay's private folder of this working tree
	Include []string // doublestar globs of ignored paths to capture as well
	MaxFile int64    // untracked files above this size are gaps
}

// MakeScratchDir creates a folder below belay's own and returns its path.
func (s *Worktree) MakeScratchDir(parts ...string) (string, error) {
	dir := filepath.Join(append([]string{s.Dir}, parts...)...)
	if err := fsroot.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make %s: %w", dir, err)
	}
	return dir, nil
}

// CommitObject returns a commit with belay as its author.
func CommitObject(r *git.Repo, tree string, parents []string, at time.Time, message string) git.NewObject {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	who := fmt.Sprintf("belay <belay@localhost> %d +0000", max(0, at.Unix()))
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, message)
	data := []byte(b.String())
	return git.NewObject{OID: r.HashObject("commit", data), Type: "commit", Data: data}
}

// tagObject returns the tag, of a tree, that a snapshot's ref names.
func tagObject(r *git.Repo, tree, name string, at time.Time, message string) git.NewObject {
	data := fmt.Appendf(nil, "object %s\ntype tree\ntag %s\ntagger belay <belay@localhost> %d +0000\n\n%s", tree, name,
		max(0, at.Unix()), message)
	return git.NewObject{OID: r.HashObject("tag", data), Type: "tag", Data: data}
}

// RawOID converts an object's hex name to bytes. Names come from git or belay and are always valid.
func RawOID(oid string) string {
	b, _ := hex.DecodeString(oid)
	return string(b)
}
