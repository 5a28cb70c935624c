package git

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
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

// TestPushPrograms checks which addresses of a remote are reported: those at which a push starts
// programs here.
func TestPushPrograms(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "a\n")
	s.git("config", "remote.r.url", "https://example.com/r")
	var want []string
	for address, local := range map[string]bool{
		"https://example.com/r": false, "http://example.com/r": false, "ssh://git@example.com:22/r": false, "git+ssh://example.com/r": false,
		"git@example.com:r.git": false, "example.com:/srv/r.git": false, "example.com:": false,
		"ext::sh -c evil": true, "ext://sh": true, "fd::3": true, "other://x": true, "file:///srv/r.git": true, "/srv/r.git": true,
		"../r.git": true, "r.git": true, "./a:b": true,
	} {
		s.git("config", "--add", "remote.r.pushurl", address)
		if local {
			want = append(want, "push to "+address)
		}
	}
	got, err := s.open().PushPrograms(context.Background(), "r")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	s.git("config", "protocol.ext.allow", "always")
	s.git("config", "protocol.version", "2")
	if got, err := s.open().RepoPrograms(context.Background(), false); err != nil || !slices.Equal(got, []string{"protocol.ext.allow = always"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestProgramsWithIncludes checks that hooks are found in a repository of which git has to read the config, and that
// core.hooksPath=/dev/null means no hooks.
func TestProgramsWithIncludes(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "a\n")
	s.write(".git/hooks/pre-commit", "#!/bin/sh\n")
	s.git("config", "include.path", "none")
	got, err := s.open().RepoPrograms(context.Background(), true)
	if err != nil || len(got) != 2 || !strings.HasPrefix(got[1], "hook pre-commit (") {
		t.Errorf("%q, %v", got, err)
	}
	s.git("config", "core.hooksPath", "/dev/null")
	got, err = s.open().RepoPrograms(context.Background(), true)
	if want := []string{"core.hookspath = /dev/null", "include.path = none"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("without hooks: %q, %v", got, err)
	}
}
