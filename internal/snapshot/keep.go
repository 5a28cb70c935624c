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

// nameRefs names the list of refs, and what no gc may take of all that they name while the
// snapshot lives: branches, tags, stashes, an operation in progress. What is no commit is in
// a tree beside the snapshot's files; commits have refs of their own (see used.go), because
// nothing but a commit or a ref can name one. While refs stay the same so does that tree. The
// bytes of tag objects are held apart: a deleted tag can be made again.
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
	key := s.Repo.Name("blob", []byte("2\n"+strings.Join(named, "\n")))
	c.Next.Named, c.Next.Keep, c.Next.Used, c.Next.Tags = key, c.Last.Keep, c.Last.Used, c.Last.Tags
	c.Next.Kept, c.Next.Sound = c.Last.Kept, c.Last.Sound
	if !c.Last.settled() || c.Last.Named != key {
		var err error
		if named, err = s.sound(ctx, c, named); err != nil {
			return err
		}
		before := len(m.objects)
		if err := s.keep(ctx, c, m, named); err != nil {
			return err
		}
		c.Next.Kept = names(m.objects[before:])
	}
	if c.Next.Keep != "" {
		m.oid("keep", 0o040000, c.Next.Keep)
	}
	if c.Next.Tags != "" {
		m.oid("meta/tags", 0o040000, c.Next.Tags)
	}
	return nil
}

// sound returns those of the named objects that can be read: git would stop at a ref that
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
	checked, err := git.CheckObjects(ctx, s.Repo, fresh, git.How{Loose: true, Known: c.Last.Relied.And(c.Relied)})
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

// keep makes the tree of what is kept beside the files, and that of tags. A name that leads
// to no object is left out: a file may hold any word of that shape.
func (s *Place) keep(ctx context.Context, c *Capture, m *meta, named []string) error {
	next := &c.Next
	next.Keep, next.Used, next.Tags = "", nil, ""
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
	slices.Sort(k.commits)
	commits, err := s.tips(ctx, c.Head.OID, slices.Compact(k.commits))
	if err != nil {
		return err
	}
	for _, oid := range commits {
		next.Used = append(next.Used, Raw(oid)...)
	}
	next.Keep, err = k.tree(commits)
	return err
}

// keeper collects what refs name.
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

// widest is how many commits get refs of their own without a look at which of them lead to
// which: most of a thousand tags are in the history of HEAD.
const widest = 32

// tips returns those of the commits that are not in the history of HEAD, and HEAD's.
func (s *Place) tips(ctx context.Context, head string, commits []string) ([]string, error) {
	_, grafts := fsroot.Lstat(filepath.Join(s.Repo.Common, "info", "grafts")) // a history that may be gone tomorrow
	if len(commits) <= widest || !slices.Contains(commits, head) || !errors.Is(grafts, fs.ErrNotExist) {
		return commits, nil
	}
	ask := strings.NewReader(strings.Join(commits, "\n") + "\n^" + head + "\n")
	out, err := s.Repo.Run(ctx, ask, "rev-list", "--stdin")
	var failed *git.Failure
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

// tree makes the tree of a list of the commits, and of what is none; "" when there is nothing
// to keep.
func (k *keeper) tree(commits []string) (string, error) {
	if len(commits)+len(k.files) == 0 {
		return "", nil
	}
	list := git.NewObject{Type: "blob", Data: []byte(strings.Join(append(slices.Clone(commits), ""), "\n"))}
	list.OID = k.s.Repo.Name("blob", list.Data)
	files := unique(append(k.files, git.File{Path: usedList, Mode: 0o100644, OID: Raw(list.OID)}))
	tree, trees, err := k.s.Repo.Tree(files)
	k.m.objects = append(append(k.m.objects, list), trees...)
	return tree, err
}
