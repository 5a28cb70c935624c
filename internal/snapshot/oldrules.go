package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/belay-dev/belay/internal/git"
)

// oldRules answers what the ignore rules of a snapshot's time say: git is asked in a
// scratch folder that holds just those rules.
type oldRules struct {
	key string // names the rules
	ask *git.Ignorer
	dir string
}

func (s *Store) oldRules(ctx context.Context, then side) (_ *oldRules, err error) {
	tmp, err := s.scratch("tmp")
	if err != nil {
		return nil, err
	}
	r := &oldRules{key: string(then.info.ID)}
	if r.dir, err = os.MkdirTemp(tmp, "rules-"); err != nil {
		return nil, fmt.Errorf("look at the rules of snapshot %s: %w", then.info.ID, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("look at the rules of snapshot %s: %w", then.info.ID, err), os.RemoveAll(r.dir))
		}
	}()
	gitDir, tree, global := filepath.Join(r.dir, "git"), filepath.Join(r.dir, "tree"), filepath.Join(r.dir, "global")
	files, err := s.ruleFiles(ctx, then, gitDir, tree, global)
	if err != nil {
		return nil, err
	}
	for _, d := range []string{filepath.Join(gitDir, "objects"), filepath.Join(gitDir, "refs"), tree} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	for path, data := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	r.ask = s.repo.Ignorer(ctx, "core.excludesFile="+global).In(gitDir, tree)
	return r, nil
}

// ruleFiles gives the files of the scratch folder.
func (s *Store) ruleFiles(ctx context.Context, then side, gitDir, tree, global string) (map[string][]byte, error) {
	files := map[string][]byte{filepath.Join(gitDir, "HEAD"): []byte("ref: refs/heads/main\n"), global: nil}
	if s.repo.Format == "sha256" {
		files[filepath.Join(gitDir, "config")] = []byte("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n")
	}
	rd, err := s.repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	for _, rule := range then.man.Rules {
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
func (r *oldRules) both(today func(context.Context, []string) ([]bool, error)) func(context.Context, []string) ([]bool, error) {
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

func (r *oldRules) close() {
	_ = r.ask.Close()
	_ = os.RemoveAll(r.dir)
}
