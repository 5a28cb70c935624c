package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

const stashRef = "refs/stash"

// side is one of the two compared states.
type side struct {
	Side
	tree      string
	manifest  *snapshot.Manifest
	indexTree string
	info      snapshot.Info
	capture   *snapshot.Capture // set for the current state, which is not stored
	entries   map[string]snapshot.Entry
}

// readBoth calls ask for both sides.
func readBoth[V any](ctx context.Context, ask func(context.Context, *side) (V, error), one, two *side) (then, now V, err error) {
	if then, err = ask(ctx, one); err == nil {
		now, err = ask(ctx, two)
	}
	return then, now, err
}

// readBlobs reads two objects.
func readBlobs(rd *git.Reader, one, two string) (then, now []byte, err error) {
	a, err := rd.Read(one)
	if err != nil {
		return nil, nil, err
	}
	b, err := rd.Read(two)
	return a.Data, b.Data, err
}

// snapshotSide returns the side of a snapshot.
func (r Reader) snapshotSide(ctx context.Context, i snapshot.Info) (side, error) {
	s := side{tree: i.Tree, info: i}
	s.Head, s.Branch, s.Operation = i.Head, i.Branch, i.Operation
	var err error
	if s.manifest, err = r.Snaps.Manifest(ctx, i); err != nil {
		return s, err
	}
	refs, err := r.Snaps.ReadRefs(ctx, i)
	if err != nil {
		return s, err
	}
	if s.Stash = refs.Refs[stashRef]; s.Stash != "" {
		log, err := r.joinPieces(ctx, i.Commit+":meta/logs/"+stashRef)
		if err != nil {
			return s, err
		}
		s.Stashes = max(1, entries(log))
	}
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return s, err
	}
	defer rd.Close()
	top, err := rd.Folder(i.Commit + ":meta")
	if err != nil {
		return s, fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	for _, e := range top {
		if e.Path == "index" {
			s.indexTree = e.OID
		}
	}
	return s, nil
}

// joinPieces joins a file that a snapshot stores in pieces; nil if there are none.
func (r Reader) joinPieces(ctx context.Context, tree string) ([]byte, error) {
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	list, err := rd.Folder(tree)
	if errors.Is(err, git.ErrNoObject) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, e := range list {
		o, err := rd.Read(e.OID)
		if err != nil {
			return nil, err
		}
		all = append(all, o.Data...)
	}
	return all, nil
}

// entries returns the number of entries of a reflog.
func entries(log []byte) int { return bytes.Count(log, []byte("\n")) }

// field returns a header of a commit, "" if it is missing.
func field(commit []byte, name string) string {
	head, _, _ := bytes.Cut(commit, []byte("\n\n"))
	for line := range bytes.Lines(head) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			return strings.TrimSpace(string(rest))
		}
	}
	return ""
}

func parents(commit []byte) (all []string) {
	head, _, _ := bytes.Cut(commit, []byte("\n\n"))
	for line := range bytes.Lines(head) {
		if rest, ok := bytes.CutPrefix(line, []byte("parent ")); ok {
			all = append(all, strings.TrimSpace(string(rest)))
		}
	}
	return all
}

func subject(commit []byte) string {
	_, body, _ := bytes.Cut(commit, []byte("\n\n"))
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	if r := []rune(string(line)); len(r) > 50 {
		return string(r[:49]) + "…"
	}
	return string(line)
}

// index is the index of a side. It is not readable if neither belay nor git can parse it.
type index struct {
	entries  []git.IndexEntry
	readable bool
}

func (r Reader) readIndex(ctx context.Context, s *side) (index, error) {
	if s.indexTree == "" {
		return index{readable: true}, nil
	}
	var data []byte
	var err error
	path := filepath.Join(r.Snaps.Repo.Dir, "index")
	if s.capture != nil {
		if s.capture.Index.Entries != nil {
			return index{s.capture.Index.Entries, true}, nil
		}
		data, err = fsroot.ReadFile(path, fsroot.MaxSmallFile)
	} else {
		data, err = r.joinPieces(ctx, s.indexTree+":main")
		path = ""
	}
	if err != nil {
		return index{}, fmt.Errorf("read the index: %w", err)
	}
	if list, err := git.ParseIndex(data, r.Snaps.Repo.HashSize()); err == nil {
		return index{list, true}, nil
	}
	return r.readIndexWithGit(ctx, path, data)
}

// readIndexWithGit lets git read an index that belay cannot parse, from a copy unless it is the
// current one.
func (r Reader) readIndexWithGit(ctx context.Context, path string, data []byte) (index, error) {
	if path == "" {
		tmp, err := r.Snaps.Worktree.MakeScratchDir("tmp")
		if err != nil {
			return index{}, err
		}
		f, err := fsroot.CreateTemp(tmp, "index-")
		if err != nil {
			return index{}, fmt.Errorf("read the index: %w", err)
		}
		defer fsroot.Remove(f.Name())
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return index{}, fmt.Errorf("read the index: %w", err)
		}
		path = f.Name()
	}
	list, err := r.Snaps.Repo.ListIndex(ctx, path)
	var refused *git.CommandError
	if errors.As(err, &refused) {
		return index{}, nil
	}
	return index{list, err == nil}, err
}
