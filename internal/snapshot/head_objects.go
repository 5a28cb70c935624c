package snapshot

import (
	"context"
	"encoding/hex"

	"github.com/belay-dev/belay/internal/git"
)

// HeadObjects returns the raw names of the objects in the tree of HEAD's commit that can be read;
// none without a commit. An unreadable tree is recorded as lost, and its entries do not count: they
// may exist now and be pruned by the next gc.
//
// A tree that the current state contains too is not read: its name determines its content.
func (s *Worktree) HeadObjects(ctx context.Context, c *Capture) (map[string]bool, error) {
	if c.Head.OID == "" {
		return nil, nil
	}
	if c.headObjectsCommit == c.Head.OID {
		return c.headObjects, nil
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	w := headWalker{rd: rd, hashSize: s.Repo.HashSize(), presentTrees: map[string][]byte{},
		names: make(map[string]bool, c.FileCount+c.FileCount/8)}
	for _, o := range c.Objects {
		if o.Type == "tree" && o.Data != nil {
			w.presentTrees[RawOID(o.OID)] = o.Data
		}
	}
	if tree := commitTree(rd, c.Head.OID); tree != "" { // otherwise the commit is recorded as lost already
		w.walkTree(RawOID(tree))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	checked, err := git.CheckObjects(ctx, s.Repo, w.unreadable, git.CheckOptions{AllowLoose: true})
	if err != nil {
		return nil, err
	}
	c.lostHeadTrees = nil
	for _, oid := range w.unreadable {
		if checked.IsLost(oid) {
			c.lostHeadTrees = append(c.lostHeadTrees, LostObject{Path: "HEAD", Kind: LostTree, OID: oid})
		}
	}
	c.headObjects, c.headObjectsCommit = w.names, c.Head.OID
	return c.headObjects, nil
}

// headWalker collects the objects that a tree names.
type headWalker struct {
	rd           *git.Reader
	hashSize     int
	presentTrees map[string][]byte // trees that need not be read, by raw name
	names        map[string]bool   // raw
	unreadable   []string          // trees that could not be read, in hex
}

func (w *headWalker) walkTree(raw string) {
	if w.names[raw] {
		return
	}
	data, ok := w.presentTrees[raw]
	if !ok {
		oid := hex.EncodeToString([]byte(raw))
		o, err := w.rd.Read(oid)
		if err != nil || o.Type != "tree" || git.EachInTree(string(o.Data), w.hashSize, func(uint32, string, string) {}) != nil {
			w.unreadable = append(w.unreadable, oid)
			return
		}
		data = o.Data
	}
	w.names[raw] = true
	var folders []string
	_ = git.EachInTree(string(data), w.hashSize, func(mode uint32, _, raw string) { // it was parsed before, or made by belay
		if mode == 0o40000 {
			folders = append(folders, raw)
		} else {
			w.names[raw] = true
		}
	})
	for _, f := range folders {
		w.walkTree(f)
	}
}
