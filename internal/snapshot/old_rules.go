package snapshot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// OldRules applies the ignore rules of an earlier snapshot: it asks git in a scratch folder that
// contains only those rules. Nothing is created before the first question.
type OldRules struct {
	worktree   *Worktree
	key        string // names the rules in errors
	rules      []Rule
	ignoreCase bool
	ctx        context.Context // for all questions: one git process answers many

	once sync.Once
	ask  *git.Ignorer
	dir  string
	err  error
}

// OldRules prepares to apply the rules of a manifest. key names them in errors. No question can be
// asked after ctx is done.
func (s *Worktree) OldRules(ctx context.Context, key string, m *Manifest) *OldRules {
	return &OldRules{worktree: s, key: key, rules: m.Rules, ignoreCase: m.IgnoreCase, ctx: ctx}
}

// prepare creates the scratch folder.
func (r *OldRules) prepare() (err error) {
	s := r.worktree
	tmp, err := s.MakeScratchDir("tmp")
	if err != nil {
		return err
	}
	if r.dir, err = fsroot.MkdirTemp(tmp, "rules-"); err != nil {
		return fmt.Errorf("read the ignore rules of snapshot %s: %w", r.key, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("read the ignore rules of snapshot %s: %w", r.key, err), fsroot.RemoveAll(r.dir))
		}
	}()
	gitDir, tree, global := filepath.Join(r.dir, "git"), filepath.Join(r.dir, "tree"), filepath.Join(r.dir, "global")
	files, err := s.ruleFiles(r.ctx, r.rules, gitDir, tree, global)
	if err != nil {
		return err
	}
	for _, d := range []string{filepath.Join(gitDir, "objects"), filepath.Join(gitDir, "refs"), tree} {
		if err := fsroot.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	for path, data := range files {
		if err := fsroot.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := fsroot.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	r.ask = s.Repo.Ignorer(r.ctx, "core.excludesFile="+global, fmt.Sprintf("core.ignoreCase=%v", r.ignoreCase)).In(gitDir, tree)
	return nil
}

// ruleFiles returns the files of the scratch folder.
func (s *Worktree) ruleFiles(ctx context.Context, rules []Rule, gitDir, tree, global string) (map[string][]byte, error) {
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

// Close ends the git process and removes the scratch folder.
func (r *OldRules) Close() {
	if r.ask != nil {
		_ = r.ask.Close()
		_ = fsroot.RemoveAll(r.dir)
	}
}

// Ask reports for each path, in order, whether it is ignored; a final slash marks a folder. It is
// safe for concurrent use.
func (r *OldRules) Ask(ctx context.Context, paths []string) ([]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	r.once.Do(func() { r.err = r.prepare() })
	if r.err != nil {
		return nil, r.err
	}
	for _, p := range paths {
		if strings.HasSuffix(p, "/") {
			if err := r.makeFolder(p); err != nil {
				return nil, fmt.Errorf("read the ignore rules of snapshot %s: %w", r.key, err)
			}
		}
	}
	return r.ask.Ask(ctx, paths)
}

// makeFolder creates the folder of a question: git looks at the path to decide whether a rule for
// folders, such as "!b/", applies. If it cannot be created, git answers as for a file.
func (r *OldRules) makeFolder(p string) error {
	err := fsroot.MkdirAll(filepath.Join(r.dir, "tree", filepath.FromSlash(p)), 0o700)
	var other *fsroot.TypeError // one of the old .gitignore files
	if errors.Is(err, unix.ENAMETOOLONG) || errors.As(err, &other) {
		return nil
	}
	return err
}
