package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Reading a commit runs no filter of the repository and writes nothing to the worktree. A file that
// git stores in another form (other line endings, Git LFS) counts as unchanged when its content
// matches. If it was edited as well, it is compared with the stored form.

// Snapshot creates a snapshot with the files of a commit. name is any revision that git
// understands. Everything but the files (index, HEAD, refs) is the current state. It returns
// CodeNotFound when there is no such commit.
func Snapshot(ctx context.Context, of *restore.Store, name string, meta snapshot.Meta) (snapshot.Info, error) {
	commit, err := find(ctx, of.Snapshots.Repo, name)
	if err != nil {
		return snapshot.Info{}, err
	}
	unlock, err := of.Snapshots.LockShared(ctx)
	if err != nil {
		return snapshot.Info{}, err
	}
	defer unlock()
	list, err := of.Snapshots.Repo.ListTree(ctx, commit)
	if err != nil {
		return snapshot.Info{}, err
	}
	now, err := of.Snapshots.CaptureLocked(ctx, snapshot.CaptureOptions{})
	if err != nil {
		return snapshot.Info{}, err
	}
	files, err := entries(ctx, of.Snapshots.Repo, list, now)
	if err != nil {
		return snapshot.Info{}, err
	}
	return of.Snapshots.Compose(ctx, now, files, nil, meta)
}

// find returns the id of the commit called name.
func find(ctx context.Context, repo *git.Repo, name string) (string, error) {
	unknown := belay.Refuse(belay.CodeNotFound, "belay snapshot list, or git log",
		"there is no snapshot and no commit %s", belay.VisibleLine(name))
	if name == "" || strings.HasPrefix(name, "-") {
		return "", unknown
	}
	out, err := repo.Run(ctx, nil, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	var failure *git.CommandError
	if errors.As(err, &failure) {
		return "", unknown
	}
	return strings.TrimSpace(string(out)), err
}

// entries returns the files of a commit in the form they have, or would have, in the worktree. It
// leaves out submodules, as snapshots do, and files that are skipped by a sparse checkout.
func entries(ctx context.Context, repo *git.Repo, list []git.TreeEntry, now *snapshot.Capture) ([]snapshot.Entry, error) {
	present := map[string]scan.Entry{}
	for _, e := range now.Scan.Entries {
		present[e.Path] = e
	}
	absent, err := leftOut(ctx, repo)
	if err != nil {
		return nil, err
	}
	f, err := openForms(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer f.close()
	var out []snapshot.Entry
	for _, t := range list {
		here, there := present[t.Path]
		if t.Type != "blob" || !there && absent[t.Path] {
			continue
		}
		e := snapshot.Entry{Path: t.Path, Mode: t.Mode, OID: t.OID}
		same := there && t.Mode == snapshot.GitMode(here.Kind)
		if same && here.OID.String() != t.OID && f.same(t, here) {
			e.OID = here.OID.String()
		}
		if e.Perm = now.Manifest.Perm("", e.Mode == 0o100755); same {
			e.Perm = here.Perm
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b snapshot.Entry) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// leftOut returns the paths in the index that are marked skip-worktree.
func leftOut(ctx context.Context, repo *git.Repo) (map[string]bool, error) {
	path := filepath.Join(repo.Dir, "index")
	data, err := fsroot.ReadFile(path, git.MaxIndexSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	all, err := git.ParseIndex(data, repo.HashSize())
	if err != nil {
		if all, err = repo.ListIndex(ctx, path); err != nil {
			return nil, err
		}
	}
	skipped := map[string]bool{}
	for _, e := range all {
		if e.SkipWorktree {
			skipped[e.Path] = true
		}
	}
	return skipped, nil
}
