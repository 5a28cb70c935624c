package snapshot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Pin identifies a snapshot by its id, its commit and the tree of its files. A task's record
// contains all three, because anybody who can write to the repository can move a ref.
type Pin struct {
	ID     belay.SnapshotID `json:"id"`
	Commit string           `json:"commit"`
	Tree   string           `json:"tree"`
}

// Pin returns the pin that a task's record contains for the snapshot.
func (i Info) Pin() Pin { return Pin{i.ID, i.Commit, i.Tree} }

// Registry stores the pins of all task records, for all stores of one process, and the snapshots
// of this process that have no ref. A nil *Registry is empty.
type Registry struct {
	mu        sync.Mutex
	pins      map[belay.SnapshotID]Pin
	transient map[belay.SnapshotID]Info
}

// addTransient adds a snapshot that has no ref.
func (k *Registry) addTransient(i Info) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.transient == nil {
		k.transient = map[belay.SnapshotID]Info{}
	}
	k.transient[i.ID] = i
}

// transientInfo returns a snapshot that has no ref.
func (k *Registry) transientInfo(id belay.SnapshotID) (Info, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, ok := k.transient[id]
	return i, ok
}

// Add adds the pins of a record. The first pin of an id is kept; later ones are ignored.
func (k *Registry) Add(list ...Pin) {
	if k == nil || len(list) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pins == nil {
		k.pins = map[belay.SnapshotID]Pin{}
	}
	for _, b := range list {
		if _, said := k.pins[b.ID]; !said && git.IsOID(b.Commit) {
			k.pins[b.ID] = b
		}
	}
}

// Lookup returns the pin of an id; ok is false when no record names it.
func (k *Registry) Lookup(id belay.SnapshotID) (b Pin, ok bool) {
	if k == nil {
		return Pin{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok = k.pins[id]
	return b, ok
}

// checkPin fails with CodeCannot when a ref's commit is not the one in the task's record. The tree
// needs no check: the commit determines everything in the snapshot.
func (s *Store) checkPin(id belay.SnapshotID, commit string) error {
	if b, said := s.opts.Registry.Lookup(id); said && b.Commit != commit {
		return belay.Refuse(belay.CodeCannot, "belay doctor restores it if its content still exists",
			"snapshot %s is not the one in the record: it is commit %s, expected %s", id.Short(), shortOID(commit), shortOID(b.Commit))
	}
	return nil
}

func shortOID(oid string) string { return oid[:min(12, len(oid))] }

// CheckRefs returns the snapshots whose ref names another commit, and those whose ref is missing.
func (s *Store) CheckRefs(ctx context.Context, list []Pin) (moved, missing []Pin, err error) {
	if len(list) == 0 {
		return nil, nil, nil
	}
	refs, err := s.Repo.Refs(ctx, RefPrefix)
	if err != nil {
		return nil, nil, err
	}
	now := map[string]git.Ref{}
	for _, r := range refs {
		now[r.Name] = r
	}
	for _, b := range list {
		switch r, there := now[RefPrefix+string(b.ID)]; {
		case !there:
			missing = append(missing, b)
		case r.OID != b.Commit || r.Symref != "":
			moved = append(moved, b)
		}
	}
	return moved, missing, nil
}

// RestoreRefs sets the refs of snapshots to their recorded commits, overwriting other values. gone
// lists the snapshots with missing objects; their refs are left unchanged.
func (s *Store) RestoreRefs(ctx context.Context, list []Pin) (gone []Pin, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	var oids []string
	for _, b := range list {
		oids = append(oids, b.Commit, b.Tree)
	}
	missing, err := s.Repo.Missing(ctx, oids)
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		if slices.Contains(missing, b.Commit) || slices.Contains(missing, b.Tree) {
			gone = append(gone, b)
			continue
		}
		if err := s.restoreRef(ctx, b); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

// restoreRef sets the ref of a snapshot that still exists, and the refs of the commits that it
// needs, which may be missing too.
func (s *Store) restoreRef(ctx context.Context, b Pin) error {
	if used, err := s.NeededCommits(ctx, b.Commit); err == nil { // a damaged snapshot is better than none
		if err := s.setExistingCommitRefs(ctx, used); err != nil {
			return err
		}
	}
	return s.setRef(ctx, RefPrefix+string(b.ID), b.Commit)
}

// NeededCommits returns the commits that a snapshot needs, given the object that its ref names. The
// snapshot's tree cannot name them: a copy of the snapshot has to include them.
func (s *Store) NeededCommits(ctx context.Context, object string) ([]string, error) {
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	return neededCommits(rd, object)
}

// setRef sets a ref to an object, overwriting other values.
func (s *Store) setRef(ctx context.Context, name, object string) error {
	var last error
	for range 3 {
		refs, err := s.Repo.Refs(ctx, name[:strings.LastIndexByte(name, '/')+1])
		if err != nil {
			return err
		}
		u := git.Update{Ref: name, New: object}
		for _, r := range refs {
			if r.Name != name {
				continue
			}
			if r.Symref != "" { // an update would move the ref that it points to
				if err := s.Repo.DeleteSymref(ctx, name); err != nil {
					return err
				}
				continue
			}
			u.Old = r.OID
		}
		if u.Old == object {
			return nil
		}
		if last = s.Repo.UpdateRefs(ctx, "belay: restore a ref", []git.Update{u}); last == nil {
			return nil
		}
		// git may be unable to read the file. Without it, a packed ref of the same name is used.
		if !s.Repo.UsesReftable {
			_ = fsroot.Remove(s.Repo.Common + "/" + name)
		}
	}
	return last
}

// AddSecondRefs creates a second ref for each snapshot and for the commits that it needs. The name
// contains secret and cannot be guessed: an open task's snapshots survive when somebody deletes
// refs/belay and runs git gc. DropSecondRefs deletes the refs.
func (s *Store) AddSecondRefs(ctx context.Context, secret string, list ...Pin) error {
	tmp, err := s.Worktree.MakeScratchDir("tmp")
	if err != nil {
		return err
	}
	refs, err := s.Repo.Refs(ctx, SecondRefPrefix)
	if err != nil {
		return err
	}
	has := map[string]bool{} // names, and ids with their objects
	for _, r := range refs {
		has[r.Name], has[string(secondRefID(r.Name))+r.OID] = true, true
	}
	second := func(name, object string) error {
		ref, err := s.Repo.NewRef(SecondRefPrefix+secret+"-"+name, object, tmp)
		if err != nil {
			return err
		}
		defer ref.Discard()
		if err = Fault("kept", name); err == nil {
			err = ref.Create(ctx, "belay: keep")
		}
		return err
	}
	for _, b := range list {
		if has[string(b.ID)+b.Commit] {
			continue
		}
		used, err := s.NeededCommits(ctx, b.Commit)
		if err != nil && ctx.Err() != nil {
			return err
		}
		for _, oid := range used { // commits first: a snapshot that has a second ref is skipped next time
			if name := SecondRefPrefix + secret + "-" + oid; !has[name] {
				if err := second(oid, oid); err != nil {
					return err
				}
				has[name] = true
			}
		}
		if err := second(string(b.ID), b.Commit); err != nil {
			return err
		}
	}
	return nil
}

// DropSecondRefs deletes the second refs of the selected snapshots, and those of commits once no
// snapshot with the same secret remains. The first refs stay, and missing ones are created again.
func (s *Store) DropSecondRefs(ctx context.Context, those func(belay.SnapshotID) bool) (err error) {
	for range 4 { // another task that ends at the same time may have deleted one
		if err = s.dropSecondRefs(ctx, those); err == nil || belay.CodeOf(err) == belay.CodeBusy || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (s *Store) dropSecondRefs(ctx context.Context, those func(belay.SnapshotID) bool) error {
	refs, err := s.Repo.Refs(ctx, SecondRefPrefix)
	if err != nil {
		return err
	}
	var updates []git.Update
	stays := map[string]bool{} // by the part of the name before the id
	for _, r := range refs {
		switch id := secondRefID(r.Name); {
		case id != "" && r.Symref == "" && those(id):
			updates = append(updates, git.Update{Ref: r.Name, Old: r.OID})
		case id != "":
			stays[strings.TrimSuffix(r.Name, string(id))] = true
		}
	}
	var commits []string
	for _, r := range refs {
		secret, commit := strings.CutSuffix(r.Name, r.OID)
		if IsSecondRef(r.Name) && secondRefID(r.Name) == "" && r.Symref == "" && commit && !stays[secret] {
			updates = append(updates, git.Update{Ref: r.Name, Old: r.OID})
			commits = append(commits, r.OID)
		}
	}
	if len(commits) > 0 { // the first refs may have been deleted meanwhile
		if err := s.setCommitRefs(ctx, commits); err != nil {
			return err
		}
	}
	err = s.Repo.UpdateRefs(ctx, "belay: release", updates)
	if belay.CodeOf(err) != belay.CodeBusy && err != nil {
		return errors.Join(errors.New("release the second refs of a task's snapshots"), err)
	}
	return err
}

// secondRefID returns the id of the snapshot whose second ref has this name; "" for a commit's
// ref and for refs that are not belay's.
func secondRefID(name string) belay.SnapshotID {
	id := name[strings.LastIndexByte(name, '-')+1:]
	if !IsSecondRef(name) || git.IsOID(id) {
		return ""
	}
	return belay.SnapshotID(id)
}
