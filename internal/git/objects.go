package git

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrChanged is wrapped when an object's bytes no longer match its name.
var ErrChanged = ErrPackChanged

func unhex(s string) (string, error) {
	b, err := hex.DecodeString(s)
	return string(b), err
}

// Missing returns the objects that the repository does not contain. It starts a new process: one
// that ran before a gc still answers from deleted packs.
func (r *Repo) Missing(ctx context.Context, oids []string) ([]string, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	out, err := r.Run(ctx, strings.NewReader(strings.Join(oids, "\n")+"\n"), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(oids) {
		return nil, fmt.Errorf("look for %d objects: git answered for %d", len(oids), len(lines))
	}
	var missing []string
	for i, line := range lines {
		if strings.HasSuffix(line, " missing") {
			missing = append(missing, oids[i])
		}
	}
	return missing, nil
}

// Types returns the type of each object, "" for a missing one.
func (r *Repo) Types(ctx context.Context, oids []string) ([]string, error) {
	types := make([]string, len(oids))
	return types, r.each(ctx, oids, func(i int, o Object, _ int64) { types[i] = o.Type })
}

// Sizes returns the size of each object, -1 for a missing one.
func (r *Repo) Sizes(ctx context.Context, oids []string) ([]int64, error) {
	sizes := make([]int64, len(oids))
	for i := range sizes {
		sizes[i] = -1
	}
	return sizes, r.each(ctx, oids, func(i int, _ Object, n int64) { sizes[i] = n })
}

func (r *Repo) each(ctx context.Context, oids []string, found func(i int, o Object, size int64)) error {
	if len(oids) == 0 {
		return nil
	}
	b, err := r.Reader(ctx)
	if err != nil {
		return err
	}
	return errors.Join(b.readInfos(oids, found), b.Close())
}

// TreeEntry is one file of a tree, with its path from the tree's top.
type TreeEntry struct {
	Path string
	Mode uint32
	OID  string // hex
	Type string
}

// ListTree lists all files of a tree, by path.
func (r *Repo) ListTree(ctx context.Context, tree string) ([]TreeEntry, error) {
	out, err := r.Run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, err
	}
	var entries []TreeEntry
	for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, path, ok := strings.Cut(f, "\t")
		parts := strings.Fields(head)
		if f == "" {
			continue
		}
		if !ok || len(parts) != 3 {
			return nil, fmt.Errorf("list tree %s: git printed %q", tree, f)
		}
		mode, err := strconv.ParseUint(parts[0], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("list tree %s: git printed %q", tree, f)
		}
		entries = append(entries, TreeEntry{Path: path, Mode: uint32(mode), OID: parts[2], Type: parts[1]})
	}
	return entries, nil
}

// TreeNames returns the names of a tree, or a commit's tree, and of everything in it.
func (r *Repo) TreeNames(ctx context.Context, tree string) (map[string]bool, error) {
	out, err := r.Run(ctx, nil, "ls-tree", "-r", "-t", "-z", "--full-tree", "--format=%(objectname)", tree)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for oid := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		names[oid] = true
	}
	return names, nil
}

// cachedAnswer is a command and its output.
type cachedAnswer struct {
	args []string
	out  string
}

// RunCached runs a command that reads only objects with full names. The last outputs are cached:
// objects do not change.
func (r *Repo) RunCached(ctx context.Context, args ...string) (string, error) {
	s := &r.shared
	s.mu.Lock()
	i := slices.IndexFunc(s.answers, func(a cachedAnswer) bool { return slices.Equal(a.args, args) })
	if i >= 0 {
		defer s.mu.Unlock()
		return s.answers[i].out, nil
	}
	s.mu.Unlock()
	out, err := r.Run(ctx, nil, args...)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(out) <= maxAnswerSize {
		if len(s.answers) == maxAnswers {
			s.answers = slices.Delete(s.answers, 0, 1)
		}
		s.answers = append(s.answers, cachedAnswer{slices.Clone(args), string(out)})
	}
	return string(out), nil
}

// Difference is one path that differs between two trees. A mode of 0 means that the path does not
// exist on that side.
type Difference struct {
	Path             string
	OldMode, NewMode uint32
	OldOID, NewOID   string // hex
	Status           byte   // A, M, D or T
}

// DiffTrees compares two trees by path: names, modes and object names. No content is read, and no
// other program is started.
func (r *Repo) DiffTrees(ctx context.Context, from, to string) ([]Difference, error) {
	if from == to {
		return nil, nil
	}
	out, err := r.RunCached(ctx, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--no-abbrev", from, to)
	if err != nil {
		return nil, err
	}
	return parseRawDiff(out)
}

func parseRawDiff(out string) ([]Difference, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(fields) == 1 && fields[0] == "" {
		return nil, nil
	}
	var list []Difference
	for i := 0; i+1 < len(fields); i += 2 {
		parts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(parts) != 5 || parts[4] == "" {
			return nil, fmt.Errorf("compare trees: git printed %q", fields[i])
		}
		from, err1 := strconv.ParseUint(parts[0], 8, 32)
		to, err2 := strconv.ParseUint(parts[1], 8, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("compare trees: git printed %q", fields[i])
		}
		list = append(list, Difference{Path: fields[i+1], OldMode: uint32(from), NewMode: uint32(to),
			OldOID: parts[2], NewOID: parts[3], Status: parts[4][0]})
	}
	return list, nil
}
