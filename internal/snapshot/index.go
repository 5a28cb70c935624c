package snapshot

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	data    []byte           // nil when the last take remembered everything
	entries []git.IndexEntry // what data says
	objects []git.NewObject
	tree    string // meta/index; "" without an index
	staged  string // the tree of blobs that only the index names; "" for none
}

// readIndex reads the index, unless it is the file that the last take read. git writes
// a new file and renames it, so an open one never changes.
func (s *Store) readIndex(ctx context.Context, c *capture) error {
	f, err := os.Open(filepath.Join(s.repo.Dir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		c.index = indexState{key: "none"}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	c.index = indexState{key: indexKey(info), facts: manifest.Index{Exists: true, Mtime: info.ModTime().UnixNano(), Perm: uint16(info.Mode().Perm())}}
	if c.last.valid && c.last.IndexKey == c.index.key && c.last.IndexHead == c.head.OID {
		c.index.tree, c.index.staged = c.last.IndexTree, c.last.Staged
		return nil
	}
	if c.index.data, err = io.ReadAll(f); err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	return s.nameIndex(ctx, c)
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
	// git is shown a copy: the index itself may be another one by now.
	tmp, err := s.scratch("tmp")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(tmp, "index-")
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(c.index.data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	ask := s.repo.Command(ctx, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base, "--")
	ask.Env = append(ask.Env, "GIT_INDEX_FILE="+f.Name())
	raw, err := git.Answer(ask)
	if err != nil {
		return err
	}
	entries, err := git.ParseIndex(c.index.data, s.repo.HashSize())
	if err != nil {
		if entries, err = s.repo.ListIndex(ctx, f.Name()); err != nil {
			return err
		}
	}
	c.index.entries = entries
	blobs := map[string]bool{}
	fields := strings.Split(string(raw), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if f := strings.Fields(fields[i]); len(f) == 5 && f[1] != "160000" {
			blobs[f[3]] = true
		}
	}
	for _, e := range entries {
		if e.Stage > 0 && e.Mode != 0o160000 {
			blobs[hex.EncodeToString([]byte(e.OID))] = true
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

// indexEntries gives the entries of the index that was read; of today's, when its bytes
// were known and not read again.
func (s *Store) indexEntries(ctx context.Context, c *capture) ([]git.IndexEntry, error) {
	if c.index.entries != nil {
		return c.index.entries, nil
	}
	path := filepath.Join(s.repo.Dir, "index")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	entries, err := git.ParseIndex(data, s.repo.HashSize())
	if err != nil {
		return s.repo.ListIndex(ctx, path)
	}
	return entries, nil
}

// tracked gives the scan the paths of the index. With seeds, it also passes on what
// the index says of their content, where the bytes git stored are those on the disk.
func (s *Store) tracked(c *capture, seeds bool) func(context.Context) ([]worktree.Tracked, time.Time, error) {
	return func(ctx context.Context) ([]worktree.Tracked, time.Time, error) {
		if !c.index.facts.Exists {
			return nil, time.Time{}, nil
		}
		entries, err := s.indexEntries(ctx, c)
		if err != nil {
			return nil, time.Time{}, err
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
