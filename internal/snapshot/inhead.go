package snapshot

import (
	"context"
	"encoding/hex"

	"github.com/belay-dev/belay/internal/git"
)

// InHead returns the raw names of what the tree of HEAD's commit names, as far as it can be
// read; nothing without a commit. A tree that cannot be read is noted as lost, and what it names
// does not count: it may be there and go with the next gc.
//
// A tree of HEAD that the present has as well is not read: its name says what is in it.
func (s *Place) InHead(ctx context.Context, c *Capture) (map[string]bool, error) {
	if c.Head.OID == "" {
		return nil, nil
	}
	if c.headOf == c.Head.OID {
		return c.inHead, nil
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	w := headWalk{rd: rd, hash: s.Repo.HashSize(), ours: map[string][]byte{}, names: make(map[string]bool, c.Count+c.Count/8)}
	for _, o := range c.Objects {
		if o.Type == "tree" && o.Data != nil {
			w.ours[Raw(o.OID)] = o.Data
		}
	}
	if tree := treeOf(rd, c.Head.OID); tree != "" { // else the commit is named as lost already
		w.tree(Raw(tree))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	checked, err := git.CheckObjects(ctx, s.Repo, w.unread, git.How{Loose: true})
	if err != nil {
		return nil, err
	}
	c.headLost = nil
	for _, oid := range w.unread {
		if checked.Lost(oid) {
			c.headLost = append(c.headLost, Lost{Path: "HEAD", Kind: LostTree, OID: oid})
		}
	}
	c.inHead, c.headOf = w.names, c.Head.OID
	return c.inHead, nil
}

// headWalk collects what a tree names.
type headWalk struct {
	rd     *git.Reader
	hash   int
	ours   map[string][]byte // trees that need not be read, by raw name
	names  map[string]bool   // raw
	unread []string          // trees that could not be read, in hex
}

func (w *headWalk) tree(raw string) {
	if w.names[raw] {
		return
	}
	data, ok := w.ours[raw]
	if !ok {
		oid := hex.EncodeToString([]byte(raw))
		o, err := w.rd.Read(oid)
		if err != nil || o.Type != "tree" || git.EachInTree(string(o.Data), w.hash, func(uint32, string, string) {}) != nil {
			w.unread = append(w.unread, oid)
			return
		}
		data = o.Data
	}
	w.names[raw] = true
	var folders []string
	_ = git.EachInTree(string(data), w.hash, func(mode uint32, _, raw string) { // it was read before, or made by us
		if mode == 0o40000 {
			folders = append(folders, raw)
		} else {
			w.names[raw] = true
		}
	})
	for _, f := range folders {
		w.tree(f)
	}
}
