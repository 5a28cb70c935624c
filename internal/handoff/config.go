package handoff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
)

// compareGitFiles finds git's own files that differ: config, hooks, excludes, attributes. Changes
// of the config by a push or a new branch do not count.
func (r Reader) compareGitFiles(ctx context.Context, f *Facts, one, two *side) error {
	then, now, err := readBoth(ctx, r.gitFilesOf, one, two)
	if err != nil {
		return err
	}
	for _, name := range union(then, now) {
		if then[name] != now[name] {
			f.GitFiles = append(f.GitFiles, name)
		}
	}
	return nil
}

// gitFilesOf returns git's own files of a side by name: the config's text, and the blob IDs of the
// others.
func (r Reader) gitFilesOf(ctx context.Context, s *side) (map[string]string, error) {
	all := map[string]string{}
	if s.capture != nil {
		for _, g := range [][]git.StateFile{s.capture.SharedFiles, s.capture.WorktreeFiles} {
			for _, file := range g {
				text := r.Snaps.Repo.HashObject("blob", file.Data)
				if file.Name == "config" {
					text = withoutBranchSections(string(file.Data))
				}
				all[file.Name] = text
			}
		}
		return all, nil
	}
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	for _, group := range []string{"admin", "own", "links/admin", "links/own"} {
		list, err := listTree(rd, s.info.Commit+":meta/"+group)
		if err != nil {
			return nil, fmt.Errorf("read snapshot %s: %w", s.info.ID, err)
		}
		for _, e := range list {
			all[e.Path] = e.OID
			if e.Path == "config" {
				o, err := rd.Read(e.OID)
				if err != nil {
					return nil, fmt.Errorf("read snapshot %s: %w", s.info.ID, err)
				}
				all[e.Path] = withoutBranchSections(string(o.Data))
			}
		}
	}
	return all, nil
}

// listTree lists a tree; nil if it does not exist.
func listTree(rd *git.Reader, name string) ([]git.TreeEntry, error) {
	o, err := rd.Read(name)
	if errors.Is(err, git.ErrNoObject) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return rd.Walk(o.OID)
}

// withoutBranchSections returns a config without the sections of branches and remotes, which git
// changes by itself.
func withoutBranchSections(text string) string {
	var out []string
	skip := false
	for line := range strings.Lines(text) {
		t := strings.ToLower(strings.TrimSpace(line))
		if strings.HasPrefix(t, "[") {
			skip = slices.ContainsFunc([]string{"[branch ", "[remote "}, func(s string) bool { return strings.HasPrefix(t, s) })
		}
		if !skip && t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n")
}
