package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/scan"
)

// Outline is what decides about a scan besides the files: for somebody who scans on
// behalf of later captures.
type Outline struct {
	Options scan.Options // without Ignored
	Index   string       // the key of the index
	Rules   string       // of the rules outside the tree
	Tracked string       // names the set of paths in the index
}

// Outline reads rules and index. git.ErrChanged when the index is replaced meanwhile.
func (s *Place) Outline(ctx context.Context) (Outline, error) {
	c := &Capture{}
	var err error
	if c.Rules, err = s.outerRules(ctx); err != nil {
		return Outline{}, err
	}
	key, set, err := s.TrackedSet(ctx)
	if err != nil {
		return Outline{}, err
	}
	c.Index = IndexState{Key: key, Set: set, Facts: Index{Exists: key != noIndex}}
	o := s.options(c, false, s.Repo.Ignorer(ctx))
	o.Ignored = nil
	return Outline{Options: o, Index: key, Rules: c.Rules.key, Tracked: set}, nil
}

const noIndex = "none" // the key when there is no index

// IndexKey returns a key that changes when the user's index does.
func (s *Place) IndexKey() (string, error) {
	info, err := fsroot.Lstat(filepath.Join(s.Repo.Dir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return noIndex, nil
	}
	if err != nil {
		return "", fmt.Errorf("check the index: %w", err)
	}
	return indexKey(info), nil
}

// TrackedSet returns the key of the index, and a name for the set of paths in it.
func (s *Place) TrackedSet(ctx context.Context) (key, set string, err error) {
	if key, err = s.IndexKey(); err != nil || key == noIndex {
		return key, noIndex, err
	}
	entries, err := s.indexEntries(ctx, &Capture{})
	if err != nil {
		return "", "", err
	}
	after, err := s.IndexKey()
	if err == nil && after != key {
		err = fmt.Errorf("read the index: %w", git.ErrChanged)
	}
	return key, setOf(entries), err
}
