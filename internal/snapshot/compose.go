package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"
)

// Entry is a path in a snapshot: a file, a link, or an empty folder (Mode 040000 and no OID).
type Entry struct {
	Path string
	Mode uint32
	OID  string // hex
	Perm uint16
}

// Entries lists the files and empty folders of a tree, with the modes of its manifest, sorted by
// path.
func (s *Store) Entries(ctx context.Context, tree string, m *Manifest) ([]Entry, error) {
	list, err := s.Repo.ListTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(list))
	for _, e := range list {
		out = append(out, Entry{Path: e.Path, Mode: e.Mode, OID: e.OID})
	}
	for _, o := range m.Odd {
		out = append(out, Entry{Path: o.Path, Mode: o.Mode, OID: o.OID})
	}
	for i, e := range out {
		if e.Mode != 0o120000 {
			out[i].Perm = m.Perm(e.Path, e.Mode == 0o100755)
		}
	}
	for _, f := range m.Folders {
		out = append(out, Entry{Path: f, Mode: 0o40000, Perm: m.FolderPerm(f)})
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Compose makes a snapshot of a state that never existed: the current state, as captured in c, with
// other files. Index, HEAD and everything else are the current ones. folders gives the modes of
// folders that do not exist now. Nothing in the working tree changes. A transient snapshot gets no
// ref.
func (s *Store) Compose(ctx context.Context, c *Capture, entries []Entry, folders map[string]uint16, m Meta) (Info, error) {
	man, files := composedManifest(c.Manifest, entries, folders)
	tree, objects, err := s.Repo.Tree(files)
	if err != nil {
		return Info{}, err
	}
	whole, more, err := s.composedTree(ctx, c.SnapshotTree, tree, man, len(files) > 0)
	if err != nil {
		return Info{}, err
	}
	now := s.opts.Now()
	info := Info{ID: newID(now, s.newestID(c.Refs, now)), Meta: m, Time: now.UTC(), Head: c.Head.OID,
		Branch: c.Head.Branch, Operation: git.Operation(c.OperationFiles),
		Tree: tree, Files: len(files) + len(man.Odd), Partial: len(man.Gaps)+len(man.Lost) > 0,
		Unstable: c.Unstable, oddCount: len(man.Odd)}
	info.Gaps, info.Nested = splitGaps(man)
	tag := tagObject(s.Repo, whole, string(info.ID), now, info.tagMessage())
	info.Commit = tag.OID
	objects = append(append(objects, more...), tag)
	unlock, err := s.objects.Packs.LockShared()
	if err != nil {
		return Info{}, err
	}
	defer unlock()
	if _, err := s.objects.Put(ctx, objects); err != nil {
		return Info{}, err
	}
	if m.Transient {
		s.opts.Registry.addTransient(info)
		return info, s.verifyComposed(ctx, info, entries)
	}
	if err := s.setExistingCommitRefs(ctx, c.NextCache.neededCommits(s.Repo)); err != nil {
		return Info{}, err
	}
	if err := Fault("ref", info.ref()); err != nil {
		return Info{}, err
	}
	if err := s.Repo.UpdateRefs(ctx, "belay: snapshot", []git.Update{{Ref: info.ref(), New: tag.OID}}); err != nil {
		return Info{}, err
	}
	return info, s.verifyComposed(ctx, info, entries)
}

// verifyComposed checks, after the ref was written, that all files of the snapshot are stored:
// objects that only the working tree had were not protected by a ref until then.
func (s *Store) verifyComposed(ctx context.Context, info Info, entries []Entry) error {
	var oids []string
	for _, e := range entries {
		if e.OID != "" {
			oids = append(oids, e.OID)
		}
	}
	missing, err := s.Repo.Missing(ctx, oids)
	if err == nil && len(missing) > 0 {
		err = belay.Refuse(belay.CodeCannot, "wait for git gc to finish, then try again",
			"git objects vanished while they were read")
	}
	if err != nil {
		return errors.Join(err, s.DropInfos(ctx, []Info{info}))
	}
	return nil
}

// composedManifest returns the current manifest for other files, and the files that a git tree
// may contain.
func composedManifest(now *Manifest, entries []Entry, folders map[string]uint16) (*Manifest, []git.File) {
	man := *now
	man.Modes, man.Folders, man.Odd, man.Inner = nil, nil, nil, nil
	var files []git.File
	above := map[string]uint16{}
	for _, e := range entries {
		for p := parentFolder(e.Path); p != ""; p = parentFolder(p) {
			above[p] = now.FolderPerm(p)
		}
		switch {
		case e.Mode == 0o40000:
			man.Folders = append(man.Folders, e.Path)
			above[e.Path] = e.Perm
			continue
		case IsOdd(e.Path, e.Mode == 0o120000):
			man.Odd = append(man.Odd, OddPath{Path: e.Path, Mode: e.Mode, OID: e.OID})
		default:
			files = append(files, git.File{Path: e.Path, Mode: e.Mode, OID: RawOID(e.OID)})
		}
		if e.Mode != 0o120000 && e.Perm != man.Perm("", e.Mode == 0o100755) {
			man.Modes = append(man.Modes, Mode{Path: e.Path, Perm: e.Perm})
		}
	}
	maps.Copy(above, folders)
	for p, perm := range above {
		if perm != man.DirPerm {
			man.Modes = append(man.Modes, Mode{Path: p, Perm: perm})
		}
	}
	slices.SortFunc(man.Modes, func(a, b Mode) int { return strings.Compare(a.Path, b.Path) })
	return &man, files
}

// parentFolder returns the parent folder of a path, "" for the root.
func parentFolder(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// composedTree returns the tree of a snapshot like another one, with other files in it.
func (s *Store) composedTree(ctx context.Context, like, tree string, man *Manifest, any bool) (string, []git.NewObject, error) {
	text := man.Encode()
	manifest := git.NewObject{OID: s.Repo.HashObject("blob", text), Type: "blob", Data: text}
	list := []git.File{{Path: "meta/manifest", Mode: 0o100644, OID: RawOID(manifest.OID)}}
	if any {
		list = append(list, git.File{Path: "tree", Mode: 0o40000, OID: RawOID(tree)})
	}
	seen := map[string]bool{}
	for _, o := range man.Odd {
		if !seen[o.OID] {
			seen[o.OID] = true
			list = append(list, git.File{Path: "odd/" + o.OID, Mode: 0o100644, OID: RawOID(o.OID)})
		}
	}
	for _, at := range []string{"", "meta/"} {
		out, err := s.Repo.Run(ctx, nil, "ls-tree", "-z", like+":"+strings.TrimSuffix(at, "/"))
		if err != nil {
			return "", nil, err
		}
		for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			head, name, ok := strings.Cut(f, "\t")
			parts := strings.Fields(head)
			if !ok || len(parts) != 3 {
				return "", nil, fmt.Errorf("list a snapshot's tree: git printed %q", f)
			}
			switch at + name {
			case "meta", "tree", "odd", "meta/manifest":
				continue
			}
			mode := uint32(0o100644)
			if parts[1] == "tree" {
				mode = 0o40000
			}
			list = append(list, git.File{Path: at + name, Mode: mode, OID: RawOID(parts[2])})
		}
	}
	whole, objects, err := s.Repo.Tree(list)
	return whole, append(objects, manifest), err
}
