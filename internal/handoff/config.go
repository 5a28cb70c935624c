package handoff

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// compareGitFiles finds git's own files that differ: config, hooks, excludes, attributes. Changes
// of the config by a push, a new branch or a new remote do not count.
func (r Reader) compareGitFiles(ctx context.Context, f *Facts, one, two *side) error {
	then, now, err := readBoth(ctx, r.gitFilesOf, one, two)
	if err != nil {
		return err
	}
	for _, name := range union(then, now) {
		a, b := then[name], now[name]
		if name == "config" {
			a, b = comparableConfig(a, remoteNames(b)), comparableConfig(b, remoteNames(a))
		}
		if a != b {
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
					text = string(file.Data)
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
				all[e.Path] = string(o.Data)
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

var (
	remoteSection = lazyregexp.New(`(?i)^\[(branch|remote)[ \t]+"([^"\\]*)"\]$`)
	remotePlace   = lazyregexp.New(`(?i)^(?:(url)|fetch|gh-resolved)[ \t]*=`)
)

// comparableConfig returns a config without what git changes by itself: sections of branches, what
// a remote fetches, and the address of a remote that the other config does not have.
func comparableConfig(text string, inOther map[string]bool) string {
	var out []string
	branch, remote, isNew, continued := false, false, false, false
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		header := strings.HasPrefix(t, "[")
		if header || continued {
			branch, remote, isNew = false, false, false
		}
		if m := remoteSection.FindStringSubmatch(t); m != nil && !continued {
			branch, remote = strings.EqualFold(m[1], "branch"), strings.EqualFold(m[1], "remote")
			isNew = remote && !inOther[m[2]]
		}
		switch place := remotePlace.FindStringSubmatch(t); {
		case t == "", branch, isNew && header:
		case remote && place != nil && (isNew || place[1] == ""):
		default:
			out = append(out, t)
		}
		continued = strings.HasSuffix(t, `\`)
	}
	return strings.Join(out, "\n")
}

// remoteNames returns the names of a config's remotes.
func remoteNames(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if m := remoteSection.FindStringSubmatch(strings.TrimSpace(line)); m != nil && strings.EqualFold(m[1], "remote") {
			all[m[2]] = true
		}
	}
	return all
}
