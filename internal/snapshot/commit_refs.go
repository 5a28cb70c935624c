package snapshot

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
)

// A snapshot's ref names a tag of a tree, so that git log --all and graphs of it do not show
// belay's snapshots. A tree cannot name commits: the commits that HEAD, refs, the stash and an
// operation in progress named have refs of their own, each created once and shared by all snapshots
// that need it. They are created before the snapshot's ref and deleted after it.

// commitListFile is the file in the tree keep/ of a snapshot that lists those commits, one per
// line.
const commitListFile = "commits"

// maxDirectRefs is the number of refs that are written without a git process.
const maxDirectRefs = 8

// neededCommits returns the commits that need a ref of their own.
func (m *TakeCache) neededCommits(r *git.Repo) (oids []string) {
	for n := r.HashSize(); len(oids)*n < len(m.CommitRefs); {
		oids = append(oids, hex.EncodeToString(m.CommitRefs[len(oids)*n:][:n]))
	}
	return oids
}

// withoutRef returns the commits that have no ref of their own.
func withoutRef(refs []git.Ref, oids []string) (missing []string) {
	if len(oids) == 0 {
		return nil
	}
	has := map[string]bool{}
	for _, r := range refs {
		if oid, ok := strings.CutPrefix(r.Name, CommitRefPrefix); ok && oid == r.OID && r.Symref == "" {
			has[oid] = true
		}
	}
	for _, oid := range oids {
		if !has[oid] {
			missing = append(missing, oid)
		}
	}
	return missing
}

// commitRefs are refs of commits that are about to be created.
type commitRefs struct {
	store *Store
	oids  []string
	refs  []*git.NewRef // one for each commit; none when there are many
}

// prepareCommitRefs prepares the missing refs.
func (s *Store) prepareCommitRefs(refs []git.Ref, oids []string, tmp string) (*commitRefs, error) {
	u := &commitRefs{store: s, oids: withoutRef(refs, oids)}
	if len(u.oids) > maxDirectRefs {
		return u, nil
	}
	for _, oid := range u.oids {
		ref, err := s.Repo.NewRef(CommitRefPrefix+oid, oid, tmp)
		if err != nil {
			u.discard()
			return nil, err
		}
		u.refs = append(u.refs, ref)
	}
	return u, nil
}

// create creates the refs. Other processes may create the same ones at the same time. Git fails on
// a ref of a missing commit, so everything that was named when it was found must still be named;
// ErrRefsDeleted otherwise.
func (u *commitRefs) create(ctx context.Context, c *Capture) error {
	if len(u.oids) == 0 {
		return nil
	}
	if err := Fault("used", CommitRefPrefix); err != nil {
		return err
	}
	if _, err := u.store.objects.checkStillNamed(ctx, c); err != nil {
		return err
	}
	if u.refs == nil {
		var updates []git.Update
		for _, oid := range u.oids {
			updates = append(updates, git.Update{Ref: CommitRefPrefix + oid, New: oid})
		}
		if u.store.Repo.UpdateRefs(ctx, "belay: use", updates) == nil {
			return nil
		}
		return u.store.setCommitRefs(ctx, u.oids)
	}
	for i, ref := range u.refs {
		if ref.Create(ctx, "belay: use") != nil { // it exists by now, or another file is in its place
			if err := u.store.setRef(ctx, CommitRefPrefix+u.oids[i], u.oids[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteBroken deletes the refs of commits that were pruned meanwhile. Other processes may rely on
// the rest.
func (u *commitRefs) deleteBroken(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if len(u.oids) == 0 {
		return nil
	}
	gone, err := u.store.Repo.Missing(ctx, u.oids)
	if err != nil || len(gone) == 0 {
		return err
	}
	refs, err := u.store.Repo.Refs(ctx, CommitRefPrefix)
	if err != nil {
		return err
	}
	var updates []git.Update
	for _, r := range refs {
		if slices.Contains(gone, r.OID) {
			updates = append(updates, git.Update{Ref: r.Name, Old: r.OID})
		}
	}
	return u.store.Repo.UpdateRefs(ctx, "belay: drop", updates)
}

// discard removes what was prepared. It may be called after create as well.
func (u *commitRefs) discard() {
	if u == nil {
		return
	}
	for _, ref := range u.refs {
		ref.Discard()
	}
}

// setCommitRefs sets the refs of commits, overwriting other values. The commits must exist.
func (s *Store) setCommitRefs(ctx context.Context, oids []string) error {
	refs, err := s.Repo.Refs(ctx, CommitRefPrefix)
	if err != nil {
		return err
	}
	for _, oid := range withoutRef(refs, oids) {
		if err := s.setRef(ctx, CommitRefPrefix+oid, oid); err != nil {
			return err
		}
	}
	return nil
}

// setExistingCommitRefs is setCommitRefs for commits that may be missing, which are skipped.
func (s *Store) setExistingCommitRefs(ctx context.Context, oids []string) error {
	refs, err := s.Repo.Refs(ctx, CommitRefPrefix)
	if err != nil {
		return err
	}
	oids = withoutRef(refs, oids)
	gone, err := s.Repo.Missing(ctx, oids)
	if err != nil || len(oids) == 0 {
		return err
	}
	there := map[string]bool{}
	for _, oid := range oids {
		there[oid] = true
	}
	for _, oid := range gone {
		delete(there, oid)
	}
	for oid := range there {
		if err := s.setRef(ctx, CommitRefPrefix+oid, oid); err != nil {
			return err
		}
	}
	return nil
}

// neededCommits returns the commits that a snapshot needs, given the object that its ref names.
// In format 1 that is a commit, which names them itself.
func neededCommits(rd *git.Reader, object string) ([]string, error) {
	o, err := rd.Read(object)
	if err != nil || o.Type == "commit" {
		return nil, err
	}
	top, err := rd.Folder(snapshotTree(o))
	if err != nil {
		return nil, err
	}
	for _, e := range top {
		if e.Path == "keep" {
			list, err := rd.Read(e.OID + ":" + commitListFile)
			return parseCommitList(list.Data), err
		}
	}
	return nil, nil
}

// parseCommitList reads a list of commits.
func parseCommitList(text []byte) (oids []string) {
	for line := range strings.Lines(string(text)) {
		if oid := strings.TrimSuffix(line, "\n"); git.IsOID(oid) {
			oids = append(oids, oid)
		}
	}
	return oids
}

// RestoreCommitRefs recreates the missing refs of all commits that snapshots need and that still
// exist.
func (s *Store) RestoreCommitRefs(ctx context.Context) error {
	refs, err := s.Repo.Refs(ctx, RefPrefix)
	if err != nil || len(refs) == 0 {
		return err
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	var all []string
	for _, r := range refs {
		oids, err := neededCommits(rd, r.OID)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil { // otherwise the snapshot is reported as unreadable
			all = append(all, oids...)
		}
	}
	slices.Sort(all)
	return s.setExistingCommitRefs(ctx, slices.Compact(all))
}

// sweepCommitRefs deletes the refs of commits that no snapshot needs any more. It does nothing
// while a snapshot is being taken, which may rely on any of them, and deletes only refs of missing
// commits when a snapshot cannot be read, which may need all of them. A later sweep deletes the
// rest.
func (s *Store) sweepCommitRefs(ctx context.Context) error {
	unlock, alone, err := s.objects.Packs.TryLock()
	if err != nil || !alone {
		return err
	}
	defer unlock()
	refs, err := s.Repo.Refs(ctx, RefPrefix, CommitRefPrefix, SecondRefPrefix)
	if err != nil {
		return err
	}
	var used []string
	snapshots := map[string]bool{} // the objects that their refs name
	for _, r := range refs {
		switch {
		case strings.HasPrefix(r.Name, CommitRefPrefix) && r.Symref == "":
			used = append(used, r.OID)
		case strings.HasPrefix(r.Name, RefPrefix) || secondRefID(r.Name) != "":
			snapshots[r.OID] = true
		}
	}
	if len(used) == 0 {
		return nil
	}
	gone, err := s.Repo.Missing(ctx, used) // git fails on refs of missing commits, as a kill may leave them
	if err != nil {
		return err
	}
	needed, all := s.allNeededCommits(ctx, snapshots)
	var updates []git.Update
	for _, r := range refs {
		old := strings.HasPrefix(r.Name, CommitRefPrefix) && r.Symref == "" && all && !needed[r.OID]
		if old || slices.Contains(gone, r.OID) && strings.HasPrefix(r.Name, CommitRefPrefix) {
			updates = append(updates, git.Update{Ref: r.Name, Old: r.OID})
		}
	}
	if len(updates) == 0 {
		return nil
	}
	if err := Fault("unused", CommitRefPrefix); err != nil {
		return err
	}
	if err := s.Repo.UpdateRefs(ctx, "belay: drop", updates); err != nil {
		return errors.Join(errors.New("remove refs of commits that no snapshot needs"), err)
	}
	return nil
}

// allNeededCommits returns the commits that snapshots need; all is false when one cannot be read.
func (s *Store) allNeededCommits(ctx context.Context, snapshots map[string]bool) (commits map[string]bool, all bool) {
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, false
	}
	defer rd.Close()
	commits = map[string]bool{}
	for object := range snapshots {
		oids, err := neededCommits(rd, object)
		if err != nil {
			return nil, false
		}
		for _, oid := range oids {
			commits[oid] = true
		}
	}
	return commits, true
}
