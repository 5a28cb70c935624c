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

// ScanInputs are the inputs of a scan besides the files, for a watcher that scans on behalf of
// later captures.
type ScanInputs struct {
	Options    scan.Options // without Ignored
	IndexKey   string       // the key of the index
	RulesKey   string       // the key of the ignore rules outside the tree
	TrackedKey string       // names the set of paths in the index
}

// ScanInputs reads rules and index. git.ErrChanged when the index is replaced meanwhile.
func (s *Worktree) ScanInputs(ctx context.Context) (ScanInputs, error) {
	c := &Capture{}
	var err error
	if c.Rules, err = s.readOuterRules(ctx); err != nil {
		return ScanInputs{}, err
	}
	key, set, err := s.TrackedSet(ctx)
	if err != nil {
		return ScanInputs{}, err
	}
	c.Index = IndexState{Key: key, PathsKey: set, Attributes: IndexAttributes{Exists: key != noIndex}}
	o := s.scanOptions(c, false, s.Repo.Ignorer(ctx))
	o.Ignored = nil
	return ScanInputs{Options: o, IndexKey: key, RulesKey: c.Rules.key, TrackedKey: set}, nil
}

const noIndex = "none" // the key when there is no index

// IndexKey returns a key that changes when the user's index does.
func (s *Worktree) IndexKey() (string, error) {
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
func (s *Worktree) TrackedSet(ctx context.Context) (key, set string, err error) {
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
	return key, pathsKey(entries), err
}
