package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// ListIndex asks git for the entries of an index file that ParseIndex cannot read. They have no
// stat data.
func (r *Repo) ListIndex(ctx context.Context, file string) ([]IndexEntry, error) {
	cmd := r.Command(ctx, "ls-files", "-s", "-t", "-v", "-z")
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+file)
	out, err := Output(cmd)
	if err != nil {
		return nil, err
	}
	var entries []IndexEntry
	for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if f == "" {
			continue
		}
		e, err := parseListed(f)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parseListed parses "H 100644 <oid> 0\tpath".
func parseListed(f string) (IndexEntry, error) {
	head, path, ok := strings.Cut(f, "\t")
	parts := strings.Fields(head)
	if !ok || len(parts) != 4 || len(parts[0]) != 1 {
		return IndexEntry{}, fmt.Errorf("list the index: git printed %q", f)
	}
	mode, err := strconv.ParseUint(parts[1], 8, 32)
	if err != nil {
		return IndexEntry{}, fmt.Errorf("list the index: git printed %q", f)
	}
	oid, err := unhex(parts[2])
	if err != nil {
		return IndexEntry{}, fmt.Errorf("list the index: git printed %q", f)
	}
	stage, err := strconv.Atoi(parts[3])
	tag := parts[0][0]
	return IndexEntry{Path: path, Mode: uint32(mode), OID: oid, Stage: stage,
		AssumeUnchanged: tag >= 'a' && tag <= 'z', SkipWorktree: tag == 'S' || tag == 's'}, err
}
