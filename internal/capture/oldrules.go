package capture

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/manifest"
)

// OldRules answers what the ignore rules of a snapshot's time say: git is asked in a
// scratch folder that holds just those rules.
type OldRules struct {
	key string // names the rules
	ask *git.Ignorer
	dir string
}

// OldRules prepares to ask. key names the rules among those of other times.
func (s *Place) OldRules(ctx context.Context, key string, rules []manifest.Rule) (_ *OldRules, err error) {
	tmp, err := s.Scratch("tmp")
	if err != nil {
		return nil, err
	}
	r := &OldRules{key: key}
	if r.dir, err = fsroot.MkdirTemp(tmp, "rules-"); err != nil {
		return nil, fmt.Errorf("look at the rules of snapshot %s: %w", key, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("look at the rules of snapshot %s: %w", key, err), fsroot.RemoveAll(r.dir))
		}
	}()
	gitDir, tree, global := filepath.Join(r.dir, "git"), filepath.Join(r.dir, "tree"), filepath.Join(r.dir, "global")
	files, err := s.ruleFiles(ctx, rules, gitDir, tree, global)
	if err != nil {
		return nil, err
	}
	for _, d := range []string{filepath.Join(gitDir, "objects"), filepath.Join(gitDir, "refs"), tree} {
		if err := fsroot.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	for path, data := range files {
		if err := fsroot.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := fsroot.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	r.ask = s.Repo.Ignorer(ctx, "core.excludesFile="+global).In(gitDir, tree)
	return r, nil
}

// ruleFiles gives the files of the scratch folder.
func (s *Place) ruleFiles(ctx context.Context, rules []manifest.Rule, gitDir, tree, global string) (map[string][]byte, error) {
	files := map[string][]byte{filepath.Join(gitDir, "HEAD"): []byte("ref: refs/heads/main\n"), global: nil}
	if s.Repo.Format == "sha256" {
		files[filepath.Join(gitDir, "config")] = []byte("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n")
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	for _, rule := range rules {
		o, err := rd.Read(rule.OID)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(tree, filepath.FromSlash(rule.Path))
		if rule.Outer && rule.Path == "global" {
			path = global
		} else if rule.Outer {
			path = filepath.Join(gitDir, "info", "exclude")
		}
		files[path] = o.Data
	}
	return files, nil
}

// both makes a question that is only answered yes when the rules of today and those of
// then agree.
func (r *OldRules) both(today func(context.Context, []string) ([]bool, error)) func(context.Context, []string) ([]bool, error) {
	return func(ctx context.Context, paths []string) ([]bool, error) {
		answers, err := today(ctx, paths)
		if err != nil {
			return nil, err
		}
		var doubtful []string
		for i, yes := range answers {
			if yes {
				doubtful = append(doubtful, paths[i])
			}
		}
		then, err := r.ask.Ask(ctx, doubtful)
		if err != nil {
			return nil, err
		}
		for i, yes := range answers {
			if yes {
				answers[i], then = then[0], then[1:]
			}
		}
		return answers, nil
	}
}

// Close ends the questions.
func (r *OldRules) Close() {
	_ = r.ask.Close()
	_ = fsroot.RemoveAll(r.dir)
}

// Ask answers for each path, in order.
func (r *OldRules) Ask(ctx context.Context, paths []string) ([]bool, error) {
	return r.ask.Ask(ctx, paths)
}
