package git

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

// TestProgramsOfTrees checks that the programs of a commit are found in a repository with several
// worktrees too: git refuses to read the config of one worktree unless an extension is set, and if
// it is set, that config counts.
func TestProgramsOfTrees(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		extension string
		want      []string
	}{
		"no extension": {"", []string{"core.fsmonitor = here"}},
		"off":          {"off", []string{"core.fsmonitor = here"}},
		"on":           {"true", []string{"core.fsmonitor = here", "core.editor = there"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.commit("a", "a\n")
			tree := filepath.Join(filepath.Dir(s.dir), "tree")
			s.git("worktree", "add", "-q", tree, "-b", "other")
			s.git("config", "core.fsmonitor", "here")
			if tt.extension != "" {
				s.git("config", "extensions.worktreeConfig", tt.extension)
			}
			s.write(".git/config.worktree", "[core]\n\teditor = there\n")
			got, err := s.open().RepoPrograms(context.Background(), false)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
			s.write(".git/worktrees/tree/config.worktree", "[core]\n\teditor = there\n")
			got, err = (sandbox{t, tree}).open().RepoPrograms(context.Background(), false)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("in the linked tree: %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
