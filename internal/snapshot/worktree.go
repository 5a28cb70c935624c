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

// Nothing is changed but belay's private folder: no file of the tree, not the index, no ref.

// Prefix is where the refs of snapshots live.
const RefPrefix = "refs/belay/"

// CommitRefPrefix is where the refs of the user's own commits live that snapshots need: <prefix><oid>
// names that commit. By its name it comes after branches, remotes and tags: of several refs that
// name a commit, git name-rev and git describe --all print the first.
const CommitRefPrefix = "refs/used-by-belay/"

// SecondRefPrefix is where the second refs of open tasks' snapshots live. Not every ref below
// it is belay's: Kept knows.
const SecondRefPrefix = "refs/kept/"

// IsSecondRef reports whether a ref is the second one of a snapshot, or of a commit that one needs:
// 32 hex digits that nobody can guess, and the snapshot's id or the commit.
func IsSecondRef(name string) bool {
	secret, id, ok := strings.Cut(strings.TrimPrefix(name, SecondRefPrefix), "-")
	isSecret := len(secret) == 32 && strings.Trim(secret, "0123456789abcdef") == ""
	isID := len(id) == 26 && strings.Trim(id, "0123456789abcdefghjkmnpqrstvwxyz") == ""
	return ok && strings.HasPrefix(name, SecondRefPrefix) && isSecret && (isID || git.IsOID(id))
}

// isSnapshotRef reports whether a ref is that of a snapshot. There may be thousands, each made once
// and synced: a take needs to know that they are there.
func isSnapshotRef(name string) bool { return strings.HasPrefix(name, RefPrefix) }

// IsOwnRef reports whether a ref is belay's: not part of the state that a snapshot holds, and
// never moved by a restore.
func IsOwnRef(name string) bool {
	return strings.HasPrefix(name, RefPrefix) || strings.HasPrefix(name, CommitRefPrefix) || IsSecondRef(name)
}

// Worktree is a working tree to be captured.
type Worktree struct {
	Repo    *git.Repo
	Dir     string   // belay's private folder of this working tree
	Include []string // doublestar globs of ignored paths to capture as well
	MaxFile int64    // untracked files above are gaps
}

// MakeScratchDir makes and gives a folder of belay's own.
func (s *Worktree) MakeScratchDir(parts ...string) (string, error) {
	dir := filepath.Join(append([]string{s.Dir}, parts...)...)
	if err := fsroot.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make %s: %w", dir, err)
	}
	return dir, nil
}

// CommitObject writes a commit of belay's. It needs nobody's identity.
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

// tagObject writes the tag that a snapshot's ref names, of a tree.
func tagObject(r *git.Repo, tree, name string, at time.Time, message string) git.NewObject {
	data := fmt.Appendf(nil, "object %s\ntype tree\ntag %s\ntagger belay <belay@localhost> %d +0000\n\n%s", tree, name,
		max(0, at.Unix()), message)
	return git.NewObject{OID: r.HashObject("tag", data), Type: "tag", Data: data}
}

// RawOID turns an object's hex name into its bytes; names come from git or ourselves.
func RawOID(oid string) string {
	b, _ := hex.DecodeString(oid)
	return string(b)
}
