package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/git"
)

// nameRefs names the list of refs and the keeper, which holds all that they name: a
// commit whose parents are the commits of branches, tags, stashes and an operation in
// progress, and whose tree holds what else is named, so that no gc takes any of it
// while the snapshot lives. While refs stay the same the keeper is the same commit.
// The bytes of tag objects are held apart: a deleted tag can be made again.
func (s *Place) nameRefs(ctx context.Context, c *Capture, m *meta) error {
	var b strings.Builder
	fmt.Fprintf(&b, "HEAD %s %s\n", c.Head.OID, c.Head.Branch)
	named := git.Commits(c.State)
	for _, l := range c.Logs {
		if l.Name == "logs/refs/stash" { // the stash's list is its log
			named = append(named, git.Commits([]git.StateFile{l})...)
		}
	}
	for _, r := range c.Refs {
		if Ours(r.Name) {
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
	m.blob("meta/refs", refs)
	slices.Sort(named)
	named = slices.Compact(named)
	key := s.Repo.Name("blob", []byte(strings.Join(named, "\n")))
	c.Next.Named, c.Next.Keeper, c.Next.Tags, c.Next.Kept, c.Next.Sound = key, c.Last.Keeper, c.Last.Tags, c.Last.Kept, c.Last.Sound
	if !c.Last.settled() || c.Last.Named != key {
		var err error
		if named, err = s.sound(ctx, c, named); err != nil {
			return err
		}
		before := len(m.objects)
		if err := s.keep(ctx, &c.Next, m, named); err != nil {
			return err
		}
		c.Next.Kept = names(m.objects[before:])
	}
	if c.Next.Keeper != "" {
		c.Parents = []string{c.Next.Keeper}
	}
	if c.Next.Tags != "" {
		m.oid("meta/tags", 0o040000, c.Next.Tags)
	}
	return nil
}

// sound returns those of the named objects that can be read: git would stop at a keeper that
// names another. Of the others those that HEAD and refs name are lost; a file of git's may
// hold any word of that shape.
func (s *Place) sound(ctx context.Context, c *Capture, named []string) ([]string, error) {
	known := map[string]bool{}
	if c.Last.settled() {
		for oid := range slices.Chunk(c.Last.Sound, s.Repo.HashSize()) {
			known[string(oid)] = true
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(named), func(oid string) bool { return known[Raw(oid)] })
	checked, err := git.CheckObjects(ctx, s.Repo, fresh, git.How{Loose: true, Known: c.Last.Relied})
	if err != nil {
		return nil, err
	}
	c.Relied = c.Relied.And(checked.Relied)
	lost := func(path, oid string) {
		if checked.Lost(oid) {
			c.Man.Lost = append(c.Man.Lost, Lost{Path: path, Kind: LostRef, OID: oid})
		}
	}
	lost("HEAD", c.Head.OID)
	for _, r := range c.Refs {
		if !strings.HasPrefix(r.Name, RefPrefix) {
			lost(r.Name, r.OID)
		}
	}
	named = slices.DeleteFunc(named, func(oid string) bool { return checked.Bad[oid] != nil })
	c.Next.Sound = nil
	for _, oid := range named {
		c.Next.Sound = append(c.Next.Sound, Raw(oid)...)
	}
	return named, nil
}

// keep makes the keeper and the tree of tags. A name that leads to no object is left
// out: a file may hold any word of that shape.
func (s *Place) keep(ctx context.Context, next *Memory, m *meta, named []string) error {
	next.Keeper, next.Tags = "", ""
	types, err := s.Repo.Types(ctx, named)
	if err != nil {
		return err
	}
	k := keeper{s: s, m: m}
	var tags []string
	for i, oid := range named {
		if types[i] == "tag" {
			tags = append(tags, oid)
		} else {
			k.hold(types[i], oid)
		}
	}
	if len(tags) > 0 {
		if next.Tags, err = k.tags(ctx, tags); err != nil {
			return err
		}
	}
	next.Keeper, err = k.commit()
	return err
}

// keeper collects what a keeper commit holds.
type keeper struct {
	s       *Place
	m       *meta
	commits []string
	files   []git.File
}

func (k *keeper) hold(typ, oid string) {
	switch typ {
	case "commit":
		k.commits = append(k.commits, oid)
	case "blob":
		k.files = append(k.files, git.File{Path: oid, Mode: 0o100644, OID: Raw(oid)})
	case "tree":
		k.files = append(k.files, git.File{Path: oid, Mode: 0o040000, OID: Raw(oid)})
	}
}

// tags names a tree of the bytes of tag objects, and holds what they lead to.
func (k *keeper) tags(ctx context.Context, oids []string) (string, error) {
	rd, err := k.s.Repo.Reader(ctx)
	if err != nil {
		return "", err
	}
	defer rd.Close()
	t := &meta{s: k.s}
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
			continue // what a tag leads to; the tags that refs name were read before
		}
		if err != nil {
			return "", fmt.Errorf("read tag %s: %w", oid, err)
		}
		t.blob(oid, o.Data)
		target, typ := tagged(o.Data)
		if typ == "tag" {
			oids = append(oids, target)
		} else {
			targets[target] = typ
		}
	}
	checked, err := git.CheckObjects(ctx, k.s.Repo, slices.Collect(maps.Keys(targets)), git.How{Loose: true})
	if err != nil {
		return "", err
	}
	for target, typ := range targets {
		if checked.Bad[target] == nil {
			k.hold(typ, target)
		}
	}
	tree, trees, err := k.s.Repo.Tree(t.files)
	k.m.objects = slices.Concat(k.m.objects, t.objects, trees)
	return tree, err
}

// tagged reads what a tag object names: it starts with "object <oid>\ntype <type>\n".
func tagged(data []byte) (oid, typ string) {
	first, rest, _ := strings.Cut(string(data), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return strings.TrimPrefix(first, "object "), strings.TrimPrefix(second, "type ")
}

// widest is how many parents a keeper has before its commits are shared out among
// keepers below it: then a ref that moves costs one of those, not all.
const widest = 256

// commit makes the keeper and gives its name, "" when there is nothing to keep.
func (k *keeper) commit() (string, error) {
	slices.Sort(k.commits)
	parents := slices.Compact(k.commits)
	if len(parents)+len(k.files) == 0 {
		return "", nil
	}
	// Not the empty tree: git knows that one without storing it, and fsck misses it.
	note := git.NewObject{Type: "blob", Data: []byte("What this commit names is kept by belay.\n")}
	note.OID = k.s.Repo.Name("blob", note.Data)
	plain, trees, err := k.s.Repo.Tree([]git.File{{Path: "note", Mode: 0o100644, OID: Raw(note.OID)}})
	if err != nil {
		return "", err
	}
	k.m.objects = append(append(k.m.objects, note), trees...)
	if len(parents) > widest {
		var above []string
		for len(parents) > 0 {
			n := 1
			for n < len(parents) && parents[n][:2] == parents[0][:2] {
				n++
			}
			above = append(above, k.keeping(plain, parents[:n]))
			parents = parents[n:]
		}
		slices.Sort(above)
		parents = above
	}
	tree := plain
	if len(k.files) > 0 {
		files := unique(append(k.files, git.File{Path: "note", Mode: 0o100644, OID: Raw(note.OID)}))
		if tree, trees, err = k.s.Repo.Tree(files); err != nil {
			return "", err
		}
		k.m.objects = append(k.m.objects, trees...)
	}
	return k.keeping(tree, parents), nil
}

func (k *keeper) keeping(tree string, parents []string) string {
	c := CommitObject(k.s.Repo, tree, parents, time.Unix(0, 0), "belay: keeps what refs named\n")
	k.m.objects = append(k.m.objects, c)
	return c.OID
}
