package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// hashRefs computes the object names of the list of refs, and of everything that gc must keep while
// the snapshot exists: what branches, tags, stashes and an operation in progress name. Objects
// other than commits are in a tree beside the snapshot's files. Commits have refs of their own (see
// commit_refs.go), because only a commit or a ref can name a commit. The tree is the same while
// refs are. The bytes of tag objects are stored separately, so that a deleted tag can be recreated.
func (s *Worktree) hashRefs(ctx context.Context, c *Capture, m *meta) error {
	var b strings.Builder
	fmt.Fprintf(&b, "HEAD %s %s\n", c.Head.OID, c.Head.Branch)
	named := git.CommitsIn(c.OperationFiles)
	for _, l := range c.Reflogs {
		if l.Name == "logs/refs/stash" { // the reflog is the list of stashes
			named = append(named, git.CommitsIn([]git.StateFile{l})...)
		}
	}
	for _, r := range c.Refs {
		if IsOwnRef(r.Name) {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s\n", r.Name, r.OID, r.Symref)
		if !strings.HasPrefix(r.Name, "refs/remotes/") { // those can be fetched again
			named = append(named, r.OID)
		}
	}
	if c.Head.OID != "" {
		named = append(named, c.Head.OID)
	}
	refs := []byte(b.String())
	m.addBlob("meta/refs", refs)
	slices.Sort(named)
	named = slices.Compact(named)
	key := s.Repo.HashObject("blob", []byte("2\n"+strings.Join(named, "\n")))
	next, last := &c.NextCache, &c.LastCache
	next.RefsKey, next.KeepTree, next.CommitRefs, next.TagsTree = key, last.KeepTree, last.CommitRefs, last.TagsTree
	c.NextCache.KeptObjects, c.NextCache.Readable = c.LastCache.KeptObjects, c.LastCache.Readable
	if !c.LastCache.isTrusted() || c.LastCache.RefsKey != key {
		var err error
		if named, err = s.readableObjects(ctx, c, named); err != nil {
			return err
		}
		before := len(m.objects)
		if err := s.hashKeepTree(ctx, c, m, named); err != nil {
			return err
		}
		c.NextCache.KeptObjects = rawNames(m.objects[before:])
	}
	if c.NextCache.KeepTree != "" {
		m.addOID("keep", 0o040000, c.NextCache.KeepTree)
	}
	if c.NextCache.TagsTree != "" {
		m.addOID("meta/tags", 0o040000, c.NextCache.TagsTree)
	}
	return nil
}

// readableObjects returns the named objects that can be read: git fails on a ref that names any
// other. Unreadable ones that HEAD or refs name are recorded as lost. Others are skipped: any text
// in git's state files may look like an object name.
func (s *Worktree) readableObjects(ctx context.Context, c *Capture, named []string) ([]string, error) {
	known := map[string]bool{}
	if c.LastCache.isTrusted() {
		for oid := range slices.Chunk(c.LastCache.Readable, s.Repo.HashSize()) {
			known[string(oid)] = true
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(named), func(oid string) bool { return known[RawOID(oid)] })
	checked, err := git.CheckObjects(ctx, s.Repo, fresh, git.CheckOptions{AllowLoose: true,
		KnownPacks: c.LastCache.FoundIn.Merge(c.FoundIn)})
	if err != nil {
		return nil, err
	}
	c.FoundIn = c.FoundIn.Merge(checked.FoundObjects)
	lost := func(path, oid string) {
		if checked.IsLost(oid) {
			c.Manifest.Lost = append(c.Manifest.Lost, LostObject{Path: path, Kind: LostRef, OID: oid})
		}
	}
	lost("HEAD", c.Head.OID)
	for _, r := range c.Refs {
		if !strings.HasPrefix(r.Name, RefPrefix) {
			lost(r.Name, r.OID)
		}
	}
	named = slices.DeleteFunc(named, func(oid string) bool { return checked.Unusable[oid] != nil })
	c.NextCache.Readable = nil
	for _, oid := range named {
		c.NextCache.Readable = append(c.NextCache.Readable, RawOID(oid)...)
	}
	return named, nil
}

// hashKeepTree makes the tree of the objects that are kept beside the files, and the tree of tags.
// Names without an object are skipped: any text in a file may look like one.
func (s *Worktree) hashKeepTree(ctx context.Context, c *Capture, m *meta, named []string) error {
	next := &c.NextCache
	next.KeepTree, next.CommitRefs, next.TagsTree = "", nil, ""
	types, err := s.Repo.Types(ctx, named)
	if err != nil {
		return err
	}
	k := keepTree{worktree: s, meta: m}
	var tags []string
	for i, oid := range named {
		if types[i] == "tag" {
			tags = append(tags, oid)
		} else {
			k.add(types[i], oid)
		}
	}
	if len(tags) > 0 {
		if next.TagsTree, err = k.hashTags(ctx, tags); err != nil {
			return err
		}
	}
	slices.Sort(k.commits)
	commits, err := s.tips(ctx, c.Head.OID, slices.Compact(k.commits))
	if err != nil {
		return err
	}
	for _, oid := range commits {
		next.CommitRefs = append(next.CommitRefs, RawOID(oid)...)
	}
	next.KeepTree, err = k.hashTree(commits)
	return err
}

// keepTree collects the objects that refs name.
type keepTree struct {
	worktree *Worktree
	meta     *meta
	commits  []string
	files    []git.File
}

func (k *keepTree) add(typ, oid string) {
	switch typ {
	case "commit":
		k.commits = append(k.commits, oid)
	case "blob":
		k.files = append(k.files, git.File{Path: oid, Mode: 0o100644, OID: RawOID(oid)})
	case "tree":
		k.files = append(k.files, git.File{Path: oid, Mode: 0o040000, OID: RawOID(oid)})
	}
}

// hashTags makes a tree of the bytes of tag objects, and adds the objects that they point to.
func (k *keepTree) hashTags(ctx context.Context, oids []string) (string, error) {
	rd, err := k.worktree.Repo.Reader(ctx)
	if err != nil {
		return "", err
	}
	defer rd.Close()
	t := &meta{worktree: k.worktree}
	seen, targets := map[string]bool{}, map[string]string{}
	for len(oids) > 0 {
		oid := oids[0]
		oids = oids[1:]
		if seen[oid] {
			continue
		}
		seen[oid] = true
		o, err := rd.Read(oid)
		if errors.Is(err, git.ErrNoObject) || errors.Is(err, git.ErrDamaged) {
			continue // the target of a tag; tags that refs name were read before
		}
		if err != nil {
			return "", fmt.Errorf("read tag %s: %w", oid, err)
		}
		t.addBlob(oid, o.Data)
		target, typ := ParseTag(o.Data)
		if typ == "tag" {
			oids = append(oids, target)
		} else {
			targets[target] = typ
		}
	}
	checked, err := git.CheckObjects(ctx, k.worktree.Repo, slices.Collect(maps.Keys(targets)), git.CheckOptions{AllowLoose: true})
	if err != nil {
		return "", err
	}
	for target, typ := range targets {
		if checked.Unusable[target] == nil {
			k.add(typ, target)
		}
	}
	tree, trees, err := k.worktree.Repo.Tree(t.files)
	k.meta.objects = slices.Concat(k.meta.objects, t.objects, trees)
	return tree, err
}

// ParseTag returns the object and type in a tag, which starts with "object <oid>\ntype <type>\n".
func ParseTag(data []byte) (oid, typ string) {
	first, rest, _ := strings.Cut(string(data), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return strings.TrimPrefix(first, "object "), strings.TrimPrefix(second, "type ")
}

// maxUnfilteredTips is the number of commits that get refs of their own without a check which are
// ancestors of others: most of a thousand tags are in the history of HEAD.
const maxUnfilteredTips = 32

// tips returns HEAD's commit and the commits that are not in its history.
func (s *Worktree) tips(ctx context.Context, head string, commits []string) ([]string, error) {
	_, grafts := fsroot.Lstat(filepath.Join(s.Repo.Common, "info", "grafts")) // grafts are no lasting part of the history
	if len(commits) <= maxUnfilteredTips || !slices.Contains(commits, head) || !errors.Is(grafts, fs.ErrNotExist) {
		return commits, nil
	}
	ask := strings.NewReader(strings.Join(commits, "\n") + "\n^" + head + "\n")
	out, err := s.Repo.Run(ctx, ask, "rev-list", "--stdin")
	var failed *git.CommandError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return commits, nil // a history that cannot be read
	}
	if err != nil {
		return nil, err
	}
	beyond := map[string]bool{head: true}
	for oid := range strings.Lines(string(out)) {
		beyond[strings.TrimSuffix(oid, "\n")] = true
	}
	return slices.DeleteFunc(commits, func(oid string) bool { return !beyond[oid] }), nil
}

// hashTree makes the tree of the list of commits and of the other objects; "" when there are
// none.
func (k *keepTree) hashTree(commits []string) (string, error) {
	if len(commits)+len(k.files) == 0 {
		return "", nil
	}
	list := git.NewObject{Type: "blob", Data: []byte(strings.Join(append(slices.Clone(commits), ""), "\n"))}
	list.OID = k.worktree.Repo.HashObject("blob", list.Data)
	files := uniqueFiles(append(k.files, git.File{Path: commitListFile, Mode: 0o100644, OID: RawOID(list.OID)}))
	tree, trees, err := k.worktree.Repo.Tree(files)
	k.meta.objects = append(append(k.meta.objects, list), trees...)
	return tree, err
}
