package snapshot

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// outerRules are the ignore rules outside the tree, and whether git may store other bytes than
// those on disk.
type outerRules struct {
	key        string
	files      []git.StateFile // info/exclude and the global excludes file ("global")
	ignoreCase bool            // core.ignoreCase
	mayConvert bool            // config or attributes outside the tree may convert content
}

// RulesKey identifies the ignore rules outside the tree, and how they are applied.
func (c *Capture) RulesKey() string { return c.Rules.key }

// readOuterRules reads the config once.
func (s *Worktree) readOuterRules(ctx context.Context) (outerRules, error) {
	var r outerRules
	settings, err := s.Repo.Settings(ctx)
	if err != nil {
		return r, err
	}
	excludes, attributes := "", ""
	for _, e := range settings {
		key, value := e.Key, e.Value
		switch {
		case key == "core.excludesfile":
			excludes = value
		case key == "core.attributesfile":
			attributes = value
		case key == "core.ignorecase":
			r.ignoreCase = parseGitBool(value)
		case key == "core.autocrlf":
			r.mayConvert = r.mayConvert || parseGitBool(value) || strings.EqualFold(value, "input")
		case strings.HasPrefix(key, "filter.") && !strings.HasPrefix(key, "filter.lfs."):
			r.mayConvert = true
		}
	}
	for _, path := range []string{attributes, git.ConfigHome("attributes"), filepath.Join(s.Repo.Common, "info", "attributes")} {
		if path != "" {
			if _, err := os.Stat(git.ExpandHome(path)); err == nil {
				r.mayConvert = true
			}
		}
	}
	if excludes == "" {
		excludes = git.ConfigHome("ignore")
	}
	return r, s.readOuterFiles(&r, git.ExpandHome(excludes))
}

func (s *Worktree) readOuterFiles(r *outerRules, excludes string) error {
	h := sha256.New()
	fmt.Fprintf(h, "%v\x00%s\x00", r.ignoreCase, excludes)
	for name, path := range map[string]string{"info/exclude": filepath.Join(s.Repo.Common, "info", "exclude"), "global": excludes} {
		data, err := fsroot.ReadUserFile(path, fsroot.MaxSmallFile)
		if errors.Is(err, fs.ErrNotExist) || path == "" {
			continue
		}
		if err != nil {
			return fmt.Errorf("read what is ignored: %w", err)
		}
		r.files = append(r.files, git.StateFile{Name: name, Data: data})
	}
	if len(r.files) == 2 && r.files[0].Name > r.files[1].Name {
		r.files[0], r.files[1] = r.files[1], r.files[0]
	}
	for _, f := range r.files {
		fmt.Fprintf(h, "%s\x00%d\x00%s", f.Name, len(f.Data), f.Data)
	}
	r.key = fmt.Sprintf("%x", h.Sum(nil))
	return nil
}

// parseGitBool reads a boolean of git's config; a key without a value is true.
func parseGitBool(v string) bool {
	switch strings.ToLower(v) {
	case "", "true", "yes", "on", "1":
		return true
	}
	return false
}

// nestedHead returns the commit of a nested repository if two small files show it, "" otherwise. It
// is for display: no program is started there.
func (s *Worktree) nestedHead(path string) string {
	dir := filepath.Join(s.Repo.Root, filepath.FromSlash(path), ".git")
	if info, err := os.Lstat(dir); err == nil && info.Mode().IsRegular() {
		text := readSmall(dir)
		target, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(dir), target)
		}
		dir = target
	}
	head := strings.TrimSpace(readSmall(filepath.Join(dir, "HEAD")))
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		head = strings.TrimSpace(readSmall(filepath.Join(dir, filepath.FromSlash(ref))))
	}
	if len(head) != 40 && len(head) != 64 || strings.Trim(head, "0123456789abcdef") != "" {
		return ""
	}
	return head
}

// GitFileText returns the text of a repository's .git file, "" where .git is not a file.
func GitFileText(root string) string { return readSmall(filepath.Join(root, ".git")) }

func readSmall(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := fsroot.ReadUserFile(path, 4096)
	if err != nil {
		return ""
	}
	return string(text)
}
