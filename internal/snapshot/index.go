package snapshot

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/manifest"
	"github.com/belay-dev/belay/internal/worktree"
)

// indexState is the user's index: its bytes by name, and the blobs that only it holds.
type indexState struct {
	key     string // changes when the file does
	facts   manifest.Index
	data    []byte // nil when the last take remembered everything
	objects []git.NewObject
	tree    string // meta/index; "" without an index
	staged  string // the tree of blobs that only the index names; "" for none
}

// readIndex reads the index, unless it is the file that the last take read.
func (s *Store) readIndex(ctx context.Context, c *capture) error {
	path := filepath.Join(s.repo.Dir, "index")
	for range 3 {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			c.index = indexState{key: "none"}
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the index: %w", err)
		}
		c.index = indexState{key: indexKey(info), facts: manifest.Index{Exists: true, Mtime: info.ModTime().UnixNano(), Perm: uint16(info.Mode().Perm())}}
		if c.last.valid && c.last.IndexKey == c.index.key && c.last.IndexHead == c.head.OID {
			c.index.tree, c.index.staged = c.last.IndexTree, c.last.Staged
			return nil
		}
		if c.index.data, err = os.ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the index: %w", err)
		}
		if err := s.nameIndex(ctx, c); err != nil {
			return err
		}
		// git was asked about the index meanwhile: only the same file all the while will do.
		if again, err := os.Stat(path); err == nil && indexKey(again) == c.index.key {
			return nil
		}
	}
	return fmt.Errorf("read the index: it is being written over and over")
}

// indexKey tells one index file from another: git writes a new file each time.
func indexKey(info fs.FileInfo) string {
	key := fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		key += fmt.Sprintf(" %d %d", st.Ino, changeTime(st))
	}
	return key
}

func (s *Store) nameIndex(ctx context.Context, c *capture) error {
	m := &meta{s: s}
	m.chunks("main", c.index.data)
	shared, err := filepath.Glob(filepath.Join(globSafe(s.repo.Dir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, path := range shared {
		// An index names its shared part by hash; others lie about until git expires them.
		name, _ := hex.DecodeString(strings.TrimPrefix(filepath.Base(path), "sharedindex."))
		if len(name) == 0 || !bytes.Contains(c.index.data, name) {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the shared index: %w", err)
		}
		m.chunks(filepath.Base(path), data)
	}
	tree, trees, err := s.repo.Tree(m.files)
	if err != nil {
		return err
	}
	c.index.tree = tree
	c.index.objects = append(m.objects, trees...)
	return s.nameStaged(ctx, c)
}

// globSafe quotes what filepath.Glob would take for a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// nameStaged finds the blobs that the index names and HEAD's tree does not: staged
// content, and all sides of a conflict. They live as long as the snapshot.
func (s *Store) nameStaged(ctx context.Context, c *capture) error {
	base := c.head.OID
	if base == "" {
		base = s.repo.Name("tree", nil) // the empty tree, which git knows
	}
	raw, err := s.repo.Run(ctx, nil, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base, "--")
	if err != nil {
		return err
	}
	conflicts, err := s.repo.Run(ctx, nil, "ls-files", "-u", "-z")
	if err != nil {
		return err
	}
	blobs := map[string]bool{}
	fields := strings.Split(string(raw), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if f := strings.Fields(fields[i]); len(f) == 5 && f[1] != "160000" {
			blobs[f[3]] = true
		}
	}
	for f := range strings.SplitSeq(string(conflicts), "\x00") {
		if f := strings.Fields(f); len(f) >= 3 && f[0] != "160000" {
			blobs[f[1]] = true
		}
	}
	delete(blobs, s.repo.Zero())
	return s.stagedTree(ctx, c, blobs)
}

// stagedTree names a tree of the blobs that are there. One that is not (a partial
// clone, or an empty intent-to-add) cannot be kept alive and was not lost by us.
func (s *Store) stagedTree(ctx context.Context, c *capture, blobs map[string]bool) error {
	var oids []string
	for oid := range blobs {
		oids = append(oids, oid)
	}
	missing, err := s.repo.Missing(ctx, oids)
	if err != nil {
		return err
	}
	for _, oid := range missing {
		delete(blobs, oid)
	}
	var files []git.File
	for oid := range blobs {
		raw, err := hex.DecodeString(oid)
		if err != nil {
			return fmt.Errorf("read the index: git printed %q", oid)
		}
		files = append(files, git.File{Path: oid, Mode: 0o100644, OID: string(raw)})
	}
	if len(files) == 0 {
		return nil
	}
	tree, trees, err := s.repo.Tree(files)
	c.index.staged = tree
	c.index.objects = append(c.index.objects, trees...)
	return err
}

// tracked gives the scan the paths of the index. With seeds, it also passes on what
// the index says of their content, where the bytes git stored are those on the disk.
func (s *Store) tracked(c *capture, seeds bool) func(context.Context) ([]worktree.Tracked, time.Time, error) {
	return func(ctx context.Context) ([]worktree.Tracked, time.Time, error) {
		if !c.index.facts.Exists {
			return nil, time.Time{}, nil
		}
		if c.index.data == nil {
			path := filepath.Join(s.repo.Dir, "index")
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, time.Time{}, fmt.Errorf("read the index: %w", err)
			}
			if info, err := os.Stat(path); err != nil || indexKey(info) != c.index.key {
				return nil, time.Time{}, fmt.Errorf("read the index: %w", git.ErrChanged)
			}
			c.index.data = data
		}
		entries, err := git.ParseIndex(c.index.data, s.repo.HashSize())
		if err != nil {
			if entries, err = s.repo.ListIndex(ctx); err != nil {
				return nil, time.Time{}, err
			}
		}
		seeds = seeds && !c.rules.converts
		for _, e := range entries {
			seeds = seeds && !strings.HasSuffix(e.Path, ".gitattributes")
		}
		var all []worktree.Tracked
		for _, e := range entries {
			t := worktree.Tracked{Path: e.Path, OID: worktree.OID(e.OID), Gitlink: e.Mode == 0o160000}
			if seeds && e.HasStat && e.Stage == 0 && !e.Assume && !e.Skip && !e.Intent && !t.Gitlink {
				t.Seed = &worktree.Stat{
					MtimeSec: int64(e.MtimeSec), CtimeSec: int64(e.CtimeSec), MtimeNsec: e.MtimeNsec, CtimeNsec: e.CtimeNsec,
					Dev: e.Dev, Ino: e.Ino, Uid: e.UID, Gid: e.GID, Mode: e.Mode, Size: e.Size,
				}
			}
			all = append(all, t)
		}
		return all, time.Unix(0, c.index.facts.Mtime), nil
	}
}
