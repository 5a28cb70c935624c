package snapshot

import (
	"context"
	"errors"
	"strings"

	"github.com/belay-dev/belay/internal/git"
)

// InHead returns what the tree of HEAD's commit names, as far as it can be read; nothing
// without a commit. A tree that cannot be read is noted as lost, and what it names does not
// count: it may be there and go with the next gc.
func (s *Place) InHead(ctx context.Context, c *Capture) (map[string]bool, error) {
	if c.Head.OID == "" {
		return nil, nil
	}
	if c.headOf == c.Head.OID {
		return c.inHead, nil
	}
	names, err := s.Repo.TreeNames(ctx, c.Head.OID)
	var failed *git.Failure
	if errors.As(err, &failed) && ctx.Err() == nil {
		names, err = s.someInHead(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	c.inHead, c.headOf = names, c.Head.OID
	return names, nil
}

// someInHead is InHead for a tree that git cannot list to its end.
func (s *Place) someInHead(ctx context.Context, c *Capture) (map[string]bool, error) {
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	names := map[string]bool{}
	commit, err := rd.Read(c.Head.OID)
	if err != nil {
		return names, ctx.Err() // it is named as lost already
	}
	first, _, _ := strings.Cut(string(commit.Data), "\n")
	var unread []string
	var walk func(oid string) error
	walk = func(oid string) error {
		entries, err := rd.Folder(oid)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			unread = append(unread, oid)
			return nil
		}
		names[oid] = true
		for _, e := range entries {
			if e.Type == "tree" {
				err = walk(e.OID)
			} else {
				names[e.OID] = true
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(strings.TrimPrefix(first, "tree ")); err != nil {
		return nil, err
	}
	checked, err := git.CheckObjects(ctx, s.Repo, unread, git.How{Loose: true})
	if err != nil {
		return nil, err
	}
	c.headLost = nil
	for _, oid := range unread {
		if checked.Lost(oid) {
			c.headLost = append(c.headLost, Lost{Path: "HEAD", Kind: LostTree, OID: oid})
		}
	}
	return names, nil
}
