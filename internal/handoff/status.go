package handoff

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/snapshot"
)

// entry is a path in HEAD, the index or the working tree.
type entry struct {
	mode uint32
	oid  string
}

// status returns the lines of git status --porcelain for a snapshot's files and the index: two
// letters, a space and the path. git itself would start filters that the repository configures, so
// bytes are compared here; differences of line ends alone do not count.
func (r DeltaReader) status(ctx context.Context, now snapshot.Info) ([]string, error) {
	repo := r.Snaps.Repo
	head := now.Head
	if head == "" {
		head = repo.HashObject("tree", nil)
	} else {
		head += "^{tree}"
	}
	staged, err := repo.Run(ctx, nil, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", head, "--")
	if err != nil {
		return nil, err
	}
	if head, err = r.treeOf(ctx, head); err != nil {
		return nil, err
	}
	files, err := diffHead(ctx, repo, head, now.Tree)
	if err != nil {
		return nil, err
	}
	return r.letters(ctx, files, parseRawDiff(string(staged)))
}

const submoduleMode = 0o160000

// diffHead compares the tree of HEAD with a snapshot's. Submodules, which the snapshot's has no
// entries for, do not count.
func diffHead(ctx context.Context, repo *git.Repo, head, tree string) ([]git.Difference, error) {
	list, err := repo.DiffTrees(ctx, head, tree)
	return slices.DeleteFunc(list, func(d git.Difference) bool { return d.OldMode == submoduleMode && d.NewMode == 0 }), err
}

func (r DeltaReader) treeOf(ctx context.Context, name string) (string, error) {
	if !strings.Contains(name, "^") {
		return name, nil
	}
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return "", err
	}
	defer rd.Close()
	o, err := rd.Read(name)
	return o.OID, err
}

// stagedChange is a staged change of a path.
type stagedChange struct {
	then, now entry
	letter    byte
}

// parseRawDiff parses git's raw format with -z.
func parseRawDiff(text string) map[string]stagedChange {
	all := map[string]stagedChange{}
	fields := strings.Split(text, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			continue
		}
		var c stagedChange
		fmt.Sscanf(f[0], "%o", &c.then.mode)
		fmt.Sscanf(f[1], "%o", &c.now.mode)
		c.then.oid, c.now.oid, c.letter = f[2], f[3], f[4][0]
		if old, both := all[fields[i+1]]; both && old.letter == 'U' {
			continue // list a conflict once
		}
		all[fields[i+1]] = c
	}
	return all
}

func (r DeltaReader) letters(ctx context.Context, files []git.Difference, staged map[string]stagedChange) ([]string, error) {
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	tree := map[string]git.Difference{}
	var paths []string
	for _, d := range files {
		tree[d.Path] = d
		paths = append(paths, d.Path)
	}
	for p := range staged {
		if _, both := tree[p]; !both {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	out := []string{}
	for _, p := range paths {
		d, differs := tree[p]
		s, isStaged := staged[p]
		index, disk := s.now, s.then
		if differs {
			disk = entry{d.NewMode, d.NewOID}
			if !isStaged {
				index = entry{d.OldMode, d.OldOID}
			}
		}
		if index.mode == submoduleMode && (disk.mode == 0 || disk.mode == submoduleMode) {
			disk = index // snapshots have no entry for it
		}
		for _, xy := range statusLetters(s, index, disk, sameLines(rd)) {
			out = append(out, xy+" "+PathText(p))
		}
	}
	return out, nil
}

// statusLetters returns the letters of one path: two lines for a file that is removed from the
// index but still exists.
func statusLetters(s stagedChange, index, disk entry, same func(a, b entry) bool) []string {
	x := byte(' ')
	if s.letter != 0 {
		x = s.letter
	}
	switch {
	case x == 'U':
		return []string{"UU"}
	case index.mode == 0 && disk.mode == 0 && x == ' ':
		return nil
	case index.mode == 0 && disk.mode != 0:
		if x == ' ' {
			return []string{"??"}
		}
		return []string{string(x) + " ", "??"}
	}
	y := byte(' ')
	switch {
	case disk.mode == 0 && index.mode != 0:
		y = 'D'
	case index.mode&0o170000 != disk.mode&0o170000:
		y = 'T'
	case index.mode != disk.mode, index.oid != disk.oid && !same(index, disk):
		y = 'M'
	}
	if x == ' ' && y == ' ' {
		return nil
	}
	return []string{string(x) + string(y)}
}

// sameLines returns a function that compares two blobs without their line ends.
func sameLines(rd *git.Reader) func(a, b entry) bool {
	return func(a, b entry) bool {
		one, err := rd.Read(a.oid)
		if err != nil || one.Type != "blob" || len(one.Data) > 4<<20 {
			return false
		}
		before := bytes.Clone(Normalise(one.Data))
		two, err := rd.Read(b.oid)
		return err == nil && bytes.Equal(before, Normalise(two.Data))
	}
}
